//! Requests to an authorization server. The oauth2 library builds and reads the messages. They use the same HTTP layer
//! as all other requests, so they are capped, traced without secrets and never redirected.

use std::pin::Pin;
use std::sync::Arc;

use chrono::TimeDelta;
use oauth2::basic::{BasicClient, BasicTokenResponse};
use oauth2::{
    AsyncHttpClient, AuthorizationCode, ClientId, ClientSecret, EndpointNotSet, EndpointSet, ErrorResponse,
    HttpRequest, HttpResponse, PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError, Scope,
    TokenResponse as _, TokenUrl,
};
use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::metadata::Metadata;
use super::stored_token::{GrantType, StoredToken};
use crate::client::api_error::{self, Failure};
use crate::client::http::Http;
use crate::client::wire::Outgoing;
use crate::errors::{Error, Exit, Result, codes};

/// The library's client, with a token endpoint.
pub(super) type TokenClient = BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// An OAuth client: the party that asks for access.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub client_id: String,
    /// Its secret, if it has one.
    pub client_secret: Option<SecretString>,
}

/// An authorization server, and the client that talks to it.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(super) http: Arc<Http>,
    /// The service for which the server issues tokens.
    pub(super) base: Url,
    pub(super) metadata: Metadata,
    pub(super) identity: Identity,
}

impl Server {
    /// Discovers the authorization server of the service at `base`.
    pub(crate) async fn discover(http: Arc<Http>, base: &Url, identity: Identity) -> Result<Self> {
        let metadata = Metadata::discover(&http, base).await?;
        Ok(Self { http, base: base.clone(), metadata, identity })
    }

    pub(super) fn client(&self) -> TokenClient {
        client(&self.identity, &self.metadata.token_endpoint)
    }

    /// Exchanges an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5).
    pub(super) async fn exchange(
        &self,
        code: String,
        verifier: PkceCodeVerifier,
        redirect: &Url,
    ) -> Result<StoredToken> {
        let carrier = Carrier::new(&self.http, &self.base);
        let client = self.client().set_redirect_uri(RedirectUrl::from_url(redirect.clone()));
        let request = client.exchange_code(AuthorizationCode::new(code)).set_pkce_verifier(verifier);
        let response = request.request_async(&carrier).await.map_err(failed)?;
        Ok(self.record(GrantType::Browser, &response, None))
    }

    /// Signs in as the client itself (RFC 6749 §4.4).
    pub(crate) async fn client_credentials(&self, scopes: Option<&str>) -> Result<StoredToken> {
        let response = as_client(&self.http, &self.base, &self.client(), scopes).await?;
        Ok(self.record(GrantType::ClientCredentials, &response, scopes))
    }

    /// The record of a token response. If the response names no scopes, the requested ones were granted (RFC 6749
    /// §5.1).
    pub(super) fn record(&self, way: GrantType, response: &BasicTokenResponse, asked: Option<&str>) -> StoredToken {
        let mut record = StoredToken {
            base_url: self.base.clone(),
            way,
            client_id: self.identity.client_id.clone(),
            access_token: SecretString::default(),
            refresh_token: None,
            client_secret: self.identity.client_secret.clone(),
            expires_at: None,
            scopes: asked.map(str::to_owned),
            token_endpoint: Some(self.metadata.token_endpoint.clone()),
            revocation_endpoint: self.metadata.revocation_endpoint.clone(),
        };
        take_over(&mut record, response);
        record
    }
}

/// Gets another access token for a stored sign-in. `secret` is the configured client secret, if any. If that fails,
/// [`has_ended`] says whether the sign-in has ended.
pub(super) async fn renew(http: &Http, record: &StoredToken, secret: Option<SecretString>) -> Result<StoredToken> {
    let Some(endpoint) = &record.token_endpoint else { return Err(ended()) };
    let identity = Identity { client_id: record.client_id.clone(), client_secret: secret_of(record, secret) };
    let client = client(&identity, endpoint);
    let response = match &record.refresh_token {
        Some(token) => {
            let token = RefreshToken::new(token.expose_secret().to_owned());
            let carrier = Carrier::new(http, &record.base_url);
            client.exchange_refresh_token(&token).request_async(&carrier).await.map_err(failed)?
        }
        None => as_client(http, &record.base_url, &client, record.scopes.as_deref()).await?,
    };
    let mut renewed = record.clone();
    take_over(&mut renewed, &response);
    Ok(renewed)
}

