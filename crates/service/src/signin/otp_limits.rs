//! How often one-time passwords are sent, and how long they are.
//!
//! Two goals conflict: nobody must be able to use up the passwords that the owner of a phone needs to sign in, and
//! nobody must be able to send without limit. So the limits of a phone depend on where the request comes from:
//!
//! - a browser in which the phone's owner signed in within 90 days (it has a cookie that no other browser has),
//! - a network in which the owner signed in within 90 days,
//! - any other place.
//!
//! A stranger's requests count in the last class and cannot use up the first; only a stranger in the owner's own
//! network shares the second class with the owner. Within a class, the tight limit applies to the phone and the place
//! together; the limit for the phone over all places is far higher. The hourly ceiling applies to all phones together,
//! counted separately for known and unknown places, so that a flood of strangers does not keep out users who have
//! signed in before.
//!
//! Guessing: a password may be tried five times by the browser that requested it. It has six digits as long as at most
//! ten were sent to the phone and not used (this count drops by one every three days); beyond that it has ten digits.
//! So in a year, an attacker with any number of addresses has at most 10 + 122 passwords of six digits to guess at,
//! with a chance of 132 × 5 / 10^6 = 0.07 %, and at most 160 of ten digits a day, with a chance of 0.003 %.

use chrono::{DateTime, TimeDelta, Utc};

use super::SignIn;
use crate::environment::Environment;
use crate::limits::Network;
use crate::store::StoreError;
use crate::store::accounts::oauth::otp::{CountedPlace, Limit};

/// How long a place stays known.
const KNOWN_FOR: TimeDelta = TimeDelta::days(90);

/// The party that requests or enters a password.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker<'a> {
    /// The internet address.
    pub(crate) address: &'a str,
    /// A value that only this browser has: a password is valid there alone.
    pub(crate) browser: &'a str,
    /// The cookie that this browser got when a user signed in there.
    pub(crate) remembered: Option<&'a str>,
}

const fn limit(sends: u32, within: TimeDelta) -> Limit {
    Limit { sends, within }
}

const TEN_MINUTES: TimeDelta = TimeDelta::minutes(10);
const HOUR: TimeDelta = TimeDelta::hours(1);
const DAY: TimeDelta = TimeDelta::hours(24);

struct Limits {
    /// For a phone and a place.
    here: [Limit; 2],
    /// For an unknown network, over all phones.
    network: [Limit; 2],
    /// For a phone, over all unknown places.
    phone: [Limit; 2],
    /// For a phone, over all of its known places of one kind.
    known_phone: [Limit; 1],
}

const LIVE: Limits = Limits {
    here: [limit(3, TEN_MINUTES), limit(10, DAY)],
    network: [limit(20, TEN_MINUTES), limit(100, DAY)],
    phone: [limit(40, HOUR), limit(100, DAY)],
    known_phone: [limit(30, DAY)],
};

/// In a sandbox nothing is sent, and many tests sign in from one machine.
const SANDBOX: Limits = Limits {
    here: [limit(30, TEN_MINUTES), limit(1000, DAY)],
    network: [limit(1000, TEN_MINUTES), limit(100_000, DAY)],
    phone: [limit(1000, TEN_MINUTES), limit(10_000, DAY)],
    known_phone: [limit(10_000, DAY)],
};

/// The places of a request: the network, and the browser if it is remembered.
pub(super) fn places(signin: &SignIn<'_>, asker: &Asker<'_>) -> Vec<[u8; 32]> {
    let network = signin.keys.address(&network(asker.address));
    let browser = asker.remembered.map(|cookie| signin.keys.page_mac("otp.browser", cookie));
    browser.into_iter().chain([network]).collect()
}

/// The digest that binds a password to its browser.
pub(super) fn browser_of(signin: &SignIn<'_>, asker: &Asker<'_>) -> [u8; 32] {
    signin.keys.page_mac("otp.asked", asker.browser)
}

/// Counts a password about to be sent, or returns how long it takes until the next one can be sent. What is counted for a
/// phone goes by the phone's user's time, and what all phones share by the machine's.
pub(super) async fn count(
    signin: &SignIn<'_>,
    phone_digest: &[u8; 32],
    asker: &Asker<'_>,
    now: DateTime<Utc>,
) -> Result<Result<(), TimeDelta>, StoreError> {
    let users_now = signin.store.now_for_phone(phone_digest, now).await?;
    let limits = match signin.environment {
        Environment::Live => &LIVE,
        Environment::Sandbox => &SANDBOX,
    };
    let ceiling: &[Limit] = if signin.environment.is_sandbox() { &[] } else { &[limit(signin.policy.per_hour, HOUR)] };
    let bucket = |kind: &str, of: &[&[u8; 32]], limits| {
        let parts: Vec<&[u8]> = of.iter().map(|part| &part[..]).collect();
        let of_phone = of.first() == Some(&phone_digest);
        CountedPlace { place: signin.keys.bucket(kind, &parts), limits, now: if of_phone { users_now } else { now } }
    };
    let places = places(signin, asker);
    let known = signin.store.known_place(phone_digest, &places, users_now - KNOWN_FOR).await?;
    let network = signin.keys.address(&network(asker.address));
    if let Some(place) = known {
        let kind = if place == network { "phone at known networks" } else { "phone in known browsers" };
        let buckets = [
            bucket("phone and place", &[phone_digest, &place], &limits.here[..]),
            bucket(kind, &[phone_digest], &limits.known_phone[..]),
            bucket("all known", &[], ceiling),
        ];
        return signin.store.count_send(&buckets).await;
    }
    let buckets = [
        bucket("phone and place", &[phone_digest, &network], &limits.here[..]),
        bucket("network", &[&network], &limits.network[..]),
        bucket("phone", &[phone_digest], &limits.phone[..]),
        bucket("all", &[], ceiling),
    ];
    signin.store.count_send(&buckets).await
}

/// The network that counts as one place, in the notation in which the store remembers places.
fn network(address: &str) -> String {
    match address.parse().map(Network::of) {
        Ok(Network::V6(half)) => format!("{half:x?}"),
        Ok(Network::V4(address)) => address.to_string(),
        Err(_) => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_ipv6_is_counted_with_its_neighbours() {
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:2"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("2001:db8::1"), "[2001, db8, 0, 0]");
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1");
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
    }
}
