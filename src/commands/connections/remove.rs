//! `ordersync connections remove`: deletes what the user named in full, after saying what goes.

use ordersync_api::{Connection, ErrorCode};

use crate::cli::connections::RemoveArgs;
use crate::client::{Client, OrderFilter};
use crate::commands::shared::display_name::name;
use crate::commands::shared::{busy, confirm, resolve};
use crate::complete::cache::Fetched;
use crate::config::Target;
use crate::config::sign_in::CLIENT_ID;
use crate::context::Context;
use crate::errors::{Advice, Error, Exit, Hint, Result};
use crate::names::is_exact;
use crate::output::Mark;
use crate::output::human::items;

/// Removes a connection.
pub(super) async fn run(context: &Context, arguments: &RemoveArgs) -> Result<()> {
    let client = context.client().await?;
    let mut connections = client.connections(None).await?;
    let connection = whole(&connections, &arguments.id)?.clone();
    let (name, id) = (name(&connection), connection.connection_id.as_str());
    busy::refuse_removal(context, client, &connection).await?;
    if !arguments.yes && !agrees(context, client, &connection).await? {
        return Err(Error::declined(format!("{name} was not removed.")));
    }
    let is_gone = match client.remove_connection(id).await {
        Ok(()) => false,
        Err(error) if error.is(ErrorCode::SyncInProgress) => {
            // It began since, or is not shown to this client: the service's own words name the session.
            let again = context.command(["connections", "remove", id]);
            return Err(error.also(Hint::run("When it has ended, remove the connection", again)));
        }
        // Removed by another client, or by an attempt whose answer was lost; or the service has no such request.
        Err(error) if error.exit() == Exit::NotFound => match client.connection(id).await {
            Ok(_) => return Err(error.hint("The service has the connection, but no request that removes it.")),
            Err(now) if now.exit() == Exit::NotFound => true,
            Err(now) => return Err(now),
        },
        Err(error) => return Err(error),
    };
    connections.retain(|one| one.connection_id != connection.connection_id);
    context.remember(|known| {
        known.set_connections(&connections);
        // Some of them may be gone with it.
        known.orders = Fetched::default();
    });
    let text = if is_gone { format!("{name} is removed already") } else { format!("Removed {name} ({id})") };
    context.output.marked_note(Mark::Good, &text);
    Ok(())
}

/// The connection with this id or whole name. Nothing that is only alike is deleted.
fn whole<'a>(connections: &'a [Connection], wanted: &str) -> Result<&'a Connection> {
    let wanted = wanted.trim();
    let is_whole = |one: &&Connection| {
        is_exact(wanted, &name(one), one.connection_id.as_str()) || wanted == one.retailer_id.to_string()
    };
    let shown = |all: &[&Connection]| {
        all.iter().map(|one| format!("{}   {}", one.connection_id, name(one))).collect::<Vec<_>>()
    };
    match connections.iter().filter(is_whole).collect::<Vec<_>>().as_slice() {
        [one] => Ok(one),
        [] => {
            let alike = resolve::alike(connections, wanted);
            if alike.is_empty() {
                return Err(Error::not_found(format!("There is no connection \"{wanted}\"."))
                    .hint(Hint::run("See your connections", "ordersync connections")));
            }
            let named: Vec<Hint> = shown(&alike).into_iter().map(Hint::say).collect();
            Err(Error::usage(format!("\"{wanted}\" is not the whole name or id of a connection."))
                .hint(Advice::from("To remove one, name it in full:").and(named)))
        }
        several => Err(resolve::matches_several(wanted, "connections", &shown(several))),
    }
}

/// Asks, and says what goes.
async fn agrees(context: &Context, client: &Client, connection: &Connection) -> Result<bool> {
    let name = name(connection);
    let command = context.command(["connections", "remove", connection.connection_id.as_str(), "--yes"]);
    let instead = Advice::from(Hint::run(format!("To remove {name} without a question"), command.as_str()));
    context.prompt.check("An answer", &instead)?;
    // A service that does not count, or a sign-in that may not read orders, costs the number only.
    let filter = OrderFilter { retailer_id: Some(connection.retailer_id), ..OrderFilter::default() };
    let total = client.orders(&filter, 1, 0).await.ok().and_then(|page| page.total);
    context.output.announce(what_goes(&name, total, reach(context)));
    let kept = Advice::from([Hint::say("Nothing was removed."), Hint::run("Remove it", command)]);
    confirm::agrees(context, &format!("Remove {name}?"), &instead, kept).await
}

fn what_goes(name: &str, total: Option<u64>, reach: Reach) -> String {
    let orders = total.map_or_else(|| "its line items".to_owned(), |total| format!("its {}", items(total)));
    let deletes = format!("This deletes {name} and {orders}, with its sessions and stored credentials.");
    match reach {
        Reach::Here => deletes,
        Reach::Everywhere => format!("{deletes} Apps that you share it with lose access, too."),
        Reach::Own => format!(
            "This app loses access to {name} and {orders}. If no other app has access, the service deletes them, with the \
             sessions and stored credentials."
        ),
    }
}

/// Who loses access.
#[derive(Debug, Clone, Copy)]
enum Reach {
    /// The one user of the service inside the command.
    Here,
    /// Every client, because the service knows the command line as the user's own.
    Everywhere,
    /// At least the client that asks.
    Own,
}

fn reach(context: &Context) -> Reach {
    match &context.settings.target {
        Target::Local(_) => Reach::Here,
        Target::Remote(remote) if remote.token.is_none() && context.settings.sign_in.client_id.value == CLIENT_ID => {
            Reach::Everywhere
        }
        Target::Remote(_) => Reach::Own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections() -> Vec<Connection> {
        serde_json::from_str(
            r#"[{"connectionId":"conn_aaaa1","retailerId":12,"displayName":"Komadori Shōten","status":"valid"},
                {"connectionId":"conn_aaaa2","retailerId":3,"displayName":"Harbor","status":"valid"},
                {"connectionId":"conn_aaaa3","retailerId":4,"displayName":"HARBOR","status":"valid"}]"#,
        )
        .expect("connections")
    }

    #[test]
    fn only_what_is_named_in_full_is_removed() {
        let connections = connections();
        let id = |wanted| whole(&connections, wanted).map(|one| one.connection_id.to_string());
        for wanted in ["conn_aaaa1", "12", "komadori shoten", "Komadori Shōten"] {
            assert_eq!(id(wanted).ok().as_deref(), Some("conn_aaaa1"), "{wanted}");
        }
        for wanted in ["komadori", "shoten", "aaaa1", "harbor"] {
            let error = id(wanted).expect_err("not in full, or several");
            assert_eq!(error.exit(), Exit::Usage, "{wanted}");
            assert!(error.hint_text().is_some_and(|hint| hint.contains("conn_aaaa")), "{wanted}");
        }
        assert_eq!(id("zebra").expect_err("none").exit(), Exit::NotFound);
    }

    #[test]
    fn what_goes_is_said() {
        let said = |total, reach| what_goes("Harbor", total, reach);
        assert!(said(Some(990), Reach::Here).starts_with("This deletes Harbor and its 990 items, with"));
        assert!(said(Some(1), Reach::Everywhere).contains("1 item,") && said(None, Reach::Everywhere).contains("Apps"));
        assert!(said(None, Reach::Own).contains("access to Harbor and its line items. If no other app"));
    }
}
