//! Text in lines of a width.

use std::borrow::Cow;

use console::measure_text_width;

use super::clean::clean;
use crate::hint::Hint;

/// Breaks a text between its words; a word that is too wide alone is broken as well. What a no-break space holds together
/// stays together, and is shown with a space.
#[must_use]
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().map(|line| measure_text_width(line)).unwrap_or_default();
        let space = usize::from(last > 0);
        if last + space + measure_text_width(word) > width && last > 0 {
            lines.push(String::new());
        } else if space > 0 {
            push(&mut lines, ' ');
        }
        for letter in word.chars() {
            let last = lines.last().map(|line| measure_text_width(line)).unwrap_or_default();
            if last + measure_text_width(letter.encode_utf8(&mut [0; 4])) > width {
                lines.push(String::new());
            }
            push(&mut lines, if letter == '\u{a0}' { ' ' } else { letter });
        }
    }
    lines
}

/// A paragraph in lines of a width: broken between words, never inside a word and never inside a command to copy.
#[must_use]
pub fn paragraph(text: &str, width: usize) -> Vec<String> {
    let indent = &text[..text.len() - text.trim_start_matches(' ').len()];
    let lines = advice(&Hint::read(text.trim_start_matches(' ')), width.saturating_sub(indent.len()));
    lines.into_iter().map(|line| format!("{indent}{line}")).collect()
}

/// Words broken where they can be, and the command behind them on one line, however long it is.
#[must_use]
pub fn advice(hint: &Hint, width: usize) -> Vec<String> {
    let (text, command) = (hint.words(), hint.command.as_deref().map(clean));
    let text = clean(&text);
    let mut lines = vec![String::new()];
    for piece in pieces(&text).into_iter().chain(command.map(Cow::into_owned)) {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(&piece);
        } else if measure_text_width(line) + 1 + measure_text_width(&piece) > width {
            lines.push(piece);
        } else {
            line.push(' ');
            line.push_str(&piece);
        }
    }
    lines
}

/// Words; text in backticks is one word.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match pieces.last_mut() {
            Some(piece) if is_open => {
                piece.push(' ');
                piece.push_str(word);
            }
            _ => pieces.push(word.to_owned()),
        }
        is_open ^= word.matches('`').count() % 2 == 1;
    }
    pieces
}

fn push(lines: &mut [String], letter: char) {
    if let Some(line) = lines.last_mut() {
        line.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_paragraph_is_broken_between_words_and_never_inside_a_command() {
        let text = "Repair it: ordersync fix 'a; b. c' --retailer 12";
        assert_eq!(paragraph(text, 20), ["Repair it:", "ordersync fix 'a; b. c' --retailer 12"]);
        assert_eq!(
            paragraph("Start `ordersync serve --sandbox` there", 12),
            ["Start", "`ordersync serve --sandbox`", "there"]
        );
        assert_eq!(paragraph(text, 80), [text]);
        assert_eq!(paragraph("  to the side", 8), ["  to the", "  side"]);
        assert_eq!(paragraph("See: df -h /a/b/c", 8), ["See:", "df -h /a/b/c"]);
        assert_eq!(paragraph("the date of it", 8), ["the date", "of it"]);
        assert_eq!(paragraph("/a/very/long/path", 8), ["/a/very/long/path"]);
        assert_eq!(paragraph("", 8), [""]);
    }
}
