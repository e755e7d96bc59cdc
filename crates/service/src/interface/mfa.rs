//! Answers to a retailer's MFA request.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use ordersync_api::mfa::{MfaAccepted, folded_code};
use ordersync_api::{ErrorCode, Extra, MfaEventType};

use crate::app::App;
use crate::http::fields::Fields;
use crate::http::problem::Answered;
use crate::http::scoped::{AccountsConnect, Mutation};
use crate::http::{Problem, idempotency};
use crate::store::accounts::idempotency::Answer;
use crate::store::syncs::mfa::{AnswerOutcome, MfaLookup, PendingMfa};
use crate::sync::MfaAnswer;

/// The longest code that any retailer sends.
const CODE_LENGTH: usize = 64;

/// POST /sync/mfa
pub(crate) async fn submit(State(app): State<Arc<App>>, mutation: Mutation<AccountsConnect>) -> Answered<Response> {
    let (caller, fields) = (&mutation.caller, mutation.fields()?);
    let req_id = fields.text("reqId")?;
    let event_type: MfaEventType = fields.word("eventType")?;
    let given = given(&fields, event_type)?;
    let pending = match app.store.mfa_request(caller, req_id).await? {
        MfaLookup::Pending(pending) => pending,
        MfaLookup::Expired => {
            return Ok(idempotency::first_or(&app, mutation.key.as_ref(), caller, expired()).await);
        }
        MfaLookup::Absent => return Err(Problem::not_found("MFA request", req_id)),
    };
    fits(&pending, event_type, &given)?;
    let connecting =
        app.catalog.get(pending.retailer_id).map(|entry| entry.connector.limits()).unwrap_or_default().connecting;
    let sealed = given.seal(&app.keys, &pending.part_id)?;
    let accepted = MfaAccepted { batch_id: Some(pending.batch_id), extra: Extra::new() };
    let body = serde_json::to_vec(&accepted).map_err(|error| Problem::internal(error.to_string()))?;
    let answer = Answer { status: 202, body };
    let kept = (mutation.key.as_ref(), &answer);
    match app.store.answer_mfa(caller, req_id, &sealed, caller.now + connecting, kept).await? {
        AnswerOutcome::Taken => {
            app.engine.wake();
            Ok(idempotency::json_response(&answer))
        }
        AnswerOutcome::Expired => Err(expired()),
        AnswerOutcome::AnsweredMeanwhile => {
            Ok(idempotency::answered_meanwhile(&app, mutation.key.as_ref(), caller).await)
        }
    }
}

fn given(fields: &Fields, event_type: MfaEventType) -> Answered<MfaAnswer> {
    match event_type {
        MfaEventType::Choose => Ok(MfaAnswer::Choice(fields.text("selectedOption")?.to_owned())),
        MfaEventType::Enter => {
            let code = folded_code(fields.text("otpValue")?);
            if !(1..=CODE_LENGTH).contains(&code.len()) {
                return Err(Problem::invalid("otpValue", format!("otpValue has to be 1 to {CODE_LENGTH} characters.")));
            }
            Ok(MfaAnswer::Code(code))
        }
    }
}

/// Whether the answer fits the question.
fn fits(pending: &PendingMfa, event_type: MfaEventType, given: &MfaAnswer) -> Answered<()> {
    if pending.kind != event_type {
        let message = format!("This request asks to {}, not to {event_type}.", pending.kind);
        return Err(Problem::invalid("eventType", message));
    }
    match given {
        MfaAnswer::Choice(option) if !pending.options.contains(option) => {
            let options = pending.options.join(", ");
            Err(Problem::invalid("selectedOption", format!("selectedOption has to be one of {options}.")))
        }
        _ => Ok(()),
    }
}

fn expired() -> Problem {
    let message = "This MFA request was answered already, or has expired. The session's events hold the newest one.";
    Problem::new(ErrorCode::MfaRequestExpired, message)
}
