//! `--jq`: jq filters over the output of `-o json`. Numbers keep the digits that they arrived with.
//!
//! A filter runs in a separate process ([`mod@child`]): the library can neither be stopped nor kept from overflowing
//! its stack, whereas a process can be killed and its failure reported.

mod child;
mod filter;
mod mishap;
mod natives;
mod said;

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use super::colour::Layout;
use crate::errors::{Error, Hint, Result, codes};
use child::CHUNK;
pub(crate) use child::child;
use filter::Filter;
use said::Said;

/// The stack size: filters recurse, and so does parsing them. Only the part that they use takes memory.
const STACK: usize = 256 << 20;
/// The longest expression that is parsed, in bytes. Any expression of this length fits on the stack.
const LONGEST: usize = 32 << 10;

/// How results are printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrintOptions<'a> {
    /// The filter.
    pub expression: &'a str,
    /// Whether strings keep their quotes.
    pub quoted: bool,
    /// The layout of all other values.
    pub layout: Layout,
}

pub(crate) fn check(expression: &str) -> Result<()> {
    if expression.len() > LONGEST {
        return Err(Error::usage(format!("--jq: the expression is longer than {} KiB.", LONGEST >> 10))
            .hint(Hint::run("Give the result to jq itself", "ordersync … -o json | jq -f FILE")));
    }
    let expression = expression.to_owned();
    let reading = std::thread::Builder::new().stack_size(STACK).spawn(move || Filter::compile(&expression).map(drop));
    let read = reading.map_err(|why| failed(&format!("it cannot be started: {why}")))?.join();
    read.unwrap_or_else(|_| Err(Error::usage("--jq: the expression cannot be understood.")))
}

/// Runs a filter over a document. Its results go to `write`, its messages for standard error to `tell`. Ctrl-C, SIGTERM
/// and the `deadline` end it, however long the filter would run.
pub(crate) fn run(
    document: &Value,
    form: PrintOptions<'_>,
    deadline: Option<Instant>,
    write: &mut dyn FnMut(&[u8]) -> Result<()>,
    tell: &dyn Fn(&str),
) -> Result<()> {
    let work = child::work(document, form);
    let until_ended = async {
        tokio::select! {
            biased;
            () = crate::signals::stop() => Err(Error::interrupted()),
            () = until(deadline) => Err(Error::of(&codes::command::TIME_UP, "--jq: the filter did not end in the time of --timeout.")),
            done = in_child(work, write, tell) => done,
        }
    };
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        return tokio::task::block_in_place(|| runtime.block_on(until_ended));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|why| failed(&format!("it cannot be started: {why}")))?.block_on(until_ended)
}

/// Runs the filter in a child process, which ends when this is dropped.
async fn in_child(work: Vec<u8>, write: &mut dyn FnMut(&[u8]) -> Result<()>, tell: &dyn Fn(&str)) -> Result<()> {
    let broken = |why: std::io::Error| failed(&format!("the filter cannot be run: {why}"));
    let mut child = child::start().map_err(broken)?;
    let (Some(mut stdin), Some(mut stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(failed("the filter cannot be run"));
    };
    let giving = async move {
        // A filter that ended early reads no further, and has reported why.
        let _ = stdin.write_all(&work).await;
        Ok::<_, Error>(())
    };
    let printing = async {
        let mut piece = vec![0; CHUNK];
        loop {
            match stdout.read(&mut piece).await.map_err(broken)? {
                0 => return Ok::<_, Error>(()),
                length => write(&piece[..length])?,
            }
        }
    };
    let listening = async {
        let (mut lines, mut why) = (BufReader::new(stderr).split(b'\n'), None);
        while let Some(line) = lines.next_segment().await.map_err(broken)? {
            match serde_json::from_slice(&line) {
                Ok(Said::Note(text)) => tell(&text),
                Ok(Said::Failed(text)) => why = why.or(Some(text)),
                // Not one of our lines: the message of a crashing process.
                Err(_) => {}
            }
        }
        Ok::<_, Error>(why)
    };
    let ((), (), why) = tokio::try_join!(giving, printing, listening)?;
    ended(child.wait().await.map_err(broken)?, why)
}

/// Converts the end of a child to a result.
fn ended(status: ExitStatus, why: Option<String>) -> Result<()> {
    // Ctrl-C in a terminal ends the child together with the command.
    if [Signal::INT, Signal::TERM].iter().any(|signal| status.signal() == Some(signal.as_raw())) {
        return Err(Error::interrupted());
    }
    match why {
        Some(why) => Err(failed(why.trim_end_matches('.'))),
        None if status.success() => Ok(()),
        None => Err(failed("the filter recursed too deeply, or used too much memory")),
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
