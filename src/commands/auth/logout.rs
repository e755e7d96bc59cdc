//! `ordersync auth logout`.

use std::sync::Arc;

use super::remote;
use crate::auth::store::Loaded;
use crate::auth::token_provider::blocking;
use crate::auth::{StoredToken, oauth};
use crate::cli::auth::LogoutArgs;
use crate::complete::cache::KnownNames;
use crate::config::Remote;
use crate::context::Context;
use crate::errors::{Hint, Result};
use crate::output::Mark;

/// Revokes the stored sign-in, then forgets it. If the service cannot be informed, nothing is deleted, so the command
/// can be repeated.
pub(super) async fn run(context: &Context, arguments: &LogoutArgs) -> Result<()> {
    let remote = remote(context)?;
    let sign_in_store = Arc::new(context.sign_in_store(remote));
    let (found, copies) = {
        let sign_in_store = Arc::clone(&sign_in_store);
        blocking(move || Ok((sign_in_store.load()?, sign_in_store.copies()))).await?
    };
    let service = &remote.base_url.value;
    let unknown = if let Loaded::Unknown(why) = &found { Some(why.clone()) } else { None };
    if copies.is_empty() && unknown.is_none() {
        context.output.note(format!("Nobody is signed in at {service}."));
        return Ok(());
    }
    let mut is_told = !copies.is_empty();
    for record in &copies {
        if record.revocation_endpoint.is_none() || arguments.local {
            is_told = false;
            continue;
        }
        revoke(context, remote, record).await?;
    }
    context.remember(|known| *known = KnownNames::default());
    let unreachable = blocking(move || sign_in_store.delete()).await?;
    match &found {
        Loaded::SignIn(_, place) => {
            let text = format!("Signed out at {service}, and deleted the sign-in in {place}.");
            context.output.marked_note(Mark::Good, &text);
        }
        _ => context.output.marked_note(Mark::Good, format!("Signed out at {service}.")),
    }
    if let Some(why) = unreachable.or(unknown) {
        context.output.announce(format!(
            "! The system's keyring could not be reached ({why}). If an older sign-in is in it, ordersync will not use it, and \
             deletes it when the keyring answers; the service has not ended it."
        ));
    }
    if !is_told && !copies.is_empty() {
        context.output.note("The service was not notified: the tokens stay valid until they expire.");
    }
    if remote.token.is_some() {
        context.output.note("ORDERSYNC_TOKEN is still set, and is still used.");
    }
    Ok(())
}

async fn revoke(context: &Context, remote: &Remote, record: &StoredToken) -> Result<()> {
    let secret = match &context.settings.sign_in.client_secret {
        Some(source) => Some(context.secret(&source.value).await?),
        None => None,
    };
    let http = context.http(remote)?;
    oauth::revoke(&http, record, secret).await.map_err(|error| {
        error.hint([
            Hint::say("Nothing is forgotten yet; try again."),
            Hint::run("To forget it here alone", context.command("auth logout --local")),
        ])
    })
}
