//! Clients that authenticate with a secret in the `Authorization` header (RFC 6749 §2.3.1).

use axum::http::header::{AUTHORIZATION, HeaderMap};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};

use crate::app::App;
use crate::store::StoreError;
use crate::store::accounts::clients::Client;

/// The credentials that a client presents.
pub(crate) struct Shown {
    pub(crate) client_id: String,
    pub(crate) secret: Option<SecretString>,
}

/// The client that the header authenticates with a secret; `None` if it authenticates none.
pub(super) async fn confidential(app: &App, headers: &HeaderMap) -> Result<Option<Client>, StoreError> {
    let Some(Shown { client_id, secret: Some(secret) }) = basic_credentials(headers) else { return Ok(None) };
    let client = app.store.client(&client_id).await?;
    let is_proven = |client: &Client| client.disabled_at.is_none() && client.has_secret(secret.expose_secret());
    Ok(client.filter(is_proven))
}

/// `client_secret_basic`: both parts are form-encoded before they are joined (RFC 6749 §2.3.1).
pub(crate) fn basic_credentials(headers: &HeaderMap) -> Option<Shown> {
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
    // Decoded as the value of a form field. A value with an unencoded `&` is not form-encoded.
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
        let shown = basic_credentials(&headers)?;
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
