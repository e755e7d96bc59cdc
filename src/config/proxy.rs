//! The proxy from the environment. An unusable one is refused, since requests would otherwise silently bypass it.

use axum::http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use url::Url;

use crate::env::{self, Environment, Variable};
use crate::errors::{Error, Hint, Result};
use crate::net::is_loopback;

/// Whether nothing but a port follows the host: the library ignores a port that is not a number.
fn has_port_or_none(uri: &Uri) -> bool {
    let host_and_port =
        uri.authority().map_or("", |authority| authority.as_str()).rsplit('@').next().unwrap_or_default();
    let rest = host_and_port.strip_prefix(uri.host().unwrap_or_default()).unwrap_or_default();
    rest.is_empty() || uri.port_u16().is_some()
}

/// Refuses a proxy whose address cannot be used for this service. The address is not shown: it may hold a password.
pub(super) fn check(environment: &Environment, base_url: &Url) -> Result<()> {
    let (false, Ok(service)) = (is_loopback(base_url), base_url.as_str().parse()) else { return Ok(()) };
    // One that is not text is no address either.
    let named =
        |variable: &'static Variable| Some((variable, environment.path(variable)?.to_str().unwrap_or_default()));
    let Some((variable, proxy)) = named(&env::HTTPS_PROXY).or_else(|| named(&env::ALL_PROXY)) else { return Ok(()) };
    if Matcher::builder().all(proxy).build().intercept(&service).is_some_and(|found| has_port_or_none(found.uri())) {
        return Ok(());
    }
    let name = variable.name;
    Err(Error::usage(format!("{name} is not the address of a proxy: write it like http://proxy.example:3128."))
        .hint(Hint::run("To use none", format!("unset {name}"))))
}
