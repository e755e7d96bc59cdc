//! The queue at one retailer: its requests keep their distance, first come, first served.
//!
//! A request whose turn is near waits for it. Any other gets a place in the queue and comes back when its turn has come;
//! meanwhile nothing is held. A place whose owner does not come back delays nobody for longer than [`GRACE`].
//!
//! Times are counted from some fixed moment: the same for everybody who shares the queue.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// How long after its turn a place is kept free for its owner.
const GRACE: Duration = Duration::from_millis(250);
/// How long after its turn an owner keeps its rank in the queue. It is then served before everybody who came later.
const RANK_KEPT: Duration = Duration::from_secs(60);

/// Who may send, and when.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Queue {
    /// The last turn that was taken. It may be a moment ahead, and never goes back.
    last: Option<Duration>,
    /// Until then the retailer asked to be left alone.
    not_before: Option<Duration>,
    /// The places, by rank: the lower came first.
    places: BTreeMap<u64, Place>,
    next_rank: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    key: String,
    turn: Duration,
}

/// The answer to a request for a turn. All waits are counted from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The turn is taken: send after this wait.
    Taken(Duration),
    /// A place is kept: come back after this wait.
    Later(Duration),
    /// The retailer wants to be left alone for so long.
    HeldOff(Duration),
}

