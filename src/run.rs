//! From the arguments to the exit code: everything that holds for every command.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::ValueEnum as _;
use clap::error::ErrorKind;

use crate::cli::advised::advised;
use crate::cli::help::Topic;
use crate::cli::{self, Cli, Command};
use crate::commands;
use crate::commands::result_schema::{self, Yields};
use crate::complete::scripts::script;
use crate::complete::{self, Shell};
use crate::config::value::Origin;
use crate::config::{self, Settings, Target};
use crate::context::{self, Context, Surroundings};
use crate::errors::{Error, Exit, Result, codes, usage};
use crate::flags::{Format, GlobalArgs};
use crate::output::shape::jq;
use crate::output::{self, Output};
use crate::prompt;
use crate::signals;

/// How long after the deadline of `--timeout` a command is ended from outside. Most end themselves at the deadline, and say
/// more about it.
const OVERTIME: Duration = Duration::from_secs(2);
/// A command that has not ended after so many looks at it, so far apart, is stuck.
const LAST_CHANCES: u32 = 2;
const LAST_CHANCE: Duration = Duration::from_millis(500);
/// The longest wait after the command has ended: the service inside it, a sign-in that is being renewed.
const LAST_STEPS: Duration = Duration::from_secs(15);

/// What completion knows of the commands.
const COMPLETED: complete::Tree = complete::Tree {
    command: cli::command,
    topics: || Topic::ALL.iter().map(|topic| (topic.to_string(), topic.about().to_owned())).collect(),
    fields: |arguments| match Cli::read(arguments).map(|cli| result_schema::of(cli.command.as_ref())) {
        Ok(Yields::Records(kind)) => kind.fields,
        _ => &[],
    },
};

/// Carries out a command line.
#[must_use]
pub fn run(arguments: Vec<OsString>) -> Exit {
    if let Some(answer) = complete::answer(&arguments, COMPLETED) {
        output::answer_shell(&answer);
        return Exit::Done;
    }
    if let Some(exit) = prompt::child(&arguments).or_else(|| jq::child(&arguments)) {
        return exit;
    }
    let surroundings = Surroundings::of_process();
    if let Some(text) = at_once(&arguments) {
        let output = surroundings.output(&GlobalArgs::default());
        return output.raw(text.as_bytes()).map_or_else(
            |error| {
                output.error(&error);
                error.exit()
            },
            |()| Exit::Done,
        );
    }
    perform(&arguments, surroundings)
}

/// The version or a completion script. They are answered before the tree of commands is built: to build it takes most of the
/// time of a short command, and a shell may ask for its script each time it starts.
fn at_once(arguments: &[OsString]) -> Option<Cow<'static, str>> {
    match arguments {
        [_, only] if ["--version", "-V", "version"].iter().any(|word| only == word) => {
            Some(concat!("ordersync ", env!("CARGO_PKG_VERSION"), "\n").into())
        }
        [_, command, shell] if command == "completions" => {
            Shell::from_str(shell.to_str()?, false).ok().map(|shell| script(shell).into())
        }
        _ => None,
    }
}

fn perform(arguments: &[OsString], surroundings: Surroundings) -> Exit {
    let cli = match Cli::read(arguments) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, arguments, &surroundings),
    };
    let output = surroundings.output(&cli.global);
    if let Some(Command::Serve(arguments)) = &cli.command {
        commands::serve::begin_log(&output, arguments.log);
    }
    // Commands that tell days refuse to tell them in another zone than the one that was meant.
    if !matches!(cli.command, Some(Command::Orders(_)))
        && let Err(why) = context::machine_zone(&surroundings.environment)
    {
        output.note(format!("{why} Times are shown in UTC."));
    }
    let (flags, known) = (cli.global.clone(), surroundings.environment.clone());
    let result = shaped(&output, cli.command.as_ref()).and_then(|shaped| match shaped {
        None => Ok(()),
        Some(shaped) => carry_out(cli, surroundings, &shaped),
    });
    let exit = match result {
        Ok(()) => Exit::Done,
        Err(error) => {
            let error = advised(error, arguments, &flags, &known);
            output.error(&error);
            error.exit()
        }
    };
    output.screen().flush();
    exit
}

