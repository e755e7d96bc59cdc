//! What a page changes: planned for all its orders first, then written.

use std::borrow::Cow;
use std::collections::HashSet;

use chrono::{DateTime, Utc};
use ordersync_api::OrderItem;

use crate::connector::{LineItem, RetailerOrder};
use crate::domain::line::{Comparison, Content, IdentifiedLine, other_id};
use crate::domain::matching::{Candidate, pair};
use crate::domain::rendered::Rendered;
use crate::store::db::query;
use crate::store::orders::adjustments::of_line;
use crate::store::orders::counts::Counts;
use crate::store::orders::ingest::known::{Adjusted, StoredLine, StoredOrder};
use crate::store::orders::ingest::write::{LineWriter, Rewrite, insert, rewrite};
use crate::store::orders::lines::{Keys, NewLine, candidate_of, first_item};
use crate::store::orders::owner::{Destination, Owner};
use crate::store::orders::positions::sort_key;
use crate::store::{StoreError, Write, stored};

/// Whether an order can be stored.
pub(super) enum Outcome {
    /// Under this number.
    Taken(i64),
    /// There are no numbers left for its lines.
    NoRoom,
}

/// All that a page changes.
pub(super) struct Changes<'a> {
    writer: LineWriter<'a>,
    fresh: Vec<NewLine>,
    /// What the new lines are made from.
    sources: Vec<(&'a RetailerOrder, Cow<'a, LineItem>, u32)>,
    rewritten: Vec<Rewrite<'a>>,
    /// Lines whose keys alone changed.
    rekeyed: Vec<(i64, Keys)>,
    gone: Vec<Gone>,
    /// How many lines have another name than the one that is stored.
    renamed: usize,
    /// How many stored orders are served in another way.
    changed_orders: usize,
}

/// A line as it is stored, and how the adjustments of its order compare with what is stored of them.
struct Before<'a> {
    line: &'a StoredLine,
    document: &'a OrderItem,
    adjusted: Adjusted,
}

/// A stored line that the order no longer has.
struct Gone {
    item: i64,
    id: String,
    was_at: i64,
}

impl<'a> Changes<'a> {
    pub(super) fn new(to: Destination<'a>, now: DateTime<Utc>) -> Self {
        Self {
            writer: LineWriter::new(to, now),
            fresh: Vec::new(),
            sources: Vec::new(),
            rewritten: Vec::new(),
            rekeyed: Vec::new(),
            gone: Vec::new(),
            renamed: 0,
            changed_orders: 0,
        }
    }

    /// How many lines are stored for the first time.
    pub(super) fn new_lines(&self) -> i64 {
        stored(self.fresh.len())
    }

    /// How many orders that are stored already are different now.
    pub(super) fn changed_orders(&self) -> i64 {
        stored(self.changed_orders)
    }

    /// How many stored lines get another name.
    pub(super) fn renamed_lines(&self) -> i64 {
        stored(self.renamed)
    }

