//! Any page of any list, held against a sorted vector.

use std::collections::HashMap;

use proptest::prelude::*;

use super::{caller, fresh_file, fresh_with_user, insert_counted, owner, share, with_user};
use crate::domain::rendered::Rendered;
use crate::store::accounts::connections::{Access, Window};
use crate::store::db::{Dialect, query, query_as, query_scalar};
use crate::store::orders::counts::Counts;
use crate::store::orders::lines::{Keys, NewLine, first_item};
use crate::store::orders::list::{ListFormat, OrderFilter, Slice, item_by_id, page_query};
use crate::store::orders::positions::{Floor, MOST, UNDATED};
use crate::store::{Store, stored, time};

const CONNECTIONS: [&str; 3] = ["c1", "c2", "c3"];
const NUMBERS: [i64; 3] = [1, 2, 3];

fn slice<'a>(store: &Store, floors: &'a [Floor]) -> Slice<'a> {
    Slice { user_id: "u", floors, last: UNDATED, dialect: store.pool.dialect(), search: None }
}

#[derive(Debug, Clone)]
enum Change {
    /// So many items in a row, from this date on backwards, each so much older than the last.
    Add { connection: usize, date: i64, step: i64, items: usize },
    /// So many items without a date.
    AddUndated { connection: usize, items: usize },
    /// Every so manieth item gets this date.
    Move { every: usize, date: i64 },
    /// Every so manieth item goes.
    Remove { every: usize },
}

#[derive(Debug, Clone)]
struct Question {
    shared: Vec<usize>,
    retailer: Option<i64>,
    start: Option<i64>,
    end: Option<i64>,
    /// In thousandths of the list.
    offset: usize,
    limit: u32,
}

/// An item as the model has it: sort key, id, connection.
type Item = (i64, String, usize);

fn change() -> impl Strategy<Value = Change> {
    let date = || prop_oneof![Just(500_i64), 0..1_000_i64];
    prop_oneof![
        6 => (0..3_usize, date(), 0..3_i64, 1..700_usize)
            .prop_map(|(connection, date, step, items)| Change::Add { connection, date, step, items }),
        2 => (0..3_usize, 1..400_usize).prop_map(|(connection, items)| Change::AddUndated { connection, items }),
        1 => (2..40_usize, date()).prop_map(|(every, date)| Change::Move { every, date }),
        1 => (1..10_usize).prop_map(|every| Change::Remove { every }),
    ]
}

fn question() -> impl Strategy<Value = Question> {
    let some = |range| proptest::option::weighted(0.3, range);
    let shared = proptest::sample::subsequence(vec![0, 1, 2], 0..=3);
    (shared, some(1..4_i64), some(0..1_000_i64), some(0..1_000_i64), 0..1_050_usize, 1..300_u32).prop_map(
        |(shared, retailer, start, end, offset, limit)| Question { shared, retailer, start, end, offset, limit },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_page_is_the_models(
        changes in proptest::collection::vec(change(), 1..14),
        questions in proptest::collection::vec(question(), 25),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (_folder, store) = fresh_with_user().await;
            let mut model = Vec::new();
            for (number, change) in changes.iter().enumerate() {
                apply(&store, &mut model, number, change).await;
            }
            model.sort();
            counts_are_right(&store, &model).await;
            for question in &questions {
                ask(&store, &model, question).await;
            }
        });
    }
}

