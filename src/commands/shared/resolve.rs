//! What a person means by a retailer or a connection: an id, a name, the beginning of one that only one has, or a part of a
//! name that only one has. Several matches are listed, and none is guessed.

use ordersync_api::{Connection, Id, Retailer};

use super::display_name::name;
use crate::client::Client;
use crate::errors::{Advice, Error, Exit, Hint, Result, did_you_mean};
use crate::names::{self, Match, fold};
use crate::shell;

/// No more are listed when several match.
const MOST_NAMED: usize = 8;
/// An identifier of ours is as long as this: what is shorter may be the beginning of one.
const SHORTEST_ID: usize = 31;

/// Finds a retailer of the catalog.
pub(crate) fn retailer<'a>(catalog: &'a [Retailer], wanted: &str) -> Result<&'a Retailer> {
    match fitting(catalog, wanted)?.as_slice() {
        [one] => Ok(one),
        several => Err(ambiguous(several, wanted)),
    }
}

/// The retailers of the catalog that match: one at least.
pub(crate) fn fitting<'a>(catalog: &'a [Retailer], wanted: &str) -> Result<Vec<&'a Retailer>> {
    if let Ok(id) = wanted.trim().parse::<i64>() {
        return catalog.iter().find(|retailer| retailer.retailer_id == id).map(|one| vec![one]).ok_or_else(|| {
            Error::not_found(format!("There is no retailer {id}."))
                .hint(Hint::run("See the catalog", "ordersync retailers"))
        });
    }
    match names::find(wanted, catalog, |one| one.display_name.as_str(), |one| one.retailer_id.to_string()) {
        Match::One(one) => Ok(vec![one]),
        Match::Many(several) => Ok(several),
        Match::None => Err(unknown(catalog, wanted)),
    }
}

/// The retailer that an argument and an option both name.
pub(crate) fn retailer_named_twice<'a>(catalog: &'a [Retailer], argument: &str, option: &str) -> Result<&'a Retailer> {
    let (one, other) = (retailer(catalog, argument)?, retailer(catalog, option)?);
    if one.retailer_id == other.retailer_id {
        return Ok(one);
    }
    let message = format!("{} and {} are two retailers; name one.", one.display_name, other.display_name);
    Err(Error::usage(message).hint(format!("Leave out {argument} or --retailer {option}.")))
}

/// Whether a retailer was named by its whole name or its id.
pub(crate) fn is_whole(retailer: &Retailer, wanted: &str) -> bool {
    names::is_exact(wanted, &retailer.display_name, &retailer.retailer_id.to_string())
}

/// The id of a retailer whose orders are meant. A part of a name means a connected retailer; a whole name or an id may be
/// that of any.
pub(crate) async fn retailer_of_orders(client: &Client, wanted: &str) -> Result<i64> {
    let catalog = client.retailers().await?;
    let of_catalog = || retailer(&catalog, wanted);
    if catalog.iter().any(|retailer| is_whole(retailer, wanted)) {
        return of_catalog().map(|one| one.retailer_id);
    }
    let connections = match client.connections(None).await {
        Ok(connections) => connections,
        // A token may be for orders alone.
        Err(error) if error.exit() == Exit::SignIn => return of_catalog().map(|one| one.retailer_id),
        Err(error) => return Err(error),
    };
    let is_connected = |retailer: &&Retailer| connections.iter().any(|one| one.retailer_id == retailer.retailer_id);
    let mut connected: Vec<Retailer> = catalog.iter().filter(is_connected).cloned().collect();
    connected.extend(connections.iter().filter(|one| !has(&catalog, one)).map(of_no_catalog));
    match retailer(&connected, wanted) {
        Err(error) if error.exit() == Exit::NotFound => Err(not_connected(of_catalog()?)),
        found => found.map(|one| one.retailer_id),
    }
}

fn has(catalog: &[Retailer], connection: &Connection) -> bool {
    catalog.iter().any(|retailer| retailer.retailer_id == connection.retailer_id)
}

/// A retailer whose orders come from files.
fn of_no_catalog(connection: &Connection) -> Retailer {
    Retailer {
        retailer_id: connection.retailer_id,
        display_name: connection.display_name.clone().unwrap_or_default(),
        ..Retailer::default()
    }
}

