//! Pages of orders, one sync after another, through the methods that the engine calls.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::order::Mismatch;
use ordersync_api::{Open, OrderItem, ShipmentStatus};
use rust_decimal::Decimal;
use tempfile::TempDir;

use super::{assert_counts, caller, owner, share, with_user};
use crate::clock::SettableClock;
use crate::connector::{CheckedOrder, KeptBackOrder, LineItem, Page, RetailerOrder};
use crate::store::accounts::connections::Window;
use crate::store::db::dialect::sql;
use crate::store::db::{Dialect, query, query_as, query_scalar};
use crate::store::orders::list::{ListFormat, OrderFilter};
use crate::store::syncs::lease::Held;
use crate::store::syncs::queue::{Claim, Room};
use crate::store::syncs::steps::{After, Next, Unwritten, What};
use crate::store::{Store, micros};

/// A store with a user and three connections, of which the first is synced.
pub(super) struct Shop {
    _folder: TempDir,
    pub(super) store: Store,
    syncs: i64,
}

/// What a session said in the end: found, new, marked, kept back.
pub(super) type Counted = (i64, i64, i64, i64);

impl Shop {
    pub(super) async fn new() -> Self {
        let (folder, store) = super::fresh().await;
        Self::over(store, folder).await
    }

    /// On SQLite, also if the tests run on PostgreSQL.
    async fn on_sqlite() -> Self {
        let (folder, store) = super::fresh_file().await;
        Self::over(store, folder).await
    }

    async fn over(store: Store, folder: TempDir) -> Self {
        with_user(&store).await;
        share(&store, &["c1", "c2", "c3"]).await;
        Self { _folder: folder, store, syncs: 0 }
    }

    /// When the present sync takes place.
    pub(super) fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(20_000 + self.syncs)
    }

    /// A clock that stands at that time.
    pub(super) fn clock(&self) -> SettableClock {
        SettableClock::at(self.now())
    }

    /// Begins a sync that is scanning.
    pub(super) async fn begin(&mut self) -> Claim {
        self.syncs += 1;
        let (batch, now) = (format!("batch{}", self.syncs), micros(self.now()));
        query("INSERT INTO sessions (id, user_id, client_id, created_at, updated_at) VALUES ($1, 'u', 'k', $2, $3)")
            .bind(&batch)
            .bind(now)
            .bind(now)
            .execute(&self.store.writer)
            .await
            .unwrap();
        query(
            "INSERT INTO retailer_sessions (id, batch_id, user_id, connection_id, position, sync_status, active, updated_at,
                due_at) VALUES ($1, $1, 'u', 'c1', 0, 'scanning', 1, $2, 0)",
        )
        .bind(&batch)
        .bind(now)
        .execute(&self.store.writer)
        .await
        .unwrap();
        self.claimed().await
    }

    /// Claims the sync that is due.
    pub(super) async fn claimed(&self) -> Claim {
        let mut room = Room {
            parts: 1,
            per_user: 1,
            begun_first: Duration::ZERO,
            per_retailer: &|_| 1,
            users: HashMap::new(),
            retailers: HashMap::new(),
        };
        self.store.claim("node", &self.clock(), &mut room).await.unwrap().pop().unwrap()
    }

    pub(super) async fn page(&self, claim: &Claim, page: &Page) {
        let next = Next {
            state: None,
            wait: Duration::ZERO,
            left: TimeDelta::zero(),
            worked: Duration::ZERO,
            release: false,
            by_clock: false,
        };
        let Page { orders, unchanged, kept_back } = page;
        let page = Page { orders: orders.clone(), unchanged: unchanged.clone(), kept_back: kept_back.clone() };
        let mut unwritten = Unwritten::default();
        unwritten.push((claim.status, claim.other_account), self.now(), What::Page(page));
        let after = self.store.commit_steps(claim, &self.clock(), &unwritten, next).await.unwrap();
        assert_eq!(after, After::On(Duration::ZERO));
    }

    /// Ends a sync, which has seen the whole list or not.
    pub(super) async fn end(&self, claim: &Claim, listed_all: bool) -> Counted {
        if listed_all {
            assert_eq!(self.store.mark_missing(claim, &self.clock()).await.unwrap(), Held::Yes);
        }
        assert_counts(&self.store).await;
        query_as(
            "UPDATE retailer_sessions SET active = 0 WHERE id = $1
             RETURNING items_found, items_new, items_marked, orders_kept_back",
        )
        .bind(&claim.id)
        .fetch_one(&self.store.writer)
        .await
        .unwrap()
    }

    /// A whole sync of one page that lists everything.
    pub(super) async fn sync(&mut self, orders: Vec<RetailerOrder>) -> Counted {
        let claim = self.begin().await;
        self.page(&claim, &page_of(orders)).await;
        self.end(&claim, true).await
    }

    /// All items, newest first.
    pub(super) async fn items(&self) -> Vec<OrderItem> {
        let window = Window { limit: 1_000, offset: 0 };
        let page = self.store.order_page(&caller(), &OrderFilter::default(), window, ListFormat::Json).await.unwrap();
        let items: Vec<OrderItem> = serde_json::from_slice(&[b"[", &page.text[..], b"]"].concat()).unwrap();
        assert_eq!(items.len() as u64, page.total);
        items
    }

    pub(super) async fn version(&self) -> String {
        let window = Window { limit: 1, offset: 0 };
        self.store.order_page(&caller(), &OrderFilter::default(), window, ListFormat::Json).await.unwrap().version
    }
}

