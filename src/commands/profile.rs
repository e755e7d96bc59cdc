//! `ordersync profile`.

use ordersync_api::{Open, Timestamp};

use crate::context::Context;
use crate::errors::Result;
use crate::output::human::full_time;

/// Shows the profile of the signed-in user.
pub(super) async fn run(context: &Context) -> Result<()> {
    let profile = context.client().await?.profile().await?;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    context.output.record(&profile, |profile| {
        [
            ("User", profile.user_id.to_string()),
            ("Name", text(&profile.name)),
            ("E-mail", text(&profile.email)),
            ("Phone", profile.phone_last4.as_ref().map(|last4| format!("…{last4}")).unwrap_or_default()),
            ("Known since", since(profile.created_at.as_ref())),
        ]
    })
}

/// With the zone: there is one time, and no heading that could name it.
fn since(at: Option<&Open<Timestamp>>) -> String {
    match at {
        Some(Open::Known(at)) => full_time(at.0),
        Some(Open::Other(text)) => text.clone(),
        None => String::new(),
    }
}
