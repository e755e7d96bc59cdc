//! Wraps text to a width, with textwrap. This module adds what must stay together: a command to copy, text in
//! backticks, and words joined by a no-break space.

use textwrap::core::Word;
use textwrap::wrap_algorithms::wrap_first_fit;
use textwrap::{Options, WordSeparator, WordSplitter};

use super::sanitize::clean;
use crate::errors::Hint;

/// Wraps a text between its words, and within a word that is too wide by itself. Words joined by a no-break space stay
/// together, and are shown with a normal space.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let options = Options::new(width.max(1))
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// A hint in lines of at most `width` columns, except that its command stays on one line, however long. Every line
/// keeps the hint's indent.
pub(crate) fn lines(hint: &Hint, width: usize) -> Vec<String> {
    let (words, command) = (hint.words(), hint.command.as_deref().map(clean));
    let words = clean(&words);
    let text = words.trim_start_matches(' ');
    let indent = &words[..words.len() - text.len()];
    let mut pieces = pieces(text);
    if let Some(command) = &command {
        if let Some(last) = pieces.last_mut() {
            last.whitespace = " ";
        }
        pieces.push(Word::from(command));
    }
    let width = width.saturating_sub(indent.len());
    wrap_first_fit(&pieces, &[width as f64]).into_iter().map(|line| format!("{indent}{}", joined(line))).collect()
}

/// A sign and a message, whose continuation lines are aligned below its first word; `None`: all on one line.
pub(crate) fn hanging(sign: &str, said: &Hint, width: Option<usize>) -> String {
    let Some(width) = width else { return format!("{sign} {}", clean(&said.to_string())) };
    let indent = console::measure_text_width(sign) + 1;
    let lines = lines(said, width.saturating_sub(indent));
    format!("{sign} {}", lines.join(&format!("\n{:indent$}", "")))
}

/// Splits a text into words; text in backticks counts as one word.
fn pieces(text: &str) -> Vec<Word<'_>> {
    let mut pieces = Vec::new();
    let (mut begin, mut end, mut is_open) = (0, 0, false);
    for word in WordSeparator::AsciiSpace.find_words(text) {
        end += word.word.len() + word.whitespace.len();
        is_open ^= word.word.matches('`').count() % 2 == 1;
        if !is_open {
            pieces.push(Word::from(&text[begin..end]));
            begin = end;
        }
    }
    if begin < end {
        pieces.push(Word::from(&text[begin..end]));
    }
    pieces
}

/// Joins the words of a line, without the space after the last one.
fn joined(line: &[Word<'_>]) -> String {
    let Some((last, before)) = line.split_last() else { return String::new() };
    before.iter().flat_map(|word| [word.word, word.whitespace]).chain([last.word]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraph(text: &str, width: usize) -> Vec<String> {
        lines(&Hint::say(text), width)
    }

    #[test]
    fn lines_break_between_words_where_they_can() {
        assert_eq!(wrap("Enter the code", 80), ["Enter the code"]);
        assert_eq!(wrap("Enter the code", 9), ["Enter the", "code"]);
        assert_eq!(wrap("Enter thecodenow", 6), ["Enter", "thecod", "enow"]);
        assert_eq!(wrap("User: ada · Password:\u{a0}••", 20), ["User: ada ·", "Password: ••"]);
        assert_eq!(wrap("", 6), [""]);
        assert_eq!(wrap("北京北京", 4), ["北京", "北京"]);
    }

    #[test]
    fn hyphens_and_slashes_are_no_places_to_break() {
        assert_eq!(wrap("a well-known name", 8), ["a", "well-kno", "wn name"]);
        assert_eq!(paragraph("give --mfa-code-stdin or so", 10), ["give", "--mfa-code-stdin", "or so"]);
    }

    #[test]
    fn colours_take_no_space_and_wide_letters_take_two() {
        assert_eq!(wrap("\u{1b}[31mred\u{1b}[0m and blue", 7), ["\u{1b}[31mred\u{1b}[0m and", "blue"]);
        assert_eq!(paragraph("北京 北京 北京", 9), ["北京 北京", "北京"]);
        assert_eq!(paragraph("Shōten Zoë", 10), ["Shōten Zoë"]);
    }

    #[test]
    fn a_paragraph_is_broken_between_words_and_never_inside_a_command() {
        let hint = Hint::run("Repair it", "ordersync fix 'a; b. c' --retailer 12");
        assert_eq!(lines(&hint, 20), ["Repair it:", "ordersync fix 'a; b. c' --retailer 12"]);
        assert_eq!(lines(&hint, 80), [hint.to_string()]);
        assert_eq!(lines(&Hint::command("df -h /a/b/c"), 4), ["df -h /a/b/c"]);
        assert_eq!(
            paragraph("Start `ordersync serve --sandbox` there", 12),
            ["Start", "`ordersync serve --sandbox`", "there"]
        );
        assert_eq!(paragraph("a ` alone is a letter", 9), ["a", "` alone is a letter"]);
        assert_eq!(paragraph("  to the side", 8), ["  to the", "  side"]);
        assert_eq!(paragraph("the date of it", 8), ["the date", "of it"]);
        assert_eq!(paragraph("/a/very/long/path", 8), ["/a/very/long/path"]);
        assert_eq!(paragraph("", 8), [""]);
    }

    #[test]
    fn what_follows_a_sign_stands_below_its_words() {
        let said = Hint::run("Threadmoor was skipped", "ordersync fix conn_1");
        assert_eq!(hanging("!", &said, Some(25)), "! Threadmoor was skipped:\n  ordersync fix conn_1");
        assert_eq!(hanging("!", &said, None), "! Threadmoor was skipped: ordersync fix conn_1");
    }
}
