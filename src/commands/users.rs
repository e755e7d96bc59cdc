//! `ordersync users`: what a user shares with a client, as the client's back end sees it.

use secrecy::SecretString;

use super::shared::back_end::{client_secret, refuse_here};
use crate::auth::store::trimmed;
use crate::cli::users::{ShareArgs, UsersArgs, UsersCommand};
use crate::context::Context;
use crate::env;
use crate::errors::{Error, Result};
use crate::input;
use crate::output::human::time;
use crate::output::table::{Column, Table};

/// Shows what a user shares.
pub(super) async fn run(context: &Context, arguments: UsersArgs) -> Result<()> {
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

/// If there is none, the service says what it needs.
async fn link_token_of(context: &Context, arguments: &ShareArgs) -> Result<Option<SecretString>> {
    match arguments.link_token.as_deref() {
        Some("-") => {
            let text = context.read("standard input", input::text).await?;
            if text.trim().is_empty() {
                return Err(Error::usage("Standard input holds no link token."));
            }
            Ok(Some(trimmed(&text)))
        }
        Some(token) => Ok(Some(trimmed(token))),
        None => Ok(context.environment.get(&env::LINK_TOKEN).map(trimmed)),
    }
}
