//! `ordersync retailers draft`: begins a recipe for a shop that is not known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ordersync_api::{CredentialField, Retailer};
use ordersync_service::{DraftError, DraftRequest, draft_recipe};
use serde::Serialize;
use url::Url;

use crate::cli::retailers::DraftArgs;
use crate::commands::shared::credentials;
use crate::config::retailers_file::{self, FILE, NewEntry};
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};
use crate::files::{atomic, private};
use crate::names::{fold, slug};
use crate::output::Mark;

/// A recipe that was begun.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Drafted {
    display_name: String,
    recipe: PathBuf,
    pages: PathBuf,
    /// `None`: the recipe cannot be read yet.
    retailer_id: Option<i64>,
    /// What a person has to decide.
    decide: Vec<String>,
}

/// Signs in, reads the list and some orders, and writes the recipe beside the file of retailers.
pub(super) async fn run(context: &Context, arguments: &DraftArgs) -> Result<()> {
    super::only_local(context, "draft")?;
    let list = address(&arguments.url)?;
    let sign_in = arguments.sign_in.as_deref().map(address).transpose()?;
    let headers = arguments.headers.iter().map(|header| header_of(header)).collect::<Result<Vec<_>>>()?;
    let fields = fields(&arguments.fields)?;
    let name = arguments.name.clone().or_else(|| list.host_str().map(str::to_owned)).unwrap_or_default();
    let file = context.settings.folders.config.join(FILE);
    let stem = slug(&name);
    let (recipe, pages) = (file.with_file_name(format!("{stem}.toml")), file.with_file_name(format!("{stem}-pages")));
    let is_taken = retailers_file::entries(&file)?.iter().any(|entry| fold(&entry.name) == fold(&name));
    if let Some(path) = [&recipe, &pages].into_iter().find(|path| is_taken || path.symlink_metadata().is_ok()) {
        let what =
            if is_taken { format!("A shop called {name} is added") } else { format!("{} exists", path.display()) };
        return Err(
            Error::usage(format!("{what} already, so nothing was drafted.")).hint("Give another name with --name.")
        );
    }
    let client = context.client().await?;
    let highest = super::highest_id(client, &client.retailers().await?).await?;
    let retailer = shop(&name);
    let given = credentials::get(context, &retailer, &arguments.credentials, &mut BTreeMap::new()).await?;
    context.output.announce(format!("Looking at the orders of {name} …"));
    let missing = || Error::usage("The credentials need `username` and `password`.");
    let request = DraftRequest {
        name: &name,
        list,
        sign_in,
        headers: &headers,
        fields: &fields,
        allow_private_network: arguments.allow_private_network,
        username: given.get("username").ok_or_else(missing)?,
        password: given.get("password").ok_or_else(missing)?,
    };
    let draft = draft_recipe(&request).await.map_err(not_drafted)?;
    save(&pages, &draft.pages)?;
    private::create_private_folder(atomic::folder(&recipe))?;
    atomic::replace_private(&recipe, draft.recipe.as_bytes()).map_err(|why| Error::file("write", &recipe, &why))?;
    let entry = NewEntry {
        name: name.clone(),
        recipe: recipe.file_name().map(|name| name.to_string_lossy().into_owned()),
        base_url: draft.base_url.to_string(),
        allow_private_network: arguments.allow_private_network,
        time_zone: arguments.time_zone.clone(),
        currency: arguments.currency.clone(),
        ..NewEntry::default()
    };
    let added = retailers_file::add(&file, &entry, highest);
    let mut decide = draft.decide;
    if draft.needs_zone && arguments.time_zone.is_none() {
        decide.push(format!(
            "in which zone the shop shows times: set `time_zone` in {}, unless it is UTC",
            file.display()
        ));
    }
    let drafted = Drafted { display_name: name, recipe, pages, retailer_id: added.as_ref().ok().copied(), decide };
    show(context, &drafted)?;
    match added {
        Ok(_) => {
            context.output.next(&[context.command(["retailers", "check", &drafted.display_name])]);
            Ok(())
        }
        Err(error) => Err(error.hint(format!(
            "Complete {}, and add an entry with recipe = \"{}\" to {}.",
            drafted.recipe.display(),
            entry.recipe.unwrap_or_default(),
            file.display()
        ))),
    }
}

