//! Forms, filled in and sent the way a browser does it: with the hidden fields and the default button.

use scraper::ElementRef;
use serde::{Deserialize, Serialize};
use url::Url;
use url::form_urlencoded::Serializer;
use zeroize::Zeroizing;

use super::text::selector;

/// A form that waits for its answer. What it holds (a CSRF token) is kept in sealed state only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::connector) struct Form {
    /// The page that contains it.
    pub(in crate::connector) page: Url,
    /// Where it is posted to.
    pub(in crate::connector) action: Url,
    fields: Vec<(String, String)>,
}

impl Form {
    /// Reads a form of the page at `page`: its hidden fields and its default button (HTML, implicit submission).
    /// `None` for one that is not posted, or not to an address.
    pub(in crate::connector) fn read(form: ElementRef<'_>, page: &Url) -> Option<Self> {
        if !form.attr("method")?.eq_ignore_ascii_case("post") {
            return None;
        }
        let action = page.join(form.attr("action").unwrap_or_default()).ok()?;
        let hidden = form.select(selector!("input[type=hidden][name]"));
        let button =
            form.select(selector!("button:not([type]), button[type=submit], input[type=submit]")).next().filter(
                |button| button.attr("disabled").is_none() && button.attr("name").is_some_and(|name| !name.is_empty()),
            );
        let fields = hidden
            .chain(button)
            .filter_map(|field| {
                Some((field.attr("name")?.to_owned(), field.attr("value").unwrap_or_default().to_owned()))
            })
            .collect();
        Some(Self { page: page.clone(), action, fields })
    }

    /// A request of a recipe, with values that the previous answer had.
    pub(in crate::connector) fn described(at: Url, fields: Vec<(String, String)>) -> Self {
        Self { page: at.clone(), action: at, fields }
    }

    pub(in crate::connector) fn fields(&self) -> &[(String, String)] {
        &self.fields
    }

    /// The form's body with these fields filled in.
    pub(in crate::connector) fn fill(&self, answers: &[(&str, &str)]) -> Zeroizing<String> {
        let mut body = Serializer::new(String::new());
        body.extend_pairs(&self.fields).extend_pairs(answers);
        Zeroizing::new(body.finish())
    }
}
