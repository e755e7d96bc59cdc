//! Every environment variable that the command reads, in one table: help and documentation are made from it. Nothing
//! else in the command line reads the environment.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// An environment variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, as a sentence without its full stop.
    pub help: &'static str,
}

macro_rules! variables {
    ($($constant:ident = $name:literal, $help:literal;)+) => {
        $(
            #[doc = $help]
            pub(crate) const $constant: Variable = Variable { name: $name, help: $help };
        )+
        /// Every variable, in the order of the documentation.
        pub const ALL: &[Variable] = &[$($constant),+];
    };
}

variables! {
    PROFILE = "ORDERSYNC_PROFILE", "Profile to use, unless --profile is given";
    BASE_URL = "ORDERSYNC_BASE_URL", "Address of the service, unless --base-url is given";
    TOKEN = "ORDERSYNC_TOKEN", "Access token; takes precedence over a stored sign-in";
    TOKEN_URL = "ORDERSYNC_TOKEN_URL", "Address that ORDERSYNC_TOKEN belongs to; it is sent to no other. Default: the address in use";
    CLIENT_ID = "ORDERSYNC_CLIENT_ID", "OAuth client id to sign in with, unless --client-id is given";
    CLIENT_SECRET = "ORDERSYNC_CLIENT_SECRET", "Secret of that client, for --client-credentials and X-Client-Secret";
    LINK_TOKEN = "ORDERSYNC_LINK_TOKEN", "Link token for `users share`";
    TOKEN_STORE = "ORDERSYNC_TOKEN_STORE", "Where sign-ins are stored: `auto`, `keyring` or `file`";
    HOME = "ORDERSYNC_HOME", "Folder for all files, sign-ins included, instead of the platform's folders";
    SANDBOX_SPEED = "ORDERSYNC_SANDBOX_SPEED", "Speed of simulated retailers on the local profile; 1 = real time";
    SERVICE_KEY = "ORDERSYNC_SERVICE_KEY", "Root key of `serve` (32 bytes in base64), instead of --key-file";
    DATABASE_URL = "ORDERSYNC_DATABASE_URL", "PostgreSQL database of `serve` and `admin`, with its password, unless --database is given";
    OTP_GATEWAY_SECRET = "ORDERSYNC_OTP_GATEWAY_SECRET", "Secret with which `serve` signs its requests to --otp-gateway";
    NO_INPUT = "ORDERSYNC_NO_INPUT", "Never prompt, like --no-input";
    ACCESSIBLE = "ORDERSYNC_ACCESSIBLE", "Plain output for screen readers, like --accessible";
    CI = "CI", "Never prompt, like --no-input";
    BROWSER = "BROWSER", "Program that opens the sign-in page";
    DISPLAY = "DISPLAY", "If neither this nor WAYLAND_DISPLAY is set, no browser is opened on Linux";
    WAYLAND_DISPLAY = "WAYLAND_DISPLAY", "See DISPLAY";
    SSH_CONNECTION = "SSH_CONNECTION", "If set, no browser is opened: it would be on the wrong machine";
    HTTPS_PROXY = "HTTPS_PROXY", "Proxy for https addresses: http://USER:PASSWORD@HOST:PORT; default: ALL_PROXY";
    ALL_PROXY = "ALL_PROXY", "See HTTPS_PROXY";
    NO_PROXY = "NO_PROXY", "Hosts to reach without the proxy, separated by commas; this machine always is";
    SSL_CERT_FILE = "SSL_CERT_FILE", "Certificates (PEM) to trust instead of the system's, on Linux";
    SSL_CERT_DIR = "SSL_CERT_DIR", "Folder of such certificates";
    NO_COLOR = "NO_COLOR", "Disable color, unless --color says otherwise";
    CLICOLOR_FORCE = "CLICOLOR_FORCE", "Use color even if the output is not a terminal, unless NO_COLOR is set; 0 means unset";
    ORDERSYNC_PAGER = "ORDERSYNC_PAGER", "Pager for tables longer than the terminal; `cat` turns it off";
    PAGER = "PAGER", "Pager, if ORDERSYNC_PAGER is not set; default: less";
    LESS = "LESS", "Options for less, instead of FRX";
    TZ = "TZ", "Time zone of days and times, unless --time-zone is given; default: the system's";
    TRACEPARENT = "TRACEPARENT", "Trace that the requests continue, such as that of a CI job (W3C Trace Context)";
    OTLP_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT", "Where `serve` sends traces, if built with the feature `otlp`";
    OTLP_TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "See OTEL_EXPORTER_OTLP_ENDPOINT; the whole address";
    OTLP_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS", "Headers of these requests; secret";
    OTLP_TRACES_HEADERS = "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "See OTEL_EXPORTER_OTLP_HEADERS";
    OTEL_TRACES_EXPORTER = "OTEL_TRACES_EXPORTER", "`none`: no traces are sent";
    OTEL_SDK_DISABLED = "OTEL_SDK_DISABLED", "`true`: no traces are sent";
    TERM = "TERM", "If `dumb`: no color, no lines that update in place";
}

