//! Trying a shop: signs in, reads the list as far as a few pages go and its first orders, as a sync would, and stores nothing. The pages
//! can be saved for a bug report, without anything of the customer's, and tried again without a network.

mod disguise;
mod drive;
mod saved;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ordersync_api::seal::Credentials;
use ordersync_api::{Adjustment, AdjustmentType, CredentialField, Open};
use ordersync_values::zone::Tz;
use secrecy::SecretString;
use serde::Serialize;

pub use self::saved::{BadPages, SavedFile, UnsafePages};
use super::egress::tape::Tape;
pub use super::kit::compared::{TriedCheck, TriedList};
use super::recipe;
use super::retailers_file::{self, RetailersFileError};
use super::{Challenge, Connector};
use crate::domain::order::{LineItem, RetailerOrder};

/// Whether a field of a line is known.
type IsShown = fn(&LineItem) -> bool;

/// How many orders are read.
const ORDERS: usize = 5;
/// How many pages of the list are read.
const LIST_PAGES: u32 = 5;

/// A shop that is tried.
pub struct TrialShop {
    connector: Arc<dyn Connector>,
    entry: toml::Table,
    /// The file beside the entry that describes the shop, if it has one.
    recipe: Option<String>,
    tape: Arc<Tape>,
    /// The name that people know it by.
    pub display_name: String,
    /// What a customer has to give to sign in.
    pub credential_fields: Vec<CredentialField>,
}

/// What was read.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// The first orders of the list that passed their checks.
    pub orders: Vec<TriedOrder>,
    /// The numbers of those that did not.
    pub kept_back: Vec<String>,
    /// The fields that the shop shows of none of the lines.
    pub not_shown: Vec<&'static str>,
    /// Labels of figures whose meaning is not known.
    pub unknown_labels: BTreeSet<String>,
    /// Words for statuses whose meaning is not known.
    pub unknown_statuses: BTreeSet<String>,
    /// How much of the list was read, and what proves its end.
    pub list: Option<TriedList>,
    /// What each check found to compare in the orders.
    pub checks: Vec<TriedCheck>,
    /// Why not everything was read: the checks that failed, or the error that ended the reading.
    pub failure: Option<String>,
    /// Whether that error is that the shop cannot be reached.
    #[serde(skip)]
    pub is_unreachable: bool,
}

/// An order.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedOrder {
    /// The shop's own number.
    pub order_id: String,
    /// RFC 3339, in the time zone of the shop; of a shop without times, the day alone.
    pub order_date: Option<String>,
    /// As the shop shows it.
    pub total: Option<String>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// `None`: the shop does not show them.
    pub adjustments: Option<Vec<Adjustment>>,
    /// Names of figures that do not agree with each other.
    pub mismatch: Vec<String>,
    /// In the shop's order.
    pub items: Vec<TriedItem>,
}

/// A line of an order.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedItem {
    /// As the shop shows it.
    pub item_name: Option<String>,
    /// How many.
    pub quantity: Option<String>,
    /// Price of one.
    pub price: Option<String>,
    /// As the shop shows it.
    pub line_total: Option<String>,
    /// The shop's number of the article.
    pub sku: Option<String>,
    /// The maker.
    pub brand: Option<String>,
    /// The uppermost category.
    pub department: Option<String>,
    /// In the shop's words.
    pub status: Option<String>,
}

impl TrialShop {
    /// The shop of a file of retailers; `None`: the file has none of that id.
    /// Fails if the file cannot be used.
    pub fn of_file(path: &Path, text: &str, id: i64) -> Result<Option<Self>, RetailersFileError> {
        Self::with(path, text, id, Tape::recording())
    }

    /// The shop whose pages were saved in a folder: it needs no network and no credentials.
    /// Fails if the folder has no saved pages, or they cannot be read.
    pub fn of_saved(folder: &Path) -> Result<Self, BadPages> {
        let (entry, exchanges) = saved::read(folder)?;
        let file = folder.join(saved::ENTRY);
        Self::with(&file, &entry, saved::ID, Tape::playing(exchanges))?.ok_or(BadPages::None)
    }

