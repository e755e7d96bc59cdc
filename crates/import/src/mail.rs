//! The orders that a mail tells of, as a document that the format `order-mails` describes.
//!
//! A mail proves nothing about its sender. Its orders are those of the sender's domain, and no other mail's; what it only
//! quotes is left out, since the quote may have been changed.

use encoding_rs::WINDOWS_1252;
use mail_parser::{HeaderValue, Message, MessageParser, MessagePart, MimeHeaders as _, PartType};
use serde_json::Value;

use crate::finding::FindingCode;
use crate::format::Format;
use crate::told::Told;
use crate::{markup, woocommerce};

/// Mails within mails that are read.
const MAX_DEPTH: u32 = 4;
/// Characters of a retailer's name, at most.
const LONGEST_NAME: usize = 200;
/// Domains whose addresses belong to many senders: there, the whole address is the retailer. Of the names without a point,
/// with any ending.
const SHARED_DOMAINS: &str = "163.com 126.com aol fastmail.com freenet.de gmail.com gmx googlemail.com hey.com hotmail icloud.com live \
    mac.com mail.com mail.ru mailbox.org me.com msn.com outlook pm.me posteo.de proton.me protonmail.com qq.com shopifyemail.com \
    t-online.de t.shopifyemail.com web.de wordpress.com yahoo yandex";
/// Beginnings of the subjects of replies and forwarded mails, in the languages that are read.
const REPLIES: [&str; 22] = [
    "re:", "aw:", "antw:", "antwort:", "sv:", "odp:", "rif:", "res:", "r:", "fw:", "fwd:", "wg:", "tr:", "rv:", "enc:",
    "i:", "doorst:", "vs:", "vl:", "pd:", "ynt:", "回复:",
];

/// Reads a mail, and those that it has attached.
pub(crate) fn read(bytes: &[u8], format: &Format) -> Told {
    let mut told = Told::default();
    let parser = MessageParser::default();
    let Some(message) = parser.parse(bytes) else { return told };
    // A part without an end is not decoded: it gets one.
    let closed = has_damage(&message).then(|| [bytes, ends(&message).as_bytes()].concat());
    let message = closed.as_deref().and_then(|bytes| parser.parse(bytes)).unwrap_or(message);
    of_message(&message, format, 0, &mut told);
    told.orders.iter_mut().for_each(|order| order["length"] = bytes.len().into());
    if told.orders.is_empty() && told.problems.is_empty() && has_damage(&message) {
        told.problem(
            FindingCode::MailUnreadable,
            "The mail is damaged: a text in it cannot be decoded. It was left out.",
        );
    }
    told
}

/// Whether a text could not be decoded.
fn has_damage(message: &Message<'_>) -> bool {
    let is_text =
        |part: &MessagePart<'_>| part.content_type().is_none_or(|kind| matches!(kind.ctype(), "text" | "multipart"));
    message.parts.iter().any(|part| part.is_encoding_problem && is_text(part))
}

/// The ends of all multiparts, from the inside out.
fn ends(message: &Message<'_>) -> String {
    let boundaries = message.parts.iter().rev().filter_map(|part| part.content_type()?.attribute("boundary"));
    boundaries.map(|boundary| format!("\r\n--{boundary}--\r\n")).collect()
}

