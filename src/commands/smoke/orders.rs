//! Line items: that pages, their total and the same rows as CSV agree with each other.

use std::time::Instant;

use ordersync_api::List;
use ordersync_api::order::{CSV_COLUMNS, DEFAULT_LIMIT};
use serde_json::Value;

use super::contract::{self, BodyKind, CheckResult, Fault};
use super::{Check, CheckReport, Probe};
use crate::client::endpoints::Operation;
use crate::client::request::Call;
use crate::client::wire::Reply;
use crate::errors::Result;
use crate::export::Sink as _;
use crate::export::csv::CsvSink;
use crate::export::row::Row;
use crate::output;

/// A page of line items.
struct ItemsPage {
    rows: Vec<Value>,
    ids: Vec<String>,
    total: u64,
}

/// Both checks. What a sync writes meanwhile may shift the items, so that what does not fit is looked at once more.
pub(super) async fn check(probe: &mut Probe<'_>, report: &mut CheckReport) -> Result<()> {
    let began = Instant::now();
    let verdict = match probe.pages().await {
        Err(_) => probe.pages().await,
        good => good,
    };
    let check = contract::told("orders", verdict).took(began.elapsed());
    let is_good = contract::is_good(&check);
    report.add(check)?;
    if !is_good {
        return report.add(Check::skipped("orders-csv", "there is nothing to compare with: see orders"));
    }
    let began = Instant::now();
    let verdict = match probe.csv().await {
        Err(_) => probe.csv().await,
        good => good,
    };
    report.add(contract::told("orders-csv", verdict).took(began.elapsed()))
}

impl Probe<'_> {
    async fn orders(&mut self, offset: u64, format: &str) -> Result<Reply> {
        let call = Call::new(Operation::OrdersList)?
            .query("limit", Some(DEFAULT_LIMIT))
            .query("offset", Some(offset))
            .query("format", Some(format));
        self.ask(call).await
    }

    async fn page(&mut self, offset: u64) -> Result<ItemsPage, Fault> {
        let reply = self.orders(offset, "json").await?;
        contract::holds(&reply, 200, BodyKind::Json)?;
        let rows = contract::json::<List<Value>>(&reply, "a list of line items")?.0;
        let total = total(&reply)?;
        let ids = rows.iter().map(id).collect::<Result<Vec<String>, Fault>>()?;
        contract::unique(ids.iter(), "id of a line item")?;
        let expected = total.saturating_sub(offset).min(u64::from(DEFAULT_LIMIT));
        if rows.len() as u64 != expected {
            let wanted = if expected == 1 { "1 row".to_owned() } else { format!("{expected} rows") };
            let what = format!("{wanted} at offset {offset} (X-Total-Count says {total} in all)");
            return Err(Fault::expected(what, rows.len()));
        }
        Ok(ItemsPage { rows, ids, total })
    }

    async fn pages(&mut self) -> CheckResult {
        let first = self.page(0).await?;
        let limit = u64::from(DEFAULT_LIMIT);
        // The second page, the last item, and what would be after it: a total that is off by one shows there.
        let mut offsets = vec![first.total];
        if first.total > limit {
            offsets.splice(0..0, [limit, first.total - 1]);
        }
        for offset in offsets {
            let page = self.page(offset).await?;
            if page.total != first.total {
                let what = format!("X-Total-Count {} at every offset", first.total);
                return Err(Fault::expected(what, format!("{} at offset {offset}", page.total)));
            }
            if let Some(id) = page.ids.iter().find(|id| first.ids.contains(id)) {
                return Err(Fault::expected("each line item on one page", format!("{id} at offset 0 and at {offset}")));
            }
        }
        Ok(match first.total {
            0 => "no line items yet, and X-Total-Count says so".to_owned(),
            total => format!("{total} line items; the first {} read, X-Total-Count and pages agree", first.rows.len()),
        })
    }

    async fn csv(&mut self) -> CheckResult {
        let page = self.page(0).await?;
        let reply = self.orders(0, "csv").await?;
        contract::holds(&reply, 200, BodyKind::Csv)?;
        let came = records(&reply.body)?;
        let expected = as_csv(page.rows)?;
        if came.first().map(Vec::as_slice) != expected.first().map(Vec::as_slice) {
            let header = came.first().map(|row| row.join(",")).unwrap_or_default();
            return Err(Fault::expected(format!("the header {}", CSV_COLUMNS.join(",")), format!("\"{header}\"")));
        }
        if came.len() != expected.len() {
            return Err(Fault::expected(format!("{} rows, as in JSON", expected.len() - 1), came.len() - 1));
        }
        for (number, (came, expected)) in came.iter().zip(&expected).enumerate().skip(1) {
            let different = came.iter().zip(expected).zip(CSV_COLUMNS).find(|((came, expected), _)| came != expected);
            if let Some(((came, expected), column)) = different {
                let what = format!("\"{expected}\" in row {number}, {column}, as in JSON");
                return Err(Fault::expected(what, format!("\"{came}\"")));
            }
        }
        Ok(format!("{} rows, the same as in JSON", came.len() - 1))
    }
}

fn id(row: &Value) -> Result<String, Fault> {
    match row.get("id") {
        Some(Value::String(id)) if !id.is_empty() => Ok(id.clone()),
        Some(Value::Number(id)) => Ok(id.to_string()),
        _ => Err(Fault::expected("an id of each line item", "one without")),
    }
}

fn total(reply: &Reply) -> Result<u64, Fault> {
    let text = reply.header("x-total-count").unwrap_or("none");
    text.trim().parse().map_err(|_| Fault::expected("a number in X-Total-Count", text))
}

/// The rows as the contract has them in CSV.
fn as_csv(rows: Vec<Value>) -> Result<Vec<Vec<String>>, Fault> {
    let mut bytes = Vec::new();
    let mut sink = CsvSink::new(&mut bytes, output::write_error);
    sink.begin()?;
    for row in rows {
        let json = row.to_string();
        sink.rows(&[Row::read(&json).map_err(|why| Fault::expected("a line item", why))?])?;
    }
    sink.end()?;
    records(&bytes)
}

fn records(bytes: &[u8]) -> Result<Vec<Vec<String>>, Fault> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let rows: Result<Vec<Vec<String>>, csv::Error> =
        reader.records().map(|row| Ok(row?.iter().map(str::to_owned).collect())).collect();
    let rows = rows.map_err(|why| Fault::expected("CSV", format!("something else: {why}")))?;
    if rows.is_empty() { Err(Fault::expected("CSV with a header", "nothing")) } else { Ok(rows) }
}
