//! Questions as plain lines, answered by lines: for screen readers and for terminals that cannot move the cursor. The
//! terminal's own line editing is used; nothing is drawn twice.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use secrecy::SecretString;
use zeroize::Zeroizing;

use super::menu::fitting;
use super::{End, Question};
use crate::error::{Error, Result};
use crate::output::Output;
use crate::output::echo::NoEcho;

/// Asks for a line.
pub(super) async fn line(output: &Output, question: &Question, is_secret: bool) -> Result<End<SecretString>> {
    say_time_left(output, question);
    let mut text = question.settled();
    if !question.initial.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(text, " (Enter alone: {})", question.initial);
    }
    if is_secret {
        text += " (what you type is not shown)";
    }
    output.ask(&text.replace('\u{a0}', " "));
    let end = read(output, question.until, is_secret).await?;
    Ok(match end {
        End::Answered(typed) if typed.is_empty() && !question.initial.is_empty() => {
            End::Answered(SecretString::from(question.initial.as_str()))
        }
        End::Answered(typed) => End::Answered(SecretString::from(typed.as_str())),
        End::Expired => End::Expired,
        End::BrokenOff => End::BrokenOff,
    })
}

/// Asks for one of several, by its number or a part of it.
pub(super) async fn choose(output: &Output, question: &Question, options: &[String]) -> Result<End<usize>> {
    say_time_left(output, question);
    output.announce(&question.settled());
    let mut shown: Vec<usize> = (0..options.len()).collect();
    loop {
        for index in &shown {
            let option = options.get(*index).map(String::as_str).unwrap_or_default();
            output.announce(&format!("  {}. {option}", index + 1));
        }
        output.ask(&format!("Choose 1-{}, or type a part of it:", options.len()));
        let typed = match read(output, question.until, false).await? {
            End::Answered(typed) => typed,
            End::Expired => return Ok(End::Expired),
            End::BrokenOff => return Ok(End::BrokenOff),
        };
        if let Ok(number) = typed.trim().parse::<usize>() {
            match number.checked_sub(1).filter(|index| *index < options.len()) {
                Some(index) => return Ok(End::Answered(index)),
                None => output.announce(&format!("There is no {number}.")),
            }
            shown.clear();
            continue;
        }
        match fitting(options, &typed).as_slice() {
            [one] => return Ok(End::Answered(*one)),
            [] => {
                output.announce("Nothing matches.");
                shown.clear();
            }
            several => shown = several.to_vec(),
        }
    }
}

fn say_time_left(output: &Output, question: &Question) {
    if let Some(until) = question.until {
        let seconds = until.saturating_duration_since(Instant::now()).as_secs_f64().ceil() as u64;
        let left = match (seconds / 60, seconds % 60) {
            (0, seconds) => format!("{seconds} seconds"),
            (minutes, 0) => format!("{minutes} minutes"),
            (minutes, seconds) => format!("{minutes} minutes and {seconds} seconds"),
        };
        output.announce(&format!("The answer is taken for {left}."));
    }
}

async fn read(output: &Output, until: Option<Instant>, is_secret: bool) -> Result<End<Zeroizing<String>>> {
    let guard = Guard { output, given_up: Arc::default(), is_over: false, echo: is_secret.then(NoEcho::hold) };
    let given_up = Arc::clone(&guard.given_up);
    let read = tokio::task::spawn_blocking(move || read_line(until, &given_up)).await;
    let end = match read {
        Ok(Ok(end)) => end,
        Ok(Err(why)) => return Err(Error::usage(format!("The terminal cannot be read: {why}."))),
        Err(_) => return Err(Error::usage("The terminal cannot be read.")),
    };
    guard.ends(matches!(end, End::Answered(_)));
    Ok(end)
}

/// Ends the question's line, where the Enter that nobody saw or nobody pressed has not.
struct Guard<'a> {
    output: &'a Output,
    given_up: Arc<AtomicBool>,
    is_over: bool,
    echo: Option<NoEcho>,
}

impl Guard<'_> {
    fn ends(mut self, is_answered: bool) {
        self.is_over = is_answered && self.echo.is_none();
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::SeqCst);
        self.echo = None;
        if !self.is_over {
            self.output.announce("");
        }
    }
}

/// A line of standard input, looked for again and again so that the time and the giving up are noticed.
#[cfg(unix)]
fn read_line(until: Option<Instant>, given_up: &AtomicBool) -> io::Result<End<Zeroizing<String>>> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    const LONGEST: usize = 4096;

    let stdin = io::stdin();
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST));
    loop {
        if given_up.load(Ordering::SeqCst) {
            return Ok(End::BrokenOff);
        }
        if until.is_some_and(|until| until <= Instant::now()) {
            return Ok(End::Expired);
        }
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&LOOK)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(why) => return Err(why.into()),
        }
        let mut letter = [0];
        match rustix::io::read(&stdin, &mut letter) {
            Ok(0) => return Ok(End::BrokenOff),
            Ok(_) if letter == *b"\n" => break,
            Ok(_) if line.len() < LONGEST => line.extend_from_slice(&letter),
            Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
            Err(why) => return Err(why.into()),
        }
    }
    let text = std::str::from_utf8(&line).map_err(|_| io::Error::other("what was typed is no text"))?;
    Ok(End::Answered(Zeroizing::new(text.trim_end_matches('\r').to_owned())))
}

#[cfg(not(unix))]
fn read_line(_: Option<Instant>, _: &AtomicBool) -> io::Result<End<Zeroizing<String>>> {
    let mut line = Zeroizing::new(String::new());
    if io::stdin().read_line(&mut line)? == 0 {
        return Ok(End::BrokenOff);
    }
    let length = line.trim_end_matches(['\r', '\n']).len();
    line.truncate(length);
    Ok(End::Answered(line))
}
