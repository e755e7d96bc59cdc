//! A retailer's credentials: from a private file, from standard input, or asked for. They are sealed as soon as they
//! are complete, and never leave this machine in the clear.

use std::collections::BTreeMap;

use ordersync_api::seal::{Credentials, DirA256Gcm, Seal as _};
use ordersync_api::{ConnectMode, ConnectRequest, CredentialField, ErrorCode, Retailer, SyncStarted};
use secrecy::{ExposeSecret as _, SecretString};

use super::cookies;
use crate::cli::shared::CredentialArgs;
use crate::client::Client;
use crate::context::Context;
use crate::errors::{Error, Result, codes};
use crate::files::private;
use crate::input;
use crate::names::fold;
use crate::prompt::Question;

/// No more columns of an answer are shown in the summary.
const LONGEST_SHOWN: usize = 24;
const INSTEAD: &str = "Give --credentials-file FILE or --credentials-stdin.";

/// Gets the credentials that a retailer needs. `typed` holds what is no secret of those that were typed before.
pub(crate) async fn get(
    context: &Context,
    retailer: &Retailer,
    arguments: &CredentialArgs,
    typed: &mut BTreeMap<String, String>,
) -> Result<Credentials> {
    let fields = fields(retailer);
    if let Some(path) = &arguments.cookies {
        return cookies::lent(context, retailer, &fields, path).await;
    }
    if let Some(path) = &arguments.credentials_file {
        let (name, path) = (path.display().to_string(), path.clone());
        let text = context.read(&name, move || private::read(&path)).await?;
        return cookies::own(parse(&text, &fields, &name)?, &fields, &name);
    }
    if arguments.credentials_stdin {
        let text = context.read("standard input", input::text).await?;
        return cookies::own(parse(&text, &fields, "Standard input")?, &fields, "Standard input");
    }
    loop {
        let credentials = ask(context, retailer, &fields, typed).await?;
        if arguments.yes {
            return Ok(credentials);
        }
        context.prompt.show(&summary(retailer, &fields, typed, context.prompt.mask()));
        if context.prompt.confirm("Send?", &INSTEAD.into()).await? {
            return Ok(credentials);
        }
        context.output.announce("Nothing was sent: edit and try again (Ctrl-C cancels).");
    }
}

/// Asks for each field. `typed` holds what is no secret, to be changed where it is asked for again.
async fn ask(
    context: &Context,
    retailer: &Retailer,
    fields: &[CredentialField],
    typed: &mut BTreeMap<String, String>,
) -> Result<Credentials> {
    let mut credentials = Credentials::new();
    for field in fields {
        if let Some(host) = &field.cookies {
            credentials.insert(field.name.clone(), cookies::asked_for(context, host).await?);
            continue;
        }
        let question =
            Question::new(&format!("{} for {}", field.label, retailer.display_name), INSTEAD).short(&field.label);
        let value = if field.secret {
            context.prompt.secret(&question).await?
        } else {
            let before = typed.get(&field.name).map(String::as_str).unwrap_or_default();
            let text = context.prompt.text(&question.initial(before)).await?;
            text.map(|text| {
                let text = text.trim();
                typed.insert(field.name.clone(), text.to_owned());
                SecretString::from(text)
            })
        };
        credentials.insert(field.name.clone(), value.ok_or_else(Error::interrupted)?);
    }
    Ok(credentials)
}

/// What is about to be sent: no secret, and no more of the rest than tells whether it is the right one.
fn summary(retailer: &Retailer, fields: &[CredentialField], typed: &BTreeMap<String, String>, mask: &str) -> String {
    let fields = fields.iter().map(|field| {
        let shown = match typed.get(&field.name) {
            Some(text) if !field.secret => shortened(text),
            _ => mask.to_owned(),
        };
        // No-break spaces: a value stays on the line of its label.
        format!("{}:\u{a0}{shown}", field.label.replace(' ', "\u{a0}"))
    });
    let parts: Vec<String> = std::iter::once(retailer.display_name.clone()).chain(fields).collect();
    parts.join("\u{a0}· ")
}

/// "ada@…" for an e-mail address; the beginning of what is long.
fn shortened(text: &str) -> String {
    match text.split_once('@') {
        Some((name, _)) => format!("{}@…", console::truncate_str(name, LONGEST_SHOWN, "…")),
        None => console::truncate_str(text, LONGEST_SHOWN, "…").into_owned(),
    }
}

