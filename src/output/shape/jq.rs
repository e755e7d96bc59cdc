//! `--jq`: the filters of jq, over what `-o json` would print. Numbers keep the digits that they came with.

mod mishap;

use std::time::Instant;

use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, data};
use jaq_json::{Val, read};
use serde_json::Value;

use super::colour::Layout;
use crate::codes;
use crate::error::{Error, Result};
use crate::output::visible;

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

    /// What it makes of a document: each result to `take`, texts without quotes unless `quoted`.
    fn run(&self, document: &[u8], form: Form, take: &mut dyn FnMut(Vec<u8>) -> bool) -> Result<(), String> {
        let input = read::parse_single(document).map_err(|_| "the result is no JSON".to_owned())?;
        let context = Ctx::<data::JustLut<Val>>::new(&self.0.lut, Vars::new([]));
        for value in self.0.id.run((context, input)) {
            let mut line = match value {
                Ok(Val::TStr(text)) if !form.quoted && form.layout.terminal => visible::text(&text).into_bytes(),
                Ok(Val::TStr(text)) if !form.quoted => text.to_vec(),
                Ok(value) => form.layout.value(&value, 0),
                Err(thrown) => match thrown.get_err() {
                    Ok(error) => return Err(mishap::told(error, form.expression)),
                    // `halt`: it ends here.
                    Err(_) => return Ok(()),
                },
            };
            line.push(b'\n');
            if !take(line) {
                break;
            }
        }
        Ok(())
    }
}

/// How results are printed.
#[derive(Debug, Clone, Copy)]
pub struct Form<'a> {
    /// The filter, of which an error may repeat words.
    pub expression: &'a str,
    /// Texts keep their quotes.
    pub quoted: bool,
    /// The layout of everything else.
    pub layout: Layout,
}

/// What comes out of a filter that runs beside the command.
enum Message {
    Lines(Vec<u8>),
    Failed(String),
    Done,
}

/// So much is written at once.
const CHUNK: usize = 32 << 10;
/// Filters recurse. Of this no more is taken than they use.
const STACK: usize = 256 << 20;

/// Runs a filter over a document and gives what comes out to `write`. It ends with Ctrl-C, SIGTERM and the time of
/// `deadline`, however long the filter would run: the library cannot be stopped, so its thread is left behind.
///
/// # Errors
/// Where it fails, as filters do, or is ended; where `write` fails.
pub fn run(
    document: &Value,
    form: Form<'_>,
    deadline: Option<Instant>,
    write: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let (sender, mut receiver) = tokio::sync::mpsc::channel(4);
    let (expression, document) = (form.expression.to_owned(), document.to_string().into_bytes());
    let (quoted, layout) = (form.quoted, form.layout);
    let work = move || {
        let form = Form { expression: &expression, quoted, layout };
        let end = match Filter::compile(form.expression) {
            Err(_) => Message::Failed("the expression is not valid".to_owned()),
            Ok(filter) => feed(&filter, &document, form, &sender),
        };
        // Nobody waits for it any more where the command was ended.
        let _ = sender.blocking_send(end);
    };
    let named = || std::thread::Builder::new().name("jq".to_owned());
    named().stack_size(STACK).spawn(work).map_err(|why| failed(&format!("it cannot be started: {why}")))?;
    let take = async {
        let stop = std::pin::pin!(crate::signals::stop());
        let time = std::pin::pin!(until(deadline));
        let (mut stop, mut time) = (stop, time);
        loop {
            let message = tokio::select! {
                biased;
                () = &mut stop => return Err(Error::interrupted()),
                () = &mut time => return Err(failed("the filter did not end in the time of --timeout")),
                message = receiver.recv() => message,
            };
            match message {
                Some(Message::Lines(lines)) => write(&lines)?,
                Some(Message::Done) => return Ok(()),
                Some(Message::Failed(why)) => return Err(failed(&why)),
                None => return Err(failed("the filter broke off")),
            }
        }
    };
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        return tokio::task::block_in_place(|| runtime.block_on(take));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|why| failed(&format!("it cannot be started: {why}")))?.block_on(take)
}

/// Sends what comes out: on a terminal at once, else in larger pieces.
fn feed(filter: &Filter, document: &[u8], form: Form<'_>, to: &tokio::sync::mpsc::Sender<Message>) -> Message {
    let mut ready = Vec::new();
    let ended = filter.run(document, form, &mut |line| {
        ready.extend_from_slice(&line);
        let is_due = form.layout.terminal || ready.len() >= CHUNK;
        !is_due || to.blocking_send(Message::Lines(std::mem::take(&mut ready))).is_ok()
    });
    if !ready.is_empty() {
        // As above.
        let _ = to.blocking_send(Message::Lines(ready));
    }
    match ended {
        Ok(()) => Message::Done,
        Err(why) => Message::Failed(why),
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

fn failed(why: &str) -> Error {
    Error::of(&codes::command::JQ, format!("--jq: {why}."))
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
    use super::*;

    fn run_in(expression: &str, document: &str, quoted: bool, layout: Layout) -> Result<String> {
        Filter::compile(expression)?;
        let document = serde_json::from_str(document).expect("json");
        let mut written = Vec::new();
        let mut write = |bytes: &[u8]| {
            written.extend_from_slice(bytes);
            Ok(())
        };
        super::run(&document, Form { expression, quoted, layout }, None, &mut write)?;
        Ok(String::from_utf8(written).expect("text"))
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
    fn a_filter_that_does_not_end_is_ended_and_what_it_made_before_is_there() {
        let mut written = 0;
        let mut write = |bytes: &[u8]| {
            written += bytes.len();
            Ok(())
        };
        let form = Form {
            expression: "def f: f; 1, f",
            quoted: false,
            layout: Layout { terminal: true, ..Layout::default() },
        };
        let deadline = Instant::now() + std::time::Duration::from_millis(300);
        let error = super::run(&Value::Null, form, Some(deadline), &mut write).expect_err("it never ends");
        assert!(error.message().contains("--timeout"), "{error}");
        assert_eq!(written, 2);
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
