//! `ordersync admin audit`.

use ordersync_service::admin::{AuditFilter, Audited};

use super::{Access, with_store};
use crate::cli::admin::audit::AuditArgs;
use crate::commands::orders::period;
use crate::context::Context;
use crate::errors::{Hint, Result};
use crate::output::human::full_time;
use crate::output::table::{Column, Table};

pub(super) async fn run(context: &Context, arguments: AuditArgs) -> Result<()> {
    let AuditArgs { store, since, user, limit, before } = arguments;
    let since = since.as_deref().map(|text| period::beginning("--since", text)).transpose()?;
    // One more than asked for tells whether there are older ones.
    let filter = AuditFilter { since, user: user.as_deref(), before: before.as_deref(), limit: limit + 1 };
    let mut rows =
        with_store(context, store.database.as_deref(), Access::Read, async |admin| Ok(admin.audited(filter).await?))
            .await?;
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    show(context, &rows)?;
    if let Some(last) = rows.last().filter(|_| has_more) {
        let more = format!("add --before {}", last.audit_id);
        context.output.note(Hint::say(format!("There are older entries. To see them, {more}.")));
    }
    Ok(())
}

fn show(context: &Context, rows: &[Audited]) -> Result<()> {
    if context.output.shown(&rows)? {
        return Ok(());
    }
    if rows.is_empty() {
        context.output.note("The audit log has no entry that matches.");
        return Ok(());
    }
    let mut table = Table::new(&[
        Column::whole("TIME"),
        Column::text("WHO").at_least(10),
        Column::whole("WHAT"),
        Column::state("OUTCOME"),
        Column::whole("USER"),
        Column::whole("TARGET").optional(0),
    ]);
    for row in rows {
        table.row([
            full_time(row.at),
            [Some(row.actor_kind.as_str()), row.actor.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" "),
            row.action.clone(),
            row.outcome.clone(),
            row.user_id.clone().unwrap_or_default(),
            row.target.clone().unwrap_or_default(),
        ]);
    }
    context.output.table(&table)
}
