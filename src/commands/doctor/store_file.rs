//! One store in a file, looked through without changing anything.

use std::path::Path;
use std::time::Duration;

use ordersync_service::{Contents, inspect};
use serde_json::json;

use super::Check;
use crate::config::folders::Folders;
use crate::errors::{Exit, Hint};
use crate::files::access;
use crate::local;
use crate::output::human::size;

/// The most that looking through a store may take; a large one is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// The check of the store of the service inside the command.
pub(super) const OWN: &str = "store";

/// What the check of this name finds in the file, and what the store holds if it can be read.
pub(super) async fn examined(name: &'static str, path: &Path, folders: &Folders) -> (Check, Option<Contents>) {
    let shown = path.display();
    let bytes = std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    let size = size(bytes);
    let details = json!({ "path": path, "bytes": bytes });
    // The service inside the command writes into its own; nothing is changed by opening it for that.
    let is_own = name == OWN;
    if let Err(why) = std::fs::File::options().read(true).append(is_own).open(path) {
        let what = if is_own { "read and written" } else { "read" };
        let check = Check::failed(name, Exit::Failed, format!("{shown} cannot be {what}: {why}"))
            .hint(access::make_it_yours(path));
        return (check.details(details), None);
    }
    let text = "Start with a fresh one (retailers have to be connected again)";
    let fresh = Hint::run(text, format!("mv {shown} {shown}.broken"));
    let health = tokio::time::timeout(PATIENCE, Box::pin(inspect(path))).await;
    let contents = health.as_ref().ok().and_then(|health| health.as_ref().ok()?.contents.clone());
    let check = match health {
        Err(_) => {
            Check::warning(name, format!("{shown}, {size}: too large to look through within {} s", PATIENCE.as_secs()))
        }
        Ok(Err(why)) if why.to_string().contains("locked") => {
            Check::failed(name, Exit::Failed, format!("{shown}, {size}: another process holds it locked"))
                .hint(Hint::run("See which one, and end it", format!("fuser -v {shown}")))
        }
        Ok(Err(why)) => Check::failed(name, Exit::Failed, format!("{shown}, {size}: it is damaged: {why}")).hint(fresh),
        Ok(Ok(health)) if !health.problems.is_empty() => {
            let problems = health.problems.join("; ");
            Check::failed(name, Exit::Failed, format!("{shown}, {size}: it is damaged: {problems}")).hint(fresh)
        }
        Ok(Ok(health)) if health.is_newer => {
            Check::failed(name, Exit::Failed, format!("{shown}, {size}: a newer version of ordersync wrote it"))
                .hint(Hint::run("Use that version", "ordersync --version"))
        }
        Ok(Ok(health))
            if is_own && !health.root_keys.is_empty() && !local::own_key_is_among(folders, &health.root_keys) =>
        {
            Check::failed(name, Exit::Failed, format!("{shown}, {size}, sound, but its key (service.key) is missing"))
                .hint(local::without_key(folders))
        }
        Ok(Ok(health)) if health.pending > 0 => Check::ok(
            name,
            format!(
                "{shown}, {size}, sound; the next start of its service brings it up to date ({} steps)",
                health.pending
            ),
        ),
        Ok(Ok(_)) => Check::ok(name, format!("{shown}, {size}, sound and up to date")),
    };
    (check.details(details), contents)
}
