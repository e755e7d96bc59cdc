//! The exit codes: one table, from which the help, the man page and the documentation are made.

/// How a command ended, for the caller of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// The command succeeded.
    Done,
    /// It failed, for a reason that has no code of its own.
    Failed,
    /// The command line, a file that it names or a prompt that may not appear.
    Usage,
    /// The service cannot be reached, or cannot answer now.
    Network,
    /// There is no token, or it is not accepted.
    SignIn,
    /// No such retailer, connection, order or session.
    NotFound,
    /// The rate limit outlasted the time allowed.
    RateLimited,
    /// A retailer asks for a verification that the command was given no means to answer.
    MfaNeeded,
    /// The time to wait is over, the sync is not; or an earlier sync of a connection runs still.
    StillRunning,
    /// The sync ended, and a retailer failed in it, or a connection was skipped.
    SyncFailed,
    /// What was to be shown or exported is not known to be complete, and had to be.
    Incomplete,
    /// Ctrl-C, or a question that was answered with no.
    Interrupted,
}

impl Exit {
    /// Every code, in the order of the documentation.
    pub const ALL: [Self; 12] = [
        Self::Done,
        Self::Failed,
        Self::Usage,
        Self::Network,
        Self::SignIn,
        Self::NotFound,
        Self::RateLimited,
        Self::MfaNeeded,
        Self::StillRunning,
        Self::SyncFailed,
        Self::Incomplete,
        Self::Interrupted,
    ];

    /// The number that the process ends with.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Network => 3,
            Self::SignIn => 4,
            Self::NotFound => 5,
            Self::RateLimited => 6,
            Self::MfaNeeded => 7,
            Self::StillRunning => 8,
            Self::SyncFailed => 9,
            Self::Incomplete => 10,
            Self::Interrupted => 130,
        }
    }

    /// What the number says.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Usage => "usage error: the command line, the configuration or a value is invalid",
            Self::Network => "network error: the service or a shop cannot be reached or cannot answer now",
            Self::SignIn => "sign-in needed: no access token, or one that is not accepted",
            Self::NotFound => "not found",
            Self::RateLimited => "rate limited for longer than the command may wait",
            Self::MfaNeeded => "verification (MFA) needed",
            Self::StillRunning => "a sync is still running: --timeout has passed, or an earlier sync has not ended",
            Self::SyncFailed => "the sync ended, but a retailer failed or a connection was skipped",
            Self::Incomplete => "--require-complete: it is not proven that all orders are there",
            Self::Interrupted => "interrupted, or you answered a question with no",
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
