//! Passes: a browser that opens one is signed in without a password, once. Only the service inside a command issues them, to that
//! command, and keeps them in memory.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::ids::{NoRandomness, random_bytes};
use crate::keys::token_digest;

/// How long a pass is valid: as long as a browser may take to start.
const LIFE: Duration = Duration::from_secs(60);
/// The most passes that are valid at a time.
const MOST: usize = 16;

/// The passes that were not used yet: their digests, and when they expire.
#[derive(Debug, Default)]
pub(crate) struct Passes(Mutex<Vec<([u8; 32], Duration)>>);

impl Passes {
    /// A new pass. `now`: the time of the service's monotonic clock.
    pub(crate) fn issue(&self, now: Duration) -> Result<String, NoRandomness> {
        let pass = URL_SAFE_NO_PAD.encode(random_bytes::<32>()?);
        let mut valid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        valid.retain(|(_, expires)| *expires > now);
        if valid.len() == MOST {
            valid.remove(0);
        }
        valid.push((token_digest(&pass), now + LIFE));
        Ok(pass)
    }

    /// Uses a pass up. False: it was used before, has expired, or is none.
    pub(crate) fn redeem(&self, pass: &str, now: Duration) -> bool {
        let digest = token_digest(pass);
        let mut valid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        valid.retain(|(_, expires)| *expires > now);
        let found = valid.iter().position(|(known, _)| *known == digest);
        found.map(|index| valid.remove(index)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_valid_once_and_for_a_minute() {
        let passes = Passes::default();
        let start = Duration::from_secs(5);
        let [first, second] = [passes.issue(start).unwrap(), passes.issue(start).unwrap()];
        assert_ne!(first, second);
        assert!(!passes.redeem("", start) && !passes.redeem("other", start));
        assert!(passes.redeem(&first, start + LIFE - Duration::from_millis(1)));
        assert!(!passes.redeem(&first, start));
        assert!(!passes.redeem(&second, start + LIFE));
    }
}
