//! Refusals while signing in (RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1, RFC 8628 §3.5).

use crate::errors::{run, say};

super::rows! {
    ACCESS_DENIED = "access_denied", SignIn,
        "The sign-in was refused on the page.",
        "Somebody chose not to allow it.",
        [run("Sign in again, and allow it", "ordersync auth login")];
    EXPIRED_TOKEN = "expired_token", SignIn,
        "Nobody entered the code in time.",
        "A code for another device is valid for a few minutes.",
        [run("Start again", "ordersync auth login --device")];
    INVALID_GRANT = "invalid_grant", SignIn,
        "The authorization server does not accept this any more.",
        "A code or a refresh token is used up, expired or revoked.",
        [run("Sign in again", "ordersync auth login")];
    INVALID_CLIENT = "invalid_client", SignIn,
        "The authorization server does not know this client, or does not allow it to sign in this way.",
        "The client id or its secret is wrong, or the client was disabled.",
        [
            run("Check --client-id (ORDERSYNC_CLIENT_ID) and the client secret; a client is made with", "ordersync admin clients create --name NAME"),
        ];
    UNAUTHORIZED_CLIENT = "unauthorized_client", SignIn,
        "The authorization server does not know this client, or does not allow it to sign in this way.",
        "The client may not use this way of signing in.",
        [
            run("Check --client-id (ORDERSYNC_CLIENT_ID) and the client secret; a client is made with", "ordersync admin clients create --name NAME"),
        ];
    INVALID_SCOPE = "invalid_scope", SignIn,
        "The client may not have these scopes.",
        "What a client may have is set at its onboarding.",
        [
            run("Ask for others", "ordersync auth login --scopes \"…\""),
            say("Scopes: accounts:read, accounts:connect, accounts:sync, orders:read, profile:read, users:share"),
        ];
    INVALID_TOKEN = "invalid_token", SignIn,
        "The access token is not accepted.",
        "It is unknown, expired or revoked.",
        [run("Sign in", "ordersync auth login")];
    INSUFFICIENT_SCOPE = "insufficient_scope", SignIn,
        "Your sign-in does not permit this.",
        "The token lacks a scope that the request needs.",
        [run("Sign in with that scope", "ordersync auth login --scopes \"…\"")];
    INVALID_REQUEST = "invalid_request", SignIn,
        "The authorization server does not understand the request.",
        "It is of another kind than this command knows, or a redirect address is not registered for the client.",
        [run("Check the client's redirect addresses", "ordersync admin clients list")];
    UNSUPPORTED_GRANT_TYPE = "unsupported_grant_type", SignIn,
        "The authorization server does not offer this way of signing in.",
        "It lacks what --device or --client-credentials needs.",
        [run("Sign in in another way", "ordersync auth login --help")];
    UNSUPPORTED_RESPONSE_TYPE = "unsupported_response_type", SignIn,
        "The authorization server does not let browsers sign in with a code.",
        "It lacks the authorization code flow.",
        [run("Sign in in another way", "ordersync auth login --device")];
    SERVER_ERROR = "server_error", Failed,
        "The authorization server failed.",
        "A fault in the server.",
        [say("Try again; if it happens again, tell the operator of the service.")];
    TEMPORARILY_UNAVAILABLE = "temporarily_unavailable", Network,
        "The authorization server cannot answer now.",
        "It is overloaded, or being maintained.",
        [run("Try again later", "ordersync auth login")];
}
