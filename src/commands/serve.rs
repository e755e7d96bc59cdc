//! `ordersync serve`.

use std::fs::File;
use std::io::Read as _;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ordersync_service::config::{
    Config, ConnectionLimits, OtpDeliveryConfig, OtpPolicy, RateLimit, SandboxConfig, TlsFiles,
};
use ordersync_service::database::{Database, PostgresAddress};
use ordersync_service::private_file::{self, PrivateFileError};
use ordersync_service::telemetry::{self, LogFormat};
use ordersync_service::traces;
use secrecy::SecretString;

use crate::cli::serve::{LogForm, ServeArgs};
use crate::context::Context;
use crate::env;
use crate::errors::{Error, Hint, Result, codes};
use crate::files::private;
use crate::local;
use crate::output::Output;
use crate::output::screen::BesideLog;
use crate::shell;
use crate::signals;

/// Begins the log, beside which everything is printed from now on: in JSON, with errors as its entries.
pub(crate) fn begin_log(output: &Output, form: LogForm) {
    let flush = telemetry::flush;
    let log = match form {
        LogForm::Json => BesideLog { line: telemetry::say, error: Some(log_error), flush },
        LogForm::Text => BesideLog { line: telemetry::line, error: None, flush },
    };
    telemetry::init_log(match form {
        LogForm::Json => LogFormat::Json,
        LogForm::Text => LogFormat::Text,
    });
    output.screen().print_beside(log);
}

fn log_error(error: &Error) {
    telemetry::fail(error.code(), error.message(), &error.advice().to_string());
}

/// Runs the service until a signal ends it.
pub(crate) async fn run(context: &Context, arguments: ServeArgs) -> Result<()> {
    if let Some(variable) = sent_traces(context) {
        traces::export(variable);
    }
    if let Some(address) =
        arguments.metrics_listen.filter(|address| !arguments.metrics_public && !is_private(address.ip()))
    {
        let message = format!("--metrics-listen: others than your own networks may reach {}.", address.ip());
        return Err(Error::usage(message).hint(
            "Give an address of a private network, or add --metrics-public if a firewall or the network of a container keeps others away.",
        ));
    }
    let database = database(context, arguments.database.as_deref())?;
    // The key of a sandbox is made beside its database. A live service on PostgreSQL needs no folder: it may have none to write.
    let needs_folder = if database.file().is_none() { arguments.sandbox } else { arguments.database.is_none() };
    let own_folder = needs_folder.then_some(&context.settings.folders.data);
    if let Some(folder) = own_folder.filter(|_| arguments.sandbox) {
        private::create_private_folder(folder)?;
    }
    let config = Config {
        secrets: keys(context, &arguments, &database)?,
        database,
        public_url: arguments.public_url.clone(),
        tls: match (arguments.tls_certificate.clone(), arguments.tls_key.clone()) {
            (Some(certificate), Some(key)) => Some(TlsFiles { certificate, key }),
            _ => None,
        },
        behind_proxy: arguments.behind_proxy,
        otp_delivery: otp_delivery(context, &arguments)?,
        otp_policy: OtpPolicy { per_hour: arguments.otp_per_hour.get(), prefixes: arguments.otp_prefixes.clone() },
        retailers: arguments.retailers.map(existing).transpose()?,
        rate_limit: arguments.rate_limit.0.map(|(requests, window)| RateLimit { requests, window }),
        parallel_syncs: arguments.parallel_syncs,
        parallel_syncs_per_retailer: arguments.parallel_syncs_per_retailer,
        sandbox: arguments.sandbox.then_some(SandboxConfig { speed: arguments.speed, seed: arguments.seed.clone() }),
        connections: ConnectionLimits {
            total: arguments.max_connections,
            per_address: arguments.max_connections_per_address,
        },
        retention_days: arguments.retention,
        local_token: None,
    };
    // Nothing is made before everything that is needed is there.
    config.check().map_err(|why| local::start_error(why.into()))?;
    if let Some(folder) = own_folder {
        private::create_private_folder(folder)?;
    }
    let store = config.database.to_string();
    let (is_tls, is_sandbox) = (config.tls.is_some(), config.sandbox.is_some());
    let drain = Duration::from_secs(arguments.drain.into());
    let listener = listen(arguments.listen, "--listen")?;
    let metrics = arguments.metrics_listen.map(|address| listen(address, "--metrics-listen")).transpose()?;
    let mut service = local::start_service(config, listener).await?;
    let shown = metrics.map(|listener| service.show_metrics(listener)).transpose();
    let shown = shown.map_err(|why| no_listener("--metrics-listen", &why))?;
    let address = service.address();
    let scheme = if is_tls { "https" } else { "http" };
    // Before the address is announced: its reader may end the service at once.
    let mut signals = Signals::new();
    let what = if is_sandbox { " (sandbox)" } else { "" };
    context.output.announce(format!("ordersync serve: listening on {scheme}://{address}{what}"));
    if let Some(shown) = shown {
        context.output.announce(format!("ordersync serve: metrics at http://{shown}/metrics"));
    }
    if is_sandbox && arguments.log == LogForm::Text {
        let host = if address.ip().is_unspecified() { "127.0.0.1".to_owned() } else { address.ip().to_string() };
        let host = if address.is_ipv6() && !address.ip().is_unspecified() { format!("[{host}]") } else { host };
        let at = format!("{scheme}://{host}:{}", address.port());
        let exports = format!("export ORDERSYNC_BASE_URL={at}; export ORDERSYNC_TOKEN=$(ordersync sandbox token)");
        context.output.note(Hint::run("In another terminal", exports));
    }
    let outgrown = tokio::select! {
        () = signals.obeyed_by(&service) => None,
        why = service.outgrown() => Some(why),
    };
    let stopped = async {
        // A node that must not use the store refuses all requests: clients have to turn to other nodes at once.
        if !drain.is_zero() && outgrown.is_none() {
            service.drain();
            context.output.note(format!(
                "Draining for {} s: /readyz answers 503, everything else is served. A second signal stops at once.",
                drain.as_secs()
            ));
            tokio::time::sleep(drain).await;
        }
        service.stop().await;
        traces::stop().await;
    };
    context.output.note(tokio::select! {
        () = stopped => "Stopped.",
        () = signals.again() => "Stopped without waiting for the requests that were open.",
    });
    outgrown.map_or(Ok(()), |why| Err(local::store_error(&why, &store)))
}

