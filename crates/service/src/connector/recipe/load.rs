//! Reading a recipe: one that ships with the program or the operator's own, with the operator's changes, checked as a whole.

use std::path::{Component, Path};

use toml::{Table, Value};

use super::format::{DateKind, End, Recipe};
use super::json::{JsonRecipe, When};
use super::value::{Address, At, Place};
use super::{CheckedRecipe, Kind};
use crate::connector::kit::line_tax::LineTax;
use crate::connector::kit::shows::{Counted, Presence};
use crate::small_file;

/// The platforms whose recipes ship with the program: what the file of retailers calls them, and the recipes of `recipes/`. A new
/// one is a further file there.
pub(in crate::connector) const PLATFORMS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/recipes.rs"));

/// The recipe of a platform.
#[cfg(test)]
pub(super) fn shipped(wanted: &str) -> &'static str {
    PLATFORMS.iter().find(|(name, _)| *name == wanted).map_or("", |(_, text)| text)
}
/// The largest recipe, in bytes.
const MAX_RECIPE: u64 = 256 * 1024;
/// The keys whose words an operator's change adds to, and does not replace.
const WORDS: &str = "words";

/// Reads the operator's own recipe, beside the file of retailers.
/// The error says what is wrong with the name or the file.
pub(in crate::connector) fn read_file(folder: &Path, name: &str) -> Result<String, String> {
    let path = Path::new(name);
    let is_beside = !name.is_empty() && path.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_beside {
        return Err(format!("recipe: \"{name}\" has to be the name of a file beside this one, such as \"shop.toml\""));
    }
    let path = folder.join(path);
    small_file::read(&path, MAX_RECIPE).map_err(|error| format!("recipe: {} cannot be read: {error}", path.display()))
}

impl CheckedRecipe {
    /// A recipe with the operator's changes. `name` is that of the recipe in messages.
    /// The error says what is wrong: the recipe, or `recipe_changes`, then the key and what would be right.
    pub(in crate::connector) fn load(name: &str, text: &str, changes: Option<&Table>) -> Result<Self, String> {
        let mut table: Table =
            toml::from_str(text).map_err(|error| format!("{name}: {}", error.to_string().trim_end()))?;
        if let Some(changes) = changes {
            if let Some(key) = ["recipe", "kind", "name"].iter().find(|key| changes.contains_key(**key)) {
                return Err(format!("recipe_changes.{key}: cannot be changed; leave it out"));
            }
            change(&mut table, changes, false);
        }
        // A key that the operator changed is the operator's.
        let place = |key: &str| {
            let is_changed = changes.is_some_and(|changes| is_in(changes, key));
            if is_changed { format!("recipe_changes.{key}") } else { format!("{name}: {key}") }
        };
        let unread = |error: serde_path_to_error::Error<toml::de::Error>| {
            let message = error.inner().message().trim_end().to_owned();
            match error.path().to_string().as_str() {
                "." => format!("{name}: {message}"),
                key => format!("{}: {message}", place(key)),
            }
        };
        let is_json = match table.get("kind").map(Value::as_str) {
            None | Some(Some("pages")) => false,
            Some(Some("json")) => true,
            Some(_) => return Err(format!("{}: has to be \"pages\" or \"json\"", place("kind"))),
        };
        let (recipe, contradiction) = if is_json {
            let recipe: JsonRecipe = serde_path_to_error::deserialize(Value::Table(table)).map_err(unread)?;
            let contradiction = recipe.contradiction();
            (Kind::Json(Box::new(recipe)), contradiction)
        } else {
            table.remove("kind");
            let recipe: Recipe = serde_path_to_error::deserialize(Value::Table(table)).map_err(unread)?;
            let contradiction = recipe.contradiction();
            (Kind::Pages(Box::new(recipe)), contradiction)
        };
        match contradiction {
            Some((key, message)) => Err(format!("{}: {message}", place(key))),
            None => Ok(Self(recipe)),
        }
    }
}

