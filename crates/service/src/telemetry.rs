//! The service's log. It logs an allow-list: the code names each field, and none holds a credential, a code, a token, a
//! query string or any text of a retailer's page. The one exception is a delivery of one-time passwords that the
//! operator has to choose by name (`delivery::Log`).

use std::fmt::Debug;

use tracing::field::Field;
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

/// Writes the log to stderr from now on, at `info` for this crate and `warn` for others. A second call changes nothing.
pub fn init_log(format: LogFormat) {
    let filter = Targets::new().with_default(LevelFilter::WARN).with_target("ordersync_service", LevelFilter::INFO);
    // A failure to write the log (a full disk) must not end a request: reporting that failure panics if it fails too.
    let log = fmt()
        .with_max_level(LevelFilter::INFO)
        .with_writer(std::io::stderr)
        .with_target(false)
        .log_internal_errors(false);
    let set = match format {
        LogFormat::Json => log.json().flatten_event(true).with_current_span(false).finish().with(filter).try_init(),
        LogFormat::Text => {
            log.with_ansi(false).fmt_fields(debug_fn(write_field).delimited(" ")).finish().with(filter).try_init()
        }
    };
    // A subscriber that is already set (by a test) stays.
    drop(set);
}

/// Writes a field of an entry in one line: texts such as the errors of a file's parser have several.
fn write_field(writer: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> std::fmt::Result {
    if field.name() != "message" {
        write!(writer, "{}=", field.name())?;
    }
    for c in format!("{value:?}").chars() {
        if c.is_control() { write!(writer, "{}", c.escape_default())? } else { writer.write_char(c)? }
    }
    Ok(())
}

/// Logs a message of the program around the service.
pub fn say(message: &str) {
    tracing::info!("{message}");
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
