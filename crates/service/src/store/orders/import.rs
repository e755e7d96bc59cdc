//! Orders that come from files: stored like those of a sync, but without one.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use ordersync_api::connection::IMPORT_ONLY;
use ordersync_api::{ConnectionStatus, Contradiction, Extra, Id, ImportResult, KeptBackOrder, OrderLeftOut};

use crate::domain::order::RetailerOrder;
use crate::ids::new_id;
use crate::store::accounts::connections;
use crate::store::accounts::connections::Made;
use crate::store::accounts::idempotency::{Answer, IdempotencyKey};
use crate::store::accounts::users::Caller;
use crate::store::db::dialect::sql;
use crate::store::db::json::texts;
use crate::store::db::{query, query_as, query_scalar};
use crate::store::orders::elsewhere::elsewhere;
use crate::store::orders::ingest::store_orders;
use crate::store::orders::kept_back::{self, KeptBack};
use crate::store::orders::owner::Destination;
use crate::store::syncs::start::running;
use crate::store::{Store, StoreError, Write, count, micros};

/// How many numbers are tried for a retailer that no catalog has.
const NUMBERS: i64 = 16;

/// Some orders of a file.
#[derive(Debug)]
pub(crate) struct Import<'a> {
    /// Whose they are. None: each is looked for among all of the user's orders.
    pub retailer: Option<ImportRetailer<'a>>,
    /// Whether nothing is stored.
    pub dry_run: bool,
    /// Whether further orders of the retailer follow, if that is said.
    pub more_follow: Option<bool>,
    /// With whether the order only adds to a stored one.
    pub orders: Vec<(RetailerOrder, bool)>,
    /// Orders that the file names, but that cannot be read from it.
    pub left_out: &'a [OrderLeftOut],
}

/// A retailer whose orders come from a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImportRetailer<'a> {
    pub name: &'a str,
    /// Its number in the catalog, or the first that may be its own.
    pub retailer_id: i64,
    /// The id of its connection, if it is made now.
    pub new_id: &'a str,
}

/// The outcome of an import.
#[derive(Debug)]
pub(crate) enum ImportOutcome {
    /// It is stored, or would be; this is the answer.
    Done(Answer),
    /// A sync of the connection runs.
    InProgress(Id),
    /// The user does not share the connection with the client.
    NotShared,
    /// This request was answered meanwhile: ask again what the answer was.
    AnsweredMeanwhile,
}

/// A connection that gets orders.
#[derive(Debug, Clone)]
struct Target {
    id: String,
    number: i64,
    retailer_id: i64,
    name: String,
    is_shared: bool,
}

impl Store {
    /// Stores orders of a file in one transaction.
    pub(crate) async fn import(
        &self,
        caller: &Caller,
        import: &Import<'_>,
        key: Option<&IdempotencyKey>,
    ) -> Result<ImportOutcome, StoreError> {
        let lines = import.orders.iter().map(|(order, _)| order.items.len()).sum();
        let _turn = self.turn_for(lines).await;
        let Some(mut once) = self.write_once(key, caller.now).await? else {
            return Ok(ImportOutcome::AnsweredMeanwhile);
        };
        let tx = &mut once.tx;
        let mut result = ImportResult::default();
        let by_target = match &import.retailer {
            Some(retailer) => {
                let target = target_of(tx, caller, *retailer).await?;
                let orders = known_or_whole(tx, caller, target.number, import, &mut result).await?;
                result.connection_id = (!import.dry_run).then(|| target.id.as_str().into());
                result.retailer_id = Some(target.retailer_id);
                vec![(target, orders)]
            }
            None => wherever_known(tx, caller, import, &mut result).await?,
        };
        let batch_id = new_id(kept_back::IMPORT)?;
        for (target, orders) in by_target {
            if !target.is_shared {
                return Ok(ImportOutcome::NotShared);
            }
            connections::lock(tx, &target.id).await?;
            if let Some(batch_id) = running(tx, &caller.user_id, &target.id).await? {
                return Ok(ImportOutcome::InProgress(batch_id));
            }
            store(tx, caller, &batch_id, &target, (&orders, import), &mut result).await?;
        }
        let body = serde_json::to_vec(&result).map_err(|_| StoreError::Corrupt("answer"))?;
        let answer = Answer { status: 200, body };
        if !import.dry_run {
            once.commit(&answer).await?;
            if result.items_new > 0 {
                self.look_at_what_grows().await;
            }
        }
        Ok(ImportOutcome::Done(answer))
    }
}