/// The queue at one retailer, where all nodes can reach it.
#[async_trait]
pub trait SharedQueue: Send + Sync {
    /// Runs `change` on the queue while nobody else does, with the time that is the same on all nodes.
    /// Fails if the queue cannot be read or kept. Nothing may be concluded then from what `change` said.
    async fn change(&self, change: &mut Change<'_>) -> Result<(), QueueLost>;
}

/// A change of the queue at a moment.
pub(crate) type Change<'a> = dyn for<'q> FnMut(&'q mut Queue, Duration) + Send + 'a;

/// The shared queue cannot be reached. Why is in the log.
#[derive(Debug)]
pub struct QueueLost;

impl Queue {
    /// Asks for a turn for `key`, no later than after `patience`.
    pub(crate) fn ask(&mut self, now: Duration, min_interval: Duration, key: &str, patience: Duration) -> Turn {
        if let Some(wait) = self.held_off(now) {
            return Turn::HeldOff(wait);
        }
        self.places.retain(|_, place| place.turn + RANK_KEPT > now);
        let rank = self.places.iter().find_map(|(rank, place)| (place.key == key).then_some(*rank));
        let mut turns: Vec<Duration> = self
            .places
            .range(..rank.unwrap_or(u64::MAX))
            .map(|(_, place)| place.turn)
            .filter(|turn| *turn + GRACE > now)
            .collect();
        turns.sort_unstable();
        let mut turn = self.earliest(now, min_interval);
        for taken in turns {
            // Its owner can wait in place for a moment.
            if turn + min_interval <= taken + GRACE {
                break;
            }
            turn = turn.max(taken + min_interval);
        }
        if turn <= now + patience {
            if let Some(rank) = rank {
                self.places.remove(&rank);
            }
            self.last = Some(turn);
            return Turn::Taken(turn - now);
        }
        let rank = rank.unwrap_or_else(|| {
            self.next_rank += 1;
            self.next_rank
        });
        self.places.insert(rank, Place { key: key.to_owned(), turn });
        Turn::Later(turn - now)
    }

    /// Takes the next turn before everybody who waits, for the next request of an exchange that has begun: how long to wait for it.
    pub(crate) fn next(&mut self, now: Duration, min_interval: Duration) -> Duration {
        let turn = self.earliest(now, min_interval);
        self.last = Some(turn);
        turn - now
    }

    /// Notes that the retailer asked to be left alone for so long.
    pub(crate) fn hold_off(&mut self, now: Duration, wait: Duration) {
        self.not_before = self.not_before.max(Some(now + wait));
    }

    /// How long the retailer still wants to be left alone.
    pub(crate) fn held_off(&self, now: Duration) -> Option<Duration> {
        let left = self.not_before?.saturating_sub(now);
        (!left.is_zero()).then_some(left)
    }

    fn earliest(&self, now: Duration, min_interval: Duration) -> Duration {
        self.last.map_or(now, |last| now.max(last + min_interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const PATIENCE: Duration = Duration::from_millis(250);
    /// Any moment will do: the queue knows differences only.
    const START: Duration = Duration::from_secs(1_795_000_000);

    /// A queue, and the time since its start.
    struct Paced {
        queue: Queue,
        interval: Duration,
        now: Duration,
    }

    impl Paced {
        fn new(interval: Duration) -> Self {
            Self { queue: Queue::default(), interval, now: Duration::ZERO }
        }

        /// When the turn is, since the start, and whether it was taken. In between, the queue rests as text.
        fn ask(&mut self, key: &str) -> (bool, Duration) {
            self.queue = serde_json::from_str(&serde_json::to_string(&self.queue).unwrap()).unwrap();
            match self.queue.ask(START + self.now, self.interval, key, PATIENCE) {
                Turn::Taken(wait) => (true, self.now + wait),
                Turn::Later(wait) => (false, self.now + wait),
                Turn::HeldOff(wait) => panic!("held off for {wait:?}"),
            }
        }
    }

    #[test]
    fn places_are_kept_in_the_order_of_arrival() {
        let mut pace = Paced::new(SECOND);
        assert_eq!(pace.ask("a"), (true, Duration::ZERO));
        assert_eq!(pace.ask("b"), (false, SECOND));
        assert_eq!(pace.ask("c"), (false, 2 * SECOND));
        assert_eq!(pace.ask("a"), (false, 3 * SECOND));
        assert_eq!(pace.ask("b"), (false, SECOND), "asking again neither gains nor loses a place");
        pace.now = SECOND;
        // A caller that returns in time is served at once, even if others ask before.
        assert_eq!(pace.ask("c"), (false, 2 * SECOND));
        assert_eq!(pace.ask("d"), (false, 4 * SECOND));
        assert_eq!(pace.ask("b"), (true, SECOND));
    }

    #[test]
    fn every_turn_comes_and_they_keep_their_distance() {
        let mut pace = Paced::new(SECOND);
        let mut due: BTreeMap<(Duration, usize), String> =
            (0..8).map(|n| ((Duration::ZERO, n), format!("user {n}"))).collect();
        let (mut taken, mut counts) = (Vec::new(), BTreeMap::<String, u32>::new());
        while taken.len() < 80 {
            let ((at, n), key) = due.pop_first().unwrap();
            pace.now = pace.now.max(at);
            let (is_taken, turn) = pace.ask(&key);
            if is_taken {
                taken.push(turn);
                *counts.entry(key.clone()).or_default() += 1;
                due.insert((turn, n), key);
            } else {
                // Some come back late, by more than their place is kept.
                due.insert((turn + Duration::from_millis(97 * n as u64), n), key);
            }
        }
        assert!(taken.windows(2).all(|pair| pair[1] - pair[0] >= SECOND), "{taken:?}");
        assert!(counts.values().all(|count| *count >= 7), "{counts:?} {:?}", taken.last());
        assert!(*taken.last().unwrap() < 110 * SECOND, "{:?}", taken.last());
    }

    #[test]
    fn a_place_whose_owner_does_not_come_back_delays_nobody_for_long() {
        let mut pace = Paced::new(10 * SECOND);
        assert_eq!(pace.ask("a"), (true, Duration::ZERO));
        assert_eq!(pace.ask("gone"), (false, 10 * SECOND));
        assert_eq!(pace.ask("b"), (false, 20 * SECOND));
        pace.now = 10 * SECOND + GRACE;
        assert_eq!(pace.ask("c"), (true, 10 * SECOND + GRACE), "the place was free");
        pace.now += 10 * SECOND;
        assert_eq!(pace.ask("b"), (true, 20 * SECOND + GRACE), "it waits in place");
        pace.now += RANK_KEPT;
        assert_eq!(pace.ask("d"), (true, pace.now));
        assert!(pace.queue.places.is_empty(), "nothing is kept of those that are gone");
    }

    #[test]
    fn a_late_owner_is_served_before_those_who_came_after_it() {
        let mut pace = Paced::new(SECOND);
        assert_eq!(pace.ask("a"), (true, Duration::ZERO));
        for key in ["b", "c", "d"] {
            assert!(!pace.ask(key).0);
        }
        pace.now = Duration::from_millis(1400);
        assert_eq!(pace.ask("b"), (true, pace.now));
        pace.now += Duration::from_millis(600);
        assert_eq!(pace.ask("c"), (false, Duration::from_millis(2400)), "the distance is kept");
        assert_eq!(pace.ask("d"), (false, Duration::from_millis(3400)), "behind the one before it");
    }

    #[test]
    fn the_longest_wait_that_was_asked_for_holds() {
        let mut queue = Queue::default();
        assert_eq!(queue.held_off(START), None);
        queue.hold_off(START, 60 * SECOND);
        queue.hold_off(START, SECOND);
        assert_eq!(queue.ask(START, Duration::ZERO, "a", PATIENCE), Turn::HeldOff(60 * SECOND));
        assert_eq!(queue.ask(START + 60 * SECOND, Duration::ZERO, "a", PATIENCE), Turn::Taken(Duration::ZERO));
    }
}
