//! `ordersync admin keys`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::StoreOption;

/// Arguments of `admin keys`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin keys list\n  ordersync admin keys rotate --key-file new.key --key-file root.key\n  ordersync admin keys retire 805f-82f9-95e0-a410"
)]
pub(crate) struct KeysArgs {
    #[command(flatten)]
    pub store: StoreOption,
    #[command(subcommand)]
    pub command: KeysCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// List the root keys of the store by fingerprint, with how many values each seals
    #[command(after_help = "Examples:\n  ordersync admin keys list\n  ordersync admin keys list -o json")]
    List,
    /// Seal everything under the first key that is sealed under an earlier one
    #[command(
        long_about = "Seal everything under the first key that is sealed under an earlier one.\n\nBefore, every process of the \
            service has to run with both keys, the new one first. It may be running meanwhile. After an interruption at any moment, \
            everything can be read with the two keys, and the same command does the rest.",
        after_help = "Examples:\n  ordersync admin keys rotate --key-file new.key --key-file root.key"
    )]
    Rotate {
        /// File with a root key; the new one first, then every earlier one. Or all in ORDERSYNC_SERVICE_KEY. Repeatable
        #[arg(long = "key-file", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        key_files: Vec<PathBuf>,
    },
    /// Retire a key under which nothing is sealed any more
    #[command(
        long_about = "Retire a key under which nothing is sealed any more.\n\nFrom then on, the service starts without it. Before, \
            `admin keys rotate` has to seal everything under the new key, and every process has to seal with that one. Keep the \
            key for as long as you keep backups that were made before the rotation.",
        after_help = "Examples:\n  ordersync admin keys retire 805f-82f9-95e0-a410"
    )]
    Retire {
        /// Fingerprint, from `admin keys list`
        #[arg(value_name = "FINGERPRINT")]
        fingerprint: String,
    },
}
