//! A retailer's credentials: from a private file, from standard input, or asked for. They are sealed as soon as they
//! are complete, and never leave this machine in the clear.

use std::collections::BTreeMap;

use ordersync_api::seal::{Credentials, DirA256Gcm, Seal as _};
use ordersync_api::{ConnectMode, ConnectRequest, CredentialField, ErrorCode, Retailer, SyncStarted};
use secrecy::SecretString;

use crate::cli::shared::CredentialArgs;
use crate::client::Client;
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::secret_file;

const INSTEAD: &str = "Give --credentials-file FILE or --credentials-stdin.";

/// Gets the credentials that a retailer needs.
///
/// # Errors
/// Where they cannot be read, are incomplete, or nobody may be asked.
pub(super) async fn get(context: &Context, retailer: &Retailer, arguments: &CredentialArgs) -> Result<Credentials> {
    let fields = fields(retailer);
    if let Some(path) = &arguments.credentials_file {
        return parse(&secret_file::read(path)?, &fields, &path.display().to_string());
    }
    if arguments.credentials_stdin {
        let read = tokio::task::spawn_blocking(|| secret_file::read_text(std::io::stdin().lock(), "standard input"));
        let text = read.await.map_err(|_| Error::usage("Standard input cannot be read."))??;
        return parse(&text, &fields, "standard input");
    }
    let mut credentials = Credentials::new();
    for field in &fields {
        let what = format!("{} for {}", field.label, retailer.display_name);
        let value = if field.secret {
            context.prompt.secret(&what, INSTEAD).await?
        } else {
            SecretString::from(context.prompt.text(&what, INSTEAD).await?)
        };
        credentials.insert(field.name.clone(), value);
    }
    Ok(credentials)
}

/// Seals the credentials and sends them. A token that has become stale meanwhile is replaced, once.
///
/// # Errors
/// Where the service refuses or cannot be reached.
pub(super) async fn send(
    client: &Client,
    retailer_id: i64,
    mode: ConnectMode,
    credentials: &Credentials,
) -> Result<SyncStarted> {
    match client.connect(&sealed(client, retailer_id, mode, credentials).await?).await {
        Err(error) if error.is(ErrorCode::SealRejected) => {
            client.connect(&sealed(client, retailer_id, mode, credentials).await?).await
        }
        result => result,
    }
}

async fn sealed(
    client: &Client,
    retailer_id: i64,
    mode: ConnectMode,
    credentials: &Credentials,
) -> Result<ConnectRequest> {
    let totp = client.totp().await?;
    let token = zeroize::Zeroizing::new(totp.token);
    let connection_info = DirA256Gcm.seal(&token, &totp.current_stamp, credentials).map_err(|why| {
        Error::of(&codes::command::SEAL, format!("The credentials cannot be sealed: {why}."))
            .hint("They were not sent. The service may seal in another way than this command knows.")
    })?;
    Ok(ConnectRequest { retailer_id, connection_info, current_stamp: totp.current_stamp, mode })
}

/// What the retailer asks for; where the catalog does not say, a user name and a password.
fn fields(retailer: &Retailer) -> Vec<CredentialField> {
    if retailer.credential_fields.is_empty() {
        return vec![
            CredentialField::new("username", "User name", false),
            CredentialField::new("password", "Password", true),
        ];
    }
    retailer.credential_fields.clone()
}

/// Reads a JSON object of text fields. What is wrong is told without the text, which holds secrets.
fn parse(text: &str, fields: &[CredentialField], source: &str) -> Result<Credentials> {
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let example = format!(
        "It should be like {{{}}}.",
        names.iter().map(|name| format!("\"{name}\": \"…\"")).collect::<Vec<_>>().join(", ")
    );
    let values: BTreeMap<String, String> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|why| {
            let place = format!("line {}, column {}", why.line(), why.column());
            Error::usage(format!("{source} holds no JSON object of text fields ({place}).")).hint(&example)
        })?;
    let credentials: Credentials = values.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect();
    let missing: Vec<&str> = names.iter().copied().filter(|name| !credentials.contains_key(*name)).collect();
    if !missing.is_empty() {
        return Err(Error::usage(format!("{source} lacks {}.", missing.join(", "))).hint(example));
    }
    let unknown: Vec<&str> = credentials.keys().map(String::as_str).filter(|name| !names.contains(name)).collect();
    if !unknown.is_empty() {
        return Err(Error::usage(format!(
            "{source} has {}, which this retailer does not ask for.",
            unknown.join(", ")
        ))
        .hint(example));
    }
    Ok(credentials)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn what_is_wrong_with_credentials_is_told_without_them() {
        let fields = [CredentialField::new("username", "User", false), CredentialField::new("password", "Pw", true)];
        assert!(parse(r#"{"username":"u","password":"p"}"#, &fields, "c.json").is_ok());
        for bad in [
            "canary",
            r#"{"username":"canary"}"#,
            r#"{"username":"canary","password":"canary","pin":"canary"}"#,
            r#"{"username":["canary"],"password":"canary"}"#,
            r#"["canary"]"#,
        ] {
            let error = parse(bad, &fields, "c.json").expect_err("refused");
            assert_eq!(error.exit(), Exit::Usage);
            let said = format!("{} {:?}", error.message(), error.hint_text());
            assert!(!said.contains("canary") && said.contains("c.json"), "{said}");
        }
    }
}