pub(super) fn page_of(orders: impl IntoIterator<Item = RetailerOrder>) -> Page {
    Page { orders: orders.into_iter().map(CheckedOrder::invented).collect(), ..Page::default() }
}

fn unchanged(order_id: &str) -> Page {
    Page { unchanged: vec![order_id.into()], ..Page::default() }
}

pub(super) fn kept_back(order_ids: &[&str]) -> Vec<KeptBackOrder> {
    let kept = |id: &&str| KeptBackOrder { order_id: (*id).into(), reason: format!("The check of {id} failed.") };
    order_ids.iter().map(kept).collect()
}

pub(super) fn order(id: &str, items: Vec<LineItem>) -> RetailerOrder {
    RetailerOrder {
        order_id: id.into(),
        fingerprint: Some(format!("looks of {id}")),
        placed_at: DateTime::from_timestamp(1_700_000_000, 0),
        is_day_alone: false,
        sources: Vec::new(),
        stated_at: None,
        total: Some(Decimal::new(1_500, 2)),
        currency: Some("EUR".into()),
        mismatch: Vec::new(),
        adjustments: None,
        items,
    }
}

pub(super) fn line(title: &str, price: i64) -> LineItem {
    LineItem {
        line_id: Some(format!("{title}#1")),
        title: Some(title.into()),
        quantity: Some(Decimal::ONE),
        unit_price: Some(Decimal::new(price, 2)),
        line_total: Some(Decimal::new(price, 2)),
        ..LineItem::default()
    }
}

fn ids(items: &[OrderItem]) -> Vec<(&str, &str)> {
    let mut ids: Vec<_> =
        items.iter().map(|item| (item.item_name.as_deref().unwrap_or_default(), item.id.as_str())).collect();
    ids.sort_unstable();
    ids
}

