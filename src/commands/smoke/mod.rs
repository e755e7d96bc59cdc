//! `ordersync smoke`: an environment checked end to end. Each check says what it expected and what it found; one that
//! fails stops no other that does not need it. Reads only, unless a retailer is to be connected.

mod connect;
mod contract;
mod junit;
mod orders;

use std::future::Future;
use std::time::Instant;

use ordersync_api::{Connection, ErrorCode, List, Profile, Retailer, Session, SessionStatus};
use reqwest::header::WWW_AUTHENTICATE;
use secrecy::SecretString;

use super::shared::diagnostics::{Check, CheckReport};
use crate::auth::GrantType;
use crate::auth::metadata::Metadata;
use crate::cli::smoke::SmokeArgs;
use crate::client::Client;
use crate::client::endpoints::Operation;
use crate::client::rate_limit_headers::RateLimitHeaders;
use crate::client::request::Call;
use crate::client::wire::Reply;
use crate::config::Target;
use crate::context::Context;
use crate::errors::{Error, Exit, Hint, Result};
use crate::export::target::FileTarget;
use crate::output::human::counted;
use contract::{BodyKind, CheckResult, Fault};

/// An id that nothing has.
const NOWHERE: &str = "smoke-no-such-id";
/// A token that is none.
const WRONG_TOKEN: &str = "smoke-wrong-token";
/// The checks that need a user's token.
const OF_USER: [&str; 6] = ["profile", "connections", "sessions", "orders", "orders-csv", "error-shape"];

/// Checks the environment.
pub(super) async fn run(context: &Context, arguments: SmokeArgs) -> Result<()> {
    if arguments.connect.is_none() && arguments.credentials.are_given() {
        return Err(Error::usage("Credentials are for --connect ID|NAME; without it, smoke only reads."));
    }
    if arguments.require_remote && context.is_local() {
        return Err(Error::usage(
            "--require-remote: there is no address, so the service inside this command would be checked.",
        )
        .hint([
            Hint::say("Give the address: ORDERSYNC_BASE_URL, --base-url URL or --profile NAME"),
            Hint::run("See where settings come from", "ordersync config list"),
        ]));
    }
    // Before anything is asked of the service: a place that cannot be written is known at once.
    let junit = arguments.junit.as_deref().map(FileTarget::create).transpose()?;
    let mut report = CheckReport::new(&context.output);
    let began = Instant::now();
    match context.client().await {
        Ok(client) => {
            let mut probe = Probe { context, client, token: None, rate_limits: Vec::new() };
            Box::pin(probe.everything(&arguments, &mut report)).await?;
        }
        Err(error) => report.add(Check::of_error("reachable", &error))?,
    }
    if let Some(file) = junit {
        junit::write(file.writer()?, report.checks(), began.elapsed())?;
        file.commit()?;
    }
    report.finish()
}

struct Probe<'a> {
    context: &'a Context,
    client: &'a Client,
    token: Option<SecretString>,
    /// What the answers to the user's requests stated about the rate limit.
    rate_limits: Vec<Option<RateLimitHeaders>>,
}

