//! What the commands of a client's back end have in common: they show the client's secret, and need a service with clients.

use secrecy::SecretString;

use crate::auth::store::Loaded;
use crate::auth::token_provider::blocking;
use crate::cli::shared::ClientSecretArgs;
use crate::config::Target;
use crate::config::sign_in::SecretSource;
use crate::context::Context;
use crate::errors::{Error, Hint, Result};

/// The service inside the command has no client with a back end, and no user of one.
pub(crate) fn refuse_here(context: &Context) -> Result<()> {
    if !context.is_local() {
        return Ok(());
    }
    Err(Error::usage("The service inside this command has no clients, so nobody could use a link token.").hint([
        Hint::run("Start a service that has", "ordersync serve --sandbox --listen 127.0.0.1:8080"),
        Hint::run("then open its widget, without a secret", "ordersync widget open --base-url http://127.0.0.1:8080"),
    ]))
}

/// The client's secret: by flag, by variable, in the profile, or the one that was kept at the sign-in.
pub(crate) async fn client_secret(context: &Context, arguments: &ClientSecretArgs) -> Result<Option<SecretString>> {
    if let Some(path) = &arguments.client_secret_file {
        return context.secret(&SecretSource::File(path.clone())).await.map(Some);
    }
    if let Some(source) = &context.settings.sign_in.client_secret {
        return context.secret(&source.value).await.map(Some);
    }
    let Target::Remote(remote) = &context.settings.target else { return Ok(None) };
    let sign_in_store = context.sign_in_store(remote);
    match blocking(move || sign_in_store.load()).await? {
        Loaded::SignIn(record, _) => Ok(record.client_secret),
        Loaded::Nothing | Loaded::Unknown(_) => Ok(None),
    }
}