/// Seals the credentials and sends them. A token that has become stale meanwhile is replaced, once.
pub(crate) async fn send(
    client: &Client,
    retailer_id: i64,
    mode: ConnectMode,
    credentials: &Credentials,
) -> Result<SyncStarted> {
    let send = async || {
        let totp = client.totp().await?;
        let token = zeroize::Zeroizing::new(totp.token);
        let connection_info = DirA256Gcm.seal(&token, &totp.current_stamp, credentials).map_err(|why| {
            Error::of(&codes::command::SEAL, format!("The credentials cannot be sealed: {why}."))
                .hint("They were not sent. The service may seal in another way than this command knows.")
        })?;
        let current_stamp = totp.current_stamp;
        client.connect(&ConnectRequest { retailer_id, connection_info, current_stamp, mode }).await
    };
    match send().await {
        Err(error) if error.is(ErrorCode::SealRejected) => send().await,
        result => result,
    }
}

/// The fields that the retailer asks for; if the catalog does not say, a user name and a password.
fn fields(retailer: &Retailer) -> Vec<CredentialField> {
    if retailer.credential_fields.is_empty() {
        return vec![
            CredentialField::new("username", "User name", false),
            CredentialField::new("password", "Password", true),
        ];
    }
    retailer.credential_fields.clone()
}

/// Reads a JSON object of text fields. Errors do not quote the text, which holds secrets.
fn parse(text: &str, fields: &[CredentialField], source: &str) -> Result<Credentials> {
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let example = format!(
        "It should be like {{{}}}.",
        names.iter().map(|name| format!("\"{name}\": \"…\"")).collect::<Vec<_>>().join(", ")
    );
    let text = text.trim_start_matches('\u{feff}').trim_end();
    if text.is_empty() {
        return Err(Error::usage(format!("{source} is empty.")).hint(example));
    }
    let values: BTreeMap<String, String> = serde_json::from_str(text).map_err(|why| {
        let what = if why.is_data() { "is not a JSON object whose values are text" } else { "is not valid JSON" };
        let place = format!("line {}, column {}", why.line(), why.column());
        Error::usage(format!("{source} {what} ({place}).")).hint(&example)
    })?;
    let mut credentials: Credentials =
        values.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect();
    by_label(&mut credentials, fields);
    let missing: Vec<String> =
        fields.iter().filter(|field| !credentials.contains_key(&field.name)).map(named).collect();
    if !missing.is_empty() {
        return Err(Error::usage(format!("{source} lacks {}.", missing.join(", "))).hint(example));
    }
    let is_empty =
        |field: &&CredentialField| credentials.get(&field.name).is_some_and(|value| value.expose_secret().is_empty());
    if let Some(empty) = fields.iter().find(is_empty) {
        return Err(Error::usage(format!("{source} has an empty {}.", named(empty))).hint(example));
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

/// Takes a value that has the field's label for its name, as the prompt shows it: `email` for `username`.
fn by_label(credentials: &mut Credentials, fields: &[CredentialField]) {
    for field in fields.iter().filter(|field| !credentials.contains_key(&field.name)).collect::<Vec<_>>() {
        let label = letters(&field.label);
        let is_label = |name: &&String| letters(name) == label && fields.iter().all(|other| other.name != **name);
        if let Some(name) = credentials.keys().find(is_label).cloned()
            && let Some(value) = credentials.remove(&name)
        {
            credentials.insert(field.name.clone(), value);
        }
    }
}

/// A field's name, with what the prompt calls it if that is something else.
fn named(field: &CredentialField) -> String {
    if letters(&field.name) == letters(&field.label) {
        return field.name.clone();
    }
    format!("{} ({})", field.name, field.label)
}

fn letters(text: &str) -> String {
    fold(text).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::Exit;

    #[test]
    fn a_summary_tells_which_account_and_no_secret() {
        let retailer: Retailer =
            serde_json::from_value(serde_json::json!({"retailerId": 1, "displayName": "Best Buy"})).expect("retailer");
        let typed = BTreeMap::from([("username".into(), "ada@mail.test".into()), ("password".into(), "canary".into())]);
        assert_eq!(
            summary(&retailer, &fields(&retailer), &typed, "••••••••").replace('\u{a0}', " "),
            "Best Buy · User name: ada@… · Password: ••••••••"
        );
    }

    #[test]
    fn a_field_may_be_called_as_the_prompt_calls_it() {
        let fields = [CredentialField::new("username", "E-Mail", false), CredentialField::new("password", "Pw", true)];
        let given = |text| parse(text, &fields, "c.json").map(|given| given.into_keys().collect::<Vec<_>>());
        assert_eq!(given(r#"{"email":"u","password":"p"}"#).expect("complete"), ["password", "username"]);
        assert_eq!(given(r#"{"username":"u","pw":"p"}"#).expect("complete"), ["password", "username"]);
        let error = given(r#"{"password":"p"}"#).expect_err("incomplete");
        assert_eq!(error.message(), "c.json lacks username (E-Mail).");
        assert!(given(r#"{"username":"u","email":"u","password":"p"}"#).is_err(), "one of them is not asked for");
    }

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
