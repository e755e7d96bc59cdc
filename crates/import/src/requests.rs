//! Requests, one after the other: no more of the orders is held than one request has.

use std::collections::VecDeque;

use ordersync_api::ImportRequest;

use crate::Read;
use crate::finding::{Findings, Refused};
use crate::merge::{Found, Merger};

/// Orders in one request, at most.
const MAX_ORDERS: usize = 500;
/// About how large a request is at most, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The orders of checked files, as requests.
#[allow(missing_debug_implementations, reason = "it holds open files")]
pub struct Requests<'a> {
    read: &'a Read,
    merger: Merger<'a>,
    next: usize,
    waiting: VecDeque<Found>,
}

impl<'a> Requests<'a> {
    pub(crate) fn new(read: &'a Read) -> Self {
        Self { read, merger: Merger::new(read), next: 0, waiting: VecDeque::new() }
    }

    /// Whether an order waits, or one could be read.
    fn fill(&mut self) -> Result<bool, Refused> {
        while self.waiting.is_empty() {
            let Some(group) = self.read.index.groups().get(self.next) else { return Ok(false) };
            self.next += 1;
            // What there is to say was said when the files were checked.
            self.waiting.extend(self.merger.orders(group, &mut Findings::default())?);
        }
        Ok(true)
    }

    fn request(&mut self) -> Result<Option<ImportRequest>, Refused> {
        let mut request: Option<ImportRequest> = None;
        let mut size = 0;
        while self.fill()? {
            let Some(found) = self.waiting.front() else { break };
            let length = serde_json::to_vec(&found.order).map_or(0, |text| text.len());
            if let Some(request) = &request {
                let is_same = (&request.retailer_name, &request.source) == (&found.retailer, &found.source);
                if !is_same || request.orders.len() >= MAX_ORDERS || size + length > MAX_BYTES {
                    break;
                }
            }
            size += length;
            let Some(found) = self.waiting.pop_front() else { break };
            let request = request.get_or_insert_with(|| ImportRequest {
                retailer_name: found.retailer,
                source: found.source,
                dry_run: false,
                orders: Vec::new(),
            });
            request.orders.push(found.order);
        }
        if request.is_some() {
            self.merger.unchanged()?;
        }
        Ok(request)
    }
}

impl Iterator for Requests<'_> {
    type Item = Result<ImportRequest, Refused>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.request();
        if result.is_err() {
            self.next = usize::MAX;
            self.waiting.clear();
        }
        result.transpose()
    }
}
