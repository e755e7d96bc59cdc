//! What can be said of a page before it is parsed: whether it is whole, and which orders its source mentions.

/// How much of a page's end is searched for its closing tag.
const TAIL: usize = 4096;
/// The longest order number that is taken for one.
const MAX_NUMBER: usize = 128;

/// Whether the page ends as pages end. One that was cut off on its way, and ended cleanly, does not.
pub(in crate::connector) fn is_whole(body: &str) -> bool {
    let mut start = body.len().saturating_sub(TAIL);
    while !body.is_char_boundary(start) {
        start += 1;
    }
    let tail = body[start..].to_ascii_lowercase();
    tail.contains("</html") || tail.contains("</body")
}

/// The numbers that follow a text, such as the beginning of the addresses of orders, anywhere in the source: in links, scripts,
/// attributes and comments.
pub(in crate::connector) fn mentioned_after(beginning: &str, body: &str) -> Vec<String> {
    let mut numbers: Vec<String> =
        body.match_indices(beginning).filter_map(|(at, _)| number_at(&body[at + beginning.len()..])).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The number with which a text begins.
pub(in crate::connector) fn number_at(text: &str) -> Option<String> {
    let end = text.find(|sign: char| !is_part_of_number(sign) && sign != '%').unwrap_or(text.len());
    number_of(text.get(..end)?)
}

fn number_of(text: &str) -> Option<String> {
    percent_decoded(text).filter(|number| is_number(number))
}

/// Whether a text names the number, as a word of its own.
pub(in crate::connector) fn names(text: &str, number: &str) -> bool {
    text.split(|sign: char| !is_part_of_number(sign)).any(|word| word == number)
}

/// Whether a word is a number like those from `least` to `most`, which are as long: shops count their orders, so that the
/// numbers of one customer lie close to each other.
pub(in crate::connector) fn is_like(word: &str, least: u64, most: u64) -> bool {
    const NEAR: u64 = 5_000;
    word.len() == most.to_string().len()
        && word
            .parse()
            .is_ok_and(|number: u64| (least.saturating_sub(NEAR)..=most.saturating_add(NEAR)).contains(&number))
}

/// An order number has a digit: what has none is the address of another page below the list.
fn is_number(text: &str) -> bool {
    text.len() <= MAX_NUMBER && text.chars().all(is_part_of_number) && text.chars().any(|sign| sign.is_ascii_digit())
}

fn is_part_of_number(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '-' | '_')
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let byte = if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            u8::try_from(digit()? * 16 + digit()?).ok()?
        } else {
            byte
        };
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_whole_if_it_ends_as_pages_end() {
        assert!(is_whole("<html><body><p>ü</p></body>\n</HTML>\n<!-- 3 ms -->"));
        assert!(!is_whole("<html><body><table><tr><td>1</td></tr>"));
        assert!(!is_whole(""));
        assert!(!is_whole(&"日".repeat(5000)));
    }

    #[test]
    fn every_address_of_an_order_is_found_wherever_it_is() {
        let body = r#"<a href="/accounts/orders/100-A/"><script>go("/accounts/orders/7")</script>
            <!-- /accounts/orders/8/ --><a href='/accounts/orders/?page=2'><a href="/accounts/orders/help/">
            <a href="/accounts/orders/9/12/">"#;
        assert_eq!(mentioned_after("/accounts/orders/", body), ["100-A", "7", "8", "9"]);
        assert_eq!(number_at("%31%30/?from=list").as_deref(), Some("10"));
        assert_eq!(number_at("100234/").as_deref(), Some("100234"));
        assert_eq!(number_at(""), None);
        assert_eq!(number_at("%zz1/"), None);
    }

    #[test]
    fn a_number_is_named_as_a_word_of_its_own_only() {
        assert!(names("Order #100234", "100234") && names("Order: 100-A.", "100-A"));
        assert!(!names("Order #1002345", "100234") && !names("", "1"));
    }
}
