//! The words of a command line that is still being typed.

use std::ffi::{OsStr, OsString};

/// A shell with a script of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Elvish,
    Fish,
    Zsh,
}

impl Shell {
    /// The shell of that name.
    pub(super) fn named(name: &OsStr) -> Option<Self> {
        clap::ValueEnum::from_str(name.to_str()?, false).ok()
    }
}

/// The words up to the one under the cursor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// All of them: the command's name first, the word under the cursor last.
    pub(super) all: Vec<OsString>,
    /// The index of the word under the cursor, which is the last one.
    pub(super) index: usize,
    /// The beginning of that word which the shell treats as a word of its own, and does not replace.
    pub(super) kept: String,
}

impl Words {
    /// The words up to the cursor. `index` is that of the word under the cursor, which some shells omit if it is empty.
    pub(super) fn new(shell: Shell, index: usize, mut words: Vec<OsString>) -> Self {
        words.resize(index.min(words.len()) + 1, OsString::new());
        let mut kept = String::new();
        if shell == Shell::Bash {
            (words, kept) = joined(words);
        }
        Self { index: words.len() - 1, all: words, kept }
    }

    /// The word under the cursor.
    pub(super) fn current(&self) -> &str {
        self.all.last().and_then(|word| word.to_str()).unwrap_or_default()
    }

    /// The value of a flag before the cursor.
    pub(super) fn value_of(&self, flag: &str) -> Option<String> {
        let before = &self.all[..self.index];
        let text = |word: &OsString| word.to_str().map(str::to_owned);
        let apart = before.iter().zip(before.iter().skip(1)).find(|(name, _)| *name == flag);
        apart.and_then(|(_, value)| text(value)).or_else(|| {
            before.iter().find_map(|word| Some(word.to_str()?.strip_prefix(flag)?.strip_prefix('=')?.to_owned()))
        })
    }
}

/// Joins the words that Bash splits at `=` and `:`, such as `--retailer=12` and `https://a.test`.
fn joined(words: Vec<OsString>) -> (Vec<OsString>, String) {
    let is_separator = |word: &OsStr| matches!(word.to_str(), Some("=" | ":" | "::" | ":="));
    let mut all: Vec<OsString> = Vec::new();
    let mut kept = String::new();
    let mut after_separator = false;
    for word in words {
        let separator = is_separator(&word);
        match all.last_mut() {
            Some(last) if (separator || after_separator) && !last.is_empty() => {
                if let Some(text) = last.to_str() {
                    // If the cursor is on a separator, the shell replaces nothing of the word.
                    kept = if separator { format!("{text}{}", word.to_string_lossy()) } else { text.to_owned() };
                }
                last.push(&word);
            }
            _ => {
                kept.clear();
                all.push(word);
            }
        }
        after_separator = separator;
    }
    (all, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(shell: Shell, index: usize, words: &[&str]) -> Words {
        Words::new(shell, index, words.iter().map(OsString::from).collect())
    }

    #[test]
    fn what_is_after_the_cursor_does_not_count_and_an_empty_word_may_be_left_out() {
        assert_eq!(words(Shell::Fish, 1, &["ordersync", "con", "--retailer"]).all, ["ordersync", "con"]);
        assert_eq!(words(Shell::Elvish, 1, &["ordersync"]).all, ["ordersync", ""]);
        assert_eq!(words(Shell::Fish, 9, &[]).all, [""]);
    }

    #[test]
    fn what_bash_took_apart_is_one_word_again() {
        let split = words(Shell::Bash, 4, &["ordersync", "fix", "--retailer", "=", "1"]);
        assert_eq!((split.current(), split.kept.as_str()), ("--retailer=1", "--retailer="));
        let split = words(Shell::Bash, 3, &["ordersync", "fix", "--retailer", "="]);
        assert_eq!((split.current(), split.kept.as_str()), ("--retailer=", "--retailer="));
        let split =
            words(Shell::Bash, 7, &["ordersync", "--base-url", "https", ":", "//a.test", "fix", "--retailer", ""]);
        assert_eq!((split.current(), split.value_of("--base-url").as_deref()), ("", Some("https://a.test")));
        assert_eq!(words(Shell::Zsh, 2, &["ordersync", "fix", "="]).current(), "=");
    }

    #[test]
    fn a_flag_before_the_cursor_has_its_value() {
        for typed in [&["ordersync", "--profile", "shop", ""][..], &["ordersync", "--profile=shop", "fix", ""]] {
            assert_eq!(words(Shell::Zsh, typed.len() - 1, typed).value_of("--profile").as_deref(), Some("shop"));
        }
        assert_eq!(words(Shell::Zsh, 1, &["ordersync", "--profile", "shop"]).value_of("--profile"), None);
    }
}
