//! What the connector keeps from step to step: cookies, forms that wait, and how far the scan has come.
//!
//! Its size is bounded: rows by `max_pages`, products by [`MAX_PRODUCTS`], and all of it by [`MAX_STATE`].

use std::collections::VecDeque;

use ordersync_api::SyncErrorCode;
use serde::{Deserialize, Serialize};
use url::Url;

use super::product_page::Product;
use super::sign_in_page::CodeForm;
use crate::connector::egress::CookieJar;
use crate::connector::kit::due::DueOrders;
use crate::connector::kit::list_reading::ListReading;
use crate::connector::kit::order_proof::ProvenOrder;
use crate::connector::kit::report::KeptBack;
use crate::connector::kit::sign_in::CredentialsForm;
use crate::connector::{ConnectorError, ConnectorState};

/// Products that are remembered within a sync; one that is shown again after so many others is fetched again.
const MAX_PRODUCTS: usize = 800;
/// The largest state in bytes. A history of 10,000 orders takes about 800 kB.
const MAX_STATE: usize = 1024 * 1024;
/// How often a scan that cannot be continued begins again.
const MAX_RESTARTS: u8 = 5;
/// How often a sign-in that ended is renewed before anything more was read, and in all.
const MAX_IDLE_RENEWALS: u8 = 5;
const MAX_RENEWALS: u8 = 50;

/// The state between two steps.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) cookies: CookieJar,
    pub(super) stage: Stage,
    pub(super) renewals: Renewals,
    /// Whether the shop had forgotten the sign-in while it waited for a code.
    pub(super) is_restarted: bool,
    /// The form for user name and password that is to be sent next.
    pub(super) credentials_form: Option<CredentialsForm>,
    /// The form that waits for the user's code.
    pub(super) code_form: Option<CodeForm>,
    /// Absent until the sign-in is known to hold.
    pub(super) scan: Option<Scan>,
    /// How often the scan began again, because it was of another version of the program.
    #[serde(default)]
    pub(super) restarts: u8,
    /// Whether this step has read anything that must not be lost.
    #[serde(skip)]
    pub(super) has_read: bool,
}

/// What comes next.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Look whether the remembered sign-in holds.
    Recall,
    /// Fetch the form for user name and password.
    #[default]
    FetchForm,
    SendForm,
    /// Look whether the sign-in that the shop took holds.
    Verify,
    Scan,
}

/// How often the sign-in ended in the middle of the scan and was renewed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Renewals {
    all: u8,
    /// Since anything was read.
    idle: u8,
}

impl Renewals {
    /// Counts one more, unless there were too many.
    pub(super) fn count(&mut self) -> Result<(), ConnectorError> {
        if self.idle >= MAX_IDLE_RENEWALS || self.all >= MAX_RENEWALS {
            return Err(ConnectorError::new(SyncErrorCode::RetailerUnavailable).with_message(
                "The retailer takes the sign-in, but ends it again before everything is read. Sync again later.",
            ));
        }
        self.all += 1;
        self.idle += 1;
        Ok(())
    }

    /// A page was read that needs the sign-in.
    pub(super) const fn read_on(&mut self) {
        self.idle = 0;
    }

    /// Whether nothing was read since the last one.
    pub(super) const fn is_idle(&self) -> bool {
        self.idle > 0
    }
}

impl State {
    /// The shop took the sign-in. A scan that goes on finds out whether it holds.
    ///
    /// A wait for the next request must not forget it: the password would be sent again after each wait.
    pub(super) const fn signed_in(&mut self) {
        self.has_read = true;
        self.stage = if self.scan.is_some() { Stage::Scan } else { Stage::Verify };
    }

    /// Reads the state that the step before has left. `list`: the first page of the order list.
    ///
    /// After an upgrade, it may be of a version that kept another shape of scan. Such a scan begins again from its start: its
    /// orders are read and stored once more. The sign-in and its forms are kept as they are.
    ///
    /// # Errors
    /// `internal_error` if it is no state, or if the scan began again too often.
    pub(super) fn open(bytes: &[u8], list: &Url) -> Result<Self, ConnectorError> {
        if let Ok(state) = serde_json::from_slice(bytes) {
            return Ok(state);
        }
        let unreadable = |_| internal("The state of the sync cannot be read.");
        let mut parts: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(bytes).map_err(unreadable)?;
        parts.remove("scan");
        let mut state: Self = serde_json::from_value(parts.into()).map_err(unreadable)?;
        if state.restarts >= MAX_RESTARTS {
            return Err(internal("The scan began again too often, because its state could not be read."));
        }
        state.restarts += 1;
        state.scan = Some(Scan::new(list.clone()));
        Ok(state)
    }

    pub(super) fn close(&self) -> Result<Vec<u8>, ConnectorError> {
        let bytes = serde_json::to_vec(self).map_err(|_| internal("The state of the sync cannot be kept."))?;
        if bytes.len() > MAX_STATE {
            return Err(ConnectorError::new(SyncErrorCode::RetailerIncomplete)
                .with_message("The customer has more orders than one sync can read."));
        }
        Ok(bytes)
    }
}