/// The ids of connections, each once, in the order in which they are named. One that is named by its whole id costs no
/// request: the service says whether it exists when it is used.
pub(crate) async fn connection_ids(client: &Client, wanted: &[&str]) -> Result<Vec<Id>> {
    let mut known: Option<Vec<Connection>> = None;
    let mut ids: Vec<Id> = Vec::new();
    for wanted in wanted {
        let id = if is_long_id(wanted) {
            Id((*wanted).to_owned())
        } else {
            let connections = match known.take() {
                Some(connections) => connections,
                None => client.connections(None).await?,
            };
            let id = match connection_among(&connections, wanted)? {
                Some(connection) => connection.connection_id.clone(),
                None => not_listed(client, &connections, wanted).await?,
            };
            known = Some(connections);
            id
        };
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

pub(crate) async fn connection(client: &Client, wanted: &str) -> Result<Connection> {
    match connection_ids(client, &[wanted]).await?.first() {
        Some(id) => client.connection(id.as_str()).await,
        None => Err(Error::not_found(format!("There is no connection \"{wanted}\"."))),
    }
}

/// The ids of the connections that are named as arguments and with options, which all have to mean the same; none if none
/// is named.
pub(crate) async fn same_connection_ids(client: &Client, groups: &[Vec<&str>]) -> Result<Vec<Id>> {
    let mut ids: Option<Vec<Id>> = None;
    for wanted in groups.iter().filter(|wanted| !wanted.is_empty()) {
        let found = connection_ids(client, wanted).await?;
        if ids.as_ref().is_some_and(|earlier| *earlier != found) {
            return Err(Error::usage("The arguments and options name different connections.")
                .hint("Name each connection once, as an argument or with an option."));
        }
        ids = Some(found);
    }
    Ok(ids.unwrap_or_default())
}

/// The one of these connections that is meant, by its id or its retailer's, or by its name.
pub(crate) fn connection_among<'a>(connections: &'a [Connection], wanted: &str) -> Result<Option<&'a Connection>> {
    let wanted = wanted.trim();
    let is_id = |one: &&Connection| one.connection_id.as_str() == wanted || one.retailer_id.to_string() == wanted;
    match connections.iter().filter(is_id).collect::<Vec<_>>().as_slice() {
        [] => {}
        [one] => return Ok(Some(one)),
        several => return Err(several_connections(several, wanted)),
    }
    match alike(connections, wanted).as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => Err(several_connections(several, wanted)),
    }
}

/// The connections that a name or the beginning of an id means, by the rule for names.
pub(crate) fn alike<'a>(connections: &'a [Connection], wanted: &str) -> Vec<&'a Connection> {
    let named: Vec<(String, &Connection)> = connections.iter().map(|one| (name(one), one)).collect();
    match names::find(wanted, &named, |(name, _)| name.as_str(), |(_, one)| one.connection_id.to_string()) {
        Match::None => Vec::new(),
        Match::One((_, one)) => vec![*one],
        Match::Many(several) => several.into_iter().map(|(_, one)| *one).collect(),
    }
}

/// The name is not in the list. A retailer that is not connected is reported as such; a possible id is left to the
/// service, which may know more about it than the list.
async fn not_listed(client: &Client, connections: &[Connection], wanted: &str) -> Result<Id> {
    let catalog = client.retailers().await?;
    match fitting(&catalog, wanted) {
        Ok(found) => {
            let [retailer] = found.as_slice() else { return Err(ambiguous(&found, wanted)) };
            Err(not_connected(retailer))
        }
        Err(_) if may_be_id(wanted) => Ok(Id(wanted.trim().to_owned())),
        Err(error) => {
            let names: Vec<String> = connections.iter().map(name).collect();
            let near = did_you_mean::nearest_named(&fold(wanted), words(&names));
            Err(match near {
                Some(name) => Error::not_found(format!("No connection is called \"{wanted}\"."))
                    .hint(format!("Did you mean {name}?")),
                None => error.also(Hint::run("See your connections", "ordersync connections")),
            })
        }
    }
}

fn not_connected(retailer: &Retailer) -> Error {
    Error::not_found(format!("{} is not connected.", retailer.display_name))
        .hint(Hint::run("Connect it", format!("ordersync connect --retailer {}", retailer.retailer_id)))
}

