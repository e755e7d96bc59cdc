//! What an export selects, as the user said it: an export is resumed with the same only, and so is a name of exports.

use serde::{Deserialize, Serialize};

/// What an export selects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Selection {
    /// From which service.
    pub service: String,
    /// `--retailer`.
    pub retailer: Option<String>,
    /// `--since`.
    pub since: Option<String>,
    /// `--until`.
    pub until: Option<String>,
    /// `--time-zone` or that of the machine, if the dates depend on it: not if it is UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

impl Selection {
    /// In what another one differs: "--since: none, not 2026-01-01".
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        fn shown(text: Option<&String>) -> &str {
            text.map_or("none", String::as_str)
        }
        let pairs = [
            ("service", Some(&self.service), Some(&other.service)),
            ("--retailer", self.retailer.as_ref(), other.retailer.as_ref()),
            ("--since", self.since.as_ref(), other.since.as_ref()),
            ("--until", self.until.as_ref(), other.until.as_ref()),
            ("--time-zone", self.time_zone.as_ref(), other.time_zone.as_ref()),
        ];
        let (name, was, is) = pairs.into_iter().find(|(_, was, is)| was != is)?;
        Some(format!("{name}: {}, not {}", shown(was), shown(is)))
    }
}
