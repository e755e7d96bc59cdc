//! Counts the attributes of a tag before its end has been seen: the tokenizer compares each with all before it, and
//! hands nothing out until the tag ends.

/// Follows the text of a page from `<` to `>` as the HTML standard's tokenizer does (§13.2.5.6 to §13.2.5.40).
///
/// It knows nothing of comments and scripts, so it may take their text for a tag. The caller notices that the tokenizer
/// has handed something out, and resets it.
#[derive(Debug, Default)]
pub(super) struct Tags {
    state: State,
    attributes: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// After `<`.
    Open,
    /// After `</`.
    EndOpen,
    /// In a comment, say. Its end is seen by what the tokenizer hands out.
    Declaration,
    /// In the name of the tag.
    Word,
    /// Before the name of an attribute.
    Before,
    Name,
    AfterName,
    /// After `=`.
    BeforeValue,
    /// In a value without quotes.
    Value,
    Quoted(u8),
}

impl Tags {
    /// The attributes of the tag that has begun; 0 outside of tags.
    pub(super) const fn attributes(&self) -> usize {
        self.attributes
    }

    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    pub(super) fn feed(&mut self, text: &str) {
        for byte in text.bytes() {
            self.state = self.after(byte);
            if self.state == State::Outside {
                self.attributes = 0;
            }
        }
    }

    fn after(&mut self, byte: u8) -> State {
        use State::{AfterName, Before, BeforeValue, Declaration, EndOpen, Name, Open, Outside, Quoted, Value, Word};
        let space = byte.is_ascii_whitespace();
        match (self.state, byte) {
            (Declaration, _) => Declaration,
            (Quoted(quote), _) if byte == quote => Before,
            (Quoted(quote), _) => Quoted(quote),
            (Outside | Open, b'<') => Open,
            (Outside, _) => Outside,
            (Open | EndOpen, b'a'..=b'z' | b'A'..=b'Z') => Word,
            (Open, b'/') => EndOpen,
            (Open, b'!' | b'?') => Declaration,
            (Open, _) | (_, b'>') => Outside,
            (EndOpen, _) => Declaration,
            (Word | Before | Name | AfterName, b'/') => Before,
            (Word, _) if space => Before,
            (Word, _) => Word,
            (Name | AfterName, b'=') => BeforeValue,
            (Name, _) if space => AfterName,
            (Name, _) => Name,
            (BeforeValue, b'"' | b'\'') => Quoted(byte),
            (BeforeValue | Before | AfterName, _) if space => self.state,
            (BeforeValue, _) => Value,
            (Value, _) if space => Before,
            (Value, _) => Value,
            (Before | AfterName, _) => {
                self.attributes += 1;
                Name
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attributes_of_an_open_tag_are_counted() {
        for (text, count) in [
            ("", 0),
            ("<div", 0),
            ("<div a", 1),
            ("<div a b  c", 3),
            ("<div a=1 b='x y z' c=\"p > q r\" d", 4),
            ("<div a = 'x' b", 2),
            ("<div a='x'b", 2),
            ("<div/a/b", 2),
            ("<div a=x/y b", 2),
            ("<div a= b c", 2),
            ("<div = b", 2),
            ("<!-- <p a b", 0),
            ("<!doctype a b", 0),
            ("</ a b", 0),
            ("<?p a b", 0),
            ("<div a b> c d", 0),
            ("< div a b", 0),
            ("<<div a", 1),
            ("</div a b", 2),
            ("<1 a b", 0),
            ("<div <b a", 2),
            ("<div a>x<p b", 1),
        ] {
            let mut tags = Tags::default();
            for piece in text.split_inclusive(' ') {
                tags.feed(piece);
            }
            assert_eq!(tags.attributes(), count, "{text}");
        }
    }
}