/// Answers what is no command line to carry out: a request for help, or a mistake.
fn refuse(refusal: &clap::Error, arguments: &[OsString], surroundings: &Surroundings) -> Exit {
    let json = asks_for_json(arguments);
    let flags = GlobalArgs { output: json.then_some(Format::Json), ..GlobalArgs::default() };
    let output = surroundings.output(&flags);
    if !refusal.use_stderr() {
        return match output::error::show_help(refusal) {
            Ok(()) => Exit::Done,
            Err(error) => {
                output.error(&error);
                error.exit()
            }
        };
    }
    if refusal.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !json {
        // On standard error, beside which there is no place to say that it is gone.
        let _ = output::error::show_help(refusal);
        return Exit::Usage;
    }
    let topics: Vec<&str> = Topic::ALL.iter().map(|topic| topic.as_str()).collect();
    output.error(&usage::error(refusal, arguments, &cli::command(), &topics));
    Exit::Usage
}

/// The output with the shape that the command's result has; none where its fields were to be listed, and are.
fn shaped(output: &Output, command: Option<&Command>) -> Result<Option<Output>> {
    let (kind, takes_jq) = match result_schema::of(command) {
        Yields::Records(kind) => (Some(kind), true),
        Yields::Document => (None, true),
        Yields::Nothing => (None, false),
    };
    let shaped = output.clone().for_kind(kind, takes_jq)?;
    Ok(if shaped.fields_listed()? { None } else { Some(shaped) })
}

fn carry_out(cli: Cli, surroundings: Surroundings, output: &Output) -> Result<()> {
    let Surroundings { environment, facts, .. } = surroundings;
    match cli.command {
        Some(Command::Completions(arguments)) => commands::completions::run(output, &arguments),
        Some(Command::Help(asked)) => asked.topic().map_or(Ok(()), |topic| commands::help::run(output, topic)),
        // These work where settings are wrong, too: they are how settings are put right.
        Some(Command::Config(arguments)) => {
            end_at_deadline(&cli.global, output);
            config::check_environment(&cli.global, &environment)?;
            commands::config::run(output, &cli.global, &environment, arguments)
        }
        Some(Command::Profiles(arguments)) => {
            end_at_deadline(&cli.global, output);
            config::check_environment(&cli.global, &environment)?;
            commands::profiles::run(output, &cli.global, &environment, arguments)
        }
        // So does this one: it says what is wrong with them, among other things.
        command @ Some(Command::Doctor(_)) => {
            let settings = commands::doctor::settings(&cli.global, &environment)?;
            in_runtime(&Context::new(cli.global, (environment, facts), settings, output.clone()), command)
        }
        command => Settings::load(&cli.global, &environment).and_then(|settings| {
            let output = if settings.accessible.value { output.clone().made_accessible() } else { output.clone() };
            let context = Context::new(cli.global, (environment, facts), settings, output);
            in_runtime(&context, command)
        }),
    }
}

/// Ends a command that runs outside the runtime at the deadline: another process may hold the lock of its file.
fn end_at_deadline(flags: &GlobalArgs, output: &Output) {
    let (Some(timeout), output) = (flags.timeout, output.clone()) else { return };
    std::thread::spawn(move || {
        std::thread::sleep(timeout);
        let error = time_up();
        output.error(&error);
        std::process::exit(error.exit().code().into());
    });
}

fn time_up() -> Error {
    Error::of(&codes::command::TIME_UP, "The time of --timeout is up.")
}

fn in_runtime(context: &Context, command: Option<Command>) -> Result<()> {
    // The one provider of TLS: installed before anything builds a client. A second installation is not possible here.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    // A command waits for one service; a service has many to work for, and takes every core.
    if !matches!(command, Some(Command::Serve(_))) {
        builder.worker_threads(2);
    }
    let runtime = builder
        .enable_all()
        .build()
        .map_err(|why| Error::of(&codes::command::SYSTEM, format!("The command cannot start: {why}.")))?;
    let has_ended = Arc::new(AtomicBool::new(false));
    if !has_own_end(context, command.as_ref()) {
        runtime.spawn(end_if_stuck(context.output.clone(), context.deadline, Arc::clone(&has_ended)));
    }
    let result = runtime.block_on(async {
        // If a file would grow beyond what the system allows, the write fails, which is reported. Without a handler,
        // the signal that comes with it would end the command before.
        let _beyond = {
            use tokio::signal::unix::{SignalKind, signal};
            signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))
        };
        let result = Box::pin(until_interrupted(context, command)).await;
        has_ended.store(true, Ordering::SeqCst);
        // Waits for a token renewal and the local service, for a limited time; a second Ctrl-C skips that.
        tokio::select! {
            _ = tokio::time::timeout(LAST_STEPS, context.close()) => {}
            () = signals::stop() => {}
        }
        result
    });
    // A thread may still wait for standard input or a file system, whose answer is no longer needed.
    runtime.shutdown_background();
    result
}

