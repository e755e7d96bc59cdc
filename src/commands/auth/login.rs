//! `ordersync auth login`.

use std::time::Duration;

use ordersync_api::ErrorCode;
use secrecy::SecretString;

use super::{remote, status};
use crate::auth::oauth::{Identity, Server};
use crate::auth::store::trimmed;
use crate::auth::token_provider::blocking;
use crate::auth::{GrantType, StoredToken, browser, device};
use crate::cli::auth::{LoginArgs, WayArgs};
use crate::cli::shared::ClientSecretArgs;
use crate::complete::cache::KnownNames;
use crate::config::Remote;
use crate::config::sign_in::{CLIENT_ID, SecretSource};
use crate::context::Context;
use crate::env;
use crate::errors::{Error, Exit, Hint, Result};
use crate::output::Mark;
use crate::{input, policy};

/// Signs in and keeps the sign-in.
pub(super) async fn run(context: &Context, arguments: LoginArgs) -> Result<()> {
    let remote = remote(context)?;
    let record = if arguments.way.with_token {
        with_token(context, remote).await?
    } else {
        with_server(context, remote, &arguments).await?
    };
    let (sign_in_store, kept) = (context.sign_in_store(remote), record.clone());
    let saved = blocking(move || sign_in_store.save(&kept)).await?;
    // It belongs to the sign-in before this one.
    context.remember(|known| *known = KnownNames::default());
    let user = status::user(context, remote, &record).await.unwrap_or_default();
    let name = user.as_ref().map(|user| format!(" as {}", status::name(user))).unwrap_or_default();
    let output = &context.output;
    output.marked_note(Mark::Good, format!("Signed in at {}{name}.", remote.base_url.value));
    match &saved.fallback {
        None => output.note(format!("Stored in {}.", saved.place)),
        // Said with --quiet, too: a user who expects a keyring has to know.
        Some(why) => {
            output.announce(format!("! Not in the system's keyring: {why}. Your sign-in is stored in {}.", saved.place))
        }
    }
    if remote.token.is_some() {
        output.announce("! ORDERSYNC_TOKEN is set and overrides this sign-in: unset it.");
    }
    if !output.is_table() {
        output.shown(&status::SignInStatus::new(context, remote, &record, &saved.place, user))?;
    }
    Ok(())
}

/// A token from elsewhere is tried before it is kept.
async fn with_token(context: &Context, remote: &Remote) -> Result<StoredToken> {
    let text = context.read("standard input", input::text).await?;
    let access_token = trimmed(&text);
    if text.trim().is_empty() {
        return Err(Error::usage("Standard input holds no access token.")
            .hint(Hint::command("ordersync auth login --with-token < token.txt")));
    }
    let record = StoredToken {
        base_url: remote.base_url.value.clone(),
        way: GrantType::Token,
        client_id: String::new(),
        access_token,
        refresh_token: None,
        client_secret: None,
        expires_at: None,
        scopes: None,
        token_endpoint: None,
        revocation_endpoint: None,
    };
    match status::user(context, remote, &record).await {
        Err(error) if error.is(ErrorCode::Unauthorized) || error.exit() == Exit::SignIn => {
            Err(error.hint("The token on standard input is not accepted: get a current one."))
        }
        Err(error) => Err(error),
        Ok(_) => Ok(record),
    }
}

async fn with_server(context: &Context, remote: &Remote, arguments: &LoginArgs) -> Result<StoredToken> {
    let way = arguments.way;
    if !way.client_credentials {
        check_somebody_comes(context, way)?;
    }
    let identity = identity(context, arguments).await?;
    if way.client_credentials && (identity.client_secret.is_none() || identity.client_id == CLIENT_ID) {
        return Err(Error::usage("Signing in as a client needs its id and its secret.").hint(
            "Set ORDERSYNC_CLIENT_ID and ORDERSYNC_CLIENT_SECRET, or give --client-id ID --client-secret-file FILE.",
        ));
    }
    let configured = context.settings.sign_in.scopes.as_ref().map(|scopes| scopes.value.as_str());
    let scopes = arguments.scopes.as_deref().or(configured);
    let server = Server::discover(context.http(remote)?, &remote.base_url.value, identity).await?;
    if way.client_credentials {
        server.client_credentials(scopes).await
    } else if way.device {
        device::sign_in(&server, scopes, |what| instruct(context, what), tokio::time::sleep).await
    } else {
        browser::sign_in(&server, scopes, |page| show(context, page, way)).await
    }
}

/// An unattended script gets an error that names the alternatives, before it waits in vain.
fn check_somebody_comes(context: &Context, way: WayArgs) -> Result<()> {
    let way_was_named = way.browser || way.no_browser || way.device;
    policy::may_wait_for_page(context.facts, context.no_input(), way_was_named).map_err(|why| {
        Error::usage(format!("Signing in on a page needs a person, and {}.", why.reason())).hint(
            [
                Hint::say(
                    "In a script: ORDERSYNC_TOKEN, or `ordersync auth login --with-token`, or --client-credentials for a back end.",
                ),
                Hint::run("Where a person does come to the page (or with --device)", "ordersync auth login --browser"),
            ],
        )
    })
}

async fn identity(context: &Context, arguments: &LoginArgs) -> Result<Identity> {
    let sign_in = &context.settings.sign_in;
    let client_id = arguments.client_id.clone().unwrap_or_else(|| sign_in.client_id.value.clone());
    // The command line's own client has no secret; one that is lying about is another client's.
    let is_own = client_id == CLIENT_ID;
    let client_secret = if is_own { None } else { client_secret(context, &arguments.client_secret).await? };
    Ok(Identity { client_id, client_secret })
}

/// The client's secret, if one was given: by flag, by variable, in the profile.
pub(super) async fn client_secret(context: &Context, arguments: &ClientSecretArgs) -> Result<Option<SecretString>> {
    match (&arguments.client_secret_file, &context.settings.sign_in.client_secret) {
        (Some(path), _) => context.secret(&SecretSource::File(path.clone())).await.map(Some),
        (None, Some(source)) => context.secret(&source.value).await.map(Some),
        (None, None) => Ok(None),
    }
}

fn show(context: &Context, page: &url::Url, way: WayArgs) {
    let output = &context.output;
    let opens = policy::opens_browser(context.facts, !way.no_browser);
    if opens && browser::open(page, context.environment.get(&env::BROWSER)) {
        output.announce("Sign in on the page that has opened in your browser. If none has, open:");
    } else {
        output.announce("Open this page in a browser on this machine, and sign in there:");
    }
    output.announce(format!("  {page}"));
    if !opens {
        output.note(Hint::run("Is the browser on another machine?", context.command("auth login --device")));
    }
}

fn instruct(context: &Context, what: &device::Instructions<'_>) {
    let output = &context.output;
    output.announce(format!("On any device, open:  {}", what.address));
    output.announce(format!("and enter the code:   {}", what.code));
    if let Some(address) = what.address_with_code {
        output.announce(format!("or open:              {address}"));
    }
    output.note(format!("Waiting, for at most {} minutes …", minutes(what.time)));
}

fn minutes(time: Duration) -> u64 {
    time.as_secs().div_ceil(60)
}