impl Probe<'_> {
    async fn everything(&mut self, arguments: &SmokeArgs, report: &mut CheckReport) -> Result<()> {
        let began = Instant::now();
        let catalog = self.client.observe(&Call::new(Operation::RetailersList)?, None).await;
        let catalog = match catalog {
            Err(error) => {
                report.add(Check::of_error("reachable", &error).took(began.elapsed()))?;
                let rest = ["catalog", "authorization-server", "sign-in"].into_iter().chain(OF_USER);
                return rest
                    .chain(["wrong-token", "rate-limit"])
                    .try_for_each(|check| report.add(Check::skipped(check, "the service cannot be reached")));
            }
            Ok(reply) => {
                let local = self.context.is_local();
                let place = if local { "the service inside this command" } else { self.client.base().as_str() };
                report.add(Check::ok("reachable", format!("{place} answers")).took(began.elapsed()))?;
                reply
            }
        };
        done(report, "catalog", async { retailers(&catalog) }).await?;
        done(report, "authorization-server", self.metadata()).await?;
        let blocked = self.sign_in(report).await?;
        match blocked {
            Some(why) => OF_USER.into_iter().try_for_each(|check| report.add(Check::skipped(check, why)))?,
            None => self.of_user(report).await?,
        }
        done(report, "wrong-token", self.wrong_token()).await?;
        let stated = std::mem::take(&mut self.rate_limits);
        done(report, "rate-limit", async { rate_limit(&stated) }).await?;
        if let Some(wanted) = &arguments.connect {
            match blocked {
                Some(why) => {
                    connect::CHECKS.into_iter().try_for_each(|check| report.add(Check::skipped(check, why)))?;
                }
                None => Box::pin(connect::run(self.context, self.client, wanted, arguments, report)).await?,
            }
        }
        Ok(())
    }

    /// An answer to the user, whatever it is.
    async fn ask(&mut self, call: Call) -> Result<Reply> {
        let reply = self.client.observe(&call, self.token.as_ref()).await?;
        self.rate_limits.push(RateLimitHeaders::read(&reply.headers));
        Ok(reply)
    }

    async fn metadata(&self) -> CheckResult {
        let address = self.client.address(Metadata::PATH)?;
        let reply = self.client.observe(&Call::path(reqwest::Method::GET, address)?, None).await?;
        contract::holds(&reply, 200, BodyKind::Json)?;
        let metadata: Metadata = contract::json(&reply, "the metadata of an authorization server")?;
        metadata.check(self.client.base())?;
        if self.context.is_local() {
            // Its port differs each time, so the reader cannot use it.
            return Ok("the service inside this command gives out tokens".to_owned());
        }
        Ok(format!("{} gives out tokens", metadata.token_endpoint))
    }

    /// Why what belongs to a user cannot be read, if it cannot.
    async fn sign_in(&mut self, report: &mut CheckReport) -> Result<Option<&'static str>> {
        let began = Instant::now();
        let refused = "there is no sign-in that the service accepts";
        match self.client.access_token().await {
            Ok(Some(token)) => self.token = Some(token),
            Ok(None) => {
                let check = Check::failed("sign-in", Exit::SignIn, "expected a sign-in, found none");
                report.add(check.hint(self.client.token_advice()).took(began.elapsed()))?;
                return Ok(Some(refused));
            }
            Err(error) => {
                report.add(Check::of_error("sign-in", &error).took(began.elapsed()))?;
                return Ok(Some(refused));
            }
        }
        let verdict = self.accepted().await;
        let is_accepted = verdict.is_ok();
        report.add(contract::told("sign-in", verdict).took(began.elapsed()))?;
        match (is_accepted, self.is_client_alone().await?) {
            (false, _) => Ok(Some(refused)),
            (true, true) => Ok(Some("signed in as a client, which has no user; set ORDERSYNC_TOKEN to a user's token")),
            (true, false) => Ok(None),
        }
    }

    /// Told by whichever request is answered as the contract says: one that is broken says nothing of the token.
    async fn accepted(&mut self) -> CheckResult {
        let mut came = String::new();
        for operation in [Operation::Profile, Operation::ConnectionsList] {
            let reply = self.client.observe(&Call::new(operation)?, self.token.as_ref()).await?;
            match reply.status.as_u16() {
                401 => {
                    let fault = Fault::expected("the token to be accepted", contract::came(&reply));
                    return Err(fault.exit(Exit::SignIn).hint(self.client.token_advice()));
                }
                200 | 403 if contract::is_json(&reply) => return Ok("the service accepts the token".to_owned()),
                _ => came = contract::came(&reply),
            }
        }
        Err(Fault::expected("an answer that shows whether the token is accepted", came))
    }

    async fn is_client_alone(&self) -> Result<bool> {
        let Target::Remote(remote) = &self.context.settings.target else { return Ok(false) };
        if remote.token.is_some() {
            return Ok(false);
        }
        let kept = self.context.session(remote)?.current().await?;
        Ok(kept.is_some_and(|(record, _)| record.way == GrantType::ClientCredentials))
    }

    async fn of_user(&mut self, report: &mut CheckReport) -> Result<()> {
        done(report, "profile", self.profile()).await?;
        done(report, "connections", self.connections()).await?;
        done(report, "sessions", self.sessions()).await?;
        orders::check(self, report).await?;
        done(report, "error-shape", self.error_shape()).await
    }

    async fn profile(&mut self) -> CheckResult {
        let reply = self.ask(Call::new(Operation::Profile)?).await?;
        contract::holds(&reply, 200, BodyKind::Json)?;
        let profile: Profile = contract::json(&reply, "a profile")?;
        match &profile.phone_last4 {
            Some(phone) if phone.chars().count() > 4 => Err(Fault::expected(
                "a phone number's last 4 digits alone",
                format!("{} letters", phone.chars().count()),
            )),
            _ => Ok(format!("user {}", profile.user_id)),
        }
    }

    async fn connections(&mut self) -> CheckResult {
        let reply = self.ask(Call::new(Operation::ConnectionsList)?).await?;
        contract::holds(&reply, 200, BodyKind::Json)?;
        let connections = contract::json::<List<Connection>>(&reply, "a list of connections")?.0;
        contract::unique(connections.iter().map(|connection| connection.connection_id.as_str()), "connectionId")?;
        Ok(match connections.len() {
            1 => "1 connection".to_owned(),
            count => format!("{count} connections"),
        })
    }

    async fn sessions(&mut self) -> CheckResult {
        let reply = self.ask(Call::new(Operation::SessionsLatest)?).await?;
        if reply.status.as_u16() == 404 {
            contract::refuses(&reply, 404, ErrorCode::NotFound)?;
            return Ok("no sync yet".to_owned());
        }
        contract::holds(&reply, 200, BodyKind::Json)?;
        let session: Session = contract::json(&reply, "a sync session")?;
        let running = session
            .retailer_sync_sessions
            .iter()
            .filter(|retailer| retailer.sync_status.known().is_some_and(|status| !status.is_final()))
            .count();
        if session.status.is(&SessionStatus::Normal) && running > 0 {
            return Err(Fault::expected(
                "status \"syncing\"",
                format!("\"normal\" while {running} retailers are syncing"),
            ));
        }
        Ok(format!("latest is {}, {}", session.batch_id, session.status))
    }

    async fn error_shape(&mut self) -> CheckResult {
        let reply = self.ask(Call::new(Operation::OrdersGet)?.parameter("id", NOWHERE)).await?;
        contract::refuses(&reply, 404, ErrorCode::NotFound)?;
        Ok(format!("{} is 404 NOT_FOUND", reply.description))
    }

    async fn wrong_token(&self) -> CheckResult {
        let call = Call::new(Operation::ConnectionsGet)?.parameter("connectionId", NOWHERE);
        let reply = self.client.observe(&call, Some(&SecretString::from(WRONG_TOKEN))).await?;
        contract::refuses(&reply, 401, ErrorCode::Unauthorized)?;
        if !reply.headers.contains_key(WWW_AUTHENTICATE) {
            return Err(Fault::expected("the header WWW-Authenticate with the 401", "none"));
        }
        Ok("refused with 401 UNAUTHORIZED".to_owned())
    }
}

