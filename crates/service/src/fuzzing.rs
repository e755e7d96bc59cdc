//! A small fuzzer for tests: it makes random changes to well-formed inputs for a given time, and counts the runs.
//!
//! `FUZZ_SECONDS` says how long each test runs (1 if it is not set), `FUZZ_SEED` sets the random seed.

#![allow(clippy::print_stdout, reason = "how much was tried is what CI shows")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// No input of these sizes may take longer, even on a slow machine.
const LONGEST: Duration = Duration::from_secs(20);
/// The largest size that inputs grow to.
const MAX_BYTES: usize = 64 * 1024;

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end.max(1) as u64).unwrap_or_default()
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Tries `case` with mutated seeds until the time is over. `words` are inserted here and there.
pub(crate) fn fuzz(name: &str, seeds: &[&[u8]], words: &[&str], mut case: impl FnMut(&[u8], &mut Random)) {
    let end = Instant::now() + Duration::from_secs(setting("FUZZ_SECONDS", 1));
    let mut random = Random(setting("FUZZ_SEED", 1));
    let (mut executions, mut slowest) = (0_u64, Duration::ZERO);
    while executions == 0 || Instant::now() < end {
        let mut input = random.pick(seeds).to_vec();
        for _ in 0..random.below(8) {
            change(&mut input, seeds, words, &mut random);
        }
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| case(&input, &mut random)));
        let took = started.elapsed();
        slowest = slowest.max(took);
        executions += 1;
        assert!(
            outcome.is_ok() && took < LONGEST,
            "{name}: execution {executions} failed after {took:?} with {:?}",
            String::from_utf8_lossy(&input)
        );
    }
    println!("fuzz {name}: {executions} executions, the slowest {slowest:?}");
}

fn change(input: &mut Vec<u8>, seeds: &[&[u8]], words: &[&str], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let to = (at + random.below(64)).min(input.len());
    match random.below(9) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => input[at] = u8::try_from(random.below(256)).unwrap_or_default(),
        2 => _ = input.drain(at..to),
        3 => {
            let piece = input[at..to].to_vec();
            let into = random.below(input.len() + 1);
            input.splice(into..into, piece);
        }
        4 => {
            let other = random.pick(seeds);
            let from = random.below(other.len() + 1);
            input.splice(at..to, other[from..(from + random.below(256)).min(other.len())].to_vec());
        }
        5 => input.truncate(at),
        6 => {
            let piece = input[at..to].repeat(1 << random.below(6));
            input.splice(at..at, piece);
        }
        7 if at < input.len() && input[at].is_ascii_digit() => {
            input[at] = b'0' + u8::try_from(random.below(10)).unwrap_or_default()
        }
        _ if !words.is_empty() => _ = input.splice(at..at, random.pick(words).bytes()),
        _ => {}
    }
    input.truncate(MAX_BYTES);
}
