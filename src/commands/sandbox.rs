//! `ordersync sandbox`.

use ordersync_api::ErrorCode;
use ordersync_api::sandbox::{BreakRequest, ClockRequest, FailRequest, ResetRequest, TokenRequest, UnbindRequest};

use super::shared::{confirm, resolve};
use crate::cli::sandbox::{ClockArgs, FailArgs, ResetArgs, SandboxArgs, SandboxCommand, TokenArgs};
use crate::client::{Client, OrderFilter, retry};
use crate::complete::cache::KnownNames;
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result};
use crate::output::Mark;
use crate::output::human;
use crate::output::human::items;
use crate::output::table::{Column, Table};

/// Carries out a verb.
pub(super) async fn run(context: &Context, arguments: SandboxArgs) -> Result<()> {
    let result = match arguments.command {
        SandboxCommand::Token(arguments) => token(context, arguments).await,
        SandboxCommand::Reset(arguments) => reset(context, &arguments).await,
        SandboxCommand::Unbind { external_user_id, client_id } => {
            let request = UnbindRequest { external_user_id, client_id };
            let advice =
                "Give the identifier as the link token has it, and with --client-id the client that created the token.";
            let unbound = context.client().await?.sandbox_unbind(&request).await;
            unbound.map_err(|error| error.where_unknown(advice))?;
            let unbound = "Unbound. The next sign-in with a link of this identifier binds it anew.";
            context.output.marked_note(Mark::Good, unbound);
            Ok(())
        }
        SandboxCommand::Break { connection } => {
            let client = context.client().await?;
            for id in resolve::connection_ids(client, &[&connection]).await? {
                client.sandbox_break(&BreakRequest { connection_id: id.clone() }).await?;
                context.remember(|known| known.set_status(id.as_str(), "invalid"));
                context.output.marked_note(Mark::Good, format!("{id} is invalid now."));
                context.output.next(&[context.command(["fix", id.as_str()])]);
            }
            Ok(())
        }
        SandboxCommand::Clock(arguments) => clock(context, &arguments).await,
        SandboxCommand::Otp { phone } => one_time_passwords(context, &phone).await,
        SandboxCommand::Fail(arguments) => fail(context, arguments).await,
    };
    result.map_err(|error| {
        // Of the path, not of what the path leads to.
        if error.is(ErrorCode::NotFound) && error.detail("path").is_some() {
            error.hint(Hint::run("Only a sandbox has these controls", "ordersync serve --sandbox"))
        } else {
            error
        }
    })
}

/// Deletes what a user has. The data of the local profile may be somebody's own, so that it asks there; a sandbox at an
/// address is there to be reset, by scripts above all.
async fn reset(context: &Context, arguments: &ResetArgs) -> Result<()> {
    let client = context.client().await?;
    if context.is_local() && !arguments.yes && !may_delete(context, client, arguments).await? {
        return Err(Error::declined("Nothing was deleted."));
    }
    client.sandbox_reset(&ResetRequest { all: arguments.all }).await?;
    context.remember(|known| *known = KnownNames::default());
    let who = if arguments.all { "all users" } else { "the user" };
    context.output.marked_note(Mark::Good, format!("Deleted all data of {who}."));
    Ok(())
}

/// Asks whether what is there is to be deleted; if nothing is there, nobody is asked.
async fn may_delete(context: &Context, client: &Client, arguments: &ResetArgs) -> Result<bool> {
    let connections = client.connections(None).await?.len();
    let found = client.orders(&OrderFilter::default(), 1, 0).await?.total.unwrap_or_default();
    if connections == 0 && found == 0 && !arguments.all {
        return Ok(true);
    }
    let noun = if connections == 1 { "connection" } else { "connections" };
    let others = if arguments.all { ", and what other users have" } else { "" };
    let what = format!("{connections} {noun} with {}{others}", items(found));
    let again = context.command(if arguments.all { "sandbox reset --all --yes" } else { "sandbox reset --yes" });
    let instead = Advice::from(Hint::run("To delete them without being asked", again.as_str()));
    context.prompt.check(&format!("A confirmation that {what} may be deleted"), &instead)?;
    context.output.announce("What is deleted cannot be restored.");
    let kept = Advice::from([Hint::say("Nothing was deleted."), Hint::run("Delete it", again)]);
    confirm::agrees(context, &format!("Delete {what}?"), &instead, kept).await
}

/// Prints the token alone, so that `$(…)` takes it.
async fn token(context: &Context, arguments: TokenArgs) -> Result<()> {
    if context.is_local() {
        return Err(Error::usage("The local profile needs no token: the service ends with the command.").hint([
            Hint::run("For a service that stays", "ordersync serve --sandbox"),
            Hint::run("then", "ordersync sandbox token --base-url http://127.0.0.1:8080"),
        ]));
    }
    let request = TokenRequest { phone: arguments.phone, client_id: arguments.client_id, scopes: arguments.scopes };
    let response = context.client().await?.sandbox_token(&request).await?;
    if response.client_created {
        let id = request.client_id.as_deref().unwrap_or_default();
        context.output.note(format!(
            "Created the client {id}, which this sandbox did not have. Check its id if you meant another."
        ));
    }
    if context.output.shown(&response)? { Ok(()) } else { context.output.line(&response.access_token) }
}

