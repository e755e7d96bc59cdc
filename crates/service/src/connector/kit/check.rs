//! The checks that a page has to pass before anything that it says is stored.

use std::fmt;

use ordersync_api::SyncErrorCode;
use serde::{Deserialize, Serialize};

use super::other_page::OtherPage;
use super::page::PageKind;
use crate::connector::ConnectorError;

/// A check. Its name is part of messages. `docs/retailers.md` explains each; `docs/dev/connectors.md` those that no connector
/// needs yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::connector) enum Check {
    ListPage,
    EndOfList,
    PageSizes,
    NumberOfPages,
    HiddenOrders,
    RepeatedOrders,
    OwnOrders,
    OrderPage,
    OrderNumber,
    Lines,
    Figures,
    NumberOfItems,
    BasketTotal,
    SumOfOrder,
    OrderTotal,
    OrderDate,
    Currency,
    Status,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ListPage => "page of the order list",
            Self::EndOfList => "end of the list",
            Self::PageSizes => "size of the list's pages",
            Self::NumberOfPages => "number of the list's pages",
            Self::HiddenOrders => "orders hidden by the list",
            Self::RepeatedOrders => "orders repeated by the list",
            Self::OwnOrders => "orders of this customer",
            Self::OrderPage => "page of the order",
            Self::OrderNumber => "order number on its page",
            Self::Lines => "lines of the order",
            Self::Figures => "figures of the order",
            Self::NumberOfItems => "number of items",
            Self::BasketTotal => "line totals against the basket total",
            Self::SumOfOrder => "lines and figures against the order total",
            Self::OrderTotal => "order total in the list",
            Self::OrderDate => "date of the order",
            Self::Currency => "currency",
            Self::Status => "status of the order",
        })
    }
}

/// A check that failed, and what was found; of the page's own words, only labels of figures and values that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::connector) struct Failure {
    pub(in crate::connector) check: Check,
    pub(in crate::connector) found: String,
}

impl Failure {
    pub(in crate::connector) fn new(check: Check, found: impl Into<String>) -> Self {
        Self { check, found: found.into() }
    }

    /// The message about an order that the check kept back.
    pub(in crate::connector) fn of_order(&self, number: &str) -> String {
        format!("The check \"{}\" failed for order {number}: {}", self.check, self.found)
    }

    /// What a part says that stops because of it.
    pub(in crate::connector) fn error(&self) -> ConnectorError {
        ConnectorError::new(SyncErrorCode::RetailerIncomplete).with_message(format!("{self} {REMEDY}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The check \"{}\" failed: {}", self.check, self.found)
    }
}

/// What to do about a failed check.
pub(in crate::connector) const REMEDY: &str =
    "Sync again. If it fails again, the connector has to be updated, or the recipe for the shop.";

/// Why a page gave nothing.
#[derive(Debug)]
pub(in crate::connector) enum Unread {
    /// The shop shows its sign-in instead.
    SignedOut,
    /// The page contradicts itself, or shows what cannot be read for certain.
    Failed(Failure),
    /// It is another page than the one that was asked for.
    Instead(OtherPage),
    /// It cannot be read, whatever it shows.
    Other(ConnectorError),
}

impl Unread {
    /// What a scan takes it for: a page that failed, or `None` if the shop has ended the sign-in.
    /// Fails if it is another page than `page`, or cannot be read at all.
    pub(in crate::connector) fn or_failed<P>(
        self,
        page: PageKind,
        failed: impl FnOnce(Failure) -> P,
    ) -> Result<Option<P>, ConnectorError> {
        match self {
            Self::Failed(failure) => Ok(Some(failed(failure))),
            Self::SignedOut => Ok(None),
            Self::Instead(other) => Err(other.error(page)),
            Self::Other(error) => Err(error),
        }
    }
}

impl Unread {
    /// What keeps an order back that a list shows in this way. The others are read.
    /// Fails if it is no matter of this order.
    pub(in crate::connector) fn of_one_order(&self) -> Result<Failure, Self> {
        match self {
            Self::Failed(failure) => Ok(failure.clone()),
            Self::Other(error) if error.code == SyncErrorCode::RetailerMisconfigured => {
                Ok(Failure::new(Check::Currency, error.message.clone()))
            }
            Self::Other(error) => Err(Self::Other(error.clone())),
            Self::SignedOut => Err(Self::SignedOut),
            Self::Instead(other) => Err(Self::Instead(*other)),
        }
    }
}

impl From<Failure> for Unread {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<ConnectorError> for Unread {
    fn from(error: ConnectorError) -> Self {
        Self::Other(error)
    }
}
