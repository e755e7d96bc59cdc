//! The sliding window, without a clock or a file. Times are microseconds on some clock that only goes forward.
//!
//! The rule: the service counts a request when it arrives, which is after it was sent and before its answer comes back.
//! With a limit of N, a request is therefore sent no sooner than one window after the *answer* to the Nth request
//! before it. However long either of the two travels, they then arrive at least a window apart.

use std::time::Duration;

use super::quota::{LONGEST_PLANNED, Quota, SPECIFIED, StatedLimit};

/// Two clocks may drift apart by one part in this many of a window (NTP slews by half of that).
const DRIFT: i64 = 1000;
/// How long requests are remembered after they have left the window, or another window if that is shorter, so that they
/// can be compared with the service's count.
const REMEMBERED: i64 = 10_000_000;
/// How long a request may still be on its way after its answer is no longer awaited.
const ON_ITS_WAY: i64 = 1_000_000;
/// One in this many requests may follow a session.
const POLLS: usize = 10;

/// A request's process, and its number in that process. Process 0: a request of another sender, inferred.
pub(super) type Id = (u32, u32);

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SentRequest {
    pub(super) id: Id,
    /// The latest time at which it has arrived.
    pub(super) by: i64,
    /// No answer has arrived yet.
    pub(super) in_flight: bool,
    /// Whether it follows a session.
    pub(super) poll: bool,
}

impl SentRequest {
    fn arrived(&mut self, by: i64) {
        (self.by, self.in_flight) = (self.by.min(by), false);
    }
}

/// What is known of one budget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) spent: Vec<SentRequest>,
    /// The service accepts no requests before this time.
    pub(super) closed_until: i64,
    /// The limit that the service states.
    pub(super) told: Option<StatedLimit>,
}

/// When a request may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Availability {
    Now,
    /// After this many microseconds.
    In(i64),
    /// One window after an answer that has not arrived yet.
    Unknown,
}

impl Availability {
    /// The sooner of two. If `self` depends on a missing answer, so does the result.
    pub(super) fn sooner(self, other: Self) -> Self {
        match (self, other) {
            (Self::In(one), Self::In(other)) => Self::In(one.min(other)),
            (Self::In(_), Self::Now) => Self::Now,
            (this, _) => this,
        }
    }
}

/// What an answer reveals about the window: how many requests the service has counted in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    /// When the request was sent.
    pub(super) sent: i64,
    pub(super) requests: u64,
}

/// A duration in microseconds.
pub(super) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX / 4).min(i64::MAX / 4)
}

/// How long a request holds its place: the window, plus what clocks may drift.
fn span(quota: Quota) -> i64 {
    let window = micros(quota.window);
    window + window / DRIFT + 1000
}

/// How long a request is remembered after it has left the window.
fn remembered(quota: Quota) -> i64 {
    micros(quota.window).min(REMEMBERED)
}

/// How many requests in a window may follow a session.
pub(super) fn polls_of(quota: Quota) -> usize {
    (quota.requests.get() as usize / POLLS).max(1)
}

impl Window {
    /// When the next request may be sent.
    pub(super) fn opening(&self, now: i64, quota: Quota, poll: bool) -> Availability {
        let limit = quota.requests.get() as usize;
        let all = self.opening_among(now, quota, limit, |_| true);
        let polls =
            if poll { self.opening_among(now, quota, polls_of(quota), |spent| spent.poll) } else { Availability::Now };
        let closed = match self.closed_until - now {
            wait @ 1.. => Availability::In(wait),
            _ => Availability::Now,
        };
        [all, polls].into_iter().fold(closed, |latest, opening| match (latest, opening) {
            (Availability::Unknown, _) | (_, Availability::Unknown) => Availability::Unknown,
            (Availability::In(one), Availability::In(other)) => Availability::In(one.max(other)),
            (Availability::Now, other) => other,
            (one, Availability::Now) => one,
        })
    }

