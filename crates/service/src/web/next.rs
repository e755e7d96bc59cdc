//! The page to show after a sign-in: one of our own pages, never an address from the request.

use axum::http::Uri;

use crate::http::fields::Params;

/// A page that requires its visitor to be signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// Consent, for an authorization request with this query.
    Authorize {
        /// The query, as received.
        query: String,
    },
    /// The device page, with the code from its address.
    Device {
        /// Empty if there is none.
        user_code: String,
    },
    Widget,
    /// The user's own account.
    Account,
    /// The user's orders, or one of them.
    Orders {
        /// Path and query.
        path: String,
    },
}

impl Next {
    /// Parses the output of [`Next::path`].
    pub(super) fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok().filter(|uri: &Uri| uri.authority().is_none())?;
        match uri.path() {
            "/oauth/authorize" => Some(Self::Authorize { query: uri.query()?.to_owned() }),
            "/device" => Some(Self::device(Params::of(&uri).text("user_code").ok()?.unwrap_or_default())),
            "/widget" => Some(Self::Widget),
            "/account" => Some(Self::Account),
            path if is_of_orders(path) => Some(Self::orders(&uri)),
            _ => None,
        }
    }

    /// The page of this address, which is one of orders.
    pub(super) fn orders(uri: &Uri) -> Self {
        let path = uri.path_and_query().filter(|_| is_of_orders(uri.path()));
        Self::Orders { path: path.map_or_else(|| "/account/orders".to_owned(), ToString::to_string) }
    }

    /// The device page with the typed text, reduced to what can be a code.
    pub(super) fn device(user_code: &str) -> Self {
        let user_code = user_code.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(32).collect();
        Self::Device { user_code }
    }

    /// Path and query.
    pub(super) fn path(&self) -> String {
        match self {
            Self::Authorize { query } => format!("/oauth/authorize?{query}"),
            Self::Device { user_code } if user_code.is_empty() => "/device".to_owned(),
            Self::Device { user_code } => format!("/device?user_code={user_code}"),
            Self::Widget => "/widget".to_owned(),
            Self::Account => "/account".to_owned(),
            Self::Orders { path } => path.clone(),
        }
    }
}

fn is_of_orders(path: &str) -> bool {
    path.strip_prefix("/account/orders").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_pages_are_led_to() {
        for path in
            ["/oauth/authorize?client_id=a&state=%26", "/device", "/device?user_code=ABCD-EFGH", "/widget", "/account"]
        {
            assert_eq!(Next::parse(path).map(|next| next.path()).as_deref(), Some(path));
        }
        for other in [
            "",
            "/",
            "/account/ordersx",
            "//evil.test/widget",
            "https://evil.test/widget",
            "/widget/token",
            "/account/delete",
            "/sync/orders",
            "/oauth/authorize",
        ] {
            assert_eq!(Next::parse(other), None, "{other}");
        }
        for path in [
            "/account/orders",
            "/account/orders?q=a%26b&retailer=1",
            "/account/orders/1-2",
            "/account/orders/documents/doc_1",
        ] {
            assert_eq!(Next::parse(path).map(|next| next.path()).as_deref(), Some(path));
        }
        let cleaned = Next::parse("/device?user_code=AB%0d%0aSet-Cookie:x").map(|next| next.path());
        assert_eq!(cleaned.as_deref(), Some("/device?user_code=ABSet-Cookiex"));
    }
}
