//! A database that cannot be reached: what a node takes as a sign of that.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;

use crate::database::{Database, PostgresAddress};
use crate::store::db::{query, query_scalar};
use crate::store::{Store, StoreTrouble};

/// The trouble of opening a store at a server that reads so many bytes of each connection and then ends it.
async fn trouble_of_server_that_reads(bytes: usize) -> Option<StoreTrouble> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("postgres://orders@127.0.0.1:{}/shop", listener.local_addr().unwrap().port());
    let server = tokio::spawn(async move {
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut read = vec![0; bytes];
            connection.read_exact(&mut read).await.unwrap();
        }
    });
    let database = Database::Postgres(PostgresAddress::parse(&address).unwrap());
    let error = Store::open_database(&database).await.err().unwrap();
    server.abort();
    error.trouble()
}

#[tokio::test]
async fn a_connection_that_ends_while_it_begins_is_a_database_that_is_away() {
    // Before it is asked for TLS, and in the middle of that, after which it says nothing.
    for bytes in [0, 1, 8] {
        assert_eq!(trouble_of_server_that_reads(bytes).await, Some(StoreTrouble::Away), "after {bytes} bytes");
    }
}

/// SQLx forgets a transaction whose beginning nobody waited for. Its connection was then given to others, who wrote within it.
#[tokio::test]
async fn a_transaction_that_nobody_waited_for_takes_no_write_along() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::of_test(&folder.path().join("db.sqlite3")).await;
    query("CREATE TABLE written (number BIGINT NOT NULL)").execute(&store.writer).await.unwrap();
    for number in 1..=20_i64 {
        // Polled once, it has a connection and has sent its first statement.
        let mut begin = Box::pin(store.writer.begin_write());
        let _ = futures::poll!(begin.as_mut());
        drop(begin);
        query("INSERT INTO written (number) VALUES ($1)").bind(number).execute(&store.writer).await.unwrap();
        let written: i64 = query_scalar("SELECT COUNT(*) FROM written").fetch_one(&store.pool).await.unwrap();
        assert_eq!(written, number);
        // So that the next one finds a connection, and not one that is still being looked at.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A new one for each query would cost a hundred times as much as the query.
#[tokio::test]
async fn a_connection_that_is_given_back_is_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::of_test(&folder.path().join("db.sqlite3")).await;
    if !store.is_in_postgres() {
        return;
    }
    let mut servers = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let server: i32 = query_scalar("SELECT pg_backend_pid()").fetch_one(&store.pool).await.unwrap();
        servers.insert(server);
        let mut tx = store.write().await.unwrap();
        let server: i32 = query_scalar("SELECT pg_backend_pid()").fetch_one(&mut tx).await.unwrap();
        servers.insert(server);
        tx.commit().await.unwrap();
        // It is looked at when it is given back. One that is closed then never becomes idle.
        for _ in 0..1000 {
            if store.pool.level().1 > 0 && store.writer.level().1 > 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    assert_eq!(servers.len(), 2, "one reads, one writes: {servers:?}");
}

/// A server that lets everybody in and never answers a question: as one that vanished.
async fn silent(mut connection: TcpStream, asked: Arc<Notify>) -> std::io::Result<()> {
    let mut request_for_tls = [0; 8];
    connection.read_exact(&mut request_for_tls).await?;
    connection.write_all(b"N").await?;
    let length = connection.read_u32().await?;
    let mut beginning = vec![0; length as usize - 4];
    connection.read_exact(&mut beginning).await?;
    // AuthenticationOk and ReadyForQuery.
    connection.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I").await?;
    let mut question = [0; 4096];
    while connection.read(&mut question).await? > 0 {
        asked.notify_one();
    }
    Ok(())
}

#[tokio::test]
async fn a_database_that_never_answers_costs_no_connection() {
    let (listener, asked) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), Arc::new(Notify::new()));
    let address = format!("postgres://orders@127.0.0.1:{}/shop", listener.local_addr().unwrap().port());
    let noticed = Arc::clone(&asked);
    tokio::spawn(async move {
        loop {
            tokio::spawn(silent(listener.accept().await.unwrap().0, Arc::clone(&noticed)));
        }
    });
    let store = Store::over_postgres(PostgresAddress::parse(&address).unwrap().options().clone());
    // More often than there are connections.
    for _ in 0..10 {
        let writing = store.clone();
        let write = tokio::spawn(async move { writing.write().await.err().and_then(|error| error.trouble()) });
        asked.notified().await;
        // From now on there is nothing to wait for but the ends of waiting.
        tokio::time::pause();
        assert_eq!(write.await.unwrap(), Some(StoreTrouble::Away));
        tokio::time::sleep(Duration::from_secs(10)).await;
        tokio::time::resume();
        assert_eq!(store.writer.level(), (0, 0));
    }
}

#[tokio::test]
async fn while_the_server_is_away_everybody_is_told_at_once() {
    // Its port is kept from other programs, and refuses connections until somebody listens.
    let server = TcpSocket::new_v4().unwrap();
    server.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let at = server.local_addr().unwrap();
    let address = format!("postgres://orders@{at}/shop");
    let store = Store::over_postgres(PostgresAddress::parse(&address).unwrap().options().clone());
    let waiting = (0..20).map(|_| store.write());
    for told in futures::future::join_all(waiting).await {
        assert_eq!(told.err().and_then(|error| error.trouble()), Some(StoreTrouble::Away));
    }
    let told = futures::poll!(Box::pin(store.write()).as_mut());
    assert!(told.is_ready(), "nobody waits for a server that is known to be away");

    let (listener, asked) = (server.listen(20).unwrap(), Arc::new(Notify::new()));
    let noticed = Arc::clone(&asked);
    tokio::spawn(async move {
        loop {
            tokio::spawn(silent(listener.accept().await.unwrap().0, Arc::clone(&noticed)));
        }
    });
    // Until the server is known to be back, each write ends at once.
    let writing = async {
        while store.write().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        () = asked.notified() => {}
        () = writing => panic!("the server answers no question"),
    }
}
