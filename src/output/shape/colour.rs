//! JSON in the layout and colours of jq. Numbers keep the digits that they arrived with.

use jaq_json::write::{Pp, Styles};
use jaq_json::{Val, read};

use crate::output::visible;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Each member is on its own line.
    pub indented: bool,
    /// In colour.
    pub coloured: bool,
    /// For a terminal, so control characters are made visible.
    pub terminal: bool,
}

impl Layout {
    /// A value, without a line break at the end. Its inner lines are indented by `level`.
    pub(crate) fn value(self, value: &Val, level: usize) -> Vec<u8> {
        let styles = if self.coloured { Styles::ansi() } else { Styles::default() };
        let indent = self.indented.then(|| "  ".to_owned());
        let pp = Pp { sep_space: indent.is_some(), indent, styles, sort_keys: false };
        let mut written = Vec::new();
        // Writing to memory cannot fail.
        let _ = jaq_json::write::write(&mut written, &pp, level, value);
        if self.terminal { visible::coloured_json(&written).into_bytes() } else { written }
    }

    /// A JSON document; `None` if the bytes are not JSON.
    pub(crate) fn document(self, json: &[u8], level: usize) -> Option<Vec<u8>> {
        read::parse_single(json).ok().map(|value| self.value(&value, level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_laid_out_like_that_of_jq() {
        let plain = Layout { indented: true, ..Layout::default() };
        let json = br#"{"a":[1430.710,12345678901234567890],"b":{},"c":"\u001b[2J\u009b","d":null}"#;
        let shown = |layout: Layout| String::from_utf8(layout.document(json, 0).expect("json")).expect("text");
        assert_eq!(
            shown(Layout { terminal: true, ..plain }),
            "{\n  \"a\": [\n    1430.710,\n    12345678901234567890\n  ],\n  \"b\": {},\n  \"c\": \"\\u001b[2J\\u009b\",\n  \"d\": null\n}"
        );
        let coloured = shown(Layout { coloured: true, terminal: true, ..plain });
        assert!(coloured.contains("\u{1b}[34;1m\"a\"") || coloured.contains("\u{1b}[1;34m\"a\""), "{coloured:?}");
        assert!(!coloured.contains('\u{9b}') && !coloured.contains("\u{1b}[2J"), "{coloured:?}");
        assert_eq!(console::strip_ansi_codes(&coloured), shown(Layout { terminal: true, ..plain }));
    }
}
