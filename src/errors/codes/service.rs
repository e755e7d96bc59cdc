//! Refusals of the service: every code of its contract, and answers that have none.

use crate::errors::{run, say};

super::rows! {
    INVALID_REQUEST = "INVALID_REQUEST", Failed,
        "The service does not understand the request; the message names the field.",
        "A value is outside of what the field takes.",
        [say("Correct that value; the command's --help lists what it accepts.")];
    SEAL_REJECTED = "SEAL_REJECTED", Failed,
        "The service does not accept the sealed credentials.",
        "Each request needs a fresh sealing token: the one used here has been used before, or is older than five minutes.",
        [say("Run the command again: it fetches a fresh token and seals the credentials anew.")];
    RETAILER_NOT_CONNECTABLE = "RETAILER_NOT_CONNECTABLE", Failed,
        "This retailer is listed, but cannot be connected.",
        "The service has no way to sign in there.",
        [run("Choose another retailer", "ordersync retailers")];
    MISSING_LINK_TOKEN = "MISSING_LINK_TOKEN", Failed,
        "The request needs a link token, and has none.",
        "What a user shares is looked up by a link token.",
        [
            run("Create a link token (POST /v1/link/token)", "ordersync link-token create --external-user-id ID"),
            run("Then", "ordersync users share --link-token -"),
            say("`users share` and `api` also read it from ORDERSYNC_LINK_TOKEN; no other command sends one."),
        ];
    UNAUTHORIZED = "UNAUTHORIZED", SignIn,
        "You are not signed in, or the sign-in is not accepted.",
        "There is no access token, or it is unknown, expired or revoked.",
        [run("Sign in", "ordersync auth login")];
    LINK_TOKEN_INVALID = "LINK_TOKEN_INVALID", SignIn,
        "The link token is unknown or has expired.",
        "A link token is valid for a short time, and only for the client that created it.",
        [run("Create a new link token (POST /v1/link/token)", "ordersync link-token create --external-user-id ID")];
    CLIENT_SECRET_REQUIRED = "CLIENT_SECRET_REQUIRED", Failed,
        "The request needs the client secret, and has none.",
        "What a client's back end does shows who it is.",
        [say("Send the header X-Client-Secret: set ORDERSYNC_CLIENT_SECRET, or give --client-secret-file FILE.")];
    CLIENT_SECRET_INVALID = "CLIENT_SECRET_INVALID", Failed,
        "The client secret is not that of the client that you are signed in with.",
        "It was rotated, or belongs to another client.",
        [
            say("Check the client secret (ORDERSYNC_CLIENT_SECRET, --client-secret-file): it has to be that of the client that you are signed in with."),
            run("See which client that is", "ordersync auth status"),
        ];
    CONNECTION_NOT_SHARED = "CONNECTION_NOT_SHARED", Failed,
        "The user has not shared this connection with your client.",
        "A client sees the connections that a user shared with it in the widget, and no others.",
        [
            say("The user opens the widget and shares that connection; what opens the widget:"),
            run("", "ordersync link-token create --external-user-id ID"),
            run("What is shared already", "ordersync connections"),
        ];
    INSUFFICIENT_SCOPE = "INSUFFICIENT_SCOPE", SignIn,
        "Your sign-in does not permit this.",
        "The token lacks a scope that the request needs, or stands for a client where a user is needed.",
        [
            run("Sign in with that scope", "ordersync auth login --scopes \"…\""),
            run("See the scopes that you have", "ordersync auth status"),
            say("Which ones a client may have is set at its onboarding (ordersync admin clients)."),
        ];
    ORIGIN_NOT_ALLOWED = "ORIGIN_NOT_ALLOWED", Failed,
        "The service does not answer requests for this host, or from pages of other sites.",
        "A sandbox on a loopback address, and the service inside a command, answer only to loopback addresses and to --public-url.",
        [
            run("Use the address that the service prints when it starts, or start it with --public-url", "ordersync serve --help"),
        ];
    NOT_FOUND = "NOT_FOUND", NotFound,
        "There is no such thing.",
        "The identifier or name is misspelt, belongs to another user, or what it named is gone.",
        [
            run("See your connections", "ordersync connections"),
            run("See the latest sync", "ordersync sessions"),
            run("See your line items", "ordersync orders list"),
        ];
    USER_NOT_FOUND = "USER_NOT_FOUND", NotFound,
        "Nobody is bound to this external user id yet.",
        "The user has not opened the widget and completed the one-time password.",
        [
            say("The user opens the widget and completes the one-time-password step; binding then happens automatically."),
            run("What opens the widget", "ordersync link-token create --external-user-id ID"),
        ];
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED", Failed,
        "The path exists, the method does not.",
        "A request of `ordersync api` has another method than the path takes.",
        [
            say("openapi.yaml lists the methods of each path."),
            run("How to choose one", "ordersync api --help"),
        ];
    CONNECTION_EXISTS = "CONNECTION_EXISTS", Failed,
        "This retailer is connected already.",
        "A user has one connection to a retailer.",
        [run("Fix the connection instead", "ordersync fix {connectionId|}")];
    SYNC_IN_PROGRESS = "SYNC_IN_PROGRESS", Failed,
        "A sync of this connection is running.",
        "Somebody started one, here or elsewhere.",
        [run("Follow the one that runs", "ordersync sessions watch {batchId|}")];
    CONNECTION_INVALID = "CONNECTION_INVALID", Failed,
        "The connection is invalid, so it cannot sync.",
        "The retailer refused the credentials, or ended the sign-in.",
        [run("Fix the connection first", "ordersync fix {connectionId|}")];
    CONNECTION_HAS_NO_ACCOUNT = "CONNECTION_HAS_NO_ACCOUNT", Failed,
        "The connection has no account to sync or fix.",
        "Its orders come from files.",
        [
            run("Import a newer file", "ordersync import FILE"),
            run("If the service can read the retailer's account", "ordersync connect"),
        ];
    MFA_REQUEST_EXPIRED = "MFA_REQUEST_EXPIRED", Failed,
        "This verification request is over.",
        "It was answered already, or nobody answered it within five minutes.",
        [run("See what the session asks for now", "ordersync sessions")];
    IDEMPOTENCY_CONFLICT = "IDEMPOTENCY_CONFLICT", Failed,
        "The idempotency key was used with another request.",
        "A key stands for one request for 24 hours.",
        [say("Run the command again: it makes a new key, unless you give one with -H.")];
    USER_ALREADY_BOUND = "USER_ALREADY_BOUND", Failed,
        "The external user id is bound to another user.",
        "Two people used the same id, or the id was cut short when it was bound.",
        [
            say("Ask the service's support to reset the mapping, or create a link token with another id:"),
            run("", "ordersync link-token create --external-user-id ID"),
            run("If you operate the service", "ordersync admin users unbind --client ID --external-user-id ID"),
        ];
    PAYLOAD_TOO_LARGE = "PAYLOAD_TOO_LARGE", Failed,
        "The request is larger than the service takes (64 KiB).",
        "The body of `ordersync api` is too large.",
        [run("Send less", "ordersync api --help")];
    UNSUPPORTED_MEDIA_TYPE = "UNSUPPORTED_MEDIA_TYPE", Failed,
        "The service does not take a body of this kind.",
        "A request of `ordersync api` names another media type than application/json.",
        [say("Leave out -H Content-Type, or give: -H \"Content-Type: application/json\"")];
    TOO_MANY_REQUESTS = "TOO_MANY_REQUESTS", RateLimited,
        "The rate limit is reached, and the wait is longer than the time allowed.",
        "A client may make 100 requests in any 60 seconds, over all its users and commands.",
        [say("Try again in {wait|a minute}, or allow more time with --timeout.")];
    INTERNAL_ERROR = "INTERNAL_ERROR", Failed,
        "The service failed.",
        "A fault in the service; its log knows the request id.",
        [say("Try again; if it happens again, report it with the request id.")];
    UNAVAILABLE = "UNAVAILABLE", Network,
        "The service cannot answer now.",
        "It starts, stops, or cannot reach its store.",
        [say("Try again later.")];
    TIMEOUT = "TIMEOUT", Network,
        "No answer came in time.",
        "The network or the service is slow, or --timeout is short.",
        [say("Try again, or allow more time with --timeout.")];
    HTTP_STATUS = "HTTP_nnn", Failed,
        "The answer is a refusal without a code; nnn is its HTTP status.",
        "A proxy or another server answered in the service's place. The exit code is 3 for 502 to 504, 4 for 401, 5 for 404, 6 for 429.",
        [run("Is this the address of the service?", "ordersync config list"), say("-vv shows the answer.")];
}
