//! A database server that is away. SQLx tries for as long as a caller may wait to reach it, each caller by itself. So one task
//! looks whether it is back, and until then everybody else gets an error at once.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Error, PgPool};
use tokio::sync::watch;

use super::answer::in_time;

/// After this time without an answer it is looked whether the server is there.
const SLOW: Duration = Duration::from_millis(300);
/// How long a server may take to let somebody in, and how often it is tried.
const CONNECT: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(200);

/// Connections to a server, and whether it is away.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(super) pool: PgPool,
    outage: Arc<Outage>,
}

/// Whether a server is away, as far as known.
#[derive(Debug)]
pub(crate) struct Outage {
    options: PgConnectOptions,
    /// Whether an error is a sign of it.
    is_sign: fn(&Error) -> bool,
    is_away: watch::Sender<bool>,
    /// Whether a task looks after the server.
    is_looked_at: AtomicBool,
}

impl Outage {
    pub(crate) fn of(options: PgConnectOptions, is_sign: fn(&Error) -> bool) -> Arc<Self> {
        Arc::new(Self { options, is_sign, is_away: watch::Sender::new(false), is_looked_at: AtomicBool::new(false) })
    }

    /// Looks whether the server is there, in a task that ends once it is.
    fn suspect(self: &Arc<Self>) {
        if !self.is_looked_at.swap(true, Ordering::AcqRel) {
            tokio::spawn(look(Arc::downgrade(self), self.options.clone(), self.is_sign));
        }
    }
}

impl Server {
    pub(crate) const fn new(pool: PgPool, outage: Arc<Outage>) -> Self {
        Self { pool, outage }
    }

    /// What the database answers, unless its server is away or goes away meanwhile.
    pub(super) fn unless_away<'a, T: Send + 'a>(
        &'a self,
        answer: impl Future<Output = Result<T, Error>> + Send + 'a,
    ) -> impl Future<Output = Result<T, Error>> + Send + 'a {
        // In a place of its own: this is a part of nearly everything that the service waits for.
        let answer = Box::pin(in_time(answer));
        async move {
            let mut away = self.outage.is_away.subscribe();
            let went_away = async {
                // The sender is as old as `self`.
                let _ = away.wait_for(|is_away| *is_away).await;
                Err(io::Error::new(io::ErrorKind::ConnectionRefused, "the database cannot be reached").into())
            };
            let suspected = async {
                tokio::time::sleep(SLOW).await;
                self.outage.suspect();
                std::future::pending().await
            };
            let answered = tokio::select! {
                biased;
                gone = went_away => gone,
                answered = answer => answered,
                never = suspected => never,
            };
            if answered.as_ref().is_err_and(self.outage.is_sign) {
                self.outage.suspect();
            }
            answered
        }
    }
}

/// Looks until the server is there, or nobody wants to know any more.
async fn look(outage: Weak<Outage>, options: PgConnectOptions, is_sign: fn(&Error) -> bool) {
    loop {
        let is_away = match tokio::time::timeout(CONNECT, options.connect()).await {
            Ok(Ok(connection)) => {
                let _: PgConnection = connection;
                false
            }
            Ok(Err(error)) => is_sign(&error),
            Err(_) => true,
        };
        let Some(outage) = outage.upgrade() else { return };
        if outage.is_away.send_replace(is_away) != is_away {
            if is_away {
                tracing::error!("the database cannot be reached: everything that needs it fails at once");
            } else {
                tracing::info!("the database can be reached again");
            }
        }
        if !is_away {
            outage.is_looked_at.store(false, Ordering::Release);
            return;
        }
        drop(outage);
        tokio::time::sleep(PAUSE).await;
    }
}
