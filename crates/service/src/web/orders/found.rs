//! Finding orders: newest first, those of one moment by their numbers.
//!
//! The lines of one moment are mixed in the list, so it is read to the end of the moment in which a page is full. Memory holds
//! one page of orders.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::filter::{After, Filter};
use crate::store::StoreError;
use crate::store::orders::own::{OrderNumber, OwnOrders, PlacedLine};

/// Orders on a page.
const PAGE: usize = 50;

/// An order that matches.
#[derive(Debug)]
pub(in crate::web) struct Hit {
    pub(in crate::web) order: OrderNumber,
    sort_key: i64,
    /// The title of its first line that matches a text.
    pub(in crate::web) title: Option<String>,
}

/// A page of orders.
pub(super) struct Found {
    pub(super) orders: Vec<Hit>,
    /// Where the next one begins, if there is one.
    pub(super) next: Option<String>,
}

/// The orders that match, after one of them.
pub(super) async fn find(own: &mut OwnOrders, filter: &Filter, after: Option<After>) -> Result<Found, StoreError> {
    let mut page =
        Filling { after, has_text: filter.has_text(), moment: i64::MIN, full: Vec::new(), now: BTreeMap::new() };
    let from = after.map(|after| after.sort_key);
    own.each_line(filter.cursor(from, true), |line| page.take(line, filter)).await?;
    page.close();
    let is_more = page.full.len() > PAGE;
    page.full.truncate(PAGE);
    let last = page.full.last().map(|hit| After { sort_key: hit.sort_key, order: hit.order }.text());
    Ok(Found { orders: page.full, next: last.filter(|_| is_more) })
}

/// A page while it is filled.
struct Filling {
    after: Option<After>,
    has_text: bool,
    moment: i64,
    full: Vec<Hit>,
    /// Those of the present moment: the first ones by their number, and one more than the page has room for.
    now: BTreeMap<OrderNumber, Option<String>>,
}

impl Filling {
    fn take(&mut self, line: &PlacedLine<'_>, filter: &Filter) -> ControlFlow<()> {
        if line.sort_key() != self.moment {
            self.close();
            if self.full.len() > PAGE {
                return ControlFlow::Break(());
            }
            self.moment = line.sort_key();
        }
        let is_before =
            self.after.is_some_and(|after| (line.sort_key(), line.order()) <= (after.sort_key, after.order));
        if is_before || self.now.contains_key(&line.order()) || !filter.matches(&line.4) {
            return ControlFlow::Continue(());
        }
        let title = self.has_text.then(|| line.4.item_name.clone()).flatten();
        self.now.insert(line.order(), title);
        if self.full.len() + self.now.len() > PAGE + 1 {
            self.now.pop_last();
        }
        ControlFlow::Continue(())
    }

    /// The moment is over: its orders are known.
    fn close(&mut self) {
        let sort_key = self.moment;
        let now = std::mem::take(&mut self.now);
        self.full.extend(now.into_iter().map(|(order, title)| Hit { order, sort_key, title }));
    }
}