async fn store(
    tx: &mut Write,
    caller: &Caller,
    batch_id: &str,
    target: &Target,
    (orders, import): (&[&RetailerOrder], &Import<'_>),
    result: &mut ImportResult,
) -> Result<(), StoreError> {
    let to = Destination {
        user_id: &caller.user_id,
        connection_id: &target.id,
        connection: target.number,
        retailer_id: target.retailer_id,
        retailer_name: &target.name,
        batch_id,
    };
    let (mut kept_back, mut contradictions) = (Vec::new(), Vec::<Contradiction>::new());
    let stored = store_orders(tx, to, caller.now, orders, &mut kept_back, &mut contradictions).await?;
    kept_back::note(tx, to, &kept_back).await?;
    let missing = missing(tx, caller, target.number, import.left_out).await?;
    kept_back::note(tx, to, &missing).await?;
    result.orders_left_out.extend(missing.iter().map(|order| order.order_id.as_ref().into()));
    // Orders that only add to those of any retailer say nothing of what else a retailer has.
    let more_follow = import.retailer.and(import.more_follow);
    note_completeness(tx, to, caller.now, more_follow).await?;
    let [new, changed] = [stored.orders_new, stored.orders_changed].map(count);
    result.orders_new += new;
    result.orders_changed += changed;
    result.orders_unchanged += (orders.len() as u64).saturating_sub(new + changed + kept_back.len() as u64);
    result.items_new += count(stored.new);
    result.orders_kept_back.extend(kept_back.iter().map(|kept| KeptBackOrder {
        order_id: kept.order_id.as_ref().into(),
        reason: kept.reason().to_owned(),
        extra: Extra::new(),
    }));
    result.contradictions.append(&mut contradictions);
    result.orders_elsewhere.extend(elsewhere(tx, caller, &target.id, orders).await?);
    Ok(())
}

/// Those that were left out and that the connection does not have.
async fn missing<'a>(
    tx: &mut Write,
    caller: &Caller,
    connection: i64,
    left_out: &'a [OrderLeftOut],
) -> Result<Vec<KeptBack<'a>>, StoreError> {
    if left_out.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = left_out.iter().map(|order| order.order_id.as_str()).collect();
    let known = known(tx, caller, connection, &ids).await?;
    let missing = left_out.iter().filter(|order| !known.contains(order.order_id.as_str()));
    Ok(missing.map(|order| KeptBack::new(order.order_id.as_str(), order.reason.as_str())).collect())
}

/// A connection is not complete as long as an order of a file is kept back, or `more_follow`; none: that stays as it is.
async fn note_completeness(
    tx: &mut Write,
    to: Destination<'_>,
    now: DateTime<Utc>,
    more_follow: Option<bool>,
) -> Result<(), StoreError> {
    query(
        "UPDATE connections SET import_unfinished = COALESCE($1, import_unfinished), incomplete_since = CASE
            WHEN COALESCE($1, import_unfinished) <> 0
                OR EXISTS (SELECT 1 FROM kept_back_orders k WHERE k.user_id = connections.user_id AND k.connection_id = connections.id)
                THEN COALESCE(incomplete_since, $2)
            WHEN failed_at IS NULL AND end_not_proven = 0 AND status <> $3 THEN NULL ELSE incomplete_since END
         WHERE id = $4",
    )
    .bind_all((more_follow.map(i64::from), micros(now), ConnectionStatus::Invalid.as_str(), to.connection_id))
    .run(&mut *tx)
    .await
}

