//! `--jq`: the filters of jq, over what `-o json` would print. Numbers keep the digits that they came with.

use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
use jaq_json::{Val, read};
use serde_json::Value;

use crate::codes;
use crate::error::{Error, Result};

const EXAMPLE: &str = "For example: --jq '.[] | .status'";

type Compiled = jaq_core::compile::Filter<jaq_core::Native<data::JustLut<Val>>>;

/// A filter that can run.
pub struct Filter(Compiled);

impl Filter {
    /// Reads an expression.
    ///
    /// # Errors
    /// Where it is none.
    pub fn compile(expression: &str) -> Result<Self> {
        let wrong = |why: Option<String>| {
            let why = why.unwrap_or_else(|| "it cannot be understood".to_owned());
            Error::usage(format!("--jq: the expression is not valid: {why}.")).hint(EXAMPLE)
        };
        let arena = Arena::default();
        let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(formats());
        let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
        let modules = Loader::new(definitions)
            .load(&arena, File { code: expression, path: () })
            .map_err(|errors| wrong(errors.first().and_then(|(_, why)| mistake(why))))?;
        Compiler::default().with_funs(functions).compile(modules).map(Self).map_err(|names| {
            let first = names.into_iter().flat_map(|(_, all)| all).next();
            let (name, what) = first.map_or(("?", "name"), |(name, what)| {
                (name, if matches!(what, jaq_core::compile::Undefined::Var) { "variable" } else { "filter" })
            });
            Error::usage(format!("--jq: there is no {what} `{name}`.")).hint(EXAMPLE)
        })
    }

    /// What it makes of a document: each result on a line, texts without quotes unless `quoted`.
    ///
    /// # Errors
    /// Where it fails, as filters do.
    pub fn run(&self, document: &Value, quoted: bool) -> Result<Vec<u8>> {
        let failed = |why: &dyn std::fmt::Display| Error::of(&codes::command::JQ, format!("--jq: {why}."));
        let input = read::parse_single(document.to_string().as_bytes()).map_err(|why| failed(&why))?;
        let context = Ctx::<data::JustLut<Val>>::new(&self.0.lut, Vars::new([]));
        let mut lines = Vec::new();
        for value in self.0.id.run((context, input)).map(unwrap_valr) {
            match value.map_err(|why| failed(&why))? {
                Val::TStr(text) if !quoted => lines.extend_from_slice(&text),
                value => lines.extend_from_slice(value.to_string().as_bytes()),
            }
            lines.push(b'\n');
        }
        Ok(lines)
    }
}

/// Definitions that the library lacks; a test reads them.
fn formats() -> impl Iterator<Item = jaq_core::load::parse::Def<&'static str>> {
    jaq_core::load::parse(include_str!("formats.jq"), |parser| parser.defs()).unwrap_or_default().into_iter()
}

/// What is wrong with an expression, and where.
fn mistake(why: &jaq_core::load::Error<&str>) -> Option<String> {
    use jaq_core::load::{Error, lex::Expect};
    let rest = match why {
        Error::Io(errors) => errors.first()?.0,
        Error::Lex(errors) => match errors.first()? {
            (Expect::Delim(open), _) => return Some(format!("it ends too early: `{open}` is not closed")),
            (_, rest) => rest,
        },
        Error::Parse(errors) => errors.first()?.1,
    };
    Some(if rest.is_empty() { "it ends too early".to_owned() } else { format!("`{rest}` does not belong there") })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(expression: &str, document: &str) -> Result<String> {
        let document = serde_json::from_str(document).expect("json");
        Filter::compile(expression)?.run(&document, false).map(|bytes| String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn results_are_lines_and_numbers_keep_their_digits() {
        let rows = r#"[{"a":"x","p":1430.710},{"a":"y\u00fc","p":12345678901234567890.12345678901}]"#;
        assert_eq!(run(".[].a", rows).expect("runs"), "x\nyü\n");
        assert_eq!(run(".[].p", rows).expect("runs"), "1430.710\n12345678901234567890.12345678901\n");
        assert_eq!(run("map(.a)|@csv", rows).expect("runs"), "\"x\",\"yü\"\n");
        assert_eq!(
            run("[.[].p, null, \"a\\\"b\"]|@csv", rows).expect("runs"),
            "1430.710,12345678901234567890.12345678901,,\"a\"\"b\"\n"
        );
        assert_eq!(run("[1, \"a\\tb\", true]|@tsv", rows).expect("runs"), "1\ta\\tb\ttrue\n");
        assert_eq!(run("map({a})", rows).expect("runs"), "[{\"a\":\"x\"},{\"a\":\"yü\"}]\n");
        assert_eq!(Filter::compile(".").expect("reads").run(&json!("a"), true).expect("runs"), b"\"a\"\n");
    }

    #[test]
    fn what_is_wrong_is_an_error_with_the_place() {
        let error = run(".[] | ]", "[]").expect_err("no expression");
        assert!(error.message().contains("`]` does not belong"), "{error}");
        for cut in [".['", ".[", "map(", ".a |", "\"x"] {
            let error = run(cut, "[]").expect_err("no expression");
            assert!(error.message().contains("ends too early"), "{cut}: {error}");
        }
        let error = run(".[] | nosuch", "[]").expect_err("no filter");
        assert!(error.message().contains("`nosuch`"), "{error}");
        assert_eq!(run(".a", "[1]").expect_err("fails").code(), "JQ");
    }
}
