//! `ordersync retailers check`: tries to read a shop, and stores nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use async_trait::async_trait;
use ordersync_api::Retailer;
use ordersync_api::seal::Credentials;
use ordersync_service::{
    AnswersChallenge, MAX_RETAILERS_FILE, SavedFile, Trial, TrialShop, TriedCheck, TriedList, TriedOrder, small_file,
};
use secrecy::SecretString;

use crate::cli::retailers::CheckArgs;
use crate::cli::shared::MfaArgs;
use crate::commands::shared::{credentials, resolve};
use crate::config::retailers_file::{self, FILE};
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::files::{atomic, private};
use crate::follow::code;
use crate::output::Mark;
use crate::output::human;
use crate::output::table::{Column, Table};
use crate::prompt::Question;

/// What to give if nobody can be asked for a code.
const INSTEAD: &str = "Give --mfa-code-stdin or --mfa-command 'COMMAND'.";

/// Tries a shop, or its saved pages.
pub(super) async fn run(context: &Context, arguments: &CheckArgs) -> Result<()> {
    if let Some(folder) = &arguments.pages {
        let shop = TrialShop::of_saved(folder).map_err(|why| {
            Error::usage(format!("{} cannot be tried: {why}.", folder.display()))
                .hint("Give a folder that `retailers check --save` has made.")
        })?;
        let trial = shop.run_saved().await;
        return show(context, &shop, &trial);
    }
    super::only_local(context, "check")?;
    // A link that leads nowhere is something as well.
    if let Some(folder) = arguments.save.as_deref().filter(|folder| folder.symlink_metadata().is_ok()) {
        return Err(Error::usage(format!("{} exists already, so nothing was saved there.", folder.display()))
            .hint("Name a folder that does not exist yet."));
    }
    let (retailer, shop) = shop(context, arguments.retailer.as_deref().unwrap_or_default())?;
    let given = credentials::get(context, &retailer, &arguments.credentials, &mut BTreeMap::new()).await?;
    context.output.announce(format!("Trying {}: nothing is stored.", shop.display_name));
    let mut answers = Answers { context, means: &arguments.mfa, failure: None };
    let trial = shop.run(&given, &mut answers).await;
    if let Some(error) = answers.failure {
        return Err(error);
    }
    if let Some(folder) = &arguments.save {
        save(context, &shop, &given, &trial, folder).await?;
    }
    show(context, &shop, &trial)
}

/// The shop of the profile's file.
fn shop(context: &Context, wanted: &str) -> Result<(Retailer, TrialShop)> {
    let file = context.settings.folders.config.join(FILE);
    let retailer = |entry: retailers_file::Entry| Retailer {
        retailer_id: entry.id,
        display_name: entry.name,
        ..Retailer::default()
    };
    let listed: Vec<Retailer> = retailers_file::entries(&file)?.into_iter().map(retailer).collect();
    let mut found = resolve::retailer(&listed, wanted)
        .map_err(|error| {
            error.hint(Hint::run("Only shops that you added can be tried. Add one", "ordersync retailers add URL"))
        })?
        .clone();
    let text = small_file::read(&file, MAX_RETAILERS_FILE).map_err(|why| Error::file("read", &file, &why))?;
    let shop = TrialShop::of_file(&file, &text, found.retailer_id).map_err(|why| retailers_file::unusable(&why))?;
    let shop = shop.ok_or_else(|| Error::not_found(format!("There is no shop \"{wanted}\".")))?;
    found.credential_fields.clone_from(&shop.credential_fields);
    Ok((found, shop))
}

/// Answers what the shop asks for in the sign-in.
struct Answers<'a> {
    context: &'a Context,
    means: &'a MfaArgs,
    /// Why there is no answer.
    failure: Option<Error>,
}

#[async_trait]
impl AnswersChallenge for Answers<'_> {
    async fn answer(&mut self, prompt: &str, options: &[(String, String)]) -> Option<SecretString> {
        match self.find(prompt, options).await {
            Ok(answer) => answer,
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
    }
}

