//! What retailers are called in messages. Two may have the same name; then more is shown of each.

use ordersync_api::{RetailerSyncSession, Session};

/// What identifies a retailer's part in a session: its connection, or if that is unknown, the retailer.
pub(crate) fn key(retailer: &RetailerSyncSession) -> String {
    match &retailer.connection_id {
        Some(connection) => connection.0.clone(),
        None => format!("retailer {}", retailer.retailer_id),
    }
}

/// What a retailer is called; if another in the session has the same name, with what tells them apart.
pub(crate) fn label(session: &Session, retailer: &RetailerSyncSession) -> String {
    label_among(std::slice::from_ref(session), retailer)
}

/// The name, with what distinguishes the retailer if another in any of these sessions has the same name.
pub(crate) fn label_among(sessions: &[Session], retailer: &RetailerSyncSession) -> String {
    let name = name(retailer);
    let parts = sessions.iter().flat_map(|session| &session.retailer_sync_sessions);
    let same: Vec<&RetailerSyncSession> = parts.filter(|other| self::name(other) == name).collect();
    if same.len() < 2 {
        return name;
    }
    if same.iter().filter(|other| other.retailer_id == retailer.retailer_id).count() < 2 {
        return format!("{name} ({})", retailer.retailer_id);
    }
    format!("{name} ({})", key(retailer))
}

fn name(retailer: &RetailerSyncSession) -> String {
    retailer.display_name.clone().unwrap_or_else(|| format!("Retailer {}", retailer.retailer_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retailers_of_the_same_name_are_told_apart() {
        let part = |id: i64, connection: &str, name: &str| serde_json::json!({"retailerId": id, "connectionId": connection, "displayName": name, "syncStatus": "queued"});
        let session: Session = serde_json::from_value(serde_json::json!({
            "batchId": "b", "status": "syncing",
            "retailerSyncSessions":
                [part(1, "c1", "Harbor"), part(2, "c2", "Harbor"), part(2, "c3", "Harbor"), part(4, "c4", "Quay")],
        }))
        .expect("session");
        let labels: Vec<String> =
            session.retailer_sync_sessions.iter().map(|retailer| label(&session, retailer)).collect();
        assert_eq!(labels, ["Harbor (1)", "Harbor (c2)", "Harbor (c3)", "Quay"]);
    }
}
