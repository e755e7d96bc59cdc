//! Text in lines of a width.

use console::measure_text_width;

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

/// Programs that a message tells to run.
const PROGRAMS: [&str; 14] = [
    "curl",
    "date",
    "df",
    "echo",
    "export",
    "journalctl",
    "jq",
    "ls",
    "lsof",
    "openssl",
    "sudo",
    "systemctl",
    "ulimit",
    "chmod",
];

/// A paragraph in lines of a width: broken between words, never inside a word and never inside a command to copy.
#[must_use]
pub fn paragraph(text: &str, width: usize) -> Vec<String> {
    let indent = &text[..text.len() - text.trim_start_matches(' ').len()];
    let mut lines = vec![indent.to_owned()];
    for piece in pieces(text.trim_start_matches(' ')) {
        let Some(line) = lines.last_mut() else { break };
        let is_first = line.len() == indent.len();
        if !is_first && measure_text_width(line) + 1 + measure_text_width(&piece) > width {
            lines.push(format!("{indent}{piece}"));
            continue;
        }
        if !is_first {
            line.push(' ');
        }
        line.push_str(&piece);
    }
    lines
}

/// Words, and commands as a whole.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut in_command = false;
    let mut before = "";
    for word in text.split(' ') {
        let bare = word.trim_start_matches(['(', '`', '"']);
        let begins = bare == "ordersync" || (PROGRAMS.contains(&bare) && before.ends_with(':'));
        let goes_on = in_command && !word.starts_with('(');
        match pieces.last_mut() {
            Some(piece) if goes_on => {
                piece.push(' ');
                piece.push_str(word);
            }
            _ => pieces.push(word.to_owned()),
        }
        in_command = (goes_on || begins) && !word.ends_with([';', ',', ')', '`', '.', '"']);
        before = word;
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
        let text = "Repair it: ordersync fix conn_1 --retailer 12; then go on.";
        assert_eq!(paragraph(text, 20), ["Repair it:", "ordersync fix conn_1 --retailer 12;", "then go on."]);
        assert_eq!(paragraph(text, 80), [text]);
        assert_eq!(paragraph("  to the side", 8), ["  to the", "  side"]);
        assert_eq!(paragraph("See: df -h /a/b/c", 8), ["See:", "df -h /a/b/c"]);
        assert_eq!(paragraph("the date of it", 8), ["the date", "of it"]);
        assert_eq!(paragraph("/a/very/long/path", 8), ["/a/very/long/path"]);
        assert_eq!(paragraph("", 8), [""]);
    }
}
