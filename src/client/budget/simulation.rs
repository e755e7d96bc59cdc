//! Runs the window against a service that counts arrivals: several commands share the window, latencies vary, and time
//! is simulated. The service's clock runs at a different pace from ours.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use super::quota::{Quota, SPECIFIED};
use super::window::{Availability, Counted, Id, Window, micros};

const SECOND: i64 = 1_000_000;

/// A small random number generator with the same sequence in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    fn below(&mut self, most: i64) -> i64 {
        (self.next() % most.max(1) as u64) as i64
    }
}

/// A strict sliding window on a clock of its own.
struct Service {
    quota: Quota,
    pace: f64,
    arrivals: VecDeque<i64>,
}

impl Service {
    /// How many requests it has counted, including this one. On refusal, how long the client must wait.
    fn arrives(&mut self, time: i64) -> Result<u64, i64> {
        let now = (time as f64 * self.pace) as i64;
        let window = micros(self.quota.window);
        while self.arrivals.front().is_some_and(|first| now - first >= window) {
            self.arrivals.pop_front();
        }
        match self.arrivals.front() {
            // In whole seconds, like the header.
            Some(first) if self.arrivals.len() >= self.quota.requests.get() as usize => {
                Err(((first + window - now) as u64).div_ceil(SECOND as u64) as i64 * SECOND)
            }
            _ => {
                self.arrivals.push_back(now);
                Ok(self.arrivals.len() as u64)
            }
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Try(u32),
    Arrive(u32, Id, i64),
    Answer(u32, Id, i64, Result<u64, i64>),
    GiveUp(u32, Id),
    Stranger,
}

/// The conditions of a run.
#[derive(Clone, Copy, Default)]
struct World {
    commands: u32,
    requests: usize,
    latency: i64,
    /// One in this many requests is given up before its answer arrives; 0: none.
    given_up: i64,
    /// One in this many requests is the last of its process, which is killed and replaced by another.
    killed: i64,
    /// How many requests another machine sends, one each second.
    strangers: usize,
}

/// How many requests were refused, and how long the whole run took.
fn run(seed: u64, quota: Quota, world: World) -> (usize, Duration) {
    let mut numbers = Numbers(seed);
    let pace = 1.0 + (numbers.below(1001) - 500) as f64 / 1_000_000.0;
    let mut service = Service { quota, pace, arrivals: VecDeque::new() };
    let (mut window, mut dead): (Window, Vec<u32>) = (Window::default(), Vec::new());
    let mut events = BinaryHeap::new();
    let mut process: Vec<u32> = (0..world.commands).map(|command| command + 1).collect();
    let (mut sent, mut last, mut number, mut refused) = (0, 0, 0, 0);
    (0..world.commands).for_each(|command| events.push(Reverse((i64::from(command), Event::Try(command)))));
    (0..world.strangers).for_each(|index| events.push(Reverse((index as i64 * SECOND, Event::Stranger))));
    while let Some(Reverse((now, event))) = events.pop() {
        let mut then = |wait: i64, event| events.push(Reverse((now + wait, event)));
        match event {
            Event::Try(_) if sent == world.requests => {}
            Event::Try(command) => {
                window.tidy(now, Some(quota), |process| !dead.contains(&process));
                match window.opening(now, quota, false) {
                    Availability::Now => {
                        number += 1;
                        let id = (process[command as usize], number);
                        window.spend(id, now + 60 * SECOND, false);
                        (sent, last) = (sent + 1, now);
                        let arrives = numbers.below(world.latency);
                        then(arrives, Event::Arrive(command, id, now));
                        if world.killed > 0 && numbers.below(world.killed) == 0 {
                            // The request is on its way, and its answer will not be recorded.
                            let next = process.iter().max().copied().unwrap_or_default() + 1;
                            dead.push(std::mem::replace(&mut process[command as usize], next));
                            then(1, Event::Try(command));
                        } else if world.given_up > 0 && numbers.below(world.given_up) == 0 {
                            then(numbers.below(SECOND), Event::GiveUp(command, id));
                        }
                    }
                    Availability::In(wait) => then(wait, Event::Try(command)),
                    Availability::Unknown => then(SECOND / 50, Event::Try(command)),
                }
            }
            Event::Arrive(command, id, began) => {
                let counted = service.arrives(now);
                refused += usize::from(counted.is_err());
                if !dead.contains(&id.0) {
                    then(numbers.below(world.latency), Event::Answer(command, id, began, counted));
                }
            }
            Event::Answer(command, id, began, counted) => {
                if window.spent.iter().any(|spent| spent.id == id && spent.in_flight) {
                    window.settle(id, now);
                    match counted {
                        Ok(requests) => window.compare(now, quota, Counted { sent: began, requests }),
                        Err(wait) => window.refused(now, Some(quota), wait),
                    }
                    then(1, Event::Try(command));
                }
            }
            Event::GiveUp(command, id) => {
                if window.spent.iter().any(|spent| spent.id == id && spent.in_flight) {
                    window.abandon(id, now);
                    then(1, Event::Try(command));
                }
            }
            Event::Stranger => {
                let _ = service.arrives(now);
            }
        }
    }
    assert_eq!(sent, world.requests, "seed {seed}");
    assert!(window.spent.len() <= 4 * quota.requests.get() as usize);
    (refused, Duration::from_micros(last as u64))
}

fn quota(requests: u32, seconds: u64) -> Quota {
    Quota { requests: requests.try_into().expect("some"), window: Duration::from_secs(seconds) }
}

#[test]
fn nothing_is_refused_and_hardly_any_time_is_lost() {
    for seed in 0..150 {
        for (quota, latency) in [(SPECIFIED, SECOND / 2), (SPECIFIED, SECOND / 100), (quota(10, 6), SECOND / 40)] {
            let limit = quota.requests.get() as usize;
            let commands = 1 + (seed % 4) as u32;
            // Three whole windows pass before the last request.
            let world = World { commands, requests: 3 * limit + 1, latency, ..World::default() };
            let (refused, took) = run(seed, quota, world);
            assert_eq!(refused, 0, "seed {seed}");
            // If the requests themselves take longer than the window requires, the window has cost nothing.
            let least = (quota.window * 3).max(Duration::from_micros(latency as u64) * (3 * limit as u32 / commands));
            assert!(took <= least.mul_f64(1.03), "seed {seed}: {took:?} of {least:?}");
        }
    }
}

#[test]
fn nothing_is_refused_where_requests_are_given_up_and_processes_are_killed() {
    for seed in 0..150 {
        let world =
            World { commands: 3, requests: 301, latency: SECOND / 5, given_up: 7, killed: 9, ..World::default() };
        let (refused, took) = run(seed, SPECIFIED, world);
        assert_eq!(refused, 0, "seed {seed}");
        assert!(took <= Duration::from_secs(180).mul_f64(1.03), "seed {seed}: {took:?}");
    }
}

#[test]
fn what_others_send_is_seen_in_the_answers_and_left_to_them() {
    for seed in 0..50 {
        let world = World { commands: 2, requests: 301, latency: SECOND / 10, strangers: 300, ..World::default() };
        let (refused, _) = run(seed, SPECIFIED, world);
        // A stranger's request that arrives while the window is full cannot be foreseen.
        assert!(refused <= 12, "seed {seed}: {refused}");
    }
}
