//! A text as words, numbers and what is between them.

/// A part of a text. Together they are the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Letters of any script.
    Word(&'a str),
    /// Digits.
    Number(&'a str),
    /// Neither.
    Other(&'a str),
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Kind {
    Word,
    Number,
    Other,
}

fn kind(sign: char) -> Kind {
    if sign.is_ascii_digit() || (sign.is_numeric() && !sign.is_alphabetic()) {
        Kind::Number
    } else if sign.is_alphabetic() || is_mark(sign) {
        Kind::Word
    } else {
        Kind::Other
    }
}

/// Signs that combine with the letter before them.
const fn is_mark(sign: char) -> bool {
    matches!(sign, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}')
}

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut current = None;
    for (at, sign) in text.char_indices() {
        let kind = kind(sign);
        if current.is_some_and(|before| before != kind) {
            found.push(token(current, &text[start..at]));
            start = at;
        }
        current = Some(kind);
    }
    if current.is_some() {
        found.push(token(current, &text[start..]));
    }
    found
}

fn token(kind: Option<Kind>, text: &str) -> Token<'_> {
    match kind {
        Some(Kind::Word) => Token::Word(text),
        Some(Kind::Number) => Token::Number(text),
        Some(Kind::Other) | None => Token::Other(text),
    }
}
