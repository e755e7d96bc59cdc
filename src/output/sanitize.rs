//! Makes text from outside harmless for a terminal: text of a retailer or a service must not move the cursor, change
//! the title or hide what follows.

use std::borrow::Cow;

/// The text without control characters; a line break or tab becomes a space.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars()
            .filter_map(|letter| match letter {
                '\n' | '\r' | '\t' => Some(' '),
                harmful if is_harmful(harmful) => None,
                harmless => Some(harmless),
            })
            .collect(),
    )
}

/// Control characters, and those that reorder the text beside them (Unicode Standard Annex 9).
pub(crate) fn is_harmful(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_cannot_drive_the_terminal() {
        assert_eq!(clean("Café 北京 ✓"), "Café 北京 ✓");
        assert_eq!(clean("a\u{1b}[2Jb\u{7}\u{9b}c"), "a[2Jbc");
        assert_eq!(clean("one\ntwo\tthree"), "one two three");
        assert_eq!(clean("\u{202e}txt.exe"), "txt.exe");
    }
}
