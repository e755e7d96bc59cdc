//! The pace of one retailer: its requests keep their distance over all syncs of this node, first come, first served.
//!
//! A request whose turn is near waits for it. Any other gets a place in the queue and comes back when its turn has come;
//! meanwhile nothing is held. A place whose owner does not come back delays nobody for longer than [`GRACE`].

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

/// How long after its turn a place is kept free for its owner.
const GRACE: Duration = Duration::from_millis(250);
/// How long after its turn an owner keeps its rank in the queue. It is then served before everybody who came later.
const RANK_KEPT: Duration = Duration::from_secs(60);

/// Who may send, and when.
#[derive(Debug)]
pub(super) struct Pace {
    min_interval: Duration,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    /// The last turn that was taken. It may be a moment ahead, and never goes back.
    last: Option<Instant>,
    /// Until then the retailer asked to be left alone.
    not_before: Option<Instant>,
    /// The places, by rank: the lower came first.
    places: BTreeMap<u64, Place>,
    next_rank: u64,
}

#[derive(Debug)]
struct Place {
    key: String,
    turn: Instant,
}

/// The answer to a request for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// The turn is taken: send at this instant.
    Taken(Instant),
    /// A place is kept: come back at this instant.
    Later(Instant),
}

impl Pace {
    pub(super) const fn new(min_interval: Duration) -> Self {
        let queue = Queue { last: None, not_before: None, places: BTreeMap::new(), next_rank: 0 };
        Self { min_interval, queue: Mutex::new(queue) }
    }

    /// Asks for a turn for `key`, no later than after `patience`.
    pub(super) fn ask(&self, key: &str, patience: Duration) -> Turn {
        let now = Instant::now();
        let mut queue = self.lock();
        queue.places.retain(|_, place| place.turn + RANK_KEPT > now);
        let rank = queue.places.iter().find_map(|(rank, place)| (place.key == key).then_some(*rank));
        let mut turns: Vec<Instant> = queue
            .places
            .range(..rank.unwrap_or(u64::MAX))
            .map(|(_, place)| place.turn)
            .filter(|turn| *turn + GRACE > now)
            .collect();
        turns.sort_unstable();
        let mut turn = self.earliest(&queue, now);
        for taken in turns {
            // Its owner can wait in place for a moment.
            if turn + self.min_interval <= taken + GRACE {
                break;
            }
            turn = turn.max(taken + self.min_interval);
        }
        if turn <= now + patience {
            if let Some(rank) = rank {
                queue.places.remove(&rank);
            }
            queue.last = Some(turn);
            return Turn::Taken(turn);
        }
        let rank = rank.unwrap_or_else(|| {
            queue.next_rank += 1;
            queue.next_rank
        });
        queue.places.insert(rank, Place { key: key.to_owned(), turn });
        Turn::Later(turn)
    }

    /// Takes the next turn before everybody who waits: for the next request of an exchange that has begun.
    pub(super) fn next(&self) -> Instant {
        let mut queue = self.lock();
        let turn = self.earliest(&queue, Instant::now());
        queue.last = Some(turn);
        turn
    }

    /// Notes that the retailer asked to be left alone for so long.
    pub(super) fn hold_off(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut queue = self.lock();
        queue.not_before = Some(queue.not_before.map_or(until, |known| known.max(until)));
    }

