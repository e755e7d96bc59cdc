//! Line items summed up in groups, for people to read instead of a million rows.
//!
//! Sums are exact or an error, never rounded; currencies are never added to one another; memory holds the groups alone,
//! for net amounts the orders that have adjustments or an unknown amount, and for orders one by one, charges and payments all orders.

pub(crate) mod bars;
pub(crate) mod charges;
pub(crate) mod chart;
pub(crate) mod grouping;
pub(crate) mod html;
mod line;
pub(crate) mod money;
mod net;
pub(crate) mod orders;
pub(crate) mod payments;
pub(crate) mod totals;
