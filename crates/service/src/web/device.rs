//! The device page (RFC 8628 §3.3): the signed-in user enters or confirms the code that a device shows.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::csrf;
use super::form::Form;
use super::next::Next;
use super::page::Page;
use super::purpose::{ask_to_sign_in, phone_last4};
use super::views::device::{Confirm, confirm, enter};
use super::views::message::{Ending, Message, message};
use crate::app::App;
use crate::authorization::device;
use crate::http::Problem;
use crate::http::fields::Params;
use crate::http::problem::Answered;
use crate::signin::browser::{self, BrowserUser};

/// GET /device
pub(super) async fn show(State(app): State<Arc<App>>, headers: HeaderMap, params: Params) -> Answered<Response> {
    let given = params.text("user_code")?.unwrap_or_default();
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::device(given)).await;
    };
    if given.is_empty() { ask_for_code(&app, &user, "", None).await } else { ask_for_consent(&app, &user, given).await }
}

/// POST /device
pub(super) async fn submit(State(app): State<Arc<App>>, headers: HeaderMap, form: Form) -> Answered<Response> {
    let code = form.text("user_code");
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::device(code)).await;
    };
    csrf::check(&user.csrf, form.text("csrf"))?;
    let approve = match form.text("decision") {
        "" if code.is_empty() => return ask_for_code(&app, &user, "", Some("Enter the code first.")).await,
        "" => return ask_for_consent(&app, &user, code).await,
        "approve" => true,
        "deny" => false,
        _ => return Err(Problem::invalid("decision", "The form does not say whether to allow it.")),
    };
    if !device::decide(&app, &normal_form(code), &user.user_id, approve).await? {
        return ask_for_code(&app, &user, code, Some(UNKNOWN)).await;
    }
    let (ending, title, text) = if approve {
        (Ending::Done, "Your device is connected", "You can close this page and go back to your device.")
    } else {
        (Ending::Refused, "You did not allow it", "The device has no access to your account. You can close this page.")
    };
    let body = message(&Message { ending, title, text, remedy: None, link: None, reference: &[] });
    Ok(Page::new(title, body).render(&app))
}

const UNKNOWN: &str =
    "There is no such code, or it has expired. Compare it with your device, or ask there for a new one.";

async fn ask_for_code(app: &App, user: &BrowserUser, given: &str, error: Option<&str>) -> Answered<Response> {
    let last4 = phone_last4(app, &user.user_id).await?;
    Ok(Page::new("Connect a device", enter(given, &user.csrf, &last4, error)).form(error).render(app))
}

async fn ask_for_consent(app: &App, user: &BrowserUser, given: &str) -> Answered<Response> {
    let user_code = normal_form(given);
    let Some(request) = device::pending(app, &user_code).await? else {
        return ask_for_code(app, user, given, Some(UNKNOWN)).await;
    };
    let body = confirm(&Confirm {
        user_code: &user_code,
        client_name: &request.client_name,
        scopes: &request.scopes,
        csrf: &user.csrf,
        phone_last4: &phone_last4(app, &user.user_id).await?,
    });
    Ok(Page::new("Connect a device", body).render(app))
}

/// A code as people type it, in the format that the device shows: two groups of four capitals.
fn normal_form(given: &str) -> String {
    let bare: String = given.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    if bare.len() == 8 { format!("{}-{}", &bare[..4], &bare[4..]) } else { bare }
}

#[cfg(test)]
mod tests {
    use super::normal_form;

    #[test]
    fn a_code_may_be_typed_as_people_type_it() {
        for typed in ["WDJB-MJHT", "wdjbmjht", " wdjb mjht ", "WDJB–MJHT"] {
            assert_eq!(normal_form(typed), "WDJB-MJHT", "{typed}");
        }
        assert_eq!(normal_form("é"), "");
    }
}
