//! What a command is given: how to speak, how to ask, what it works with. The service is reached, and on the local
//! profile started, when it is first needed.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use ordersync_service::Service;
use tokio::sync::OnceCell;

use crate::cli::global::GlobalArgs;
use crate::client::Client;
use crate::client::endpoints::Endpoints;
use crate::config::{Settings, Target};
use crate::env::{self, Environment};
use crate::error::Result;
use crate::local;
use crate::output::{self, Output};
use crate::policy::{self, Facts};
use crate::prompt::Prompt;

/// What a command is given.
#[derive(Debug)]
pub struct Context {
    /// How to speak.
    pub output: Output,
    /// How to ask.
    pub prompt: Prompt,
    /// What to work with.
    pub settings: Settings,
    /// The environment.
    pub environment: Environment,
    /// When waiting ends.
    pub deadline: Option<Instant>,
    flags: GlobalArgs,
    client: OnceCell<Client>,
    service: Mutex<Option<Running>>,
    go_on: Mutex<Option<String>>,
}

struct Running(Service);

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Running")
    }
}

/// Gathers the facts of the surroundings.
#[must_use]
pub fn facts(environment: &Environment) -> Facts {
    let (stdin_terminal, stdout_terminal, stderr_terminal) = output::terminals();
    Facts {
        stdin_terminal,
        stdout_terminal,
        stderr_terminal,
        ci: environment.is_on(&env::CI),
        no_color: environment.get(&env::NO_COLOR).is_some(),
        dumb: environment.get(&env::TERM) == Some("dumb"),
    }
}

impl Context {
    /// Puts a command's surroundings together.
    #[must_use]
    pub fn new(flags: GlobalArgs, environment: Environment, settings: Settings, output: Output) -> Self {
        let no_input = flags.no_input || environment.is_on(&env::NO_INPUT);
        Self {
            prompt: Prompt::new(policy::may_prompt(facts(&environment), no_input)),
            output,
            settings,
            environment,
            // A deadline too far to be told is none.
            deadline: flags.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            flags,
            client: OnceCell::new(),
            service: Mutex::default(),
            go_on: Mutex::default(),
        }
    }

    /// The same surroundings with other settings; nobody is asked anything.
    #[must_use]
    pub fn unattended(&self, settings: Settings) -> Self {
        let flags = GlobalArgs { no_input: true, ..self.flags.clone() };
        Self::new(flags, self.environment.clone(), settings, self.output.clone())
    }

    /// The service.
    ///
    /// # Errors
    /// Where the one inside the command does not start.
    pub async fn client(&self) -> Result<&Client> {
        self.client.get_or_try_init(|| Box::pin(self.connect())).await
    }

    async fn connect(&self) -> Result<Client> {
        let output = self.output.clone();
        match &self.settings.target {
            Target::Remote(remote) => Client::new(
                remote.base_url.value.clone(),
                remote.token.as_ref().map(|token| &token.value),
                remote.endpoints.clone(),
                output,
                self.deadline,
            ),
            Target::Local(settings) => {
                let local = local::start(&self.settings.folders, settings.speed.value).await?;
                *self.service.lock().unwrap_or_else(PoisonError::into_inner) = Some(Running(local.service));
                Client::new(local.base_url, Some(&local.token), Endpoints::default(), output, self.deadline)
            }
        }
    }

    /// Whether the service runs inside the command.
    #[must_use]
    pub const fn is_local(&self) -> bool {
        matches!(self.settings.target, Target::Local(_))
    }

    /// A command to copy that works on the same service as this one.
    #[must_use]
    pub fn command(&self, command: &str) -> String {
        let flag = |name: &str, value: &Option<String>| value.as_ref().map(|value| format!(" {name} {value}"));
        let profile = flag("--profile", &self.flags.profile).unwrap_or_default();
        let base_url = flag("--base-url", &self.flags.base_url).unwrap_or_default();
        format!("ordersync {command}{profile}{base_url}")
    }

    /// Remembers what takes up the work where an interruption left it.
    pub fn set_go_on(&self, command: &str) {
        *self.go_on.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.command(command));
    }

    /// What takes up the work where an interruption left it.
    #[must_use]
    pub fn go_on(&self) -> Option<String> {
        self.go_on.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops the service inside the command; what runs in it is taken up by the next command.
    pub async fn close(&self) {
        let running = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Running(service)) = running {
            service.stop().await;
        }
    }
}
