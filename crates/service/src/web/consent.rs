//! The authorization page: the user's consent to a client's request.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use url::Url;

use super::csrf;
use super::form::{AUTHORIZATION_BYTES, Form};
use super::next::Next;
use super::page::{Page, form_target};
use super::purpose::{ask_to_sign_in, params, phone_last4, refusal};
use super::response::see_other;
use super::views::consent::{Consent, consent};
use crate::app::App;
use crate::authorization::request as authorization;
use crate::http::Problem;
use crate::http::problem::Answered;
use crate::own_hosts::Named;
use crate::signin::browser;

/// GET /oauth/authorize
pub(super) async fn show(State(app): State<Arc<App>>, headers: HeaderMap, uri: Uri) -> Answered<Response> {
    let query = uri.query().unwrap_or_default();
    if query.len() > AUTHORIZATION_BYTES {
        let message =
            format!("The request for access is longer than {} KiB. Its state is too long.", AUTHORIZATION_BYTES / 1024);
        return Err(Problem::invalid("state", message));
    }
    let request = match authorization::parse(&app, &params(query)).await {
        Ok(request) => request,
        Err(refused) => return Ok(refusal(&app, refused)),
    };
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::Authorize { query: query.to_owned() }).await;
    };
    let page = consent(&Consent {
        client_name: &request.client_name,
        scopes: &request.scopes,
        phone_last4: &phone_last4(&app, &user.user_id).await?,
        destination: &destination(&request.redirect_uri),
        query,
        csrf: &user.csrf,
    });
    Ok(Page::new("Allow access", page).form_target(form_target(&request.redirect_uri)).render(&app))
}

/// POST /oauth/authorize/decision
pub(super) async fn decide(State(app): State<Arc<App>>, headers: HeaderMap, form: Form) -> Answered<Response> {
    let query = form.text("request");
    // Everything is checked again: the browser could have changed the form's fields.
    let request = match authorization::parse(&app, &params(query)).await {
        Ok(request) => request,
        Err(refused) => return Ok(refusal(&app, refused)),
    };
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::Authorize { query: query.to_owned() }).await;
    };
    csrf::check(&user.csrf, form.text("csrf"))?;
    match form.text("decision") {
        "approve" => {
            browser::agree(&app.sign_in(), &user, &request.client_id).await?;
            Ok(see_other(&authorization::approve(&app, &request, &user.user_id).await?))
        }
        "deny" => Ok(see_other(&authorization::deny(&app, &request))),
        _ => Err(Problem::invalid("decision", "The form does not say whether to allow it.")),
    }
}

/// The target of a redirect, in words for a person.
fn destination(redirect_uri: &str) -> String {
    let Ok(url) = Url::parse(redirect_uri) else { return redirect_uri.to_owned() };
    match Named::of_url(&url) {
        Some(named) if !named.is_loopback() => named.host,
        _ => "the app on this device".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::destination;

    #[test]
    fn a_person_reads_where_the_browser_goes() {
        assert_eq!(destination("http://127.0.0.1:1234/callback"), "the app on this device");
        assert_eq!(destination("http://[::1]:1234/callback"), "the app on this device");
        assert_eq!(destination("com.example:/callback"), "the app on this device");
        assert_eq!(destination("https://app.example/callback"), "app.example");
    }
}
