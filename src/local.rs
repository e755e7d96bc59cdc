//! The service inside a command: the store in the user's data folder, a listener on a port of the system's choosing, a
//! bearer token that nobody but this process knows.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ordersync_service::config::{
    Config, ConfigError, ConnectionLimits, OtpPolicy, PARALLEL_SYNCS, PARALLEL_SYNCS_PER_RETAILER, RETENTION_DAYS,
    SandboxConfig,
};
use ordersync_service::database::{Database, PostgresAddress};
use ordersync_service::{Keys, SANDBOX_SECRET_PREFIX, Service, StartError, StoreError, StoreTrouble, SystemClock};
use secrecy::SecretString;
use url::Url;
use zeroize::Zeroizing;

use crate::config::folders::Folders;
use crate::config::retailers_file;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::files::{access, private};
use crate::shell;

/// A service that runs in this process.
pub(crate) struct LocalService {
    /// To be stopped at the end.
    pub service: Service,
    /// Where it listens.
    pub base_url: Url,
    /// What signs in the one local user.
    pub token: SecretString,
}

/// Starts the service over the store in the data folder.
pub(crate) async fn start(folders: &Folders, speed: f64) -> Result<LocalService> {
    let token = SecretString::from(random_secret()?.as_str());
    let (service, base_url) = start_here(folders, speed, Some(token.clone())).await?;
    Ok(LocalService { service, base_url, token })
}

/// Starts a sandbox whose users sign in on its pages.
pub(crate) async fn start_for_browsers(folders: &Folders, speed: f64) -> Result<(Service, Url)> {
    start_here(folders, speed, None).await
}

async fn start_here(folders: &Folders, speed: f64, local_token: Option<SecretString>) -> Result<(Service, Url)> {
    private::create_private_folder(&folders.data)?;
    let retailers = folders.config.join(retailers_file::FILE);
    let config = Config {
        database: Database::File(folders.store()),
        secrets: vec![own_key(folders)?],
        public_url: None,
        tls: None,
        behind_proxy: false,
        retailers: retailers.exists().then_some(retailers),
        rate_limit: None,
        parallel_syncs: PARALLEL_SYNCS,
        parallel_syncs_per_retailer: PARALLEL_SYNCS_PER_RETAILER,
        sandbox: Some(SandboxConfig { speed, seed: None }),
        otp_delivery: None,
        otp_policy: OtpPolicy::default(),
        connections: ConnectionLimits::default(),
        retention_days: RETENTION_DAYS,
        local_token,
    };
    let store = folders.store();
    if store.to_str().is_none() {
        return Err(Error::usage(format!("The store cannot be at {}: the path is not UTF-8.", store.display()))
            .hint("Set ORDERSYNC_HOME to a folder whose path is."));
    }
    check_open(&store)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|why| failed(&why.to_string()))?;
    let service = start_service(config, listener).await.map_err(|error| match error.code() {
        code if code == codes::command::ROOT_KEY.code => error.hint(without_key(folders)),
        _ => error,
    })?;
    let base_url = Url::parse(&format!("http://{}", service.address())).map_err(|why| failed(&why.to_string()))?;
    Ok((service, base_url))
}

pub(crate) async fn start_service(config: Config, listener: TcpListener) -> Result<Service> {
    let started = Box::pin(Service::start(config, Arc::new(SystemClock::default()), listener)).await;
    started.map_err(start_error)
}

/// The error of a service that does not start.
pub(crate) fn start_error(why: StartError) -> Error {
    match why {
        StartError::Seed(error) => Error::usage(format!("The seed file cannot be applied: {error}."))
            .hint("Correct the file. A new store takes any seed: name a new file with --database PATH"),
        StartError::RetailersFile(why) => retailers_file::unusable(&why),
        StartError::Retailers(_) => Error::usage(format!("The retailers' configuration cannot be used: {why}."))
            .hint(format!("Give the entry an id above {} in the file of retailers.", retailers_file::SIMULATED)),
        StartError::Config(ConfigError::Several(missing)) => {
            let missing = missing.iter().map(|one| Hint::say(sentence(&one.to_string())));
            let sandbox = Hint::run("To try the service without them", "ordersync serve --sandbox");
            Error::usage("The service does not start: settings are missing.")
                .hint(missing.chain([sandbox]).collect::<Advice>())
        }
        StartError::Environment { .. } => Error::usage(format!("The service does not start: {why}."))
            .hint("Name another file, which is created: --database PATH"),
        StartError::Config(_) | StartError::Tls(_) | StartError::OtpDeliveryInSandbox | StartError::OtpGateway(_) => {
            Error::usage(format!("The service does not start: {why}."))
        }
        StartError::Store { path, error } => store_error(&error, &path),
        StartError::RootKey { ref path, .. } => {
            let hints = [
                Hint::say(format!(
                    "Start the service with the key file that belongs to {path}; several keys may be given, the one \
                     that seals first."
                )),
                Hint::say(
                    "If that key is lost, the credentials in the store are lost with it: start with a new store, and \
                     have users connect their retailers again.",
                ),
            ];
            Error::of(&codes::command::ROOT_KEY, sentence(&why.to_string())).hint(hints)
        }
        why => failed(&why.to_string()),
    }
}