    /// When a request may be sent although the limit has no room: the stated limit may be wrong, and only another
    /// answer can show that. This allows one request per window of the specification.
    pub(super) fn probe(&self, now: i64) -> Availability {
        let last = self.spent.iter().map(|spent| spent.by + micros(SPECIFIED.window)).max();
        match last.unwrap_or(now).max(self.closed_until) - now {
            wait @ 1.. => Availability::In(wait),
            _ => Availability::Now,
        }
    }

    fn opening_among(&self, now: i64, quota: Quota, limit: usize, counts: fn(&SentRequest) -> bool) -> Availability {
        let span = span(quota);
        let mut held: Vec<&SentRequest> =
            self.spent.iter().filter(|spent| counts(spent) && spent.by + span > now).collect();
        if held.len() < limit {
            return Availability::Now;
        }
        let index = held.len() - limit;
        held.sort_unstable_by_key(|spent| spent.by);
        match held.get(index) {
            Some(spent) if spent.in_flight => Availability::Unknown,
            Some(spent) => Availability::In(spent.by + span - now),
            None => Availability::Now,
        }
    }

    /// Adds a request that is about to be sent, and that arrives by `latest` if at all.
    pub(super) fn spend(&mut self, id: Id, latest: i64, poll: bool) {
        self.spent.push(SentRequest { id, by: latest, in_flight: true, poll });
    }

    /// Records that its answer has arrived.
    pub(super) fn settle(&mut self, id: Id, now: i64) {
        for spent in self.spent.iter_mut().filter(|spent| spent.id == id && spent.in_flight) {
            spent.arrived(now);
        }
    }

    /// Records that its answer is no longer awaited.
    pub(super) fn abandon(&mut self, id: Id, now: i64) {
        self.settle(id, now + ON_ITS_WAY);
    }

    /// Removes a request that was not sent after all.
    pub(super) fn take_back(&mut self, id: Id) {
        self.spent.retain(|spent| spent.id != id);
    }

    /// Compares the service's count with what was sent from here: any surplus was sent by others. It is unknown when,
    /// so these requests leave the window one window from now.
    pub(super) fn compare(&mut self, now: i64, quota: Quota, counted: Counted) {
        if now - counted.sent >= remembered(quota) {
            return;
        }
        let span = span(quota);
        let ours = self.spent.iter().filter(|spent| spent.by + span > counted.sent).count();
        let counted = usize::try_from(counted.requests).unwrap_or(usize::MAX).min(quota.requests.get() as usize);
        self.others(counted.saturating_sub(ours), now);
    }

    /// Records that the service has refused a request and accepts another after `wait`: until then the window is full.
    pub(super) fn refused(&mut self, now: i64, quota: Option<Quota>, wait: i64) {
        // Longer waits are not believed: after this time, one request tries again.
        let wait = wait.min(micros(LONGEST_PLANNED));
        self.closed_until = self.closed_until.max(now + wait);
        if let Some(quota) = quota {
            let span = span(quota);
            let held = self.spent.iter().filter(|spent| spent.by + span > now).count();
            let missing = (quota.requests.get() as usize).saturating_sub(held);
            self.others(missing, (now + wait - span).min(now));
        }
    }

    fn others(&mut self, count: usize, by: i64) {
        let other = SentRequest { id: (0, 0), by, in_flight: false, poll: false };
        self.spent.extend(std::iter::repeat_n(other, count));
    }

    /// Forgets requests that no longer matter, and settles those of processes that have ended.
    pub(super) fn tidy(&mut self, now: i64, quota: Option<Quota>, lives: impl Fn(u32) -> bool) {
        for spent in self.spent.iter_mut().filter(|spent| spent.in_flight) {
            if spent.by <= now || !lives(spent.id.0) {
                spent.arrived(now + ON_ITS_WAY);
            }
        }
        match quota {
            None => self.spent.retain(|spent| spent.in_flight),
            Some(quota) => {
                let held = span(quota) + remembered(quota);
                self.spent.retain(|spent| spent.by + held > now);
                // If the limit has shrunk, or others have sent many requests, the oldest ones are dropped first.
                let most = 3 * quota.requests.get() as usize;
                if self.spent.len() > most {
                    self.spent.sort_unstable_by_key(|spent| spent.by);
                    self.spent.drain(..self.spent.len() - most);
                }
            }
        }
    }