/// Whether this can only be an id.
pub(crate) fn is_long_id(text: &str) -> bool {
    text.len() >= SHORTEST_ID && may_be_id(text) && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether this may be an id of another service.
fn may_be_id(text: &str) -> bool {
    let text = text.trim();
    text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_') && !text.contains(char::is_whitespace)
}

fn several_connections(several: &[&Connection], wanted: &str) -> Error {
    let several: Vec<String> = several.iter().map(|one| format!("{}   {}", one.connection_id, name(one))).collect();
    matches_several(wanted, "connections", &several)
}

/// What matches more than one thing.
pub(crate) fn matches_several(wanted: &str, what: &str, several: &[String]) -> Error {
    let mut shown: Vec<String> = several.iter().take(MOST_NAMED).cloned().collect();
    if several.len() > MOST_NAMED {
        shown.push(format!("and {} more", several.len() - MOST_NAMED));
    }
    Error::usage(format!("\"{wanted}\" matches {} {what}.", several.len()))
        .hint(Advice::from("Choose one:").and(shown.into_iter().map(Hint::say).collect::<Vec<_>>()))
}

/// Names and their words: "nortwind" is close to "Northwind Books".
fn words(names: &[String]) -> impl Iterator<Item = (&str, &str)> {
    names.iter().flat_map(|name| {
        let name = name.as_str();
        std::iter::once(name).chain(name.split_whitespace()).map(move |word| (word, name))
    })
}

fn unknown(catalog: &[Retailer], wanted: &str) -> Error {
    let error = Error::not_found(format!("There is no retailer called \"{wanted}\"."));
    let names: Vec<String> = catalog.iter().map(|retailer| retailer.display_name.clone()).collect();
    let near = did_you_mean::nearest_named(&fold(wanted), words(&names));
    match near.and_then(|name| catalog.iter().find(|retailer| retailer.display_name == name)) {
        Some(retailer) => {
            error.hint(format!("Did you mean {} (--retailer {})?", retailer.display_name, retailer.retailer_id))
        }
        None => error.hint(Hint::run("See the catalog", "ordersync retailers")),
    }
}

fn ambiguous(found: &[&Retailer], wanted: &str) -> Error {
    let connectable: Vec<&Retailer> =
        found.iter().copied().filter(|retailer| retailer.sync_config.server_side).collect();
    // Those that cannot be connected have no orders either; named where there is nothing else.
    let named = if connectable.is_empty() { found } else { &connectable };
    let mut hints = vec![Hint::say("Choose one, best matches first:")];
    hints.extend(
        named
            .iter()
            .take(MOST_NAMED)
            .map(|retailer| Hint::say(format!("{} (--retailer {})", retailer.display_name, retailer.retailer_id))),
    );
    if named.len() > MOST_NAMED {
        let more = format!("and {} more", named.len() - MOST_NAMED);
        hints.push(Hint::run(more, shell::command(["retailers", "--search", wanted], &[])));
    }
    Error::usage(format!("\"{wanted}\" matches {} retailers.", found.len())).hint(hints)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Vec<Retailer> {
        serde_json::from_str(
            r#"[{"retailerId":1,"displayName":"Northwind Books"},{"retailerId":2,"displayName":"Harbor Books"},
                {"retailerId":3,"displayName":"Harbor"},{"retailerId":4,"displayName":"Komadori Shōten"}]"#,
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
        assert_eq!(id("shoten"), Some(4));
        // Letters that are scattered in a name are no part of it.
        assert_eq!(id("nrt"), None);
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
        // Only one of the two can be connected.
        let mut catalog = catalog;
        catalog[1].sync_config.server_side = false;
        let error = retailer(&catalog, "books").expect_err("ambiguous");
        assert!(error.message().contains("matches 2 retailers"), "{}", error.message());
        assert!(error.hint_text().is_some_and(|hint| !hint.contains("--retailer 2")));
    }

    fn connections() -> Vec<Connection> {
        serde_json::from_str(
            r#"[{"connectionId":"conn_aaaa1","retailerId":12,"displayName":"Merribazaar","status":"valid"},
                {"connectionId":"conn_aaaa2","retailerId":3,"displayName":"Harbor","status":"valid"},
                {"connectionId":"12","retailerId":4,"displayName":"Harbor Books","status":"valid"},
                {"connectionId":"conn_bbbb1","retailerId":9,"status":"valid"}]"#,
        )
        .expect("connections")
    }

    #[test]
    fn a_connection_is_named_by_its_id_its_retailer_or_what_only_one_begins_with() {
        let connections = connections();
        let id =
            |wanted| connection_among(&connections, wanted).map(|one| one.map(|one| one.connection_id.to_string()));
        let found = |wanted| id(wanted).expect("not several");
        assert_eq!(found("conn_aaaa1").as_deref(), Some("conn_aaaa1"));
        assert_eq!(found("conn_bbbb").as_deref(), Some("conn_bbbb1"));
        assert_eq!(found("MERRI").as_deref(), Some("conn_aaaa1"));
        assert_eq!(found("harbor").as_deref(), Some("conn_aaaa2"));
        assert_eq!(found("books").as_deref(), Some("12"));
        assert_eq!(found("3").as_deref(), Some("conn_aaaa2"));
        assert_eq!(found("retailer 9").as_deref(), Some("conn_bbbb1"));
        assert_eq!((found("conn_"), found("zebra"), found("")), (None, None, None));
        // The id of one connection, and of the retailer of another.
        for several in ["12", "conn_aaaa", "har"] {
            let error = id(several).expect_err("several");
            assert!(error.hint_text().is_some_and(|hint| hint.contains("Choose one:\n")), "{several}");
        }
    }

    #[test]
    fn only_what_can_be_nothing_else_is_taken_for_an_id() {
        assert!(is_long_id("conn_01jgqz6vxn8m2d4k7c3r5t9w0b") && is_long_id("123e4567-e89b-12d3-a456-426614174000"));
        for text in ["merribazaar", "conn_01", "Komadori Shōten in the year 2000", "Rindfleischetikettierung"] {
            assert!(!is_long_id(text), "{text}");
        }
        assert!(may_be_id("con_far") && may_be_id("4711") && !may_be_id("harbor") && !may_be_id("shop 7"));
    }
}
