//! The user's profile.

use ordersync_api::Profile;

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::errors::Result;

impl Client {
    /// The profile of the signed-in user.
    pub(crate) async fn profile(&self) -> Result<Profile> {
        self.get(Call::new(Operation::Profile)?).await
    }
}
