//! `ordersync serve`.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use ordersync_service::config::{Config, SandboxConfig};
use ordersync_service::telemetry::{self, LogFormat};
use secrecy::SecretString;

use crate::cli::serve::{LogForm, ServeArgs};
use crate::context::Context;
use crate::env;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::{local, secret_file};

/// Runs the service until a signal ends it.
///
/// # Errors
/// Where it does not start.
pub async fn run(context: &Context, arguments: ServeArgs) -> Result<()> {
    if !arguments.sandbox {
        return Err(Error::new(
            Exit::Usage,
            "SIGN_IN_MISSING",
            "This version serves sandboxes alone: signing in at a live service is not built yet.",
        )
        .hint("ordersync serve --sandbox"));
    }
    telemetry::init_log(match arguments.log {
        LogForm::Json => LogFormat::Json,
        LogForm::Text => LogFormat::Text,
    });
    let database = database(context, arguments.database.as_deref())?;
    let config = Config {
        secret: key(context, arguments.key_file.as_deref(), &database)?,
        database,
        retailers: arguments.retailers.map(existing).transpose()?,
        rate_limit: arguments.rate_limit.0,
        sandbox: Some(SandboxConfig { speed: arguments.speed }),
        local_token: None,
    };
    let listener = TcpListener::bind(arguments.listen).map_err(|why| {
        Error::new(Exit::Failed, "LISTEN", format!("Cannot listen on {}: {why}.", arguments.listen))
            .hint("Give another address with --listen; port 0 lets the system choose.")
    })?;
    let service = local::start_service(config, listener).await?;
    let address = service.address();
    context.output.announce(&format!("ordersync serve: listening on http://{address} (sandbox)"));
    stop_signal().await;
    service.stop().await;
    Ok(())
}

/// Returns on Ctrl-C or SIGTERM.
pub async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without a handler the system's own ends the process.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn database(context: &Context, given: Option<&str>) -> Result<PathBuf> {
    let Some(given) = given else {
        let folder = &context.settings.folders.data;
        secret_file::create_private_folder(folder)?;
        return Ok(folder.join("serve.sqlite3"));
    };
    let path = match given.split_once(':') {
        Some(("sqlite", path)) => path.strip_prefix("//").unwrap_or(path),
        Some((scheme, _)) if scheme.len() > 1 && given.contains("://") => {
            return Err(Error::usage(format!("--database: {scheme} is not a database that is known."))
                .hint("Give a path, or sqlite:PATH."));
        }
        _ => given,
    };
    let path = PathBuf::from(path);
    let Some(folder) = path.parent() else { return Err(Error::usage("--database names no file.")) };
    if !folder.as_os_str().is_empty() && !folder.is_dir() {
        return Err(Error::usage(format!("--database: there is no folder {}.", folder.display())));
    }
    Ok(path)
}

/// The root key: of the environment, of a file, or beside the database, made there where absent.
fn key(context: &Context, file: Option<&Path>, database: &Path) -> Result<SecretString> {
    match (file, context.environment.get(&env::SERVICE_KEY)) {
        (Some(path), _) => {
            let key = SecretString::from(secret_file::read(path)?.trim());
            local::checked_key(key, &path.display().to_string())
        }
        (None, Some(key)) => local::checked_key(SecretString::from(key.trim()), env::SERVICE_KEY.name),
        (None, None) => local::key(&database.with_extension("key")),
    }
}

fn existing(path: PathBuf) -> Result<PathBuf> {
    if path.is_file() {
        return Ok(path);
    }
    Err(Error::usage(format!("--retailers: there is no file {}.", path.display())))
}