/// A sign-in that is remembered for later syncs.
#[derive(Serialize, Deserialize)]
pub(super) struct Remembered {
    /// Whose it is: after a repair with another account's credentials it must not be used.
    pub(super) username: String,
    pub(super) cookies: CookieJar,
}

impl Remembered {
    pub(super) fn close(&self) -> Option<ConnectorState> {
        serde_json::to_vec(self).ok().map(ConnectorState::new)
    }
}

/// How far the reading of orders has come. The list is read first, whole, and proven; then the orders; then the head of the
/// list once more, for what was ordered meanwhile.
#[derive(Serialize, Deserialize)]
pub(super) struct Scan {
    pub(super) list: ListReading,
    /// The first order that is not dealt with.
    pub(super) next: usize,
    /// The orders to read in this sync; absent until they are chosen.
    pub(super) due: Option<DueOrders>,
    /// The page of the next order, as long as pages of its products are to be read.
    pub(super) open: Option<ProvenOrder>,
    /// Orders that failed a check and are looked at once more, and how many of them were.
    pub(super) again: Vec<usize>,
    pub(super) again_done: usize,
    pub(super) kept_back: KeptBack,
    /// Order pages in a row that could not be fetched, and all of them.
    pub(super) unreachable_in_row: u8,
    pub(super) unreachable: u8,
    /// Whether any order passed its checks.
    pub(super) any_passed: bool,
    pub(super) products: Products,
    /// Pages of products that could not be read.
    pub(super) broken_products: u8,
}

impl Scan {
    /// A scan that begins with the whole list.
    pub(super) fn new(list: Url) -> Self {
        Self {
            list: ListReading::new(list),
            next: 0,
            due: None,
            open: None,
            again: Vec::new(),
            again_done: 0,
            kept_back: KeptBack::default(),
            unreachable_in_row: 0,
            unreachable: 0,
            any_passed: false,
            products: Products::default(),
            broken_products: 0,
        }
    }

    /// How many orders of the list are dealt with, that whose page is open included.
    pub(super) fn dealt_with(&self) -> usize {
        self.next + usize::from(self.open.is_some())
    }
}

/// The outcome of reading a product's page.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Seen {
    Read(Product),
    /// It has no page.
    Gone,
    /// Its page could not be read this time.
    Broken,
}

/// The products that were fetched in this sync, by the path of their pages; the oldest make room.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Products(VecDeque<(String, Seen)>);

impl Products {
    pub(super) fn get(&self, path: &str) -> Option<&Seen> {
        self.0.iter().find(|(known, _)| known == path).map(|(_, product)| product)
    }

    pub(super) fn insert(&mut self, path: String, product: Seen) {
        if self.0.len() >= MAX_PRODUCTS {
            self.0.pop_front();
        }
        self.0.push_back((path, product));
    }
}

pub(super) fn internal(message: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::InternalError).with_message(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Url {
        "https://shop.test/orders/".parse().unwrap()
    }

    fn state(products: usize, path_length: usize) -> State {
        let mut scan = Scan::new(list());
        for number in 0..products {
            scan.products.insert(format!("/{number:0path_length$}"), Seen::Gone);
        }
        State { scan: Some(scan), ..State::default() }
    }

    #[test]
    fn a_state_that_grows_too_large_ends_the_sync_as_incomplete() {
        let close = |path_length| state(MAX_PRODUCTS, path_length).close();
        assert!(close(1_000).is_ok_and(|bytes| State::open(&bytes, &list()).is_ok()));
        assert_eq!(close(1_400).unwrap_err().code, SyncErrorCode::RetailerIncomplete);
    }

    #[test]
    fn the_products_that_were_read_longest_ago_make_room() {
        let products = state(MAX_PRODUCTS + 2, 4).scan.unwrap().products;
        assert_eq!(products.0.len(), MAX_PRODUCTS);
        assert!(products.get("/0001").is_none() && products.get("/0002").is_some());
    }

    #[test]
    fn a_scan_of_another_version_begins_again_but_not_for_ever() {
        let mut kept = state(1, 4);
        kept.stage = Stage::SendForm;
        kept.renewals.all = 7;
        let mut bytes = kept.close().unwrap();
        let mut restarts = 0;
        let error = loop {
            let text = String::from_utf8(bytes).unwrap().replace("\"unreachable_in_row\"", "\"unknown\"");
            let state = match State::open(text.as_bytes(), &list()) {
                Ok(state) => state,
                Err(error) => break error,
            };
            restarts += 1;
            assert_eq!((state.stage, state.renewals.all), (Stage::SendForm, 7), "the sign-in goes on");
            let scan = state.scan.as_ref().unwrap();
            assert!(scan.products.get("/0000").is_none() && scan.list.wanted().is_some_and(|page| page.number == 1));
            bytes = state.close().unwrap();
        };
        assert_eq!((restarts, error.code), (MAX_RESTARTS, SyncErrorCode::InternalError));
        assert_eq!(State::open(b"[]", &list()).err().map(|error| error.code), Some(SyncErrorCode::InternalError));
    }
}
