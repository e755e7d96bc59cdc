//! `ordersync sandbox`.

use ordersync_api::sandbox::{BreakRequest, ClockRequest, ResetRequest, TokenRequest};

use crate::cli::sandbox::{ClockArgs, SandboxArgs, SandboxCommand, TokenArgs};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::Mark;

/// Carries out a verb.
///
/// # Errors
/// Where this is no sandbox, or it cannot be reached or refuses.
pub(super) async fn run(context: &Context, arguments: SandboxArgs) -> Result<()> {
    let result = match arguments.command {
        SandboxCommand::Token(arguments) => token(context, arguments).await,
        SandboxCommand::Reset(arguments) => {
            context.client().await?.sandbox_reset(&ResetRequest { all: arguments.all }).await?;
            let who = if arguments.all { "all users" } else { "the user" };
            context.output.marked_note(Mark::Good, &format!("Forgot everything of {who}."));
            Ok(())
        }
        SandboxCommand::Break { connection } => {
            let request = BreakRequest { connection_id: connection.as_str().into() };
            context.client().await?.sandbox_break(&request).await?;
            context.output.marked_note(Mark::Good, &format!("{connection} is invalid now."));
            context.output.next(&[context.command(&format!("fix {connection}"))]);
            Ok(())
        }
        SandboxCommand::Clock(arguments) => clock(context, &arguments).await,
    };
    result.map_err(|error| {
        if error.exit() == Exit::NotFound && error.hint_text().is_some() {
            error.hint("Only a sandbox has these controls: ordersync serve --sandbox")
        } else {
            error
        }
    })
}

/// Prints the token alone, so that `$(…)` takes it.
async fn token(context: &Context, arguments: TokenArgs) -> Result<()> {
    if context.is_local() {
        return Err(Error::usage("The local profile needs no token: the service ends with the command.").hint(
            "For a service that stays: ordersync serve --sandbox\n\
             then: ordersync sandbox token --base-url http://127.0.0.1:8080",
        ));
    }
    let request = TokenRequest { phone: arguments.phone, client_id: arguments.client_id, scopes: arguments.scopes };
    let response = context.client().await?.sandbox_token(&request).await?;
    if context.output.shown(&response)? { Ok(()) } else { context.output.line(&response.access_token) }
}

async fn clock(context: &Context, arguments: &ClockArgs) -> Result<()> {
    let freeze = match (arguments.freeze, arguments.unfreeze) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let request = ClockRequest { advance_seconds: arguments.advance, freeze };
    let response = context.client().await?.sandbox_clock(&request).await?;
    if context.output.shown(&response)? {
        return Ok(());
    }
    let frozen = if response.frozen { ", stopped" } else { "" };
    context.output.line(&format!("{}{frozen}", response.now))
}
