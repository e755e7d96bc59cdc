//! The columns of a table: their content, and what becomes of them on a narrow terminal.

/// What text is cut to at least, where a column does not say more.
const READABLE: usize = 16;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(super) title: &'static str,
    pub(super) whole: bool,
    pub(super) kind: Content,
    pub(super) optional: Option<u8>,
    /// Text is cut to no less than this before columns are left out.
    pub(super) readable: usize,
    /// The terminal may continue it on the next line.
    pub(super) copied: bool,
}

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Text,
    /// To the right.
    Number,
    /// To the right, the points below one another.
    Amount,
    /// In the colour of what it means.
    State,
    /// A bar, drawn of block characters.
    Bar,
}

impl Column {
    /// A column of text, cut where the terminal is too narrow.
    #[must_use]
    pub(crate) const fn text(title: &'static str) -> Self {
        Self { title, whole: false, kind: Content::Text, optional: None, readable: READABLE, copied: false }
    }

    /// The last column, of values to be copied: never cut. On a terminal that is too narrow, one continues on the next line,
    /// which copies as one.
    #[must_use]
    pub(crate) const fn copied(title: &'static str) -> Self {
        Self { copied: true, ..Self::text(title) }
    }

    /// A column that is never cut: identifiers, dates.
    #[must_use]
    pub(crate) const fn whole(title: &'static str) -> Self {
        Self { whole: true, ..Self::text(title) }
    }

    /// A column of states, never cut, in the colour of what they mean.
    #[must_use]
    pub(crate) const fn state(title: &'static str) -> Self {
        Self { kind: Content::State, ..Self::whole(title) }
    }

    /// A column of amounts, with or without a currency behind, never cut, the points below one another.
    #[must_use]
    pub(crate) const fn amount(title: &'static str) -> Self {
        Self { kind: Content::Amount, ..Self::whole(title) }
    }

    /// A column of numbers, never cut.
    #[must_use]
    pub(crate) const fn number(title: &'static str) -> Self {
        Self { kind: Content::Number, ..Self::whole(title) }
    }

    /// The same, cut to no less than this many letters: what a row is recognised by.
    #[must_use]
    pub(crate) const fn at_least(mut self, letters: usize) -> Self {
        self.readable = letters;
        self
    }

    /// A column of bars, never cut.
    #[must_use]
    pub(crate) const fn bar() -> Self {
        Self { kind: Content::Bar, ..Self::whole("") }
    }

    /// The same, left out where the terminal is too narrow for the others; the lowest rank goes first.
    #[must_use]
    pub(crate) const fn optional(mut self, rank: u8) -> Self {
        self.optional = Some(rank);
        self
    }
}
