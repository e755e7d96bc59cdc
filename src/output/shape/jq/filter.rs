//! A filter: a parsed expression that runs over a document.

use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, data};
use jaq_json::{Val, read};

use super::{PrintOptions, mishap, natives};
use crate::errors::{Error, Result};
use crate::output::visible;

const EXAMPLE: &str = "For example: --jq '.[] | .status'";

type Compiled = jaq_core::compile::Filter<jaq_core::Native<data::JustLut<Val>>>;

pub(super) struct Filter(Compiled);

/// How a filter ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Done,
    /// It failed for this reason.
    Failed(String),
}

impl Filter {
    /// Parses an expression.
    pub(super) fn compile(expression: &str) -> Result<Self> {
        let wrong = |why: Option<String>| {
            let why = why.unwrap_or_else(|| "it cannot be understood".to_owned());
            Error::usage(format!("--jq: the expression is not valid: {why}.")).hint(EXAMPLE)
        };
        let arena = Arena::default();
        let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(ours());
        let functions = natives::functions().chain(jaq_core::funs()).chain(jaq_std::funs()).chain(jaq_json::funs());
        let modules = Loader::new(definitions)
            .load(&arena, File { code: expression, path: () })
            .map_err(|errors| wrong(errors.first().and_then(|(_, why)| mistake(why))))?;
        let compiler = Compiler::default().with_funs(functions).with_global_vars(["$ENV"]);
        compiler.compile(modules).map(Self).map_err(|names| {
            let first = names.into_iter().flat_map(|(_, all)| all).next();
            let (name, what) = first.map_or(("?", "name"), |(name, what)| {
                (name, if matches!(what, jaq_core::compile::Undefined::Var) { "variable" } else { "filter" })
            });
            let hint = match name {
                "input" | "inputs" | "input_filename" => "There is one input, the command's result: it is `.`",
                _ => EXAMPLE,
            };
            Error::usage(format!("--jq: there is no {what} `{name}`.")).hint(hint)
        })
    }

    /// Runs the filter over a document and passes each result to `take`. Strings lose their quotes unless `quoted` is
    /// set.
    pub(super) fn run(&self, document: &[u8], form: PrintOptions<'_>, take: &mut dyn FnMut(&[u8]) -> bool) -> End {
        let Ok(input) = read::parse_single(document) else { return End::Failed("the result is no JSON".to_owned()) };
        let context = Ctx::<data::JustLut<Val>>::new(&self.0.lut, Vars::new([natives::environment()]));
        for value in self.0.id.run((context, input)) {
            let mut line = match value {
                Ok(Val::TStr(text)) if !form.quoted && form.layout.terminal => visible::text(&text).into_bytes(),
                Ok(Val::TStr(text)) if !form.quoted => text.to_vec(),
                Ok(value) => form.layout.value(&value, 0),
                Err(thrown) => {
                    let halted = match thrown.get_err() {
                        Ok(error) => return End::Failed(mishap::told(error)),
                        Err(other) => other.get_halt(),
                    };
                    return match halted {
                        Ok(0) => End::Done,
                        // If `halt_error` has already given the reason, the parent ignores this one.
                        Ok(code) => End::Failed(format!("the filter ended with the exit code {code}")),
                        Err(_) => End::Failed("the filter ended early".to_owned()),
                    };
                }
            };
            line.push(b'\n');
            if !take(&line) {
                break;
            }
        }
        End::Done
    }
}

/// Definitions that the library lacks or defines differently. A test parses them.
fn ours() -> impl Iterator<Item = jaq_core::load::parse::Def<&'static str>> {
    jaq_core::load::parse(include_str!("../formats.jq"), |parser| parser.defs()).unwrap_or_default().into_iter()
}

/// The mistake in an expression, and its position.
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
    use super::*;
    use crate::output::shape::colour::Layout;

    fn run_in(expression: &str, document: &str, quoted: bool, layout: Layout) -> Result<String> {
        let mut written = Vec::new();
        let mut take = |line: &[u8]| {
            written.extend_from_slice(line);
            true
        };
        let form = PrintOptions { expression, quoted, layout };
        match Filter::compile(expression)?.run(document.as_bytes(), form, &mut take) {
            End::Done => Ok(String::from_utf8(written).expect("text")),
            End::Failed(why) => Err(Error::usage(why)),
        }
    }

    fn run(expression: &str, document: &str) -> Result<String> {
        run_in(expression, document, false, Layout::default())
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
        assert_eq!(run_in(".", "\"a\"", true, Layout::default()).expect("runs"), "\"a\"\n");
    }

    #[test]
    fn a_text_drives_no_terminal_and_an_object_is_indented_there() {
        let terminal = Layout { terminal: true, indented: true, coloured: false };
        let rows = r#"[{"a":"x\u001b[2J\u202ey"}]"#;
        assert_eq!(run(".[].a", rows).expect("runs"), "x\u{1b}[2J\u{202e}y\n");
        assert_eq!(run_in(".[].a", rows, false, terminal).expect("runs"), "x\\u001b[2J\\u202ey\n");
        assert_eq!(run_in(".[]", rows, false, terminal).expect("runs"), "{\n  \"a\": \"x\\u001b[2J\\u202ey\"\n}\n");
    }

    #[test]
    fn a_filter_knows_the_environment_as_a_variable_and_as_a_filter() {
        assert_eq!(
            run("($ENV | type), ($ENV == env), (env | has(\"PATH\"))", "1").expect("runs"),
            "object\ntrue\ntrue\n"
        );
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
        let error = run(".[] | $nosuch", "[]").expect_err("no variable");
        assert!(error.message().contains("nosuch`"), "{error}");
    }

    #[test]
    fn who_wrote_a_filter_sees_what_it_failed_on() {
        let rows = r#"[{"name":"Lamp","list":[1,2]}]"#;
        let long = format!("[\"{}\"]", "x".repeat(3000));
        for (expression, document, said) in [
            (".a", "[1]", "cannot index array with \"a\""),
            (".[0] | error(\"bad: \" + .name)", rows, "bad: Lamp"),
            (".[0].list | error", rows, "[1,2]"),
            (".[0].name | tonumber", rows, "Lamp"),
        ] {
            let error = run(expression, document).expect_err("fails");
            assert!(error.message().contains(said), "{expression}: {error}");
        }
        let error = run(".[0] | keys", &long).expect_err("fails");
        assert!(error.message().contains("xxx…") && error.message().len() < 200, "{error}");
        assert!(run(".[0] | error", &long).expect_err("fails").message().len() < 1100);
    }
}
