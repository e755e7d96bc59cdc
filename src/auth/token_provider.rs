//! A stored sign-in as the source of a client's tokens. The store is read only when a request needs a token. A token is
//! renewed half a minute before it expires or when it is refused, by one command at a time.

use std::sync::Arc;

use async_trait::async_trait;
use secrecy::SecretString;
use tokio::sync::Mutex;

use super::store::{Loaded, Location, SignInStore};
use super::stored_token::StoredToken;
use super::{lock, oauth};
use crate::client::http::Http;
use crate::client::token::TokenSource;
use crate::config::sign_in::SecretSource;
use crate::errors::{Advice, Error, Exit, Hint, Result, codes};
use crate::output::Output;

/// A stored sign-in.
#[derive(Debug)]
pub(crate) struct TokenProvider {
    renewer: Arc<Renewer>,
    /// How to get a token if the service is a sandbox.
    sandbox_token: Hint,
    seen: Mutex<Option<(StoredToken, Location)>>,
    /// Held while a token is being renewed and stored.
    renewing: Arc<Mutex<()>>,
}

/// Renews a sign-in. This is separate from [`TokenProvider`] because a renewal outlives the task that waits for it:
/// once the service has answered, the previous token is used up, so the new one must be stored whatever happens to the
/// command.
#[derive(Debug)]
struct Renewer {
    sign_in_store: Arc<SignInStore>,
    http: Arc<Http>,
    client_secret: Option<SecretSource>,
    output: Output,
    /// The command that signs in at this service.
    login: String,
}

impl TokenProvider {
    /// The sign-in in that store. `login` is the command that signs in at this service; `sandbox_token` says how to get
    /// a token if the service is a sandbox.
    pub(crate) fn new(
        sign_in_store: Arc<SignInStore>,
        http: Arc<Http>,
        client_secret: Option<SecretSource>,
        output: Output,
        login: String,
        sandbox_token: Hint,
    ) -> Self {
        let renewer = Arc::new(Renewer { sign_in_store, http, client_secret, output, login });
        Self { renewer, sandbox_token, seen: Mutex::default(), renewing: Arc::default() }
    }

    /// Waits until no renewal is in progress: the process must not end before the result is stored.
    pub(crate) async fn settled(&self) {
        drop(self.renewing.lock().await);
    }

    /// Renews in a separate task, which is not cancelled with the task that waits for it.
    async fn renew(&self, stale: &SecretString) -> Result<(StoredToken, Location)> {
        let running = Arc::clone(&self.renewing).lock_owned().await;
        let (renewer, stale) = (Arc::clone(&self.renewer), stale.clone());
        let task = tokio::spawn(async move {
            let _running = running;
            renewer.renew(&stale).await
        });
        task.await.unwrap_or_else(|_| Err(Error::of(&codes::command::FAULT, "The renewal of the sign-in ended early.")))
    }

    /// The stored sign-in, with its access token renewed if that is due and possible.
    pub(crate) async fn current(&self) -> Result<Option<(StoredToken, Location)>> {
        let mut seen = self.seen.lock().await;
        if seen.is_none() {
            *seen = self.renewer.load().await?;
        }
        let Some((record, place)) = seen.as_ref() else { return Ok(None) };
        if record.is_fresh(crate::clock::now()) || !record.is_renewable() {
            return Ok(Some((record.clone(), place.clone())));
        }
        match self.renew(&record.access_token).await {
            Ok(renewed) => *seen = Some(renewed),
            // The token is still valid for a few seconds, and the next command tries again.
            Err(error) if error.exit() == Exit::Network && !record.is_expired(crate::clock::now()) => {}
            Err(error) => return Err(error),
        }
        Ok(seen.clone())
    }
}

impl Renewer {
    async fn load(&self) -> Result<Option<(StoredToken, Location)>> {
        let sign_in_store = Arc::clone(&self.sign_in_store);
        match blocking(move || sign_in_store.load()).await? {
            Loaded::SignIn(record, place) => Ok(Some((*record, place))),
            Loaded::Nothing => Ok(None),
            Loaded::Unknown(why) => Err(Error::of(
                &codes::command::KEYRING,
                format!("If you are signed in, it cannot be seen: the system's keyring cannot be read ({why})."),
            )
            .hint([
                Hint::run("Unlock the keyring, or sign in again", self.login.as_str()),
                Hint::say("For one command: set ORDERSYNC_TOKEN."),
            ])),
        }
    }

    /// Gets another access token in place of `stale`, unless another command has done it meanwhile.
    async fn renew(&self, stale: &SecretString) -> Result<(StoredToken, Location)> {
        let _lock = lock::acquire(self.sign_in_store.lock(), self.http.deadline()).await?;
        let Some((record, place)) = self.load().await? else { return Err(self.ended()) };
        if !record.has_token(stale) && record.is_fresh(crate::clock::now()) {
            return Ok((record, place));
        }
        if !record.is_renewable() {
            return Err(self.ended());
        }
        let secret = match self.client_secret.clone() {
            Some(source) => Some(blocking(move || source.read()).await?),
            None => None,
        };
        match oauth::renew(&self.http, &record, secret).await {
            Ok(renewed) => {
                let place = self.keep(&renewed, &place).await?;
                Ok((renewed, place))
            }
            Err(error) if oauth::has_ended(&error) => {
                // Later commands are spared a renewal that cannot succeed.
                self.keep(&StoredToken { refresh_token: None, ..record }, &place).await?;
                Err(self.ended())
            }
            Err(error) => Err(error),
        }
    }

    async fn keep(&self, record: &StoredToken, place: &Location) -> Result<Location> {
        let (sign_in_store, record, place) = (Arc::clone(&self.sign_in_store), record.clone(), place.clone());
        let saved = blocking(move || sign_in_store.save_again(&record, &place)).await?;
        if let Some(why) = &saved.fallback {
            self.output.note(format!("The keyring cannot be written ({why}): your sign-in is now in {}.", saved.place));
        }
        Ok(saved.place)
    }

    fn ended(&self) -> Error {
        oauth::ended().hint(Hint::run("Sign in again", self.login.as_str()))
    }
}

#[async_trait]
impl TokenSource for TokenProvider {
    async fn token(&self) -> Result<Option<SecretString>> {
        Ok(self.current().await?.map(|(record, _)| record.access_token))
    }

    async fn replace(&self, refused: &SecretString) -> Result<Option<SecretString>> {
        let mut seen = self.seen.lock().await;
        let Some((record, _)) = seen.as_ref() else { return Ok(None) };
        if record.has_token(refused) {
            if !record.is_renewable() {
                return Ok(None);
            }
            *seen = Some(self.renew(refused).await?);
        }
        Ok(seen.as_ref().map(|(record, _)| record.access_token.clone()))
    }

    fn advice(&self) -> Advice {
        let login = Hint::run("Sign in", self.renewer.login.as_str());
        Advice::from([login, Hint::say("In a script: set ORDERSYNC_TOKEN"), self.sandbox_token.clone()])
    }
}

/// Runs blocking work on a thread for it.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(Error::of(&codes::command::FAULT, "A step of the command has ended unexpectedly.")))
}