async fn clock(context: &Context, arguments: &ClockArgs) -> Result<()> {
    let freeze = match (arguments.freeze, arguments.unfreeze) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let request = ClockRequest { advance_seconds: arguments.advance, freeze };
    let client = context.client().await?;
    let mut response = client.sandbox_clock(&request).await?;
    // The service waits for a while only; a script that reads the data next needs all of it.
    while !response.settled {
        response = client.sandbox_clock(&ClockRequest { advance_seconds: Some(0), freeze: None }).await?;
    }
    if context.output.shown(&response)? {
        return Ok(());
    }
    let frozen = if response.frozen { ", stopped" } else { "" };
    context.output.line(&format!("{}{frozen}", response.now))
}

async fn one_time_passwords(context: &Context, phone: &str) -> Result<()> {
    let sent = context.client().await?.sandbox_otp(phone).await?;
    if sent.is_empty() {
        context.output.note(format!("No one-time password was sent to {phone} yet."));
    }
    context.output.list(&sent, |sent| {
        let mut table = Table::new(&[Column::whole("OTP"), Column::whole("SENT"), Column::whole("EXPIRES")]);
        for sent in sent {
            table.row([sent.otp.clone(), human::full_time(sent.sent_at.0), human::full_time(sent.expires_at.0)]);
        }
        table
    })
}

async fn fail(context: &Context, arguments: FailArgs) -> Result<()> {
    let client = context.client().await?;
    if arguments.clear {
        client.sandbox_clear_failures(arguments.client_id.as_deref()).await?;
        context.output.marked_note(Mark::Good, "No failures are pending any more.");
        return Ok(());
    }
    let code = arguments.code.as_deref().map(str::parse::<ErrorCode>).transpose();
    let request = FailRequest {
        status: arguments.status,
        code: code.map_err(|why| Error::usage(format!("--code: {why}.")))?,
        drop: arguments.drop,
        count: arguments.count,
        client_id: arguments.client_id,
        method: arguments.method.map(|method| method.to_ascii_uppercase()),
        path: arguments.path,
        retry_after: arguments.retry_after,
        latency_ms: arguments.latency,
        after_page: arguments.after_page,
        after_bytes: arguments.after_bytes,
    };
    let failure = client.sandbox_fail(&request).await?;
    if !context.output.shown(&failure)? {
        context.output.marked_note(Mark::Good, in_words(&failure));
    }
    let status = failure.status.or_else(|| failure.code.map(ErrorCode::http_status));
    let times = status.map_or(0, retry::repetitions);
    if failure.count <= times {
        context.output.note(format!(
            "Commands repeat requests that only read up to {times} times, which hides this. To see it, give --count {}.",
            times + 1
        ));
    }
    Ok(())
}

/// What will happen, as a sentence.
fn in_words(failure: &FailRequest) -> String {
    let method = failure.method.as_ref().map_or_else(String::new, |method| format!("{method} "));
    let mut text = match failure.count {
        1 => format!("The next {method}request"),
        count => format!("The next {count} {method}requests"),
    };
    if let Some(client_id) = &failure.client_id {
        text.push_str(&format!(" of the client {client_id}"));
    }
    if let Some(path) = &failure.path {
        text.push_str(&format!(" to {path}"));
    }
    if let Some(page) = failure.after_page {
        text.push_str(&format!(" after page {page}"));
    }
    if let Some(latency) = failure.latency_ms {
        text.push_str(&format!(" will wait {latency} ms and"));
    }
    let status = failure.status.map(|status| status.to_string());
    match status.or_else(|| failure.code.map(|code| code.to_string())) {
        Some(answer) => text.push_str(&format!(" will get {answer}.")),
        None if failure.drop => match failure.after_bytes {
            Some(bytes) => text.push_str(&format!(" will lose the answer after {bytes} bytes.")),
            None => text.push_str(" will lose the answer."),
        },
        None => text.push_str(" will get the usual answer."),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_a_sentence() {
        let failure = |change: fn(&mut FailRequest)| {
            let mut failure = FailRequest { count: 1, ..FailRequest::default() };
            change(&mut failure);
            in_words(&failure)
        };
        assert_eq!(failure(|failure| failure.status = Some(503)), "The next request will get 503.");
        let lost = failure(|failure| {
            (failure.drop, failure.count, failure.after_page) = (true, 2, Some(3));
            (failure.method, failure.path) = (Some("GET".into()), Some("/sync/orders".into()));
        });
        assert_eq!(lost, "The next 2 GET requests to /sync/orders after page 3 will lose the answer.");
        let late = failure(|failure| failure.latency_ms = Some(300));
        assert_eq!(late, "The next request will wait 300 ms and will get the usual answer.");
    }
}
