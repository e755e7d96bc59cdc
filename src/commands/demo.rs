//! `ordersync demo`: the whole main job on simulated retailers. Each step is a command, shown as it would be typed and
//! carried out as if it had been.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use clap::Parser as _;
use ordersync_api::order::CSV_COLUMNS;

use crate::cli::Cli;
use crate::cli::demo::DemoArgs;
use crate::config::folders::Folders;
use crate::config::sign_in::SignIn;
use crate::config::value::{Origin, Value};
use crate::config::{Local, Settings, Target};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::secret_file;

/// How many times faster than life the retailers answer: slow enough to watch, and all of it in a few seconds.
const SPEED: f64 = 1.0;
const CREDENTIALS: &str = r#"{"username":"user_mfa_choose","password":"pass_good"}"#;

/// Shows the main job.
///
/// # Errors
/// Where a step fails, or the file to export to is not one of ours.
pub(super) async fn run(context: &Context, arguments: DemoArgs) -> Result<()> {
    check_replaceable(&arguments.out)?;
    secret_file::create_private_folder(&context.settings.folders.data)?;
    // A store of its own: the user's connections are not touched, and a second demo begins like the first.
    let home = tempfile::Builder::new()
        .prefix("demo-")
        .tempdir_in(&context.settings.folders.data)
        .map_err(|why| Error::file("make a folder in", &context.settings.folders.data, &why))?;
    let demo = context.unattended(settings(home.path()));
    let result = steps(context, &demo, home.path(), &arguments.out).await;
    demo.close().await;
    result
}

async fn steps(context: &Context, demo: &Context, home: &Path, out: &Path) -> Result<()> {
    let credentials = home.join("credentials.json");
    write_private(&credentials)?;
    let credentials = credentials.display().to_string();
    let out = out.display().to_string();
    context.output.note("The service runs inside this command, over a store of its own; the retailers are simulated.");
    step(demo, &["retailers"]).await?;
    let connect = ["connect", "--retailer", "12", "--credentials-file", &credentials];
    step(demo, &[&connect[..], &["--mfa-option", "sms", "--mfa-command", "echo 123456"]].concat()).await?;
    step(demo, &["connections"]).await?;
    step(demo, &["orders", "list", "--limit", "5"]).await?;
    step(demo, &["orders", "export", "--out", &out]).await?;
    step(demo, &["sync"]).await?;
    context.output.note("");
    context.output.note(&format!("That is all. The line items are in {out}."));
    context.output.note("The same with a store that stays: ordersync connect --retailer 12");
    Ok(())
}

async fn step(demo: &Context, arguments: &[&str]) -> Result<()> {
    let shown: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
    demo.output.command_line(&format!("ordersync {}", shown.join(" ")));
    let cli = Cli::try_parse_from([&["ordersync"], arguments].concat())
        .map_err(|why| Error::usage(format!("A step of the demonstration is wrong: {why}")))?;
    Box::pin(super::run(demo, cli.command)).await
}

fn quoted(argument: &str) -> String {
    if argument.contains(' ') { format!("'{argument}'") } else { argument.to_owned() }
}

fn settings(home: &Path) -> Settings {
    Settings {
        folders: Folders { config: home.join("config"), data: home.join("data") },
        sign_in: SignIn::default(),
        accessible: Value::new(false, Origin::Default),
        profile: Value::new("demo".to_owned(), Origin::Default),
        target: Target::Local(Local { speed: Value::new(SPEED, Origin::Default) }),
    }
}

fn write_private(path: &Path) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(CREDENTIALS.as_bytes()));
    written.map_err(|why| Error::file("write", path, &why))
}

/// Lets a file be replaced only if it is an export of line items: nobody loses a file of their own to a demonstration.
fn check_replaceable(path: &Path) -> Result<()> {
    let header = CSV_COLUMNS.join(",");
    let mut beginning = vec![0; header.len()];
    match File::open(path) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(why) => Err(Error::file("read", path, &why)),
        Ok(mut file) => match file.read_exact(&mut beginning) {
            Ok(()) if beginning == header.as_bytes() => Ok(()),
            _ => Err(Error::usage(format!("{} is there already, and is no export of line items.", path.display()))
                .hint("Give another file: ordersync demo --out FILE")),
        },
    }
}
