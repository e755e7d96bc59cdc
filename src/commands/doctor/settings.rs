//! Configuration: whether it can be used, where each setting comes from, whether what holds secrets is private.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Check, CheckReport};
use crate::config::sign_in::SecretSource;
use crate::config::{Settings, Target, file, listing};
use crate::context::Context;
use crate::errors::{Advice, Exit, Hint, Result, codes};

/// Says whether the settings can be used.
pub(super) fn check(context: &Context, report: &mut CheckReport) -> Result<bool> {
    let loaded = Settings::load(context.flags(), &context.environment);
    let path = context.settings.folders.config.join("config.toml");
    report.add(match &loaded {
        Ok(_) if path.exists() => Check::ok("configuration", path.display().to_string()),
        Ok(_) => Check::ok("configuration", format!("none ({} does not exist), and none is needed", path.display())),
        Err(error) => {
            let check = Check::of_error("configuration", error);
            // General advice about files or command lines does not help with this one.
            let general = [Advice::default(), codes::command::USAGE.advice(), codes::command::FILE.advice()];
            let is_general = general.contains(&check.hint);
            if is_general { check.hint(file::mend(&path)) } else { check }
        }
    })?;
    report.add(origins(context))?;
    report.add(private_files(context))?;
    Ok(loaded.is_ok())
}

/// Where each setting comes from; settings that were not set are left out.
fn origins(context: &Context) -> Check {
    let entries = match listing::all(context.flags(), &context.environment) {
        Ok(entries) => entries,
        Err(_) => return Check::skipped("settings", "the configuration has to be corrected first"),
    };
    let mut chosen: Vec<(&str, Vec<&str>)> = Vec::new();
    for entry in entries.iter().filter(|entry| !matches!(entry.origin.as_str(), "default" | "not set")) {
        match chosen.iter_mut().find(|(origin, _)| *origin == entry.origin) {
            Some((_, keys)) => keys.push(&entry.key),
            None => chosen.push((&entry.origin, vec![&entry.key])),
        }
    }
    let chosen: Vec<String> =
        chosen.into_iter().map(|(origin, keys)| format!("{} from {origin}", keys.join(", "))).collect();
    let profile = &context.settings.profile;
    let text = if chosen.is_empty() {
        format!("profile {}; every setting is the default", profile.value)
    } else {
        format!("profile {}; {}; the others are defaults", profile.value, chosen.join("; "))
    };
    Check::ok("settings", text).details(json!(entries))
}

/// The files that hold secrets, as far as they are there; `config.toml` holds none.
fn private_files(context: &Context) -> Check {
    let Settings { folders, sign_in, target, .. } = &context.settings;
    let mut files: Vec<PathBuf> = vec![
        folders.data.join("service.key"),
        folders.data.join("service.sqlite3"),
        folders.data.join("serve.key"),
        folders.data.join("serve.sqlite3"),
    ];
    if let Some(SecretSource::File(path)) = sign_in.client_secret.as_ref().map(|secret| &secret.value) {
        if !path.exists() {
            return Check::failed(
                "private-files",
                Exit::Failed,
                format!("client_secret_file names {}, which does not exist", path.display()),
            )
            .hint(Hint::command(context.command("config set client_secret_file FILE")));
        }
        files.push(path.clone());
    }
    if let Target::Remote(remote) = target {
        files.push(context.sign_in_store(remote).file().to_owned());
    }
    files.retain(|file| file.exists());
    let open: Vec<String> =
        files.iter().filter(|file| is_open_to_others(file)).map(|file| file.display().to_string()).collect();
    if !open.is_empty() {
        return Check::failed("private-files", Exit::Failed, format!("others can read {}", open.join(", ")))
            .hint(Hint::command(format!("chmod 600 {}", open.join(" "))));
    }
    match files.len() {
        0 => Check::ok("private-files", "nothing that holds secrets is kept in files"),
        1 => Check::ok("private-files", "1 file, which only you can read"),
        count => Check::ok("private-files", format!("{count} files, which only you can read")),
    }
}

fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o077 != 0)
}
