//! What a retailer answers: failures, waits, and pages as text. Nothing here is trusted; everything is bounded.

use std::time::Duration;

use chrono::{DateTime, Utc};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use ordersync_api::SyncErrorCode;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};

use super::{changed, connection_failure};
use crate::connector::ConnectorError;

/// A longer wait is not believed.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Where browsers look for the character set that a page names itself (HTML standard, "prescan a byte stream").
const PRESCAN_BYTES: usize = 1024;

/// The answers that say that the retailer cannot answer now.
pub(super) fn failure(status: StatusCode, headers: &HeaderMap, now: DateTime<Utc>) -> Option<ConnectorError> {
    let mut error = if status == StatusCode::TOO_MANY_REQUESTS {
        ConnectorError::new(SyncErrorCode::RetailerRateLimited).transient()
    } else if status.is_server_error() {
        ConnectorError::new(SyncErrorCode::RetailerUnavailable)
            .with_message(format!("The retailer answers with a failure of its own (status {}).", status.as_u16()))
            .transient()
    } else {
        return None;
    };
    error.retry_after = retry_after(headers, now);
    Some(error)
}

/// RFC 9110 §10.2.3: seconds, or a date. A date is compared with the answer's own `Date`, so our clock does not matter.
pub(super) fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let date = |text: &str| DateTime::parse_from_rfc2822(text).ok().map(|at| at.to_utc());
    let text = header(headers, RETRY_AFTER)?.trim();
    let wait = if let Ok(seconds) = text.parse() {
        Duration::from_secs(seconds)
    } else {
        let from = header(headers, DATE).and_then(date).unwrap_or(now);
        (date(text)? - from).to_std().unwrap_or_default()
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

/// The error for a request that is not sent because the retailer asked to be left alone for so long.
pub(super) fn held_off(wait: Duration) -> ConnectorError {
    let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
    let mut error = ConnectorError::new(SyncErrorCode::RetailerRateLimited)
        .with_message(format!("The retailer asked not to be contacted for another {seconds} s. Sync again after that."))
        .transient();
    error.retry_after = Some(wait);
    error
}

/// All values of these headers, which are secrets.
pub(super) fn secrets(headers: &HeaderMap, names: &[HeaderName]) -> Vec<(HeaderName, HeaderValue)> {
    let all =
        names.iter().flat_map(|name| headers.get_all(name).iter().map(move |value| (name.clone(), value.clone())));
    let mut all: Vec<(HeaderName, HeaderValue)> = all.collect();
    all.iter_mut().for_each(|(_, value)| value.set_sensitive(true));
    all
}

/// The media type without parameters, in lower case (`text/html`).
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let essence = header(headers, CONTENT_TYPE)?.split(';').next()?.trim().to_ascii_lowercase();
    (!essence.is_empty() && essence.len() <= 100).then_some(essence)
}

/// Reads a body of at most `limit` bytes as text, in the character set that it declares.
///
/// A body that its media type says is no text (an image, say) is not read: it is answered as empty.
pub(super) async fn read(mut response: reqwest::Response, limit: usize) -> Result<String, ConnectorError> {
    let media_type = media_type(response.headers()).unwrap_or_default();
    if !media_type.is_empty() && !is_text(&media_type) {
        return Ok(String::new());
    }
    let too_large = || changed(format!("The retailer answered with a page of more than {limit} bytes."));
    if response.content_length().is_some_and(|length| usize::try_from(length).map_or(true, |length| length > limit)) {
        return Err(too_large());
    }
    let declared = header(response.headers(), CONTENT_TYPE).and_then(charset).map(str::to_owned);
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| connection_failure(&error))? {
        if body.len() + chunk.len() > limit {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    if media_type.ends_with("json") && std::str::from_utf8(&body).is_ok() {
        // JSON is UTF-8, and its media type has no charset (RFC 8259, sections 8.1 and 11).
        return decode(body, Some("utf-8"));
    }
    decode(body, declared.as_deref())
}

fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/") || ["html", "xml", "json"].iter().any(|kind| media_type.ends_with(kind))
}

/// Text in the character set of the header; else in the one that the page names; else in UTF-8. A byte order mark before it is no part
/// of it (RFC 8259, section 8.1).
pub(super) fn decode(body: Vec<u8>, declared: Option<&str>) -> Result<String, ConnectorError> {
    let head = String::from_utf8_lossy(&body[..body.len().min(PRESCAN_BYTES)]);
    let encoding = declared
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| match Encoding::for_label(charset(&head)?.as_bytes())? {
            // A page that could be searched for ASCII is not UTF-16, whatever it says.
            encoding if encoding == UTF_16BE || encoding == UTF_16LE => Some(UTF_8),
            encoding => Some(encoding),
        })
        .unwrap_or(UTF_8);
    drop(head);
    let decoded = if encoding == UTF_8 {
        String::from_utf8(body).ok()
    } else {
        encoding.decode_without_bom_handling_and_without_replacement(&body).map(|text| text.into_owned())
    };
    let without_mark = |text: String| text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    decoded.map(without_mark).ok_or_else(|| {
        let name = encoding.name();
        changed(format!("The retailer answered with text that is not {name}, the character set of the page."))
    })
}

