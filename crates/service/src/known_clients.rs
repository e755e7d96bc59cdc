//! Clients that the service registers by itself.

use chrono::{DateTime, Utc};
use ordersync_api::sandbox::CLIENT_SECRET;

use crate::keys::token_digest;
use crate::store::clients::Client;

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
