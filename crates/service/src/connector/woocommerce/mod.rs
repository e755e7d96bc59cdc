//! Shops that run on WooCommerce, version 7 and later: the recipe `recipes/woocommerce.toml`, and its tests.

pub(super) mod clock;
mod record;
pub(super) mod store_api;
#[cfg(test)]
mod tests;