impl Answers<'_> {
    async fn find(&self, prompt: &str, options: &[(String, String)]) -> Result<Option<SecretString>> {
        let Self { context, means, .. } = self;
        if !options.is_empty() {
            if let Some(id) = &means.mfa_option {
                return Ok(Some(SecretString::from(id.clone())));
            }
            let question = Question::new(prompt, "Give --mfa-option ID.").short("Method");
            let labels = options.iter().map(|(_, label)| label.clone()).collect();
            let chosen = context.prompt.choose(&question, labels).await?;
            return Ok(chosen.and_then(|chosen| options.get(chosen)).map(|(id, _)| SecretString::from(id.clone())));
        }
        if means.mfa_code_stdin {
            return code::Stdin::default().code().await;
        }
        if let Some(command) = &means.mfa_command {
            return code::printed(command, &[("ORDERSYNC_MFA_PROMPT", prompt.to_owned())]).await.map(Some);
        }
        context.prompt.check("A verification code", &Advice::from(INSTEAD))?;
        let typed = context.prompt.text(&Question::new(prompt, INSTEAD).short("Code").masked()).await?;
        Ok(typed.and_then(|typed| code::read(&typed)))
    }
}

/// Writes the disguised pages into a new folder.
async fn save(context: &Context, shop: &TrialShop, given: &Credentials, trial: &Trial, folder: &Path) -> Result<()> {
    let files = shop.saved(given, trial).map_err(|why| {
        Error::of(&codes::command::FAULT, format!("The pages were not saved: {why}."))
            .hint("Describe the problem without the pages.")
    })?;
    write(folder, &files)?;
    let text = format!("Saved {} files in {}.", files.len(), folder.display());
    context.output.marked_note(Mark::Good, text);
    context.output.note("Words and numbers of yours were replaced. Look at the files before you show them to anybody.");
    let again = context.command(["retailers", "check", "--pages", &folder.display().to_string()]);
    let again_tried = match TrialShop::of_saved(folder) {
        Ok(saved) => Some(saved.run_saved().await),
        Err(_) => None,
    };
    if again_tried.is_some_and(|again| again.has_shape_of(trial)) {
        context.output.note(Hint::run("Try them", again));
    } else {
        context.output.warn(Hint::run(
            "The saved pages do not give the same table, so say in the report what the shop's gave. Compare",
            again,
        ));
    }
    Ok(())
}

/// Makes the folder, which did not exist, and private files in it.
fn write(folder: &Path, files: &[SavedFile]) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    private::create_private_folder(atomic::folder(folder))?;
    builder.create(folder).map_err(|why| Error::file("make the folder", folder, &why))?;
    for file in files {
        let path = folder.join(&file.name);
        atomic::replace_private(&path, file.text.as_bytes()).map_err(|why| Error::file("write", &path, &why))?;
    }
    Ok(())
}

/// Shows what was read, and what is missing.
fn show(context: &Context, shop: &TrialShop, trial: &Trial) -> Result<()> {
    if !context.output.shown(trial)? {
        if !trial.orders.is_empty() {
            context.output.table(&table(trial))?;
        }
        let total = |order: &TriedOrder| {
            Some(format!(
                "{}: {}",
                order.order_id,
                human::money(Some(order.total.as_ref()?), order.currency.as_deref())
            ))
        };
        let totals: Vec<String> = trial.orders.iter().filter_map(total).collect();
        let mut said = vec![("Orders read", trial.orders.len().to_string()), ("Totals", totals.join(", "))];
        said.push(("List", trial.list.as_ref().map(list).unwrap_or_default()));
        said.push(("Not shown", named(&trial.not_shown)));
        said.push(("Labels", unknown(&trial.unknown_labels)));
        said.push(("Statuses", unknown(&trial.unknown_statuses)));
        said.push(("Kept back", trial.kept_back.join(", ")));
        let differing = trial.orders.iter().filter(|order| !order.mismatch.is_empty());
        let differing = differing.map(|order| format!("{} ({})", order.order_id, order.mismatch.join(", ")));
        said.push(("Marked", differing.collect::<Vec<_>>().join("; ")));
        for (label, text) in said.iter().filter(|(_, text)| !text.is_empty()) {
            context.output.labelled(label, text)?;
        }
        context.output.table(&checks(trial))?;
    }
    if !trial.unknown_labels.is_empty() || !trial.unknown_statuses.is_empty() {
        context.output.note(
            "`recipe_changes.words.labels` and `statuses` of the shop's entry say what such words mean. Until then, the \
             amounts are of type `other`, and the status is the shop's word.",
        );
    }
    match &trial.list {
        Some(TriedList { end: None, is_end_accepted: true, .. }) => context.output.note(
            "Nothing proves that the one page of the list shows every order. `accept_unproven_end` of the shop's entry accepts that.",
        ),
        Some(TriedList { end: None, .. }) => {
            // Recipes of pages have no such key.
            let count = if shop.has_json_recipe() {
                "If the shop says how many orders there are, name the place in `list.count`; if not, "
            } else {
                ""
            };
            context.output.warn(format!(
                "Nothing proves that the one page of the list shows every order, so the shop is never complete. \
                 {count}`accept_unproven_end = true` in the shop's entry accepts it.",
            ));
        }
        _ => {}
    }
    if shop.may_have_minor_units(trial) {
        context.output.warn(
            "All amounts are whole numbers. If the shop means 19.99 by 1999, write `minor_units = true` below [amounts] in \
             the recipe; if not, `minor_units = false`.",
        );
    }
    match shop.undecided() {
        0 => {}
        1 => context.output.warn("1 line of the recipe is marked # DECIDE. Decide it, and remove the mark."),
        lines => context
            .output
            .warn(format!("{lines} lines of the recipe are marked # DECIDE. Decide them, and remove the marks.")),
    }
    match &trial.failure {
        None if trial.orders.is_empty() => context.output.note("The sign-in worked, and the customer has no orders."),
        None => {
            context.output.marked_note(Mark::Good, format!("{} can be read.", shop.display_name));
            if trial.list.as_ref().is_some_and(|list| !list.is_whole) {
                context.output.note("A sync reads the list to its end, and proves that no order is missing.");
            }
        }
        Some(why) if trial.is_unreachable => return Err(Error::of(&codes::command::SHOP_UNREACHABLE, why.as_str())),
        Some(why) => {
            let message = format!("{} cannot be read whole: {why}", shop.display_name);
            return Err(Error::of(&codes::command::CHECKS_FAILED, message)
                .hint("For a bug report, save the pages without anything of yours: --save DIR"));
        }
    }
    Ok(())
}

