//! Plain inserts of the rows of a store's largest tables into a new file with its tables and indexes: `insert STORE NEW`. Prints how many
//! seconds they took, and of processor time. Reading the store is not counted.

use std::time::{Duration, Instant};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Result, params_from_iter};

/// Lines of a transaction, as a sync stores them, and the orders beside them.
const TOGETHER: usize = 1_000;
const TABLES: [(&str, &str); 3] = [("orders", "number"), ("line_items", "rowid"), ("line_nodes", "level, start_key, start_id")];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(store), Some(new)) = (arguments.next(), arguments.next()) else { panic!("insert STORE NEW") };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let store = Connection::open_with_flags(store, flags)?;
    let mut new = Connection::open(new)?;
    // As the service writes.
    new.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -49152;
        PRAGMA wal_autocheckpoint = 4096;",
    )?;
    let mut schema = store.prepare(
        "SELECT sql FROM sqlite_master WHERE tbl_name IN ('orders', 'line_items', 'line_nodes') AND sql IS NOT NULL ORDER BY rowid",
    )?;
    for sql in schema.query_map([], |row| row.get::<_, String>(0))? {
        new.execute_batch(&sql?)?;
    }
    let mut spent = (Duration::ZERO, Duration::ZERO);
    for (table, order) in TABLES {
        let mut rows = store.prepare(&format!("SELECT * FROM {table} ORDER BY {order}"))?;
        let columns = rows.column_count();
        let insert = format!("INSERT INTO {table} VALUES ({})", vec!["?"; columns].join(", "));
        let mut rows = rows.query([])?;
        loop {
            let mut chunk: Vec<Vec<Value>> = Vec::with_capacity(TOGETHER);
            while chunk.len() < TOGETHER && let Some(row) = rows.next()? {
                chunk.push((0..columns).map(|column| row.get(column)).collect::<Result<_>>()?);
            }
            if chunk.is_empty() {
                break;
            }
            let (began, processor) = (Instant::now(), processor_time());
            let transaction = new.transaction()?;
            for row in &chunk {
                transaction.prepare_cached(&insert)?.execute(params_from_iter(row))?;
            }
            transaction.commit()?;
            spent = (spent.0 + began.elapsed(), spent.1 + (processor_time() - processor));
        }
    }
    println!("{} {}", spent.0.as_secs_f64(), spent.1.as_secs_f64());
    Ok(())
}

/// Of this thread: the first figure of its `schedstat`.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    Duration::from_nanos(text.split(' ').next().and_then(|figure| figure.parse().ok()).expect("a number"))
}
