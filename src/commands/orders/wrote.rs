//! What an export says at its end.

use std::path::Path;

use super::{filter, undated};
use crate::cli::orders::{ExportArgs, FilterArgs};
use crate::client::{Client, Incomplete, OrderFilter};
use crate::commands::shared::broken_shops;
use crate::commands::shared::completeness::{self, Report};
use crate::context::Context;
use crate::errors::Result;
use crate::export::format::FileFormat;
use crate::export::since_last::{Difference, List};
use crate::export::split;
use crate::output::Mark;
use crate::output::human::items;

/// What was read, and let through to the sink.
pub(super) struct ReadItems {
    pub(super) count: u64,
    pub(super) list: List,
    /// What the service said of the connections behind the list.
    pub(super) incomplete: Incomplete,
    /// The version of the list when the export began, if the service reports one.
    pub(super) version: Option<String>,
    /// What it was asked for; none: an earlier command had read everything.
    pub(super) filter: Option<OrderFilter>,
}

/// What was exported.
pub(super) struct Wrote {
    pub(super) files: usize,
    pub(super) read: ReadItems,
}

impl Wrote {
    pub(super) const fn one(read: ReadItems) -> Self {
        Self { files: 1, read }
    }

    /// Reports retailers with missing orders, one line each, and those with mismatches.
    pub(super) async fn report(&self, context: &Context, arguments: &FilterArgs) -> Report {
        let incomplete = self.read.incomplete;
        if incomplete.reports_nothing() && broken_shops::all(context).is_empty() {
            return Report::default();
        }
        match self.asked(context, arguments).await {
            Ok((client, filter)) => completeness::report(context, client, filter.retailer_id, incomplete).await,
            Err(why) => completeness::unreadable(context, &why),
        }
    }

    /// Says how many items are left out because they have no date. (If an earlier command had read everything, it was
    /// asked for the same period.)
    pub(super) async fn undated(&self, context: &Context, arguments: &ExportArgs) -> Option<String> {
        let FilterArgs { since, until, .. } = &arguments.filter;
        since.as_ref().or(until.as_ref()).filter(|_| !arguments.listing.ignore_count)?;
        match self.asked(context, &arguments.filter).await {
            Ok((client, filter)) => undated::left_out(client, filter.retailer_id).await,
            Err(why) => Some(undated::unknown(&why)),
        }
    }

    async fn asked<'a>(&self, context: &'a Context, arguments: &FilterArgs) -> Result<(&'a Client, OrderFilter)> {
        let client = context.client().await?;
        let filter = match self.read.filter {
            Some(known) => known,
            None => filter(client, arguments, OrderFilter::default()).await?,
        };
        Ok((client, filter))
    }

    pub(super) fn tell(
        &self,
        context: &Context,
        path: &Path,
        form: &FileFormat,
        difference: Option<Difference>,
        report: &Report,
    ) {
        let is_same = |difference: Difference| difference.new == 0 && difference.changed == 0;
        let what = match difference {
            Some(difference) if is_same(difference) => "no item, since nothing is new or changed,".to_owned(),
            Some(Difference { new, changed, .. }) => format!("{new} new and {changed} changed items"),
            None => items(self.read.count),
        };
        let mut text = match (self.files, form.split(), difference) {
            (0, _, None) => "No line item fits, so no file was written.".to_owned(),
            (0, None, Some(_)) if path.exists() => {
                format!("Nothing is new or changed: {} is as it was.", path.display())
            }
            (0, _, Some(_)) => "Nothing is new or changed, so no file was written.".to_owned(),
            (1, Some(_), _) => format!("Wrote {what} to 1 file, {}", split::path(path, "*").display()),
            (files, Some(_), _) => format!("Wrote {what} to {files} files, {}", split::path(path, "*").display()),
            (_, None, _) => format!("Wrote {what} to {}", path.display()),
        };
        report.close(&mut text);
        match (self.files, report.gaps.is_empty()) {
            (0, _) => context.output.note(&text),
            (_, true) => context.output.marked_note(Mark::Good, &text),
            (_, false) => context.output.marked_note(Mark::Attention, &text),
        }
        match difference.map_or(0, |difference| difference.gone) {
            0 => {}
            1 => context.output.note("1 item of the last export is not listed any more."),
            gone => context.output.note(format!("{gone} items of the last export are not listed any more.")),
        }
    }
}
