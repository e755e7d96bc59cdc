//! `ordersync auth`.

mod login;
mod logout;
mod status;
mod token;

use crate::cli::auth::{AuthArgs, AuthCommand};
use crate::config::{Remote, Target};
use crate::context::Context;
use crate::errors::{Error, Result};

/// Carries out a verb.
pub(super) async fn run(context: &Context, arguments: AuthArgs) -> Result<()> {
    match arguments.command {
        AuthCommand::Login(arguments) => Box::pin(login::run(context, arguments)).await,
        AuthCommand::Logout(arguments) => logout::run(context, &arguments).await,
        AuthCommand::Status => status::run(context).await,
        AuthCommand::Token => token::run(context).await,
    }
}

/// The service to sign in at; the one inside the command has one user, who needs no sign-in.
fn remote(context: &Context) -> Result<&Remote> {
    match &context.settings.target {
        Target::Remote(remote) => Ok(remote),
        Target::Local(_) => {
            Err(Error::usage("The service inside this command needs no sign-in: it has one user, you.")
                .hint("Name a service: --base-url URL, or --profile NAME (ordersync profiles)"))
        }
    }
}
