//! `ordersync retailers remove`.

use ordersync_service::database::Database;

use crate::cli::retailers::RemoveArgs;
use crate::commands::shared::removed_shop::{self, Place};
use crate::config::retailers_file::FILE;
use crate::context::Context;
use crate::errors::Result;

/// Removes a shop from the retailers of the profile.
pub(super) async fn run(context: &Context, arguments: &RemoveArgs) -> Result<()> {
    super::only_local(context, "remove")?;
    let folders = &context.settings.folders;
    // A store of an earlier version is upgraded by its service.
    context.client().await?;
    let (file, store) = (folders.config.join(FILE), Database::File(folders.store()));
    let place = Place { file: &file, store: &store, command: &["retailers", "remove"], is_own: true };
    removed_shop::remove(context, &place, arguments).await?;
    Ok(())
}
