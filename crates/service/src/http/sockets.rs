//! The open connections: how many are allowed in all and per address, and which of them makes room for a new one.
//!
//! A new connection is not refused while there is an idle one: the connection that has waited longest for its client,
//! to send or to read, is closed instead. So a client that opens many connections and leaves them idle closes its own,
//! and a request that the service is working on is never cut off.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::limits::Network;

/// How many connections that are being closed may be open in addition to the limit.
const CLOSING: usize = 64;

/// How many connections may be open at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SocketLimits {
    /// In all.
    pub total: usize,
    /// From one address (IPv6: one /64); `None` behind a proxy, whose address all clients share.
    pub per_address: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Sockets {
    limits: SocketLimits,
    open: Mutex<HashMap<u64, Arc<Socket>>>,
    ids: AtomicU64,
    /// Counts events on all connections, so that "longest ago" needs no clock.
    ticks: Arc<AtomicU64>,
}

/// The state of one connection.
#[derive(Debug)]
pub(super) struct Socket {
    network: Network,
    /// Whether a complete request is being answered.
    is_working: AtomicBool,
    /// The tick of its last progress.
    at: AtomicU64,
    ticks: Arc<AtomicU64>,
    is_closing: AtomicBool,
    close: Notify,
    /// Whether the client may still be sending when the last response is written.
    is_lingering: AtomicBool,
}

/// A place among the open connections, freed when this is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    id: u64,
    sockets: Arc<Sockets>,
    pub(super) socket: Arc<Socket>,
}

impl Sockets {
    pub(super) fn new(limits: SocketLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default(), ids: AtomicU64::new(0), ticks: Arc::default() })
    }

    /// Makes room for a connection from that address. `None` if that is not possible.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Seat> {
        let network = Network::of(address);
        let mut open = self.lock();
        if open.len() >= self.limits.total + CLOSING {
            return None;
        }
        let from_there = |socket: &Socket| socket.network == network;
        let is_over = self.limits.per_address.is_some_and(|limit| count(&open, from_there) >= limit);
        if is_over && !close_idlest(&open, from_there) {
            return None;
        }
        if count(&open, |_| true) >= self.limits.total && !close_idlest(&open, |_| true) {
            return None;
        }
        let socket = Arc::new(Socket {
            network,
            is_working: AtomicBool::new(false),
            at: AtomicU64::new(self.ticks.fetch_add(1, Ordering::Relaxed)),
            ticks: Arc::clone(&self.ticks),
            is_closing: AtomicBool::new(false),
            close: Notify::new(),
            is_lingering: AtomicBool::new(false),
        });
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        open.insert(id, Arc::clone(&socket));
        drop(open);
        Some(Seat { id, sockets: Arc::clone(self), socket })
    }

    /// Closes the connection that has waited longest; false if the service is working for all of them.
    pub(super) fn close_one(&self) -> bool {
        close_idlest(&self.lock(), |_| true)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Socket>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count(open: &HashMap<u64, Arc<Socket>>, of: impl Fn(&Socket) -> bool) -> usize {
    open.values().filter(|socket| !socket.is_closing.load(Ordering::Relaxed) && of(socket)).count()
}

fn close_idlest(open: &HashMap<u64, Arc<Socket>>, of: impl Fn(&Socket) -> bool) -> bool {
    let idle = |socket: &&Arc<Socket>| {
        !socket.is_closing.load(Ordering::Relaxed) && !socket.is_working.load(Ordering::Relaxed) && of(socket)
    };
    let idlest = open.values().filter(idle).min_by_key(|socket| socket.at.load(Ordering::Relaxed));
    let Some(idlest) = idlest else { return false };
    idlest.is_closing.store(true, Ordering::Relaxed);
    idlest.close.notify_one();
    true
}

impl Socket {
    /// The connection made progress.
    pub(super) fn step(&self) {
        self.at.store(self.ticks.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// A request is complete: the service now has to answer it.
    pub(super) fn begin_work(&self) {
        self.is_working.store(true, Ordering::Relaxed);
    }

    /// The answer is ready: the client now has to read it.
    pub(super) fn end_work(&self) {
        self.is_working.store(false, Ordering::Relaxed);
        self.step();
    }

    /// The client may still be sending a request that is answered already.
    pub(super) fn linger(&self) {
        self.is_lingering.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_lingering(&self) -> bool {
        self.is_lingering.load(Ordering::Relaxed)
    }

    /// Returns when the connection has to make room for another.
    pub(super) async fn closed(&self) {
        self.close.notified().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.sockets.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn is_closing(seat: &Seat) -> bool {
        seat.socket.is_closing.load(Ordering::Relaxed)
    }

    #[test]
    fn an_address_at_its_limit_closes_the_connection_of_its_own_that_waited_longest() {
        let sockets = Sockets::new(SocketLimits { total: 10, per_address: Some(2) });
        let other = sockets.admit(address(1)).unwrap();
        let first = sockets.admit(address(2)).unwrap();
        let second = sockets.admit(address(2)).unwrap();
        first.socket.step();
        let third = sockets.admit(address(2)).unwrap();
        assert_eq!([&other, &first, &second, &third].map(is_closing), [false, false, true, false]);
    }

    #[test]
    fn the_limit_in_all_closes_the_idlest_of_any_address() {
        let sockets = Sockets::new(SocketLimits { total: 3, per_address: None });
        let seats: Vec<Seat> = (0..4).map(|last| sockets.admit(address(last)).unwrap()).collect();
        assert_eq!(seats.iter().map(is_closing).collect::<Vec<_>>(), [true, false, false, false]);
    }

    #[test]
    fn a_request_that_is_being_answered_is_never_cut_off_and_the_new_connection_is_refused_instead() {
        let sockets = Sockets::new(SocketLimits { total: 10, per_address: Some(2) });
        let working: Vec<Seat> = (0..2).map(|_| sockets.admit(address(1)).unwrap()).collect();
        working.iter().for_each(|seat| seat.socket.begin_work());
        assert!(sockets.admit(address(1)).is_none());
        assert!(sockets.admit(address(2)).is_some());
        working[1].socket.end_work();
        assert!(sockets.admit(address(1)).is_some());
        assert_eq!([&working[0], &working[1]].map(is_closing), [false, true]);
    }

    #[test]
    fn a_seat_is_free_again_when_its_connection_ends() {
        let sockets = Sockets::new(SocketLimits { total: 1, per_address: Some(1) });
        for _ in 0..3 {
            let seat = sockets.admit(address(1)).unwrap();
            assert!(!is_closing(&seat));
        }
        assert_eq!(sockets.lock().len(), 0);
    }

    #[test]
    fn connections_that_are_slow_to_close_are_bounded_too() {
        let sockets = Sockets::new(SocketLimits { total: 2, per_address: Some(2) });
        let seats: Vec<Option<Seat>> = (0..200).map(|_| sockets.admit(address(1))).collect();
        assert_eq!(seats.iter().flatten().count(), 2 + CLOSING);
    }
}