    /// How many requests can be sent now.
    pub(super) fn left(&self, now: i64, quota: Quota) -> u32 {
        if self.closed_until > now {
            return 0;
        }
        let span = span(quota);
        let held = self.spent.iter().filter(|spent| spent.by + span > now).count();
        quota.requests.get().saturating_sub(u32::try_from(held).unwrap_or(u32::MAX))
    }

    /// The ages of the requests in the window that follow a session, oldest first, in microseconds.
    pub(super) fn polls(&self, now: i64, quota: Quota) -> Vec<i64> {
        let window = micros(quota.window);
        let polls = self.spent.iter().filter(|spent| spent.poll);
        let mut ago: Vec<i64> = polls.map(|spent| (now - spent.by).max(0)).filter(|ago| *ago < window).collect();
        ago.sort_unstable_by(|one, other| other.cmp(one));
        ago
    }

    /// The shortest time in which this many more requests can be sent, in microseconds.
    pub(super) fn time_for(&self, now: i64, quota: Quota, requests: u64) -> i64 {
        let (span, limit) = (span(quota), quota.requests.get() as usize);
        let closed = (self.closed_until - now).max(0);
        // When each place of the window opens next.
        let mut places: Vec<i64> = self
            .spent
            .iter()
            .map(|spent| spent.by + span - now)
            .filter(|left| *left > 0)
            .map(|left| left.min(span))
            .collect();
        places.sort_unstable();
        let mut places: Vec<i64> = places.split_off(places.len().saturating_sub(limit));
        places.splice(0..0, std::iter::repeat_n(0, limit - places.len()));
        let Some(last) = requests.checked_sub(1) else { return 0 };
        let (rounds, place) = (last / limit as u64, (last % limit as u64) as usize);
        let rounds = i64::try_from(rounds).unwrap_or(i64::MAX).saturating_mul(span);
        rounds.saturating_add(places.get(place).copied().unwrap_or(span).max(closed))
    }
}

#[cfg(test)]
mod tests {
    use super::super::quota::SPECIFIED;
    use super::*;

    const SECOND: i64 = 1_000_000;

    /// A window whose requests were answered at these seconds.
    fn answered(seconds: impl IntoIterator<Item = i64>) -> Window {
        let mut window = Window::default();
        for (number, second) in seconds.into_iter().enumerate() {
            let id = (1, number as u32);
            window.spend(id, (second + 60) * SECOND, false);
            window.settle(id, second * SECOND);
        }
        window
    }

    fn seconds(opening: Availability) -> Option<i64> {
        match opening {
            Availability::Now => Some(0),
            Availability::In(wait) => Some(wait / SECOND),
            Availability::Unknown => None,
        }
    }

    #[test]
    fn a_place_opens_a_window_after_the_answer() {
        let window = answered(0..100);
        let at = |second: i64| seconds(window.opening(second * SECOND, SPECIFIED, false));
        assert_eq!(at(99), Some(0));
        let full = answered(std::iter::repeat_n(5, 100));
        let at = |micros: i64| full.opening(micros, SPECIFIED, false);
        assert_eq!(at(10 * SECOND), Availability::In(55 * SECOND + 61_000));
        assert_eq!(at(65 * SECOND), Availability::In(61_000));
        assert_eq!(at(65 * SECOND + 61_000), Availability::Now);
    }

