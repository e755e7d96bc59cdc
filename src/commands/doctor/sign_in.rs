//! The sign-in: where it is kept, whether the service takes it, what it allows, how many requests are left.

use chrono::SecondsFormat;
use ordersync_api::{Connection, ConnectionCompleteness, ConnectionStatus, ErrorCode, Profile, Scope};
use reqwest::StatusCode;
use secrecy::SecretString;
use serde_json::json;
use tokio::time::timeout;

use super::{Check, CheckReport, PATIENCE, store};
use crate::auth::store::{KeyringState, Loaded};
use crate::auth::token_provider::blocking;
use crate::auth::{GrantType, StoredToken};
use crate::client::Client;
use crate::client::api_error;
use crate::client::endpoints::Operation;
use crate::client::rate_limit_headers::RateLimitHeaders;
use crate::client::request::Call;
use crate::client::wire::Reply;
use crate::commands::shared::active_sessions;
use crate::commands::shared::diagnostics::CheckStatus;
use crate::config::Remote;
use crate::config::sign_in::TokenStore;
use crate::context::Context;
use crate::errors::{Advice, Error, Exit, Hint, Result, codes};

/// What commands cannot be used without a scope.
const USES: [(Scope, &str); 6] = [
    (Scope::AccountsRead, "connections, sessions"),
    (Scope::AccountsConnect, "connect, fix, mfa"),
    (Scope::AccountsSync, "sync"),
    (Scope::OrdersRead, "orders"),
    (Scope::ProfileRead, "profile"),
    (Scope::UsersShare, "link-token, users"),
];
/// What can be seen of a token whose scopes nobody names: the scopes that a mere read needs.
const READS: [(Scope, Operation); 2] =
    [(Scope::AccountsRead, Operation::ConnectionsList), (Scope::OrdersRead, Operation::OrdersList)];

/// A token to look at.
struct Signed {
    token: SecretString,
    /// The stored sign-in that it is from.
    record: Option<StoredToken>,
}

pub(super) async fn check(context: &Context, remote: &Remote, reached: bool, report: &mut CheckReport) -> Result<()> {
    let (sign_in_store, prober) = (context.sign_in_store(remote), context.sign_in_store(remote));
    let choice = context.settings.sign_in.token_store.value;
    let keyring = async {
        match choice {
            TokenStore::File => Ok(None),
            TokenStore::Auto | TokenStore::Keyring => blocking(move || Ok(Some(prober.keyring()))).await,
        }
    };
    let (kept, keyring) = tokio::join!(blocking(move || sign_in_store.load()), keyring);
    let (check, signed) = match &remote.token {
        Some(token) => (
            Check::ok("sign-in", "ORDERSYNC_TOKEN, which overrides any stored sign-in"),
            Some(Signed { token: token.value.clone(), record: None }),
        ),
        None => kept_sign_in(context, remote, kept),
    };
    report.add(check)?;
    match signed {
        None => skip(report, "there is no sign-in to try")?,
        Some(_) if !reached => skip(report, "the service cannot be reached")?,
        Some(signed) if signed.record.as_ref().is_some_and(|record| record.is_expired(crate::clock::now())) => {
            skip(report, "the access token has to be refreshed first: ordersync auth status")?;
        }
        Some(signed) => try_out(context, remote, &signed, report).await?,
    }
    report.add(keyring_check(choice, keyring))
}

fn skip(report: &mut CheckReport, why: &str) -> Result<()> {
    ["token", "scopes", "connections", "rate-limit"]
        .into_iter()
        .try_for_each(|check| report.add(Check::skipped(check, why)))
}

fn kept_sign_in(context: &Context, remote: &Remote, kept: Result<Loaded>) -> (Check, Option<Signed>) {
    let login = Hint::run("Sign in", context.command("auth login"));
    let failed = |text: String| Check::failed("sign-in", Exit::SignIn, text);
    match kept {
        Err(error) => (Check { exit: Exit::SignIn, ..Check::of_error("sign-in", &error) }, None),
        Ok(Loaded::Nothing) => {
            let text = format!("you are not signed in at {}", remote.base_url.value);
            (failed(text).hint([login, Hint::say("In a script: set ORDERSYNC_TOKEN")]), None)
        }
        Ok(Loaded::Unknown(why)) => {
            let text = format!("if you are signed in, it cannot be seen: the keyring cannot be read ({why})");
            (failed(text).hint(Hint::run("Unlock the keyring, or sign in again", context.command("auth login"))), None)
        }
        Ok(Loaded::SignIn(record, place)) => {
            let details = json!({
                "way": record.way.describe(),
                "place": place.to_string(),
                "expiresAt": record.expires_at.map(ordersync_api::Timestamp),
                "renewable": record.is_renewable(),
            });
            let end = record.expires_at.map(|end| end.to_rfc3339_opts(SecondsFormat::Secs, true));
            let kept = format!("kept in {place}, by {}", record.way.describe());
            let check = match (end, record.is_expired(crate::clock::now()), record.is_renewable()) {
                (None, ..) => Check::ok("sign-in", kept),
                (Some(end), false, true) => Check::ok("sign-in", format!("{kept}; good until {end}, then renewed")),
                (Some(end), false, false) => Check::ok("sign-in", format!("{kept}; good until {end}")),
                (Some(end), true, true) => {
                    Check::ok("sign-in", format!("{kept}; its token ended at {end}, and the next command renews it"))
                }
                (Some(end), true, false) => {
                    failed(format!("{kept}; it ended at {end} and cannot be renewed")).hint(login)
                }
            };
            let token = record.access_token.clone();
            (check.details(details), Some(Signed { token, record: Some(*record) }))
        }
    }
}