    fn with(path: &Path, text: &str, id: i64, tape: Tape) -> Result<Option<Self>, RetailersFileError> {
        let tape = Arc::new(tape);
        let found = retailers_file::with_tape(path, text, id, Arc::clone(&tape))?;
        Ok(found.map(|(entry, retailer)| {
            let credential_fields = retailer.connector.credential_fields();
            let beside = |name: &str| recipe::read_file(path.parent()?, name).ok();
            let recipe = entry.get(saved::RECIPE_KEY).and_then(toml::Value::as_str).and_then(beside);
            let (connector, display_name) = (retailer.connector, retailer.display_name);
            Self { connector, entry, recipe, tape, display_name, credential_fields }
        }))
    }

    /// Signs in and reads. `answer` gives the answer to what the shop asks for in the sign-in: a code, or the id of a method;
    /// without one, the trial ends there.
    pub async fn run(&self, credentials: &Credentials, answer: &mut (dyn AnswersChallenge + Send)) -> Trial {
        drive::run(&*self.connector, credentials, answer, drive::LONGEST_WAIT, self.time_zone()).await
    }

    /// Reads saved pages. What the customer entered is not needed again: the answers are saved.
    pub async fn run_saved(&self) -> Trial {
        let any = |field: &CredentialField| (field.name.clone(), SecretString::from("saved"));
        let credentials = self.credential_fields.iter().map(any).collect();
        drive::run(&*self.connector, &credentials, &mut AnyAnswer, Duration::ZERO, self.time_zone()).await
    }

    /// In which it shows times.
    fn time_zone(&self) -> Tz {
        let name = self.entry.get("time_zone").and_then(toml::Value::as_str);
        name.and_then(|name| name.parse().ok()).unwrap_or(Tz::UTC)
    }

    /// How many lines of the recipe are marked as something that a person has to decide.
    pub fn undecided(&self) -> usize {
        self.recipe.as_deref().map_or(0, |recipe| recipe.lines().filter(|line| line.contains(recipe::DECIDE)).count())
    }

    /// Whether it has a recipe of its own for answers in JSON.
    pub fn has_json_recipe(&self) -> bool {
        self.recipe_table().get("kind").is_some_and(|kind| kind.as_str() == Some("json"))
    }

    fn recipe_table(&self) -> toml::Table {
        self.recipe.as_deref().and_then(|recipe| recipe.parse().ok()).unwrap_or_default()
    }

    /// Whether the amounts may be in minor units: all are whole numbers, and the recipe does not say which.
    pub fn may_have_minor_units(&self, trial: &Trial) -> bool {
        let says = self.recipe_table().get("amounts").is_some_and(|amounts| amounts.get("minor_units").is_some());
        let lines = trial.orders.iter().flat_map(|order| &order.items).map(|item| &item.line_total);
        let mut amounts = trial.orders.iter().map(|order| &order.total).chain(lines).flatten();
        let is_whole = |amount: &String| amount.strip_suffix(".00").is_some_and(|whole| whole.len() > 1);
        self.has_json_recipe() && !says && !trial.orders.is_empty() && amounts.all(is_whole)
    }

    /// The pages of the trial, without anything of the customer's.
    /// Fails if something of the customer's would be left in them.
    pub fn saved(&self, credentials: &Credentials, trial: &Trial) -> Result<Vec<SavedFile>, UnsafePages> {
        saved::files(&self.entry, self.recipe.as_deref(), &self.tape.exchanges(), credentials, trial)
    }
}

/// Answers what a shop asks for in the sign-in.
#[async_trait::async_trait]
pub trait AnswersChallenge {
    /// The answer to a question: the id of one of the options, or the code if there are none. `None`: there is no answer.
    async fn answer(&mut self, prompt: &str, options: &[(String, String)]) -> Option<SecretString>;
}

/// For saved pages, which take any answer.
struct AnyAnswer;

#[async_trait::async_trait]
impl AnswersChallenge for AnyAnswer {
    async fn answer(&mut self, _: &str, options: &[(String, String)]) -> Option<SecretString> {
        Some(options.first().map_or("000000", |(id, _)| id).into())
    }
}

