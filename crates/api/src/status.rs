//! The states of the specification and the transitions between them.
//!
//! `interface.md`, States and transitions; the choice of legal transitions is our own.

use crate::text_enum::text_enum;

text_enum! {
    /// The status of one retailer within a session (`syncStatus`).
    pub enum SyncStatus {
        /// Waiting to start.
        Queued = "queued",
        /// Authenticating with the retailer.
        Connecting = "connecting",
        /// Fetching orders.
        Scanning = "scanning",
        /// Analyzing data.
        Processing = "processing",
        /// Done.
        Completed = "completed",
        /// Failed.
        Error = "error",
        /// Connection timed out.
        TimedOut = "timed_out",
        /// MFA is required; the client must call the MFA endpoint.
        UserIntervention = "userintervention",
    }
}

impl SyncStatus {
    /// Whether this state is final.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Error | Self::TimedOut)
    }

    /// Whether the transition from this state to `next` is legal.
    pub const fn can_become(self, next: Self) -> bool {
        use SyncStatus::{Completed, Connecting, Error, Processing, Queued, Scanning, TimedOut, UserIntervention};
        match (self, next) {
            (Queued, Connecting)
            | (Connecting, Scanning)
            | (Scanning, Processing)
            | (Processing, Completed)
            | (Connecting | Scanning, UserIntervention)
            | (UserIntervention, Connecting | Scanning)
            | (Connecting | Scanning | UserIntervention, TimedOut) => true,
            (from, Error) => !from.is_final(),
            _ => false,
        }
    }
}

text_enum! {
    /// The global status of a session.
    pub enum SessionStatus {
        /// At least one retailer is still syncing.
        Syncing = "syncing",
        /// All retailers finished, or no sync is active.
        Normal = "normal",
    }
}

impl SessionStatus {
    /// The global status that follows from the statuses of the retailers.
    pub fn of(retailers: impl IntoIterator<Item = SyncStatus>) -> Self {
        if retailers.into_iter().all(SyncStatus::is_final) { Self::Normal } else { Self::Syncing }
    }
}

text_enum! {
    /// The status of a connection. The specification defines only `invalid`.
    pub enum ConnectionStatus {
        /// The first sign-in has not ended yet.
        Pending = "pending",
        /// The last sign-in worked.
        Valid = "valid",
        /// Broken: it has to be repaired by connecting again with mode `FIX`.
        Invalid = "invalid",
    }
}

impl ConnectionStatus {
    /// Whether the transition from this state to `next` is legal.
    pub const fn can_become(self, next: Self) -> bool {
        use ConnectionStatus::{Invalid, Pending, Valid};
        matches!(
            (self, next),
            (Pending, Valid | Invalid) | (Valid, Valid | Invalid | Pending) | (Invalid, Pending | Invalid)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::SyncStatus::{self, *};

    #[test]
    fn only_the_decided_steps_are_legal() {
        let legal = [
            (Queued, vec![Connecting, Error]),
            (Connecting, vec![Scanning, UserIntervention, Error, TimedOut]),
            (Scanning, vec![Processing, UserIntervention, Error, TimedOut]),
            (UserIntervention, vec![Connecting, Scanning, Error, TimedOut]),
            (Processing, vec![Completed, Error]),
            (Completed, vec![]),
            (Error, vec![]),
            (TimedOut, vec![]),
        ];
        for (from, nexts) in legal {
            for next in SyncStatus::ALL {
                assert_eq!(from.can_become(*next), nexts.contains(next), "{from} to {next}");
            }
        }
    }

    #[test]
    fn a_session_is_normal_once_every_retailer_is_final() {
        use super::SessionStatus;
        assert_eq!(SessionStatus::of([]), SessionStatus::Normal);
        assert_eq!(SessionStatus::of([Completed, Error, TimedOut]), SessionStatus::Normal);
        assert_eq!(SessionStatus::of([Completed, UserIntervention]), SessionStatus::Syncing);
    }
}
