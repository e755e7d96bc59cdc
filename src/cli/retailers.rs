//! `ordersync retailers`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::shared::{CredentialArgs, MfaArgs};

/// Arguments of `retailers`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  ordersync retailers\n  ordersync retailers --search book\n  ordersync retailers add https://shop.example\n  ordersync retailers -o json"
)]
pub(crate) struct RetailersArgs {
    /// The verb; `list` if none is given.
    #[command(subcommand)]
    pub command: Option<RetailersCommand>,
    #[command(flatten)]
    pub list: ListArgs,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum RetailersCommand {
    /// List the retailers you can connect
    #[command(
        after_help = "Examples:\n  ordersync retailers list\n  ordersync retailers list --search book\n  ordersync retailers list --jq \".[].displayName\""
    )]
    List(ListArgs),
    /// Add a shop by its address
    #[command(
        long_about = "Add a shop by its address.\n\nLooks what the shop runs on, with a handful of requests and without \
            credentials, and adds it to retailers.toml of the local profile. Then you can connect it. Comments and other \
            entries of the file are kept.",
        after_help = "Examples:\n  ordersync retailers add https://shop.example\n  ordersync retailers add shop.example --name \"Lamps and More\" --time-zone Europe/Berlin\n  ordersync retailers add http://192.168.1.20:8000 --allow-private-network"
    )]
    Add(AddArgs),
    /// Remove a shop that you added
    #[command(
        long_about = "Remove a shop that you added.\n\nA shop that is connected is not removed: remove its connection first.",
        after_help = "Examples:\n  ordersync retailers remove \"Lamps and More\"\n  ordersync retailers remove 101 --yes"
    )]
    Remove(RemoveArgs),
    /// Try to read a shop: sign in and show the first orders, without storing anything
    #[command(
        long_about = "Try to read a shop: sign in and show the first orders, without storing anything.\n\nReads up to five \
            pages of the list and its first five orders, with the checks of a sync, and says what is missing, which words are not \
            known, and what each check compared. --save keeps the pages \
            for a bug report: every letter and digit outside of labels, dates, amounts and counts is replaced by another, \
            and what is in scripts, comments and hidden fields is left out. --pages tries saved pages again, without a \
            network and without credentials.",
        after_help = "Examples:\n  ordersync retailers check \"Lamps and More\"\n  ordersync retailers check 101 --save pages\n  ordersync retailers check --pages pages"
    )]
    Check(CheckArgs),
    /// Begin a recipe for a shop that is not known, from your orders there
    #[command(
        long_about = "Begin a recipe for a shop that is not known, from your orders there.\n\nSigns in, reads the list of orders \
            and some orders, and writes a recipe with what it recognized: tables, and columns by their headings; of JSON, the \
            keys by their names, and amounts by what adds up in every order. What a person has to decide is marked in the \
            recipe. The recipe is written beside retailers.toml and added there; what the shop sent is kept in a private \
            folder beside it.",
        after_help = "Examples:\n  ordersync retailers draft https://shop.example/account/orders --name \"Corner Shop\"\n  ordersync retailers draft https://shop.example/orders --sign-in https://shop.example/login\n  ordersync retailers draft 'https://shop.example/store/orders?limit=20&offset=0' --sign-in https://shop.example/auth/login --header 'x-shop-key: pk_1'"
    )]
    Draft(DraftArgs),
}

/// Arguments of `retailers list`.
#[derive(Debug, Default, Args)]
pub(crate) struct ListArgs {
    /// Only retailers whose name contains this text; case and accents do not matter
    #[arg(long, short = 's', value_name = "TEXT")]
    pub search: Option<String>,
}

/// Arguments of `retailers add`, and of `admin retailers add`.
#[derive(Debug, Clone, Args)]
pub(crate) struct AddArgs {
    /// Address of the shop, or of its sign-in page; https if it has no scheme
    #[arg(value_name = "URL")]
    pub url: String,
    /// Name of the shop; default: the one that the shop gives itself
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Allow addresses on this machine and on private networks
    #[arg(long)]
    pub allow_private_network: bool,
    /// Time zone of the shop's dates, Europe/Berlin for example; default: the shop's own
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Currency of the shop, EUR for example; default: the shop's own
    #[arg(long, value_name = "CODE")]
    pub currency: Option<String>,
    /// Language to request the pages in, de for example; default: the shop's own
    #[arg(long, value_name = "TAG")]
    pub locale: Option<String>,
    /// What the shop's platform asks for, such as the key of its interface (repeatable)
    #[arg(long = "value", value_name = "NAME=TEXT")]
    pub values: Vec<String>,
}

/// Arguments of `retailers check`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("shop").required(true).args(["retailer", "pages"]))]
pub(crate) struct CheckArgs {
    /// Shop: a name, part of a name, or an id
    #[arg(value_name = "NAME|ID")]
    pub retailer: Option<String>,
    /// Try the saved pages of this folder
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, conflicts_with = "save")]
    pub pages: Option<PathBuf>,
    /// Save the pages in this folder, which must not exist yet
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub credentials: CredentialArgs,
    #[command(flatten)]
    pub mfa: MfaArgs,
}

/// Arguments of `retailers draft`.
#[derive(Debug, Args)]
pub(crate) struct DraftArgs {
    /// Address of your list of orders, as the browser shows it when you are signed in
    #[arg(value_name = "URL")]
    pub url: String,
    /// Page with the form to sign in, or the address that takes name and password as JSON; default: where URL leads to
    #[arg(long, value_name = "URL")]
    pub sign_in: Option<String>,
    /// Header of every request, such as the key of the shop (repeatable); nothing secret: the recipe has it
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// Field of a sign-in as JSON (repeatable): {username} and {password} in TEXT stand for what you enter, and user.email is a field in user; default: email or username, and password
    #[arg(long = "field", value_name = "NAME=TEXT", requires = "sign_in")]
    pub fields: Vec<String>,
    /// Name of the shop; default: its host
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Allow addresses on this machine and on private networks
    #[arg(long)]
    pub allow_private_network: bool,
    /// Time zone of the shop's dates, Europe/Berlin for example; default: UTC
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Currency of the shop, EUR for example; default: as the symbols say
    #[arg(long, value_name = "CODE")]
    pub currency: Option<String>,
    #[command(flatten)]
    pub credentials: CredentialArgs,
}

/// Arguments of `retailers remove`, and of `admin retailers remove`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RemoveArgs {
    /// Shop, by its whole name or its id
    #[arg(value_name = "NAME|ID")]
    pub retailer: String,
    /// Do not ask
    #[arg(long, short = 'y')]
    pub yes: bool,
}