/// Revokes a stored sign-in (RFC 7009): its refresh token, which ends everything that was issued from it, or else its
/// access token. This does not use the library, which refuses plain HTTP even on this machine.
pub(crate) async fn revoke(http: &Http, record: &StoredToken, secret: Option<SecretString>) -> Result<()> {
    let Some(endpoint) = &record.revocation_endpoint else { return Ok(()) };
    let (token, hint) = match &record.refresh_token {
        Some(token) => (token, "refresh_token"),
        None => (&record.access_token, "access_token"),
    };
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("token", token.expose_secret()).append_pair("token_type_hint", hint);
    form.append_pair("client_id", &record.client_id);
    if let Some(secret) = secret_of(record, secret) {
        form.append_pair("client_secret", secret.expose_secret());
    }
    let headers = [(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"))].into_iter().collect();
    let body = Some(form.finish().into());
    let request = Outgoing { method: reqwest::Method::POST, url: endpoint.clone(), headers, body };
    // Revoking twice does no harm, so the request is repeatable.
    let reply = http.send(&request, true).await.map_err(|failure| failure.into_error(&record.base_url))?;
    if reply.status.is_success() { Ok(()) } else { Err(Failure::refusal(reply).into_error(&record.base_url)) }
}

/// The secret of a sign-in's client: the configured one, which may be newer, else the stored one. A client that signed
/// in without a secret has none, whatever is configured for others.
fn secret_of(record: &StoredToken, configured: Option<SecretString>) -> Option<SecretString> {
    let kept = record.client_secret.as_ref()?;
    Some(configured.unwrap_or_else(|| kept.clone()))
}

/// Whether a renewal was refused permanently (RFC 6749 §5.2), so that the user has to sign in again.
pub(super) fn has_ended(error: &Error) -> bool {
    error.code() == "invalid_grant"
}

/// The error for a sign-in that can no longer be renewed.
pub(super) fn ended() -> Error {
    Error::of(&codes::service::UNAUTHORIZED, "Your sign-in has ended: the service does not renew it any more.")
}

async fn as_client(http: &Http, base: &Url, client: &TokenClient, scopes: Option<&str>) -> Result<BasicTokenResponse> {
    let carrier = Carrier::new(http, base);
    let request = client.exchange_client_credentials().add_scopes(list(scopes));
    request.request_async(&carrier).await.map_err(failed)
}

/// Splits scopes at white space.
pub(super) fn list(scopes: Option<&str>) -> Vec<Scope> {
    scopes.unwrap_or_default().split_ascii_whitespace().map(|scope| Scope::new(scope.to_owned())).collect()
}

fn client(identity: &Identity, token_endpoint: &Url) -> TokenClient {
    let client = BasicClient::new(ClientId::new(identity.client_id.clone()))
        .set_token_uri(TokenUrl::from_url(token_endpoint.clone()));
    match &identity.client_secret {
        Some(secret) => client.set_client_secret(ClientSecret::new(secret.expose_secret().to_owned())),
        None => client,
    }
}

/// Copies a token response into the record. A refresh token that is not replaced stays valid (RFC 6749 §6).
fn take_over(record: &mut StoredToken, response: &BasicTokenResponse) {
    record.access_token = SecretString::from(response.access_token().secret().as_str());
    if let Some(token) = response.refresh_token() {
        record.refresh_token = Some(SecretString::from(token.secret().as_str()));
    }
    let lifetime = response.expires_in().and_then(|lifetime| TimeDelta::from_std(lifetime).ok());
    record.expires_at = lifetime.and_then(|lifetime| crate::clock::now().checked_add_signed(lifetime));
    if let Some(scopes) = response.scopes() {
        record.scopes = Some(scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" "));
    }
}

/// Sends the library's requests.
pub(super) struct Carrier<'a> {
    http: &'a Http,
    base: &'a Url,
}

impl<'a> Carrier<'a> {
    pub(super) const fn new(http: &'a Http, base: &'a Url) -> Self {
        Self { http, base }
    }

    /// Returns answers with 2xx and 4xx, except 429. Everything else is no answer of the protocol, and an error here.
    async fn carry(&self, request: HttpRequest) -> Result<HttpResponse> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string())
            .map_err(|why| Error::of(&codes::command::FAULT, format!("{} is no address: {why}.", parts.uri)))?;
        let mut headers = parts.headers;
        if let Some(value) = headers.get_mut(AUTHORIZATION) {
            value.set_sensitive(true);
        }
        let outgoing = Outgoing { method: parts.method, url, headers, body: Some(body.into()) };
        let reply = self.http.send(&outgoing, false).await.map_err(|failure| failure.into_error(self.base))?;
        let status = reply.status;
        if !(status.is_success() || status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS) {
            return Err(Failure::refusal(reply).into_error(self.base));
        }
        let mut response = HttpResponse::new(reply.body.to_vec());
        *response.status_mut() = reply.status;
        *response.headers_mut() = reply.headers;
        Ok(response)
    }
}

impl<'c> AsyncHttpClient<'c> for Carrier<'_> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.carry(request))
    }
}

/// Converts the library's error to one of ours: what happened, and what to do.
pub(super) fn failed<T: ErrorResponse + 'static>(error: RequestTokenError<Error, T>) -> Error {
    match error {
        RequestTokenError::Request(error) => error,
        RequestTokenError::ServerResponse(response) => {
            let body = serde_json::to_vec(&response).unwrap_or_default();
            let (code, message, _) = api_error::decode(&body);
            refused(&code.unwrap_or_default(), message.as_deref())
        }
        RequestTokenError::Parse(why, body) => match api_error::decode(&body) {
            (Some(code), Some(message), _) => match codes::of_answer(&code) {
                Some(row) => Error::of(row, api_error::sentence(&message)),
                None => Error::new(Exit::Failed, code, api_error::sentence(&message))
                    .hint(codes::service::HTTP_STATUS.advice()),
            },
            _ => Error::of(
                &codes::network::UNEXPECTED_ANSWER,
                format!("The answer of the authorization server cannot be understood: {}.", why.inner()),
            )
            .hint("A proxy may have changed the answer; -vv shows it."),
        },
        RequestTokenError::Other(why) => {
            Error::of(&codes::network::UNEXPECTED_ANSWER, format!("The authorization server's answer is wrong: {why}."))
        }
    }
}

/// The error for a server that refuses (RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5).
pub(super) fn refused(code: &str, message: Option<&str>) -> Error {
    let row = codes::of_answer(code);
    let text = row.map_or("The authorization server refused.", |row| row.means);
    // The server's message is added if it says more than the code.
    let said =
        message.filter(|message| *message != code).map(|message| format!(" ({})", message.trim_end_matches('.')));
    let text = match said {
        Some(said) => format!("{}{said}.", text.trim_end_matches('.')),
        None => text.to_owned(),
    };
    match row {
        Some(row) => Error::of(row, text),
        None => Error::new(Exit::SignIn, code, text).hint(codes::oauth::INVALID_TOKEN.advice()),
    }
}