impl Trial {
    fn new(
        orders: &[RetailerOrder],
        kept_back: Vec<String>,
        (list, mut checks): (Option<TriedList>, Vec<TriedCheck>),
        failure: Option<String>,
        zone: Tz,
    ) -> Self {
        for check in &mut checks {
            let is_marked = |order: &&RetailerOrder| order.mismatch.iter().any(|mark| mark.check == check.mark);
            check.failed += orders.iter().filter(is_marked).count();
        }
        let items = || orders.iter().flat_map(|order| &order.items);
        let shown: [(&'static str, IsShown); 6] = [
            ("price", |item| item.unit_price.is_some()),
            ("sku", |item| item.sku.is_some()),
            ("brand", |item| item.brand.is_some()),
            ("department", |item| item.department.is_some()),
            ("status", |item| item.shipment_text.is_some()),
            ("lineTotal", |item| item.line_total.is_some()),
        ];
        let has_items = items().next().is_some();
        let is_missing = |is_shown: &IsShown| has_items && !items().any(is_shown);
        let not_shown = shown.iter().filter(|(_, is_shown)| is_missing(is_shown)).map(|(name, _)| *name).collect();
        let adjustments = orders.iter().flat_map(|order| order.adjustments.iter().flatten());
        let other = adjustments.filter(|adjustment| adjustment.kind.is(&AdjustmentType::Other));
        let statuses = items().filter(|item| matches!(item.shipment_status, Some(Open::Other(_))));
        Self {
            orders: orders.iter().map(|order| TriedOrder::of(order, zone)).collect(),
            kept_back,
            not_shown,
            unknown_labels: other.filter_map(|adjustment| adjustment.text.clone()).collect(),
            unknown_statuses: statuses.filter_map(|item| item.shipment_text.clone()).collect(),
            list,
            checks,
            failure,
            is_unreachable: false,
        }
    }

    /// Whether two trials differ in nothing but words: the same dates, amounts, counts and statuses, and the same missing.
    pub fn has_shape_of(&self, other: &Self) -> bool {
        self.shape() == other.shape()
    }

    fn shape(&self) -> Shape {
        let Self { orders, kept_back, not_shown, failure, .. } = self;
        let orders = orders.iter().map(TriedOrder::shape).collect();
        Shape { orders, kept_back: kept_back.len(), not_shown: not_shown.clone(), has_failure: failure.is_some() }
    }
}

/// A trial without its words.
#[derive(PartialEq, Eq)]
struct Shape {
    orders: Vec<Vec<String>>,
    kept_back: usize,
    not_shown: Vec<&'static str>,
    has_failure: bool,
}

impl TriedOrder {
    /// Date, amounts, counts and statuses.
    fn shape(&self) -> Vec<String> {
        let Self { order_date, total, currency, mismatch, items, adjustments, .. } = self;
        let amounts = adjustments.iter().flatten().map(|one| format!("{:?}", one.amount));
        let item = |TriedItem { quantity, price, line_total, sku, status, .. }: &TriedItem| {
            format!("{quantity:?} {price:?} {line_total:?} {} {status:?}", sku.is_some())
        };
        let head = format!("{order_date:?} {total:?} {currency:?} {mismatch:?}");
        std::iter::once(head).chain(amounts).chain(items.iter().map(item)).collect()
    }

    fn of(order: &RetailerOrder, zone: Tz) -> Self {
        Self {
            order_id: order.order_id.clone(),
            order_date: order.placed_at.map(|at| {
                let at = at.with_timezone(&zone);
                if order.is_day_alone {
                    at.date_naive().to_string()
                } else {
                    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
                }
            }),
            total: order.total.map(|total| total.to_string()),
            currency: order.currency.clone(),
            adjustments: order.adjustments.clone(),
            mismatch: order.mismatch.iter().map(|mismatch| mismatch.check.clone()).collect(),
            items: order.items.iter().map(TriedItem::of).collect(),
        }
    }
}

impl TriedItem {
    fn of(item: &LineItem) -> Self {
        Self {
            item_name: item.title.clone(),
            quantity: item.quantity.map(|quantity| quantity.to_string()),
            price: item.unit_price.map(|price| price.to_string()),
            line_total: item.line_total.map(|total| total.to_string()),
            sku: item.sku.clone(),
            brand: item.brand.clone(),
            department: item.department.clone(),
            status: item.shipment_text.clone(),
        }
    }
}

/// The options of a challenge, as id and label.
fn options(challenge: &Challenge) -> Vec<(String, String)> {
    match &challenge.kind {
        super::ChallengeKind::Enter => Vec::new(),
        super::ChallengeKind::Choose(options) => {
            options.iter().map(|option| (option.id.clone(), option.label.clone())).collect()
        }
    }
}