fn of_message(message: &Message<'_>, format: &Format, depth: u32, told: &mut Told) {
    for part in &message.parts {
        match &part.body {
            PartType::Message(attached) if depth < MAX_DEPTH => of_message(attached, format, depth + 1, told),
            _ => {}
        }
    }
    let mut found = Told::default();
    for part in message.html_body.iter().filter_map(|index| message.parts.get(*index as usize)) {
        match &part.body {
            PartType::Html(body) => of_html(body, format, &mut found),
            PartType::Text(body) => woocommerce::plain(body, format, &mut found),
            _ => {}
        }
    }
    // A plain text beside HTML repeats it, unless the HTML has nothing.
    if found.orders.is_empty() && found.problems.is_empty() {
        for part in message.text_body.iter().filter_map(|index| message.parts.get(*index as usize)) {
            if let PartType::Text(body) = &part.body {
                woocommerce::plain(body, format, &mut found);
            }
        }
    }
    told.problems.append(&mut found.problems);
    if found.orders.is_empty() {
        return;
    }
    if is_reply(message) {
        if found.says_something() {
            told.quoted();
        }
        return;
    }
    let Some(shop) = sender(message) else {
        if found.says_something() {
            told.problem(FindingCode::MailUnreadable, "The order mail does not say who sent it, and was left out.");
        }
        return;
    };
    let sent = message.date().map(mail_parser::DateTime::to_timestamp);
    for mut order in found.orders {
        order["shop"] = shop.as_str().into();
        order["sent"] = sent.into();
        titles(&mut order, told);
        told.orders.push(order);
    }
}

fn of_html(body: &str, format: &Format, found: &mut Told) {
    let has_markup = body.contains("schema.org");
    if !has_markup && !body.contains("order_item") {
        return;
    }
    let page = match ordersync_html::parse(body) {
        Ok(page) => page,
        Err(refusal) => {
            let message = format!("The HTML of the mail {refusal}, and was left out.");
            return found.problem(FindingCode::MailUnreadable, message);
        }
    };
    woocommerce::html(&page, format, found);
    // A shop that has both tells one order twice.
    if has_markup && !found.says_something() {
        markup::read(&page, found);
    }
}

fn is_reply(message: &Message<'_>) -> bool {
    let subject = message.subject().unwrap_or_default().trim_start().to_lowercase();
    !matches!(message.in_reply_to(), HeaderValue::Empty) || REPLIES.iter().any(|begins| subject.starts_with(begins))
}

/// The domain of the sender, or the address, if many have addresses there.
fn sender(message: &Message<'_>) -> Option<String> {
    let address = message.from()?.first()?.address()?.trim().to_lowercase();
    let (name, domain) = address.rsplit_once('@')?;
    let is_sign = |sign: char| sign.is_alphanumeric() || matches!(sign, '.' | '-' | '_');
    if domain.is_empty() || !domain.chars().all(is_sign) {
        return None;
    }
    let is_shared = SHARED_DOMAINS.split_whitespace().any(|known| {
        domain == known || (!known.contains('.') && domain.strip_prefix(known).is_some_and(|end| end.starts_with('.')))
    });
    let is_address = |sign: char| is_sign(sign) || "+!#$%&'*/=?^`{|}~".contains(sign);
    if is_shared && (name.is_empty() || !name.chars().all(is_address)) {
        return None;
    }
    let shop = if is_shared { address.as_str() } else { domain };
    (shop.chars().count() <= LONGEST_NAME).then(|| shop.to_owned())
}

/// Titles in another charset than the mail says.
fn titles(order: &mut Value, told: &mut Told) {
    for line in order["lines"].as_array_mut().into_iter().flatten() {
        let Some(title) = line["title"].as_str() else { continue };
        if title.contains('\u{fffd}') {
            let message = "A title has signs that are not in the charset that the mail names, and was left out.";
            told.problem(FindingCode::EncodingUnknown, message);
            line["title"] = Value::Null;
        } else if let Some(text) = as_utf8(title) {
            let message = "The mail is UTF-8, but names another charset. It was read as UTF-8.";
            told.problem(FindingCode::EncodingPresumed, message);
            line["title"] = text.into();
        }
    }
}

/// UTF-8 that was read as Windows-1252 or as ISO 8859-1. No other text has only such sequences.
fn as_utf8(text: &str) -> Option<String> {
    let byte = |sign: char| {
        u8::try_from(sign).ok().or_else(|| match *WINDOWS_1252.encode(sign.encode_utf8(&mut [0; 4])).0 {
            [byte] => Some(byte),
            _ => None,
        })
    };
    let bytes: Vec<u8> = text.chars().map(byte).collect::<Option<_>>()?;
    String::from_utf8(bytes).ok().filter(|read| read.len() > read.chars().count())
}
