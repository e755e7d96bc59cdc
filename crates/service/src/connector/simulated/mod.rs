//! Retailers that exist only here, for a sandbox: the user name chooses what happens ([`SCENARIOS`]), and the purchase
//! history is made from the retailer, the user name and the day on which it ends alone.
//!
//! They go the same way through the engine as every other retailer, and answer without waiting: a wait is what a step
//! asks for, never a sleep.

mod adjustments;
mod catalog;
mod goods;
mod history;
mod numbers;
mod own;
mod pace;
mod parcels;
mod prng;
mod scenario;
mod words;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use ordersync_api::seal::Credentials;
use ordersync_api::{CredentialField, Retailer, SyncErrorCode};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

pub use self::scenario::SCENARIOS;
pub(crate) use self::scenario::some_to_try;

use self::catalog::{SHOPS, Shop};
pub(crate) use self::own::{OwnAdjustment, OwnItem, OwnOrder};

use self::history::{History, is_settled};
use self::pace::{Pace, Pages};
use self::scenario::{PASSWORD, Reception, Scenario};
use super::ScanReport;
use super::{
    Challenge, ChallengeKind, ChallengeOption, CheckedOrder, Connector, ConnectorError, ConnectorState, Input, Outcome,
    Overlap, Page, PhaseLimits, RetailerOrder, Step, StepContext,
};

/// The methods that `user_mfa_choose` chooses from: id, label, and where the code then is.
const METHODS: [(&str, &str, &str); 3] = [
    ("sms", "Text message to ···42", "the text message to ···42"),
    ("email", "Email to s···@example.com", "the email to s···@example.com"),
    ("app", "Authenticator app", "your authenticator app"),
];
/// How often `user_flaky` fails to sign in.
const FLAKY_SIGN_INS: u32 = 2;
/// The page before which `user_flaky` fails once.
const FLAKY_PAGE: u32 = 1;

/// The catalog of simulated retailers by id, each with its connector; `speed` is how many times faster than life they
/// answer. A retailer whose `syncConfig.serverSide` is false is to be listed, but not connected.
pub fn retailers(speed: f64) -> Vec<(Retailer, Arc<dyn Connector>)> {
    let pace = Pace::new(speed);
    SHOPS.iter().map(|shop| (shop.entry(), Arc::new(Simulated { shop, pace }) as Arc<dyn Connector>)).collect()
}

/// Whether simulated retailers have an account of that name without a seed file. `name` is in lower case.
pub(crate) fn is_account(name: &str) -> bool {
    Scenario::of(name).is_some()
}

/// The code that the account asks for, if it asks for one.
pub(crate) fn code_of(account: &str) -> Option<&'static str> {
    match Scenario::of(account)?.reception() {
        Reception::AskCode(code) | Reception::OfferMethods(code) => Some(code),
        Reception::Admit | Reception::Stall | Reception::Refuse(_) => None,
    }
}

/// What is typed into the sign-in page of a retailer to open the account.
pub(crate) fn credentials_for(fields: &[CredentialField], account: &str) -> Credentials {
    let typed = |field: &CredentialField| match &*field.name {
        "username" => account.to_owned(),
        "password" => PASSWORD.to_owned(),
        _ => "12345".to_owned(),
    };
    fields.iter().map(|field| (field.name.clone(), SecretString::from(typed(field)))).collect()
}

/// The entries of the catalog.
pub(crate) fn listed() -> Vec<Retailer> {
    SHOPS.iter().map(Shop::entry).collect()
}

/// The connector of one simulated retailer.
#[derive(Debug)]
struct Simulated {
    shop: &'static Shop,
    pace: Pace,
}

/// Where a sync stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    /// The sign-in form was sent.
    SigningIn,
    /// A method is to be chosen.
    Choosing,
    /// A code is to be entered; the index of the method among [`METHODS`], where one was chosen.
    Entering { method: Option<usize> },
    /// The retailer let the user in.
    Admitted,
    /// This page of the history is next.
    Reading { page: u32 },
}

impl Stage {
    fn then(&self, outcome: Outcome) -> Result<Step, ConnectorError> {
        let state = serde_json::to_vec(self).map_err(|_| ConnectorError::new(SyncErrorCode::InternalError))?;
        Ok(Step::new(outcome, state))
    }

    fn read(state: &ConnectorState) -> Result<Self, ConnectorError> {
        serde_json::from_slice(state).map_err(|_| ConnectorError::new(SyncErrorCode::InternalError))
    }
}

#[async_trait]
impl Connector for Simulated {
    fn credential_fields(&self) -> Vec<CredentialField> {
        self.shop.credential_fields()
    }

    fn limits(&self) -> PhaseLimits {
        self.pace.limits()
    }

