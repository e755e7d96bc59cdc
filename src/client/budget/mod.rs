//! The request budget: how much can be sent to a service without being refused for too many requests. There is one for
//! each client at each service. All commands of the user on this machine share it, including those that have ended.
//!
//! What holds: no request leaves before the [`window`] has room for it. A budget whose file cannot be used is not an
//! error; it then holds for this process alone.

mod clock;
mod ledger;
pub(crate) mod quota;
#[cfg(test)]
mod simulation;
mod window;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::output::Output;
use ledger::Ledger;
use quota::{Quota, RateLimitHeaders, SPECIFIED, StatedLimit};
use window::{Availability, Counted, Id, Window, micros};

/// The folder of the budget files, below the data folder.
const FOLDER: &str = "budget";
/// Higher limits are not planned for: if the service refuses a request, the command waits then.
const MOST_PLANNED: u32 = 1000;
/// How often to check whether a request of another command has been answered.
const NAP: Duration = Duration::from_millis(20);
/// Shorter waits are not reported.
const NOTICED: Duration = Duration::from_secs(1);
/// The longest wait without `--timeout`.
const PATIENCE: Duration = Duration::from_secs(180);

/// Whose budget a request is taken from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum BudgetKey {
    /// An OAuth client, by its id.
    Client(String),
    /// A token whose client is unknown, by the token's digest.
    Token(String),
    /// This machine, for requests without a token.
    Nobody,
}

impl BudgetKey {
    /// The key for this token.
    pub(crate) fn of_token(token: &SecretString) -> Self {
        Self::Token(digest(&["token", token.expose_secret().trim()]))
    }
}

/// The user's setting for the budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Unset: the limit that the service states, else the specification's.
    #[default]
    AsStated,
    /// No budget.
    Off,
    /// At most this, or the limit that the service states if that is stricter.
    AtMost(Quota),
}

impl Choice {
    /// The setting as the user writes it; `None` if it is unset.
    pub(crate) fn shown(self) -> Option<String> {
        match self {
            Self::AsStated => None,
            Self::Off => Some("off".to_owned()),
            Self::AtMost(quota) => Some(format!("{}/{}s", quota.requests, quota.window.as_secs())),
        }
    }
}

/// The budgets at one service.
#[derive(Debug, Clone)]
pub(crate) struct Budgets(Option<Arc<BudgetsInner>>);

#[derive(Debug)]
struct BudgetsInner {
    folder: PathBuf,
    base: Url,
    choice: Choice,
    of: Mutex<HashMap<BudgetKey, Arc<Budget>>>,
}

impl Budgets {
    /// For a service without limits.
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// For the service at `base`. The files are kept below the folder `data`.
    pub(crate) fn at(base: &Url, data: &std::path::Path, choice: Choice) -> Self {
        if choice == Choice::Off {
            return Self::none();
        }
        Self(Some(Arc::new(BudgetsInner {
            folder: data.join(FOLDER),
            base: base.clone(),
            choice,
            of: Mutex::default(),
        })))
    }

    /// The budget for a key; `None`: requests are not limited.
    pub(crate) fn of(&self, budget_key: &BudgetKey) -> Option<Arc<Budget>> {
        let BudgetsInner { folder, base, choice, of } = self.0.as_deref()?;
        let mut of = of.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let who = match budget_key {
                BudgetKey::Client(id) => ["client", id],
                BudgetKey::Token(digest) => ["token", digest],
                BudgetKey::Nobody => ["nobody", ""],
            };
            // The ids of clients and addresses may have characters that file names cannot.
            let name = digest(&[base.as_str(), who[0], who[1]]);
            let ledger = Ledger::new(Some(folder.join(name)));
            Arc::new(Budget {
                ledger,
                choice: *choice,
                unlimited: AtomicBool::new(false),
                told: tokio::sync::Mutex::default(),
            })
        };
        Some(Arc::clone(of.entry(budget_key.clone()).or_insert_with(new)))
    }
}

/// The budget of one client at one service.
#[derive(Debug)]
pub(crate) struct Budget {
    ledger: Ledger,
    choice: Choice,
    /// The service has stated that it has no limit, so nothing needs to be recorded.
    unlimited: AtomicBool,
    /// Held by the request that reports its wait.
    told: tokio::sync::Mutex<()>,
}

/// A request that may be sent.
#[derive(Debug)]
pub(crate) struct Permit {
    /// `None` once the request is settled.
    budget: Option<Arc<Budget>>,
    /// `None`: there was no limit when the request was sent.
    id: Option<Id>,
    sent: i64,
    poll: bool,
}

enum Taken {
    Permit(Option<Id>, i64),
    Wait(Availability),
}

/// What a budget has left, as far as this machine knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) quota: Quota,
    pub(crate) requests: u32,
}

/// The requests that follow sessions have recently spent, across all commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Polls {
    /// The most in one window.
    pub(crate) most: usize,
    pub(crate) window: Duration,
    /// The age of each request, oldest first.
    pub(crate) ago: Vec<Duration>,
}

impl Budget {
    /// Waits until a request may be sent. Once sent, the request takes no longer than `longest`.
    ///
    /// # Errors
    ///
    /// The wait, if it exceeds the time that is left.
    pub(crate) async fn permit(
        self: &Arc<Self>,
        output: &Output,
        deadline: Option<Instant>,
        longest: Duration,
        poll: bool,
    ) -> Result<Permit, Duration> {
        let started = Instant::now();
        loop {
            let (wait, is_known) = match self.take(longest, poll) {
                Taken::Permit(id, sent) => return Ok(Permit { budget: Some(Arc::clone(self)), id, sent, poll }),
                Taken::Wait(Availability::In(micros)) => (Duration::from_micros(micros.unsigned_abs()), true),
                Taken::Wait(_) => (NAP, false),
            };
            let is_too_long = match deadline {
                Some(deadline) => Instant::now() + wait > deadline,
                None if is_known => wait > PATIENCE,
                None => started.elapsed() > PATIENCE,
            };
            if is_too_long {
                return Err(wait);
            }
            // If several requests wait at once, only one reports it.
            let telling = (wait >= NOTICED && !poll).then(|| self.told.try_lock().ok()).flatten();
            if telling.is_some() {
                let text = |seconds| format!("Waiting for the request budget: resuming in {seconds} s.");
                output.wait(wait, text).await;
            } else {
                tokio::time::sleep(wait).await;
            }
        }
    }

