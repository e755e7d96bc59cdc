//! Multi-factor authentication: a retailer's question in the middle of a sync, and the answer.

use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::open::{Id, Open};
use crate::text_enum::text_enum;
use crate::timestamp::Timestamp;

text_enum! {
    /// The kind of a question and of its answer.
    pub enum MfaEventType {
        /// Select a method.
        Choose = "choose",
        /// Enter a code.
        Enter = "enter",
    }
}

/// A retailer's MFA request; part of an event of type `mfa`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MfaRequest {
    /// Whether to choose a method or to enter a code.
    pub event_type: Open<MfaEventType>,
    /// The methods, if one is to be chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<MfaOption>,
    /// The text to show to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Until when an answer is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Open<Timestamp>>,
    /// How many tries for the code remain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts_left: Option<u32>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// One method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MfaOption {
    /// The value to answer with, for example `sms` or `email`.
    pub id: Id,
    /// The text to show to the user.
    pub label: Option<String>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Body of `POST /sync/mfa`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MfaSubmission {
    /// Whether a method is selected or a code entered.
    pub event_type: MfaEventType,
    /// The request that this answers, from the session's events.
    pub req_id: Id,
    /// The method, with `choose`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_option: Option<String>,
    /// The code, with `enter`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otp_value: Option<String>,
}

impl std::fmt::Debug for MfaSubmission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MfaSubmission")
            .field("event_type", &self.event_type)
            .field("req_id", &self.req_id)
            .field("selected_option", &self.selected_option)
            .field("otp_value", &self.otp_value.as_ref().map(|_| "[redacted]"))
            .finish()
    }
}

/// Answer to `POST /sync/mfa`: the sync continues in this session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MfaAccepted {
    /// The session to follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<Id>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A code as retailers accept it: phones and messages show digits in groups (`123 456`, `123-456`), which people type
/// and paste unchanged. A code with characters other than digits keeps its inner characters; only the surrounding
/// spaces are removed.
pub fn folded_code(typed: &str) -> String {
    let separates = |letter: char| {
        letter.is_whitespace() || matches!(letter, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{200b}' | '\u{2060}')
    };
    let digits: String = typed.chars().filter(|letter| !separates(*letter)).collect();
    if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return digits;
    }
    typed.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_in_groups_are_one_code_and_anything_else_stays() {
        for (typed, code) in [
            ("123456", "123456"),
            (" 123 456\n", "123456"),
            ("12 34 56", "123456"),
            ("123-456", "123456"),
            ("123\u{a0}456", "123456"),
            ("123\u{2013}456", "123456"),
            ("AB12-CD34", "AB12-CD34"),
            (" a b ", "a b"),
            (" - ", "-"),
            ("", ""),
        ] {
            assert_eq!(folded_code(typed), code, "{typed:?}");
        }
    }
}
