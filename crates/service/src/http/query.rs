//! The parameters of a query. A request with one that its route does not take is refused by name: a misspelt filter would
//! otherwise select everything, and look as if it had worked. Values are never repeated, because one may be a secret.

use axum::http::{Method, Uri};

use super::Problem;
use super::fields::Params;
use super::problem::{Answered, shown};
use super::route::{Query, RouteTable};

/// The likeness from which on a parameter is suggested.
const ALIKE: f64 = 0.8;
/// Longer names are not repeated: none of ours is as long, and it may be a value that lost its name.
const LONGEST: usize = 40;
/// What every token of the service begins with.
const TOKEN: &str = "ordersync_";

/// Refuses a parameter that the route does not take.
pub(super) fn check(routes: &RouteTable, path: Option<&str>, method: &Method, uri: &Uri) -> Answered<()> {
    let Some(Query::Only(known)) = routes.query(path, method) else { return Ok(()) };
    match Params::of(uri).names().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => Err(unknown(name, known)),
    }
}

fn unknown(name: &str, known: &[&str]) -> Problem {
    let there_is = match known {
        [] => "No parameter is accepted here; remove it.".to_owned(),
        known => format!("The parameters are: {}.", known.join(", ")),
    };
    if name.chars().count() > LONGEST || name.contains(TOKEN) {
        let message = format!("The query has an unknown parameter, whose name may be a secret. {there_is}");
        return Problem::invalid("query", message);
    }
    let like = |word: &str| strsim::jaro_winkler(&name.to_lowercase(), word);
    let nearest = known.iter().copied().max_by(|one, other| like(one).total_cmp(&like(other)));
    let name = shown(name);
    let suggestion = match nearest.filter(|word| like(word) >= ALIKE) {
        Some(word) => format!(" Did you mean \"{word}\"?"),
        None => String::new(),
    };
    Problem::invalid(&name, format!("There is no parameter \"{name}\" here.{suggestion} {there_is}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(name: &str, known: &[&str]) -> String {
        unknown(name, known).message().to_owned()
    }

    #[test]
    fn the_message_names_the_parameter_the_nearest_and_all() {
        let known = ["retailer_id", "limit"];
        assert_eq!(
            message("retailerId", &known),
            "There is no parameter \"retailerId\" here. Did you mean \"retailer_id\"? The parameters are: retailer_id, limit."
        );
        assert_eq!(
            message("page", &known),
            "There is no parameter \"page\" here. The parameters are: retailer_id, limit."
        );
        assert_eq!(message("x", &[]), "There is no parameter \"x\" here. No parameter is accepted here; remove it.");
    }

    #[test]
    fn a_name_that_may_be_a_secret_is_not_repeated_and_no_control_character_is() {
        for secret in ["ordersync_sandbox_at_abc", &"x".repeat(41)] {
            assert!(!message(secret, &[]).contains(secret), "{secret}");
        }
        assert!(message("a\u{1b}[2Jb", &[]).contains("a\\u{1b}[2Jb"));
    }
}
