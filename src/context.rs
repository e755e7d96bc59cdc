//! What a command is given: how to speak, how to ask, what it works with. The service is reached, and on the local
//! profile started, when it is first needed.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ordersync_api::TraceContext;
use ordersync_service::database::PostgresAddress;
use ordersync_service::{Service, StoreTrouble};
use secrecy::SecretString;
use tokio::sync::OnceCell;

use crate::auth::store::Loaded;
use crate::auth::token_provider::blocking;
use crate::auth::{SignInStore, TokenProvider};
use crate::client::Client;
use crate::client::endpoints::Endpoints;
use crate::client::http::Http;
use crate::client::token::{Fixed, TokenSource};
use crate::complete::cache::{Cache, KnownNames};
use crate::config::sign_in::SecretSource;
use crate::config::{Remote, Settings, Target};
use crate::env::{self, Environment};
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::flags::GlobalArgs;
use crate::output::terminal::{Held, Typing};
use crate::output::{self, Output, Streams};
use crate::policy::{self, Facts};
use crate::prompt::Prompt;
use crate::time_zone::TimeZone;
use crate::{local, shell, signals};

/// However little time is left, a file has this long to be read.
const SHORTEST_READ: Duration = Duration::from_secs(1);

/// What a command is given.
pub(crate) struct Context {
    /// How to speak.
    pub output: Output,
    /// How to ask.
    pub prompt: Prompt,
    /// What to work with.
    pub settings: Settings,
    pub environment: Environment,
    /// When waiting ends.
    pub deadline: Option<Instant>,
    /// The terminal, variables and flags that decide how to prompt and to print.
    pub facts: Facts,
    flags: GlobalArgs,
    /// The value of --database that the commands to copy have, too.
    database: OnceLock<String>,
    client: OnceCell<Client>,
    session: Mutex<Option<Arc<TokenProvider>>>,
    service: Mutex<Option<Service>>,
    if_broken_off: Mutex<Option<BrokenOff>>,
}

/// Gives what to say if the command is interrupted; `None`: nothing.
type BrokenOff = Box<dyn Fn() -> Option<Advice> + Send + Sync>;

/// What a command line is carried out in.
#[derive(Clone, Default)]
pub(crate) struct Surroundings {
    pub environment: Environment,
    pub facts: Facts,
    pub streams: Streams,
}

impl Surroundings {
    /// Those of this process.
    pub(crate) fn of_process() -> Self {
        let environment = Environment::of_process();
        Self { facts: facts(&environment), environment, streams: Streams::Process }
    }

    /// How a command speaks in them.
    pub(crate) fn output(&self, flags: &GlobalArgs) -> Output {
        Output::new(flags, &self.environment, self.facts).with_streams(self.streams.clone())
    }
}

fn facts(environment: &Environment) -> Facts {
    let (stdin_terminal, stdout_terminal, stderr_terminal) = output::terminals();
    Facts {
        stdin_terminal,
        stdout_terminal,
        stderr_terminal,
        ci: environment.is_on(&env::CI),
        browser: environment.get(&env::BROWSER).is_some(),
        display: environment.get(&env::DISPLAY).or(environment.get(&env::WAYLAND_DISPLAY)).is_some(),
        ssh: environment.get(&env::SSH_CONNECTION).is_some(),
        no_color: environment.get(&env::NO_COLOR).is_some(),
        accessible: environment.is_on(&env::ACCESSIBLE),
        force_color: environment.is_on(&env::CLICOLOR_FORCE),
        dumb: environment.get(&env::TERM) == Some("dumb"),
    }
}

/// The time zone of this machine.
pub(crate) fn machine_zone(environment: &Environment) -> Result<TimeZone> {
    TimeZone::of_machine(environment.path(&env::TZ).map(|name| name.to_string_lossy()).as_deref())
}

const DATABASE: &str = "--database";
/// The same in the table of codes.
const PLACEHOLDER: &str = "--database PATH";

/// The command that looks at the stores of this machine, as the table of codes has it.
pub(crate) const DOCTOR: &str = "ordersync doctor";
/// The command that looks at the store of a service.
const STORE_CHECK: &str = "ordersync admin store check";

