//! What somebody means who types the word of another program: `login`, say, which is `auth login` here. Words that are
//! only misspelt are clap's matter.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A word, and the command that does what it says.
const WORDS: [(&str, &str); 36] = [
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
    ("help", "--help"),
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

/// Adds to clap's error what may have been meant.
#[must_use]
pub fn explain(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    if let Some(command) = meant(word, arguments) {
        error.remove(ContextKind::SuggestedSubcommand);
        let tip = StyledStr::from(format!("what you mean may be: ordersync {command}"));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

fn meant(word: &str, arguments: &[OsString]) -> Option<String> {
    let tree = super::command();
    let (mut place, mut path) = (&tree, String::new());
    for argument in arguments.iter().skip(1).map_while(|argument| argument.to_str()).take_while(|text| *text != word) {
        if let Some(inner) = place.find_subcommand(argument) {
            place = inner;
            path = format!("{path}{argument} ");
        }
    }
    let word = word.to_lowercase();
    if path.is_empty() {
        return WORDS.iter().find(|(known, _)| *known == word).map(|(_, command)| (*command).to_owned());
    }
    let (_, verb) = VERBS.iter().find(|(known, _)| *known == word)?;
    place.find_subcommand(verb).map(|_| format!("{path}{verb}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_leads_to_a_command_and_is_none_itself() {
        let tree = super::super::command();
        for (word, command) in WORDS {
            assert!(tree.find_subcommand(word).is_none(), "{word}");
            let mut place = &tree;
            for part in command.split(' ').take_while(|part| part.chars().all(|letter| letter.is_ascii_lowercase())) {
                place = place.find_subcommand(part).unwrap_or_else(|| panic!("{word}: {command}"));
            }
        }
    }
}
