//! A request of a retailer's that is answered elsewhere while a person is asked here: in another terminal, or in the widget.
//!
//! What holds: looking for it leaves other commands half of the request budget.

use std::time::{Duration, Instant};

use super::open_requests;
use super::request::{FARTHEST, PendingRequest};
use crate::client::Client;
use crate::context::Context;

/// How often the session is looked at.
const LOCAL: Duration = Duration::from_secs(1);
/// The same at a service with a rate limit: by the specification a quarter of its requests.
const REMOTE: Duration = Duration::from_millis(2500);
/// The same if half of the budget is spent: less than a tenth of the requests.
const SPARING: Duration = Duration::from_secs(7);

/// Waits until the request is settled: answered, or over.
pub(super) async fn settled(context: &Context, client: &Client, request: &PendingRequest<'_>) {
    let mut pause = if context.is_local() { LOCAL } else { REMOTE };
    let until = request.until(context).unwrap_or_else(|| Instant::now() + FARTHEST);
    loop {
        tokio::time::sleep(pause).await;
        let session = if has_room(client).await {
            client.session(request.batch).await
        } else {
            pause = SPARING;
            client.poll_session(request.batch, until).await
        };
        // An outage does not disturb a user who is being asked; the answer meets it if it lasts.
        let Ok(session) = session else { continue };
        if open_requests(&session).iter().all(|open| open.req_id != request.req_id) {
            return;
        }
    }
}

/// Whether more than half of the budget is left. The tenth that following has for itself would be used up by a person who
/// thinks, and missing after the answer.
async fn has_room(client: &Client) -> bool {
    let left = client.budget().await.and_then(|budget| budget.left());
    left.is_none_or(|left| left.requests > left.quota.requests.get() / 2)
}
