//! `ordersync doctor`. The checks change nothing, except that one creates a file to see whether it can. Each check has
//! a time limit, and a failed check stops only the checks that need it.

mod address;
mod retailers;
mod served_store;
mod settings;
mod sign_in;
mod store;
mod store_file;
mod tls;

use std::time::Duration;

use super::shared::diagnostics::{Check, CheckReport};
use crate::cli::doctor::DoctorArgs;
use crate::config::{Settings, Target};
use crate::context::Context;
use crate::env::Environment;
use crate::errors::Result;
use crate::flags::GlobalArgs;

/// The most that one step to the service may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The settings, or, if they cannot be used, what is left of them: [`run`] reports what is wrong.
pub(crate) fn settings(flags: &GlobalArgs, environment: &Environment) -> Result<Settings> {
    Settings::load(flags, environment).or_else(|_| Settings::load_despite_errors(flags, environment))
}

/// Says what is wrong, and what to do.
pub(super) async fn run(context: &Context, arguments: &DoctorArgs) -> Result<()> {
    let mut report = CheckReport::new(&context.output);
    let usable = settings::check(context, &mut report)?;
    match &context.settings.target {
        Target::Remote(remote) => {
            let reached = address::check(context, remote, &mut report).await?;
            sign_in::check(context, remote, reached, &mut report).await?;
        }
        Target::Local(_) if usable => {
            let check = if retailers::check(context, &mut report)? {
                Check::ok("service", "runs inside this command: no address, no network and no sign-in are needed")
            } else {
                Check::skipped("service", "the file of the retailers has to be corrected first")
            };
            report.add(check)?;
        }
        Target::Local(_) => {
            for check in ["service", "sign-in"] {
                report.add(Check::skipped(check, "the settings have to be corrected first"))?;
            }
        }
    }
    store::check(context, arguments.database.as_deref(), &mut report).await?;
    report.finish()
}