/// The value of the first `charset=` in a header or in the head of a page.
fn charset(text: &str) -> Option<&str> {
    let at = text.to_ascii_lowercase().find("charset")?;
    let value = text[at + "charset".len()..].trim_start().strip_prefix('=')?.trim_start();
    let quotes = |sign: char| matches!(sign, '"' | '\'');
    let label =
        value.trim_start_matches(quotes).split(|sign: char| quotes(sign) || " \t\r\n;/>".contains(sign)).next()?;
    (!label.is_empty()).then_some(label)
}

fn header(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_in_the_character_set_that_it_declares() {
        for (bytes, declared, expected) in [
            (&b"caf\xc3\xa9"[..], None, Some("café")),
            (b"caf\xc3\xa9", Some("UTF-8"), Some("café")),
            (b"\xef\xbb\xbfcaf\xc3\xa9", None, Some("café")),
            (b"caf\xe9 \xa3", Some("iso-8859-1"), Some("café £")),
            (b"<meta charset=\"windows-1252\">\x80", None, Some("<meta charset=\"windows-1252\">€")),
            (
                b"<meta content='text/html; charset=latin1'>\xe9",
                None,
                Some("<meta content='text/html; charset=latin1'>é"),
            ),
            (b"\x92\x8d\x95\xb6", Some("Shift_JIS"), Some("注文")),
            (b"\xc3\xed\xca\xb8", Some("euc-jp"), Some("注文")),
            (b"<meta charset=utf-16>caf\xc3\xa9", None, Some("<meta charset=utf-16>café")),
            (b"caf\xc3\xa9", Some("no-such-set"), Some("café")),
            (b"caf\xe9", None, None),
            (b"caf\xe9", Some("utf-8"), None),
            (b"\x92", Some("shift_jis"), None),
            (b"\xff\xfe", None, None),
            (b"abc", Some("hz-gb-2312"), None),
        ] {
            let decoded = decode(bytes.to_vec(), declared);
            assert_eq!(decoded.as_deref().ok(), expected, "{declared:?} {bytes:?}");
        }
        let error = decode(b"\xe9".to_vec(), None).unwrap_err();
        assert!(error.message.contains("not UTF-8"), "{}", error.message);
    }

    #[test]
    fn no_header_and_no_body_confuses_the_reader() {
        let seeds: [&[u8]; 5] = [
            b"text/html; charset=iso-8859-1",
            b"<html><meta charset=\"shift_jis\"><p>\x92\x8d\x95\xb6",
            b"Sat, 21 Nov 2026 08:00:30 GMT",
            b"99999999999999999999",
            b"\xef\xbb\xbf<meta http-equiv='Content-Type' content='text/html; charset=utf-16'>",
        ];
        let words = ["charset", "=", "utf-8", "gb18030", "iso-2022-jp", "\u{feff}", "-1", "Dec 9999", "GMT"];
        crate::fuzzing::fuzz("answers of retailers", &seeds, &words, |input, random| {
            let text = String::from_utf8_lossy(input);
            let _decoded = decode(input.to_vec(), random.pick(&[None, charset(&text)]));
            let Ok(value) = reqwest::header::HeaderValue::from_bytes(input) else { return };
            let headers: HeaderMap =
                [(RETRY_AFTER, value.clone()), (DATE, value.clone()), (CONTENT_TYPE, value)].into_iter().collect();
            assert!(retry_after(&headers, DateTime::UNIX_EPOCH).is_none_or(|wait| wait <= MAX_RETRY_AFTER));
            assert!(media_type(&headers).is_none_or(|media_type| media_type.len() <= 100));
        });
    }

    #[test]
    fn the_character_set_is_found_in_headers_and_pages() {
        for (text, expected) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;CHARSET=\"UTF-8\"", Some("UTF-8")),
            ("text/html; charset = 'x';y", Some("x")),
            ("<meta charset=koi8-r/>", Some("koi8-r")),
            ("text/html", None),
            ("charset=", None),
            ("charset", None),
            ("charsetÄ=x", None),
        ] {
            assert_eq!(charset(text), expected, "{text}");
        }
    }
}
