//! The connector for shops that run on django-oscar. It signs in and reads pages as the customer's browser would.
//!
//! What is shown is reported, nothing is corrected; what cannot be read for certain is an error that names the element
//! and the kind of page, and never a guess. The kit takes the steps of a sync.

mod line_title;
mod list_scan;
mod order_list;
mod order_page;
mod order_status;
mod product_page;
mod products;
mod scan;
mod sign_in_page;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use url::Url;

use self::sign_in_page::OscarSignIn;
use super::egress::Egress;
use super::kit::settings::Settings;
use super::kit::site::Site;
use super::kit::steps::HtmlConnector;

/// A shop that runs on django-oscar.
pub(crate) struct Oscar {
    site: Site,
}

impl Oscar {
    /// A connector for the shop at `base_url`, which is also the egress's. `None` for an address that can be no base.
    pub(super) fn connector(base_url: &Url, egress: Egress, settings: Settings) -> Option<HtmlConnector<Self>> {
        let base = Site::base(base_url)?;
        let sign_in = base.join("accounts/login/").ok()?;
        let orders = base.join("accounts/orders/").ok()?;
        let settings = Arc::new(settings);
        Some(HtmlConnector(Self { site: Site { egress, settings, sign_in, orders, pages: Arc::new(OscarSignIn) } }))
    }
}
