//! Serves connections: HTTP/1.1, with bounds on the number of connections, on the time and size of a request's head and
//! on how long a client takes to read. Stopping lets the current requests finish.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, EXPECT};
use axum::response::Response;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tower::Service as _;

use super::arriving::Arriving;
use super::lost::Dropped;
use super::paced::Paced;
use super::sockets::{Seat, SocketLimits, Sockets};

/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How large the head of a request may be, and how much of its responses is buffered in memory.
const HEAD_BYTES: usize = 32 * 1024;
/// How long a client may leave its responses unread.
const READ_TIME: Duration = Duration::from_secs(30);
/// How long current requests may still take when the service stops.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// How long to wait after a failure to accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A running server.
pub(crate) struct Server {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Server {
    /// Serves `router` on `listener`, over TLS if there is an acceptor for it.
    pub(crate) fn run(listener: TcpListener, tls: Option<TlsAcceptor>, router: Router, limits: SocketLimits) -> Self {
        let (stop, stopped) = watch::channel(false);
        let connections = Connections {
            tls,
            router,
            sockets: Sockets::new(limits),
            shutdown: GracefulShutdown::new(),
            handlers: watch::Sender::default(),
        };
        Self { stop, task: tokio::spawn(connections.serve(listener, stopped)) }
    }

    /// Accepts no more requests, and returns once the current ones are answered or have run out of time.
    pub(crate) async fn stop(self) {
        // The task is gone only if it panicked; then there is nothing to stop.
        let _ = self.stop.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the server did not stop cleanly");
        }
    }
}

struct Connections {
    tls: Option<TlsAcceptor>,
    router: Router,
    sockets: Arc<Sockets>,
    shutdown: GracefulShutdown,
    /// Each running handler has a receiver.
    handlers: watch::Sender<()>,
}

impl Connections {
    async fn serve(self, listener: TcpListener, mut stopped: watch::Receiver<bool>) {
        let mut is_accepting = true;
        loop {
            let accepted = tokio::select! {
                _ = stopped.changed() => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    if !is_accepting {
                        tracing::info!("accepting connections again");
                        is_accepting = true;
                    }
                    self.open(stream, peer);
                }
                Err(error) => {
                    self.cannot_accept(&error, is_accepting);
                    is_accepting = false;
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(listener);
        let handlers = self.handlers;
        let ended = async {
            self.shutdown.shutdown().await;
            // Those whose clients have gone are not waited for by any connection.
            handlers.closed().await;
        };
        if tokio::time::timeout(LAST_ANSWERS, ended).await.is_err() {
            tracing::warn!("stopped before every request was answered");
        }
    }

    /// For example, too many open files. Makes room, and logs only the first failure.
    fn cannot_accept(&self, error: &io::Error, is_news: bool) {
        self.sockets.close_one();
        if is_news {
            tracing::warn!(%error, "cannot accept connections; idle ones are closed to make room");
        }
    }

    fn open(&self, stream: TcpStream, peer: SocketAddr) {
        let Some(seat) = self.sockets.admit(peer.ip()) else {
            tracing::debug!("refused a connection: too many are open");
            return;
        };
        // Small responses should not wait for more data; if this fails, the connection is slower but still correct.
        let _ = stream.set_nodelay(true);
        let stream = Paced::new(stream, Arc::clone(&seat.socket), READ_TIME);
        let (tls, watcher) = (self.tls.clone(), self.shutdown.watcher());
        let socket = Arc::clone(&seat.socket);
        let handling =
            Handling { router: self.router.clone(), seat: Arc::new(seat), running: self.handlers.subscribe() };
        tokio::spawn(async move {
            tokio::select! {
                () = socket.closed() => tracing::debug!("closed an idle connection to make room for another"),
                () = connection(stream, tls, peer, handling, watcher) => {}
            }
        });
    }
}

/// What a request needs to be handled, whether or not its connection stays.
#[derive(Clone)]
struct Handling {
    router: Router,
    /// Kept until the handler is done: a client that leaves at once and comes again does not get more than its share.
    seat: Arc<Seat>,
    running: watch::Receiver<()>,
}

async fn connection(
    stream: Paced<TcpStream>,
    tls: Option<TlsAcceptor>,
    peer: SocketAddr,
    handling: Handling,
    watcher: Watcher,
) {
    let Some(tls) = tls else { return answer(stream, peer, handling, watcher).await };
    match tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await {
        Ok(Ok(stream)) => answer(stream, peer, handling, watcher).await,
        Ok(Err(error)) => tracing::debug!(%error, "the TLS handshake failed"),
        Err(_elapsed) => tracing::debug!("the TLS handshake took too long"),
    }
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    handling: Handling,
    watcher: Watcher,
) {
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        // A task of its own: if the client goes, hyper drops what it waits for, but a change that was begun is finished.
        let handled = tokio::spawn(handle(handling.clone(), request));
        async move {
            // A panic outside the router's own net closes the connection.
            let answered = handled.await.map_err(io::Error::other)?;
            // An error of the service closes the connection.
            match answered.extensions().get::<Dropped>() {
                Some(Dropped) => Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
                None => Ok(answered),
            }
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

async fn handle(handling: Handling, request: hyper::Request<Incoming>) -> Response {
    let Handling { mut router, seat, running } = handling;
    let socket = &seat.socket;
    let asks_first = request.headers().contains_key(EXPECT);
    let (head, body) = request.into_parts();
    let (body, unread) = Arriving::new(body, Arc::clone(socket));
    let request = hyper::Request::from_parts(head, axum::body::Body::new(body));
    let mut answered = router.call(request).await.unwrap_or_else(|never| match never {});
    drop(running);
    socket.end_work();
    // A client that asks first gets its answer: reading the body would invite it to send that.
    if !unread.is_used_up(asks_first).await {
        answered.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        socket.linger();
    }
    answered
}
