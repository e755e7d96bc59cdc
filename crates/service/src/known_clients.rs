//! Clients that the service registers by itself.

use chrono::{DateTime, Utc};
use ordersync_api::sandbox::CLIENT_SECRET;
use url::Url;

use crate::keys::token_digest;
use crate::own_hosts::Named;
use crate::store::accounts::clients::Client;

/// The single local user, and the client through which it acts.
pub(crate) const LOCAL: &str = "local";
/// The command line's client, which exists at every service.
pub(crate) const COMMAND_LINE: &str = "ordersync-cli";

/// The command line as a client: public, with a redirect to a port of its own on the machine it runs on (RFC 8252
/// §7.3).
pub(crate) fn command_line(now: DateTime<Utc>) -> Client {
    Client {
        name: "ordersync command line".into(),
        redirect_uris: vec!["http://127.0.0.1/callback".into(), "http://[::1]/callback".into()],
        ..Client::open(COMMAND_LINE, now)
    }
}

/// A client of the sandbox, created when it is first named. All have the same secret, which protects nothing: it is in
/// the documentation, and it opens nothing elsewhere.
pub(crate) fn sandbox_client(id: &str, now: DateTime<Utc>) -> Client {
    let secret_digest = Some(token_digest(CLIENT_SECRET).to_vec());
    Client { secret_digest, ..Client::open(id, now) }
}

/// Pages on the developer's own machine. A policy cannot name an IPv6 address.
const OWN_MACHINE: [&str; 2] = ["http://127.0.0.1:*", "http://localhost:*"];

/// Whether a sandbox created it by itself. It needs no registration: its pages may be anywhere on the developer's machine.
/// Outside a sandbox no client has that secret.
fn is_of_sandbox(client: &Client) -> bool {
    client.has_secret(CLIENT_SECRET)
}

/// Whether the widget may lead back to this address: one that the client has registered, to the letter. For a client that the
/// sandbox created, also any http address of this machine.
pub(crate) fn may_return_to(client: &Client, address: &str) -> bool {
    client.return_urls.iter().any(|registered| registered == address)
        || (is_of_sandbox(client) && Url::parse(address).is_ok_and(|url| is_on_own_machine(&url)))
}

fn is_on_own_machine(url: &Url) -> bool {
    url.scheme() == "http"
        && Named::of_url(url).is_some_and(|host| host.is_loopback())
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
}

/// The sources of a policy (`frame-ancestors`) whose pages may frame the client's widget.
pub(crate) fn framing_sources(client: &Client) -> Vec<String> {
    let own_machine = OWN_MACHINE.iter().filter(|_| is_of_sandbox(client)).map(ToString::to_string);
    client.frame_ancestors.iter().cloned().chain(own_machine).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widget_returns_to_a_registered_address_and_in_a_sandbox_to_the_developers_machine() {
        let registered = "https://app.example/back?x=1";
        let client = Client { return_urls: vec![registered.into()], ..Client::open("app", DateTime::UNIX_EPOCH) };
        let of_sandbox =
            Client { return_urls: client.return_urls.clone(), ..sandbox_client("app", DateTime::UNIX_EPOCH) };
        assert!(may_return_to(&client, registered) && may_return_to(&of_sandbox, registered));
        for own in ["http://127.0.0.1:3000/done?x=1", "http://localhost:3000/", "http://[::1]:1/"] {
            assert!(may_return_to(&of_sandbox, own) && !may_return_to(&client, own), "{own}");
        }
        for other in [
            "",
            "/back",
            "https://app.example/back",
            "https://app.example/back?x=1&y",
            "HTTPS://app.example/back?x=1",
            "https://127.0.0.1/",
            "http://127.0.0.1/#f",
            "http://a:b@127.0.0.1/",
            "http://127.0.0.1@app.example/",
            "http://127.0.0.1.app.example/",
            "http://192.168.0.1/",
            "javascript:alert(1)//127.0.0.1",
        ] {
            assert!(!may_return_to(&client, other) && !may_return_to(&of_sandbox, other), "{other}");
        }
        assert_eq!(framing_sources(&client), [] as [&str; 0]);
        assert_eq!(framing_sources(&of_sandbox), OWN_MACHINE);
    }
}