fn updated(shop: &Shop) -> String {
    serde_json::to_value(ordersync_api::Timestamp(shop.now())).unwrap().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_line_whose_title_was_corrected_keeps_its_id_for_good() {
    let mut shop = Shop::new().await;
    shop.sync(vec![order("1", vec![line("Tea", 500), line("Salt", 1_000)])]).await;
    let before = shop.items().await;
    let tea = ids(&before)[1].1;
    let counted = shop.sync(vec![order("1", vec![line("Green tea", 500), line("Salt", 1_000)])]).await;
    assert_eq!(counted, (2, 0, 0, 0));
    let items = shop.items().await;
    assert_eq!(ids(&items), [("Green tea", tea), ("Salt", ids(&before)[0].1)]);
    // It is known by its new title from now on: another line of the old one is another line.
    shop.sync(vec![order("1", vec![line("Tea", 900), line("Salt", 1_000), line("Green tea", 550)])]).await;
    let items = shop.items().await;
    assert_eq!((ids(&items)[0], ids(&items)[1]), (("Green tea", tea), ids(&before)[0]));
    assert_ne!(ids(&items)[2].1, tea);
    // The same page again changes nothing.
    let version = shop.version().await;
    shop.sync(vec![order("1", vec![line("Tea", 900), line("Salt", 1_000), line("Green tea", 550)])]).await;
    assert_eq!((shop.items().await, shop.version().await), (items, version));
}

#[tokio::test]
async fn a_line_total_that_becomes_known_is_served_but_is_no_change() {
    let mut shop = Shop::new().await;
    let unknown = LineItem { line_total: None, ..line("Tea", 500) };
    shop.sync(vec![order("1", vec![unknown])]).await;
    let (before, version) = (shop.items().await, shop.version().await);
    shop.sync(vec![order("1", vec![line("Tea", 500)])]).await;
    let filled = shop.items().await;
    assert_eq!(filled[0].line_total, Some(Decimal::new(500, 2)));
    assert_eq!(OrderItem { line_total: None, ..filled[0].clone() }, before[0]);
    // A list that is read page by page is another one.
    assert_ne!(shop.version().await, version);
    // One that is known and changes is a change.
    shop.sync(vec![order("1", vec![LineItem { line_total: Some(Decimal::ONE), ..line("Tea", 500) }])]).await;
    assert_eq!(shop.items().await[0].updated_at.as_ref().unwrap().to_string(), updated(&shop));
}

#[tokio::test]
async fn the_number_of_a_line_is_its_place_on_the_page_and_a_move_is_no_change() {
    let mut shop = Shop::new().await;
    let numbers = |items: &[OrderItem]| {
        let mut all: Vec<_> = items.iter().map(|item| (item.line_number, item.item_name.clone().unwrap())).collect();
        all.sort_unstable();
        all.into_iter().map(|(number, name)| format!("{} {name}", number.unwrap())).collect::<Vec<_>>()
    };
    shop.sync(vec![order("1", vec![line("Tea", 500), line("Salt", 1_000)])]).await;
    let before = shop.items().await;
    assert_eq!(numbers(&before), ["1 Tea", "2 Salt"]);
    shop.sync(vec![order("1", vec![line("Oil", 900), line("Tea", 500), line("Salt", 1_000)])]).await;
    let after = shop.items().await;
    assert_eq!(numbers(&after), ["1 Oil", "2 Tea", "3 Salt"]);
    for item in after.iter().filter(|item| item.item_name.as_deref() != Some("Oil")) {
        let earlier = before.iter().find(|earlier| earlier.id == item.id).unwrap();
        assert_eq!(item.updated_at, earlier.updated_at);
    }
}

#[tokio::test]
async fn what_an_unreadable_product_page_would_show_is_kept() {
    let mut shop = Shop::new().await;
    let whole = LineItem {
        sku: Some("A-1".into()),
        department: Some("Food".into()),
        category: Some("Drinks".into()),
        sub_category: Some("Tea".into()),
        ..line("Tea", 500)
    };
    shop.sync(vec![order("1", vec![whole])]).await;
    let (before, version) = (shop.items().await, shop.version().await);
    let unknown = LineItem { secondary_unknown: true, ..line("Tea", 500) };
    shop.sync(vec![order("1", vec![unknown.clone()])]).await;
    assert_eq!((shop.items().await, shop.version().await), (before, version));
    // What was read this time is taken, and what was not is kept.
    shop.sync(vec![order("1", vec![LineItem { sku: Some("A-2".into()), ..unknown }])]).await;
    let item = &shop.items().await[0];
    assert_eq!((item.retailer_sku.as_deref(), item.category.as_deref()), (Some("A-2"), Some("Drinks")));
    // A page that was read and shows none says that there is none.
    shop.sync(vec![order("1", vec![line("Tea", 500)])]).await;
    assert_eq!(shop.items().await[0].category, None);
}

#[tokio::test]
async fn the_exact_title_of_a_line_is_kept_while_only_the_shown_one_is_known() {
    let mut shop = Shop::new().await;
    let with_id = |title: &str, id: &str| LineItem { line_id: Some(id.into()), ..line(title, 500) };
    shop.sync(vec![order("1", vec![with_id("Cable <3m>", "Cable#1")])]).await;
    let (before, version) = (shop.items().await, shop.version().await);
    let shown = LineItem { secondary_unknown: true, ..with_id("Cable", "Cable#1") };
    shop.sync(vec![order("1", vec![shown])]).await;
    assert_eq!((shop.items().await, shop.version().await), (before, version));
    // Another line has its own title.
    let other = LineItem { secondary_unknown: true, ..with_id("Cord", "Cord#1") };
    shop.sync(vec![order("1", vec![other])]).await;
    assert_eq!(shop.items().await[0].item_name.as_deref(), Some("Cord"));
}

#[tokio::test]
async fn a_status_that_is_not_shown_any_more_is_kept() {
    let mut shop = Shop::new().await;
    let shown = LineItem {
        shipment_status: Some(ShipmentStatus::Shipped.into()),
        shipment_text: Some("On its way".into()),
        ..line("Tea", 500)
    };
    shop.sync(vec![order("1", vec![shown])]).await;
    let before = shop.items().await;
    let unknown = LineItem { status_unknown: true, ..line("Tea", 500) };
    shop.sync(vec![order("1", vec![unknown])]).await;
    assert_eq!(shop.items().await, before);
}

#[tokio::test]
async fn what_was_undone_stays_so_with_a_mark_under_a_word_that_is_not_known() {
    let mut shop = Shop::new().await;
    let of = |status: Open<ShipmentStatus>| LineItem { shipment_status: Some(status), ..line("Tea", 500) };
    let unknown = || of(Open::Other("Storniert".into()));
    let status = |item: &OrderItem| item.shipment_status.clone().unwrap();
    let checks = |item: &OrderItem| item.mismatch.iter().map(|mark| mark.check.clone()).collect::<Vec<_>>();
    for undone in [ShipmentStatus::Cancelled, ShipmentStatus::Refunded, ShipmentStatus::Returned] {
        shop.sync(vec![order("1", vec![of(undone.into()), line("Salt", 300)])]).await;
        let read = || vec![order("1", vec![unknown(), line("Salt", 300)])];
        shop.sync(read()).await;
        let items = shop.items().await;
        let tea = items.iter().find(|item| item.item_name == Some("Tea".into())).unwrap();
        assert_eq!((status(tea), checks(tea)), (undone.into(), vec!["status".to_owned()]));
        let version = shop.version().await;
        shop.sync(read()).await;
        assert_eq!((shop.items().await, shop.version().await), (items, version));
    }
    // What was not undone goes on, and a status that is known counts.
    for before in [ShipmentStatus::Delivered, ShipmentStatus::Unpaid] {
        shop.sync(vec![order("1", vec![of(before.into())])]).await;
        assert_eq!(status(&shop.items().await[0]), before.into());
        shop.sync(vec![order("1", vec![unknown()])]).await;
        let item = shop.items().await.remove(0);
        assert_eq!((status(&item), checks(&item)), (Open::Other("Storniert".into()), Vec::new()));
    }
}

#[tokio::test]
async fn what_was_undone_stays_so_in_an_order_that_a_file_has_too() {
    let of = |status: &Open<ShipmentStatus>, title: &str| LineItem {
        shipment_status: Some(status.clone()),
        ..line(title, 500)
    };
    let [refunded, unknown] = [ShipmentStatus::Refunded.into(), Open::Other("Storniert".into())];
    let account = |line: LineItem| order("1", vec![line]);
    let file = |line: LineItem| RetailerOrder { sources: vec!["file".into()], ..account(line) };
    for [first, second, third] in [
        [account(of(&refunded, "Tea")), file(line("Tea", 500)), account(of(&unknown, "Tea"))],
        [account(of(&unknown, "Tea")), file(of(&refunded, "Tea")), account(of(&unknown, "Tea"))],
        [file(of(&refunded, "Tea")), file(of(&unknown, "Tea")), file(of(&unknown, "Tea"))],
        // With another title, too.
        [file(line("Tea", 500)), account(of(&refunded, "Tea")), account(of(&unknown, "Green tea"))],
    ] {
        let mut shop = Shop::new().await;
        for read in [first, second, third] {
            shop.sync(vec![read]).await;
        }
        let item = shop.items().await.remove(0);
        let checks: Vec<&str> = item.mismatch.iter().map(|mark| &*mark.check).collect();
        assert_eq!((item.shipment_status, checks), (Some(refunded.clone()), vec!["status"]));
    }
}

#[tokio::test]
async fn a_day_without_a_time_is_served_as_one_and_becoming_known_later_is_no_change_of_the_line() {
    let mut shop = Shop::new().await;
    let known = order("1", vec![line("Tea", 500)]);
    shop.sync(vec![known.clone()]).await;
    let before = shop.items().await.remove(0);
    shop.sync(vec![RetailerOrder { is_day_alone: true, ..known }]).await;
    let after = shop.items().await.remove(0);
    let precision = after.order_date_precision.as_ref().map(ToString::to_string);
    assert_eq!((before.order_date_precision.clone(), precision.as_deref()), (None, Some("day")));
    assert_eq!(OrderItem { order_date_precision: None, ..after }, before);
}

#[tokio::test]
async fn figures_that_do_not_agree_are_served_as_given_and_counted_once_in_a_session() {
    let mut shop = Shop::new().await;
    let mismatch = Mismatch {
        check: "order_total".into(),
        shown: Some(Decimal::new(1_500, 2)),
        computed: Some(Decimal::new(1_501, 2)),
    };
    let marked = RetailerOrder { mismatch: vec![mismatch], ..order("1", vec![line("Tea", 500), line("Salt", 1_000)]) };
    let page = page_of([marked.clone(), order("2", vec![line("Oil", 700)])]);
    let claim = shop.begin().await;
    shop.page(&claim, &page).await;
    shop.page(&claim, &page).await;
    assert_eq!(shop.end(&claim, true).await, (3, 3, 2, 0));
    let served: Vec<usize> = shop.items().await.iter().map(|item| item.mismatch.len()).collect();
    assert_eq!(served.iter().sum::<usize>(), 2);
    assert!(
        shop.items()
            .await
            .iter()
            .filter(|item| item.order_id == Some("1".into()))
            .all(|item| item.mismatch == marked.mismatch)
    );
    // Listed and unchanged: it is still so.
    let claim = shop.begin().await;
    let unchanged = Page { unchanged: vec!["1".into(), "2".into()], ..Page::default() };
    shop.page(&claim, &unchanged).await;
    shop.page(&claim, &unchanged).await;
    assert_eq!(shop.end(&claim, true).await, (3, 0, 2, 0));
    // Put right by the shop: a change.
    shop.sync(vec![RetailerOrder { mismatch: Vec::new(), ..marked }]).await;
    let item = shop.items().await.into_iter().find(|item| item.order_id == Some("1".into())).unwrap();
    assert_eq!((item.mismatch.len(), item.updated_at.unwrap().to_string()), (0, updated(&shop)));
}

#[tokio::test]
async fn orders_without_lines_are_counted_once_in_each_session() {
    let mut shop = Shop::new().await;
    let pages = [
        page_of([order("1", vec![]), order("2", vec![line("Tea", 500)]), order("3", vec![])]),
        unchanged("1"),
        unchanged("3"),
    ];
    for expected in [2, 1] {
        let claim = shop.begin().await;
        // The first session reads both; the second sees one of them, unchanged and twice.
        for page in if expected == 2 { &pages[..] } else { &pages[2..] } {
            shop.page(&claim, page).await;
            shop.page(&claim, page).await;
        }
        let counted = "SELECT orders_without_items FROM retailer_sessions WHERE id = $1";
        let counted: i64 = query_scalar(counted).bind(&claim.id).fetch_one(&shop.store.pool).await.unwrap();
        assert_eq!(counted, expected);
        shop.end(&claim, false).await;
    }
}

#[tokio::test]
async fn an_order_that_is_kept_back_stays_as_it_is_and_is_no_missing_one() {
    let mut shop = Shop::new().await;
    shop.sync(vec![order("1", vec![line("Tea", 500)]), order("2", vec![line("Salt", 100)])]).await;
    let before = shop.items().await;
    let claim = shop.begin().await;
    let page = Page { kept_back: kept_back(&["1", "9"]), unchanged: vec!["2".into()], ..Page::default() };
    shop.page(&claim, &page).await;
    shop.page(&claim, &page).await;
    assert_eq!(
        shop.store.why_kept_back(&claim).await.unwrap().unwrap(),
        "2 orders were kept back. The first is 1: The check of 1 failed. What was stored before is unchanged. Sync again; \
         if it fails again, tell the service's operator."
    );
    assert_eq!(shop.end(&claim, true).await, (1, 0, 0, 2));
    assert_eq!(shop.items().await, before);
    // It is read again next time, however it looks in the list.
    let looks = shop.store.fingerprints(owner(1), &["1".into(), "2".into()]).await.unwrap();
    assert_eq!(looks.keys().collect::<Vec<_>>(), ["2"]);
    // One that passes later in the same session is not kept back any more.
    let claim = shop.begin().await;
    shop.page(&claim, &page).await;
    shop.page(&claim, &page_of([order("1", vec![line("Tea", 500)])])).await;
    shop.page(&claim, &page_of([order("9", vec![line("Oil", 700)])])).await;
    assert_eq!(shop.store.why_kept_back(&claim).await.unwrap(), None);
    assert_eq!(shop.end(&claim, true).await, (3, 1, 0, 0));
}

#[tokio::test]
async fn texts_that_are_out_of_bounds_never_reach_the_store_and_do_not_end_the_sync() {
    let mut shop = Shop::new().await;
    let claim = shop.begin().await;
    let page = page_of([
        order("1", vec![line("Tea\0 \u{1b}[2J", 500)]),
        order("2", vec![line(&"x".repeat(2_049), 500)]),
        order("3\0", vec![line("Oil", 100)]),
    ]);
    shop.page(&claim, &page).await;
    let why = shop.store.why_kept_back(&claim).await.unwrap().unwrap();
    assert!(why.starts_with("2 orders were kept back. The first is 2: a text of it is longer than 2 KiB."), "{why}");
    assert_eq!(shop.end(&claim, true).await, (1, 1, 0, 2));
    let titles: Vec<_> = shop.items().await.into_iter().filter_map(|item| item.item_name).collect();
    assert_eq!(titles, ["Tea\u{fffd} \u{fffd}[2J"]);
}

#[tokio::test]
async fn an_order_whose_lines_find_no_numbers_any_more_is_kept_back_alone() {
    let mut shop = Shop::new().await;
    shop.sync(vec![order("1", vec![line("Tea", 500)])]).await;
    // As if its lines had come and gone a million times.
    query("UPDATE line_items SET item = ((item >> 20) + 1 << 20) - 1").execute(&shop.store.writer).await.unwrap();
    let counted =
        shop.sync(vec![order("1", vec![line("Tea", 500), line("Salt", 1)]), order("2", vec![line("Oil", 1)])]).await;
    assert_eq!(counted, (1, 1, 0, 1));
    let items = shop.items().await;
    assert_eq!(ids(&items).iter().map(|(title, _)| *title).collect::<Vec<_>>(), ["Oil", "Tea"]);
    assert!(items.iter().all(|item| item.missing_since.is_none()));
}

#[tokio::test]
async fn orders_that_were_read_longest_ago_come_first() {
    let mut shop = Shop::new().await;
    let all = || ["1", "2", "3", "4"].map(|id| order(id, vec![line("Tea", 500)])).to_vec();
    shop.sync(all()).await;
    query("UPDATE orders SET read_at = NULL WHERE order_id = '4'").execute(&shop.store.writer).await.unwrap();
    let claim = shop.begin().await;
    shop.page(&claim, &Page { unchanged: vec!["2".into()], ..page_of(all()[..1].to_vec()) }).await;
    shop.end(&claim, false).await;
    assert_eq!(shop.store.longest_unread(owner(1), 3).await.unwrap(), ["4", "2", "3"]);
}

#[tokio::test]
async fn orders_that_were_read_longest_ago_are_found_by_an_index() {
    let shop = Shop::on_sqlite().await;
    let plan: Vec<(i64, i64, i64, String)> = query_as(
        "EXPLAIN QUERY PLAN SELECT order_id FROM orders WHERE user_id = 'u' AND connection = 1 AND fingerprint IS NOT NULL
            AND missing_since IS NULL ORDER BY read_at NULLS FIRST, number LIMIT 10",
    )
    .fetch_all(&shop.store.pool)
    .await
    .unwrap();
    assert!(plan.len() == 1 && plan[0].3.contains("orders_by_reading"), "{plan:#?}");
}

/// What a page costs does not grow with the orders that are stored.
#[tokio::test]
async fn the_orders_of_a_page_are_looked_up_one_by_one() {
    let shop = Shop::on_sqlite().await;
    for statement in [
        sql!("SELECT number, missing_since IS NOT NULL FROM ", [listed "orders"], "TRUE"),
        sql!("SELECT fingerprint FROM ", [listed "orders"], "fingerprint IS NOT NULL"),
        sql!("SELECT EXISTS (SELECT 1 FROM ", [listed "orders"], "TRUE)"),
        sql!([update listed orders], "last_batch_id = 'b'", [where listed], "TRUE"),
        sql!("SELECT order_id FROM ", [listed "former_order_ids"], "TRUE"),
    ] {
        let explained = format!("EXPLAIN QUERY PLAN {}", statement.of(Dialect::Sqlite));
        let plan: Vec<(i64, i64, i64, String)> =
            query_as(sqlx::AssertSqlSafe(explained)).fetch_all(&shop.store.writer).await.unwrap();
        let steps: Vec<&str> =
            plan.iter().map(|(.., step)| &**step).filter(|step| step.starts_with("SEARCH")).collect();
        assert!(matches!(steps[..], [step] if step.contains("user_id=? AND connection=? AND order_id=?")), "{plan:#?}");
    }
}

/// A shop that changes every order's date at every sync does not make the tree of counts grow forever.
#[tokio::test]
async fn nodes_that_lost_all_their_items_are_removed() {
    let mut shop = Shop::new().await;
    let mut nodes = Vec::new();
    for sync in 0..6 {
        let orders = (0..400).map(|number: i64| RetailerOrder {
            placed_at: DateTime::from_timestamp(1_700_000_000 + sync * 1_000 + number, 0),
            ..order(&number.to_string(), vec![line("Tea", 500), line("Salt", 1)])
        });
        shop.sync(orders.collect()).await;
        assert_eq!(shop.items().await.len(), 800);
        let count: i64 = query_scalar("SELECT COUNT(*) FROM line_nodes WHERE connection = 1")
            .fetch_one(&shop.store.pool)
            .await
            .unwrap();
        nodes.push(count);
        let sums: Vec<i64> =
            query_scalar("SELECT CAST(SUM(items) AS BIGINT) FROM line_nodes WHERE connection = 1 GROUP BY level")
                .fetch_all(&shop.store.pool)
                .await
                .unwrap();
        assert_eq!(sums, [800, 800, 800]);
    }
    assert!(nodes.iter().all(|count| *count <= 24), "{nodes:?}");
}
