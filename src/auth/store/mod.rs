//! Where a sign-in is stored: in the system's keyring, or in a private file if the keyring is unavailable. The fallback
//! is never silent: the caller learns the location, and why it is not the keyring.

mod file;
mod keyring;

use std::fmt;
use std::path::{Path, PathBuf};

use ordersync_api::hex;
use secrecy::SecretString;
use sha2::{Digest as _, Sha256};
use url::Url;
use zeroize::Zeroizing;

use self::file::FileStore;
use self::keyring::Keyring;
use super::StoredToken;
use crate::config::folders::Folders;
use crate::config::sign_in::TokenStore;
use crate::errors::{Error, Result, codes};

/// A place for secrets.
trait Store: Send + Sync {
    fn load(&self) -> Result<Option<Zeroizing<String>>, StoreError>;
    fn save(&self, text: &str) -> Result<(), StoreError>;
    fn delete(&self) -> Result<(), StoreError>;
}

/// Why a place cannot be used.
#[derive(Debug)]
enum StoreError {
    /// This machine has no such place.
    Absent(String),
    /// The place exists but does not work.
    Failed(String),
    /// The file cannot be used; the error is complete.
    File(Error),
}

impl StoreError {
    fn why(self) -> String {
        match self {
            Self::Absent(why) | Self::Failed(why) => why,
            Self::File(error) => error.message().to_owned(),
        }
    }
}

/// Where a sign-in is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    /// The system's keyring.
    Keyring,
    /// A file, private to the user.
    File(PathBuf),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyring => f.write_str("the system's keyring"),
            Self::File(path) => write!(f, "{} (a file that only you can read)", path.display()),
        }
    }
}

#[derive(Debug)]
pub(crate) enum Loaded {
    SignIn(Box<StoredToken>, Location),
    Nothing,
    /// The keyring exists but cannot be read, so there may be a sign-in; the reason.
    Unknown(String),
}

/// Where a sign-in was saved.
#[derive(Debug)]
pub(crate) struct Saved {
    pub place: Location,
    /// Why it is not in the keyring, if it should be there.
    pub fallback: Option<String>,
}

/// The state of the system's keyring.
#[derive(Debug)]
pub(crate) enum KeyringState {
    Answers,
    /// This machine has none; the symptom.
    Absent(String),
    /// It exists but does not work; the reason.
    Fails(String),
}

/// Stores one profile's sign-in at one address.
pub(crate) struct SignInStore {
    choice: TokenStore,
    keyring: Keyring,
    file: FileStore,
    lock: PathBuf,
    /// This file exists if the user signed out without the keyring being cleared, because it could not be reached or is
    /// not in use. A sign-in that is found there later is deleted, not used.
    signed_out: PathBuf,
    base_url: Url,
}

impl fmt::Debug for SignInStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignInStore")
            .field("choice", &self.choice)
            .field("file", &self.file.path())
            .finish_non_exhaustive()
    }
}

impl SignInStore {
    /// The store for a profile's sign-in at an address.
    pub(crate) fn new(folders: &Folders, profile: &str, base_url: &Url, choice: TokenStore) -> Self {
        let key = format!("{profile} {base_url}");
        let stem = folders.data.join("sign-in").join(stem(profile, &key));
        Self {
            choice,
            keyring: Keyring::new(key),
            file: FileStore::new(stem.with_extension("json")),
            lock: stem.with_extension("lock"),
            signed_out: stem.with_extension("signed-out"),
            base_url: base_url.clone(),
        }
    }

    /// The file that a process locks while it renews.
    pub(crate) fn lock(&self) -> &Path {
        &self.lock
    }

    /// The file that holds the sign-in, if it is not in the keyring.
    pub(crate) fn file(&self) -> &Path {
        self.file.path()
    }