    /// How long the retailer still wants to be left alone.
    pub(super) fn held_off(&self) -> Option<Duration> {
        let left = self.lock().not_before?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    fn earliest(&self, queue: &Queue, now: Instant) -> Instant {
        queue.last.map_or(now, |last| now.max(last + self.min_interval))
    }

    /// Each change is a whole one, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const PATIENCE: Duration = Duration::from_millis(250);

    fn later(turn: Turn, start: Instant) -> Duration {
        match turn {
            Turn::Later(at) => at - start,
            Turn::Taken(at) => panic!("the turn was taken at {:?}", at - start),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn places_are_kept_in_the_order_of_arrival() {
        let (pace, start) = (Pace::new(SECOND), Instant::now());
        assert_eq!(pace.ask("a", PATIENCE), Turn::Taken(start));
        assert_eq!(later(pace.ask("b", PATIENCE), start), SECOND);
        assert_eq!(later(pace.ask("c", PATIENCE), start), 2 * SECOND);
        assert_eq!(later(pace.ask("a", PATIENCE), start), 3 * SECOND);
        assert_eq!(later(pace.ask("b", PATIENCE), start), SECOND, "asking again neither gains nor loses a place");
        tokio::time::advance(SECOND).await;
        // A caller that returns in time is served at once, even if others ask before.
        assert_eq!(later(pace.ask("c", PATIENCE), start), 2 * SECOND);
        assert_eq!(later(pace.ask("d", PATIENCE), start), 4 * SECOND);
        assert_eq!(pace.ask("b", PATIENCE), Turn::Taken(start + SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn every_turn_comes_and_they_keep_their_distance() {
        let (pace, start) = (Pace::new(SECOND), Instant::now());
        let mut due: BTreeMap<(Instant, usize), String> = (0..8).map(|n| ((start, n), format!("user {n}"))).collect();
        let (mut taken, mut counts) = (Vec::new(), BTreeMap::<String, u32>::new());
        while taken.len() < 80 {
            let ((at, n), key) = due.pop_first().unwrap();
            tokio::time::advance(at.saturating_duration_since(Instant::now())).await;
            match pace.ask(&key, PATIENCE) {
                Turn::Taken(turn) => {
                    taken.push(turn);
                    *counts.entry(key.clone()).or_default() += 1;
                    due.insert((turn, n), key);
                }
                // Some come back late, by more than their place is kept.
                Turn::Later(turn) => _ = due.insert((turn + Duration::from_millis(97 * n as u64), n), key),
            }
        }
        assert!(taken.windows(2).all(|pair| pair[1] - pair[0] >= SECOND), "{taken:?}");
        assert!(counts.values().all(|count| *count >= 7), "{counts:?} {:?}", *taken.last().unwrap() - start);
        assert!(*taken.last().unwrap() - start < 110 * SECOND, "{:?}", *taken.last().unwrap() - start);
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_whose_owner_does_not_come_back_delays_nobody_for_long() {
        let (pace, start) = (Pace::new(10 * SECOND), Instant::now());
        assert_eq!(pace.ask("a", PATIENCE), Turn::Taken(start));
        assert_eq!(later(pace.ask("gone", PATIENCE), start), 10 * SECOND);
        assert_eq!(later(pace.ask("b", PATIENCE), start), 20 * SECOND);
        tokio::time::advance(10 * SECOND + GRACE).await;
        assert_eq!(pace.ask("c", PATIENCE), Turn::Taken(start + 10 * SECOND + GRACE), "the place was free");
        tokio::time::advance(10 * SECOND).await;
        assert_eq!(pace.ask("b", PATIENCE), Turn::Taken(start + 20 * SECOND + GRACE), "it waits in place");
        tokio::time::advance(RANK_KEPT).await;
        assert_eq!(pace.ask("d", PATIENCE), Turn::Taken(Instant::now()));
        assert!(pace.lock().places.is_empty(), "nothing is kept of those that are gone");
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_owner_is_served_before_those_who_came_after_it() {
        let (pace, start) = (Pace::new(SECOND), Instant::now());
        assert_eq!(pace.ask("a", PATIENCE), Turn::Taken(start));
        for key in ["b", "c", "d"] {
            let _later = pace.ask(key, PATIENCE);
        }
        tokio::time::advance(Duration::from_millis(1400)).await;
        assert_eq!(pace.ask("b", PATIENCE), Turn::Taken(start + Duration::from_millis(1400)));
        tokio::time::advance(Duration::from_millis(600)).await;
        assert_eq!(later(pace.ask("c", PATIENCE), start), Duration::from_millis(2400), "the distance is kept");
        assert_eq!(later(pace.ask("d", PATIENCE), start), Duration::from_millis(3400), "behind the one before it");
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_wait_that_was_asked_for_holds() {
        let pace = Pace::new(Duration::ZERO);
        assert_eq!(pace.held_off(), None);
        pace.hold_off(60 * SECOND);
        pace.hold_off(SECOND);
        assert_eq!(pace.held_off(), Some(60 * SECOND));
        tokio::time::advance(60 * SECOND).await;
        assert_eq!(pace.held_off(), None);
    }
}
