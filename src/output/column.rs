//! The columns of a table: their content, and how they adapt to a narrow terminal.

/// The least width to which text is cut, unless a column sets its own.
const READABLE: usize = 16;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(super) title: &'static str,
    pub(super) whole: bool,
    pub(super) kind: Content,
    pub(super) optional: Option<u8>,
    /// Columns are left out before text is cut below this width.
    pub(super) readable: usize,
    /// The terminal may wrap it onto the next line.
    pub(super) copied: bool,
    /// A note says so if it is left out.
    pub(super) noted: bool,
}

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Text,
    /// Aligned to the right.
    Number,
    /// Aligned at the decimal point.
    Amount,
    /// In the colour of its meaning.
    State,
    /// A bar of block characters.
    Bar,
}

impl Column {
    /// A column of text, cut if the terminal is too narrow.
    pub(crate) const fn text(title: &'static str) -> Self {
        let (kind, readable) = (Content::Text, READABLE);
        Self { title, whole: false, kind, optional: None, readable, copied: false, noted: false }
    }

    /// The last column, of values to be copied: never cut. If the terminal is too narrow, it wraps the value, which
    /// still copies as one line.
    pub(crate) const fn copied(title: &'static str) -> Self {
        Self { copied: true, ..Self::text(title) }
    }

    /// A column that is never cut: identifiers, dates.
    pub(crate) const fn whole(title: &'static str) -> Self {
        Self { whole: true, ..Self::text(title) }
    }

    /// A column of states in the colours of their meanings, never cut.
    pub(crate) const fn state(title: &'static str) -> Self {
        Self { kind: Content::State, ..Self::whole(title) }
    }

    /// A column of amounts, with or without a currency, aligned at the decimal point and never cut.
    pub(crate) const fn amount(title: &'static str) -> Self {
        Self { kind: Content::Amount, ..Self::whole(title) }
    }

    /// A column of numbers, never cut.
    pub(crate) const fn number(title: &'static str) -> Self {
        Self { kind: Content::Number, ..Self::whole(title) }
    }

    /// Cut to no less than this many letters: for text that identifies a row.
    pub(crate) const fn at_least(mut self, letters: usize) -> Self {
        self.readable = letters;
        self
    }

    /// A column of bars, never cut.
    pub(crate) const fn bar() -> Self {
        Self { kind: Content::Bar, ..Self::whole("") }
    }

    /// Left out if the terminal is too narrow for the others; the lowest rank is left out first.
    pub(crate) const fn optional(mut self, rank: u8) -> Self {
        self.optional = Some(rank);
        self
    }

    /// If it is left out, a note says so.
    pub(crate) const fn noted(mut self) -> Self {
        self.noted = true;
        self
    }
}