/// The error of a store that does not do its work.
pub(crate) fn store_error(why: &StoreError, path: &str) -> Error {
    match why.trouble() {
        Some(StoreTrouble::Locked) => {
            Error::of(&codes::command::STORE_LOCKED, format!("Another program keeps the store {path} locked.")).hint([
                Hint::run("See which program has it open", format!("lsof {path}")),
                Hint::say("End that program, then run the command again."),
            ])
        }
        Some(trouble @ StoreTrouble::Full) => unwritable(trouble, Path::new(path)),
        Some(StoreTrouble::Away) => {
            Error::of(&codes::command::STORE, format!("The store {path} cannot be reached: {why}."))
                .hint("Is the server running, and does it listen at this address?")
        }
        Some(StoreTrouble::Busy | StoreTrouble::Failing | StoreTrouble::Damaged | StoreTrouble::Newer) | None => {
            if why.trouble() == Some(StoreTrouble::Failing)
                && let Err(error) = check_open(Path::new(path))
            {
                return error;
            }
            let code = match why {
                StoreError::Foreign => &codes::command::STORE_FOREIGN,
                StoreError::BeforeFirst => &codes::command::STORE_TOO_OLD,
                StoreError::Newer(_) => &codes::command::STORE_NEWER,
                StoreError::Outdated => &codes::command::STORE_OUTDATED,
                _ => &codes::command::STORE,
            };
            let error = Error::of(code, format!("The store {path} cannot be used: {why}."));
            if let StoreError::BeforeFirst | StoreError::Newer(_) | StoreError::Outdated = why {
                return error;
            }
            if let StoreError::HalfCopied = why {
                return error.hint([
                    Hint::run(
                        "Run the same command again, which continues",
                        "ordersync admin store copy --from FILE --to POSTGRES",
                    ),
                    Hint::say("Or, to give it up, drop the database and create it again."),
                ]);
            }
            if PostgresAddress::is_meant_by(path) {
                return error.hint([
                    Hint::say("Do the user and the database exist? Make them with: createuser, createdb"),
                    Hint::say("A password is taken from ORDERSYNC_DATABASE_URL, --database @FILE, or PGPASSFILE."),
                ]);
            }
            error
        }
    }
}

/// The error of a store that cannot be written.
pub(crate) fn unwritable(trouble: StoreTrouble, store: &Path) -> Error {
    match trouble {
        StoreTrouble::Full => {
            Error::of(&codes::command::DISK_FULL, format!("There is no room left for the store {}.", store.display()))
        }
        StoreTrouble::Damaged => {
            Error::of(&codes::command::STORE, format!("The store {} is damaged.", store.display()))
        }
        _ => check_open(store).err().unwrap_or_else(|| {
            Error::of(&codes::command::STORE, format!("The store {} cannot be written.", store.display()))
        }),
    }
}

/// Refuses a store that this user may not read and write: a read-only store would fail only at the first write, which
/// is retried for a while.
fn check_open(store: &Path) -> Result<()> {
    let Some(closed) = access::closed(store, &["", ".lock", "-wal", "-shm"]) else { return Ok(()) };
    let (store, shown) = (store.display(), closed.display());
    if access::is_read_only(&closed) {
        let message = format!("The store {store} cannot be used: {shown} is on a file system that is read-only.");
        return Err(Error::of(&codes::command::STORE, message)
            .hint("Make it writable, or set ORDERSYNC_HOME to a folder elsewhere."));
    }
    let message = format!("The store {store} cannot be used: you may not read and write {shown}.");
    Err(Error::of(&codes::command::STORE, message).hint(access::make_it_yours(&closed)))
}

