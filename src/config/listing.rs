//! Every setting, with its value and the value's origin. An invalid address or endpoint does not prevent the list, so
//! that users can see what to correct; an invalid address is listed as invalid. Secrets are listed as present, never
//! shown.

use serde::Serialize;

use super::edit::FILE;
use super::file::File;
use super::folders::Folders;
use super::sign_in::{SecretSource, SignIn};
use super::value::Origin;
use super::{accessible, base_url, profile, speed, typed_base_url};
use crate::env::{self, Environment};
use crate::errors::Result;
use crate::flags::GlobalArgs;

/// A setting and its value.
#[derive(Debug, Serialize)]
pub(crate) struct ListedSetting {
    pub key: String,
    /// Its value; null if it is not set.
    pub value: Option<String>,
    pub origin: String,
}

/// Every setting.
pub(crate) fn all(flags: &GlobalArgs, environment: &Environment) -> Result<Vec<ListedSetting>> {
    let folders = Folders::find(environment)?;
    let file = File::load(&folders.config.join(FILE))?;
    let profile = profile(flags, environment, &file);
    let entry = file.profiles.get(&profile.value);
    let here = Origin::File(file.path.clone());
    let sign_in = SignIn::resolve(environment, entry, &here)?;
    let mut all = vec![of("profile", Some(profile.value.clone()), &profile.origin)];
    all.push(match base_url(flags, environment, &profile, &file) {
        Ok(Some(url)) => of("base_url", Some(url.value.to_string()), &url.origin),
        Ok(None) => of("base_url", Some("the service inside the command".into()), &Origin::Default),
        // An address that cannot be used may hold a password.
        Err(_) => match typed_base_url(flags, environment, &profile, &file) {
            Some((_, origin)) => of("base_url", Some("invalid (ordersync doctor says why)".into()), &origin),
            None => of("base_url", None, &Origin::Default),
        },
    });
    let secret = |is_set: bool| is_set.then(|| "set (not shown)".to_owned());
    let token = environment.get(&env::TOKEN).is_some();
    all.push(of("token", secret(token), &variable_or_default(token, &env::TOKEN)));
    all.push(of("client_id", Some(sign_in.client_id.value), &sign_in.client_id.origin));
    match sign_in.client_secret {
        Some(value) => match value.value {
            SecretSource::Known(_) => all.push(of("client_secret", secret(true), &value.origin)),
            SecretSource::File(path) => {
                all.push(of("client_secret_file", Some(path.display().to_string()), &value.origin));
            }
        },
        None => all.push(of("client_secret_file", None, &Origin::Default)),
    }
    let (scopes, origin) = sign_in.scopes.map_or((None, Origin::Default), |scopes| (Some(scopes.value), scopes.origin));
    all.push(of("scopes", scopes, &origin));
    all.push(of("token_store", Some(sign_in.token_store.value.as_str().into()), &sign_in.token_store.origin));
    let accessible = accessible(flags, environment, &file);
    all.push(of("accessible", Some(accessible.value.to_string()), &accessible.origin));
    let speed = speed(environment)?;
    all.push(of("sandbox_speed", Some(speed.value.to_string()), &speed.origin));
    for (name, path) in entry.map(|entry| &entry.endpoints).into_iter().flatten() {
        all.push(of(&format!("endpoints.{name}"), Some(path.clone()), &here));
    }
    let home = variable_or_default(environment.path(&env::HOME).is_some(), &env::HOME);
    all.push(of("config_folder", Some(folders.config.display().to_string()), &home));
    all.push(of("data_folder", Some(folders.data.display().to_string()), &home));
    all.push(of("cache_folder", Some(folders.cache.display().to_string()), &home));
    Ok(all)
}

/// The name of the current profile.
pub(crate) fn profile_name(flags: &GlobalArgs, environment: &Environment) -> Result<String> {
    let file = File::load(&Folders::find(environment)?.config.join(FILE))?;
    Ok(profile(flags, environment, &file).value)
}

fn of(key: &str, value: Option<String>, origin: &Origin) -> ListedSetting {
    let origin = if value.is_some() { origin.to_string() } else { "not set".to_owned() };
    ListedSetting { key: key.to_owned(), value, origin }
}

fn variable_or_default(is_set: bool, variable: &env::Variable) -> Origin {
    if is_set { Origin::Environment(variable.name) } else { Origin::Default }
}
