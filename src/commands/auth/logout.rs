//! `ordersync auth logout`.

use super::remote;
use crate::auth::oauth;
use crate::auth::session::blocking;
use crate::auth::store::Found;
use crate::cli::auth::LogoutArgs;
use crate::complete::cache::Known;
use crate::config::sign_in::SecretSource;
use crate::context::Context;
use crate::error::Result;
use crate::output::Mark;

/// Revokes what is kept, then forgets it.
///
/// # Errors
/// Where the service cannot be told; then nothing is forgotten, so that it can be tried again.
pub(super) async fn run(context: &Context, arguments: &LogoutArgs) -> Result<()> {
    let remote = remote(context)?;
    let vault = context.vault(remote);
    let found = blocking(move || vault.load()).await?;
    let service = &remote.base_url.value;
    let Found::Record(record, place) = found else {
        if let Found::Unknown(why) = found {
            context.output.announce(&format!("! The system's keyring cannot be read ({why})."));
        }
        context.output.note(&format!("Nobody is signed in at {service}."));
        return Ok(());
    };
    let is_revocable = record.revocation_endpoint.is_some();
    if is_revocable && !arguments.local {
        let configured = context.settings.sign_in.client_secret.as_ref();
        let secret = configured.map(|secret| SecretSource::read(&secret.value)).transpose()?;
        let http = context.http(remote)?;
        oauth::revoke(&http, &record, secret).await.map_err(|error| {
            error.hint(format!(
                "Nothing is forgotten yet; try again.\nTo forget it here alone: {}",
                context.command("auth logout --local")
            ))
        })?;
    }
    context.remember(|known| *known = Known::default());
    let (vault, found_at) = (context.vault(remote), place.clone());
    blocking(move || vault.delete(&found_at)).await?;
    context.output.marked_note(Mark::Good, &format!("Signed out at {service}; nothing is left in {place}."));
    if !is_revocable || arguments.local {
        context.output.note("The service was not told: the tokens stay good until they end by themselves.");
    }
    if remote.token.is_some() {
        context.output.note("ORDERSYNC_TOKEN is set, and is used still.");
    }
    Ok(())
}
