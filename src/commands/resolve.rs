//! What a person calls a retailer, and which one is meant: an id, a name, or a part of a name.

use ordersync_api::{Connection, Retailer};

use crate::client::Client;
use crate::error::{Error, Result};
use crate::shell;
use crate::similar;

/// No more retailers are named where several are meant.
const MOST_NAMED: usize = 8;

/// Finds a retailer of the catalog.
///
/// # Errors
/// Where none or several are meant.
pub(super) fn retailer<'a>(catalog: &'a [Retailer], wanted: &str) -> Result<&'a Retailer> {
    match fitting(catalog, wanted)?.as_slice() {
        [one] => Ok(one),
        several => Err(ambiguous(several, wanted)),
    }
}

/// The retailers of the catalog that may be meant: one at least.
///
/// # Errors
/// Where there is none.
pub(super) fn fitting<'a>(catalog: &'a [Retailer], wanted: &str) -> Result<Vec<&'a Retailer>> {
    if let Ok(id) = wanted.trim().parse::<i64>() {
        return catalog.iter().find(|retailer| retailer.retailer_id == id).map(|one| vec![one]).ok_or_else(|| {
            Error::not_found(format!("There is no retailer {id}.")).hint("See the catalog: ordersync retailers")
        });
    }
    let folded = wanted.trim().to_lowercase();
    let is_named = |retailer: &&Retailer| retailer.display_name.to_lowercase() == folded;
    let has_part = |retailer: &&Retailer| !folded.is_empty() && retailer.display_name.to_lowercase().contains(&folded);
    let mut found: Vec<&Retailer> = catalog.iter().filter(is_named).collect();
    if found.is_empty() {
        found = catalog.iter().filter(has_part).collect();
    }
    if found.is_empty() { Err(unknown(catalog, wanted, &folded)) } else { Ok(found) }
}

/// The id of a retailer; a number is taken as it is, a name is looked up in the catalog.
///
/// # Errors
/// Where the name means none or several.
pub(super) async fn retailer_id(client: &Client, wanted: Option<&str>) -> Result<Option<i64>> {
    match wanted {
        None => Ok(None),
        Some(wanted) => retailer(&client.retailers().await?, wanted).map(|retailer| Some(retailer.retailer_id)),
    }
}

/// The connection to a retailer.
///
/// # Errors
/// Where the retailer is unknown, or not connected.
pub(super) async fn connection_to(client: &Client, wanted: &str) -> Result<Connection> {
    let catalog = client.retailers().await?;
    let retailer = retailer(&catalog, wanted)?;
    let connections = client.connections(None).await?;
    connections.into_iter().find(|connection| connection.retailer_id == retailer.retailer_id).ok_or_else(|| {
        Error::not_found(format!("{} is not connected.", retailer.display_name))
            .hint(format!("Connect it: ordersync connect --retailer {}", retailer.retailer_id))
    })
}

fn unknown(catalog: &[Retailer], wanted: &str, folded: &str) -> Error {
    let error = Error::not_found(format!("There is no retailer called \"{wanted}\"."));
    // A single word is compared with each word of a name as well: "nortwind" is close to "Northwind Books".
    let names = catalog.iter().flat_map(|retailer| {
        let name = retailer.display_name.as_str();
        std::iter::once(name).chain(name.split_whitespace()).map(move |word| (word, retailer))
    });
    match similar::nearest_named(folded, names) {
        Some(retailer) => {
            error.hint(format!("Did you mean {} (--retailer {})?", retailer.display_name, retailer.retailer_id))
        }
        None => error.hint("See the catalog: ordersync retailers"),
    }
}

fn ambiguous(found: &[&Retailer], wanted: &str) -> Error {
    let connectable: Vec<&Retailer> =
        found.iter().copied().filter(|retailer| retailer.sync_config.server_side).collect();
    // Those that cannot be connected have no orders either; named where there is nothing else.
    let named = if connectable.is_empty() { found } else { &connectable };
    let mut names: Vec<String> = named
        .iter()
        .take(MOST_NAMED)
        .map(|retailer| format!("{} (--retailer {})", retailer.display_name, retailer.retailer_id))
        .collect();
    if named.len() > MOST_NAMED {
        names.push(format!(
            "and {} more: {}",
            named.len() - MOST_NAMED,
            shell::command(["retailers", "--search", wanted], &[])
        ));
    }
    Error::usage(format!("\"{wanted}\" matches {} retailers.", found.len()))
        .hint(format!("Choose one:\n{}", names.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    fn catalog() -> Vec<Retailer> {
        serde_json::from_str(
            r#"[{"retailerId":1,"displayName":"Northwind Books"},{"retailerId":2,"displayName":"Harbor Books"},
                {"retailerId":3,"displayName":"Harbor"}]"#,
        )
        .expect("catalog")
    }

    #[test]
    fn an_id_a_name_or_a_part_that_only_one_has() {
        let catalog = catalog();
        let id = |wanted| retailer(&catalog, wanted).ok().map(|retailer| retailer.retailer_id);
        assert_eq!(id("2"), Some(2));
        assert_eq!(id("NORTHWIND books"), Some(1));
        assert_eq!(id("north"), Some(1));
        assert_eq!(id("harbor"), Some(3));
        assert_eq!(id("books"), None);
        assert_eq!(id(""), None);
    }

    #[test]
    fn what_is_not_found_is_answered_with_what_may_be_meant() {
        let catalog = catalog();
        let error = retailer(&catalog, "nortwind").expect_err("unknown");
        assert_eq!(error.exit(), Exit::NotFound);
        assert!(error.hint_text().is_some_and(|hint| hint.contains("Northwind Books (--retailer 1)")));
        let error = retailer(&catalog, "books").expect_err("ambiguous");
        assert_eq!(error.exit(), Exit::Usage);
        assert!(error.hint_text().is_some_and(|hint| hint.contains("--retailer 1") && hint.contains("--retailer 2")));
        assert_eq!(retailer(&catalog, "99").expect_err("unknown").exit(), Exit::NotFound);
    }
}
