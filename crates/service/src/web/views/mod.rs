//! The pages' HTML: pure functions from content to markup.

pub(super) mod account;
pub(super) mod charts;
pub(super) mod confirm;
pub(super) mod consent;
pub(super) mod device;
pub(super) mod landing;
pub(super) mod layout;
pub(super) mod message;
pub(super) mod money;
pub(super) mod order;
pub(super) mod orders;
pub(super) mod sign_in;
pub(super) mod way_back;
pub(super) mod widget;
