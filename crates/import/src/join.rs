//! Several mails are one order: as the newest tells it, with what only the others tell. A difference is reported, and a refund
//! that one of them has stays.

use ordersync_api::{Adjustment, AdjustmentType, ImportedItem, ImportedOrder, ShipmentStatus};

use crate::build::Built;
use crate::finding::FindingCode;
use crate::layout::Layout;
use crate::reading::At;

/// An order as one file or mail has it.
pub(crate) struct Version<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) at: At,
    pub(crate) built: Built,
    /// When the mail was sent or the page was saved, in seconds since 1970.
    pub(crate) sent: Option<i64>,
    /// Whether it only tells of a parcel.
    pub(crate) is_parcel: bool,
    /// Whether a page does not show all of its items, and how many it says there are.
    pub(crate) is_partial: bool,
    pub(crate) line_count: Option<u64>,
    /// The bytes of the mail.
    pub(crate) length: Option<u64>,
    /// Why the order cannot be read.
    pub(crate) left_out: Option<&'static str>,
}

/// The order of these mails. None: they only tell of its parcels.
pub(crate) fn of_mails<'a>(
    mut versions: Vec<Version<'a>>,
    mut report: impl FnMut(&Version<'a>, FindingCode, &str),
) -> Option<Version<'a>> {
    // Mails of one second are in the order in which a shop sends them.
    versions.sort_by_key(|version| {
        let order = &version.built.order;
        let step = order.items.first().and_then(step);
        (version.sent, refunds(&order.adjustments).count(), step, version.layout.input, version.at.row)
    });
    let (parcels, mut mails): (Vec<_>, Vec<_>) = versions.into_iter().partition(|version| version.is_parcel);
    let mut newest = mails.pop();
    if let Some(newest) = &mut newest {
        while let Some(other) = mails.pop() {
            if !fill(&mut newest.built.order, &other.built.order) {
                let message = "A newer mail tells the order differently. Its lines and figures count.";
                report(&other, FindingCode::OrderDiffers, message);
            }
        }
    }
    for parcel in &parcels {
        let is_taken = newest.as_mut().is_some_and(|order| ship(&mut order.built.order, &parcel.built.order.items));
        if !is_taken {
            let message =
                "No other mail tells of the order of this parcel, or none of its lines is in it. It was left out.";
            report(parcel, FindingCode::ParcelWithoutOrder, message);
        }
    }
    newest
}

/// How far an order is, by its status.
fn step(item: &ImportedItem) -> Option<usize> {
    const STEPS: [ShipmentStatus; 9] = [
        ShipmentStatus::Unpaid,
        ShipmentStatus::Pending,
        ShipmentStatus::Processing,
        ShipmentStatus::Shipped,
        ShipmentStatus::Delivered,
        ShipmentStatus::Completed,
        ShipmentStatus::Cancelled,
        ShipmentStatus::Returned,
        ShipmentStatus::Refunded,
    ];
    let status = item.shipment_status.as_ref()?.known()?;
    STEPS.iter().position(|step| step == status)
}

fn refunds(adjustments: &[Adjustment]) -> impl Iterator<Item = &Adjustment> {
    adjustments.iter().filter(|one| one.kind.is(&AdjustmentType::Refund))
}

/// Adds to an order what only an older mail tells. Returns whether the two agree otherwise.
fn fill(order: &mut ImportedOrder, other: &ImportedOrder) -> bool {
    let has_status = |order: &ImportedOrder| order.items.iter().any(|item| item.shipment_status.is_some());
    let had_status = has_status(order);
    let mut agree = take(&mut order.order_total, &other.order_total) & take(&mut order.currency, &other.currency);
    agree &= date(order, other);
    let mut left: Vec<&ImportedItem> = other.items.iter().collect();
    for item in &mut order.items {
        let place = left.iter().position(|line| is_same(item, line));
        let Some(line) = place.map(|place| left.remove(place)) else {
            agree = false;
            continue;
        };
        take(&mut item.item_name, &line.item_name);
        take(&mut item.retailer_sku, &line.retailer_sku);
        take(&mut item.quantity, &line.quantity);
        take(&mut item.price, &line.price);
        take(&mut item.line_total, &line.line_total);
        if item.shipment_status.is_none() {
            item.shipment_status.clone_from(&line.shipment_status);
            item.shipment_text.clone_from(&line.shipment_text);
        }
        if item.shipments.is_empty() {
            item.shipments.clone_from(&line.shipments);
        }
    }
    if !had_status && has_status(order) {
        order.stated_at = other.stated_at;
    }
    let mut known: Vec<_> = refunds(&order.adjustments).map(|one| one.amount).collect();
    for refund in refunds(&other.adjustments) {
        match known.iter().position(|amount| *amount == refund.amount) {
            Some(place) => drop(known.remove(place)),
            None => order.adjustments.push(refund.clone()),
        }
    }
    agree && left.is_empty()
}

/// Takes a value that is not known yet. Returns whether two known ones are the same.
fn take<T: Clone + PartialEq>(known: &mut Option<T>, told: &Option<T>) -> bool {
    if known.is_none() {
        known.clone_from(told);
    }
    told.is_none() || known == told
}

/// Lines of two mails are the same if nothing that both know is different.
fn is_same(one: &ImportedItem, other: &ImportedItem) -> bool {
    fn agree<T: PartialEq>(one: &Option<T>, other: &Option<T>) -> bool {
        one.is_none() || other.is_none() || one == other
    }
    agree(&one.item_name, &other.item_name)
        && agree(&one.retailer_sku, &other.retailer_sku)
        && agree(&one.quantity, &other.quantity)
        && agree(&one.line_total, &other.line_total)
}

/// If one mail has a day and the other a time, the time is kept.
fn date(order: &mut ImportedOrder, other: &ImportedOrder) -> bool {
    let (Some(known), Some(told)) = (order.order_date, other.order_date) else {
        if order.order_date.is_none() {
            (order.order_date, order.order_date_precision) = (other.order_date, other.order_date_precision);
        }
        return true;
    };
    let is_near = known.is_near(told);
    match (order.order_date_precision.is_some(), other.order_date_precision.is_some()) {
        (true, false) if is_near => {
            (order.order_date, order.order_date_precision) = (other.order_date, None);
            true
        }
        (true, false) | (false, true) => is_near,
        _ => known == told,
    }
}

/// Adds a parcel to its lines: those that it names, or the only one.
fn ship(order: &mut ImportedOrder, shipped: &[ImportedItem]) -> bool {
    let is_alone = order.items.len() == 1;
    let mut is_taken = false;
    for parcel in shipped {
        let is_in = |item: &&mut ImportedItem| match &parcel.item_name {
            Some(title) => item.item_name.as_ref() == Some(title),
            None => is_alone,
        };
        for item in order.items.iter_mut().filter(is_in) {
            is_taken = true;
            for shipment in &parcel.shipments {
                if !item.shipments.contains(shipment) {
                    item.shipments.push(shipment.clone());
                }
            }
        }
    }
    is_taken
}
