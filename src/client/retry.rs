//! Whether a failed request is sent again, and when.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use super::api_error::{Failure, FailureKind};
use super::wire::{Reply, asked_for};

/// How many times a request is repeated after failures other than rate limits.
const REPETITIONS: u32 = 4;
/// How many times if nothing listens at an address on this machine, and has not answered before.
const REPETITIONS_HERE: u32 = 2;
/// How many times after a fault of the service.
const REPETITIONS_OF_A_FAULT: u32 = 2;
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// The shortest wait after a rate limit, even if the service accepts requests again at once.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
/// The wait after a rate limit that does not say how long it lasts.
const UNNAMED_WAIT: Duration = Duration::from_secs(10);

/// How long to wait before the request is repeated; `None`: it is not repeated. `follows`: the service has answered before, and may be
/// restarting.
pub(super) fn wait(
    outcome: &Result<Reply, Failure>,
    repeatable: bool,
    follows: bool,
    attempt: u32,
) -> Option<Duration> {
    let backoff = (attempt < REPETITIONS).then(|| FIRST_WAIT * 2_u32.pow(attempt));
    match outcome {
        Ok(reply) => match reply.status.as_u16() {
            // The status says that nothing was done, so repeating is safe.
            429 => refused_for(reply.status, &reply.headers),
            // A fault of the service may be one of the moment; more often it is not.
            500 if repeatable && attempt < REPETITIONS_OF_A_FAULT => backoff,
            502..=504 if repeatable => {
                backoff.map(|backoff| backoff.max(asked_for(&reply.headers).unwrap_or_default()))
            }
            _ => None,
        },
        Err(failure) => match &failure.kind {
            FailureKind::Transport(trouble) if trouble.refused_here && !follows && attempt >= REPETITIONS_HERE => None,
            FailureKind::Transport(trouble) => backoff.filter(|_| trouble.passing && (repeatable || !trouble.sent)),
            FailureKind::Refusal(_) | FailureKind::TooLarge | FailureKind::RateLimit(_) => None,
        },
    }
}

/// How many times a request that may be repeated is, after an answer with this status.
pub(crate) const fn repetitions(status: u16) -> u32 {
    match status {
        500 => REPETITIONS_OF_A_FAULT,
        502..=504 => REPETITIONS,
        _ => 0,
    }
}

/// The message about the wait, before the seconds; none if the wait is too short to notice.
pub(super) fn explanation(outcome: &Result<Reply, Failure>, wait: Duration) -> Option<&'static str> {
    match outcome {
        Ok(reply) if reply.status == StatusCode::TOO_MANY_REQUESTS => Some("Rate limited: resuming"),
        _ if wait < Duration::from_secs(1) => None,
        Ok(_) => Some("The service cannot answer now; trying again"),
        Err(_) => Some("The service does not answer; trying again"),
    }
}

/// How long the service accepts no requests; `None` if the status is not a rate limit.
pub(super) fn refused_for(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    (status == StatusCode::TOO_MANY_REQUESTS).then(|| asked_for(headers).unwrap_or(UNNAMED_WAIT).max(SHORTEST_WAIT))
}

#[cfg(test)]
mod tests {
    use reqwest::header::RETRY_AFTER;

    use super::*;

    #[test]
    fn a_refusal_is_never_followed_at_once_by_another_request() {
        let mut headers = HeaderMap::new();
        for (value, seconds) in [("0", 1), ("1", 1), ("7", 7), ("-5", 10)] {
            headers.insert(RETRY_AFTER, value.parse().expect("header"));
            assert_eq!(refused_for(StatusCode::TOO_MANY_REQUESTS, &headers), Some(Duration::from_secs(seconds)));
        }
    }
}
