//! Clock readings that can be compared between processes and across reboots of the machine.

use std::sync::OnceLock;
use std::time::Instant;

use super::window::micros;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    /// The id of the current boot; empty if the system does not report one.
    pub(super) boot: &'static str,
    /// Microseconds since that boot or, without a boot id, since this process first read the clock. Never goes back.
    pub(super) up: i64,
    /// The time of day, in microseconds since 1970. May jump.
    pub(super) day: i64,
}

impl Moment {
    pub(super) fn now() -> Self {
        let day = crate::clock::now().timestamp_micros();
        #[cfg(target_os = "linux")]
        if let Some(boot) = boot() {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
            return Self { boot, up: time.tv_sec.saturating_mul(1_000_000) + time.tv_nsec / 1000, day };
        }
        static FIRST: OnceLock<Instant> = OnceLock::new();
        Self { boot: "", up: micros(FIRST.get_or_init(Instant::now).elapsed()), day }
    }

    /// Microseconds since an earlier moment, which another process may have recorded. If the clock has gone back, the
    /// result is 0: the budget then remembers too many requests, never too few.
    pub(super) fn since(&self, boot: &str, up: i64, day: i64) -> i64 {
        if !boot.is_empty() && boot == self.boot && up <= self.up {
            return self.up - up;
        }
        self.day.saturating_sub(day).max(0)
    }
}

#[cfg(target_os = "linux")]
fn boot() -> Option<&'static str> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    BOOT.get_or_init(read).as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_is_not_believed_where_there_is_a_better_one() {
        let now = Moment { boot: "b", up: 5_000, day: 1_000_000 };
        assert_eq!(now.since("b", 2_000, 999_999_999), 3_000);
        assert_eq!(now.since("other boot", 2_000, 400_000), 600_000);
        assert_eq!(now.since("b", 6_000, 400_000), 600_000);
        assert_eq!(now.since("", 2_000, 2_000_000), 0);
        assert_eq!(Moment { boot: "", ..now }.since("", 2_000, 400_000), 600_000);
    }
}
