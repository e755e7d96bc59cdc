//! Where a sign-in is kept: the system's keyring, or a private file if there is none. Never silently: the caller
//! learns where, and why not in the keyring.

mod file;
mod keyring;

use std::fmt;
use std::path::{Path, PathBuf};

use secrecy::SecretString;
use sha2::{Digest as _, Sha256};
use url::Url;
use zeroize::Zeroizing;

use self::file::FileStore;
use self::keyring::Keyring;
use super::StoredToken;
use crate::codes;
use crate::config::folders::Folders;
use crate::config::sign_in::TokenStore;
use crate::error::{Error, Result};

/// A place for secrets.
trait Store: Send + Sync {
    fn load(&self) -> Result<Option<Zeroizing<String>>, StoreError>;
    fn save(&self, text: &str) -> Result<(), StoreError>;
    fn delete(&self) -> Result<(), StoreError>;
}

/// Why a place cannot be used.
#[derive(Debug)]
enum StoreError {
    /// There is no such place here.
    Absent(String),
    /// It is there, and does not do what it should.
    Failed(String),
    /// A file that cannot be used, told in full.
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

/// Where a sign-in is.
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
    /// A sign-in.
    SignIn(Box<StoredToken>, Location),
    /// Nothing.
    Nothing,
    /// The keyring exists but cannot be read, so it is unknown; why.
    Unknown(String),
}

/// Where something was saved.
#[derive(Debug)]
pub(crate) struct Saved {
    pub place: Location,
    /// Why not in the keyring, where it was to be there.
    pub fallback: Option<String>,
}

/// How it stands with the system's keyring.
#[derive(Debug)]
pub(crate) enum KeyringState {
    /// It answers.
    Answers,
    /// There is none here; how that shows.
    Absent(String),
    /// There is one, and it does not do what it should; why.
    Fails(String),
}

/// The place of one profile's sign-in at one address.
pub(crate) struct SignInStore {
    choice: TokenStore,
    keyring: Keyring,
    file: FileStore,
    lock: PathBuf,
    /// There if the user signed out while the keyring could not be reached: what is found in it later is deleted, not used.
    signed_out: PathBuf,
    base_url: Url,
}

impl fmt::Debug for SignInStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("choice", &self.choice).field("file", &self.file.path()).finish_non_exhaustive()
    }
}

impl SignInStore {
    /// The place of a profile's sign-in at an address.
    #[must_use]
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

    /// The file that a renewing process locks.
    #[must_use]
    pub(crate) fn lock(&self) -> &Path {
        &self.lock
    }

    /// The file that the sign-in is in, where it is in one.
    #[must_use]
    pub(crate) fn file(&self) -> &Path {
        self.file.path()
    }

    /// What is kept. Blocks, for at most a few seconds.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or a keyring that the user chose cannot be.
    pub(crate) fn load(&self) -> Result<Loaded> {
        if let Some(text) = self.file.load().map_err(|trouble| self.failed("read", trouble))? {
            return self.parse(&text, Location::File(self.file.path().to_owned()));
        }
        if self.choice == TokenStore::File {
            return Ok(Loaded::Nothing);
        }
        match self.keyring.load() {
            Ok(Some(_)) if self.signed_out.exists() => {
                // The sign-in of somebody who has signed out since.
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

    /// Whether the keyring answers, and what is the matter where it does not. Blocks, for at most a few seconds.
    #[must_use]
    pub(crate) fn keyring(&self) -> KeyringState {
        match self.keyring.load() {
            Ok(_) => KeyringState::Answers,
            Err(StoreError::Absent(why)) => KeyringState::Absent(why),
            Err(trouble) => KeyringState::Fails(trouble.why()),
        }
    }

    /// Keeps a sign-in in place of the one before. Blocks, for at most a few seconds.
    ///
    /// # Errors
    ///
    /// If it cannot be stored anywhere.
    pub(crate) fn save(&self, record: &StoredToken) -> Result<Saved> {
        let text = record.to_text().map_err(|why| self.failed("write", StoreError::Failed(why.to_string())))?;
        let mut fallback = None;
        if self.choice != TokenStore::File {
            match self.keyring.save(&text) {
                Ok(()) => {
                    self.forget_signing_out();
                    // What is in the file would be found first.
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

    /// Keeps a renewed sign-in where the one before was found.
    ///
    /// # Errors
    ///
    /// If it cannot be stored anywhere.
    pub(crate) fn save_again(&self, record: &StoredToken, place: &Location) -> Result<Saved> {
        if *place == Location::Keyring {
            return self.save(record);
        }
        let text = record.to_text().map_err(|why| self.failed("write", StoreError::Failed(why.to_string())))?;
        self.file.save(&text).map_err(|trouble| self.failed("write", trouble))?;
        Ok(Saved { place: place.clone(), fallback: None })
    }

    /// Every copy of the sign-in: an older one may be in the keyring beside the one in the file. Blocks, for at most a few
    /// seconds.
    #[must_use]
    pub(crate) fn copies(&self) -> Vec<StoredToken> {
        let texts = [self.file.load(), if self.choice == TokenStore::File { Ok(None) } else { self.keyring.load() }];
        let texts = texts.into_iter().filter_map(|text| text.ok().flatten());
        let records = texts.filter_map(|text| serde_json::from_str::<StoredToken>(&text).ok());
        records.filter(|record| record.base_url == self.base_url).collect()
    }

    /// Deletes every copy of the sign-in. If the keyring does not answer, gives the reason; what may be in it is never
    /// used again. Blocks, for at most a few seconds.
    pub(crate) fn delete(&self) -> Result<Option<String>> {
        self.file.delete().map_err(|trouble| self.failed("delete", trouble))?;
        let keyring = match self.choice {
            // It is not asked: it may belong to somebody else, or want to be unlocked.
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
            crate::secret_file::create_private_folder(folder)?;
        }
        std::fs::write(&self.signed_out, "").map_err(|why| Error::file("write", &self.signed_out, &why))
    }

    fn forget_signing_out(&self) {
        // If it stays, a later sign-in in the keyring is taken for the one before, and has to be repeated: no harm is done.
        let _ = std::fs::remove_file(&self.signed_out);
    }

    fn parse(&self, text: &str, place: Location) -> Result<Loaded> {
        let record: StoredToken = serde_json::from_str(text).map_err(|_| {
            // Where exactly is not told: the text holds secrets.
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

/// A file name: readable, and of no other profile and address.
fn stem(profile: &str, key: &str) -> String {
    let readable: String =
        profile.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').take(32).collect();
    let digest: String = Sha256::digest(key.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{readable}-{digest}")
}

/// A secret that came as text, without the line's end that a pipe adds.
#[must_use]
pub(crate) fn trimmed(text: &str) -> SecretString {
    SecretString::from(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::stored_token::tests::record;
    use crate::exit::Exit;

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

    #[cfg(unix)]
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
