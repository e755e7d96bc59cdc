//! The hidden child process in which a filter runs: `ordersync __jq`. It gets its task on standard input, prints
//! results on standard output, and reports everything else on standard error, as lines of JSON.

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal as _, Read as _, Write as _};
use std::process::Stdio;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::process::{Child, Command};

use super::filter::{End, Filter};
use super::said::{Said, say};
use super::{PrintOptions, STACK};
use crate::env;
use crate::errors::Exit;
use crate::output::shape::colour::Layout;
use crate::signals;

/// The hidden argument.
const COMMAND: &str = "__jq";
/// The size of each write, in bytes.
pub(super) const CHUNK: usize = 32 << 10;

/// The task: one line, followed by the document.
#[derive(Debug, Serialize, Deserialize)]
struct JqTask {
    expression: String,
    quoted: bool,
    indented: bool,
    coloured: bool,
    terminal: bool,
}

/// Starts a child. It ends when the returned value is dropped.
pub(super) fn start() -> io::Result<Child> {
    let mut command = std::process::Command::new(env::this_program()?);
    command.arg(COMMAND);
    env::without_secrets(&mut command);
    let mut command = Command::from(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn()
}

/// The input for a child: the task and the document.
pub(super) fn work(document: &Value, form: PrintOptions<'_>) -> Vec<u8> {
    let PrintOptions { expression, quoted, layout } = form;
    let Layout { indented, coloured, terminal } = layout;
    let work = JqTask { expression: expression.to_owned(), quoted, indented, coloured, terminal };
    let mut bytes = serde_json::to_vec(&work).unwrap_or_default();
    bytes.push(b'\n');
    bytes.extend_from_slice(document.to_string().as_bytes());
    bytes
}

/// Runs a filter if the command line asks for that.
pub(crate) fn child(arguments: &[OsString]) -> Option<Exit> {
    let [_, command] = arguments else { return None };
    if command != COMMAND {
        return None;
    }
    // Only the parent starts this. A user who types the argument gets nothing.
    if io::stdin().is_terminal() {
        return Some(Exit::Usage);
    }
    signals::end_with_parent();
    leave_no_core();
    let thread = std::thread::Builder::new().name("jq".to_owned()).stack_size(STACK).spawn(filter);
    let ended = thread.ok().and_then(|thread| thread.join().ok()).flatten();
    Some(match ended {
        Some(End::Done) => Exit::Done,
        Some(End::Failed(why)) => {
            say(&Said::Failed(why));
            Exit::Failed
        }
        None => Exit::Failed,
    })
}

/// Runs the task; `None` if it cannot be read.
fn filter() -> Option<End> {
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input).ok()?;
    let line = input.iter().position(|byte| *byte == b'\n')?;
    let (work, document) = (serde_json::from_slice::<JqTask>(&input[..line]).ok()?, &input[line + 1..]);
    let JqTask { expression, quoted, indented, coloured, terminal } = work;
    let form = PrintOptions { expression: &expression, quoted, layout: Layout { indented, coloured, terminal } };
    let Ok(filter) = Filter::compile(&expression) else {
        return Some(End::Failed("the expression is not valid".to_owned()));
    };
    let mut stdout = BufWriter::with_capacity(CHUNK, io::stdout());
    let ended = filter.run(document, form, &mut |line| {
        // On a terminal, each result is flushed so that the user sees it at once. If the reader is gone, the filter
        // stops.
        let is_written = stdout.write_all(line);
        is_written.and_then(|()| if terminal { stdout.flush() } else { Ok(()) }).is_ok()
    });
    // As above, a failed write means that the reader is gone.
    let _ = stdout.flush();
    Some(ended)
}

/// A filter with endless recursion is expected to crash. This keeps its data out of a core file on disk.
fn leave_no_core() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}
