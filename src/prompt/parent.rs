//! The parent's side of a question: starts the child that asks, ends it when nobody wants the answer any more, and leaves
//! the terminal as it was.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tokio::task::JoinHandle;
use zeroize::Zeroizing;

use super::End;
use super::ask::{Asked, COMMAND, Given, QuestionKind};
use crate::env;
use crate::errors::{Error, Result};
use crate::output::Output;
use crate::output::terminal::{self, Held, Typing};

/// Longer than any answer, so that no copy of a secret is left behind by growing.
const ROOM: usize = 16 * 1024;
const SHOW_CURSOR: &str = "\x1b[?25h";

/// Asks. However this ends, dropping it included, the child ends and the terminal is given back.
pub(super) async fn ask(output: &Output, asked: &Asked, until: Option<Instant>) -> Result<End<Given>> {
    let screen = output.screen();
    let _quiet = screen.asking();
    let mut child = Asking::start(output, asked).map_err(|why| unreadable(&why.to_string()))?;
    let deadline = async {
        match until {
            Some(until) => tokio::time::sleep_until(until.into()).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(deadline);
    let mut continued = terminal::Continued::listen();
    let answer = loop {
        let reading = child.reading()?;
        tokio::select! {
            biased;
            answer = reading => break answer,
            () = &mut deadline => return Ok(End::Expired),
            // The shell has written below the question, and put back its own settings.
            () = continued.comes() => child.ask_again(output, asked).map_err(|why| unreadable(&why.to_string()))?,
        }
    };
    let answer = answer.map_err(|_| unreadable("its reader ended"))?.map_err(|why| unreadable(&why.to_string()))?;
    if answer.is_empty() {
        return Ok(End::BrokenOff);
    }
    match serde_json::from_slice(&answer) {
        Ok(Given::Unreadable(why)) => Err(unreadable(&why)),
        Ok(given) => {
            child.is_answered = true;
            Ok(End::Answered(given))
        }
        Err(_) => Err(unreadable("the answer is not readable")),
    }
}

fn unreadable(why: &str) -> Error {
    Error::usage(format!("The terminal cannot be read: {why}.")).hint("Without a terminal: --no-input")
}

/// The child, ended and reaped when this is dropped, with the terminal as it was.
struct Asking {
    process: Child,
    form: QuestionKind,
    is_answered: bool,
    /// Last: the terminal is restored once the child is gone, which changes it itself.
    _typing: Option<Held>,
}

impl Asking {
    fn start(output: &Output, asked: &Asked) -> std::io::Result<Self> {
        // Between two keys, dialoguer's input puts the terminal back as it found it: without this, what is typed or
        // pasted just then would be shown, or wait for the end of its line.
        let typing = match &asked.form {
            QuestionKind::Text { .. } | QuestionKind::Confirm | QuestionKind::Select { .. } => Some(Typing::Keys),
            QuestionKind::Secret | QuestionKind::Line { is_secret: true } => Some(Typing::Hidden),
            QuestionKind::Line { is_secret: false } => None,
        };
        let typing = typing.map(Held::new);
        Ok(Self { process: spawn(output, asked)?, form: asked.form.clone(), is_answered: false, _typing: typing })
    }

    /// What the child answers, once it has ended.
    fn reading(&mut self) -> Result<JoinHandle<std::io::Result<Zeroizing<Vec<u8>>>>> {
        let Some(mut stdout) = self.process.stdout.take() else { return Err(unreadable("it has no answer")) };
        // Ends with the child, which alone holds the other end of the pipe.
        Ok(tokio::task::spawn_blocking(move || {
            let mut answer = Zeroizing::new(Vec::with_capacity(ROOM));
            stdout.read_to_end(&mut answer).map(|_| answer)
        }))
    }

    /// Asks from the beginning, with another child: nothing else makes dialoguer draw.
    fn ask_again(&mut self, output: &Output, asked: &Asked) -> std::io::Result<()> {
        self.end();
        terminal::take_again();
        self.process = spawn(output, asked)?;
        Ok(())
    }

    fn end(&mut self) {
        // A child that has ended is only reaped; one that is killed ends at once.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn spawn(output: &Output, asked: &Asked) -> std::io::Result<Child> {
    if let QuestionKind::Line { .. } = asked.form {
        output.ask(&asked.text);
    }
    Command::new(env::this_program()?)
        .arg(COMMAND)
        .env_clear()
        .envs(env::for_question(&serde_json::to_string(asked)?))
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.end();
        if !self.is_answered {
            terminal::forget_typed();
        }
        let end = match (&self.form, self.is_answered) {
            // The Enter that ended it was not shown.
            (QuestionKind::Line { is_secret: true }, true) | (QuestionKind::Line { .. }, false) => "\n",
            (_, true) => return,
            (QuestionKind::Select { .. }, false) => SHOW_CURSOR,
            (_, false) => "\r\n\x1b[?25h",
        };
        // If standard error is gone, there is nowhere to report it.
        let _ = std::io::stderr().lock().write_all(end.as_bytes());
    }
}