/// Whether a command has its own way to end, which is no interruption: the service.
fn has_own_end(context: &Context, command: Option<&Command>) -> bool {
    match command {
        Some(Command::Serve(_)) => true,
        Some(Command::Widget(_)) => context.is_local(),
        _ => false,
    }
}

/// Ends the process if the command cannot end itself, because its thread is in the system: it writes to a pipe whose reader
/// stopped reading.
async fn end_if_stuck(output: Output, deadline: Option<Instant>, has_ended: Arc<AtomicBool>) {
    let error = tokio::select! {
        () = signals::stop() => Error::interrupted(),
        error = overtime(deadline) => error,
    };
    let mut chances = 0;
    while chances < LAST_CHANCES {
        tokio::time::sleep(LAST_CHANCE).await;
        if has_ended.load(Ordering::SeqCst) {
            return;
        }
        // A user who reads the result in a pager is not disturbed; the pager knows Ctrl-C, too.
        chances = if output::is_paging() { 0 } else { chances + 1 };
    }
    output.error(&error);
    std::process::exit(error.exit().code().into());
}

/// Ends what does not end by itself at the deadline.
async fn overtime(deadline: Option<Instant>) -> Error {
    match deadline.and_then(|deadline| deadline.checked_add(OVERTIME)) {
        Some(end) => tokio::time::sleep_until(end.into()).await,
        None => std::future::pending().await,
    }
    time_up()
}

async fn until_interrupted(context: &Context, command: Option<Command>) -> Result<()> {
    // The service has its own way to end, which is no interruption.
    let command = match command {
        Some(Command::Serve(arguments)) => return commands::serve::run(context, arguments).await,
        Some(Command::Widget(arguments)) if context.is_local() => {
            return Box::pin(commands::widget::run(context, arguments)).await;
        }
        Some(Command::Open(arguments)) if context.is_local() => {
            return Box::pin(commands::open::run(context, &arguments)).await;
        }
        command => command,
    };
    let result = tokio::select! {
        biased;
        () = signals::stop() => Err(Error::interrupted()),
        result = commands::run(context, command) => result,
        error = overtime(context.deadline) => Err(error),
    };
    result.map_err(|error| match (error.exit(), context.broken_off_hint()) {
        (Exit::Interrupted, Some(hint)) if error.advice().is_empty() => error.hint(hint),
        (Exit::Network, _) => with_origin(context, error),
        _ => error,
    })
}

/// If nothing answers, the address is the first suspect: the error names where it came from.
fn with_origin(context: &Context, error: Error) -> Error {
    let Target::Remote(remote) = &context.settings.target else { return error };
    if ![codes::network::UNREACHABLE.code, codes::network::NAME_UNKNOWN.code].contains(&error.code()) {
        return error;
    }
    let origin = match &remote.base_url.origin {
        Origin::File(path) => format!("the profile {} in {}", context.settings.profile.value, path.display()),
        origin => origin.to_string(),
    };
    error.also(format!("The address comes from {origin}."))
}

/// Whether an error in the command line itself is to be JSON; what is wrong may be anywhere, so only the flag is looked
/// for.
fn asks_for_json(arguments: &[OsString]) -> bool {
    let texts: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    texts.iter().any(|text| matches!(*text, "-ojson" | "-ojsonl" | "-o=json" | "--output=json" | "--output=jsonl"))
        || texts.windows(2).any(|pair| matches!(pair, ["-o" | "--output", "json" | "jsonl"]))
}

#[cfg(test)]
mod tests;