/// Does a check and tells it. What was not done for a reason of its own is no failure.
async fn done(report: &mut CheckReport, name: &'static str, verdict: impl Future<Output = CheckResult>) -> Result<()> {
    let began = Instant::now();
    let verdict = verdict.await;
    report.add(contract::told(name, verdict).took(began.elapsed()))
}

fn retailers(reply: &Reply) -> CheckResult {
    contract::holds(reply, 200, BodyKind::Json)?;
    let retailers = contract::json::<List<Retailer>>(reply, "a list of retailers")?.0;
    contract::unique(retailers.iter().map(|retailer| retailer.retailer_id), "retailerId")?;
    if let Some(nameless) = retailers.iter().find(|retailer| retailer.display_name.trim().is_empty()) {
        return Err(Fault::expected("a displayName of each retailer", format!("none of {}", nameless.retailer_id)));
    }
    if retailers.is_empty() {
        return Err(Fault::expected("retailers", "an empty list"));
    }
    let connectable = retailers.iter().filter(|retailer| retailer.sync_config.server_side).count();
    let listed = counted(retailers.len() as u64, "retailer");
    Ok(format!("{listed}, {connectable} of them connectable"))
}

/// The contract asks for `Retry-After` with a 429 alone; a service that tells more must not contradict itself.
fn rate_limit(answers: &[Option<RateLimitHeaders>]) -> CheckResult {
    let told: Vec<&RateLimitHeaders> = answers.iter().flatten().collect();
    let Some(first) = told.first() else {
        return Err(Fault::not_done(if answers.is_empty() {
            "no request was answered with the user's token"
        } else {
            "the service reports no limit"
        }));
    };
    if told.len() < answers.len() {
        return Err(Fault::expected(
            "rate limit headers on every answer",
            format!("them on {} of {}", told.len(), answers.len()),
        ));
    }
    if told.iter().all(|stated| stated.unlimited) {
        return Ok("the service says that it has no limit".to_owned());
    }
    for stated in &told {
        if let (Some(limit), Some(left)) = (stated.limit, stated.remaining)
            && left > limit
        {
            return Err(Fault::expected(format!("at most {limit} requests left"), left.to_string()));
        }
        if stated.limit != first.limit {
            return Err(Fault::expected(
                "the same limit on every answer",
                format!("{:?}, then {:?}", first.limit, stated.limit),
            ));
        }
    }
    let shown = |value: Option<u64>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let last = told.last().and_then(|stated| stated.remaining);
    Ok(format!("{} of {} requests are left", shown(last), shown(first.limit)))
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::of_error(&error)
    }
}
