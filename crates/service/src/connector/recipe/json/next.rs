//! Where a page of the list says that another follows. The last page has null or an empty text there; a page that has nothing there
//! may have been renamed or cut, and is no last page unless the recipe says so.

use serde::Deserialize;
use serde_json::Value;

use super::path::{Path, Wrong};

#[derive(Debug, Deserialize)]
#[serde(try_from = "Written")]
pub(super) struct NextAt {
    path: Path,
    /// Whether the last page has nothing there.
    pub(super) is_optional: bool,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a JSONPath, or `{ path = \"$.next\", optional = true }`")]
enum Written {
    Path(String),
    Optional(WrittenOptional),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOptional {
    path: String,
    #[serde(default)]
    optional: bool,
}

impl TryFrom<Written> for NextAt {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let (text, is_optional) = match written {
            Written::Path(path) => (path, false),
            Written::Optional(WrittenOptional { path, optional }) => (path, optional),
        };
        Ok(Self { path: Path::parse(&text)?, is_optional })
    }
}

impl NextAt {
    /// The cursor of the page after this one; empty: this is the last.
    pub(super) fn read<'v>(&self, of: &'v Value) -> Result<&'v str, Wrong> {
        match self.path.text(of)? {
            Some(next) => Ok(next),
            None if self.is_optional || self.path.is_there(of) => Ok(""),
            None => Err(format!(
                "{} (if the last page lacks this key, `list.next` needs `optional = true`)",
                self.path.lacking()
            )),
        }
    }
}
