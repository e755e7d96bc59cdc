//! The kinds of page that connectors read, and the one way to say that a page is not as it was.

use std::fmt;

use ordersync_api::SyncErrorCode;

use super::text::quoted;
use crate::connector::ConnectorError;

/// The kinds of page that connectors read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum PageKind {
    SignIn,
    Code,
    OrderList,
    Order,
    Product,
}

impl fmt::Display for PageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SignIn => "sign-in page",
            Self::Code => "verification code page",
            Self::OrderList => "order list",
            Self::Order => "page of an order",
            Self::Product => "page of a product",
        })
    }
}

impl PageKind {
    /// An element that was always there is not.
    pub(in crate::connector) fn lacks(self, element: &str) -> ConnectorError {
        changed(format!("The {self} lacks {element}."))
    }

    /// An element is there, but does not say what it always said.
    pub(in crate::connector) fn unreadable(self, element: &str) -> ConnectorError {
        changed(format!("The {self} has {element} that cannot be read."))
    }

    /// What is sent from the page is answered with JSON, for example.
    pub(in crate::connector) fn answered_without_page(self) -> ConnectorError {
        changed(format!("The {self} is answered with data that is no page."))
    }

    /// It is answered with an error in the shop's own words.
    pub(in crate::connector) fn answered_with_error(self, error: &str) -> ConnectorError {
        changed(format!("The {self} is answered with an error: {}.", quoted(error)))
    }

    /// It is answered with JSON that was cut off, for example.
    pub(in crate::connector) fn answered_with_broken_data(self) -> ConnectorError {
        ConnectorError::new(SyncErrorCode::RetailerUnavailable)
            .with_message(format!("The {self} is answered with JSON that cannot be parsed. Sync again later."))
            .transient()
    }

    /// A value is there that cannot be read. `why` is a sentence, which may name the setting that would help.
    pub(in crate::connector) fn unreadable_value(self, element: &str, value: &str, why: &str) -> ConnectorError {
        changed(format!("The {self} has {element}, {}, that cannot be read{why}", quoted(value)))
    }

    /// The page is answered with a status that it never had.
    pub(in crate::connector) fn answered(self, status: u16) -> ConnectorError {
        changed(format!("The {self} is answered with status {status}."))
    }
}

fn changed(message: String) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerChanged).with_message(message)
}
