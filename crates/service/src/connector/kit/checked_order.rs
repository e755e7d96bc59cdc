//! An order that passed its checks: the only thing that a connector can give to the store.

use std::collections::HashMap;
use std::ops::Deref;

use ordersync_api::order::{Adjustment, Mismatch};
use ordersync_api::{AdjustmentType, Open, ShipmentStatus};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::check::{Check, Failure};
use super::order_proof::{ProvenLine, ProvenOrder};
use super::pieces::status_of_line;
use crate::domain::order::{LineItem, RetailerOrder};

/// An order whose figures are proven. Amounts, quantities, date and total come from the proof; the connector adds what the
/// status means and what it knows of the products.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedOrder(RetailerOrder);

/// What is known of the product of a line, beside the page of the order.
#[derive(Debug, Clone, Copy)]
pub(in crate::connector) enum ProductFacts<'a> {
    /// The order does not say where more is to be read.
    Unlinked,
    /// The page of the product was read.
    Read {
        /// At the head of the page.
        title: Option<&'a str>,
        sku: Option<&'a str>,
        /// From the top of the catalogue down; more than three are left out.
        categories: &'a [String],
    },
    /// The shop's own record of the line was read. The page shows the same title in other signs.
    Exact { title: &'a str, sku: Option<&'a str> },
    /// The shop's own record of the order contradicts its page: what was found.
    Contradicts(&'a str),
    /// The product has no page any more. What is stored of it is kept.
    Gone,
    /// The order is stored with all that is known of its products, and that is kept.
    Stored,
    /// Its page could not be read this time. What is stored of it is kept, and the next sync reads the order again.
    Broken,
}

/// What the shop's own record says of an order, whose lines and total are those of the page.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::connector) struct Record {
    /// Whether its amounts are exact to the smallest coin, so that it proves those of the page.
    pub(in crate::connector) is_exact: bool,
    /// All tax of the order as it was placed.
    #[serde(with = "super::decimal::option")]
    pub(in crate::connector) tax: Option<Decimal>,
    /// The kinds of figures with unknown labels, by index into the adjustments.
    #[serde(default)]
    pub(in crate::connector) kinds: Vec<(usize, AdjustmentType)>,
    /// Figures of the page that it contradicts.
    pub(in crate::connector) mismatch: Vec<Mismatch>,
}

impl CheckedOrder {
    /// Puts a proven order together with what the shop's word for its status means and with what is known of its products.
    /// Fails if the title of a line is doubtful and its product does not confirm it, if another source contradicts the
    /// page, or if only the shop's own record could settle a doubt, and does not.
    pub(super) fn new<'a>(
        proven: &ProvenOrder,
        meaning: impl Fn(&str) -> Open<ShipmentStatus>,
        product: impl Fn(&ProvenLine, usize) -> ProductFacts<'a>,
        record: Option<&Record>,
    ) -> Result<Self, Failure> {
        let status = proven.status().map(|text| (text, meaning(text)));
        let in_list = proven.listed().status.as_deref().map(&meaning);
        let mut occurrences: HashMap<&str, u32> = HashMap::new();
        let mut items = Vec::with_capacity(proven.lines().len());
        let (mut is_whole, mut is_renamed, mut has_products) = (true, false, true);
        for (place, line) in proven.lines().iter().enumerate() {
            let facts = product(line, place);
            is_whole &= !matches!(facts, ProductFacts::Broken);
            has_products &= !matches!(facts, ProductFacts::Gone);
            is_renamed |= facts.title().is_some_and(|title| title != line.title())
                || line.is_cut() && facts.title().is_none() && !matches!(facts, ProductFacts::Exact { .. });
            if let ProductFacts::Contradicts(found) = facts {
                return Err(Failure::new(Check::Lines, found));
            }
            confirm_title(line, facts)?;
            let occurrence = occurrences.entry(line.title()).or_default();
            *occurrence += 1;
            items.push(item(line, *occurrence, facts, status.as_ref()));
        }
        if let Some(doubt) = proven.doubt().filter(|_| record.is_none_or(|record| !record.is_exact)) {
            return Err(doubt.clone());
        }
        let (mut mismatch, adjustments) = with_record(proven, record);
        let is_plain = !is_renamed && !proven.needs_more() && record.is_none_or(|record| record.mismatch.is_empty());
        if is_renamed {
            mismatch.push(Mismatch { check: "title".to_owned(), shown: None, computed: None });
        }
        if !is_whole {
            mismatch.push(Mismatch { check: "product".to_owned(), shown: None, computed: None });
        }
        let is_other = |(_, meaning): &(&str, Open<ShipmentStatus>)| {
            meaning.known().is_some_and(|own| in_list.as_ref().and_then(Open::known).is_some_and(|other| other != own))
        };
        // The order's page may be outdated, for example cached.
        if status.as_ref().is_some_and(is_other) {
            mismatch.push(Mismatch { check: "status".to_owned(), shown: None, computed: None });
        }
        let is_refunded = |meaning: &Open<ShipmentStatus>| meaning.known() == Some(&ShipmentStatus::Refunded);
        let shows_refund = || {
            let mut kinds = adjustments.iter().filter_map(|one| one.kind.known());
            kinds.any(|kind| *kind == AdjustmentType::Refund)
        };
        let is_marked = mismatch.iter().any(|mark| mark.check == "refund");
        if status.as_ref().is_some_and(|(_, meaning)| is_refunded(meaning)) && !is_marked && !shows_refund() {
            // How much was paid back is not shown.
            mismatch.push(Mismatch { check: "refund".to_owned(), shown: None, computed: None });
        }
        let is_settled = status.is_some_and(|(_, meaning)| meaning.known().is_some_and(|status| status.is_settled()));
        let listed = proven.listed();
        Ok(Self(RetailerOrder {
            order_id: listed.number.clone(),
            fingerprint: (is_settled && is_whole).then(|| {
                if has_products && is_plain { listed.fingerprint_with_products() } else { listed.fingerprint() }
            }),
            placed_at: Some(listed.placed_at.at()),
            total: Some(listed.total.amount()),
            currency: Some(listed.total.currency().code().to_owned()),
            mismatch,
            adjustments: Some(adjustments),
            items,
            ..RetailerOrder::default()
        }))
    }

    /// Marks the order date as a date without a time.
    pub(super) fn of_a_day(mut self) -> Self {
        self.0.is_day_alone = true;
        self
    }

    /// An order of a page whose reader has checked its figures: those that do not agree are marked in it.
    pub(in crate::connector) const fn of_page(order: RetailerOrder) -> Self {
        Self(order)
    }

    /// An order of a retailer that exists only in this program: its figures were made, and not read. Nothing that was read
    /// may come this way.
    pub(crate) const fn invented(order: RetailerOrder) -> Self {
        Self(order)
    }
}