/// Commands to copy that work on another store: the archive of a user is imported into one that does not have the user.
const ELSEWHERE: [&str; 2] = ["admin store copy", "admin users export"];

/// True for a command that works on the store of --database and does not name it yet.
fn takes_database(line: &str) -> bool {
    let is_elsewhere = ELSEWHERE.iter().any(|command| line.starts_with(command));
    line.starts_with("admin ") && !is_elsewhere && !line.contains(DATABASE)
}

impl Context {
    /// The time zone that decides days: the wanted one, else that of this machine.
    pub(crate) fn time_zone(&self, wanted: Option<&str>) -> Result<TimeZone> {
        wanted.map_or_else(|| machine_zone(&self.environment), |name| TimeZone::named("--time-zone", name))
    }

    /// A context of these parts. It asks the process for nothing, so that a test can carry out a command without one.
    pub(crate) fn new(
        flags: GlobalArgs,
        (environment, facts): (Environment, Facts),
        settings: Settings,
        output: Output,
    ) -> Self {
        let no_input = flags.no_input || environment.is_on(&env::NO_INPUT);
        let is_plain = policy::asks_plainly(Facts { accessible: output.is_accessible(), ..facts });
        Self {
            prompt: Prompt::new(policy::may_prompt(facts, no_input), is_plain, output.clone()),
            output,
            settings,
            environment,
            // A deadline too far away to represent is none.
            deadline: flags.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            facts,
            flags,
            database: OnceLock::new(),
            client: OnceCell::new(),
            session: Mutex::default(),
            service: Mutex::default(),
            if_broken_off: Mutex::default(),
        }
    }

    /// A context with other settings, in which the user is asked nothing.
    pub(crate) fn unattended(&self, settings: Settings) -> Self {
        let flags = GlobalArgs { no_input: true, ..self.flags.clone() };
        Self::new(flags, (self.environment.clone(), self.facts), settings, self.output.clone())
    }

    /// The service.
    pub(crate) async fn client(&self) -> Result<&Client> {
        self.client.get_or_try_init(|| Box::pin(self.connect())).await
    }

    async fn connect(&self) -> Result<Client> {
        let output = self.output.clone();
        match &self.settings.target {
            Target::Remote(remote) => {
                let tokens: Arc<dyn TokenSource> = match &remote.token {
                    Some(token) => Arc::new(Fixed::new(token.value.clone(), self.token_advice())),
                    None => self.session(remote)?,
                };
                let base_url = remote.base_url.value.clone();
                let endpoints = remote.endpoints.clone();
                let client = Client::new(base_url, tokens, endpoints, output, self.deadline, self.trace())?;
                Ok(client.with_secret(self.secret_finder(remote)))
            }
            Target::Local(settings) => {
                if output.curl() {
                    output.announce(
                        "# The service inside this command ends with it, and its token too: what follows is for one that \
                         stays, such as that of `ordersync serve --sandbox`.",
                    );
                }
                let local = local::start(&self.settings.folders, settings.speed.value).await?;
                *self.service.lock().unwrap_or_else(PoisonError::into_inner) = Some(local.service);
                let tokens = Arc::new(Fixed::new(local.token, Advice::default()));
                Client::new(local.base_url, tokens, Endpoints::default(), output, self.deadline, self.trace())
            }
        }
    }

    /// Where the client's secret comes from: the settings, else the stored sign-in.
    fn secret_finder(&self, remote: &Remote) -> Arc<dyn Fn() -> Result<Option<SecretString>> + Send + Sync> {
        let source = self.settings.sign_in.client_secret.as_ref().map(|secret| secret.value.clone());
        let sign_in_store = self.sign_in_store(remote);
        Arc::new(move || match &source {
            Some(source) => source.read().map(Some),
            None => match sign_in_store.load()? {
                Loaded::SignIn(record, _) => Ok(record.client_secret),
                Loaded::Nothing | Loaded::Unknown(_) => Ok(None),
            },
        })
    }

