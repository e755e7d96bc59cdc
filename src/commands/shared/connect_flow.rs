//! Credentials typed, sent, and followed. A person whose credentials the retailer refuses types them again at once; a
//! script gets an error, and ends.

use std::collections::BTreeMap;

use ordersync_api::{ConnectMode, ErrorCode, Retailer};

use super::{credentials, run_sync, sync_report};
use crate::cli::shared::ConnectOptions;
use crate::context::Context;
use crate::errors::{Advice, Hint, Result};

/// How often credentials are typed: more may lock the account.
const ATTEMPTS: usize = 3;

/// Connects a retailer, or repairs its connection. `kept` is what to say if it is interrupted before anything is sent.
pub(crate) async fn run(
    context: &Context,
    retailer: &Retailer,
    mut mode: ConnectMode,
    means: &ConnectOptions,
    kept: Advice,
) -> Result<()> {
    let client = context.client().await?;
    let arguments = &means.credentials;
    let are_typed = !arguments.are_given();
    let mut typed = BTreeMap::new();
    context.if_broken_off(kept);
    for left in (0..ATTEMPTS).rev() {
        let credentials = credentials::get(context, retailer, arguments, &mut typed).await?;
        let see = Hint::run("See", context.command("sessions"));
        context.if_broken_off([Hint::say("It may have been sent already."), see]);
        let sent = credentials::send(client, retailer.retailer_id, mode, &credentials).await;
        drop(credentials);
        let was_busy = sent.as_ref().is_err_and(|error| error.is(ErrorCode::SyncInProgress));
        let followed = run_sync::followed(context, client, sent, &means.mfa, means.wait).await;
        if was_busy {
            // What was followed is a sync with the credentials of before, however it ended.
            let fix = context.command(["fix", "--retailer", &retailer.retailer_id.to_string()]);
            let text = "The credentials that you gave were not used: a sync was running. To use them";
            context.output.warn(Hint::run(text, fix));
        }
        let Some(session) = followed? else { return Ok(()) };
        match sync_report::refusal(&session) {
            Some(refusal) if left > 0 && are_typed && context.prompt.is_possible() => {
                context.output.announce(format!("{refusal} Type them again (Ctrl-C cancels)."));
            }
            _ => return sync_report::conclude(context, &session),
        }
        // The service has the connection already, as one that is invalid.
        mode = ConnectMode::Fix;
        let fix = context.command(["fix", "--retailer", &retailer.retailer_id.to_string()]);
        let repair = Hint::run("Repair the connection", fix);
        context.if_broken_off([Hint::say("The retailer refused the credentials."), repair]);
    }
    Ok(())
}