async fn apply(store: &Store, model: &mut Vec<Item>, number: usize, change: &Change) {
    let mut tx = store.write().await.unwrap();
    match change {
        Change::Add { connection, date, step, items } => {
            let keys = (0..*items).map(|i| step * i64::try_from(i).unwrap() - date);
            add(&mut tx, model, *connection, number, keys).await;
        }
        Change::AddUndated { connection, items } => {
            add(&mut tx, model, *connection, number, std::iter::repeat_n(UNDATED, *items)).await;
        }
        Change::Move { every, date } => {
            let mut moved: Vec<&mut Item> = model.iter_mut().step_by(*every).collect();
            let before: Vec<Item> = moved.iter().map(|item| (*item).clone()).collect();
            let mut uneven = Vec::new();
            for (index, number) in NUMBERS.into_iter().enumerate() {
                let mut counts = Counts::new(owner(number));
                for item in before.iter().filter(|item| item.2 == index) {
                    counts.shift(&item.1, item.0, -date);
                }
                uneven.push(counts.apply(&mut tx).await.unwrap());
            }
            for item in &mut moved {
                item.0 = -date;
                query("UPDATE line_items SET sort_key = $1 WHERE id = $2")
                    .bind(item.0)
                    .bind(&item.1)
                    .execute(&mut tx)
                    .await
                    .unwrap();
            }
            for uneven in uneven {
                uneven.even_out(&mut tx).await.unwrap();
            }
        }
        Change::Remove { every } => {
            for (index, number) in NUMBERS.into_iter().enumerate() {
                let mut counts = Counts::new(owner(number));
                let gone = || model.iter().step_by(*every).filter(|item| item.2 == index);
                for item in gone() {
                    counts.remove(item.0, &item.1);
                }
                let uneven = counts.apply(&mut tx).await.unwrap();
                for item in gone() {
                    query("DELETE FROM line_items WHERE id = $1").bind(&item.1).execute(&mut tx).await.unwrap();
                }
                uneven.even_out(&mut tx).await.unwrap();
            }
            let mut index = 0;
            model.retain(|_| {
                index += 1;
                (index - 1) % every != 0
            });
        }
    }
    tx.commit().await.unwrap();
}

