//! `ordersync profile`.

use crate::context::Context;
use crate::error::Result;
use crate::output::table::{Column, Table, time};

/// Shows the profile of the signed-in user.
///
/// # Errors
/// Where the service cannot be reached or refuses.
pub(super) async fn run(context: &Context) -> Result<()> {
    let profile = context.client().await?.profile().await?;
    if context.output.is_json() {
        return context.output.json(&profile);
    }
    let mut table = Table::new(&[Column::whole("FIELD"), Column::text("VALUE")]);
    for (field, value) in [
        ("User", profile.user_id.to_string()),
        ("Name", profile.name.unwrap_or_default()),
        ("E-mail", profile.email.unwrap_or_default()),
        ("Phone", profile.phone_last4.map(|last4| format!("…{last4}")).unwrap_or_default()),
        ("Known since", time(profile.created_at.as_ref())),
    ] {
        if !value.is_empty() {
            table.row([field.to_owned(), value]);
        }
    }
    context.output.table(&table)
}
