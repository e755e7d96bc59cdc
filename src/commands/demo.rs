//! `ordersync demo`: the whole main job on simulated retailers. Each step is a command, shown as it would be typed and
//! carried out as if it had been.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::cli::Cli;
use crate::cli::demo::DemoArgs;
use crate::client::OrderFilter;
use crate::config::folders::Folders;
use crate::config::sign_in::SignIn;
use crate::config::value::{Origin, Value};
use crate::config::{Local, Settings, Target};
use crate::context::Context;
use crate::errors::{Error, Hint, Result};
use crate::export::csv::CsvSink;
use crate::export::{self, target};
use crate::files::private;
use crate::shell;

/// How many times faster than life the retailers answer: slow enough to watch, and all of it in a few seconds.
const SPEED: f64 = 1.0;
const CREDENTIALS: &str = r#"{"username":"user_mfa_choose","password":"pass_good"}"#;

/// Shows the main job.
pub(super) async fn run(context: &Context, arguments: DemoArgs) -> Result<()> {
    // A store of its own: the user's connections are not touched, and a second demo begins like the first.
    let home = home(&context.settings.folders.data)?;
    let demo = context.unattended(settings(home.path()));
    let result = steps(context, &demo, home.path(), &arguments.out).await;
    demo.close().await;
    result
}

/// A folder for the demo's data: in the user's data folder, or, if that cannot be written, in the system's folder for
/// temporary files.
fn home(data: &Path) -> Result<tempfile::TempDir> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("demo-");
    let among_data = private::create_private_folder(data).ok().and_then(|()| folder.tempdir_in(data).ok());
    match among_data {
        Some(home) => Ok(home),
        None => folder.tempdir().map_err(|why| Error::file("make a folder in", &std::env::temp_dir(), &why)),
    }
}

async fn steps(context: &Context, demo: &Context, home: &Path, out: &Path) -> Result<()> {
    let file = home.join("credentials.json");
    write_private(&file)?;
    let file = file.display().to_string();
    let credentials = ["--credentials-file", file.as_str()];
    let tell = |text: &str| context.output.note(text);
    let paragraph = |text: &str| {
        tell("");
        tell(text);
    };
    tell("Ada has shopped at an online retailer for years, and wants her purchases in a table.");
    tell("The service runs inside this command, on data of its own; the retailers are simulated.");

    paragraph("Which retailers can she connect?");
    step(demo, &["retailers", "--search", "bazaar"]).await?;
    paragraph(
        "She connects one. Her password is in a file that only she can read; it is sealed before it leaves this machine.",
    );
    tell("The retailer also wants a code from a text message; a command of hers prints it.");
    let connect = [&["connect", "--retailer", "12"][..], &credentials].concat();
    step(demo, &[&connect[..], &["--mfa-option", "sms", "--mfa-command", "echo 123456"]].concat()).await?;
    paragraph("Every line item is there, with its price and where the parcel is.");
    step(demo, &["orders", "list", "--limit", "5"]).await?;
    paragraph("She exports all of them as CSV, a row per line item:");
    let wanted = out;
    let out = place(wanted, &exported(demo).await?);
    if out != wanted {
        tell(&format!("({} already exists and is kept; these go to {}.)", wanted.display(), out.display()));
    }
    let out = out.display().to_string();
    step(demo, &["orders", "export", "--out", &out]).await?;

    paragraph("The next week she changes her password at the retailer, and the connection breaks.");
    let connection = connection(demo).await?;
    step(demo, &["sandbox", "break", &connection]).await?;
    step(demo, &["connections"]).await?;
    paragraph("She repairs it with the new password; no item is fetched twice.");
    let fix = [&["fix", connection.as_str()][..], &credentials].concat();
    step(demo, &[&fix[..], &["--mfa-option", "sms", "--mfa-command", "echo 123456"]].concat()).await?;

    paragraph(&format!("That is all: the line items are in {out}. The demo's data is deleted."));
    context.output.note(Hint::run("To try it yourself", "ordersync connect"));
    tell("Simulated accounts: user_good, or user_mfa_enter with the code 123456; the password is pass_good.");
    Ok(())
}

/// The one connection of the story.
async fn connection(demo: &Context) -> Result<String> {
    let connections = demo.client().await?.connections(None).await?;
    let first = connections.into_iter().next();
    first.map(|connection| connection.connection_id.0).ok_or_else(|| Error::not_found("The connection is gone."))
}

async fn step(demo: &Context, arguments: &[&str]) -> Result<()> {
    let shown: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
    demo.output.command_line(&format!("ordersync {}", shown.join(" ")));
    let cli = Cli::read([&["ordersync"], arguments].concat())
        .map_err(|why| Error::usage(format!("A step of the demonstration is wrong: {why}")))?;
    Box::pin(super::run(demo, cli.command)).await
}

/// An argument as it would be typed; of a path in the story's own folder, the name alone.
fn quoted(argument: &str) -> String {
    match Path::new(argument).file_name().and_then(|name| name.to_str()) {
        Some("credentials.json") => "credentials.json".to_owned(),
        _ => shell::quoted(argument),
    }
}

fn settings(home: &Path) -> Settings {
    Settings {
        folders: Folders::below(home),
        sign_in: SignIn::default(),
        accessible: Value::new(false, Origin::Default),
        profile: Value::new("demo".to_owned(), Origin::Default),
        target: Target::Local(Local { speed: Value::new(SPEED, Origin::Default) }),
    }
}

fn write_private(path: &Path) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(CREDENTIALS.as_bytes()));
    written.map_err(|why| Error::file("write", path, &why))
}

/// What the export of the story holds, before anything is written.
async fn exported(demo: &Context) -> Result<Vec<u8>> {
    let sink = CsvSink::new(Vec::new(), target::write_error);
    let done = export::read(demo, demo.client().await?, &OrderFilter::default(), sink).await?;
    Ok(done.sink.into_inner())
}

/// Where the export goes: to the wanted file, or, if that exists with other content, to the first free name beside it.
/// The demonstration overwrites no file, except one that already holds the same lines in any order.
fn place(wanted: &Path, content: &[u8]) -> PathBuf {
    // The items of one order are sorted by their identifiers, which differ in each run.
    fn lines(content: &[u8]) -> Vec<&[u8]> {
        let mut lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').collect();
        lines.sort_unstable();
        lines
    }
    let is_free = |path: &Path| match std::fs::read(path) {
        Ok(there) => lines(&there) == lines(content),
        Err(why) => why.kind() == std::io::ErrorKind::NotFound,
    };
    let beside = |number: usize| {
        let mut name = wanted.file_stem().unwrap_or_default().to_owned();
        name.push("-demo");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        if let Some(extension) = wanted.extension() {
            name.push(".");
            name.push(extension);
        }
        wanted.with_file_name(name)
    };
    if target::is_stream(wanted) || is_free(wanted) {
        return wanted.to_owned();
    }
    (1..).map(beside).find(|path| is_free(path)).unwrap_or_else(|| wanted.to_owned())
}
