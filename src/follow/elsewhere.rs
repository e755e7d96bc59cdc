//! A request of a retailer's that is answered elsewhere while a person is asked here: in another terminal, or in the widget.
//!
//! What holds: looking for it leaves other commands half of the rate limit.

use std::time::{Duration, Instant};

use super::open_requests;
use super::request::{FARTHEST, PendingRequest};
use crate::client::Client;
use crate::context::Context;

/// How often the session is looked at.
const LOCAL: Duration = Duration::from_secs(1);
/// How often at a service with a rate limit: by the specification a quarter of its requests.
const REMOTE: Duration = Duration::from_millis(2500);
/// How often once half of the limit is used up: less than a tenth of the requests.
const SPARING: Duration = Duration::from_secs(7);

/// Waits until the request is settled: answered, or over.
pub(super) async fn settled(context: &Context, client: &Client, request: &PendingRequest<'_>) {
    let mut pause = if context.is_local() { LOCAL } else { REMOTE };
    let until = request.until(context).unwrap_or_else(|| Instant::now() + FARTHEST);
    loop {
        tokio::time::sleep(pause).await;
        let session = if client.rate_limit().has_half() {
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