/// Puts changes into a recipe. Words are added to those that are there; everything else is replaced.
fn change(recipe: &mut Table, changes: &Table, are_words: bool) {
    for (key, new) in changes {
        let are_words = are_words || key == WORDS;
        match (recipe.get_mut(key), new) {
            (Some(Value::Table(old)), Value::Table(new)) => change(old, new, are_words),
            (Some(Value::Array(old)), Value::Array(new)) if are_words => old.extend(new.iter().cloned()),
            _ => {
                recipe.insert(key.clone(), new.clone());
            }
        }
    }
}

/// Whether a table has a key such as `list.row`, or a part of it.
fn is_in(table: &Table, key: &str) -> bool {
    let mut here = table;
    for part in key.split(['.', '[']) {
        match here.get(part) {
            Some(Value::Table(below)) => here = below,
            Some(_) => return true,
            None => return false,
        }
    }
    true
}

impl Recipe {
    /// Whether an address has `{account}`.
    pub(super) fn uses_account(&self) -> bool {
        self.addresses().any(|(_, address)| address.has("{account}"))
    }

    fn addresses(&self) -> impl Iterator<Item = (&'static str, &Address)> {
        let next = self.list.next_page.as_ref().map(|address| ("list.next_page", address));
        let filtered = self.list.filtered.as_ref().map(|address| ("list.filtered", address));
        [
            ("sign_in.page", &self.sign_in.page),
            ("list.page", &self.list.page),
            ("list.order_page", &self.list.order_page),
        ]
        .into_iter()
        .chain(next)
        .chain(filtered)
    }