    async fn step(
        &self,
        context: &StepContext<'_>,
        state: Option<ConnectorState>,
        input: Input<'_>,
    ) -> Result<Step, ConnectorError> {
        if matches!(input, Input::Login) {
            return Ok(Stage::SigningIn.then(Outcome::Working)?.after(self.pace.sign_in()));
        }
        let has_own_orders = context.invented.as_ref().is_some_and(|invented| invented.orders.is_some());
        let account = Account::of(self.shop, context.credentials, has_own_orders)?;
        let stage = state.as_ref().map(Stage::read).transpose()?;
        match (stage, input) {
            (Some(Stage::SigningIn), Input::Continue) => self.sign_in(context, &account),
            (Some(Stage::Choosing), Input::MfaChoice(id)) => match METHODS.iter().position(|method| method.0 == id) {
                Some(index) => ask_code(Some(index)),
                None => offer_methods(),
            },
            (Some(Stage::Entering { method }), Input::MfaCode(code)) => self.check_code(&account, method, code),
            // A challenge is asked again where a step is repeated that had already asked it.
            (Some(Stage::Choosing), Input::Continue) => offer_methods(),
            (Some(Stage::Entering { method }), Input::Continue) => ask_code(method),
            (Some(Stage::Admitted), Input::Continue) => self.open_history(context, &account),
            (Some(Stage::Reading { page }), Input::Continue) => self.read_page(context, &account, page).await,
            _ => Err(ConnectorError::new(SyncErrorCode::InternalError)),
        }
    }
}

impl Simulated {
    fn sign_in(&self, context: &StepContext<'_>, account: &Account) -> Result<Step, ConnectorError> {
        if account.scenario == Scenario::Flaky && context.attempt < FLAKY_SIGN_INS {
            return Err(self.passing_failure());
        }
        if context.session == Some(account.cookie().as_slice()) {
            return match account.scenario {
                Scenario::Expired => Err(ConnectorError::new(SyncErrorCode::RetailerSessionExpired)),
                _ => self.admit(),
            };
        }
        match account.scenario.reception() {
            Reception::Admit => self.admit(),
            Reception::AskCode(_) => ask_code(None),
            Reception::OfferMethods(_) => offer_methods(),
            Reception::Stall => Ok(Stage::SigningIn.then(Outcome::Working)?.after(self.pace.stall()).by_the_clock()),
            Reception::Refuse(code) => Err(ConnectorError::new(code)),
        }
    }

    fn check_code(
        &self,
        account: &Account,
        method: Option<usize>,
        code: &SecretString,
    ) -> Result<Step, ConnectorError> {
        match account.scenario.reception() {
            Reception::AskCode(right) | Reception::OfferMethods(right) if code.expose_secret().trim() == right => {
                self.admit()
            }
            _ => Stage::Entering { method }.then(Outcome::WrongCode(code_challenge("That code was wrong. ", method))),
        }
    }

    fn admit(&self) -> Result<Step, ConnectorError> {
        Ok(Stage::Admitted.then(Outcome::Working)?.after(self.pace.sign_in()))
    }

    fn open_history(&self, context: &StepContext<'_>, account: &Account) -> Result<Step, ConnectorError> {
        let (_, pages) = self.history(context, account)?;
        let session = Some(account.cookie());
        Ok(pages.paced_at_first(Stage::Reading { page: 0 }.then(Outcome::SignedIn { session })?))
    }

    /// Gives one page of orders, or the end of the history. Settled orders that are stored as they are count as
    /// unchanged; a page of nothing else costs no wait, since there was nothing to fetch.
    async fn read_page(
        &self,
        context: &StepContext<'_>,
        account: &Account,
        number: u32,
    ) -> Result<Step, ConnectorError> {
        if account.scenario == Scenario::Flaky && number == FLAKY_PAGE && context.attempt == 0 {
            return Err(self.passing_failure());
        }
        let (history, pages) = self.history(context, account)?;
        let first = number.saturating_mul(pages.orders_per_page);
        let end = first.saturating_add(pages.orders_per_page).min(history.orders());
        if first >= end {
            return Stage::Reading { page: number }
                .then(Outcome::Done { session: None, report: ScanReport::invented(true, None) });
        }
        let seen = history.page(first..end);
        let ids: Vec<String> = seen.iter().map(|order| order.order_id.clone()).collect();
        // The order numbers come from retailer and user name: those of another account are others.
        if context.other_account && number == 0 && context.known.overlap(&ids).await? == Overlap::Disjoint {
            return Err(ConnectorError::new(SyncErrorCode::AccountMismatch));
        }
        let known = context.known.fingerprints(&ids).await?;
        let mut page = Page::default();
        for order in seen {
            if !context.full && is_settled(&order) && known.get(&order.order_id) == order.fingerprint.as_ref() {
                page.unchanged.push(order.order_id);
            } else {
                page.orders.push(CheckedOrder::invented(order));
            }
        }
        let is_read = !page.orders.is_empty();
        let step = Stage::Reading { page: number + 1 }.then(Outcome::Page(page))?;
        Ok(if is_read { pages.paced(step) } else { step })
    }

