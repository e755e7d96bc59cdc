//! `ordersync profile`.

use crate::context::Context;
use crate::errors::Result;
use crate::output::human::time_with_zone;

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
            // There is one time, and no heading that could name its zone.
            ("Known since", time_with_zone(profile.created_at.as_ref())),
        ]
    })
}
