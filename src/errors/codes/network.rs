//! On the way to the service: name, connection, proxy, TLS, and answers that are not the service's.

use crate::errors::{run, say};

/// What lets the network set the system's clock.
pub(crate) const SET_CLOCK: &str =
    if cfg!(target_os = "macos") { "sudo sntp -sS time.apple.com" } else { "sudo timedatectl set-ntp true" };

super::rows! {
    NAME_UNKNOWN = "NAME_UNKNOWN", Network,
        "The host name of the address is not known.",
        "The address is misspelt, this machine is not on the network, or its name server does not answer.",
        [run("Check the address", "ordersync config list"), say("Check the network: try another site in a browser.")];
    UNREACHABLE = "UNREACHABLE", Network,
        "Nothing answers at the address.",
        "The service does not run there, the port is wrong, or a firewall blocks the connection.",
        [
            run("Check the address", "ordersync config list"),
            run("To start a service of your own", "ordersync serve --sandbox"),
        ];
    ANSWER_CUT = "ANSWER_CUT", Network,
        "The connection ended before the whole answer had come.",
        "The network broke, or the service or a proxy was restarted. What can safely be repeated has been repeated.",
        [say("Run the command again.")];
    CERTIFICATE_UNTRUSTED = "CERTIFICATE_UNTRUSTED", Network,
        "The service's certificate is not signed by a certificate authority that this machine trusts.",
        "The certificate signs itself, comes from a company's own authority, or something reads the traffic.",
        [run("If you know who issued it, trust its certificate", "export SSL_CERT_FILE=/path/to/authority.pem")];
    CERTIFICATE_EXPIRED = "CERTIFICATE_EXPIRED", Network,
        "The service's certificate has expired.",
        "The operator has not renewed it, or this machine's clock is ahead.",
        [run("Check this machine's clock", "date -u"), say("If it is right, tell the operator of the service.")];
    CERTIFICATE_NOT_YET_VALID = "CERTIFICATE_NOT_YET_VALID", Network,
        "The service's certificate is not valid yet.",
        "This machine's clock is behind; rarely, a certificate was put in place too early.",
        [run("Check this machine's clock", "date -u"), run("Let the system set it", SET_CLOCK)];
    CERTIFICATE_WRONG_HOST = "CERTIFICATE_WRONG_HOST", Network,
        "The certificate belongs to another host name.",
        "The address is not the one that the certificate was issued for, or another server answers there.",
        [run("Use the name that the certificate has", "ordersync config set base_url https://NAME")];
    NOT_TLS = "NOT_TLS", Network,
        "The server at this https address does not speak TLS.",
        "The port is that of plain HTTP.",
        [
            run("On this machine, write http:// in the address; for another, find its https port", "ordersync config list"),
        ];
    NEEDS_TLS = "NEEDS_TLS", Network,
        "The server at this http address speaks TLS.",
        "The port is that of https.",
        [run("Write https:// in the address", "ordersync config set base_url https://HOST:PORT")];
    TLS = "TLS", Network,
        "No secure connection can be made.",
        "The two sides have no version or cipher in common, the server uses the certificate of an authority, or this machine's own certificates cannot be read.",
        [run("See what is exchanged", "openssl s_client -connect HOST:443")];
    PROXY_UNREACHABLE = "PROXY_UNREACHABLE", Network,
        "The proxy cannot be reached.",
        "HTTPS_PROXY names a proxy that does not run, or that this network does not have.",
        [run("Check it", "echo $HTTPS_PROXY"), run("Bypass it for this host", "export NO_PROXY={host|HOST}")];
    PROXY_AUTH = "PROXY_AUTH", Network,
        "The proxy wants a user and a password.",
        "HTTPS_PROXY names none, or wrong ones.",
        [
            run("Give them", "export HTTPS_PROXY=http://USER:PASSWORD@PROXY:PORT"),
            run("Bypass the proxy for this host", "export NO_PROXY={host|HOST}"),
        ];
    PROXY_REFUSED = "PROXY_REFUSED", Network,
        "The proxy does not let this request through.",
        "The proxy's rules forbid the address, or the proxy cannot reach it.",
        [run("Ask the proxy's operator, or bypass it for this host", "export NO_PROXY={host|HOST}")];
    WEB_PAGE = "WEB_PAGE", Network,
        "A web page came in place of the service's answer.",
        "A network wants you to sign in first (a hotel, a train), a proxy shows its own page, or the address is that of a website.",
        [
            say("Open any site in a browser and sign in to the network, then run the command again."),
            run("Is this the address of the service?", "ordersync config list"),
        ];
    WRONG_CONTENT_TYPE = "WRONG_CONTENT_TYPE", Failed,
        "The answer is not JSON, and does not say that it is.",
        "The address is not that of the service, or a proxy answered in its place.",
        [run("Is this the address of the service?", "ordersync config list"), say("-vv shows the answer.")];
    UNEXPECTED_ANSWER = "UNEXPECTED_ANSWER", Failed,
        "The answer cannot be understood.",
        "The service is of another kind or version than this command knows, or a proxy has changed the answer.",
        [run("Is this the address of the service?", "ordersync config list"), say("-vv shows the answer.")];
    UNSOUND_LIST = "UNSOUND_LIST", Failed,
        "The list cannot be read without losing or doubling items.",
        "The service gives the same page again, or sorts its list in another way meanwhile.",
        [say("Report it to the operator of the service; -vv shows the answers.")];
    ANSWER_TOO_LARGE = "ANSWER_TOO_LARGE", Failed,
        "The answer is larger than any that the service gives (64 MiB).",
        "The address is not that of the service.",
        [run("Is this the address of the service?", "ordersync config list")];
    REDIRECT = "REDIRECT", Failed,
        "The service answers with a redirect, which is not followed.",
        "The service has moved, or a network wants you to sign in first. The access token goes to no other address than the one that you gave.",
        [run("If you trust where it leads, use that address", "ordersync config set base_url https://NEW")];
}
