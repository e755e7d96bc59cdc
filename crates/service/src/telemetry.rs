//! The service's log. It logs an allow-list: the code names each field, and none holds a credential, a code, a token, a
//! query string or any text of a retailer's page. The one exception is a delivery of one-time passwords that the
//! operator has to choose by name (`delivery::Log`).

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
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
        LogFormat::Text => log.with_ansi(false).finish().with(filter).try_init(),
    };
    // A subscriber that is already set (by a test) stays.
    drop(set);
}

/// Logs a message of the program around the service.
pub fn say(message: &str) {
    tracing::info!("{message}");
}
