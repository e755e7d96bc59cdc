//! `ordersync link-token`: what a client's back end does before it shows the widget.

use ordersync_api::share::{EXTERNAL_USER_ID_LENGTH, LinkTokenRequest};

use super::shared::back_end::{client_secret, refuse_here};
use crate::cli::link_token::{LinkTokenArgs, LinkTokenCommand};
use crate::context::Context;
use crate::errors::{Error, Result};
use crate::output::human::time;

/// Creates a link token and prints it alone, so that `$(…)` takes it.
pub(super) async fn run(context: &Context, arguments: LinkTokenArgs) -> Result<()> {
    let LinkTokenCommand::Create(arguments) = arguments.command;
    let length = arguments.external_user_id.chars().count();
    if !(1..=EXTERNAL_USER_ID_LENGTH).contains(&length) {
        return Err(Error::usage(format!(
            "--external-user-id has {length} characters; 1 to {EXTERNAL_USER_ID_LENGTH} are possible."
        )));
    }
    refuse_here(context)?;
    let secret = client_secret(context, &arguments.client_secret).await?;
    let request = LinkTokenRequest { external_user_id: arguments.external_user_id, return_url: arguments.return_url };
    let created = context.client().await?.create_link_token(&request, secret.as_ref()).await?;
    if context.output.shown(&created)? {
        return Ok(());
    }
    context.output.line(&created.link_token)?;
    let until = time(Some(&created.expires_at));
    context.output.note(format!("It opens the widget for \"{}\" until {until}.", created.external_user_id));
    Ok(())
}