async fn try_out(context: &Context, remote: &Remote, signed: &Signed, report: &mut CheckReport) -> Result<()> {
    let client = context.client_with(remote, signed.token.clone())?;
    let reply = match read(&client, Operation::Profile, signed).await {
        Ok(reply) => reply,
        Err(error) => {
            report.add(Check::of_error("token", &error))?;
            return ["scopes", "connections", "rate-limit"]
                .into_iter()
                .try_for_each(|check| report.add(Check::skipped(check, "the service does not say")));
        }
    };
    let token = accepted(context, signed, &reply);
    let is_good = token.status == CheckStatus::Ok;
    report.add(token)?;
    if is_good {
        report.add(scopes(context, &client, signed, &reply).await)?;
        report.add(connections(context, &client, signed).await)?;
    } else {
        for check in ["scopes", "connections"] {
            report.add(Check::skipped(check, "the token could not be checked"))?;
        }
    }
    report.add(rate_limit(&reply))
}

/// The user's connections, in numbers.
async fn connections(context: &Context, client: &Client, signed: &Signed) -> Check {
    if signed.record.as_ref().is_some_and(|record| record.way == GrantType::ClientCredentials) {
        return Check::skipped("connections", "they belong to users, and this is the sign-in of a client");
    }
    match timeout(PATIENCE * 2, client.connections(None)).await {
        Ok(Ok(all)) => {
            let of = |status: ConnectionStatus| {
                let count = all.iter().filter(|one| one.status.is(&status)).count();
                i64::try_from(count).unwrap_or(i64::MAX)
            };
            let counts = [ConnectionStatus::Valid, ConnectionStatus::Invalid, ConnectionStatus::Pending].map(of);
            let is_complete = |one: &Connection| one.completeness.as_ref().is_none_or(|of| of.complete);
            let incomplete: Vec<Connection> = all.into_iter().filter(|one| !is_complete(one)).collect();
            // If the service does not say what they wait for, only the best advice is missing.
            let sessions = timeout(PATIENCE * 2, active_sessions::sessions(context, client, &incomplete)).await;
            let unfinished = active_sessions::among(&sessions.ok().and_then(Result::ok).unwrap_or_default());
            let incomplete = incomplete.into_iter().map(|one| {
                // Names do not belong in a bug report.
                ConnectionCompleteness { display_name: None, ..one.into() }
            });
            store::connections(context, counts, incomplete.collect(), &unfinished)
        }
        Ok(Err(error)) if error.is(ErrorCode::InsufficientScope) => {
            Check::skipped("connections", "the token lacks accounts:read")
        }
        Ok(Err(error)) => Check::of_error("connections", &error),
        Err(_) => Check::skipped("connections", "the service does not answer in time"),
    }
}

/// One request, for a bounded time.
async fn read(client: &Client, operation: Operation, signed: &Signed) -> Result<Reply> {
    let call = Call::new(operation)?;
    let limited = matches!(operation, Operation::ConnectionsList | Operation::OrdersList);
    let call = call.query("limit", limited.then_some(1));
    match timeout(PATIENCE * 2, client.observe(&call, Some(&signed.token))).await {
        Ok(answer) => answer,
        Err(_) => Err(Error::of(
            &codes::service::TIMEOUT,
            format!(
                "No answer came within {} s; the service may be overloaded, or no request be left.",
                PATIENCE.as_secs() * 2
            ),
        )
        .hint("Try again in a minute.")),
    }
}

fn is_scope_missing(reply: &Reply) -> bool {
    reply.status == StatusCode::FORBIDDEN
        && api_error::decode(&reply.body).0.as_deref() == Some(ordersync_api::ErrorCode::InsufficientScope.as_str())
}

fn accepted(context: &Context, signed: &Signed, reply: &Reply) -> Check {
    if reply.status == StatusCode::UNAUTHORIZED {
        let login = context.command("auth login");
        let hints = match &signed.record {
            Some(record) if record.is_renewable() => Advice::from([
                Hint::run("Any command tries to renew it", context.command("auth status")),
                Hint::run("If that fails, sign in again", login),
            ]),
            Some(_) => Hint::run("Sign in again", login).into(),
            None => Advice::from([
                Hint::run("Set ORDERSYNC_TOKEN to a current access token, or unset it and sign in", login),
                context.sandbox_token(),
            ]),
        };
        return Check::failed("token", Exit::SignIn, "the service does not accept it: unknown, expired or revoked")
            .hint(hints);
    }
    if is_scope_missing(reply) {
        return Check::ok("token", "the service accepts it; whose it is, it may not say");
    }
    if !reply.status.is_success() {
        return Check::failed(
            "token",
            Exit::Failed,
            format!("{} was answered with {}", reply.description, reply.status),
        )
        .hint(Hint::run("See more", context.command("profile -vv")));
    }
    match serde_json::from_slice::<Profile>(&reply.body) {
        Ok(user) => Check::ok("token", format!("the service accepts it: you are {}", name(&user))),
        Err(why) => {
            Check::failed("token", Exit::Failed, format!("the answer to {} is no profile: {why}", reply.description))
                .hint(Hint::run("See more", context.command("profile -vv")))
        }
    }
}

