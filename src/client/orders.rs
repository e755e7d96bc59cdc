//! Line items.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use ordersync_api::order::CSV_COLUMNS;
use ordersync_api::{Id, ListCompleteness, OrderItem, SyncStarted, Timestamp};
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::endpoints::Operation;
use super::list::{Listed, Span};
use super::page::{self, Incomplete, ListHeaders, Place};
use super::request::Call;
use super::row::{self, Row};
use super::{Answer, Client};
use crate::errors::{Error, Hint, Result, codes};
use crate::time_zone::Days;

/// Which line items.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OrderFilter {
    pub retailer_id: Option<i64>,
    /// Ordered at or after this.
    pub since: Option<DateTime<Utc>>,
    /// Ordered before this.
    pub until: Option<DateTime<Utc>>,
    /// On these days alone, if others are between the two.
    pub days: Option<Days>,
    /// With their adjustments, if the service knows how to include them.
    pub with_adjustments: bool,
}

/// A day in microseconds.
const DAY: i64 = 86_400_000_000;

impl OrderFilter {
    /// Fails if an item shows that the service does not apply the filter. An item without a retailer or a date is as the
    /// service says.
    pub(crate) fn check(&self, id: &str, retailer: Option<&str>, date: Option<&str>) -> Result<()> {
        let ignored = |is: String, parameter: String| {
            let message = format!("Item {id} is {is}, but {parameter} was requested: the service ignores this filter.");
            Err(Error::of(&codes::network::UNEXPECTED_ANSWER, message)
                .hint("Report it to the operator of the service. Until then, leave out the filter."))
        };
        let retailers = self.retailer_id.zip(retailer.and_then(|text| text.parse::<i64>().ok()));
        if let Some((asked, listed)) = retailers.filter(|(asked, listed)| asked != listed) {
            return ignored(format!("of retailer {listed}"), format!("retailer_id={asked}"));
        }
        let bounds = self.since.is_some() || self.until.is_some();
        let Some(text) = date.filter(|_| bounds) else { return Ok(()) };
        let Some((first, last)) = moments(text) else { return Ok(()) };
        let since = self.since.filter(|since| last < since.timestamp_micros()).map(|since| ("start_date", since));
        let until = self.until.filter(|until| first >= until.timestamp_micros()).map(|until| ("end_date", until));
        match since.or(until) {
            Some((name, bound)) => ignored(format!("of {text}"), format!("{name}={}", Timestamp(bound))),
            None => Ok(()),
        }
    }
}

/// The first and the last moment that an order date may mean, in microseconds since 1970. A date without a time may be of any
/// time zone.
fn moments(date: &str) -> Option<(i64, i64)> {
    let day = || Some(date.parse::<NaiveDate>().ok()?.and_time(NaiveTime::MIN).and_utc().timestamp_micros());
    page::micros(date).map(|at| (at, at)).or_else(|| day().map(|day| (day - DAY, day + 2 * DAY)))
}

/// Line items.
#[derive(Debug)]
pub(crate) struct OrderPage {
    /// The items as received.
    pub rows: Vec<Value>,
    /// How many match in all, where the service says so.
    pub total: Option<u64>,
    /// What the service says of the connections behind the list.
    pub incomplete: Incomplete,
}

/// In which form a page is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageForm {
    Json,
    Csv,
}

/// A page of line items as received over the wire.
#[derive(Debug)]
pub(crate) struct WirePage {
    answer: Answer,
    /// In which form it was asked for.
    pub form: PageForm,
    /// At which row it begins.
    pub offset: u64,
    /// How many rows were asked for.
    pub asked: u32,
}

/// Lines of CSV.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines<'a> {
    /// The lines, without the header.
    pub text: &'a [u8],
    /// How many items they are.
    pub rows: u64,
    pub last: Place<'a>,
}

impl WirePage {
    /// What the service says of the list.
    pub(crate) fn told(&self) -> ListHeaders<'_> {
        ListHeaders { total: self.answer.total(), version: self.answer.version(), asked: self.asked.into() }
    }

    /// What it says of the connections whose items it lists.
    pub(crate) fn incomplete(&self) -> Incomplete {
        self.answer.incomplete()
    }

    /// The items, borrowed from the page.
    pub(crate) fn rows(&self) -> Result<Vec<Row<'_>>> {
        row::rows(self.answer.body()).map_err(|why| self.answer.unreadable(&why))
    }

    /// The lines of CSV, where they are those of the specification's columns and it is known with which item they end.
    pub(crate) fn lines(&self) -> Option<Lines<'_>> {
        let id = self.answer.header("x-last-id").filter(|id| !id.is_empty())?;
        let date = match self.answer.header("x-last-order-date") {
            None => None,
            Some(text) => Some(page::micros(text)?),
        };
        let text = self.answer.body().strip_prefix(page::header().as_bytes())?;
        let rows = page::count(text, CSV_COLUMNS.len()).filter(|_| std::str::from_utf8(text).is_ok())?;
        Some(Lines { text, rows, last: Place { date, id } })
    }
}