    fn take(&self, longest: Duration, poll: bool) -> Taken {
        if self.unlimited.load(Ordering::Relaxed) {
            return Taken::Permit(None, 0);
        }
        self.tidied(|window, now, quota| {
            let Some(quota) = quota else {
                self.unlimited.store(true, Ordering::Relaxed);
                return Taken::Permit(None, now);
            };
            let is_told = quota.window > SPECIFIED.window && self.choice != Choice::AtMost(quota);
            let opening = window.opening(now, quota, poll);
            match if is_told { opening.sooner(window.probe(now)) } else { opening } {
                Availability::Now => {
                    let id = new_id();
                    window.spend(id, now + micros(longest), poll);
                    Taken::Permit(Some(id), now)
                }
                closed => Taken::Wait(closed),
            }
        })
    }

    /// The shortest time in which this many more requests can be sent.
    pub(crate) fn time_for(&self, requests: u64) -> Duration {
        if self.unlimited.load(Ordering::Relaxed) {
            return Duration::ZERO;
        }
        self.tidied(|window, now, quota| {
            let time = quota.map_or(0, |quota| window.time_for(now, quota, requests));
            Duration::from_micros(time.unsigned_abs())
        })
    }

    /// What is left; `None`: requests are not limited.
    pub(crate) fn left(&self) -> Option<Left> {
        self.tidied(|window, now, quota| quota.map(|quota| Left { quota, requests: window.left(now, quota) }))
    }

    /// What following sessions has spent and may spend; `None`: requests are not limited.
    pub(crate) fn polls(&self) -> Option<Polls> {
        self.tidied(|window, now, quota| {
            let quota = quota?;
            let ago =
                window.polls(now, quota).into_iter().map(|ago| Duration::from_micros(ago.unsigned_abs())).collect();
            Some(Polls { most: window::polls_of(quota), window: quota.window, ago })
        })
    }

    fn tidied<T>(&self, work: impl FnOnce(&mut Window, i64, Option<Quota>) -> T) -> T {
        self.ledger.with(|window, now| {
            let quota = self.quota(window.told);
            window.tidy(now, quota, lives);
            work(window, now, quota)
        })
    }

    /// The limit to plan with; `None`: no planning.
    fn quota(&self, told: Option<StatedLimit>) -> Option<Quota> {
        let quota = match (self.choice, told) {
            (Choice::Off, _) | (Choice::AsStated, Some(StatedLimit::Unlimited)) => return None,
            (Choice::AsStated, None) => SPECIFIED,
            (Choice::AsStated, Some(StatedLimit::Quota(quota))) => quota,
            (Choice::AtMost(most), Some(StatedLimit::Quota(quota))) => quota.stricter(most),
            (Choice::AtMost(most), _) => most,
        };
        (quota.requests.get() <= MOST_PLANNED).then_some(quota)
    }
}

impl Permit {
    /// Records that an answer has begun to arrive. `refused`: it refuses the request as one too many, with the time to
    /// wait.
    pub(crate) fn answered(mut self, headers: &HeaderMap, refused: Option<Duration>) {
        let Some(budget) = self.budget.take() else { return };
        let standing = RateLimitHeaders::read(headers);
        let told = standing.and_then(|standing| standing.told());
        if self.id.is_none() && refused.is_none() && told.is_none_or(|told| told == StatedLimit::Unlimited) {
            return;
        }
        budget.unlimited.store(false, Ordering::Relaxed);
        budget.ledger.with(|window, now| {
            let was_limited = self.id.is_some();
            window.told = told.or(window.told);
            match self.id {
                Some(id) => window.settle(id, now),
                None => {
                    let id = new_id();
                    window.spend(id, now, self.poll);
                    window.settle(id, now);
                }
            }
            let quota = budget.quota(window.told);
            if let Some(wait) = refused {
                window.refused(now, quota, micros(wait));
            } else if let (Some(quota), Some(standing), true) = (quota, standing, was_limited)
                && let (Some(limit), Some(_), Some(remaining)) = (standing.limit, standing.window, standing.remaining)
                && told == Some(StatedLimit::Quota(quota))
                && standing.window == Some(quota.window.as_secs())
            {
                let counted = Counted { sent: self.sent, requests: limit.saturating_sub(remaining) };
                window.compare(now, quota, counted);
            }
        });
    }

    /// Records that the request could not be sent.
    pub(crate) fn not_sent(mut self) {
        if let (Some(budget), Some(id)) = (self.budget.take(), self.id) {
            budget.ledger.with(|window, _| window.take_back(id));
        }
    }
}

impl Drop for Permit {
    /// The answer is no longer awaited.
    fn drop(&mut self) {
        if let (Some(budget), Some(id)) = (self.budget.take(), self.id) {
            budget.ledger.with(|window, now| window.abandon(id, now));
        }
    }
}

fn new_id() -> Id {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Whether a process may still be waiting for an answer.
fn lives(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| {
        process.as_raw_nonzero().get().unsigned_abs() == std::process::id()
            || rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH)
    })
}

fn digest(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part.as_bytes());
    }
    digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
