//! The connector for shops that run on WooCommerce, version 7 and later. It signs in and reads the pages of the customer's
//! account as a browser would.
//!
//! Elements are identified by the classes that WooCommerce gives them, which themes keep, and never by their position. What is
//! not understood is an error that names the element. The kit takes the steps of a sync.

mod amount;
mod order_list;
mod order_page;
mod page;
mod scan;
mod sign_in;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use url::Url;

use self::sign_in::WooSignIn;
use super::egress::Egress;
use super::kit::settings::Settings;
use super::kit::site::Site;
use super::kit::steps::HtmlConnector;

/// A shop that runs on WooCommerce.
pub(crate) struct WooCommerce {
    /// Its sign-in is the page of the customer's account, as long as nobody is signed in.
    site: Site,
}

impl WooCommerce {
    /// A connector for the shop at `base_url`, which is also the egress's. `account_path`: where the page of the account is.
    /// `None` for an address that can be no base.
    pub(super) fn connector(
        base_url: &Url,
        account_path: &str,
        egress: Egress,
        settings: Settings,
    ) -> Option<HtmlConnector<Self>> {
        let sign_in = Site::base(base_url)?.join(&format!("{account_path}/")).ok()?;
        let orders = sign_in.join("orders/").ok()?;
        let settings = Arc::new(settings);
        Some(HtmlConnector(Self { site: Site { egress, settings, sign_in, orders, pages: Arc::new(WooSignIn) } }))
    }
}