/// The variables that decide where a command works, as whom, and with which keys. Set but empty, they are a mistake: a CI
/// system hands on a variable that it does not have as an empty one, and the command would work on another service.
const DECISIVE: [&Variable; 12] = [
    &PROFILE,
    &BASE_URL,
    &TOKEN,
    &TOKEN_URL,
    &CLIENT_ID,
    &CLIENT_SECRET,
    &LINK_TOKEN,
    &TOKEN_STORE,
    &HOME,
    &SERVICE_KEY,
    &DATABASE_URL,
    &OTP_GATEWAY_SECRET,
];

/// The variables that hold secrets, which no other program needs.
const SECRET: [&Variable; 6] = [&TOKEN, &CLIENT_SECRET, &LINK_TOKEN, &SERVICE_KEY, &DATABASE_URL, &OTP_GATEWAY_SECRET];

/// Takes our secrets out of the environment of a program that is to be started.
pub(crate) fn without_secrets(command: &mut std::process::Command) -> &mut std::process::Command {
    for variable in SECRET {
        command.env_remove(variable.name);
    }
    command
}

/// The question for the hidden child process that asks it.
const ASK: &str = "ORDERSYNC_ASK";
/// What else that child is given: how to draw.
const FOR_QUESTION: [&str; 6] = ["TERM", "COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "PATH"];

/// This program, to be started again: the very one, also after an update has put another in its place. Fails if it is
/// not found any more.
pub(crate) fn this_program() -> std::io::Result<PathBuf> {
    // What the link names may be gone; what it leads to is there while this process runs.
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        return Ok(own.to_owned());
    }
    let path = std::env::current_exe()?;
    if path.exists() { Ok(path) } else { Err(std::io::Error::other("this program was removed while it ran")) }
}

/// The question of the process, if it is that child.
pub(crate) fn asked() -> Option<String> {
    std::env::var(ASK).ok()
}

/// The environment of that child: no secret is in it.
pub(crate) fn for_question(question: &str) -> impl Iterator<Item = (&'static str, OsString)> {
    let given = FOR_QUESTION.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    given.chain([(ASK, OsString::from(question))])
}

/// What a filter may know of the environment: no secret, and no address of a proxy, which may hold a password.
pub(crate) fn for_filter() -> impl Iterator<Item = (String, String)> {
    let secret = [SECRET.map(|secret| secret.name).as_slice(), &[OTLP_HEADERS.name, OTLP_TRACES_HEADERS.name]].concat();
    let is_shown = move |name: &str| !secret.contains(&name) && !name.to_ascii_lowercase().ends_with("_proxy");
    let texts =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.filter(move |(name, _)| is_shown(name))
}

/// The environment, read once.
#[derive(Default, Clone)]
pub(crate) struct Environment(HashMap<&'static str, OsString>);

impl Environment {
    /// The environment of the process.
    pub(crate) fn of_process() -> Self {
        Self(ALL.iter().filter_map(|variable| Some((variable.name, std::env::var_os(variable.name)?))).collect())
    }

    /// The variable's value; an empty or blank one counts as absent, and so does one that is not text.
    pub(crate) fn get(&self, variable: &Variable) -> Option<&str> {
        self.0.get(variable.name)?.to_str().filter(|value| !value.trim().is_empty())
    }

    /// The variable's value as a path.
    pub(crate) fn path(&self, variable: &Variable) -> Option<&std::path::Path> {
        let is_blank = |value: &&OsString| value.to_str().is_some_and(|text| text.trim().is_empty());
        self.0.get(variable.name).filter(|value| !is_blank(value)).map(std::path::Path::new)
    }

    /// The variables that decide where and as whom a command works, and are set to nothing, or to something that is not
    /// text.
    pub(crate) fn unusable(&self) -> impl Iterator<Item = &'static Variable> + '_ {
        DECISIVE.into_iter().filter(move |variable| match self.0.get(variable.name).map(|value| value.to_str()) {
            Some(Some(text)) => text.trim().is_empty(),
            // A path need not be text.
            Some(None) => variable.name != HOME.name,
            None => false,
        })
    }

    /// Whether the variable is set to anything but nothing, `0` or `false`.
    pub(crate) fn is_on(&self, variable: &Variable) -> bool {
        self.get(variable).is_some_and(|value| !matches!(value, "0" | "false"))
    }

    /// An environment of exactly these variables.
    #[cfg(test)]
    pub(crate) fn of(variables: &[(&Variable, &str)]) -> Self {
        Self(variables.iter().map(|(variable, value)| (variable.name, OsString::from(value))).collect())
    }
}

impl std::fmt::Debug for Environment {
    /// Names alone: the values hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