impl Deref for CheckedOrder {
    type Target = RetailerOrder;

    fn deref(&self) -> &RetailerOrder {
        &self.0
    }
}

impl<'a> ProductFacts<'a> {
    const fn title(self) -> Option<&'a str> {
        match self {
            Self::Read { title, .. } => title,
            Self::Unlinked | Self::Exact { .. } | Self::Contradicts(_) | Self::Gone | Self::Stored | Self::Broken => {
                None
            }
        }
    }
}

/// What does not agree, and the adjustments, with what the shop's own record says of them.
fn with_record(proven: &ProvenOrder, record: Option<&Record>) -> (Vec<Mismatch>, Vec<Adjustment>) {
    let mut mismatch = proven.mismatch().to_vec();
    let mut adjustments = proven.adjustments().to_vec();
    if let Some(record) = record {
        mismatch.retain(|mark| record.mismatch.iter().all(|other| other.check != mark.check));
        mismatch.extend(record.mismatch.iter().cloned());
        for (place, kind) in &record.kinds {
            if let Some(named) = adjustments.get_mut(*place) {
                named.kind = (*kind).into();
            }
        }
    }
    if let Some(label) = proven.rest_of_tax() {
        match record.and_then(|record| record.tax) {
            Some(tax) => adjustments.push(Adjustment {
                kind: AdjustmentType::Tax.into(),
                amount: tax,
                currency: Some(proven.listed().total.currency().code().to_owned()),
                date: None,
                text: Some(label.to_owned()),
                included: true,
            }),
            // Its tax is known of what is left after refunds only.
            None => mismatch.push(Mismatch { check: "tax".to_owned(), shown: None, computed: None }),
        }
    }
    (mismatch, adjustments)
}

fn confirm_title(line: &ProvenLine, facts: ProductFacts<'_>) -> Result<(), Failure> {
    // The shop's own record names one of the texts that the cell has.
    let is_exact = matches!(facts, ProductFacts::Exact { .. });
    if !line.is_doubtful() || is_exact || facts.title() == Some(line.title()) {
        return Ok(());
    }
    let what = if line.product().is_some() { "the page of the product does not confirm" } else { "nothing confirms" };
    Err(Failure::new(Check::Lines, format!("{what} the title of a line.")))
}

fn item(
    line: &ProvenLine,
    occurrence: u32,
    facts: ProductFacts<'_>,
    status: Option<&(&str, Open<ShipmentStatus>)>,
) -> LineItem {
    let (title, sku, categories) = match facts {
        ProductFacts::Read { sku, categories, .. } => (line.title(), sku.or(line.sku()), categories),
        ProductFacts::Exact { title, sku } => (title, sku, [].as_slice()),
        ProductFacts::Unlinked
        | ProductFacts::Contradicts(_)
        | ProductFacts::Gone
        | ProductFacts::Stored
        | ProductFacts::Broken => (line.title(), line.sku(), [].as_slice()),
    };
    let category = |level: usize| categories.get(level).cloned();
    let shipment_status = status_of_line(status.map(|(_, meaning)| meaning), line.status());
    LineItem {
        // Shops show an id of a line, or the SKU, only as long as the product is in the catalogue: neither may tell lines
        // apart. The title of a line is a copy made when it was ordered. It is the page's, which every sync reads.
        line_id: Some(format!("{}#{occurrence}", line.title())),
        title: Some(title.to_owned()),
        department: category(0),
        category: category(1),
        sub_category: category(2),
        sku: sku.map(str::to_owned),
        secondary_unknown: matches!(facts, ProductFacts::Gone | ProductFacts::Stored | ProductFacts::Broken),
        status_unknown: shipment_status.is_none(),
        quantity: Some(line.quantity()),
        unit_price: line.unit_price(),
        line_total: Some(line.total()),
        shipment_status,
        shipment_text: status.map(|(text, _)| (*text).to_owned()),
        shipments: line.shipments().to_vec(),
        ..LineItem::default()
    }
}
