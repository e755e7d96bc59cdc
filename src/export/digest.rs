//! What the readers of a list share: an item's digest, and the error of a list that never stands still.

use sha2::{Digest as _, Sha256};

use crate::errors::{Error, Hint, codes};

/// An item's id as 128 bits: short enough to keep, long enough never to meet twice.
pub(super) fn digest(id: &str) -> u128 {
    first_bits(&Sha256::digest(id.as_bytes()))
}

pub(super) fn first_bits(digest: &[u8]) -> u128 {
    digest.iter().take(16).fold(0, |number, byte| (number << 8) | u128::from(*byte))
}

pub(super) fn still_changing() -> Error {
    Error::of(&codes::command::STILL_RUNNING, "Orders kept changing while they were read; the export is not whole.")
        .hint(Hint::run("Wait for the sync to end, then export again", "ordersync sessions watch"))
}
