//! What the kit proves and refuses, on orders that no page was needed for.

mod orders;