/// A message of the service, as a sentence.
pub(crate) fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).chain(['.']).collect()).unwrap_or_default()
}

/// The root key of the service inside the command.
fn own_key(folders: &Folders) -> Result<SecretString> {
    let path = own_key_path(folders);
    if lacks_key(&folders.store(), &path) {
        // None is made for a store that had another. What is wrong with the store, the service finds out with any key.
        return Ok(SecretString::from(new_key()?.as_str()));
    }
    key(&path).map_err(|error| {
        // A file that can be read is refused for what is in it.
        let is_about_contents = private::read(&path).is_ok();
        if is_about_contents { error.hint(without_key(folders)) } else { access::explained(error, &path) }
    })
}

/// What to do if the key of the service inside the command is not that of its store.
pub(crate) fn without_key(folders: &Folders) -> Advice {
    let key = own_key_path(folders);
    let aside = |path: &Path| {
        let path = path.display().to_string();
        format!("mv {} {}", shell::quoted(&path), shell::quoted(&format!("{path}.broken")))
    };
    let again = "Without that key, the stored credentials are lost. To start over, and connect the retailers again";
    let files = [key.exists().then(|| aside(&key)), Some(aside(&folders.store()))];
    [
        Hint::say(format!("Restore the key from a backup: {}", key.display())),
        Hint::run(again, files.into_iter().flatten().collect::<Vec<_>>().join("; ")),
    ]
    .into()
}

/// Whether the key of the service inside the command exists, and is one of these.
pub(crate) fn own_key_is_among(folders: &Folders, fingerprints: &[String]) -> bool {
    let text = private::read(&own_key_path(folders));
    let keys = text.ok().and_then(|text| Keys::from_secret(&SecretString::from(text.trim())).ok());
    keys.is_some_and(|keys| keys.fingerprints().any(|own| fingerprints.iter().any(|known| known == own)))
}

fn own_key_path(folders: &Folders) -> PathBuf {
    folders.data.join("service.key")
}

/// Whether a store that has something lies there, and the key that it was made with does not.
pub(crate) fn lacks_key(store: &Path, key: &Path) -> bool {
    let is_made = std::fs::metadata(store).is_ok_and(|metadata| metadata.len() > 0);
    is_made && key.symlink_metadata().is_err()
}

/// A sandbox's root key, created if there is none.
pub(crate) fn key(path: &Path) -> Result<SecretString> {
    let text = private::read_or_create(path, new_key)?;
    checked_key(SecretString::from(text.trim()), &path.display().to_string())
}

/// The root keys in a text, one in each line. `source` is for messages.
pub(crate) fn checked_keys(text: &str, source: &str) -> Result<Vec<SecretString>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let keys = lines.map(|line| checked_key(line.into(), source)).collect::<Result<Vec<_>>>()?;
    if keys.is_empty() { Err(no_key(source)) } else { Ok(keys) }
}

fn checked_key(text: SecretString, source: &str) -> Result<SecretString> {
    if Keys::from_secret(&text).is_ok() { Ok(text) } else { Err(no_key(source)) }
}

fn no_key(source: &str) -> Error {
    Error::usage(format!("{source} does not contain a key of 32 bytes in base64.")).hint([
        Hint::run("Make one", "(umask 077; head -c 32 /dev/urandom | base64 > root.key)"),
        Hint::say("A new key does not decrypt what an earlier one encrypted."),
    ])
}

fn new_key() -> Result<Zeroizing<String>> {
    Ok(Zeroizing::new(format!("{SANDBOX_SECRET_PREFIX}{}", random_secret()?.as_str())))
}

/// 32 random bytes, base64url.
fn random_secret() -> Result<Zeroizing<String>> {
    let mut bytes = Zeroizing::new([0_u8; 32]);
    getrandom::fill(bytes.as_mut())
        .map_err(|_| Error::of(&codes::command::SYSTEM, "The system gives no random numbers."))?;
    Ok(Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes.as_slice())))
}

fn failed(why: &str) -> Error {
    Error::of(&codes::command::SERVICE_START, format!("The service cannot start: {}.", why.trim_end_matches('.')))
}