impl Client {
    /// So many line items from this one on, newest first, whatever the size of the service's pages.
    pub(crate) async fn orders(&self, filter: &OrderFilter, limit: u32, offset: u64) -> Result<OrderPage> {
        let start = usize::try_from(offset).map_err(|_| Error::usage("That many items cannot be skipped."))?;
        let call = |limit: u32, offset: usize| list(filter, limit, offset as u64, PageForm::Json);
        let span = Span { start, most: limit as usize, size: limit };
        let Listed { rows, total, incomplete } = self.rows(call, |one: &Value, other| one == other, span).await?;
        for row in &rows {
            let text = |name: &str| Id::deserialize(&row[name]).ok();
            let [id, retailer, date] = ["id", "retailerId", "orderDate"].map(text);
            let [retailer, date] = [&retailer, &date].map(|text| text.as_ref().map(Id::as_str));
            filter.check(id.as_ref().map_or("without an id", Id::as_str), retailer, date)?;
        }
        Ok(OrderPage { rows, total, incomplete })
    }

    /// A page of line items, newest first, as received over the wire.
    pub(crate) async fn orders_page(
        &self,
        filter: &OrderFilter,
        limit: u32,
        offset: u64,
        form: PageForm,
    ) -> Result<WirePage> {
        let call = list(filter, limit, offset, form)?;
        Ok(WirePage { answer: self.send(call).await?, form, offset, asked: limit })
    }

    /// One line item.
    pub(crate) async fn order(&self, id: &str) -> Result<OrderItem> {
        let item: Value = self.get(Call::new(Operation::OrdersGet)?.parameter("id", id)).await.map_err(|error| {
            error.where_unknown(Hint::run("See your line items", "ordersync orders list --fields id,itemName"))
        })?;
        let item = typed(item)?;
        if item.id.as_str() != id {
            let message = format!("The service answers with item {} when it is asked for item {id}.", item.id);
            return Err(Error::of(&codes::network::UNEXPECTED_ANSWER, message));
        }
        Ok(item)
    }

    /// Whether what is listed is all that the retailers have; none if the service does not say.
    pub(crate) async fn completeness(&self, retailer_id: Option<i64>) -> Result<Option<ListCompleteness>> {
        match self.get(Call::new(Operation::Completeness)?.query("retailer_id", retailer_id)).await {
            // It may know the specification alone, and answer as it likes.
            Err(error) if matches!(error.http_status(), Some(200..=299 | 400 | 404 | 405 | 501)) => Ok(None),
            list => list.map(Some),
        }
    }

    /// Starts a sync that fetches the latest orders of every retailer.
    pub(crate) async fn sync_orders(&self) -> Result<SyncStarted> {
        self.get(Call::new(Operation::OrdersSync)?).await
    }
}

/// Reads the fields of an item. The error names the item and the field that is of another kind than the interface has.
pub(crate) fn typed(item: Value) -> Result<OrderItem> {
    OrderItem::deserialize(&item).map_err(|why| {
        let id = Id::deserialize(&item["id"]).map_or_else(|_| "without an id".to_owned(), |id| id.0);
        let is_wrong = |name: &str, value: &Value| OrderItem::deserialize(json!({"id": "", name: value})).is_err();
        let field = item.as_object().into_iter().flatten().find(|(name, value)| is_wrong(name, value));
        let field = field.map(|(name, _)| format!("{name}: ")).unwrap_or_default();
        Error::of(&codes::network::UNEXPECTED_ANSWER, format!("Item {id}: {field}{why}.")).hint(Hint::run(
            "Report it to the operator of the service. As JSON, the items are listed as they are",
            "ordersync orders list -o json",
        ))
    })
}

/// The service knows the specification alone, which has no adjustments.
pub(crate) fn adjustments_not_reported() -> Error {
    Error::of(&codes::command::ADJUSTMENTS_UNKNOWN, "This service does not report adjustments.")
        .hint("For an export, leave lineAdjustments and orderAdjustments out of --columns; for a summary, leave out --net. Whether an order has any: see it at the retailer.")
}

/// The request for a page.
fn list(filter: &OrderFilter, limit: u32, offset: u64, form: PageForm) -> Result<Call> {
    Ok(Call::new(Operation::OrdersList)?
        .query("retailer_id", filter.retailer_id)
        .query("start_date", filter.since.map(Timestamp))
        .query("end_date", filter.until.map(Timestamp))
        .query("limit", Some(limit))
        .query("offset", Some(offset))
        .query("format", (form == PageForm::Csv).then_some("csv"))
        .query("include", filter.with_adjustments.then_some("adjustments")))
}
