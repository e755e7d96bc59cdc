//! Requests, one after the other: no more of the orders is held than one request has.

use std::collections::VecDeque;

use ordersync_api::{ImportRequest, OrderLeftOut};
use serde_json::value::{RawValue, to_raw_value};

use crate::Read;
use crate::finding::{Finding, FindingCode, Findings, Refused};
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
    waiting: VecDeque<Waiting>,
}

/// An order, whose it is, and its format.
type Waiting = (Option<String>, String, Ready);
/// A request whose orders were written.
pub type Request = ImportRequest<Box<RawValue>>;

/// An order as it is sent.
enum Ready {
    Written(Box<RawValue>),
    LeftOut(OrderLeftOut),
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
            for Found { retailer, source, order, left_out, .. } in
                self.merger.orders(group, &mut Findings::default())?
            {
                if let Some(reason) = left_out {
                    let left_out = OrderLeftOut { order_id: order.order_id, reason: reason.to_owned() };
                    self.waiting.push_back((retailer, source, Ready::LeftOut(left_out)));
                    continue;
                }
                let written = to_raw_value(&order).map_err(|why| {
                    let message = format!("The order cannot be sent: {why}.");
                    Finding::new(FindingCode::AmountUnreadable, &source, message).order(&order.order_id)
                })?;
                self.waiting.push_back((retailer, source, Ready::Written(written)));
            }
        }
        Ok(true)
    }

    fn request(&mut self) -> Result<Option<Request>, Refused> {
        let mut request: Option<Request> = None;
        let mut size = 0;
        while self.fill()? {
            let Some((retailer, source, order)) = self.waiting.front() else { break };
            let length = match order {
                Ready::Written(order) => order.get().len(),
                Ready::LeftOut(order) => order.order_id.len() + order.reason.len(),
            };
            if let Some(request) = &request {
                let is_same = (&request.retailer_name, &request.source) == (retailer, source);
                if !is_same
                    || request.orders.len() + request.orders_left_out.len() >= MAX_ORDERS
                    || size + length > MAX_BYTES
                {
                    break;
                }
            }
            size += length;
            let Some((retailer_name, source, order)) = self.waiting.pop_front() else { break };
            let request = request.get_or_insert_with(|| Request {
                retailer_name,
                source,
                dry_run: false,
                more_follow: None,
                orders: Vec::new(),
                orders_left_out: Vec::new(),
            });
            match order {
                Ready::Written(order) => request.orders.push(order),
                Ready::LeftOut(order) => request.orders_left_out.push(order),
            }
        }
        if request.is_some() {
            self.merger.unchanged()?;
        }
        Ok(request)
    }
}

impl Iterator for Requests<'_> {
    type Item = Result<Request, Refused>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.request();
        if result.is_err() {
            self.next = usize::MAX;
            self.waiting.clear();
        }
        result.transpose()
    }
}
