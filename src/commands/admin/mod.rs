//! `ordersync admin`: works on the service's own files.

mod archive;
mod audit;
mod clients;
mod copy;
mod import;
mod keys;
mod redelete;
mod retailers;
mod sessions;
mod store;
mod users;

use std::path::PathBuf;

use ordersync_service::admin::{Admin, AdminError, KeyRefusal};
use ordersync_service::database::Database;
use ordersync_service::{Keys, SystemClock, is_phone_number};

use super::serve;
use crate::cli::admin::{AdminArgs, AdminCommand};
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};
use crate::{env, local};

/// Carries out a verb on the service's own store.
pub(super) async fn run(context: &Context, arguments: AdminArgs) -> Result<()> {
    if let Some(database) = arguments.command.database() {
        context.works_on(database);
    }
    carry_out(context, arguments.command).await.map_err(|error| context.on_same_store(error))
}

async fn carry_out(context: &Context, command: AdminCommand) -> Result<()> {
    match command {
        AdminCommand::Clients(arguments) => clients::run(context, arguments).await,
        AdminCommand::Sessions(arguments) => sessions::run(context, arguments).await,
        AdminCommand::Users(arguments) => users::run(context, arguments).await,
        AdminCommand::Retailers(arguments) => Box::pin(retailers::run(context, arguments)).await,
        AdminCommand::Store(arguments) => store::run(context, arguments).await,
        AdminCommand::Keys(arguments) => keys::run(context, arguments).await,
        AdminCommand::Audit(arguments) => audit::run(context, arguments).await,
    }
}

/// How the store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Neither the file nor anything beside it changes.
    Read,
    Write,
}

/// Opens the store, does what `act` does, and closes it.
async fn with_store<T>(
    context: &Context,
    database: Option<&str>,
    access: Access,
    act: impl AsyncFnOnce(&Admin<'_>) -> std::result::Result<T, Failed>,
) -> Result<T> {
    let database = existing(serve::database(context, database)?)?;
    let clock = SystemClock::default();
    let admin = match access {
        Access::Read => Admin::open_read_only(&database, &clock).await,
        Access::Write => Admin::open(&database, &clock, operator()).await,
    };
    let admin = admin.map_err(|why| failed(why, &database))?;
    let result = act(&admin).await;
    admin.close().await;
    result.map_err(|why| match why {
        Failed::Admin(why) => failed(why, &database),
        Failed::Command(error) => error,
    })
}

/// The account that the operator works under, for the audit log.
fn operator() -> String {
    whoami::username().unwrap_or_else(|_| "unknown".to_owned())
}

/// Why a verb failed.
enum Failed {
    Admin(AdminError),
    Command(Error),
}

impl From<AdminError> for Failed {
    fn from(why: AdminError) -> Self {
        Self::Admin(why)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Command(error)
    }
}

/// The root keys of files, or else of the environment. `why` says what for, if none is given.
fn given_keys(context: &Context, files: &[PathBuf], why: &str) -> Result<Keys> {
    let secrets = serve::given_keys(context, files)?.ok_or_else(|| {
        Error::usage(format!("{why}, and none is given."))
            .hint(format!("Give --key-file FILE, or set {}.", env::SERVICE_KEY.name))
    })?;
    Keys::from_ring(&secrets).map_err(|why| Error::usage(format!("The root key cannot be used: {why}.")))
}

/// The root keys under which a phone number is stored, if there is one. `why` as for [`given_keys`].
fn phone_keys(context: &Context, phone: Option<&str>, files: &[PathBuf], why: &str) -> Result<Option<Keys>> {
    match phone {
        Some(phone) if !is_phone_number(phone) => Err(Error::usage(format!("\"{phone}\" is no phone number."))
            .hint("Write it with the country's prefix and without spaces, such as +14155550101.")),
        Some(_) => given_keys(context, files, why).map(Some),
        None => Ok(None),
    }
}

fn key_refused(refusal: &KeyRefusal, sentence: String) -> Error {
    match refusal {
        KeyRefusal::NotCurrent { .. } => Error::usage(sentence)
            .hint("Restart every process of the service with the new key first and the earlier ones behind it; then run this again."),
        KeyRefusal::Missing(_) => Error::usage(sentence).hint("Give every key of the service with --key-file, the new one first."),
        KeyRefusal::Foreign { .. } => Error::of(&codes::command::ROOT_KEY, sentence)
            .hint("Give the key file that belongs to this store with --key-file, or the store of this key with --database."),
        KeyRefusal::Unknown(_) => {
            Error::not_found(sentence).hint(Hint::run("See them all", "ordersync admin keys list"))
        }
        KeyRefusal::Current(_) => Error::usage(sentence)
            .hint("Put a new key first in every process of the service before you retire this one."),
        KeyRefusal::InUse { .. } | KeyRefusal::FindsUsers(_) => Error::usage(sentence).hint(Hint::run(
            "Seal everything under the current key first",
            "ordersync admin keys rotate --key-file NEW --key-file OLD",
        )),
    }
}

/// A mistyped path is no reason to make a store.
fn existing(database: Database) -> Result<Database> {
    let Some(path) = database.file().filter(|path| !path.is_file()) else { return Ok(database) };
    Err(Error::not_found(format!("There is no store {}.", path.display()))
        .hint("Name the service's own with --database PATH; `ordersync serve` creates it when it first starts."))
}

fn failed(why: AdminError, database: &Database) -> Error {
    let sentence = local::sentence(&why.to_string());
    match why {
        AdminError::Invalid(_) | AdminError::OwnBackups | AdminError::Public(_) | AdminError::Enabled(_) => {
            Error::usage(sentence)
        }
        AdminError::Unknown(_) => {
            Error::not_found(sentence).hint(Hint::run("See them all", "ordersync admin clients list"))
        }
        AdminError::NoSession(_) => {
            Error::not_found(sentence).hint(Hint::run("See those that are not over", "ordersync admin sessions list"))
        }
        AdminError::NoUser(_) => {
            Error::not_found(sentence).hint(Hint::run("Find the user", "ordersync admin users find --phone +NUMBER"))
        }
        AdminError::NotAudited(_) => Error::not_found(sentence)
            .hint("Entries are removed after 400 days. Give the id of one that the last list shows."),
        AdminError::Import(refusal) => import::refused(&refusal, sentence),
        AdminError::Key(refusal) => key_refused(&refusal, sentence),
        AdminError::NotDeleted(_) => Error::of(&codes::command::FAULT, sentence),
        AdminError::Write(why) => Error::of(&codes::command::SYSTEM, format!("The file cannot be written: {why}.")),
        AdminError::NotBound { .. } => Error::not_found(sentence)
            .hint("Identifiers are compared to the letter. Does the client name this one in POST /v1/link/token?"),
        AdminError::Store(why) => local::store_error(&why, &database.to_string()),
        AdminError::Randomness(_) => Error::of(&codes::command::SYSTEM, sentence),
    }
}
