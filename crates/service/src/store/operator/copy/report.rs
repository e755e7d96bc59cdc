//! What a copy says about itself.

/// A table in both databases, as it was read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Its name.
    pub table: String,
    /// The file's rows.
    pub source: Content,
    /// The database's rows.
    pub target: Content,
}

impl Compared {
    /// Whether both have the same rows.
    pub fn is_equal(&self) -> bool {
        self.source == self.target
    }
}

/// What is in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// How many rows.
    pub rows: u64,
    /// The digest of all columns of all rows, whatever their order.
    pub digest: String,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// All tables.
    pub tables: Vec<Compared>,
    /// The store had been copied before, and nothing was changed.
    pub was_done: bool,
}

/// What a copy does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// It continues an earlier one that was interrupted.
    Resumed,
    /// The file was changed since an earlier copy, whose rows were deleted.
    BegunAgain,
    /// So many rows of the table were copied.
    Copied(&'a str, u64),
    /// The table is read back.
    Comparing(&'a str),
}
