//! `ordersync link-token` and `ordersync users`: what a client's back end does, which shows the client's secret.

use ordersync_api::share::{EXTERNAL_USER_ID_LENGTH, LinkTokenRequest};
use secrecy::SecretString;

use crate::auth::session::blocking;
use crate::auth::store::{Found, trimmed};
use crate::cli::link_token::{LinkTokenArgs, LinkTokenCommand};
use crate::cli::shared::ClientSecretArgs;
use crate::cli::users::{ShareArgs, UsersArgs, UsersCommand};
use crate::config::Target;
use crate::config::sign_in::SecretSource;
use crate::context::Context;
use crate::env;
use crate::error::{Error, Result};
use crate::hint::Hint;
use crate::output::people::time;
use crate::output::table::{Column, Table};
use crate::secret_file;

/// Creates a link token and prints it alone, so that `$(…)` takes it.
pub(super) async fn link_token(context: &Context, arguments: LinkTokenArgs) -> Result<()> {
    let LinkTokenCommand::Create(arguments) = arguments.command;
    let length = arguments.external_user_id.chars().count();
    if !(1..=EXTERNAL_USER_ID_LENGTH).contains(&length) {
        return Err(Error::usage(format!(
            "--external-user-id has {length} characters; 1 to {EXTERNAL_USER_ID_LENGTH} are possible."
        )));
    }
    refuse_here(context)?;
    let secret = client_secret(context, &arguments.client_secret).await?;
    let request = LinkTokenRequest { external_user_id: arguments.external_user_id };
    let created = context.client().await?.create_link_token(&request, secret.as_ref()).await?;
    if context.output.shown(&created)? {
        return Ok(());
    }
    context.output.line(&created.link_token)?;
    let until = time(Some(&created.expires_at));
    context.output.note(format!("It opens the widget for \"{}\" until {until}.", created.external_user_id));
    Ok(())
}

/// Shows what a user shares.
///
/// # Errors
///
/// If nobody is bound to the link token, or the service cannot be reached or refuses.
pub(super) async fn users(context: &Context, arguments: UsersArgs) -> Result<()> {
    let UsersCommand::Share(arguments) = arguments.command;
    refuse_here(context)?;
    let token = link_token_of(context, &arguments).await?;
    let secret = client_secret(context, &arguments.client_secret).await?;
    let share = context.client().await?.share(token.as_ref(), secret.as_ref()).await?;
    if context.output.shown(&share)? {
        return Ok(());
    }
    context.output.note(format!("\"{}\" is user {}.", share.external_user_id, share.user_id));
    if share.connections.is_empty() {
        context.output.note("Nothing is shared yet: the user shares connections in the widget.");
        return Ok(());
    }
    let mut table = Table::new(&[
        Column::whole("CONNECTION").optional(0),
        Column::text("RETAILER"),
        Column::state("STATUS"),
        Column::whole("LAST SYNC").optional(1),
    ]);
    for connection in &share.connections {
        let retailer = connection.display_name.clone();
        table.row([
            connection.connection_id.to_string(),
            retailer.unwrap_or_else(|| format!("Retailer {}", connection.retailer_id)),
            connection.status.to_string(),
            time(connection.last_sync_at.as_ref()),
        ]);
    }
    context.output.table(&table)
}

/// The service inside the command has no client with a back end, and no user of one.
fn refuse_here(context: &Context) -> Result<()> {
    if !context.is_local() {
        return Ok(());
    }
    Err(Error::usage("The service inside this command has no clients, so nobody could use a link token.").hint([
        Hint::run("Start a service that has", "ordersync serve --sandbox --listen 127.0.0.1:8080"),
        Hint::run("then open its widget, without a secret", "ordersync widget open --base-url http://127.0.0.1:8080"),
    ]))
}

/// If there is none, the service says what it needs.
async fn link_token_of(context: &Context, arguments: &ShareArgs) -> Result<Option<SecretString>> {
    match arguments.link_token.as_deref() {
        Some("-") => {
            let read = || secret_file::read_text(std::io::stdin().lock(), "standard input");
            let text = context.read("standard input", read).await?;
            if text.trim().is_empty() {
                return Err(Error::usage("Standard input holds no link token."));
            }
            Ok(Some(trimmed(&text)))
        }
        Some(token) => Ok(Some(trimmed(token))),
        None => Ok(context.environment.get(&env::LINK_TOKEN).map(trimmed)),
    }
}

/// The client's secret: by flag, by variable, in the profile, or the one that was kept at the sign-in.
pub(super) async fn client_secret(context: &Context, arguments: &ClientSecretArgs) -> Result<Option<SecretString>> {
    if let Some(path) = &arguments.client_secret_file {
        return context.secret(&SecretSource::File(path.clone())).await.map(Some);
    }
    if let Some(source) = &context.settings.sign_in.client_secret {
        return context.secret(&source.value).await.map(Some);
    }
    let Target::Remote(remote) = &context.settings.target else { return Ok(None) };
    let vault = context.vault(remote);
    match blocking(move || vault.load()).await? {
        Found::Record(record, _) => Ok(record.client_secret),
        Found::Nothing | Found::Unknown(_) => Ok(None),
    }
}
