//! The sign-in of a shop that answers with JSON: the fields that it takes, and the token of its answer.

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;
use url::Url;

use super::text::quoted;
use super::{DraftError, DraftRequest, Visit};
use crate::connector::egress::Response;
use crate::connector::recipe::json::sign_in_body;

/// Headers in which the answer to a sign-in may have a token.
pub(super) static TOKENS: [HeaderName; 7] = [
    AUTHORIZATION,
    HeaderName::from_static("x-auth-token"),
    HeaderName::from_static("x-access-token"),
    HeaderName::from_static("x-session-token"),
    HeaderName::from_static("auth-token"),
    HeaderName::from_static("access-token"),
    HeaderName::from_static("token"),
];
/// Most shops want this before a token.
const SCHEME: &str = "Bearer ";

/// The token of a sign-in.
pub(super) struct Token {
    /// Where the answer has it, as the recipe says it.
    pub(super) at: String,
    /// The header that shows it, and its value with `{token}`.
    pub(super) header: HeaderName,
    pub(super) value: String,
}

fn is_refused(page: &Response) -> bool {
    matches!(page.status, 401 | 403)
}

/// The fields of a sign-in, as the recipe has them.
pub(super) type Fields = toml::Table;

impl Visit {
    /// Reads the list with the token of the answer to the sign-in, shown as most shops want it; and that token. Without one, cookies
    /// show that the customer is signed in. `in_body`: the path and the token, if the body has one.
    pub(super) async fn signed_in(
        &mut self,
        request: &DraftRequest<'_>,
        answer: &Response,
        in_body: Option<(String, String)>,
    ) -> Result<(Response, Option<Token>), DraftError> {
        let in_body = in_body.map(|(path, token)| (quoted(&path), token, None));
        let in_header = || {
            let (name, value) = answer.tokens.first()?;
            let at = format!("{{ header = {} }}", quoted(name.as_str()));
            Some((at, value.to_str().ok()?.to_owned(), Some(name.clone())))
        };
        let Some((at, value, name)) = in_body.or_else(in_header) else {
            let page = self.get(&request.list).await?;
            return if is_refused(&page) { Err(DraftError::Refused(page.status)) } else { Ok((page, None)) };
        };
        let scheme = if value.starts_with(SCHEME) { "" } else { SCHEME };
        let (mut status, saved) = (0, self.pages.len());
        for (header, before) in [(AUTHORIZATION, scheme)].into_iter().chain(name.map(|name| (name, ""))) {
            let Ok(mut shown) = HeaderValue::from_str(&format!("{before}{value}")) else { break };
            shown.set_sensitive(true);
            self.headers.push((header.clone(), shown));
            let page = self.get(&request.list).await?;
            if !is_refused(&page) {
                return Ok((page, Some(Token { at, header, value: format!("{before}{{token}}") })));
            }
            status = page.status;
            self.headers.pop();
            self.pages.truncate(saved);
        }
        Err(DraftError::Refused(status))
    }

    /// Sends name and password as JSON; the fields that were taken, and the answer. What was refused is not sent again: only a
    /// request that the shop does not understand is tried with other fields, if none were given.
    pub(super) async fn sign_in(
        &mut self,
        request: &DraftRequest<'_>,
        url: &Url,
    ) -> Result<(Fields, Response), DraftError> {
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let guessed = ["email", "username"].map(|name| vec![pair(name, "{username}"), pair("password", "{password}")]);
        let given = [request.fields.to_vec()];
        let tried = if request.fields.is_empty() { &guessed[..] } else { &given[..] };
        let mut status = 0;
        for fields in tried {
            let fields = nested(fields)?;
            let body = sign_in_body(&fields, request.username.expose_secret(), request.password.expose_secret());
            let answer = self.send(url, Some(body)).await?;
            status = answer.status;
            if status < 300 {
                return Ok((fields, answer));
            }
            if !matches!(status, 400 | 422) {
                return Err(DraftError::Refused(status));
            }
        }
        let named = |fields: &Vec<(String, String)>| {
            fields.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(" with ")
        };
        let fields = tried.iter().map(named).collect::<Vec<_>>().join(", or ");
        Err(DraftError::OtherSignIn { fields, status })
    }
}

/// Fields by their names: `user.email` is in `user`.
fn nested(fields: &[(String, String)]) -> Result<Fields, DraftError> {
    let mut all = Fields::new();
    for (name, text) in fields {
        let (above, own) = name.rsplit_once('.').map_or((None, name.as_str()), |(above, own)| (Some(above), own));
        let mut parts = above.into_iter().flat_map(|above| above.split('.'));
        let into = parts
            .try_fold(&mut all, |into, part| into.entry(part).or_insert_with(|| Fields::new().into()).as_table_mut());
        if into.is_none_or(|into| into.insert(own.to_owned(), text.as_str().into()).is_some()) {
            return Err(DraftError::Field(name.clone()));
        }
    }
    Ok(all)
}