    /// Loads the sign-in. Blocks for at most a few seconds.
    pub(crate) fn load(&self) -> Result<Loaded> {
        if let Some(text) = self.file.load().map_err(|trouble| self.failed("read", trouble))? {
            return self.parse(&text, Location::File(self.file.path().to_owned()));
        }
        if self.choice == TokenStore::File {
            return Ok(Loaded::Nothing);
        }
        match self.keyring.load() {
            Ok(Some(_)) if self.signed_out.exists() => {
                // The user has signed out since this sign-in was stored.
                if self.keyring.delete().is_ok() {
                    self.forget_signing_out();
                }
                Ok(Loaded::Nothing)
            }
            Ok(Some(text)) => self.parse(&text, Location::Keyring),
            Ok(None) => Ok(Loaded::Nothing),
            Err(StoreError::Absent(_)) if self.choice == TokenStore::Auto => Ok(Loaded::Nothing),
            Err(trouble) if self.choice == TokenStore::Auto => Ok(Loaded::Unknown(trouble.why())),
            Err(trouble) => Err(self.failed("read", trouble)),
        }
    }

    /// Whether the keyring answers, and if not, why. Blocks for at most a few seconds.
    pub(crate) fn keyring(&self) -> KeyringState {
        match self.keyring.load() {
            Ok(_) => KeyringState::Answers,
            Err(StoreError::Absent(why)) => KeyringState::Absent(why),
            Err(trouble) => KeyringState::Fails(trouble.why()),
        }
    }

    /// Stores a sign-in in place of the previous one. Blocks for at most a few seconds.
    pub(crate) fn save(&self, record: &StoredToken) -> Result<Saved> {
        let text = record.to_text().map_err(|why| self.failed("write", StoreError::Failed(why.to_string())))?;
        let mut fallback = None;
        if self.choice != TokenStore::File {
            match self.keyring.save(&text) {
                Ok(()) => {
                    self.forget_signing_out();
                    // A sign-in in the file would take precedence.
                    self.file.delete().map_err(|trouble| self.failed("write", trouble))?;
                    return Ok(Saved { place: Location::Keyring, fallback: None });
                }
                Err(trouble) if self.choice == TokenStore::Auto => fallback = Some(trouble.why()),
                Err(trouble) => return Err(self.failed("write", trouble)),
            }
        }
        self.file.save(&text).map_err(|trouble| self.failed("write", trouble))?;
        Ok(Saved { place: Location::File(self.file.path().to_owned()), fallback })
    }

    /// Stores a renewed sign-in where the previous one was found. If that is the keyring, the rules of [`Self::save`]
    /// apply.
    pub(crate) fn save_again(&self, record: &StoredToken, place: &Location) -> Result<Saved> {
        if *place == Location::Keyring {
            return self.save(record);
        }
        let text = record.to_text().map_err(|why| self.failed("write", StoreError::Failed(why.to_string())))?;
        self.file.save(&text).map_err(|trouble| self.failed("write", trouble))?;
        Ok(Saved { place: place.clone(), fallback: None })
    }

    /// Every copy of the sign-in: the keyring may hold an older one besides the one in the file. Blocks for at most a
    /// few seconds.
    pub(crate) fn copies(&self) -> Vec<StoredToken> {
        let texts = [self.file.load(), if self.choice == TokenStore::File { Ok(None) } else { self.keyring.load() }];
        let texts = texts.into_iter().filter_map(|text| text.ok().flatten());
        let records = texts.filter_map(|text| serde_json::from_str::<StoredToken>(&text).ok());
        records.filter(|record| record.base_url == self.base_url).collect()
    }

    /// Deletes every copy of the sign-in. If the keyring fails, returns the reason; a sign-in that is left in it is
    /// never used again. Blocks for at most a few seconds.
    pub(crate) fn delete(&self) -> Result<Option<String>> {
        self.file.delete().map_err(|trouble| self.failed("delete", trouble))?;
        let keyring = match self.choice {
            // The keyring is left alone: it may belong to another user, or ask to be unlocked.
            TokenStore::File => Err(StoreError::Absent("token_store is file".to_owned())),
            _ => self.keyring.delete(),
        };
        let Err(trouble) = keyring else {
            self.forget_signing_out();
            return Ok(None);
        };
        self.remember_signing_out()?;
        Ok(match trouble {
            StoreError::Absent(_) => None,
            trouble => Some(trouble.why()),
        })
    }

