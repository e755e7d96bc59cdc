//! What somebody means who types the word of another program: `login`, say, which is `auth login` here. Words that are
//! only misspelt are clap's matter.

use crate::errors::{Advice, Hint, run, say};
use crate::shell;

/// A word, and the command that does what it says.
const WORDS: [(&str, &str); 38] = [
    ("login", "auth login"),
    ("signin", "auth login"),
    ("logout", "auth logout"),
    ("whoami", "auth status"),
    ("status", "sessions latest"),
    ("token", "auth token"),
    ("retailer", "retailers"),
    ("shops", "retailers"),
    ("stores", "retailers"),
    ("add", "connect --retailer ID|NAME"),
    ("link", "connect --retailer ID|NAME"),
    ("connection", "connections"),
    ("accounts", "connections"),
    ("repair", "fix"),
    ("reconnect", "fix"),
    ("update", "sync"),
    ("fetch", "sync"),
    ("session", "sessions"),
    ("batch", "sessions get ID"),
    ("batches", "sessions"),
    ("watch", "sessions watch"),
    ("logs", "sessions latest"),
    ("order", "orders list"),
    ("items", "orders list"),
    ("list", "orders list"),
    ("export", "orders export --out orders.csv"),
    ("download", "orders export --out orders.csv"),
    ("env", "profiles"),
    ("environments", "profiles"),
    ("use", "profiles use NAME"),
    ("switch", "profiles use NAME"),
    ("server", "serve"),
    ("otp", "mfa"),
    ("verify", "mfa"),
    ("clients", "admin clients list"),
    ("disconnect", "connections remove NAME"),
    ("unlink", "connections remove NAME"),
    ("remove", "connections remove NAME"),
];

/// The verbs that other programs have for those of any command here.
const VERBS: [(&str, &str); 12] = [
    ("ls", "list"),
    ("show", "get"),
    ("view", "get"),
    ("describe", "get"),
    ("rm", "remove"),
    ("delete", "remove"),
    ("new", "create"),
    ("switch", "use"),
    ("follow", "watch"),
    ("tail", "watch"),
    ("download", "export"),
    ("csv", "export"),
];

/// What nothing here can do, and what there is instead.
const NOT_HERE: [(&str, [Hint; 2]); 2] = [("sessions cancel", CANNOT_CANCEL), ("cancel", CANNOT_CANCEL)];
const CANNOT_CANCEL: [Hint; 2] = [
    say("A sync cannot be cancelled: the service has no request for that. It ends by itself."),
    run("Follow it", "ordersync sessions watch"),
];

/// What to type in place of a word that is no command of the tree after `path`, where it is known.
pub(crate) fn instead(tree: &clap::Command, path: &[&str], word: &str) -> Option<Advice> {
    let typed = word;
    let word = word.to_lowercase();
    let whole = path.iter().copied().chain([word.as_str()]).collect::<Vec<_>>().join(" ");
    if let Some((_, hints)) = NOT_HERE.into_iter().find(|(known, _)| *known == whole) {
        return Some(hints.into());
    }
    let command = if path.is_empty() {
        WORDS.iter().find(|(known, _)| *known == word).map(|(_, command)| (*command).to_owned())
    } else {
        let place = path.iter().try_fold(tree, |place, name| place.find_subcommand(name))?;
        let verb = VERBS.iter().find(|(known, verb)| *known == word && place.find_subcommand(verb).is_some());
        match verb {
            Some((_, verb)) => Some(format!("{} {verb}", path.join(" "))),
            // An identifier, which the verb was forgotten before.
            None if typed.contains(['_', '-']) && place.find_subcommand("get").is_some() => {
                Some(format!("{} get {}", path.join(" "), shell::quoted(typed)))
            }
            None if word == "help" => Some(format!("{} --help", path.join(" "))),
            None => None,
        }
    };
    command.map(|command| Hint::run("Did you mean", format!("ordersync {command}")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_leads_to_a_command_and_is_none_itself() {
        let tree = crate::cli::command();
        for (word, command) in WORDS {
            assert!(tree.find_subcommand(word).is_none(), "{word}");
            let mut place = &tree;
            for part in command.split(' ').take_while(|part| part.chars().all(|letter| letter.is_ascii_lowercase())) {
                place = place.find_subcommand(part).unwrap_or_else(|| panic!("{word}: {command}"));
            }
        }
        for (words, _) in NOT_HERE {
            assert!(words.split(' ').try_fold(&tree, |place, word| place.find_subcommand(word)).is_none(), "{words}");
        }
    }

    #[test]
    fn an_identifier_after_a_noun_is_got() {
        assert_eq!(
            instead(&crate::cli::command(), &["sessions"], "batch_1").expect("known").to_string(),
            "Did you mean: ordersync sessions get batch_1"
        );
        assert_eq!(
            instead(&crate::cli::command(), &["orders"], "help").expect("known").to_string(),
            "Did you mean: ordersync orders --help"
        );
        assert_eq!(
            instead(&crate::cli::command(), &["connections"], "rm").expect("known").to_string(),
            "Did you mean: ordersync connections remove"
        );
        assert_eq!(instead(&crate::cli::command(), &["auth"], "nope"), None);
    }
}
