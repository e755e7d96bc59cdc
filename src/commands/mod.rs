//! What each command does; mirrors [`crate::cli`].

pub mod completions;
mod connect;
mod connections;
mod credentials;
mod demo;
mod fix;
mod mfa;
mod orders;
mod outcome;
mod resolve;
mod retailers;
mod sandbox;
pub mod serve;
mod sessions;
mod started;
mod sync;

use crate::cli::Command;
use crate::context::Context;
use crate::error::Result;

/// Carries out a command.
///
/// # Errors
/// What the command fails with.
pub async fn run(context: &Context, command: Command) -> Result<()> {
    match command {
        Command::Retailers(arguments) => retailers::run(context, arguments).await,
        Command::Connect(arguments) => Box::pin(connect::run(context, arguments)).await,
        Command::Connections(arguments) => connections::run(context, arguments).await,
        Command::Fix(arguments) => Box::pin(fix::run(context, arguments)).await,
        Command::Sync(arguments) => Box::pin(sync::run(context, arguments)).await,
        Command::Sessions(arguments) => Box::pin(sessions::run(context, arguments)).await,
        Command::Mfa(arguments) => Box::pin(mfa::run(context, arguments)).await,
        Command::Orders(arguments) => Box::pin(orders::run(context, arguments)).await,
        Command::Serve(arguments) => Box::pin(serve::run(context, arguments)).await,
        Command::Sandbox(arguments) => sandbox::run(context, arguments).await,
        Command::Demo(arguments) => Box::pin(demo::run(context, arguments)).await,
        Command::Completions(arguments) => completions::run(&context.output, &arguments),
    }
}
