//! The authorization request (RFC 6749 §4.1.1): read and checked, then approved or denied by the user.
//!
//! Nothing is sent to an address that the client has not registered: until the address is verified, a refusal is a
//! page.

use chrono::TimeDelta;
use ordersync_api::Scope;

use super::error::{Kind, OAuthError};
use super::form::Form;
use super::pkce;
use super::scopes::requested;
use crate::app::App;
use crate::http::Problem;
use crate::http::fields::Params;
use crate::keys::token_digest;
use crate::store::accounts::clients::Client;
use crate::store::accounts::oauth::codes::NewCode;
use crate::token::Prefix;

/// How long a code can be exchanged.
const CODE_LIFE: TimeDelta = TimeDelta::seconds(60);
/// The loopback addresses on which a program may listen on any port (RFC 8252 §7.3).
const LOOPBACK: [&str; 2] = ["http://127.0.0.1", "http://[::1]"];

/// A request that may be shown to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuthorizationRequest {
    /// The client that makes the request.
    pub(crate) client_id: String,
    /// The client's name, as users see it.
    pub(crate) client_name: String,
    /// The requested scopes.
    pub(crate) scopes: Vec<Scope>,
    /// The redirect address for the response; registered by the client.
    pub(crate) redirect_uri: String,
    /// The client's own state, returned as received.
    pub(crate) state: Option<String>,
    /// RFC 7636 §4.2, S256.
    pub(crate) code_challenge: String,
}

/// Why a request is not shown to the user.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The address cannot be trusted: inform the user on a page.
    Page(String),
    /// Inform the client: redirect there.
    Redirect(String),
    /// The service failed.
    Failed(Problem),
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

/// Reads an authorization request.
pub(crate) async fn parse(app: &App, params: &Params) -> Result<AuthorizationRequest, Refused> {
    let form = Form::new(params.clone());
    let page = |message: &str| Refused::Page(message.to_owned());
    let once = |name| form.text(name).map_err(|_| page("The request names a client or an address twice."));
    let client_id = once("client_id")?.ok_or_else(|| page("The request does not say which client it comes from."))?;
    let redirect_uri = once("redirect_uri")?.ok_or_else(|| page("The request does not say where to answer."))?;
    let client = app.store.client(client_id).await.map_err(Problem::from)?;
    let client = client
        .filter(|client| client.disabled_at.is_none())
        .ok_or_else(|| page("The client that asks is unknown here, or is disabled."))?;
    if !client.redirect_uris.iter().any(|registered| leads_to(registered, redirect_uri)) {
        return Err(page("The address to answer to is not one that this client has registered."));
    }
    let back = Back { issuer: &app.issuer, redirect_uri, state: form.text("state").ok().flatten() };
    read(&form, client, &back).map_err(|error| Refused::Redirect(back.refusal(&error)))
}

fn read(form: &Form, client: Client, back: &Back<'_>) -> Result<AuthorizationRequest, OAuthError> {
    form.text("state")?;
    match form.required("response_type", "The parameter response_type is missing.")? {
        "code" => {}
        _ => return Err(OAuthError::new(Kind::UnsupportedResponseType, "The only response_type is code.")),
    }
    if form.text("response_mode")?.is_some_and(|mode| mode != "query") {
        return Err(OAuthError::invalid_request("The only response_mode is query."));
    }
    let code_challenge =
        form.required("code_challenge", "The parameter code_challenge is missing: PKCE is required.")?;
    // Without a method it would be `plain` (RFC 7636 §4.3), which proves nothing against an attacker who can read the
    // request.
    if form.text("code_challenge_method")? != Some(pkce::METHOD) {
        return Err(OAuthError::invalid_request("The code_challenge_method has to be S256."));
    }
    if !pkce::is_challenge(code_challenge) {
        return Err(OAuthError::invalid_request("The code_challenge is no SHA-256 in base64url."));
    }
    let scopes = requested(form.text("scope")?, &client.scopes)?;
    Ok(AuthorizationRequest {
        client_id: client.id,
        client_name: client.name,
        scopes,
        redirect_uri: back.redirect_uri.to_owned(),
        state: back.state.map(str::to_owned),
        code_challenge: code_challenge.to_owned(),
    })
}

