//! `ordersync open`: the user's orders in the browser, from the pages of the service.

use serde::Serialize;
use url::Url;

use crate::auth::browser;
use crate::cli::open::OpenArgs;
use crate::config::Target;
use crate::context::Context;
use crate::errors::{Error, Result, codes};
use crate::{env, policy};

/// The page.
const PATH: &str = "/account/orders";

/// A page that was opened.
#[derive(Serialize)]
struct Opened {
    url: Url,
    /// Whether a browser was started.
    opened: bool,
}

pub(crate) async fn run(context: &Context, arguments: &OpenArgs) -> Result<()> {
    let Target::Remote(remote) = &context.settings.target else { return here(context, arguments).await };
    let mut url = remote.base_url.value.clone();
    url.set_path(&format!("{}{PATH}", url.path().trim_end_matches('/')));
    show(context, arguments, url)?;
    context.output.note("The page asks you to sign in.");
    Ok(())
}

/// From the service inside this command, for as long as the command runs.
async fn here(context: &Context, arguments: &OpenArgs) -> Result<()> {
    let client = context.client().await?;
    let pass = client.browser_pass().await?;
    let url = client.base().join(&pass.path);
    let url =
        url.map_err(|why| Error::of(&codes::network::UNEXPECTED_ANSWER, format!("The page has no address: {why}.")))?;
    show(context, arguments, url)?;
    context.output.note("The address works once, within a minute.");
    let facts = context.facts;
    context.output.announce(if facts.stdin_terminal || facts.stderr_terminal {
        "The service runs until you press Ctrl-C.".to_owned()
    } else {
        // Nobody can press a key.
        format!("The service runs until this command is stopped: kill {}. --timeout sets a limit.", std::process::id())
    });
    context.until_stopped().await;
    Ok(())
}

fn show(context: &Context, arguments: &OpenArgs, url: Url) -> Result<()> {
    let wants = policy::opens_browser(context.facts, !arguments.no_browser);
    let opened = wants && browser::open(&url, context.environment.get(&env::BROWSER));
    let shown = Opened { url, opened };
    if !context.output.shown(&shown)? {
        context.output.line(shown.url.as_str())?;
    }
    context.output.note(if opened {
        "Your orders have opened in your browser. If they have not, open the address above."
    } else {
        "Open this address in a browser."
    });
    Ok(())
}
