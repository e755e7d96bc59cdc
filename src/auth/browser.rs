//! Signing in on a page in this machine's browser: authorization code with PKCE (RFC 8252, RFC 7636).

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use oauth2::{AuthUrl, CsrfToken, PkceCodeChallenge, RedirectUrl};
use url::Url;

use super::loopback::{Callback, Loopback};
use super::metadata;
use super::oauth::{Server, list, refused};
use super::stored_token::StoredToken;
use crate::env::without_secrets;
use crate::errors::{Error, Hint, Result, codes};

/// How long a user has to sign in on the page, without `--timeout`.
const PATIENCE: Duration = Duration::from_secs(600);

/// Signs in. `show` gets the address of the page, and opens or prints it.
pub(crate) async fn sign_in(server: &Server, scopes: Option<&str>, show: impl FnOnce(&Url)) -> Result<StoredToken> {
    let Some(authorization) = &server.metadata.authorization_endpoint else {
        return Err(metadata::unknown("The authorization server has no page to sign in on."));
    };
    let loopback = Loopback::bind().await?;
    let redirect = loopback.redirect().clone();
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let client = server
        .client()
        .set_auth_uri(AuthUrl::from_url(authorization.clone()))
        .set_redirect_uri(RedirectUrl::from_url(redirect.clone()));
    let request = client.authorize_url(CsrfToken::new_random).add_scopes(list(scopes)).set_pkce_challenge(challenge);
    let (page, state) = request.url();
    show(&page);
    let give_up = server.http.deadline().unwrap_or_else(|| Instant::now() + PATIENCE);
    let callback =
        tokio::time::timeout_at(give_up.into(), loopback.wait(state.secret())).await.map_err(|_| late())??;
    let result = match code(server, &callback) {
        Ok(code) => server.exchange(code, verifier, &redirect).await,
        Err(error) => Err(error),
    };
    callback.finish(result.is_ok()).await;
    // If the answer names no scopes, the requested ones were granted (RFC 6749 §5.1).
    result.map(|record| StoredToken { scopes: record.scopes.or_else(|| scopes.map(str::to_owned)), ..record })
}

/// The code in the browser's callback, if it comes from the expected server (RFC 9207 §2.4).
fn code(server: &Server, callback: &Callback) -> Result<String> {
    let expected = &server.metadata.issuer;
    match callback.parameter("iss") {
        Some(issuer) if issuer == expected => {}
        None if !server.metadata.authorization_response_iss_parameter_supported => {}
        issuer => {
            let from = issuer.unwrap_or("nobody in particular");
            return Err(Error::of(
                &codes::command::WRONG_ISSUER,
                format!("The browser came back from {from}, not from {expected}; nothing was sent there."),
            )
            .hint([
                Hint::run("Start again", "ordersync auth login"),
                Hint::say("If it happens again, something intercepts the connection."),
            ]));
        }
    }
    if let Some(error) = callback.parameter("error") {
        return Err(refused(error, callback.parameter("error_description")));
    }
    callback.parameter("code").map(str::to_owned).ok_or_else(|| {
        Error::of(&codes::network::UNEXPECTED_ANSWER, "The browser came back without a code.")
            .hint(Hint::run("Start again", "ordersync auth login"))
    })
}

fn late() -> Error {
    Error::of(&codes::command::SIGN_IN_TIMEOUT, "Nobody came back from the page in time.")
}

/// Opens a page with the program `browser`, or with the system's default.
///
/// Returns whether the program was started; whether it shows the page is unknown.
pub(crate) fn open(page: &Url, browser: Option<&str>) -> bool {
    let mut command = match browser {
        Some(program) => Command::new(program),
        None if cfg!(target_os = "macos") => Command::new("open"),
        None => Command::new("xdg-open"),
    };
    command.arg(page.as_str()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    without_secrets(&mut command).spawn().is_ok()
}
