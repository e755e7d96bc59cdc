//! The pages of the sign-in. WooCommerce answers a refused sign-in with status 200, and with the form again.

use ordersync_api::SyncErrorCode;
use scraper::Html;
use url::Url;

use super::page;
use crate::connector::ConnectorError;
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::sign_in::{SignInAnswer, SignInPage};
use crate::connector::kit::site::{CodeForm, SignInPages};

/// WooCommerce's sign-in.
pub(super) struct WooSignIn;

impl SignInPages for WooSignIn {
    fn username_label(&self) -> &'static str {
        "Username or email"
    }

    fn read(&self, document: &Html, url: &Url) -> SignInPage<CodeForm> {
        match page::sign_in_form(document, url) {
            Some(form) => SignInPage::Credentials(Box::new(form)),
            None => SignInPage::Other(OtherPage::of(document)),
        }
    }

    fn answer(
        &self,
        of: PageKind,
        status: u16,
        document: &Html,
        url: &Url,
    ) -> Result<SignInAnswer<CodeForm>, ConnectorError> {
        let answer = SignInAnswer::read(of, status, document, url, |_, _| None)?;
        if !matches!(answer, SignInAnswer::CredentialsAgain) {
            return Ok(answer);
        }
        if OtherPage::of(document) == OtherPage::RobotCheck {
            return Err(OtherPage::RobotCheck.error(PageKind::SignIn));
        }
        // With a nonce that has expired, WooCommerce shows the form again and says nothing: the password was not looked at.
        if page::errors(document).is_empty() {
            return Err(ConnectorError::new(SyncErrorCode::RetailerChanged).with_message(
                "The retailer shows its sign-in again and does not say why. Sync again; if that does not help, the \
                 shop's sign-in has changed.",
            ));
        }
        Ok(answer)
    }

    fn asks(&self, document: &Html) -> bool {
        page::asks(document)
    }
}
