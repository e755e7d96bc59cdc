//! Line items summed up in groups: what people look at in place of a million rows.
//!
//! Sums are exact or an error, never rounded; currencies are never added to one another; memory holds the groups alone.

pub mod bars;
pub mod chart;
pub mod grouping;
pub mod html;
pub mod money;
pub mod totals;
