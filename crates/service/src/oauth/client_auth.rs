//! Who a request to the token, revocation and device endpoints comes from: the form in its body, and the client's proof
//! of itself (RFC 6749 §2.3): a secret in the header or in the form, none for a public client.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};

use super::error::{Answered, Kind, OAuthError};
use crate::http::App;
use crate::http::extract::read_body;
use crate::http::fields::Params;
use crate::store::StoreError;
use crate::store::clients::Client;

/// A form that a client sent, which has proved to be that client.
pub(super) struct ClientForm {
    pub(super) client: Client,
    pub(super) form: Form,
}

/// The fields of a form.
pub(super) struct Form(Params);

impl Form {
    pub(super) const fn new(params: Params) -> Self {
        Self(params)
    }

    /// The field's value. One without a value counts as absent (RFC 6749 §3.1), and none may be given twice (§3.2).
    pub(super) fn text(&self, name: &str) -> Answered<Option<&str>> {
        match self.0.text(name) {
            Ok(value) => Ok(value.filter(|value| !value.is_empty())),
            Err(_) => Err(OAuthError::invalid_request("A parameter is given more than once.")),
        }
    }

    /// The field's value, which has to be there.
    pub(super) fn required(&self, name: &str, missing: &'static str) -> Answered<&str> {
        self.text(name)?.ok_or_else(|| OAuthError::invalid_request(missing))
    }
}

impl FromRequest<Arc<App>> for ClientForm {
    type Rejection = OAuthError;

    async fn from_request(request: Request, app: &Arc<App>) -> Answered<Self> {
        let (parts, body) = request.into_parts();
        let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(OAuthError::invalid_request(
                "The body has to be a form, with Content-Type: application/x-www-form-urlencoded.",
            ));
        }
        let form = Form(Params::of_form(&read_body(body).await?));
        let client = authenticate(app, &parts.headers, &form).await?;
        Ok(Self { client, form })
    }
}

/// What a client shows of itself.
struct Shown {
    client_id: String,
    secret: Option<SecretString>,
}

async fn authenticate(app: &App, headers: &HeaderMap, form: &Form) -> Answered<Client> {
    let shown = shown(headers, form)?;
    let known = app.store.client(&shown.client_id).await?;
    let client = known.ok_or(OAuthError::new(Kind::InvalidClient, "The client is unknown, or its secret is wrong."))?;
    match (&client.secret_digest, &shown.secret) {
        (None, None) => {}
        (Some(_), Some(secret)) if client.has_secret(secret.expose_secret()) => {}
        (Some(_), None) => return Err(OAuthError::new(Kind::InvalidClient, "This client has to show its secret.")),
        _ => return Err(OAuthError::new(Kind::InvalidClient, "The client is unknown, or its secret is wrong.")),
    }
    if client.disabled_at.is_some() {
        return Err(OAuthError::new(Kind::InvalidClient, "This client is disabled."));
    }
    Ok(client)
}

/// The client that a request's header proves to come from, by a secret; none if it proves nothing.
pub(crate) async fn confidential(app: &App, headers: &HeaderMap) -> Result<Option<String>, StoreError> {
    let Some(Shown { client_id, secret: Some(secret) }) = basic(headers) else { return Ok(None) };
    let client = app.store.client(&client_id).await?;
    let is_proven = |client: &Client| client.disabled_at.is_none() && client.has_secret(secret.expose_secret());
    Ok(client.filter(is_proven).map(|client| client.id))
}

fn shown(headers: &HeaderMap, form: &Form) -> Answered<Shown> {
    let in_form = form.text("client_id")?;
    let secret_in_form = form.text("client_secret")?;
    if !headers.contains_key(AUTHORIZATION) {
        let missing = OAuthError::new(Kind::InvalidClient, "The request does not say which client it comes from.");
        let client_id = in_form.ok_or(missing)?.to_owned();
        return Ok(Shown { client_id, secret: secret_in_form.map(SecretString::from) });
    }
    if secret_in_form.is_some() {
        return Err(OAuthError::invalid_request("The client shows its secret in two places: one is enough."));
    }
    let shown = basic(headers)
        .ok_or(OAuthError::new(Kind::InvalidClient, "The header Authorization cannot be read as Basic credentials."))?;
    if in_form.is_some_and(|client_id| client_id != shown.client_id) {
        return Err(OAuthError::invalid_request("The header and the form name two different clients."));
    }
    Ok(shown)
}

/// `client_secret_basic`: both parts are form-encoded before they are joined (RFC 6749 §2.3.1).
fn basic(headers: &HeaderMap) -> Option<Shown> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, encoded) = value.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (client_id, secret) = decoded.split_once(':')?;
    let secret = form_decoded(secret)?;
    Some(Shown {
        client_id: form_decoded(client_id)?,
        secret: (!secret.is_empty()).then(|| SecretString::from(secret)),
    })
}

fn form_decoded(text: &str) -> Option<String> {
    // As the value of a field; one that holds an unencoded `&` is no encoded value.
    let field = format!("v={text}");
    let mut pairs = url::form_urlencoded::parse(field.as_bytes());
    let value = pairs.next()?.1.into_owned();
    pairs.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn read(value: &str) -> Option<(String, Option<String>)> {
        let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(value).unwrap())]);
        let shown = basic(&headers)?;
        Some((shown.client_id, shown.secret.map(|secret| secret.expose_secret().to_owned())))
    }

    #[test]
    fn both_parts_of_basic_credentials_are_form_encoded() {
        let header = format!("basic {}", STANDARD.encode("a%3Ab+c:s%26%2B"));
        assert_eq!(read(&header), Some(("a:b c".into(), Some("s&+".into()))));
        assert_eq!(read(&format!("Basic {}", STANDARD.encode("a:"))), Some(("a".into(), None)));
        for bad in ["Basic", "Basic !", "Bearer YTpi", &format!("Basic {}", STANDARD.encode("no colon"))] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
