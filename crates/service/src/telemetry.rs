//! The service's log. It logs an allow-list: the code names each field, and none holds a credential, a code, a token, a
//! query string or any text of a retailer's page. The one exception is a delivery of one-time passwords that the
//! operator has to choose by name (`delivery::Log`). Writing it never waits for its reader.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Debug;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tracing::field::Field;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// One JSON object per line, for machines.
    Json,
    /// One readable line per entry.
    #[default]
    Text,
}

/// Lines that wait for the reader of stderr, at most. Further ones are lost, and counted.
const MOST_WAITING: usize = 8192;

/// What writes to stderr, on a thread of its own: if nobody reads a pipe, neither a request nor the end of the service waits
/// for room in it.
static LOG: OnceLock<Log> = OnceLock::new();

struct Log {
    writer: NonBlocking,
    /// `None`: the end of the process is near, and was waited for.
    worker: Mutex<Option<WorkerGuard>>,
}

impl Log {
    fn new() -> Self {
        let lost = Arc::default();
        let stderr = Stderr { waiting: Vec::new(), lost: Arc::clone(&lost), said: 0 };
        let (writer, worker) = NonBlockingBuilder::default().buffered_lines_limit(MOST_WAITING).finish(stderr);
        // The cell is empty until here.
        let _ = lost.set(writer.error_counter());
        Self { writer, worker: Mutex::new(Some(worker)) }
    }

    fn write(&self, text: &str) {
        // It cannot fail: what has no room is counted.
        let _ = self.writer.clone().write_all(text.as_bytes());
    }
}

/// Lines that come soon after one another are written together: to wake the thread for each one would cost more than the line.
const TOGETHER: Duration = Duration::from_millis(1);
const MOST_TOGETHER: usize = 64 * 1024;

/// Stderr, which says how many lines were lost when it takes lines again.
struct Stderr {
    waiting: Vec<u8>,
    lost: Arc<OnceLock<ErrorCounter>>,
    said: usize,
}

impl io::Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() > MOST_TOGETHER {
            self.write_waiting()?;
        }
        Ok(bytes.len())
    }

    /// Follows the last line that waits, so that there is room for one about those that were lost: not after a write, which may
    /// wait long.
    fn flush(&mut self) -> io::Result<()> {
        let lost = self.lost.get().map_or(0, ErrorCounter::dropped_lines);
        if lost > self.said {
            tracing::warn!(lines = lost - self.said, "lines of the log were lost: nothing read them in time");
            self.said = lost;
        }
        self.write_waiting()?;
        std::thread::sleep(TOGETHER);
        Ok(())
    }
}

impl Stderr {
    fn write_waiting(&mut self) -> io::Result<()> {
        // If it fails, the lines are lost, as without a buffer.
        let written = io::stderr().write_all(&self.waiting);
        self.waiting.clear();
        written
    }
}

/// Writes the log to stderr from now on, at `info` for this crate and `warn` for others. A second call changes nothing.
pub fn init_log(format: LogFormat) {
    let log = LOG.get_or_init(Log::new);
    let filter = Targets::new().with_default(LevelFilter::WARN).with_target("ordersync_service", LevelFilter::INFO);
    // A failure to write the log (a full disk) must not end a request: reporting that failure panics if it fails too.
    let lines = fmt()
        .with_max_level(LevelFilter::INFO)
        .with_writer(log.writer.clone())
        .with_target(false)
        .log_internal_errors(false);
    let set = match format {
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(false).finish().with(filter).try_init(),
        LogFormat::Text => {
            lines.with_ansi(false).fmt_fields(debug_fn(write_field).delimited(" ")).finish().with(filter).try_init()
        }
    };
    // A subscriber that is already set (by a test) stays.
    drop(set);
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
        tracing::error!(backtrace, "{panic}");
        // Nothing else waits for the log of a main thread that panics.
        if std::thread::current().name() == Some("main") {
            flush();
        }
    }));
}

/// Writes a field of an entry in one line: texts such as the errors of a file's parser have several.
fn write_field(writer: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> std::fmt::Result {
    if field.name() != "message" {
        write!(writer, "{}=", field.name())?;
    }
    let text = format!("{value:?}");
    if !text.contains(char::is_control) {
        return writer.write_str(&text);
    }
    for c in text.chars() {
        if c.is_control() { write!(writer, "{}", c.escape_default())? } else { writer.write_char(c)? }
    }
    Ok(())
}

/// Logs a message of the program around the service.
pub fn say(message: &str) {
    tracing::info!("{message}");
}

/// Logs an error of the program around the service.
pub fn fail(code: &str, message: &str, hint: &str) {
    tracing::error!(code, hint, "{message}");
}

/// Writes a line for people to stderr, behind what was logged before. Needs [`init_log`].
pub fn line(text: &str) {
    if let Some(log) = LOG.get() {
        log.write(&format!("{text}\n"));
    }
}

/// Waits until everything is written, for about a second at most. Later lines are not written.
pub fn flush() {
    let Some(log) = LOG.get() else { return };
    let Some(worker) = log.worker.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
    let lost = log.writer.error_counter();
    let before = lost.dropped_lines();
    // Takes a place among the lines that wait, if there is one.
    log.write("");
    if lost.dropped_lines() == before {
        drop(worker);
    } else {
        // Nobody reads. The guard would say so on stdout, which may be the same pipe.
        std::mem::forget(worker);
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_entry_is_one_line_whatever_its_texts_hold() {
        let written = Written::default();
        let writer = written.clone();
        let log = fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .without_time()
            .with_target(false)
            .fmt_fields(debug_fn(write_field).delimited(" "))
            .finish();
        tracing::subscriber::with_default(log, || {
            let error = "shop.toml: line 3\n  |\n3 | a = \u{1b}[31m";
            tracing::error!(%error, client = "a\nb", ms = 7, "not\nreloaded");
        });
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let line = "ERROR not\\nreloaded error=shop.toml: line 3\\n  |\\n3 | a = \\u{1b}[31m client=\"a\\nb\" ms=7\n";
        assert_eq!(text, line);
    }
}
