//! Serving connections: HTTP/1.1, with bounds on the time and the size of a request's head, and an end that lets the
//! requests under way be answered.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tower::Service as _;

/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How large the head of a request may be.
const HEAD_BYTES: usize = 32 * 1024;
/// How long requests under way have to be answered when the service stops.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// A running server.
pub struct Server {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Server {
    /// Serves `router` on `listener`, over TLS where there is an acceptor for it.
    #[must_use]
    pub fn run(listener: TcpListener, tls: Option<TlsAcceptor>, router: Router) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, task: tokio::spawn(serve(listener, tls, router, stopped)) }
    }

    /// Takes no more requests, and returns once those under way are answered, or have had their time.
    pub async fn stop(self) {
        // The task is gone only if it panicked; there is nothing to stop then.
        let _ = self.stop.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the server did not stop cleanly");
        }
    }
}

async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, router: Router, mut stopped: watch::Receiver<bool>) {
    let connections = GracefulShutdown::new();
    loop {
        tokio::select! {
            _ = stopped.changed() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // Small answers should not wait for more to be sent; one that must is slower, not wrong.
                    let _ = stream.set_nodelay(true);
                    match tls.clone() {
                        None => tokio::spawn(answer(stream, peer, router.clone(), connections.watcher())),
                        Some(tls) => {
                            let (router, watcher) = (router.clone(), connections.watcher());
                            tokio::spawn(async move {
                                match tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await {
                                    Ok(Ok(stream)) => answer(stream, peer, router, watcher).await,
                                    Ok(Err(error)) => tracing::debug!(%error, "no TLS came about"),
                                    Err(_elapsed) => tracing::debug!("no TLS came about in time"),
                                }
                            })
                        }
                    };
                }
                Err(error) => {
                    // Too many open files, say: others may be closed soon.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(LAST_ANSWERS, connections.shutdown()).await.is_err() {
        tracing::warn!("stopped before every request was answered");
    }
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    router: Router,
    watcher: Watcher,
) {
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let mut router = router.clone();
        async move {
            Ok::<_, Infallible>(
                router.call(request.map(axum::body::Body::new)).await.unwrap_or_else(|never| match never {}),
            )
        }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "a connection broke");
    }
}
