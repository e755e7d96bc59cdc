//! The system's keyring: Secret Service or Keychain. It may block for any length of time, because of
//! a prompt or a broken service; no call here waits longer than three seconds.

use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

use keyring_core::{Entry, Error};
use zeroize::Zeroizing;

use super::{Store, StoreError};

/// The service name of all entries.
const SERVICE: &str = "ordersync";
/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The message of libdbus after its own timeout of two seconds, which is shorter than [`PATIENCE`].
const NO_REPLY: &str = "Did not receive a reply";

/// Whether this system has a keyring that answers; determined once per process.
static SYSTEM: LazyLock<Result<(), Error>> = LazyLock::new(|| patiently(open));

fn open() -> Result<(), Error> {
    #[cfg(target_os = "macos")]
    let store = apple_native_keyring_store::keychain::Store::new()?;
    #[cfg(not(target_os = "macos"))]
    let store = dbus_secret_service_keyring_store::Store::new()?;
    keyring_core::set_default_store(store);
    Ok(())
}

/// Asks once more if no answer arrived. The thread that waits for the result enforces the time limit.
fn patiently<T>(ask: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    match ask() {
        Err(why) if is_silent(&why) => ask(),
        answer => answer,
    }
}

/// Whether the keyring exists but did not answer. Such a system must not be treated as one without a keyring.
fn is_silent(why: &Error) -> bool {
    matches!(why, Error::PlatformFailure(why) if why.to_string().contains(NO_REPLY))
}

fn silent() -> StoreError {
    StoreError::Failed(format!("the keyring did not answer within {} seconds", PATIENCE.as_secs()))
}

pub(super) struct Keyring {
    account: String,
}

impl Keyring {
    pub(super) const fn new(account: String) -> Self {
        Self { account }
    }

    /// Runs `work` on the entry in a separate thread. A thread that never returns is abandoned.
    fn with<T: Send + 'static>(
        &self,
        work: impl Fn(&Entry) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, StoreError> {
        let account = self.account.clone();
        let (sender, answer) = mpsc::channel();
        let started = thread::Builder::new().name("keyring".into()).spawn(move || {
            let result = match &*SYSTEM {
                Ok(()) => Entry::new(SERVICE, &account).and_then(|entry| patiently(|| work(&entry))).map_err(trouble),
                Err(why) if is_silent(why) => Err(silent()),
                // The library's own message is about sockets and buses.
                Err(_) => Err(StoreError::Absent("this machine has none that answers".to_owned())),
            };
            // After a timeout, the receiver is gone.
            let _ = sender.send(result);
        });
        started.map_err(|why| StoreError::Failed(format!("no thread can be started: {why}")))?;
        answer.recv_timeout(PATIENCE).unwrap_or_else(|_| Err(silent()))
    }
}

impl Store for Keyring {
    fn load(&self) -> Result<Option<Zeroizing<String>>, StoreError> {
        self.with(|entry| match entry.get_password() {
            Ok(text) => Ok(Some(Zeroizing::new(text))),
            Err(Error::NoEntry) => Ok(None),
            Err(why) => Err(why),
        })
    }

    fn save(&self, text: &str) -> Result<(), StoreError> {
        let text = Zeroizing::new(text.to_owned());
        self.with(move |entry| entry.set_password(&text))
    }

    fn delete(&self) -> Result<(), StoreError> {
        self.with(|entry| match entry.delete_credential() {
            Err(Error::NoEntry) => Ok(()),
            result => result,
        })
    }
}

fn trouble(why: Error) -> StoreError {
    match why {
        Error::NoDefaultStore => StoreError::Absent("this machine has none that answers".into()),
        why if is_silent(&why) => silent(),
        why => StoreError::Failed(text(&why)),
    }
}

/// The reason in words, without the stored text.
fn text(why: &Error) -> String {
    let text = match why {
        Error::NoStorageAccess(why) => format!("it is locked or closed to this program: {why}"),
        Error::PlatformFailure(why) => why.to_string(),
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "what is kept there is no text".to_owned(),
        why => why.to_string(),
    };
    text.trim_end_matches('.').to_owned()
}
