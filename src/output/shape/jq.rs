//! `--jq`: the filters of jq, over what `-o json` would print. Numbers keep the digits that they came with.
//!
//! A filter runs in a process of its own ([`mod@child`]): the library can neither be stopped nor kept from using up its stack,
//! and what a process does can be ended and told.

mod child;
mod filter;
mod mishap;
mod natives;
mod said;

use std::process::ExitStatus;
use std::time::Instant;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use super::colour::Layout;
use crate::codes;
use crate::error::{Error, Result};
use crate::hint::Hint;
use child::CHUNK;
pub(crate) use child::child;
use filter::Filter;
use said::Said;

/// Filters recurse, and so does reading one. Of this no more is taken than they use.
const STACK: usize = 256 << 20;
/// A longer expression is not read: with this one, the stack is enough whatever it is.
const LONGEST: usize = 32 << 10;

/// How results are printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form<'a> {
    /// The filter, of which an error may repeat words.
    pub expression: &'a str,
    /// Texts keep their quotes.
    pub quoted: bool,
    /// The layout of everything else.
    pub layout: Layout,
}

/// Checks an expression.
///
/// # Errors
/// If it is invalid.
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

/// Runs a filter over a document and gives what comes out to `write`, and what it says on standard error to `tell`. It ends
/// with Ctrl-C, SIGTERM and the time of `deadline`, however long the filter would run.
///
/// # Errors
///
/// If the filter fails or is ended, or `write` fails.
pub(crate) fn run(
    document: &Value,
    form: Form<'_>,
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

/// Does the work in a child, which ends when this is dropped.
async fn in_child(work: Vec<u8>, write: &mut dyn FnMut(&[u8]) -> Result<()>, tell: &dyn Fn(&str)) -> Result<()> {
    let broken = |why: std::io::Error| failed(&format!("the filter cannot be run: {why}"));
    let mut child = child::start().map_err(broken)?;
    let (Some(mut stdin), Some(mut stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(failed("the filter cannot be run"));
    };
    let giving = async move {
        // A filter that ended early reads no further, and has said why.
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
                // The words with which a process crashes.
                Err(_) => {}
            }
        }
        Ok::<_, Error>(why)
    };
    let ((), (), why) = tokio::try_join!(giving, printing, listening)?;
    ended(child.wait().await.map_err(broken)?, why)
}

/// What the end of a child means.
fn ended(status: ExitStatus, why: Option<String>) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;

        use rustix::process::Signal;
        // A user who ends the command in a terminal ends the child with it.
        if [Signal::INT, Signal::TERM].iter().any(|signal| status.signal() == Some(signal.as_raw())) {
            return Err(Error::interrupted());
        }
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