fn show(context: &Context, drafted: &Drafted) -> Result<()> {
    if !context.output.shown(drafted)? {
        context.output.marked(Mark::Good, format!("Wrote {}", drafted.recipe.display()))?;
        for (number, what) in drafted.decide.iter().enumerate() {
            context.output.labelled(&format!("Decide {}", number + 1), what)?;
        }
    }
    context.output.note(format!(
        "What the shop sent is in {}: your own orders, as they are. Remove the folder when the recipe is done.",
        drafted.pages.display()
    ));
    context.output.note("docs/recipes.md describes every key. Correct the recipe until the check passes, then compare its table with the shop's pages.");
    Ok(())
}

/// The shop, for the questions about its credentials.
fn shop(name: &str) -> Retailer {
    Retailer {
        display_name: name.to_owned(),
        credential_fields: vec![
            CredentialField::new("username", "User name or email", false),
            CredentialField::new("password", "Password", true),
        ],
        ..Retailer::default()
    }
}

fn address(text: &str) -> Result<Url> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&whole).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| {
        Error::usage(format!("\"{text}\" is no web address."))
            .hint("Give the address of your list of orders, as the browser shows it when you are signed in.")
    })
}

fn header_of(text: &str) -> Result<(String, String)> {
    let parts = text.split_once(':').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
    parts.ok_or_else(|| Error::usage(format!("--header {text}: write it as 'NAME: VALUE'.")))
}

/// The fields of a sign-in: one has the user name, and one the password.
fn fields(given: &[String]) -> Result<Vec<(String, String)>> {
    let parts = |text: &String| match text.split_once('=') {
        Some((name, text)) if !name.is_empty() => Ok((name.to_owned(), text.to_owned())),
        _ => Err(Error::usage(format!("--field {text}: write it as NAME=TEXT."))),
    };
    let fields = given.iter().map(parts).collect::<Result<Vec<_>>>()?;
    let names = ["{username}", "{password}"];
    let has = |name: &&str| fields.iter().filter(|(_, text)| text.contains(*name)).count() == 1;
    let is_plain = |(_, text): &(String, String)| {
        !names.iter().fold(text.clone(), |text, name| text.replace(name, "")).contains(['{', '}'])
    };
    let are_right = names.iter().all(has) && fields.iter().all(is_plain);
    if !fields.is_empty() && !are_right {
        return Err(Error::usage(
            "--field: one field needs {username}, one {password}, and nothing else may be in braces.",
        )
        .hint("For example: --field 'login={username}' --field 'pass={password}' --field client=web"));
    }
    Ok(fields)
}

/// Writes the pages into a private folder.
fn save(folder: &Path, pages: &[(String, String)]) -> Result<()> {
    private::create_private_folder(folder)?;
    for (name, text) in pages {
        let path = folder.join(name);
        atomic::replace_private(&path, text.as_bytes()).map_err(|why| Error::file("write", &path, &why))?;
    }
    Ok(())
}

fn not_drafted(why: DraftError) -> Error {
    let error = match &why {
        DraftError::Unreachable(why) => Error::of(&codes::command::SHOP_UNREACHABLE, why.as_str()),
        // As for `add`: the shop answers, and cannot be read.
        DraftError::Request(why) => Error::of(&codes::command::NO_SHOP, why.as_str()),
        why => Error::usage(why.to_string()),
    };
    match why {
        DraftError::NoForm(_) => error.hint([
            Hint::say("If the form is elsewhere, give its page with --sign-in URL."),
            Hint::say(
                "For a shop that answers with JSON, give the address that takes name and password with --sign-in URL.",
            ),
        ]),
        DraftError::RobotCheck => {
            error.hint("Such a shop cannot be read, unless it asks only now and then: try again later.")
        }
        DraftError::OtherSignIn { .. } => {
            error.hint("Name the shop's own fields: --field 'login={username}' --field 'pass={password}'")
        }
        DraftError::Form(_) => error.hint("Leave --field out."),
        DraftError::Refused(_) => {
            error.hint("Try them in the shop. A shop that asks for a code cannot be drafted: write the recipe by hand.")
        }
        DraftError::NoOrders(_) => {
            error.hint("Give the address of your list of orders, as the browser shows it when you are signed in.")
        }
        DraftError::Private => error.hint("If it is yours: --allow-private-network"),
        DraftError::Address(_)
        | DraftError::Header(_)
        | DraftError::Field(_)
        | DraftError::Request(_)
        | DraftError::Unreachable(_) => error,
    }
}
