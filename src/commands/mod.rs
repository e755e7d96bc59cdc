//! What each command does; mirrors [`crate::cli`].

mod admin;
mod api;
mod auth;
pub(crate) mod completions;
pub(crate) mod config;
mod connect;
mod connections;
mod demo;
pub(crate) mod doctor;
mod fix;
pub(crate) mod help;
mod import;
mod link_token;
mod mfa;
pub(crate) mod open;
mod orders;
mod overview;
mod profile;
pub(crate) mod profiles;
pub(crate) mod result_schema;
mod retailers;
mod sandbox;
pub(crate) mod serve;
mod sessions;
mod shared;
mod smoke;
mod sync;
mod users;
pub(crate) mod widget;

use crate::cli::Command;
use crate::context::Context;
use crate::errors::Result;

/// Carries out a command; without one, says where the user stands.
pub(crate) async fn run(context: &Context, command: Option<Command>) -> Result<()> {
    let Some(command) = command else { return overview::run(context).await };
    match command {
        Command::Retailers(arguments) => retailers::run(context, arguments).await,
        Command::Connect(arguments) => Box::pin(connect::run(context, arguments)).await,
        Command::Connections(arguments) => Box::pin(connections::run(context, arguments)).await,
        Command::Fix(arguments) => Box::pin(fix::run(context, arguments)).await,
        Command::Sync(arguments) => Box::pin(sync::run(context, arguments)).await,
        Command::Sessions(arguments) => Box::pin(sessions::run(context, arguments)).await,
        Command::Import(arguments) => Box::pin(import::run(context, arguments)).await,
        Command::Mfa(arguments) => Box::pin(mfa::run(context, arguments)).await,
        Command::Orders(arguments) => Box::pin(orders::run(context, arguments)).await,
        Command::Open(arguments) => Box::pin(open::run(context, &arguments)).await,
        Command::Auth(arguments) => Box::pin(auth::run(context, arguments)).await,
        Command::Profile(_) => profile::run(context).await,
        Command::LinkToken(arguments) => link_token::run(context, arguments).await,
        Command::Users(arguments) => users::run(context, arguments).await,
        Command::Widget(arguments) => Box::pin(widget::run(context, arguments)).await,
        Command::Api(arguments) => Box::pin(api::run(context, arguments)).await,
        Command::Profiles(arguments) => {
            profiles::run(&context.output, context.flags(), &context.environment, arguments)
        }
        Command::Config(arguments) => config::run(&context.output, context.flags(), &context.environment, arguments),
        Command::Admin(arguments) => Box::pin(admin::run(context, arguments)).await,
        Command::Serve(arguments) => Box::pin(serve::run(context, arguments)).await,
        Command::Sandbox(arguments) => Box::pin(sandbox::run(context, arguments)).await,
        Command::Demo(arguments) => Box::pin(demo::run(context, arguments)).await,
        Command::Doctor(arguments) => Box::pin(doctor::run(context, &arguments)).await,
        Command::Smoke(arguments) => Box::pin(smoke::run(context, arguments)).await,
        Command::Completions(arguments) => completions::run(&context.output, &arguments),
        // Answered before there are surroundings.
        Command::Help(_) | Command::Version(_) => Ok(()),
    }
}