/// The user's connection to a retailer, which is made if there is none.
async fn target_of(tx: &mut Write, caller: &Caller, retailer: ImportRetailer<'_>) -> Result<Target, StoreError> {
    let name = retailer.name.to_lowercase();
    let targets = targets(tx, caller).await?;
    let has_name = |target: &&Target| target.name.to_lowercase() == name;
    if let Some(known) = targets.iter().find(has_name) {
        return Ok(known.clone());
    }
    let number = connections::take_number(tx, caller).await?;
    for retailer_id in retailer.retailer_id..retailer.retailer_id + NUMBERS {
        let made = Made {
            id: retailer.new_id,
            retailer_id,
            display_name: retailer.name,
            status: ConnectionStatus::Valid,
            status_reason: Some(IMPORT_ONLY),
            credentials: &[],
            history_end: None,
        };
        if connections::make(tx, caller, number, made).await? {
            connections::share(tx, &caller.user_id, retailer.new_id, &caller.client_id, caller.now).await?;
            let (id, name) = (retailer.new_id.to_owned(), retailer.name.to_owned());
            return Ok(Target { id, number, retailer_id, name, is_shared: true });
        }
    }
    Err(StoreError::Corrupt("connection"))
}

/// The user's connections, oldest first.
async fn targets(tx: &mut Write, caller: &Caller) -> Result<Vec<Target>, StoreError> {
    let rows: Vec<(String, i64, i64, String, bool)> = query_as(
        "SELECT c.id, c.number, c.retailer_id, c.display_name, s.client_id IS NOT NULL FROM connections c
         LEFT JOIN connection_shares s ON s.user_id = c.user_id AND s.connection_id = c.id AND s.client_id = $1
         WHERE c.user_id = $2 ORDER BY c.created_at, c.id",
    )
    .bind_all((&caller.client_id, &caller.user_id))
    .fetch_all(&mut *tx)
    .await?;
    let target = |(id, number, retailer_id, name, is_shared)| Target { id, number, retailer_id, name, is_shared };
    Ok(rows.into_iter().map(target).collect())
}

/// Which of these orders a connection has.
async fn known(
    tx: &mut Write,
    caller: &Caller,
    connection: i64,
    order_ids: &[&str],
) -> Result<HashSet<String>, StoreError> {
    let known: Vec<String> = query_scalar(sql!("SELECT order_id FROM ", [listed "orders"], "TRUE"))
        .bind_all((&caller.user_id, connection, texts(order_ids)?))
        .fetch_all(&mut *tx)
        .await?;
    Ok(known.into_iter().collect())
}

/// The orders that a connection takes: those that only add to an order, only if it has that order.
async fn known_or_whole<'a>(
    tx: &mut Write,
    caller: &Caller,
    connection: i64,
    import: &'a Import<'_>,
    result: &mut ImportResult,
) -> Result<Vec<&'a RetailerOrder>, StoreError> {
    let adding: Vec<&str> =
        import.orders.iter().filter(|(_, only_adds)| *only_adds).map(|(order, _)| order.order_id.as_str()).collect();
    let known = if adding.is_empty() { HashSet::new() } else { known(tx, caller, connection, &adding).await? };
    let mut taken = Vec::with_capacity(import.orders.len());
    for (order, only_adds) in &import.orders {
        if *only_adds && !known.contains(&order.order_id) {
            result.orders_unknown.push(order.order_id.clone());
        } else {
            taken.push(order);
        }
    }
    Ok(taken)
}

/// The orders by the connection that has them. One that none has, or more than one, is not known.
async fn wherever_known<'a>(
    tx: &mut Write,
    caller: &Caller,
    import: &'a Import<'_>,
    result: &mut ImportResult,
) -> Result<Vec<(Target, Vec<&'a RetailerOrder>)>, StoreError> {
    let ids: Vec<&str> = import.orders.iter().map(|(order, _)| order.order_id.as_str()).collect();
    let targets: Vec<Target> = targets(tx, caller).await?.into_iter().filter(|target| target.is_shared).collect();
    let mut places = HashMap::<String, Vec<usize>>::new();
    for (place, target) in targets.iter().enumerate() {
        for order_id in known(tx, caller, target.number, &ids).await? {
            places.entry(order_id).or_default().push(place);
        }
    }
    let mut by_target = BTreeMap::<usize, Vec<&RetailerOrder>>::new();
    for (order, _) in &import.orders {
        match places.get(&order.order_id).map(Vec::as_slice) {
            Some([place]) => by_target.entry(*place).or_default().push(order),
            _ => result.orders_unknown.push(order.order_id.clone()),
        }
    }
    Ok(by_target.into_iter().filter_map(|(place, orders)| Some((targets.get(place)?.clone(), orders))).collect())
}
