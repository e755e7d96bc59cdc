//! Whether what is stored of a connection is all that its retailer has, in words.

use chrono::{DateTime, SecondsFormat, Utc};
use ordersync_api::completeness::name_orders;
use ordersync_api::{Completeness, Extra, IncompleteReason, Incompleteness, KeptBackOrder, Timestamp};

/// What the store knows about a connection's completeness.
#[derive(Debug)]
pub(crate) struct StoredCompleteness<'a> {
    pub(crate) created_at: DateTime<Utc>,
    /// When a sync last completed.
    pub(crate) last_sync_at: Option<DateTime<Utc>>,
    /// When the last sync that ended did so without completing; none: it completed, or none has ended.
    pub(crate) failed_at: Option<DateTime<Utc>>,
    /// Its error code; none: not known.
    pub(crate) failure_code: Option<&'a str>,
    pub(crate) failed_batch_id: Option<&'a str>,
    /// When something failed for the first time since a complete sync.
    pub(crate) incomplete_since: Option<DateTime<Utc>>,
    /// Whether its orders come from files alone, so that no sync is missing.
    pub(crate) is_import_only: bool,
    /// Whether the last sync that completed read a list of orders whose end nothing proves.
    pub(crate) end_not_proven: bool,
    /// Whether an import of a file began, and was not finished.
    pub(crate) import_unfinished: bool,
    pub(crate) is_invalid: bool,
    pub(crate) status_reason: Option<&'a str>,
    /// How many orders are kept back.
    pub(crate) kept_back: u64,
    /// The first of them, and which check failed.
    pub(crate) first_kept_back: Vec<(String, Option<String>)>,
}

impl StoredCompleteness<'_> {
    pub(crate) fn completeness(self) -> Completeness {
        let since = match self.last_sync_at {
            None => self.created_at,
            Some(completed) => self.incomplete_since.unwrap_or(completed),
        };
        let reasons = [
            self.invalid(),
            self.import_unfinished(),
            self.orders_kept_back(),
            self.failed(),
            self.end_not_proven(),
            self.never_completed(),
        ];
        let reasons: Vec<Incompleteness> = reasons.into_iter().flatten().collect();
        let complete = reasons.is_empty();
        let incomplete_since = (!complete).then(|| Timestamp(since).into());
        Completeness { complete, incomplete_since, reasons, extra: Extra::new() }
    }

    fn invalid(&self) -> Option<Incompleteness> {
        self.is_invalid.then(|| Incompleteness {
            code: self.status_reason.map(Into::into),
            ..because(
                IncompleteReason::ConnectionInvalid,
                format!("The connection has to be repaired; {} missing until then.", self.what_is_missing()),
            )
        })
    }

    fn orders_kept_back(&self) -> Option<Incompleteness> {
        let first = self.first_kept_back.iter().map(|(order_id, _)| order_id.as_str());
        let named = name_orders(first, self.kept_back);
        let orders = match self.kept_back {
            0 => return None,
            1 => "1 order failed a check and is".to_owned(),
            orders => format!("{orders} orders failed a check and are"),
        };
        let listed = self.first_kept_back.iter().map(|(order_id, reason)| KeptBackOrder {
            order_id: order_id.as_str().into(),
            reason: reason.clone().unwrap_or_else(|| "a check of it failed".to_owned()),
            extra: Extra::new(),
        });
        Some(Incompleteness {
            orders_kept_back: Some(self.kept_back),
            orders: listed.collect(),
            ..because(IncompleteReason::OrdersKeptBack, format!("{orders} missing or out of date: {named}."))
        })
    }

    fn failed(&self) -> Option<Incompleteness> {
        let at = self.failed_at.filter(|_| !self.is_import_only)?;
        let missing = self.what_is_missing();
        let message = match self.failure_code {
            Some(code) => format!("The last sync did not complete ({code}); {missing} missing."),
            None => format!("It is not known whether the last sync completed; {missing} missing."),
        };
        Some(Incompleteness {
            code: self.failure_code.map(Into::into),
            at: Some(Timestamp(at).into()),
            batch_id: self.failed_batch_id.map(Into::into),
            ..because(IncompleteReason::SyncFailed, message)
        })
    }

    fn end_not_proven(&self) -> Option<Incompleteness> {
        (self.end_not_proven && (self.last_sync_at.is_some() || self.is_import_only)).then(|| {
            let message =
                "Nothing proves that the retailer's list of orders was read to its end; orders may be missing.";
            because(IncompleteReason::EndNotProven, message.to_owned())
        })
    }

    fn import_unfinished(&self) -> Option<Incompleteness> {
        self.import_unfinished.then(|| {
            let message = "An import of a file was not finished; orders of the file may be missing. Import it again.";
            because(IncompleteReason::ImportUnfinished, message.to_owned())
        })
    }

    fn never_completed(&self) -> Option<Incompleteness> {
        (self.last_sync_at.is_none() && !self.is_import_only).then(|| {
            let message = format!("No sync of this connection has completed yet; {} missing.", self.what_is_missing());
            because(IncompleteReason::NeverCompleted, message)
        })
    }

    fn what_is_missing(&self) -> String {
        match self.last_sync_at {
            None => "any of its orders may be".to_owned(),
            Some(at) => {
                let at = at.to_rfc3339_opts(SecondsFormat::Secs, true);
                format!("orders and changes since the last complete sync ({at}) may be")
            }
        }
    }
}

fn because(reason: IncompleteReason, message: String) -> Incompleteness {
    Incompleteness {
        reason: reason.into(),
        code: None,
        message,
        at: None,
        batch_id: None,
        orders_kept_back: None,
        orders: Vec::new(),
        extra: Extra::new(),
    }
}