/// The variable that says where traces go to, if they are wanted.
fn sent_traces(context: &Context) -> Option<&'static str> {
    let environment = &context.environment;
    let is_off = environment.get(&env::OTEL_SDK_DISABLED).is_some_and(|value| value.eq_ignore_ascii_case("true"))
        || environment.get(&env::OTEL_TRACES_EXPORTER) == Some("none");
    let names = [&env::OTLP_TRACES_ENDPOINT, &env::OTLP_ENDPOINT];
    names.into_iter().find(|name| !is_off && environment.get(name).is_some()).map(|variable| variable.name)
}

fn listen(address: SocketAddr, option: &str) -> Result<TcpListener> {
    TcpListener::bind(address).map_err(|why| no_listener(&format!("{option} {address}"), &why))
}

fn no_listener(what: &str, why: &std::io::Error) -> Error {
    Error::of(&codes::command::LISTEN, format!("Cannot listen ({what}): {why}."))
        .hint("Give another address; port 0 lets the system choose.")
}

/// Whether only this machine and private networks reach the address.
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local(),
    }
}

/// The signals that a running service obeys: SIGTERM and Ctrl-C stop it, SIGHUP makes it reload. SIGUSR1 and SIGUSR2 mean
/// nothing, and do not end it.
struct Signals {
    stop: signals::Stop,
    hangup: Option<tokio::signal::unix::Signal>,
    _ignored: [Option<tokio::signal::unix::Signal>; 2],
    had_terminal: bool,
}

