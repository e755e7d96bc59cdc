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
}
