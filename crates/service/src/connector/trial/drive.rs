//! Drives a connector through a trial, as the engine drives it through a sync.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use ordersync_api::SyncErrorCode;
use ordersync_api::seal::Credentials;
use ordersync_values::zone::Tz;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::Instant;

use super::{AnswersChallenge, LIST_PAGES, ORDERS, Trial, options};
use crate::clock::{Clock as _, SystemClock};
use crate::connector::kit::check::REMEDY;
use crate::connector::sent::SentHere;
use crate::connector::{
    Challenge, Connector, ConnectorError, ConnectorState, Input, KnownOrders, Outcome, Overlap, Sample, ScanReport,
    Step, StepContext,
};
use crate::domain::order::RetailerOrder;

/// How long a step may take.
const STEP_TIME: Duration = Duration::from_secs(20);
/// How long a trial may take, without the time that a person takes for a code.
const WHOLE_TIME: Duration = Duration::from_secs(180);
/// How often a step that failed in a way that may pass is repeated.
const REPETITIONS: u32 = 2;
/// The longest wait that a shop may ask for.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// Wrong codes that are answered.
const CODES: u32 = 3;

/// Nothing is stored.
struct Nothing;

#[async_trait]
impl KnownOrders for Nothing {
    async fn fingerprints(&self, _: &[String]) -> Result<HashMap<String, String>, ConnectorError> {
        Ok(HashMap::new())
    }

    async fn longest_unread(&self, _: u32) -> Result<Vec<String>, ConnectorError> {
        Ok(Vec::new())
    }

    async fn overlap(&self, _: &[String]) -> Result<Overlap, ConnectorError> {
        Ok(Overlap::NothingStored)
    }
}

/// What a step needs that is kept from step to step.
struct Kept<'a> {
    credentials: &'a Credentials,
    session: Option<&'a ConnectorState>,
    state: Option<&'a ConnectorState>,
    sent_forms: &'a SentHere,
    sample: &'a Sample,
}

/// What comes next.
enum Next {
    Login,
    Continue,
    Choice(SecretString),
    Code(SecretString),
}

pub(super) async fn run(
    connector: &dyn Connector,
    credentials: &Credentials,
    answer: &mut (dyn AnswersChallenge + Send),
    longest_wait: Duration,
    zone: Tz,
) -> Trial {
    let (mut orders, mut kept_back) = (Vec::new(), Vec::new());
    let sample = Sample::new(ORDERS, LIST_PAGES);
    let ended = drive(connector, credentials, answer, longest_wait, &sample, (&mut orders, &mut kept_back)).await;
    match ended {
        Ok(report) => {
            let failure = (!report.found().is_empty()).then(|| report.found().join(" "));
            Trial::new(&orders, kept_back, sample.tried(), failure, zone)
        }
        Err(error) => {
            let is_unreachable = error.is_unreachable();
            let found = Some(found(error));
            Trial { is_unreachable, ..Trial::new(&orders, kept_back, (None, Vec::new()), found, zone) }
        }
    }
}

/// Reads to the end.
async fn drive(
    connector: &dyn Connector,
    credentials: &Credentials,
    answer: &mut (dyn AnswersChallenge + Send),
    longest_wait: Duration,
    sample: &Sample,
    (orders, kept_back): (&mut Vec<RetailerOrder>, &mut Vec<String>),
) -> Result<ScanReport, ConnectorError> {
    let (mut state, mut session, mut next, mut codes) =
        (None::<ConnectorState>, None::<ConnectorState>, Next::Login, 0);
    let mut until = Instant::now() + WHOLE_TIME;
    let sent_forms = SentHere::default();
    loop {
        let kept =
            Kept { credentials, session: session.as_ref(), state: state.as_ref(), sent_forms: &sent_forms, sample };
        let step = repeated(connector, &kept, &next, until).await?;
        tokio::time::sleep(step.wait.min(longest_wait)).await;
        state = Some(step.state);
        next = Next::Continue;
        match step.outcome {
            Outcome::Working => {}
            Outcome::SignedIn { session: signed_in } => session = signed_in.or(session),
            Outcome::Page(page) => {
                orders.extend(page.orders.iter().map(|order| RetailerOrder::clone(order)));
                kept_back.extend(page.kept_back.into_iter().map(|order| order.order_id));
            }
            Outcome::Done { report, .. } => {
                return Ok(report);
            }
            Outcome::Challenge(challenge) | Outcome::WrongCode(challenge) => {
                codes += 1;
                let asked = Instant::now();
                let Some(given) = ask(answer, &challenge, codes).await else {
                    let found = "The shop asks for a verification code, and there is none.";
                    return Err(ConnectorError::new(SyncErrorCode::MfaFailed).with_message(found));
                };
                until += asked.elapsed();
                next = if options(&challenge).is_empty() { Next::Code(given) } else { Next::Choice(given) };
            }
        }
    }
}

/// What was found, without advice on a sync.
fn found(error: ConnectorError) -> String {
    error.message.strip_suffix(REMEDY).map_or(error.message.clone(), |found| found.trim_end().to_owned())
}

async fn ask(answer: &mut (dyn AnswersChallenge + Send), challenge: &Challenge, codes: u32) -> Option<SecretString> {
    if codes > CODES + 1 { None } else { answer.answer(&challenge.prompt, &options(challenge)).await }
}

/// Takes a step, again if that may help.
async fn repeated(
    connector: &dyn Connector,
    kept: &Kept<'_>,
    next: &Next,
    until: Instant,
) -> Result<Step, ConnectorError> {
    let mut attempt = 0;
    loop {
        let context = StepContext {
            now: SystemClock::default().now(),
            attempt,
            connection_id: "trial",
            credentials: kept.credentials,
            session: kept.session.map(|session| session.as_slice()),
            known: &Nothing,
            sent_forms: kept.sent_forms,
            shared_queue: None,
            full: true,
            other_account: false,
            sample: Some(kept.sample),
            invented: None,
            until: Instant::now() + STEP_TIME,
        };
        let input = match next {
            Next::Login => Input::Login,
            Next::Continue => Input::Continue,
            Next::Choice(id) => Input::MfaChoice(id.expose_secret()),
            Next::Code(code) => Input::MfaCode(code),
        };
        let error = match connector.step(&context, kept.state.cloned(), input).await {
            Ok(step) => return Ok(step),
            Err(error) => error,
        };
        let wait = error.retry_after.unwrap_or(Duration::from_millis(500));
        let is_hopeless = !error.transient || (attempt >= REPETITIONS && !error.paced) || wait > LONGEST_WAIT;
        if is_hopeless || Instant::now() + wait > until {
            return Err(error);
        }
        tokio::time::sleep(wait).await;
        attempt += u32::from(!error.paced);
    }
}