    fn remember_signing_out(&self) -> Result<()> {
        if let Some(folder) = self.signed_out.parent() {
            crate::files::private::create_private_folder(folder)?;
        }
        std::fs::write(&self.signed_out, "").map_err(|why| Error::file("write", &self.signed_out, &why))
    }

    fn forget_signing_out(&self) {
        // If the file stays, the next sign-in in the keyring is mistaken for the old one and the user has to sign in
        // again, which does no harm.
        let _ = std::fs::remove_file(&self.signed_out);
    }

    fn parse(&self, text: &str, place: Location) -> Result<Loaded> {
        let record: StoredToken = serde_json::from_str(text).map_err(|_| {
            // The parser's message is left out, since the text holds secrets.
            Error::of(&codes::command::SIGN_IN_UNREADABLE, format!("The stored sign-in in {place} is corrupt."))
        })?;
        if record.base_url == self.base_url { Ok(Loaded::SignIn(Box::new(record), place)) } else { Ok(Loaded::Nothing) }
    }

    fn failed(&self, what: &str, trouble: StoreError) -> Error {
        match trouble {
            StoreError::File(error) => error,
            trouble => Error::of(
                &codes::command::KEYRING,
                format!("Cannot {what} your sign-in in the system's keyring: {}.", trouble.why()),
            ),
        }
    }
}

/// A readable file name, unique to the profile and address.
fn stem(profile: &str, key: &str) -> String {
    let readable: String =
        profile.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').take(32).collect();
    let digest = hex::encode(&Sha256::digest(key.as_bytes())[..6]);
    format!("{readable}-{digest}")
}

/// A secret from text, without surrounding white space such as the newline that a pipe adds.
pub(crate) fn trimmed(text: &str) -> SecretString {
    SecretString::from(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::stored_token::tests::record;
    use crate::errors::Exit;

    fn sign_in_store(home: &Path, profile: &str, base_url: &str) -> SignInStore {
        let folders = Folders::below(home);
        SignInStore::new(&folders, profile, &Url::parse(base_url).expect("url"), TokenStore::File)
    }

    #[test]
    fn each_profile_and_address_has_a_sign_in_of_its_own() {
        let home = tempfile::tempdir().expect("folder");
        let shop = sign_in_store(home.path(), "shop", "https://a.test");
        let saved = shop.save(&record(60)).expect("saved");
        assert!(saved.fallback.is_none());
        assert!(matches!(shop.load(), Ok(Loaded::SignIn(..))));
        for (profile, base_url) in
            [("other", "https://a.test"), ("shop", "https://b.test"), ("sh/op", "https://a.test")]
        {
            assert!(
                matches!(sign_in_store(home.path(), profile, base_url).load(), Ok(Loaded::Nothing)),
                "{profile} {base_url}"
            );
        }
        assert_eq!(shop.delete().expect("deleted"), None);
        assert!(matches!(shop.load(), Ok(Loaded::Nothing)));
    }

    #[test]
    fn the_file_is_private_and_is_not_read_where_it_is_not() {
        use std::os::unix::fs::PermissionsExt as _;

        let home = tempfile::tempdir().expect("folder");
        let sign_in_store = sign_in_store(home.path(), "shop", "https://a.test");
        let Location::File(path) = sign_in_store.save(&record(60)).expect("saved").place else { panic!("a file") };
        let mode = |path: &Path| std::fs::metadata(path).expect("file").permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().expect("folder")), 0o700);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("chmod");
        let error = sign_in_store.load().expect_err("refused");
        assert!(error.message().contains("can be read by others"), "{error}");
    }

    #[test]
    fn what_is_damaged_is_told_without_it() {
        let home = tempfile::tempdir().expect("folder");
        let sign_in_store = sign_in_store(home.path(), "shop", "https://a.test");
        sign_in_store.file.save("{\"access_token\":\"canary\"").expect("saved");
        let error = sign_in_store.load().expect_err("damaged");
        assert_eq!(error.exit(), Exit::SignIn);
        assert!(!format!("{error:?}").contains("canary"));
    }
}
