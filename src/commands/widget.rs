//! `ordersync widget`: a link token and the page that it opens, in one step. In a sandbox the sandbox's own client is used, so
//! that nothing has to be set up.

use ordersync_api::sandbox::{CLIENT, CLIENT_SECRET, TokenRequest};
use ordersync_api::share::{LinkToken, LinkTokenRequest};
use ordersync_api::{Open, Scope, Timestamp, hex};
use secrecy::SecretString;
use serde::Serialize;
use url::Url;

use super::shared::back_end;
use crate::auth::browser;
use crate::cli::widget::{OpenArgs, WidgetArgs, WidgetCommand};
use crate::client::endpoints::Endpoints;
use crate::config::folders::Folders;
use crate::config::sign_in::SignIn;
use crate::config::value::{Origin, Value};
use crate::config::{Remote, Settings, Target};
use crate::context::Context;
use crate::errors::{Error, Exit, Hint, Result};
use crate::files::private;
use crate::{env, local, policy};

/// One of the sandbox's users: the token is the client's in all but name, and the user of the widget is the one who
/// signs in.
const PHONE: &str = "+15550100";

/// A page that was opened.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    url: Url,
    external_user_id: String,
    expires_at: Open<Timestamp>,
    /// Whether a browser was started.
    opened: bool,
}

/// Carries out a verb.
pub(crate) async fn run(context: &Context, arguments: WidgetArgs) -> Result<()> {
    let WidgetCommand::Open(arguments) = arguments.command;
    match &context.settings.target {
        Target::Remote(remote) => open(context, remote, &arguments).await,
        Target::Local(settings) => here(context, settings.speed.value, &arguments).await,
    }
}

/// A sandbox inside the command, for as long as the command runs, on data of its own: the user who signs in on the page
/// is not the one user of the command line.
async fn here(context: &Context, speed: f64, arguments: &OpenArgs) -> Result<()> {
    if !context.prompt.is_possible() {
        return Err(Error::usage(
            "The service inside this command stops when the command ends, so nobody could use its widget.",
        )
        .hint([
            Hint::run("Start one that stays", "ordersync serve --sandbox --listen 127.0.0.1:8080"),
            Hint::run("then", "ordersync widget open --base-url http://127.0.0.1:8080"),
        ]));
    }
    let Settings { folders, .. } = &context.settings;
    private::create_private_folder(&folders.data)?;
    let home = tempfile::Builder::new()
        .prefix("widget-")
        .tempdir_in(&folders.data)
        .map_err(|why| Error::file("make a folder in", &folders.data, &why))?;
    let own = Folders { config: folders.config.clone(), ..Folders::below(home.path()) };
    let (service, base_url) = local::start_for_browsers(&own, speed).await?;
    let remote =
        Remote { base_url: Value::new(base_url, Origin::Default), token: None, endpoints: Endpoints::default() };
    // A client's secret of the surroundings is for another service.
    let settings = Settings {
        folders: own,
        sign_in: SignIn::default(),
        target: Target::Remote(Box::new(remote.clone())),
        ..context.settings.clone()
    };
    let inner = context.unattended(settings);
    let result = open(&inner, &remote, arguments).await;
    if result.is_ok() {
        context.output.announce("The service runs until you press Ctrl-C; then its data is deleted.");
        context.until_stopped().await;
    }
    service.stop().await;
    result
}

async fn open(context: &Context, remote: &Remote, arguments: &OpenArgs) -> Result<()> {
    let (link, is_sandbox) = link(context, remote, arguments).await?;
    let mut url = remote.base_url.value.clone();
    url.set_path(&format!("{}/widget", url.path().trim_end_matches('/')));
    url.query_pairs_mut().append_pair("link_token", &link.link_token);
    let wants = policy::opens_browser(context.facts, !arguments.no_browser);
    let opened = wants && browser::open(&url, context.environment.get(&env::BROWSER));
    let LinkToken { external_user_id, expires_at, .. } = link;
    let shown = Opened { url, external_user_id, expires_at, opened };
    if !context.output.shown(&shown)? {
        context.output.line(shown.url.as_str())?;
    }
    let output = &context.output;
    if opened {
        output.note("The widget has opened in your browser. If it has not, open the address above.");
    } else {
        output.note("Open this address in a browser. It is valid for one user, and for 30 minutes.");
    }
    if is_sandbox {
        output.note("Sign in with a phone from +15550100 to +15550199 and the one-time password 424242.");
        output.note("Retailers take the user name user_good, or user_mfa_enter with the code 123456; the password is pass_good.");
    }
    Ok(())
}

/// A link token, and whether it is a sandbox's own client's.
async fn link(context: &Context, remote: &Remote, arguments: &OpenArgs) -> Result<(LinkToken, bool)> {
    let client = context.client().await?;
    let return_url = arguments.return_url.clone();
    if let Some(secret) = back_end::client_secret(context, &arguments.client_secret).await? {
        let id = arguments.external_user_id.clone().ok_or_else(|| {
            Error::usage("Whose widget? Give your own id of the user: --external-user-id ID.")
                .hint(Hint::command(context.command("widget open --external-user-id u-4711")))
        })?;
        let request = LinkTokenRequest { external_user_id: id, return_url };
        return client.create_link_token(&request, Some(&secret)).await.map(|link| (link, false));
    }
    let scopes = Some(Scope::UsersShare.to_string());
    let request = TokenRequest { phone: PHONE.to_owned(), client_id: Some(CLIENT.to_owned()), scopes };
    let token = client.sandbox_token(&request).await.map_err(|error| match error.exit() {
        Exit::NotFound => Error::usage("Opening the widget of a service that is no sandbox needs the client's secret.").hint(
            "Set ORDERSYNC_CLIENT_SECRET or give --client-secret-file FILE, sign in as that client, and give --external-user-id ID.",
        ),
        _ => error,
    })?;
    let external_user_id = match &arguments.external_user_id {
        Some(id) => id.clone(),
        None => format!("widget-{}", random_word()?),
    };
    let client = context.client_with(remote, token.access_token.into())?;
    let secret = SecretString::from(CLIENT_SECRET);
    let request = LinkTokenRequest { external_user_id, return_url };
    client.create_link_token(&request, Some(&secret)).await.map(|link| (link, true))
}

/// An id that no user is bound to yet: a user who signs in with another phone than before is not refused.
fn random_word() -> Result<String> {
    let mut bytes = [0_u8; 6];
    getrandom::fill(&mut bytes)
        .map_err(|_| Error::of(&crate::errors::codes::command::SYSTEM, "The system gives no random numbers."))?;
    Ok(hex::encode(&bytes))
}