impl Signals {
    fn new() -> Self {
        use std::io::IsTerminal as _;

        use tokio::signal::unix::{SignalKind, signal};

        Self {
            stop: signals::Stop::listen(),
            hangup: signal(SignalKind::hangup()).ok(),
            _ignored: [SignalKind::user_defined1(), SignalKind::user_defined2()].map(|kind| signal(kind).ok()),
            had_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// Returns when the service has to stop.
    async fn obeyed_by(&mut self, service: &ordersync_service::Service) {
        use std::io::IsTerminal as _;

        let stop = self.stop.wait();
        tokio::pin!(stop);
        loop {
            let Some(hangup) = &mut self.hangup else { return stop.await };
            tokio::select! {
                () = &mut stop => return,
                _ = hangup.recv() => {}
            }
            // A terminal that was closed sends the same signal: a service that was started there ends with it.
            if self.had_terminal && !std::io::stderr().is_terminal() {
                return;
            }
            service.reload();
        }
    }

    /// Returns when the service has to stop at once.
    async fn again(&mut self) {
        self.stop.wait().await;
    }
}

/// The database that was named, by the option or the environment, or the file in the data folder. Makes none.
pub(super) fn database(context: &Context, given: Option<&str>) -> Result<Database> {
    database_of(context, "--database", given)
}

/// The database that an option names.
pub(super) fn database_of(context: &Context, option: &str, given: Option<&str>) -> Result<Database> {
    let Some(given) = given else {
        return match context.environment.get(&env::DATABASE_URL) {
            Some(address) => postgres(address, env::DATABASE_URL.name),
            None => Ok(Database::File(context.settings.folders.data.join("serve.sqlite3"))),
        };
    };
    if let Some(path) = given.strip_prefix('@') {
        let text = private_file::read(Path::new(path))
            .map_err(|why| Error::usage(format!("The file of {option} cannot be used: {why}.")))?;
        return postgres(&text, path);
    }
    if PostgresAddress::is_meant_by(given) {
        let database = postgres(given, option)?;
        // It stays in the list of processes for as long as the service runs.
        if let Database::Postgres(address) = &database
            && address.has_password()
        {
            return Err(Error::usage(format!(
                "The address in {option} has a password, which every user of this machine can see."
            ))
            .hint([
                Hint::say(format!(
                    "Give the address in a private file: {option} @FILE, or in {}.",
                    env::DATABASE_URL.name
                )),
                Hint::say("Or leave the password out, and name a file of passwords as psql has it in PGPASSFILE."),
                Hint::say("Change the password: the command's history may have it, too."),
            ]));
        }
        return Ok(database);
    }
    let path = match given.split_once(':') {
        Some(("sqlite", path)) => path.strip_prefix("//").unwrap_or(path),
        Some((scheme, _)) if scheme.len() > 1 && given.contains("://") => {
            return Err(Error::usage(format!("{option}: {scheme} is not supported."))
                .hint("Give a path, sqlite:PATH, or postgres://USER@HOST/DATABASE."));
        }
        _ => given,
    };
    let path = PathBuf::from(path);
    let Some(folder) = path.parent() else { return Err(Error::usage(format!("{option} names no file."))) };
    if !folder.as_os_str().is_empty() {
        must_exist(option, folder)?;
    }
    Ok(Database::File(path))
}

/// Fails if the folder of a file that an option names does not exist: a mistyped path is no reason to make one.
pub(super) fn must_exist(option: &str, folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let create = format!("mkdir -p {}", shell::quoted(&folder.display().to_string()));
    Err(Error::usage(format!("{option}: there is no folder {}.", folder.display()))
        .hint(Hint::run("Create it", create)))
}

fn postgres(text: &str, source: &str) -> Result<Database> {
    let address = PostgresAddress::parse(text)
        .map_err(|why| Error::usage(format!("The address of the database ({source}) cannot be used: {why}.")))?;
    Ok(Database::Postgres(address))
}

/// The root keys: of files, of the environment, or, for a sandbox, beside the database, made there if absent.
fn keys(context: &Context, arguments: &ServeArgs, database: &Database) -> Result<Vec<SecretString>> {
    if let Some(store) = database.file() {
        refuse_other_file(store)?;
    }
    match given_keys(context, &arguments.key_files)? {
        Some(keys) => Ok(keys),
        None if arguments.sandbox => {
            let own = context.settings.folders.data.join("serve.key");
            let key = database.file().map_or(own, |path| path.with_extension("key"));
            if let Some(store) = database.file() {
                refuse_new_key(store, &key)?;
            }
            Ok(vec![local::key(&key)?])
        }
        // What else is missing is reported with it.
        None => Ok(Vec::new()),
    }
}

/// A file that no service has made is refused before a key is missed that belongs to it.
fn refuse_other_file(store: &Path) -> Result<()> {
    let why = if store.is_dir() {
        "a folder"
    } else if has_other_beginning(store) {
        "no SQLite database"
    } else {
        return Ok(());
    };
    Err(Error::usage(format!("--database: {} is {why}.", store.display()))
        .hint("Name the file of the service's store, or a file that does not exist yet to create a store there."))
}

/// True if a file has contents that do not begin as those of SQLite do (<https://www.sqlite.org/fileformat.html>, 1.3).
fn has_other_beginning(file: &Path) -> bool {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let mut beginning = Vec::new();
    let opened = File::open(file).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut beginning));
    // A file that cannot be read is reported when it is opened as a store.
    opened.is_ok() && !beginning.is_empty() && beginning != MAGIC
}