    #[test]
    fn a_request_in_flight_holds_its_place_until_it_is_answered_or_its_process_is_gone() {
        let quota = Quota { requests: 1.try_into().expect("one"), window: Duration::from_secs(60) };
        let mut window = Window::default();
        window.spend((7, 1), 60 * SECOND, false);
        assert_eq!(window.opening(SECOND, quota, false), Availability::Unknown);
        window.tidy(SECOND, Some(quota), |process| process == 7);
        assert_eq!(window.opening(SECOND, quota, false), Availability::Unknown);
        window.tidy(2 * SECOND, Some(quota), |_| false);
        assert_eq!(seconds(window.opening(2 * SECOND, quota, false)), Some(61));
        window.take_back((7, 1));
        assert_eq!(window.opening(2 * SECOND, quota, false), Availability::Now);
    }

    #[test]
    fn a_refusal_fills_the_window_until_the_service_takes_requests_again() {
        let mut window = answered([0, 1]);
        window.refused(10 * SECOND, Some(SPECIFIED), 7 * SECOND);
        assert_eq!(window.left(10 * SECOND, SPECIFIED), 0);
        assert_eq!(seconds(window.opening(10 * SECOND, SPECIFIED, false)), Some(7));
        assert_eq!(window.opening(17 * SECOND, SPECIFIED, false), Availability::Now);
    }

    #[test]
    fn a_limit_that_was_told_wrongly_lets_one_request_in_a_minute_through() {
        let quota = Quota { requests: 1.try_into().expect("one"), window: Duration::from_secs(600) };
        let mut window = answered([0]);
        assert_eq!(seconds(window.opening(10 * SECOND, quota, false)), Some(590));
        let soon = |window: &Window, now: i64| seconds(window.opening(now, quota, false).sooner(window.probe(now)));
        assert_eq!(soon(&window, 10 * SECOND), Some(50));
        assert_eq!(soon(&window, 60 * SECOND), Some(0));
        // If the service asks for a day's wait, it is asked again after ten minutes.
        window.refused(60 * SECOND, Some(quota), 24 * 3600 * SECOND);
        assert_eq!(soon(&window, 60 * SECOND), Some(600));
        assert_eq!(soon(&window, 660 * SECOND), Some(0));
    }

    #[test]
    fn followers_have_a_tenth_between_them() {
        let mut window = Window::default();
        for number in 0..10 {
            assert_eq!(window.opening(0, SPECIFIED, true), Availability::Now);
            window.spend((1, number), 60 * SECOND, true);
            window.settle((1, number), 0);
        }
        assert_eq!(seconds(window.opening(0, SPECIFIED, true)), Some(60));
        assert_eq!(window.opening(0, SPECIFIED, false), Availability::Now);
    }

    #[test]
    fn the_time_for_requests_is_that_of_the_windows_they_need() {
        let window = answered(std::iter::repeat_n(0, 40));
        let time = |requests| window.time_for(10 * SECOND, SPECIFIED, requests) / SECOND;
        assert_eq!([0, 1, 60, 61, 100, 101, 160, 161, 250].map(time), [0, 0, 0, 50, 50, 60, 60, 110, 120]);
        let mut closed = window.clone();
        closed.refused(10 * SECOND, None, 30 * SECOND);
        assert_eq!(closed.time_for(10 * SECOND, SPECIFIED, 1) / SECOND, 30);
    }

    #[test]
    fn what_the_service_counts_beyond_ours_belongs_to_others() {
        let mut window = answered([0, 1, 2]);
        let counted = |requests| Counted { sent: 2 * SECOND, requests };
        window.compare(2 * SECOND, SPECIFIED, counted(3));
        assert_eq!(window.left(2 * SECOND, SPECIFIED), 97);
        window.compare(2 * SECOND, SPECIFIED, counted(95));
        assert_eq!(window.left(2 * SECOND, SPECIFIED), 5);
        // An answer that took too long reveals nothing about the present.
        window.compare(200 * SECOND, SPECIFIED, counted(95));
        assert_eq!(window.left(200 * SECOND, SPECIFIED), 100);
    }
}
