//! The parcels of an order, and which of its lines are in them.

use ordersync_api::order::Shipment;
use serde::Deserialize;
use serde_json::Value;

use super::path::{Path, Wrong, needed};

/// Where an order has its parcels.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShipmentsAt {
    /// The list of what was sent; the other paths begin at each of these.
    each: Path,
    /// The list of its parcels, if it has several; `carrier` and `number` begin at each of them.
    parcels: Option<Path>,
    carrier: Option<Path>,
    number: Option<Path>,
    /// The list of the lines in it. Without it, all of them are.
    lines: Option<Path>,
    /// What `order.line_key` has of the line.
    line: Option<Path>,
}

/// What was sent together.
pub(super) struct Sent {
    parcels: Vec<Shipment>,
    /// The keys of the lines in it; `None`: all of them are.
    lines: Option<Vec<String>>,
}

impl Sent {
    /// Whether the line with this key is in it.
    pub(super) fn has(&self, key: Option<&String>) -> bool {
        self.lines.as_ref().is_none_or(|lines| key.is_some_and(|key| lines.contains(key)))
    }

    pub(super) fn parcels(&self) -> &[Shipment] {
        &self.parcels
    }
}

impl ShipmentsAt {
    /// All that was sent of an order.
    pub(super) fn read(&self, order: &Value) -> Result<Vec<Sent>, Wrong> {
        let sent = needed(self.each.each(order), &self.each)?.into_iter().map(|one| self.sent(one));
        sent.collect()
    }

    fn sent(&self, one: &Value) -> Result<Sent, Wrong> {
        let parcels = match &self.parcels {
            Some(parcels) => parcels.list(one)?,
            None => std::slice::from_ref(one),
        };
        let parcels = parcels.iter().map(|parcel| self.parcel(parcel));
        let parcels = parcels.collect::<Result<Vec<_>, _>>()?;
        let lines = match (&self.lines, &self.line) {
            (Some(lines), Some(line)) => {
                let keys = lines.list(one)?.iter().map(|one| needed(line.id(one), line));
                Some(keys.collect::<Result<_, _>>()?)
            }
            _ => None,
        };
        Ok(Sent { parcels: parcels.into_iter().filter(|parcel| *parcel != Shipment::default()).collect(), lines })
    }

    fn parcel(&self, parcel: &Value) -> Result<Shipment, Wrong> {
        let text = |path: &Option<Path>| path.as_ref().map_or(Ok(None), |path| path.id(parcel));
        Ok(Shipment { carrier: text(&self.carrier)?, tracking_number: text(&self.number)? })
    }

    /// A key that contradicts another, and what would be right.
    pub(super) fn contradiction(&self, has_line_key: bool) -> Option<(&'static str, &'static str)> {
        if self.carrier.is_none() && self.number.is_none() {
            return Some(("order.shipments", "lacks `carrier` and `number`"));
        }
        let has_lines = self.lines.is_some();
        (self.line.is_some() != has_lines || has_line_key != has_lines)
            .then_some(("order.shipments.lines", "needs `line` and `order.line_key`, and they need it"))
    }
}