/// A store that was made with a key is never given another one: a restored backup needs the key that it had.
fn refuse_new_key(store: &Path, key: &Path) -> Result<()> {
    if !local::lacks_key(store, key) {
        return Ok(());
    }
    let missing = format!("The root key of the store {} is missing: there is no {}.", store.display(), key.display());
    Err(Error::of(&codes::command::ROOT_KEY, missing).hint([
        Hint::say("Put the key file there that lay beside the store, or name it: --key-file FILE"),
        Hint::say("If it is lost, the credentials in the store are lost with it: start with a new store."),
    ]))
}

/// The root keys of files, or else of the environment; none if neither has one.
pub(super) fn given_keys(context: &Context, files: &[PathBuf]) -> Result<Option<Vec<SecretString>>> {
    if files.is_empty() {
        let text = context.environment.get(&env::SERVICE_KEY);
        return text.map(|text| local::checked_keys(text, env::SERVICE_KEY.name)).transpose();
    }
    let mut keys = Vec::new();
    for path in files {
        let text = private_file::read(path).map_err(|why| {
            let error = Error::usage(format!("The root key cannot be used: {why}."));
            match why {
                PrivateFileError::Open { .. } => error.hint(
                    "If others have had access to it, replace the key: put a new one before it, and keep both in use.",
                ),
                PrivateFileError::Unreadable { .. } => error.hint(
                    "Check the path of --key-file. Make a key with: (umask 077; head -c 32 /dev/urandom | base64 > root.key)",
                ),
            }
        })?;
        keys.extend(local::checked_keys(&text, &path.display().to_string())?);
    }
    Ok(Some(keys))
}

fn otp_delivery(context: &Context, arguments: &ServeArgs) -> Result<Option<OtpDeliveryConfig>> {
    match &arguments.otp_gateway {
        Some(url) => {
            let key = gateway_secret(context, arguments.otp_gateway_secret_file.as_deref())?;
            Ok(Some(OtpDeliveryConfig::Gateway { url: url.clone(), key }))
        }
        None if arguments.otp_log => Ok(Some(OtpDeliveryConfig::Log)),
        None => Ok(None),
    }
}

/// The secret of the gateway: of a file, or else of the environment.
fn gateway_secret(context: &Context, file: Option<&Path>) -> Result<SecretString> {
    const REMEDY: &str =
        "Write the secret that the gateway knows into the file, on one line, readable by its owner alone.";
    let Some(path) = file else {
        let secret = context.environment.get(&env::OTP_GATEWAY_SECRET).ok_or_else(|| {
            let variable = env::OTP_GATEWAY_SECRET.name;
            Error::usage("--otp-gateway needs the secret that signs its requests.")
                .hint(format!("Give a private file with it, --otp-gateway-secret-file FILE, or {variable}."))
        })?;
        return Ok(SecretString::from(secret));
    };
    let text = private_file::read(path)
        .map_err(|why| Error::usage(format!("The gateway's secret cannot be used: {why}.")).hint(REMEDY))?;
    match text.trim() {
        "" => Err(Error::usage(format!("{} has no secret of the gateway in it.", path.display())).hint(REMEDY)),
        secret => Ok(SecretString::from(secret)),
    }
}

fn existing(path: PathBuf) -> Result<PathBuf> {
    if path.is_file() {
        return Ok(path);
    }
    Err(Error::usage(format!("--retailers: there is no file {}.", path.display())).hint("Check the path."))
}