    /// An order that is stored for the first time. With `is_former`, its lines need ids of their own: an order that had this
    /// number may have theirs.
    pub(super) fn add(
        &mut self,
        order: &'a RetailerOrder,
        lines: &[IdentifiedLine<'a>],
        number: i64,
        is_former: bool,
    ) -> Outcome {
        for (item, line) in (first_item(number)..).zip(lines) {
            self.add_line(order, line, item, is_former);
        }
        Outcome::Taken(number)
    }

    fn add_line(&mut self, order: &'a RetailerOrder, line: &IdentifiedLine<'a>, item: i64, needs_other_id: bool) {
        let id = if needs_other_id { other_id(&line.id, item) } else { line.id.clone() };
        let keys = Keys::new(&line.id, &id, order, line.item);
        self.sources.push((order, Cow::Borrowed(line.item), line.number));
        self.fresh.push(NewLine {
            item,
            id,
            keys,
            sort_key: sort_key(order.placed_at),
            content: line.content.bytes().to_vec(),
        });
    }

    /// An order that is stored already.
    pub(super) fn compare(
        &mut self,
        order: &'a RetailerOrder,
        lines: &[IdentifiedLine<'a>],
        stored: &StoredOrder,
    ) -> Result<Outcome, StoreError> {
        // Their documents are read if anything has changed.
        let documents: Option<Vec<&OrderItem>> =
            stored.lines.iter().map(|line| line.document.as_deref()).collect::<Option<_>>();
        let Some(documents) = documents.filter(|documents| !documents.is_empty() || !lines.is_empty()) else {
            return Ok(Outcome::Taken(stored.number));
        };
        let read: Vec<_> = lines.iter().map(|line| Candidate::read(&line.id, line.item)).collect();
        let before: Vec<_> = stored.lines.iter().zip(&documents).map(|(line, item)| candidate(line, item)).collect();
        let pairs = pair(&before, &read);
        let adjusted = stored.adjustments_as_read(order)?;
        let mut next_item = stored.next_item();
        let added = pairs.iter().filter(|pair| pair.is_none()).count();
        if next_item.saturating_add(crate::store::stored(added)) > first_item(stored.number + 1) {
            return Ok(Outcome::NoRoom);
        }
        let lines_before = self.changed_lines();
        let taken: HashSet<&str> = stored.lines.iter().map(|line| line.id.as_str()).collect();
        let mut kept = HashSet::with_capacity(pairs.len());
        for (line, pair) in lines.iter().zip(pairs) {
            if let Some(index) = pair {
                kept.insert(index);
                let before = Before { line: &stored.lines[index], document: documents[index], adjusted };
                self.keep(order, line, before, stored.is_missing)?;
            } else {
                self.add_line(order, line, next_item, taken.contains(line.id.as_str()));
                next_item += 1;
            }
        }
        let gone = stored.lines.iter().enumerate().filter(|(index, _)| !kept.contains(index));
        self.gone.extend(gone.map(|(_, line)| Gone { item: line.item, id: line.id.clone(), was_at: line.sort_key }));
        let is_changed = self.changed_lines() > lines_before || adjusted == Adjusted::First;
        self.changed_orders += usize::from(is_changed);
        Ok(Outcome::Taken(stored.number))
    }

    /// A line that is stored already, and how it was read now.
    fn keep(
        &mut self,
        order: &'a RetailerOrder,
        line: &IdentifiedLine<'a>,
        Before { line: stored, document, adjusted }: Before<'_>,
        was_missing: bool,
    ) -> Result<(), StoreError> {
        let item = with_stored(line.item, document, stored.key == line.id);
        let content = match &item {
            Cow::Borrowed(_) => line.content,
            Cow::Owned(item) => Content::of(self.writer.retailer_name(), order, item, line.number),
        };
        let keys = Keys::new(&line.id, &stored.id, order, &item);
        let adjustments = stored.adjustments_as_read(order, line.item)?;
        let is_adjusted = adjusted == Adjusted::Changed || adjustments != stored.adjustments;
        let is_filled = match content.compare(&stored.content) {
            Comparison::Same if !was_missing && !is_adjusted => {
                if stored.key != line.id || stored.line_id != keys.line_id {
                    self.rekeyed.push((stored.item, keys));
                }
                return Ok(());
            }
            // A line that only moved within its order is the same purchase.
            Comparison::PlaceDiffers => {
                document.mismatch == order.mismatch
                    && (document.line_total.is_none() || document.line_total == item.line_total)
            }
            Comparison::Same => adjusted == Adjusted::First,
            Comparison::Different => false,
        };
        // A name that was not known before is no change at the retailer.
        if document.item_name.is_some() && item.title.is_some() && document.item_name != item.title {
            self.renamed += 1;
        }
        let is_filled = is_filled && (!is_adjusted || adjusted == Adjusted::First);
        self.rewritten.push(Rewrite {
            item: stored.item,
            id: stored.id.clone(),
            was_at: stored.sort_key,
            keys,
            order,
            line: item,
            number: line.number,
            content,
            adjustments,
            updated_at: if is_filled && !was_missing { document.updated_at.clone() } else { None },
        });
        Ok(())
    }

    /// How many lines are new, gone, or written again.
    fn changed_lines(&self) -> usize {
        self.fresh.len() + self.rewritten.len() + self.gone.len()
    }

    /// Writes all of it. Returns whether anything changed that is served.
    pub(super) async fn apply(mut self, tx: &mut Write, owner: Owner<'_>) -> Result<bool, StoreError> {
        let is_changed = self.changed_lines() > 0 || self.changed_orders > 0;
        let uneven = self.counts(owner).apply(tx).await?;
        for line in &self.rewritten {
            rewrite(tx, owner, &mut self.writer, line).await?;
        }
        for (item, keys) in &self.rekeyed {
            query("UPDATE line_items SET line_key = $1, line_id = $2 WHERE user_id = $3 AND connection = $4 AND item = $5")
                .bind_all((keys.line_key.as_ref(), keys.line_id.as_ref()))
                .bind_owner(owner)
                .bind(*item)
                .execute(&mut *tx)
                .await?;
        }
        for line in &self.gone {
            query("DELETE FROM line_items WHERE user_id = $1 AND connection = $2 AND item = $3")
                .bind_owner(owner)
                .bind(line.item)
                .execute(&mut *tx)
                .await?;
        }
        let mut sources = self.sources.iter();
        let write = |line: &NewLine| {
            let (order, item, number) = sources.next().ok_or(StoreError::Corrupt("line item"))?;
            let rendered = self.writer.write(&line.id, order, (item, *number), None)?;
            Ok(Rendered { adjustments: of_line(item)?, ..rendered })
        };
        insert(tx, owner, self.fresh, write).await?;
        uneven.even_out(tx).await?;
        Ok(is_changed)
    }

    fn counts<'o>(&self, owner: Owner<'o>) -> Counts<'o, '_> {
        let mut counts = Counts::of_added(owner, &self.fresh);
        for line in &self.rewritten {
            counts.shift(&line.id, line.was_at, sort_key(line.order.placed_at));
        }
        for line in &self.gone {
            counts.remove(line.was_at, &line.id);
        }
        counts
    }
}

fn candidate<'a>(line: &'a StoredLine, item: &'a OrderItem) -> Candidate<'a> {
    candidate_of(&line.key, item)
}

/// The line, with what is stored of what could not be read this time. `is_same`: both have the same id.
fn with_stored<'a>(line: &'a LineItem, stored: &OrderItem, is_same: bool) -> Cow<'a, LineItem> {
    if !line.secondary_unknown && !line.status_unknown {
        return Cow::Borrowed(line);
    }
    let mut line = line.clone();
    let keep = |read: &mut Option<String>, stored: &Option<String>| {
        if read.is_none() {
            read.clone_from(stored);
        }
    };
    if line.secondary_unknown {
        if is_same && line.line_id.is_some() {
            line.title = stored.item_name.clone().or(line.title);
        }
        keep(&mut line.sku, &stored.retailer_sku);
        keep(&mut line.department, &stored.department);
        keep(&mut line.category, &stored.category);
        keep(&mut line.sub_category, &stored.sub_category);
    }
    if line.status_unknown {
        line.shipment_status = line.shipment_status.or_else(|| stored.shipment_status.clone());
        keep(&mut line.shipment_text, &stored.shipment_text);
    }
    Cow::Owned(line)
}
