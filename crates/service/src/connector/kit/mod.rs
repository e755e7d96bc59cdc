//! What all connectors share: the values that pages show, and the checks that they have to pass.
//!
//! Nothing in here knows a platform. A connector brings the words and the places of its platform; what a text may mean,
//! and what has to agree before anything is stored, is decided here once. `docs/dev/connectors.md` says how to write one.

pub(in crate::connector) mod breaker;
pub(in crate::connector) mod check;
pub(crate) mod checked_order;
pub(in crate::connector) mod compared;
pub(in crate::connector) mod decimal;
pub(in crate::connector) mod decimals;
pub(in crate::connector) mod due;
pub(in crate::connector) mod figures;
pub(in crate::connector) mod form;
pub(in crate::connector) mod line_tax;
pub(in crate::connector) mod list_proof;
pub(in crate::connector) mod list_reading;
pub(in crate::connector) mod list_view;
mod list_words;
pub(in crate::connector) mod listed;
pub(in crate::connector) mod money;
pub(in crate::connector) mod order_proof;
pub(in crate::connector) mod other_page;
pub(in crate::connector) mod page;
mod parts;
pub(in crate::connector) mod pieces;
pub(in crate::connector) mod placed;
pub(in crate::connector) mod quantity;
pub(in crate::connector) mod remembered;
pub(crate) mod report;
pub(in crate::connector) mod scan;
pub(in crate::connector) mod settings;
pub(in crate::connector) mod shows;
pub(in crate::connector) mod sign_in;
mod signing_in;
pub(in crate::connector) mod site;
pub(in crate::connector) mod source;
pub(in crate::connector) mod state;
pub(in crate::connector) mod status;
pub(in crate::connector) mod steps;
pub(in crate::connector) mod table;
mod tabs;
#[cfg(test)]
mod tests;
pub(in crate::connector) mod text;
pub(in crate::connector) mod title;
pub(in crate::connector) mod turn;
pub(in crate::connector) mod twice;

pub(in crate::connector) use ordersync_values::{currency, dates, locale};