/// Records the user's approval. Returns the address to redirect to: with the code, the state and the issuer.
pub(crate) async fn approve(app: &App, request: &AuthorizationRequest, user_id: &str) -> Result<String, Problem> {
    let code = Prefix::CODE.new_token(app.environment)?;
    let now = app.store.now_for(user_id, app.clock.now()).await?;
    let new = NewCode {
        digest: token_digest(&code),
        client_id: &request.client_id,
        user_id,
        scopes: &request.scopes,
        redirect_uri: &request.redirect_uri,
        code_challenge: &request.code_challenge,
        expires_at: now + CODE_LIFE,
    };
    app.store.add_code(&new).await?;
    Ok(Back::of(app, request).with(&[("code", &code)]))
}

/// The address to redirect to after the user has refused.
pub(crate) fn deny(app: &App, request: &AuthorizationRequest) -> String {
    Back::of(app, request).refusal(&OAuthError::new(Kind::AccessDenied, "The user refused."))
}

/// The way back to the client.
struct Back<'a> {
    issuer: &'a str,
    redirect_uri: &'a str,
    state: Option<&'a str>,
}

impl<'a> Back<'a> {
    fn of(app: &'a App, request: &'a AuthorizationRequest) -> Self {
        Self { issuer: &app.issuer, redirect_uri: &request.redirect_uri, state: request.state.as_deref() }
    }

    fn refusal(&self, error: &OAuthError) -> String {
        let (kind, description) = error.parts();
        self.with(&[("error", kind.as_str()), ("error_description", description)])
    }

    /// The redirect address with these parameters, the state, and the issuer (RFC 9207). Its own query is kept.
    fn with(&self, params: &[(&str, &str)]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(params);
        if let Some(state) = self.state {
            query.append_pair("state", state);
        }
        query.append_pair("iss", self.issuer);
        let joint = if self.redirect_uri.contains('?') { '&' } else { '?' };
        format!("{}{joint}{}", self.redirect_uri, query.finish())
    }
}

/// Whether an address is exactly the registered one, except for the port of a loopback address (RFC 8252 §7.3).
fn leads_to(registered: &str, given: &str) -> bool {
    let without_port = |address: &str| {
        let host = LOOPBACK.into_iter().find(|host| address.starts_with(host))?;
        let rest = &address[host.len()..];
        let path = match rest.strip_prefix(':') {
            None => rest,
            Some(rest) => {
                let (port, path) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
                port.parse::<u16>().ok()?;
                path
            }
        };
        // Anything else after the host would be another host.
        (path.is_empty() || path.starts_with(['/', '?'])).then(|| (host, path.to_owned()))
    };
    registered == given || without_port(registered).is_some_and(|known| without_port(given) == Some(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_registered_one_to_the_letter_but_for_the_port_of_a_loopback() {
        for registered in ["http://127.0.0.1/back", "http://127.0.0.1:8000/back"] {
            for good in ["http://127.0.0.1/back", "http://127.0.0.1:1/back", "http://127.0.0.1:65535/back"] {
                assert!(leads_to(registered, good), "{good}");
            }
            for bad in [
                "http://127.0.0.1:65536/back",
                "http://127.0.0.1:/back",
                "http://127.0.0.1:80@evil.example/back",
                "http://127.0.0.1.evil.example/back",
                "http://127.0.0.1@evil.example/back",
                "http://127.0.0.1:80/back/",
                "http://127.0.0.1:80/back?x=1",
                "http://127.0.0.1:80/back#f",
                "https://127.0.0.1:80/back",
                "http://127.0.0.2/back",
                "http://localhost:80/back",
                "http://[::1]:80/back",
                "",
            ] {
                assert!(!leads_to(registered, bad), "{bad}");
            }
        }
        assert!(leads_to("http://[::1]/back", "http://[::1]:5000/back"));
        assert!(leads_to("https://app.example/back?x=1", "https://app.example/back?x=1"));
        for bad in ["https://app.example:443/back?x=1", "https://app.example/back", "https://app.example/back?x=1&y"] {
            assert!(!leads_to("https://app.example/back?x=1", bad), "{bad}");
        }
    }
}
