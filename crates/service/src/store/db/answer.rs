//! How long a node waits for its database. A connection to a server that vanished, or whose network swallows what is sent, is
//! never answered, and nobody says so.

use std::io;
use std::time::Duration;

use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Error, Row as _};

/// More than a statement may take, which the server ends by itself.
const ANSWER: Duration = Duration::from_secs(40);
/// How long a connection may take that nothing is asked of, or no more than to end what it was used for.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// What the database answers; in the end, an error of its connection.
pub(crate) async fn in_time<T>(answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    tokio::time::timeout(ANSWER, answer).await.unwrap_or_else(|_| Err(no_answer(ANSWER)))
}

/// Makes sure that a connection answers.
/// Fails if it does not, in time: it is to be closed.
pub(crate) async fn answers(connection: &mut PgConnection) -> Result<(), Error> {
    tokio::time::timeout(SIGN_OF_LIFE, connection.ping()).await.unwrap_or_else(|_| Err(no_answer(SIGN_OF_LIFE)))
}

/// Whether a connection that was used is in no transaction. SQLx knows of none that nobody waited for until it had begun: whatever
/// was written there next would be rolled back with it, and what is read would be old.
/// Fails if it does not answer in time, or not at all: it is to be closed.
pub(crate) async fn is_free(connection: &mut PgConnection) -> Result<bool, Error> {
    // As one message (the simple query protocol): of a prepared statement, each message has a time of its own, so that it never
    // is as old as its transaction.
    let asked = sqlx::raw_sql("SELECT transaction_timestamp() = statement_timestamp()").fetch_one(connection);
    let row = tokio::time::timeout(SIGN_OF_LIFE, asked).await.unwrap_or_else(|_| Err(no_answer(SIGN_OF_LIFE)))?;
    row.try_get(0)
}

fn no_answer(waited: Duration) -> Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("the database did not answer within {} s", waited.as_secs())).into()
}