/// A row for each line.
fn table(trial: &Trial) -> Table {
    let mut table = Table::new(&[
        Column::whole("ORDER"),
        Column::whole("DATE").optional(2),
        Column::text("ITEM").at_least(20),
        Column::amount("QTY"),
        Column::amount("PRICE").optional(1),
        Column::amount("TOTAL"),
        Column::text("SKU").optional(0),
        Column::text("STATUS").optional(3),
    ]);
    for order in &trial.orders {
        let TriedOrder { order_id, order_date, currency, items, .. } = order;
        // To the minute, as shops show it.
        let date: String = order_date.as_deref().unwrap_or_default().replace('T', " ").chars().take(16).collect();
        for item in items {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            table.row([
                order_id.clone(),
                date.clone(),
                text(&item.item_name),
                text(&item.quantity),
                human::money(item.price.as_ref(), currency.as_deref()),
                human::money(item.line_total.as_ref(), currency.as_deref()),
                text(&item.sku),
                text(&item.status),
            ]);
        }
    }
    table
}

/// How much of the list was read.
fn list(TriedList { orders, is_whole, end, .. }: &TriedList) -> String {
    let orders = if *orders == 1 { "1 order".to_owned() } else { format!("{orders} orders") };
    match end {
        Some(end) if *is_whole => format!("{orders}, read to its end: {end}"),
        Some(_) => format!("the first {orders}"),
        None => format!("{orders} on one page"),
    }
}

/// A row for each check.
fn checks(trial: &Trial) -> Table {
    let mut table =
        Table::new(&[Column::whole("CHECK"), Column::whole("ORDERS"), Column::text("FIGURES").at_least(20)]);
    for TriedCheck { check, compared, failed, example, .. } in &trial.checks {
        let result = match (compared, failed) {
            (0, 0) => "-".to_owned(),
            (all, 0) => format!("{all} agree"),
            (all, failed) => format!("{failed} of {all} differ"),
        };
        table.row([check.clone(), result, example.clone().unwrap_or_else(|| "not shown".to_owned())]);
    }
    table
}

/// Words whose meaning is not known.
fn unknown(words: &BTreeSet<String>) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    if words.is_empty() { String::new() } else { format!("not known: {}", words.join(", ")) }
}

/// Fields in words.
fn named(fields: &[&str]) -> String {
    let word = |field: &&str| match *field {
        "price" => "price of one",
        "sku" => "SKU",
        "department" => "categories",
        "lineTotal" => "line total",
        _ => "",
    };
    let words = fields.iter().map(|field| if word(field).is_empty() { *field } else { word(field) });
    words.collect::<Vec<_>>().join(", ")
}