    /// A key that contradicts another, and what would be right.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        self.wrong_address()
            .or_else(|| self.wrong_end())
            .or_else(|| self.wrong_place())
            .or_else(|| self.wrong_rows())
            .or_else(|| self.wrong_product())
            .or_else(|| self.wrong_empty())
            .or_else(|| self.wrong_status())
            .or_else(|| self.wrong_figure())
            .or_else(|| self.wrong_words())
            .or_else(|| self.wrong_answer())
    }

    fn wrong_answer(&self) -> Option<(&'static str, String)> {
        if self.sign_in.refusal.is_none() && !self.sign_in.locked.is_empty() {
            return Some(("sign_in.locked", "is what `sign_in.refusal` says, which is missing".to_owned()));
        }
        let answer = self.sign_in.answer.as_ref()?;
        let wrong = answer.refused.iter().chain(&answer.locked).find_map(When::contradiction)?;
        Some(("sign_in.answer", format!("a condition {wrong}")))
    }

    fn wrong_address(&self) -> Option<(&'static str, String)> {
        for (key, address) in self.addresses() {
            if address.has("{account}") && self.account_path.is_none() {
                return Some(("account_path", format!("is missing, but `{key}` has {{account}}")));
            }
            if address.has("{page}") != (key == "list.next_page") {
                return Some((key, "{page} belongs into `list.next_page`, and nowhere else".to_owned()));
            }
            if ["{from}", "{to}"].iter().any(|name| address.has(name) != (key == "list.filtered")) {
                return Some((key, "{from} and {to} belong into `list.filtered`, and nowhere else".to_owned()));
            }
        }
        let next = self.list.next_page.as_ref().and_then(|next| next.as_str().split("{page}").next());
        if next == Some(self.list.order_page.as_str()) {
            return Some(("list.next_page", "looks like the address of an order, `list.order_page`".to_owned()));
        }
        let account = self.account_path.as_ref()?;
        account.has("{").then(|| ("account_path", "cannot have a name in braces".to_owned()))
    }

    fn wrong_end(&self) -> Option<(&'static str, String)> {
        let (end, list) = (self.list.end, &self.list);
        if matches!(end, End::NextLink | End::NextLinkRepeats) != list.next_link.is_some() {
            return Some(("list.next_link", "belongs to `end = \"next_link\"`, which needs it".to_owned()));
        }
        if (end == End::OnePage) == list.next_page.is_some() {
            return Some((
                "list.next_page",
                "is needed unless `end = \"one_page\"`, and must then be left out".to_owned(),
            ));
        }
        let has_numeric = list.numeric_dates.is_some();
        (has_numeric && list.date_shown != DateKind::Day)
            .then(|| ("list.numeric_dates", "is for `date_shown = \"day\"` only".to_owned()))
    }

    fn wrong_place(&self) -> Option<(&'static str, String)> {
        let is_heading = |place: &Place| matches!(place.at, At::Heading(_));
        let on_page = [
            ("order.number", self.order.number.as_ref()),
            ("order.date", self.order.date.as_ref()),
            ("order.history_date", self.order.history_date.as_ref()),
            ("order.status", self.order.status.as_ref()),
            ("order.label", Some(&self.order.label)),
            ("order.amount", Some(&self.order.amount)),
            ("order.shipping_name", self.order.shipping_name.as_ref()),
        ];
        if let Some((key, _)) = on_page.into_iter().find(|(_, place)| place.is_some_and(is_heading)) {
            return Some((key, "is in no column; use `select`".to_owned()));
        }
        let marked = [
            ("list.total", Some(&self.list.total)),
            ("order.unit_price", self.order.unit_price.as_ref()),
            ("order.amount", Some(&self.order.amount)),
        ];
        let totals = self.order.total.0.iter().map(|place| ("order.total", Some(place)));
        let is_part = |place: &Place| place.own_text || place.pattern.is_some();
        let with_part = marked.into_iter().chain(totals).find(|(_, place)| place.is_some_and(is_part));
        if let Some((key, _)) = with_part.filter(|_| self.amounts.mark.is_some()) {
            return Some((
                key,
                "cannot have a pattern or `own_text`, because `amounts.mark` says what is read".to_owned(),
            ));
        }
        if is_part(&self.order.title) {
            return Some((
                "order.title",
                "cannot have a pattern or `own_text`; use `order.title_aside` or `order.title_joined`".to_owned(),
            ));
        }
        let needs_mark = self.amounts.aside.is_some() || self.amounts.included_tax.is_some() || self.order.struck;
        (needs_mark && self.amounts.mark.is_none())
            .then(|| ("amounts.mark", "is needed for `aside`, `included_tax` and `order.struck`".to_owned()))
    }

    /// What takes the place of selectors in pages without classes.
    fn wrong_rows(&self) -> Option<(&'static str, String)> {
        let (list, order) = (&self.list, &self.order);
        let is_heading = |place: &Place| matches!(place.at, At::Heading(_));
        if list.filter.is_some() != list.filtered.is_some() {
            return Some(("list.filter", "belongs to `list.filtered`, which needs it".to_owned()));
        }
        if list.number_in_address && (list.link.is_some() || list.number.pattern.is_some()) {
            return Some((
                "list.number_in_address",
                "cannot be beside `list.link` or a pattern of `list.number`".to_owned(),
            ));
        }
        if order.number.is_some() == order.named_in.is_some() {
            return Some(("order.number", "is needed, or `order.named_in` in its place".to_owned()));
        }
        if order.status.is_some() && !order.status_below.is_empty() {
            return Some(("order.status_below", "takes the place of `order.status`: leave one out".to_owned()));
        }
        if order.line.is_some() {
            return None;
        }
        let is_named =
            is_heading(&order.title) && order.quantity.0.iter().any(is_heading) && order.total.0.iter().any(is_heading);
        let has_rows = order.figure.is_some() || order.figure_pairs || order.figures_table.is_some();
        let needs = "is needed unless title, quantity and total are named by headings, and `figure`, `figure_pairs` and \
                     `figures_table` are left out";
        (!is_named || has_rows).then(|| ("order.line", needs.to_owned()))
    }

    /// Only one source may say which SKU a line has.
    fn wrong_product(&self) -> Option<(&'static str, String)> {
        if self.order.sku.is_some() && self.order.has_record() {
            return Some(("order.sku", "cannot be beside `order.product_api`, which gives the SKU".to_owned()));
        }
        let page = self.product_page.as_ref()?;
        if self.order.has_record() {
            return Some(("product_page", "cannot be beside `order.product_api`".to_owned()));
        }
        (page.sku.is_empty() && !page.without_sku.is_empty())
            .then(|| ("product_page.without_sku", "belongs to `product_page.sku`, which is missing".to_owned()))
    }

    /// An empty list must not look like one that cannot be read.
    fn wrong_empty(&self) -> Option<(&'static str, String)> {
        let (list, has_words) = (&self.list, !self.words.no_orders.is_empty());
        match (&list.empty, list.empty_table) {
            (None, false) => Some((
                "list.empty",
                "is needed: where an empty list says that it is empty. If it is a table with headings and nothing else, \
                 write `empty_table = true` instead"
                    .to_owned(),
            )),
            (Some(_), true) => Some(("list.empty_table", "takes the place of `list.empty`: leave one out".to_owned())),
            (Some(_), false) if !has_words => Some((
                "words.no_orders",
                "needs what an empty list says, such as \"you have no orders\"".to_owned(),
            )),
            (None, _) if list.empty_aside.is_some() => {
                Some(("list.empty_aside", "belongs to `list.empty`, which is missing".to_owned()))
            }
            (None, true) if has_words => {
                Some(("words.no_orders", "belongs to `list.empty`, which is missing".to_owned()))
            }
            _ => None,
        }
    }

    fn wrong_status(&self) -> Option<(&'static str, String)> {
        let (in_list, on_page) =
            (self.list.status.is_some(), self.order.status.is_some() || !self.order.status_below.is_empty());
        match (in_list, on_page, self.shows.status) {
            (false, false, Presence::Always | Presence::AtTimes) => Some((
                "order.status",
                "is needed, or `list.status`. If the shop shows no status, write `shows.status = \"never\"`".to_owned(),
            )),
            (true, _, Presence::Never) => {
                Some(("list.status", "cannot be, because `shows.status` is \"never\"".to_owned()))
            }
            (_, true, Presence::Never) => {
                Some(("order.status", "cannot be, because `shows.status` is \"never\"".to_owned()))
            }
            _ => None,
        }
    }

    fn wrong_figure(&self) -> Option<(&'static str, String)> {
        if self.order.line.is_some() && self.order.figure.is_some() == self.order.figure_pairs {
            return Some((
                "order.figure",
                "is needed unless `figure_pairs = true`, and must then be left out".to_owned(),
            ));
        }
        let has_both = self.shows.basket != Presence::Never && self.shows.tax != Presence::Never;
        if self.shows.line_tax == LineTax::Included && !has_both {
            return Some(("shows.line_tax", "\"included\" needs a basket total and taxes, which prove it".to_owned()));
        }
        if (self.shows.items == Counted::Nothing) == self.list.items.is_some() {
            return Some((
                "list.items",
                "is needed unless `shows.items = \"nothing\"`, and must then be left out".to_owned(),
            ));
        }
        if self.shows.items == Counted::PiecesKept && !self.order.struck {
            return Some(("shows.items", "\"pieces_kept\" needs `order.struck`".to_owned()));
        }
        let has_price = self.order.unit_price.is_some();
        if (self.shows.unit_price == Presence::Never) == has_price {
            return Some((
                "order.unit_price",
                "is needed unless `shows.unit_price = \"never\"`, and must then be left out".to_owned(),
            ));
        }
        None
    }

    fn wrong_words(&self) -> Option<(&'static str, String)> {
        let words = &self.words;
        if words.labels.total.is_empty() {
            return Some(("words.labels.total", "needs the label of the order's total".to_owned()));
        }
        words.ambiguous().map(|(key, word)| (key, format!("\"{word}\" has two meanings")))
    }
}