    fn history(&self, context: &StepContext<'_>, account: &Account) -> Result<(Orders, Pages), ConnectorError> {
        if let Some(stored) = context.invented.as_ref().and_then(|invented| invented.orders.as_deref()) {
            let orders = own::read(self.shop, stored)?;
            let items = orders.iter().map(|order| order.items.len()).sum::<usize>();
            let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            let pages = Pages::of(account.scenario, number(items), number(orders.len()), self.pace);
            return Ok((Orders::Own(orders), pages));
        }
        let history = History::new(self.shop, account.seed, account.scenario.items(account.seed))
            .ending_on(context.invented.as_ref().map(|invented| invented.history_end));
        let history = match account.scenario {
            Scenario::Adjustments => history.with_adjustments(),
            Scenario::Parcels => history.with_parcels(),
            _ => history,
        };
        let pages = Pages::of(account.scenario, history.items(), history.orders(), self.pace);
        Ok((Orders::Made(history), pages))
    }

    fn passing_failure(&self) -> ConnectorError {
        let mut error = ConnectorError::new(SyncErrorCode::RetailerUnavailable).transient();
        error.retry_after = Some(self.pace.retry());
        error
    }
}

/// What an account ordered, newest first.
enum Orders {
    Made(History),
    /// From a seed file.
    Own(Vec<RetailerOrder>),
}

impl Orders {
    fn orders(&self) -> u32 {
        match self {
            Self::Made(history) => history.orders(),
            Self::Own(orders) => u32::try_from(orders.len()).unwrap_or(u32::MAX),
        }
    }

    /// Those at these places, which are below [`Orders::orders`].
    fn page(&self, places: std::ops::Range<u32>) -> Vec<RetailerOrder> {
        match self {
            Self::Made(history) => places.map(|index| history.order(index)).collect(),
            Self::Own(orders) => orders[places.start as usize..places.end as usize].to_vec(),
        }
    }
}

/// An account at a simulated retailer.
struct Account {
    scenario: Scenario,
    /// The retailer and the user name, as a number.
    seed: u64,
}

impl Account {
    /// The account that the credentials open.
    /// Fails with `credentials_refused` if a field is missing, no account has the name, or the password is wrong.
    fn of(shop: &Shop, credentials: &Credentials, has_own_orders: bool) -> Result<Self, ConnectorError> {
        let refused = || ConnectorError::new(SyncErrorCode::CredentialsRefused);
        let field = |name: &str| credentials.get(name).map(ExposeSecret::expose_secret).filter(|text| !text.is_empty());
        if shop.credential_fields().iter().any(|asked| field(&asked.name).is_none())
            || field("password") != Some(PASSWORD)
        {
            return Err(refused());
        }
        let user = field("username").ok_or_else(refused)?.trim().to_lowercase();
        let scenario = if has_own_orders { Scenario::Good } else { Scenario::of(&user).ok_or_else(refused)? };
        let digest = Sha256::new().chain_update(shop.id.to_be_bytes()).chain_update(&user).finalize();
        let seed = digest.iter().take(8).fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        Ok(Self { scenario, seed })
    }

    /// What the retailer leaves in the browser: a client that sends it is let in without MFA.
    fn cookie(&self) -> ConnectorState {
        Zeroizing::new(format!("signed-in {:016x}", self.seed).into_bytes())
    }
}

fn offer_methods() -> Result<Step, ConnectorError> {
    let option = |(id, label, _): (&str, &str, &str)| ChallengeOption { id: id.to_owned(), label: label.to_owned() };
    let kind = ChallengeKind::Choose(METHODS.into_iter().map(option).collect());
    let prompt = "How do you want to get your verification code?".to_owned();
    Stage::Choosing.then(Outcome::Challenge(Challenge { kind, prompt }))
}

fn ask_code(method: Option<usize>) -> Result<Step, ConnectorError> {
    Stage::Entering { method }.then(Outcome::Challenge(code_challenge("", method)))
}

fn code_challenge(before: &str, method: Option<usize>) -> Challenge {
    let place = method.and_then(|index| METHODS.get(index)).map_or("the text message to ···42", |method| method.2);
    Challenge { kind: ChallengeKind::Enter, prompt: format!("{before}Enter the code from {place}.") }
}