    /// A client that sends this token, whatever sign-in is stored.
    pub(crate) fn client_with(&self, remote: &Remote, token: SecretString) -> Result<Client> {
        let tokens = Arc::new(Fixed::new(token, self.token_advice()));
        let (base_url, output) = (remote.base_url.value.clone(), self.output.clone());
        Client::new(base_url, tokens, remote.endpoints.clone(), output, self.deadline, self.trace())
    }

    /// The trace that the requests continue, if the environment names one. A malformed one is none, as in a request.
    fn trace(&self) -> Option<TraceContext> {
        let trace = self.environment.get(&env::TRACEPARENT)?.parse();
        trace.inspect_err(|_| self.output.trace(1, "TRACEPARENT is malformed, and is not sent.")).ok()
    }

    /// What to do about a token of the environment that is refused.
    fn token_advice(&self) -> Advice {
        let text = "ORDERSYNC_TOKEN is not accepted: set it to a current access token, or unset it and sign in";
        [Hint::run(text, self.command("auth login")), self.sandbox_token()].into()
    }

    /// How a token is had at a sandbox, as this one may be.
    pub(crate) fn sandbox_token(&self) -> Hint {
        Hint::run("In a sandbox", format!("export ORDERSYNC_TOKEN=$({})", self.command("sandbox token")))
    }

