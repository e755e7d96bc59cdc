//! axum and rusqlite, with a store of ordersync: `floor STORE`. A page of a user's items is four lookups by key and the page; each
//! thread has a connection, and runs the statements itself.

use std::cell::OnceCell;

use axum::extract::RawQuery;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Router, serve};
use rusqlite::{Connection, OpenFlags, Result, params};
use tokio::net::TcpListener;

thread_local! {
    static STORE: OnceCell<Connection> = const { OnceCell::new() };
}

#[tokio::main]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    let status = || async { ([(CONTENT_TYPE, "application/json")], format!("{{\"status\": \"{}\"}}", "ok".repeat(90))) };
    let router = Router::new().route("/healthz", get(status)).route("/sync/orders", get(page));
    serve(listener, router).await.expect("it serves");
}

async fn page(RawQuery(query): RawQuery) -> impl IntoResponse {
    let limit = query.and_then(|query| query.strip_prefix("limit=")?.parse().ok()).unwrap_or(50);
    ([(CONTENT_TYPE, "application/json")], STORE.with(|store| read(store.get_or_init(open), limit)).expect("a page"))
}

fn open() -> Connection {
    let path = std::env::args().nth(1).expect("the store");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).expect("it opens")
}

fn read(store: &Connection, limit: u32) -> Result<String> {
    let one = |sql: &str, key: &str| -> Result<String> { store.prepare_cached(sql)?.query_row([key], |row| row.get(0)) };
    let user = one("SELECT user_id FROM connections WHERE retailer_id = ?1", "12")?;
    one("SELECT id FROM users WHERE id = ?1", &user)?;
    one("SELECT client_id FROM grants WHERE user_id = ?1", &user)?;
    let number: i64 = store
        .prepare_cached("SELECT number FROM connections WHERE user_id = ?1 AND status = 'valid'")?
        .query_row([&user], |row| row.get(0))?;
    let mut page = store.prepare_cached(
        "SELECT document FROM line_items WHERE user_id = ?1 AND connection = ?2 ORDER BY sort_key, id LIMIT ?3",
    )?;
    let mut rows = page.query(params![user, number, limit])?;
    let mut text = String::from("[");
    while let Some(row) = rows.next()? {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(row.get_ref(0)?.as_str()?);
    }
    text.push(']');
    Ok(text)
}
