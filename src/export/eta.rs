//! How far an export has come, for people: items, pace, time left.

use std::time::{Duration, Instant};

/// Before this, pace and time are not shown: they would be guesses.
const SETTLED: Duration = Duration::from_millis(500);

/// The report of one export.
#[derive(Debug)]
pub(crate) struct Eta {
    started: Instant,
    before: u64,
}

impl Eta {
    /// A report that begins now, with so many items that were there before.
    pub(crate) const fn new(now: Instant, before: u64) -> Self {
        Self { started: now, before }
    }

    /// "12000 of 70000 items, 8300/s, 7 s left".
    pub(crate) fn text(&self, now: Instant, count: u64, total: Option<u64>) -> String {
        let mut text = match total {
            Some(total) => format!("{count} of {total} items"),
            None => format!("{count} items"),
        };
        let elapsed = now.saturating_duration_since(self.started);
        let is_settled = elapsed >= SETTLED && count > self.before;
        let pace = count.saturating_sub(self.before) as f64 / elapsed.as_secs_f64();
        if is_settled {
            text.push_str(&format!(", {pace:.0}/s"));
        }
        if let Some(left) = total.and_then(|total| total.checked_sub(count)).filter(|left| is_settled && *left > 0) {
            text.push_str(&format!(", {} left", duration((left as f64 / pace).ceil())));
        }
        text
    }
}

/// "7 s", "2 min 05 s", "1 h 02 min".
fn duration(seconds: f64) -> String {
    // Past a year the seconds do not matter.
    let seconds = seconds.clamp(0.0, 31_536_000.0) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_and_time_left_are_told_once_they_are_known() {
        let start = Instant::now();
        let report = Eta::new(start, 0);
        let at = |millis: u64, count, total| report.text(start + Duration::from_millis(millis), count, total);
        assert_eq!(at(100, 1000, Some(70_000)), "1000 of 70000 items");
        assert_eq!(at(2000, 10_000, Some(70_000)), "10000 of 70000 items, 5000/s, 12 s left");
        assert_eq!(at(1000, 1000, Some(126_000)), "1000 of 126000 items, 1000/s, 2 min 05 s left");
        assert_eq!(at(1000, 1, Some(7_201)), "1 of 7201 items, 1/s, 2 h 00 min left");
        assert_eq!(at(1000, 500, None), "500 items, 500/s");
        assert_eq!(at(1000, 500, Some(500)), "500 of 500 items, 500/s");
    }
}