fn name(user: &Profile) -> String {
    user.name.clone().unwrap_or_else(|| user.user_id.to_string())
}

async fn scopes(context: &Context, client: &Client, signed: &Signed, profile: &Reply) -> Check {
    let record = signed.record.as_ref();
    if record.is_some_and(|record| record.way == GrantType::ClientCredentials) {
        return Check::ok(
            "scopes",
            "those of the client itself: link-token and users work, what belongs to a user does not",
        );
    }
    let (missing, how) = match record.and_then(|record| record.scopes.as_deref()) {
        Some(known) => {
            let held: Vec<&str> = known.split_whitespace().collect();
            // What a user's sign-in is not for is not missed.
            let wanted = USES.iter().filter(|(scope, _)| *scope != Scope::UsersShare);
            (
                wanted.filter(|(scope, _)| !held.contains(&scope.as_str())).map(|(scope, _)| *scope).collect(),
                known.to_owned(),
            )
        }
        None => {
            let mut missing: Vec<Scope> = is_scope_missing(profile).then_some(Scope::ProfileRead).into_iter().collect();
            for (scope, operation) in READS {
                match read(client, operation, signed).await {
                    Ok(reply) if is_scope_missing(&reply) => missing.push(scope),
                    Ok(_) => {}
                    Err(error) => return Check::of_error("scopes", &error),
                }
            }
            (missing, "enough to read; whether it may connect and sync shows when it does".to_owned())
        }
    };
    if missing.is_empty() {
        return Check::ok("scopes", how);
    }
    let lost: Vec<String> = USES
        .iter()
        .filter(|(scope, _)| missing.contains(scope))
        .map(|(scope, commands)| format!("{scope} ({commands})"))
        .collect();
    let all: Vec<&str> =
        USES.iter().filter(|(scope, _)| *scope != Scope::UsersShare).map(|(scope, _)| scope.as_str()).collect();
    Check::warning("scopes", format!("the token lacks {}", lost.join(", ")))
        .hint(Hint::run(
            "Where you need these, sign in with them",
            format!("{} --scopes \"{}\"", context.command("auth login"), all.join(" ")),
        ))
        .details(json!({ "missing": missing.iter().map(|scope| scope.as_str()).collect::<Vec<_>>() }))
}

/// What the service says is left of the rate limit.
fn rate_limit(reply: &Reply) -> Check {
    const NAME: &str = "rate-limit";
    let stated = RateLimitHeaders::read(&reply.headers);
    let Some(RateLimitHeaders { limit, remaining, reset, unlimited, .. }) =
        stated.filter(|stated| stated.unlimited || stated.remaining.is_some())
    else {
        return Check::ok(NAME, "the service does not say how many requests are left");
    };
    if unlimited {
        return Check::ok(NAME, "the service says that it has no limit");
    }
    let shown = |value: Option<u64>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let text = format!("{} of {} requests are left", shown(remaining), shown(limit));
    match (remaining, limit) {
        (Some(left), Some(limit)) if left.saturating_mul(10) < limit => Check::warning(NAME, text)
            .hint(format!("There are more in {} s; do fewer things at once with this client.", shown(reset))),
        _ => Check::ok(NAME, text),
    }
    .details(json!({ "limit": limit, "remaining": remaining, "resetSeconds": reset }))
}

fn keyring_check(choice: TokenStore, state: Result<Option<KeyringState>>) -> Check {
    let file = Hint::run("Keep sign-ins in a private file instead", "ordersync config set token_store file");
    match (state, choice) {
        (Ok(None), _) => Check::ok("keyring", "not used: sign-ins are kept in a private file"),
        (Ok(Some(KeyringState::Answers)), _) => Check::ok("keyring", "the system's keyring answers"),
        (Ok(Some(KeyringState::Absent(_))), TokenStore::Auto) => {
            Check::ok("keyring", "there is none here, so that sign-ins are kept in a private file")
        }
        (Ok(Some(KeyringState::Absent(why) | KeyringState::Fails(why))), TokenStore::Keyring) => {
            Check::failed("keyring", Exit::SignIn, format!("it cannot be used: {why}")).hint(file)
        }
        (Ok(Some(KeyringState::Absent(why) | KeyringState::Fails(why))), _) => {
            Check::warning("keyring", format!("it cannot be used: {why}")).hint(file)
        }
        (Err(error), _) => Check::of_error("keyring", &error),
    }
}
