//! How much a trial reads.

/// A part of a customer's orders.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Orders from the head of the list.
    pub orders: usize,
    /// Pages of the list.
    pub list_pages: u32,
}
