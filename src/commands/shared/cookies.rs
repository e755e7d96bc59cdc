//! Cookies of a browser that is signed in at a retailer. Only those of its host leave this machine, sealed as a password is.

use std::path::Path;

use ordersync_api::seal::Credentials;
use ordersync_api::{CredentialField, Retailer};
use ordersync_values::cookie_file::{self, NoCookie};
use secrecy::{ExposeSecret as _, SecretString};

use crate::clock;
use crate::context::Context;
use crate::errors::{Error, Result};
use crate::files::private;
use crate::prompt::Question;

/// Of a file with the cookies of all websites, in bytes.
const LONGEST: u64 = 4 << 20;
const HOW: &str = "Sign in there with a browser, export its cookies as a cookies.txt file (Netscape format), and make it private (chmod 600).";
const INSTEAD: &str = "Give --cookies FILE.";

/// The credentials that a file of cookies is.
/// Fails if the retailer takes others, or the file has none for it.
pub(super) async fn lent(
    context: &Context,
    retailer: &Retailer,
    fields: &[CredentialField],
    path: &Path,
) -> Result<Credentials> {
    let [CredentialField { name, cookies: Some(host), .. }] = fields else {
        let message = format!("{} takes no cookies.", retailer.display_name);
        return Err(Error::usage(message).hint("Leave --cookies out: the command asks for what it takes."));
    };
    Ok(Credentials::from([(name.clone(), of_file(context, host, path).await?)]))
}

/// Asks for the file.
pub(super) async fn asked_for(context: &Context, host: &str) -> Result<SecretString> {
    context.prompt.check("A file of cookies", &INSTEAD.into())?;
    context.prompt.show(&format!("{host}: {HOW}"));
    let question = Question::new(&format!("File with the cookies of {host}"), INSTEAD).short("File");
    let path = context.prompt.text(&question).await?.ok_or_else(Error::interrupted)?;
    of_file(context, host, Path::new(path.trim())).await
}

/// Credentials without the cookies of other hosts.
pub(super) fn own(mut credentials: Credentials, fields: &[CredentialField], source: &str) -> Result<Credentials> {
    for field in fields {
        if let Some(host) = &field.cookies
            && let Some(text) = credentials.remove(&field.name)
        {
            credentials.insert(field.name.clone(), of_host(text.expose_secret(), host, source)?);
        }
    }
    Ok(credentials)
}

async fn of_file(context: &Context, host: &str, path: &Path) -> Result<SecretString> {
    let (name, path) = (path.display().to_string(), path.to_owned());
    let text = context.read(&name, move || private::read_up_to(&path, LONGEST)).await?;
    of_host(&text, host, &name)
}

fn of_host(text: &str, host: &str, source: &str) -> Result<SecretString> {
    let cookies = cookie_file::parse(text).map_err(|NoCookie(line)| {
        Error::usage(format!("{source} is no file of cookies: line {line} has none.")).hint(HOW)
    })?;
    let of_host: Vec<_> = cookies.into_iter().filter(|cookie| cookie.is_for(host)).collect();
    if of_host.is_empty() {
        return Err(Error::usage(format!("{source} has no cookies of {host}.")).hint(HOW));
    }
    let now = clock::now().timestamp();
    if of_host.iter().all(|cookie| !cookie.is_valid(now)) {
        return Err(Error::usage(format!("The cookies of {host} in {source} have expired.")).hint(HOW));
    }
    Ok(cookie_file::lines(of_host.into_iter()).into())
}