    /// The sign-in that is kept for a service.
    pub(crate) fn session(&self, remote: &Remote) -> Result<Arc<TokenProvider>> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = session.as_ref() {
            return Ok(Arc::clone(session));
        }
        let secret = self.settings.sign_in.client_secret.as_ref().map(|secret| secret.value.clone());
        let (sign_in_store, http) = (Arc::new(self.sign_in_store(remote)), self.http(remote)?);
        let login = self.command("auth login");
        let sandbox = match self.environment.get(&env::TOKEN_URL) {
            Some(url) if self.environment.get(&env::TOKEN).is_some() => {
                Hint::say(format!("ORDERSYNC_TOKEN is not sent here: it belongs to {url} (ORDERSYNC_TOKEN_URL)."))
            }
            _ => self.sandbox_token(),
        };
        let new = Arc::new(TokenProvider::new(sign_in_store, http, secret, self.output.clone(), login, sandbox));
        *session = Some(Arc::clone(&new));
        Ok(new)
    }

    /// Where the sign-in for a service is stored.
    pub(crate) fn sign_in_store(&self, remote: &Remote) -> SignInStore {
        let Settings { folders, profile, sign_in, .. } = &self.settings;
        SignInStore::new(folders, &profile.value, &remote.base_url.value, sign_in.token_store.value)
    }

    /// The way to a service's authorization server.
    pub(crate) fn http(&self, remote: &Remote) -> Result<Arc<Http>> {
        Http::new(&remote.base_url.value, self.output.clone(), self.deadline, self.trace()).map(Arc::new)
    }

    /// Reads what may never come (standard input, a file that is a pipe), until the deadline at the latest. `source` is
    /// for the message. Fails if nothing came in time.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        source: &str,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let reading = blocking(work);
        let Some(deadline) = self.deadline else { return reading.await };
        // A file that exists is read, even if the command was slow to start.
        let until = deadline.max(Instant::now() + SHORTEST_READ);
        tokio::time::timeout_at(until.into(), reading).await.unwrap_or_else(|_| {
            let message = format!("Nothing came from {source} within --timeout.");
            Err(Error::of(&codes::command::INPUT_TIMEOUT, message))
        })
    }

    /// A client's secret, from wherever it is.
    pub(crate) async fn secret(&self, source: &SecretSource) -> Result<SecretString> {
        let source = source.clone();
        self.read("the file of the client secret", move || source.read()).await
    }

    /// Returns at Ctrl-C, or at the deadline.
    pub(crate) async fn until_stopped(&self) {
        // The shell's prompt would follow "^C" on the same line.
        let _typing = Held::new(Typing::Hidden);
        match self.deadline {
            Some(deadline) => drop(tokio::time::timeout_at(deadline.into(), signals::stop()).await),
            None => signals::stop().await,
        }
    }

    /// Whether prompts are off.
    pub(crate) fn no_input(&self) -> bool {
        self.flags.no_input || self.environment.is_on(&env::NO_INPUT)
    }

    /// The flags that hold for every command.
    pub(crate) const fn flags(&self) -> &GlobalArgs {
        &self.flags
    }

    /// Whether the service runs inside the command.
    pub(crate) const fn is_local(&self) -> bool {
        matches!(self.settings.target, Target::Local(_))
    }

    /// Whether the service inside the command has no room for what it finds, or cannot write it: it tries again, but only the
    /// user can change that.
    pub(crate) fn store_cannot_be_written(&self) -> Option<Error> {
        let service = self.service.lock().unwrap_or_else(PoisonError::into_inner);
        let trouble = service.as_ref()?.store_trouble()?;
        let store = self.settings.folders.store();
        matches!(trouble, StoreTrouble::Full | StoreTrouble::Failing | StoreTrouble::Damaged)
            .then(|| local::unwritable(trouble, &store))
    }

    /// A command to copy that works on the same service as this one: a constant, or words that are quoted.
    pub(crate) fn command(&self, arguments: impl shell::Arguments) -> String {
        let flags = [("--profile", &self.flags.profile), ("--base-url", &self.flags.base_url)];
        let mut given: Vec<(&str, &str)> =
            flags.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect();
        let arguments = arguments.typed();
        if let Some(database) = self.database.get().filter(|_| takes_database(&arguments.line)) {
            given.push((DATABASE, database));
        }
        shell::command(arguments, &given)
    }

    /// Sets the store, as --database named it, that commands to copy work on from now on. An address with a password is refused
    /// elsewhere, and never shown.
    pub(crate) fn works_on(&self, database: &str) {
        let is_secret = PostgresAddress::is_meant_by(database)
            && PostgresAddress::parse(database).map_or(true, |address| address.has_password());
        if !is_secret {
            // A command names one store.
            let _ = self.database.set(database.to_owned());
        }
    }

    /// The error with commands that work on the store of [`Self::works_on`]: most are constants.
    pub(crate) fn on_same_store(&self, error: Error) -> Error {
        let Some(database) = self.database.get() else { return error };
        let named = format!("{DATABASE} {}", shell::quoted(database));
        error.changing_commands(|command| match command.strip_prefix("ordersync ") {
            Some(_) if command == DOCTOR => format!("{STORE_CHECK} {named}"),
            Some(line) if takes_database(line) => match command.split_once(" > ") {
                Some((command, file)) => format!("{command} {named} > {file}"),
                None => format!("{command} {named}"),
            },
            _ => command.replace(PLACEHOLDER, &named),
        })
    }

    /// Remembers what to say if the command is interrupted from now on: what is kept, and what resumes it. No lines:
    /// nothing.
    pub(crate) fn if_broken_off(&self, advice: impl Into<Advice>) {
        let advice = Some(advice.into()).filter(|advice| !advice.is_empty());
        self.if_broken_off_then(move || advice.clone());
    }

    /// What to say if the command is interrupted, found out then.
    pub(crate) fn if_broken_off_then(&self, advice: impl Fn() -> Option<Advice> + Send + Sync + 'static) {
        *self.if_broken_off.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(advice));
    }

    /// What to say if the command is interrupted.
    pub(crate) fn broken_off_hint(&self) -> Option<Advice> {
        self.if_broken_off.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|advice| advice())
    }

    /// Keeps for completions what the command fetched anyway.
    pub(crate) fn remember(&self, change: impl FnOnce(&mut KnownNames)) {
        Cache::of(&self.settings).change(change);
    }

    /// Ends what must not be cut off: a sign-in that is being renewed, and the service inside the command, whose syncs are
    /// resumed by the next command.
    pub(crate) async fn close(&self) {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(session) = session {
            session.settled().await;
        }
        let running = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(service) = running {
            service.finish_removals().await;
            service.stop().await;
        }
    }
}
