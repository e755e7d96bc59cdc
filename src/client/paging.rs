//! How many rows of a list are requested at once. The specification allows 1000 for line items and says nothing about
//! other lists. A service may return fewer, which the rows show, or refuse; then the next smaller size is tried.

use crate::errors::Error;

/// The largest page.
pub(crate) const LARGEST: u32 = 1000;
/// Smaller page sizes to try in turn. The last one is the specification's default without a `limit`.
const SMALLER: [u32; 3] = [250, 100, 50];

/// The size to try after a refusal that may be about the size; `None` if it is about something else, or there is no
/// smaller size. `was_accepted`: the service has given a page of that size before.
pub(crate) fn smaller(size: u32, refused: &Error, was_accepted: bool) -> Option<u32> {
    // If the service names a field, the refusal is about that field; if it names none, it may be about the size.
    let is_about_size = matches!(refused.http_status(), Some(400 | 413 | 422))
        && refused.detail("field").map_or(!was_accepted, |field| field == "limit");
    SMALLER.into_iter().find(|smaller| is_about_size && *smaller < size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_of_the_size_leads_to_a_smaller_one() {
        let refusal = |status, field: Option<&str>| {
            let details = field.map(|field| serde_json::json!({ "field": field }));
            Error::usage("No.").with_response(status, None, details)
        };
        let mut sizes = vec![LARGEST];
        while let Some(size) = smaller(sizes[sizes.len() - 1], &refusal(400, Some("limit")), true) {
            sizes.push(size);
        }
        assert_eq!(sizes, [1000, 250, 100, 50]);
        assert_eq!(smaller(200, &refusal(422, None), false), Some(100));
        assert_eq!(smaller(200, &refusal(422, None), true), None);
        for (status, field) in [(400, Some("start_date")), (429, None), (500, Some("limit"))] {
            assert_eq!(smaller(LARGEST, &refusal(status, field), false), None);
        }
    }
}
