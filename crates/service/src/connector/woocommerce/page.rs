//! The pages of the customer's account: the sign-in form, and notices. WooCommerce answers all of them with status 200.

use scraper::{ElementRef, Html};
use url::Url;

use crate::connector::kit::check::Unread;
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::sign_in::CredentialsForm;
use crate::connector::kit::text::{selector, text};

/// Whether a page asks for a sign-in.
pub(super) fn asks(document: &Html) -> bool {
    document.select(selector!("form input[name=woocommerce-login-nonce]")).next().is_some()
        && document
            .select(selector!(".woocommerce-MyAccount-navigation, .woocommerce-MyAccount-content"))
            .next()
            .is_none()
}

/// What a page is that is not the one that was asked for.
pub(super) fn instead(document: &Html) -> Unread {
    if asks(document) { Unread::SignedOut } else { Unread::Instead(OtherPage::of(document)) }
}

/// The form to sign in, known by its nonce: the page may have a form to register beside it.
pub(super) fn sign_in_form(document: &Html, url: &Url) -> Option<CredentialsForm> {
    let mut forms =
        document.select(selector!("form")).filter(is_sign_in).filter_map(|form| CredentialsForm::read(form, url));
    forms.next()
}

fn is_sign_in(form: &ElementRef<'_>) -> bool {
    form.select(selector!("input[name=woocommerce-login-nonce]")).next().is_some()
}

/// The errors that the page shows: with the classes of plain themes, or those of block themes.
pub(super) fn errors(document: &Html) -> Vec<String> {
    document
        .select(selector!(".woocommerce-error, .wc-block-components-notice-banner.is-error"))
        .map(text)
        .filter(|message| !message.is_empty())
        .collect()
}

/// The text of a notice. Versions before 8.6 have the link to the shop at its beginning.
fn without_links(notice: ElementRef<'_>) -> String {
    let in_link = |node: &ego_tree::NodeRef<'_, scraper::Node>| {
        let mut above = node.ancestors().filter_map(ElementRef::wrap).take_while(|above| *above != notice);
        above.any(|above| above.value().name() == "a")
    };
    let texts = notice.descendants().filter(|node| !in_link(node));
    texts.filter_map(|node| node.value().as_text().map(|text| text.to_string())).collect()
}

/// What the content of an account's page says in place of a table: a notice that is not one of the notices above it.
pub(super) fn says(document: &Html) -> Vec<String> {
    let is_above = |element: &ElementRef<'_>| {
        let mut above = element.ancestors().filter_map(ElementRef::wrap);
        above.any(|above| above.value().classes().any(|class| class == "woocommerce-notices-wrapper"))
    };
    document
        .select(selector!(
            ".woocommerce-MyAccount-content .woocommerce-info, .woocommerce-MyAccount-content .woocommerce-Message, \
             .woocommerce-MyAccount-content .wc-block-components-notice-banner.is-info"
        ))
        .filter(|element| !is_above(element))
        .map(without_links)
        .collect()
}
