//! What the connector keeps from step to step: cookies, the form that waits for a code, and how far the scan has come.
//!
//! It stays below some 300 kB: rows are bounded by `max_pages`, products by [`MAX_PRODUCTS`].

use std::collections::{HashSet, VecDeque};

use ordersync_api::SyncErrorCode;
use serde::{Deserialize, Serialize};
use url::Url;

use super::order_list::Row;
use super::product_page::Product;
use super::sign_in_page::CodeForm;
use crate::connector::egress::CookieJar;
use crate::connector::{ConnectorError, ConnectorState};

/// Products that are remembered within a sync; one that is shown again after so many others is fetched again.
const MAX_PRODUCTS: usize = 800;

/// The state between two steps.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) cookies: CookieJar,
    /// Whether the shop ended the sign-in in the middle of the scan, and it was renewed.
    pub(super) signed_in_again: bool,
    /// The form that waits for the user's code.
    pub(super) code_form: Option<CodeForm>,
    /// Absent until the sign-in is known to hold.
    pub(super) scan: Option<Scan>,
}

impl State {
    pub(super) fn open(bytes: &[u8]) -> Result<Self, ConnectorError> {
        serde_json::from_slice(bytes).map_err(|_| internal("The state of the sync cannot be read."))
    }

    pub(super) fn close(&self) -> Result<Vec<u8>, ConnectorError> {
        serde_json::to_vec(self).map_err(|_| internal("The state of the sync cannot be kept."))
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

/// How far the reading of orders has come. The list is read first, whole; then the orders; then the head of the list
/// once more, for what was ordered meanwhile.
#[derive(Serialize, Deserialize)]
pub(super) struct Scan {
    /// Every order that the list has shown, each once.
    pub(super) rows: Vec<Row>,
    /// The first row that is not dealt with.
    pub(super) next: usize,
    /// The reading of the list that is going on.
    pub(super) reading: Option<Reading>,
    /// How many rows the list showed when it was last read whole, repetitions counted.
    pub(super) shown: usize,
    /// How often the list was read whole.
    pub(super) passes: u8,
    /// Whether the head of the list showed nothing new when it was last read.
    pub(super) head_is_known: bool,
    pub(super) products: Products,
}

/// A reading of the list, from its first page on.
#[derive(Serialize, Deserialize)]
pub(super) struct Reading {
    /// The page to read next.
    pub(super) url: Url,
    /// Its number, from 1.
    pub(super) page: u32,
    /// Rows that were shown so far.
    pub(super) shown: usize,
    /// Rows among them that were not known before.
    pub(super) added: usize,
    /// Whether to stop at the first page that shows nothing new.
    pub(super) head_only: bool,
}

impl Scan {
    /// A scan that begins with the whole list.
    pub(super) fn new(list: Url) -> Self {
        Self {
            rows: Vec::new(),
            next: 0,
            reading: Some(Reading::new(list, false)),
            shown: 0,
            passes: 0,
            head_is_known: false,
            products: Products::default(),
        }
    }

    /// Takes up the rows that are not there yet; says how many they are.
    pub(super) fn add(&mut self, rows: Vec<Row>) -> usize {
        let mut seen: HashSet<String> = self.rows.iter().map(|row| row.number.clone()).collect();
        let before = self.rows.len();
        self.rows.extend(rows.into_iter().filter(|row| seen.insert(row.number.clone())));
        self.rows.len() - before
    }

    /// A reading of the list has come to its end.
    pub(super) fn finish_reading(&mut self, reading: &Reading) {
        if reading.head_only {
            self.head_is_known = reading.added == 0;
        } else {
            self.shown = reading.shown;
            self.passes += 1;
        }
    }
}

impl Reading {
    pub(super) const fn new(list: Url, head_only: bool) -> Self {
        Self { url: list, page: 1, shown: 0, added: 0, head_only }
    }
}

/// The products that were fetched in this sync, by the path of their pages; the oldest make room.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Products(VecDeque<(String, Product)>);

impl Products {
    pub(super) fn get(&self, path: &str) -> Option<&Product> {
        self.0.iter().find(|(known, _)| known == path).map(|(_, product)| product)
    }

    pub(super) fn insert(&mut self, path: String, product: Product) {
        if self.0.len() >= MAX_PRODUCTS {
            self.0.pop_front();
        }
        self.0.push_back((path, product));
    }
}

pub(super) fn internal(message: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::InternalError).with_message(message)
}
