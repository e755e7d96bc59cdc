//! Asking the service for what a completion offers, where the cache is old: with little time, and without ever changing
//! anything. No sign-in is renewed (a renewal that is cut off would end it), no keyring is opened (it might ask), and a
//! service inside the command is not started (it would take up syncs that another command runs): what it holds was put
//! there by commands on this machine, which wrote the cache.

use std::sync::Arc;
use std::time::{Duration, Instant};

use secrecy::SecretString;

use super::cache::{Cache, Known};
use crate::auth::Vault;
use crate::auth::store::Found;
use crate::cli::global::GlobalArgs;
use crate::client::Client;
use crate::client::budget::{Budgets, Spender};
use crate::client::token::Fixed;
use crate::config::sign_in::TokenStore;
use crate::config::{Remote, Settings, Target};
use crate::env::Environment;
use crate::output::Output;
use crate::policy::Facts;

/// How long the service may take: the rest of the bound is for everything else.
const TIME: Duration = Duration::from_millis(100);
/// For so long a list is as good as new.
const FRESH_SECONDS: i64 = 5 * 60;
/// A service that gave nothing is left alone for so long.
const PAUSE_SECONDS: i64 = 20;

/// What is known, after the service was asked where that is due and possible.
pub(super) fn refresh(flags: &GlobalArgs, settings: &Settings, cache: &Cache, known: Known) -> Known {
    let Target::Remote(remote) = &settings.target else { return known };
    let now = crate::clock::now().timestamp();
    let is_old = |at: i64| !(0..FRESH_SECONDS).contains(&(now - at));
    let lists = [&known.retailers, &known.connections, &known.batches];
    if lists.iter().all(|list| !is_old(list.at)) || (0..PAUSE_SECONDS).contains(&(now - known.asked)) {
        return known;
    }
    // Noted first, so that a service that lets everybody wait does so once.
    cache.change(|known| known.asked = now);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    if let Ok(runtime) = runtime {
        runtime.block_on(async {
            let _ = tokio::time::timeout(TIME, ask(flags, settings, remote, cache)).await;
        });
        runtime.shutdown_background();
    }
    cache.load()
}

async fn ask(flags: &GlobalArgs, settings: &Settings, remote: &Remote, cache: &Cache) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let output = Output::new(flags, &Environment::default(), Facts::default());
    let (token, spender) = token(settings, remote).unzip();
    let signed_in = token.is_some();
    let tokens = Arc::new(Fixed::new(token.unwrap_or_default(), "").spent_by(spender));
    let budgets = Budgets::at(&remote.base_url.value, &settings.folders.data, remote.budget.value);
    let base_url = remote.base_url.value.clone();
    let deadline = Instant::now().checked_add(TIME);
    let Ok(client) = Client::new(base_url, tokens, remote.endpoints.clone(), output, deadline, budgets) else {
        return;
    };
    let retailers = async {
        if let Ok(retailers) = client.retailers().await {
            cache.change(|known| known.set_retailers(&retailers));
        }
    };
    let connections = async {
        if signed_in && let Ok(connections) = client.connections(None).await {
            cache.change(|known| known.set_connections(&connections));
        }
    };
    let sessions = async {
        if signed_in && let Ok(session) = client.latest_session().await {
            cache.change(|known| known.add_session(&session));
        }
    };
    tokio::join!(retailers, connections, sessions);
}

/// A token that can be sent as it is, and whose request budget it is used on.
fn token(settings: &Settings, remote: &Remote) -> Option<(SecretString, Spender)> {
    if let Some(token) = &remote.token {
        return Some((token.value.clone(), Spender::of_token(&token.value)));
    }
    let vault = Vault::new(&settings.folders, &settings.profile.value, &remote.base_url.value, TokenStore::File);
    match vault.load() {
        Ok(Found::Record(record, _)) if record.is_fresh(crate::clock::now()) => {
            let spender = record.spender();
            Some((record.access_token, spender))
        }
        _ => None,
    }
}
