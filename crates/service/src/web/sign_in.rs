//! Signing in with a phone number and a one-time password, and signing out.

use std::sync::Arc;

use axum::extract::{FromRequest, Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use ordersync_api::ErrorCode;

use super::form::Form;
use super::next::Next;
use super::purpose::{Purpose, ask_for_phone};
use super::response::{see_other, with_cookie};
use super::views::sign_in::code as code_page;
use super::way_back::WayBack;
use super::widget_session;
use super::{cookies, csrf, remembered};
use crate::app::App;
use crate::http::Problem;
use crate::http::address::client_address;
use crate::http::problem::Answered;
use crate::signin::browser;
use crate::signin::otp::{self, Asker, Verification};

/// A form of the sign-in that came from our own page.
pub(super) struct SignInForm {
    purpose: Purpose,
    form: Form,
    headers: HeaderMap,
    address: String,
}

impl FromRequest<Arc<App>> for SignInForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Response> {
        let headers = request.headers().clone();
        let address = client_address(app, &headers, request.extensions());
        let form = Form::from_request(request, app).await.map_err(IntoResponse::into_response)?;
        let next = next_of(&form).map_err(IntoResponse::into_response)?;
        let purpose = Purpose::of(app, &headers, next).await?;
        let way_back = purpose.way_back();
        purpose.check(app, &headers, form.text("csrf")).map_err(|forged| leading_back(way_back, forged))?;
        Ok(Self { purpose, form, headers, address })
    }
}

/// POST /sign-in: sends the one-time password.
pub(super) async fn send(State(app): State<Arc<App>>, sign_in: SignInForm) -> Response {
    let way_back = sign_in.purpose.way_back();
    leading_back(way_back, send_to(&app, sign_in).await)
}

/// POST /sign-in/verify: checks it.
pub(super) async fn verify(State(app): State<Arc<App>>, sign_in: SignInForm) -> Response {
    let way_back = sign_in.purpose.way_back();
    leading_back(way_back, check(&app, sign_in).await)
}

/// The response; a refusal, which becomes a page elsewhere, with the way back to the app.
fn leading_back(way_back: Option<WayBack>, response: impl IntoResponse) -> Response {
    let mut response = response.into_response();
    if let Some(way_back) = way_back {
        response.extensions_mut().insert(way_back);
    }
    response
}

async fn send_to(app: &App, sign_in: SignInForm) -> Answered<Response> {
    let SignInForm { purpose, form, headers, address } = sign_in;
    let phone = normal_form(form.text("phone"));
    let (browser, remembered) = (purpose.browser(app, &headers)?, remembered::read(app, &headers));
    let asker = Asker { address: &address, browser: &browser, remembered: remembered.as_deref() };
    match otp::send(&app.sign_in(), &phone, &asker).await.map_err(Problem::from) {
        Ok(()) => ask_for_code(app, &headers, &purpose, &phone, None),
        Err(problem) if problem.code() == ErrorCode::InvalidRequest => {
            let why = if app.environment.is_sandbox() {
                "The sandbox knows the numbers +15550100 to +15550199 only."
            } else {
                "That is not a phone number that we can reach. Write it with the country code, like +1 or +49."
            };
            ask_for_phone(app, &headers, &purpose, form.text("phone"), Some(why))
        }
        Err(problem) => Err(problem),
    }
}

async fn check(app: &App, sign_in: SignInForm) -> Answered<Response> {
    let SignInForm { purpose, form, headers, address } = sign_in;
    let phone = form.text("phone");
    let browser = purpose.browser(app, &headers)?;
    let remembered = remembered::read(app, &headers).map_or_else(cookies::random, Ok)?;
    let asker = Asker { address: &address, browser: &browser, remembered: Some(&remembered) };
    match otp::verify(&app.sign_in(), phone, &asker, form.text("code")).await? {
        Verification::Verified { user_id } => {
            if let Some(link) = purpose.link()
                && let Some(refused) = widget_session::bind(app, link, &user_id).await?
            {
                return Ok(refused);
            }
            let agreed_to = purpose.link().map(|link| link.client_id.as_str());
            let cookie = if cookies::is_framed(&headers) {
                browser::sign_in_framed(&app.sign_in(), &user_id, agreed_to).await?
            } else {
                browser::sign_in(&app.sign_in(), &user_id, agreed_to).await?
            };
            let response = with_cookie(see_other(&purpose.next.path()), Some(cookie));
            Ok(with_cookie(response, Some(remembered::set(app, &headers, &remembered)?)))
        }
        Verification::Wrong { tries_left } => {
            let why = match tries_left {
                1 => "That is not the password we sent. You have one try left.".to_owned(),
                left => format!("That is not the password we sent. You have {left} tries left."),
            };
            ask_for_code(app, &headers, &purpose, phone, Some(&why))
        }
        Verification::Expired => {
            let why = "That password is not good any more, or was sent for another browser. Ask for a new one.";
            ask_for_code(app, &headers, &purpose, phone, Some(why))
        }
    }
}

/// POST /sign-out: forgets the session, and starts again.
pub(super) async fn sign_out(State(app): State<Arc<App>>, headers: HeaderMap, form: Form) -> Answered<Response> {
    let next = next_of(&form)?.path();
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else { return Ok(see_other(&next)) };
    csrf::check(&user.csrf, form.text("csrf"))?;
    let cookie = browser::sign_out(&app.sign_in(), &headers).await?;
    Ok(with_cookie(see_other(&next), Some(cookie)))
}

fn ask_for_code(
    app: &App,
    headers: &HeaderMap,
    purpose: &Purpose,
    phone: &str,
    error: Option<&str>,
) -> Answered<Response> {
    purpose.page(app, headers, "One-time password", error, |carried| code_page(carried, phone))
}

fn next_of(form: &Form) -> Answered<Next> {
    Next::parse(form.text("next"))
        .ok_or_else(|| Problem::invalid("next", "The form does not say where the sign-in leads to. Start again."))
}

/// A number as people write it, converted to E.164 as far as possible.
fn normal_form(given: &str) -> String {
    let bare: String = given.chars().filter(|c| !c.is_whitespace() && !"-.()/\u{a0}".contains(*c)).collect();
    bare.strip_prefix("00").map_or_else(|| bare.clone(), |rest| format!("+{rest}"))
}

#[cfg(test)]
mod tests {
    use super::normal_form;

    #[test]
    fn a_number_may_be_written_as_people_write_it() {
        for written in ["+15550100", "+1 555 0100", " 001-555-0100", "+1 (555) 01.00"] {
            assert_eq!(normal_form(written), "+15550100", "{written}");
        }
        assert_eq!(normal_form("5550100"), "5550100");
    }
}
