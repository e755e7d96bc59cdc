//! Claiming uses indexes, however many syncs there are.

use tempfile::TempDir;

use crate::store::Store;
use crate::store::db::{Dialect, query_as};
use crate::store::syncs::queue::DUE;

#[tokio::test]
async fn what_is_due_is_found_by_its_index() {
    let folder = TempDir::new().unwrap();
    let store = Store::open(&folder.path().join("s")).await.unwrap();
    for due in [DUE.sandbox, DUE.live] {
        let plan: Vec<(i64, i64, i64, String)> =
            query_as(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", due.of(Dialect::Sqlite))))
                .bind(0_i64)
                .bind("[]")
                .bind("[]")
                .bind(0_i64)
                .fetch_all(store.writer())
                .await
                .unwrap();
        let steps: Vec<&str> = plan.iter().map(|row| row.3.as_str()).collect();
        for index in ["begun", "by_retailer"] {
            let due = format!("SEARCH d USING INDEX retailer_sessions_{index} (retailer_id=? AND due_at<?)");
            assert!(steps.contains(&due.as_str()), "{steps:#?}");
        }
        let scans: Vec<&&str> =
            steps.iter().filter(|step| step.starts_with("SCAN ") && !step.contains("INDEX")).collect();
        assert!(
            scans.iter().all(|step| ["SCAN open", "SCAN json_each", "SCAN CONSTANT ROW"]
                .iter()
                .any(|known| step.starts_with(known))),
            "{steps:#?}"
        );
    }
    assert!(!DUE.live.of(Dialect::Sqlite).contains("clock") && DUE.sandbox.of(Dialect::Sqlite).contains("clock"));
}
