//! `ordersync admin users`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::StoreOption;

/// Arguments of `admin users`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin users find --phone +14155550101 --key-file root.key\n  ordersync admin users export user_1 --out user.zip\n  ordersync admin users import user.zip --dry-run\n  ordersync admin users delete user_1\n  ordersync admin users redelete audit.jsonl --dry-run\n  ordersync admin users unbind --client client_1 --external-user-id customer-42 --database /srv/ordersync/serve.sqlite3"
)]
pub(crate) struct UsersArgs {
    #[command(flatten)]
    pub store: StoreOption,
    #[command(subcommand)]
    pub command: UsersCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    /// Find a user by id, phone number, or a client's own identifier
    #[command(
        long_about = "Find a user by id, phone number, or a client's own identifier.\n\nThe store has no phone numbers, only \
            digests under the service's root key. So a phone number needs that key: --key-file, or ORDERSYNC_SERVICE_KEY.",
        after_help = "Examples:\n  ordersync admin users find user_1\n  ordersync admin users find --phone +14155550101 --key-file root.key\n  ordersync admin users find --client client_1 --external-user-id customer-42"
    )]
    Find(FindArgs),
    /// Write everything that is stored of a user into a zip archive
    #[command(
        long_about = "Write everything that is stored of a user into a zip archive: a file of JSON lines for each table that has \
            rows of the user, and a manifest. `admin users import` stores it in another store.\n\nWhat only the service can read is \
            left out: credentials, documents, sign-ins at retailers, digests of tokens.",
        after_help = "Examples:\n  ordersync admin users export user_1 --out user.zip"
    )]
    Export {
        /// User id, from `admin users find`
        #[arg(value_name = "ID")]
        id: String,
        /// Archive to write; a file that exists is not replaced
        #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        out: PathBuf,
    },
    /// Store a user from an archive of `users export`
    #[command(
        long_about = "Store a user from an archive of `users export`: every row as it was exported, or nothing at all.\n\n\
            The archive has no credentials, sign-ins and documents. So the user signs in again, connections are invalid until the user \
            fixes them, and syncs that were under way are ended. The command lists what is missing.\n\n\
            It refuses a user who is in the store, or was deleted from it. Without --phone, the service needs the root \
            keys of the archive's service: by them, the user is found when signing in. The store has to have been served once, in the \
            archive's environment, by the version that wrote the archive.",
        after_help = "Examples:\n  ordersync admin users import user.zip --dry-run\n  ordersync admin users import user.zip --client client_1=client_2 --phone +14155550101 --key-file root.key --database postgres://orders@db.example/shop"
    )]
    Import(ImportUserArgs),
    /// Delete a user with all connections, orders and sign-ins
    #[command(
        long_about = "Delete a user with all connections, orders and sign-ins, and count what was deleted and what is left.\n\n\
            A sync that is running stores nothing more. The phone number may sign in again, as a new user. Backups that were \
            made before still have the user.",
        after_help = "Examples:\n  ordersync admin users delete user_1\n  ordersync admin users delete user_1 --yes -o json"
    )]
    Delete {
        /// User id, from `admin users find`
        #[arg(value_name = "ID")]
        id: String,
        /// Delete without a question
        #[arg(long, short = 'y')]
        yes: bool,
    },
    /// Delete users again who are back after a restore
    #[command(
        long_about = "Delete users again who are back after a restore.\n\nThe audit log of the time after the backup says who was \
            deleted. FILE holds what `ordersync admin audit -o jsonl` (or -o json) printed of it. Those of them who are in the \
            store are deleted, as by `users delete`; the others are counted. The command may be repeated.",
        after_help = "Examples:\n  ordersync admin users redelete audit.jsonl --dry-run\n  ordersync admin users redelete audit.jsonl --yes"
    )]
    Redelete {
        /// Entries of the audit log, as JSON lines or a JSON list
        #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        file: PathBuf,
        /// Only list whom it would delete
        #[arg(long, conflicts_with = "yes")]
        dry_run: bool,
        /// Delete without a question
        #[arg(long, short = 'y')]
        yes: bool,
    },
    /// Unbind a client's own user identifier, after USER_ALREADY_BOUND
    #[command(
        long_about = "Unbind a client's own user identifier, after USER_ALREADY_BOUND.\n\nThe next sign-in with a link \
            token of that identifier binds it anew, to the user who signs in there. Connections, orders and what the \
            former user shares with the client stay as they are.",
        after_help = "Examples:\n  ordersync admin users unbind --client client_1 --external-user-id customer-42"
    )]
    Unbind {
        /// Client id, from `admin clients list`
        #[arg(long, value_name = "ID")]
        client: String,
        /// The client's own identifier of the user (external_user_id)
        #[arg(long, value_name = "ID")]
        external_user_id: String,
    },
}

/// Arguments of `admin users import`.
#[derive(Debug, Args)]
pub(crate) struct ImportUserArgs {
    /// Archive, from `admin users export`
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,
    /// Check everything, and store nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The user's phone number, with the country's prefix, for a service with another root key
    #[arg(long, value_name = "+NUMBER")]
    pub phone: Option<String>,
    /// File with the service's root key, for --phone; or ORDERSYNC_SERVICE_KEY. Repeatable
    #[arg(long = "key-file", value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "phone")]
    pub key_files: Vec<PathBuf>,
    /// Client of the archive, and the one of this store that takes its place. Repeatable
    #[arg(long = "client", value_name = "OLD=NEW")]
    pub clients: Vec<String>,
    /// Import the user although they were deleted from this store
    #[arg(long)]
    pub restore_deleted: bool,
}

/// Arguments of `admin users find`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("user").required(true).args(["id", "phone", "client"]))]
#[group(skip)]
pub(crate) struct FindArgs {
    /// User id
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// Phone number, with the country's prefix
    #[arg(long, value_name = "+NUMBER")]
    pub phone: Option<String>,
    /// File with the service's root key; or ORDERSYNC_SERVICE_KEY. Repeatable
    #[arg(long = "key-file", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub key_files: Vec<PathBuf>,
    /// Client id, from `admin clients list`
    #[arg(long, value_name = "ID", requires = "external_user_id")]
    pub client: Option<String>,
    /// The client's own identifier of the user
    #[arg(long, value_name = "ID", requires = "client")]
    pub external_user_id: Option<String>,
}