async fn add(
    tx: &mut crate::store::Write,
    model: &mut Vec<Item>,
    connection: usize,
    number: usize,
    keys: impl Iterator<Item = i64>,
) {
    let lines: Vec<NewLine> = keys
        .enumerate()
        .map(|(index, key)| {
            // As scattered as the digests that ids are.
            let id = format!("{:016x}-{number}-{index}", (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            model.push((key, id.clone(), connection));
            NewLine {
                item: first_item(i64::try_from(number).unwrap()) + i64::try_from(index).unwrap(),
                id,
                keys: Keys::default(),
                sort_key: key,
                content: vec![],
            }
        })
        .collect();
    let write = |line: &NewLine| {
        Ok(Rendered { document: format!("\"{}\"", line.id), csv: format!("{}\n", line.id), adjustments: None })
    };
    insert_counted(tx, owner(NUMBERS[connection]), lines, write).await;
}

/// Each node of each level says how many items stand between its start and the next one's.
async fn counts_are_right(store: &Store, model: &[Item]) {
    for (level, most) in MOST.into_iter().enumerate() {
        for (index_of, connection) in NUMBERS.into_iter().enumerate() {
            let nodes: Vec<(i64, String, i64)> = query_as(
                "SELECT start_key, start_id, items FROM line_nodes
                 WHERE user_id = 'u' AND connection = $1 AND level = $2 ORDER BY 1, 2",
            )
            .bind(connection)
            .bind(stored(level))
            .fetch_all(&store.pool)
            .await
            .unwrap();
            let stands_before = |start: Option<&(i64, String, i64)>| {
                let before = |item: &&Item| start.is_none_or(|start| (item.0, &item.1) < (start.0, &start.1));
                model.iter().filter(|item| item.2 == index_of).filter(before).count()
            };
            for (index, node) in nodes.iter().enumerate() {
                let items = stands_before(nodes.get(index + 1)) - stands_before(Some(node));
                assert_eq!(node.2, i64::try_from(items).unwrap(), "level {level}, {node:?}");
            }
            assert_eq!(stands_before(nodes.first()), 0);
            assert!(nodes.iter().all(|node| node.2 <= most), "level {level}, {nodes:?}");
        }
    }
}

async fn ask(store: &Store, model: &[Item], question: &Question) {
    let names: Vec<&str> = question.shared.iter().map(|&index| CONNECTIONS[index]).collect();
    share(store, &names).await;
    let matching: Vec<&str> = model
        .iter()
        .filter(|(key, _, connection)| {
            question.shared.contains(connection)
                && question.retailer.is_none_or(|retailer| retailer == i64::try_from(*connection).unwrap() + 1)
                && question.start.is_none_or(|start| *key != UNDATED && -key >= start)
                && question.end.is_none_or(|end| *key != UNDATED && -key < end)
        })
        .map(|(_, id, _)| id.as_str())
        .collect();
    let offset = matching.len() * question.offset / 1_000;
    let window = Window { limit: question.limit, offset: offset as u64 };
    let bound = |date: Option<i64>| date.map(|date| time(date).unwrap());
    let filter = OrderFilter { retailer_id: question.retailer, start: bound(question.start), end: bound(question.end) };
    let expected: Vec<&str> = matching.iter().skip(offset).take(question.limit as usize).copied().collect();
    let page = store.order_page(&caller(), &filter, window, ListFormat::Json).await.unwrap();
    assert_eq!(page.total, matching.len() as u64, "{question:?}");
    assert_eq!(documents(&page.text), expected, "{question:?}");
    let page = store.order_page(&caller(), &filter, window, ListFormat::Csv).await.unwrap();
    assert_eq!(lines(&page.text), expected, "{question:?}");
    let dates: HashMap<&str, i64> = model.iter().map(|(key, id, _)| (id.as_str(), *key)).collect();
    let last = expected.last().map(|id| ((*id).to_owned(), bound(Some(-dates[id]).filter(|date| *date != -UNDATED))));
    assert_eq!(page.last.map(|last| (last.id, last.order_date)), last, "{question:?}");
}

fn lines(text: &[u8]) -> Vec<&str> {
    std::str::from_utf8(text).unwrap().lines().collect()
}

fn documents(text: &[u8]) -> Vec<String> {
    serde_json::from_slice(&[b"[", text, b"]"].concat()).unwrap()
}

/// The work of a page far behind is bounded by the size of the nodes, whatever the dates are: here the rows that are
/// skipped to reach it, on a list of one date.
#[tokio::test]
async fn hardly_a_row_is_skipped_to_reach_a_page_far_behind_items_of_one_date() {
    let (_folder, store) = fresh_with_user().await;
    let mut model = Vec::new();
    for number in 0..6 {
        apply(&store, &mut model, number, &Change::Add { connection: number % 3, date: 500, step: 0, items: 2_000 })
            .await;
    }
    let mut tx = store.pool.begin().await.unwrap();
    for target in [1, 4_000, 11_000] {
        for connections in [&NUMBERS[..1], &NUMBERS[..]] {
            let target = if connections.len() == 1 { target / 3 } else { target };
            let (_, skipped) = crate::store::orders::positions::find(&mut tx, "u", connections, target).await.unwrap();
            assert!(skipped <= 2 * 128 * i64::try_from(connections.len()).unwrap(), "{skipped}");
        }
    }
}

/// Nothing is sorted: each connection's items are read from the index in their order, and the orders merged.
#[tokio::test]
async fn a_page_is_read_in_the_order_of_the_index() {
    let (_folder, store) = fresh_file().await;
    for connections in 1..=3 {
        let floors: Vec<Floor> = NUMBERS.into_iter().take(connections).map(|number| Floor::at(number, None)).collect();
        let query = page_query(&slice(&store, &floors), 1_000, 7, ListFormat::Json);
        let explained = format!("EXPLAIN QUERY PLAN {}", query.sql());
        let plan: Vec<(i64, i64, i64, String)> =
            query_as(sqlx::AssertSqlSafe(explained)).fetch_all(&store.writer).await.unwrap();
        let steps: Vec<&str> = plan.iter().map(|step| step.3.as_str()).collect();
        let searches = steps
            .iter()
            .filter(|step| step.contains("INDEX line_items_newest (user_id=? AND connection=? AND"))
            .count();
        assert_eq!(searches, connections, "{steps:#?}");
        assert_eq!(steps.iter().filter(|step| step.starts_with("MERGE")).count(), connections - 1, "{steps:#?}");
        assert!(steps.iter().all(|step| !step.contains("TEMP B-TREE")), "{steps:#?}");
    }
}

/// Items are counted right wherever they come, far apart or many between the same two, and in any order.
#[tokio::test]
async fn items_that_come_all_over_the_list_are_counted_where_they_stand() {
    let (_folder, store) = fresh_with_user().await;
    let mut model = Vec::new();
    apply(&store, &mut model, 0, &Change::Add { connection: 0, date: 20_000, step: 2, items: 9_000 }).await;
    for (number, step) in [(1, 7), (2, 701), (3, 1)] {
        let change = Change::Add { connection: 0, date: 19_999, step, items: 300 };
        apply(&store, &mut model, number, &change).await;
        counts_are_right(&store, &model).await;
    }
}

#[tokio::test]
async fn an_item_is_found_by_its_id() {
    let (_folder, store) = fresh_file().await;
    with_user(&store).await;
    share(&store, &CONNECTIONS).await;
    let mut model = Vec::new();
    // Orders of several runs, which are of 4,096 orders each.
    for number in [0, 1, 4_095, 4_096, 50_000] {
        apply(&store, &mut model, number, &Change::Add { connection: 1, date: 500, step: 1, items: 3 }).await;
    }
    query("UPDATE connections SET orders_made = 50000").execute(&store.writer).await.unwrap();
    for (_, id, _) in &model {
        let found = store.order_item(&caller(), id).await.unwrap();
        assert!(matches!(found, Access::Granted(document) if document.starts_with(&format!("\"{id},"))), "{id}");
    }
    assert!(matches!(store.order_item(&caller(), "item_0").await.unwrap(), Access::Absent));
}

/// In each run of the index, not by reading every item.
#[tokio::test]
async fn an_item_is_looked_up_in_an_index() {
    let (_folder, store) = fresh_file().await;
    let explained = format!("EXPLAIN QUERY PLAN {}", item_by_id(Dialect::Sqlite));
    let plan: Vec<(i64, i64, i64, String)> =
        query_as(sqlx::AssertSqlSafe(explained)).fetch_all(&store.writer).await.unwrap();
    assert!(
        plan.iter()
            .any(|step| step.3.contains("INDEX line_items_by_id (user_id=? AND connection=? AND <expr>=? AND id=?)")),
        "{plan:#?}"
    );
}

/// More connections than can be merged, and none at all.
#[tokio::test]
async fn a_list_over_any_number_of_connections_is_in_order() {
    let (_folder, store) = fresh_with_user().await;
    let mut model = Vec::new();
    for number in 0..3 {
        apply(&store, &mut model, number, &Change::Add { connection: number, date: 500, step: 1, items: 40 }).await;
    }
    model.sort();
    let mut tx = store.pool.begin().await.unwrap();
    for more in [0, 10, 500] {
        let floors: Vec<Floor> = NUMBERS.into_iter().chain(4..4 + more).map(|number| Floor::at(number, None)).collect();
        let text = page_query(&slice(&store, &floors), 50, 30, ListFormat::Csv)
            .fetch_joined("", 50, &mut tx)
            .await
            .unwrap()
            .text;
        let expected: Vec<&str> = model.iter().skip(30).take(50).map(|item| item.1.as_str()).collect();
        assert_eq!(lines(&text), expected, "{more}");
    }
    let nothing =
        page_query(&slice(&store, &[]), 50, 0, ListFormat::Json).fetch_joined(",", 50, &mut tx).await.unwrap().text;
    assert_eq!(nothing, "");
}

/// A shop that gives every order another date at each sync.
#[tokio::test]
async fn a_list_that_moves_again_and_again_leaves_no_trail_of_empty_nodes() {
    let (_folder, store) = fresh_with_user().await;
    let mut model = Vec::new();
    apply(&store, &mut model, 0, &Change::Add { connection: 0, date: 0, step: 1, items: 3_000 }).await;
    let nodes = async || {
        let count: i64 =
            query_scalar("SELECT COUNT(*) FROM line_nodes WHERE connection = 1").fetch_one(&store.pool).await.unwrap();
        count
    };
    let at_first = nodes().await;
    for round in 1..=10_i64 {
        let mut tx = store.write().await.unwrap();
        let mut counts = Counts::new(owner(1));
        for item in &model {
            counts.shift(&item.1, item.0, item.0 - 10_000);
        }
        let uneven = counts.apply(&mut tx).await.unwrap();
        query("UPDATE line_items SET sort_key = sort_key - 10000").execute(&mut tx).await.unwrap();
        uneven.even_out(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
        model.iter_mut().for_each(|item| item.0 -= 10_000);
        assert!(nodes().await <= 2 * at_first, "{} after {round} rounds, {at_first} at first", nodes().await);
    }
    model.sort();
    counts_are_right(&store, &model).await;
}
