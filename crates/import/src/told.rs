//! The orders and the problems of a mail.

use serde_json::{Value, json};

use crate::finding::FindingCode;

/// Orders, as the format `order-mails` describes them.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) orders: Vec<Value>,
    /// Why something in the mail is not read.
    pub(crate) problems: Vec<(FindingCode, String)>,
}

impl Told {
    pub(crate) fn too_long() -> Self {
        let mut told = Self::default();
        told.problem(FindingCode::TooLarge, "The mail is longer than 64 MiB, and was left out.");
        told
    }

    pub(crate) fn problem(&mut self, code: FindingCode, message: impl Into<String>) {
        self.problems.push((code, message.into()));
    }

    /// An order mail that another mail quotes.
    pub(crate) fn quoted(&mut self) {
        let message =
            "The mail quotes an order mail, and was left out: a quote may have been changed. Import the original.";
        self.problem(FindingCode::MailQuoted, message);
    }

    /// The order that was read, or why it was not.
    pub(crate) fn add(&mut self, kind: &str, read: Result<Value, Unread>) {
        match read {
            Ok(order) => self.orders.push(order),
            Err(Unread { number, why }) => {
                let message = format!("The mail looks like {kind}, but {why}. It was left out.");
                self.problem(FindingCode::MailUnreadable, message);
                self.orders.extend(number.map(|number| json!({ "number": number, "isUnread": true })));
            }
        }
    }

    /// Whether the mail has an order that can be read.
    pub(crate) fn says_something(&self) -> bool {
        self.orders.iter().any(|order| order["isUnread"] != true)
    }
}

/// An order mail that cannot be read.
#[derive(Debug)]
pub(crate) struct Unread {
    /// The number of its order, where that is known.
    number: Option<String>,
    why: String,
}

impl Unread {
    pub(crate) fn order(number: &str, why: impl Into<String>) -> Self {
        Self { number: Some(number.to_owned()), why: why.into() }
    }
}

impl<T: Into<String>> From<T> for Unread {
    fn from(why: T) -> Self {
        Self { number: None, why: why.into() }
    }
}
