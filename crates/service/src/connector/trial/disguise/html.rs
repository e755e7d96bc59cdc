//! The pieces of a page: tags and texts in their order, as they are written. Contents of scripts, of styles and of comments are
//! left out.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use html5ever::Attribute;
use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token as HtmlToken, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::Disguise;
use super::tokens::{Token, tokens};

/// Attributes that say how an element is built, and hold nothing of anybody's.
const PLAIN: &[&str] = &[
    "type",
    "method",
    "rel",
    "role",
    "lang",
    "dir",
    "colspan",
    "rowspan",
    "scope",
    "charset",
    "http-equiv",
    "media",
    "enctype",
    "autocomplete",
    "width",
    "height",
    "tabindex",
    "disabled",
    "checked",
    "selected",
    "required",
    "readonly",
    "multiple",
    "hidden",
    "async",
    "defer",
    "loading",
    "decoding",
    "sizes",
    "viewbox",
    "target",
    "maxlength",
    "minlength",
    "aria-hidden",
    "aria-required",
    "aria-expanded",
    "inputmode",
    "novalidate",
    "property",
];
/// Attributes whose words themes and readers go by.
const STRUCTURE: &[&str] = &[
    "class",
    "id",
    "name",
    "for",
    "headers",
    "itemprop",
    "itemtype",
    "aria-controls",
    "aria-labelledby",
    "aria-describedby",
    "style",
];
const ADDRESSES: &[&str] = &["href", "src", "action", "formaction", "poster", "cite", "data", "background"];

/// A tag or a text.
#[derive(Debug)]
pub(super) enum Piece {
    Doctype(String),
    Start { name: String, attributes: Vec<(String, String)>, closes: bool },
    End(String),
    Text(String),
    Comment,
}

impl Piece {
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// What is around a text.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// The text before it, and the one after it, if nothing but tags is between.
    pub(super) before: String,
    pub(super) after: String,
    /// Whether it says what changed: `<del>3</del> <ins>2</ins>`.
    pub(super) is_change: bool,
    /// Whether it is in a table.
    pub(super) is_in_table: bool,
}

/// Collects the pieces.
#[derive(Default)]
struct Sink(RefCell<Collected>);

#[derive(Default)]
struct Collected {
    pieces: Vec<Piece>,
    /// Inside of a script or a style.
    is_left_out: bool,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: HtmlToken, _: u64) -> TokenSinkResult<()> {
        let mut collected = self.0.borrow_mut();
        match token {
            HtmlToken::TagToken(tag) => return collected.tag(tag),
            HtmlToken::CharacterTokens(text) if !collected.is_left_out => collected.text(&text),
            HtmlToken::DoctypeToken(doctype) => {
                let name = doctype.name.map(|name| name.to_string()).unwrap_or_default();
                collected.pieces.push(Piece::Doctype(name));
            }
            HtmlToken::CommentToken(_) => collected.pieces.push(Piece::Comment),
            HtmlToken::CharacterTokens(_)
            | HtmlToken::NullCharacterToken
            | HtmlToken::EOFToken
            | HtmlToken::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

impl Collected {
    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    fn tag(&mut self, tag: Tag) -> TokenSinkResult<()> {
        let name = tag.name.to_string();
        self.is_left_out = false;
        if tag.kind == TagKind::EndTag {
            self.pieces.push(Piece::End(name));
            return TokenSinkResult::Continue;
        }
        let attribute = |Attribute { name, value }: Attribute| (name.local.to_string(), value.to_string());
        let attributes = tag.attrs.into_iter().map(attribute).collect();
        let raw = match name.as_str() {
            "script" => Some(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(RawKind::Rawtext),
            "title" | "textarea" => Some(RawKind::Rcdata),
            _ => None,
        };
        self.is_left_out = matches!(raw, Some(RawKind::ScriptData | RawKind::Rawtext));
        self.pieces.push(Piece::Start { name, attributes, closes: tag.self_closing });
        raw.map_or(TokenSinkResult::Continue, TokenSinkResult::RawData)
    }
}

/// The pieces of a page.
pub(super) fn pieces(body: &str) -> Vec<Piece> {
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(body));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.into_inner().pieces
}

/// The values of all attributes.
pub(super) fn values(pieces: &[Piece]) -> impl Iterator<Item = &str> {
    pieces.iter().flat_map(|piece| {
        let attributes = if let Piece::Start { attributes, .. } = piece { attributes.as_slice() } else { &[] };
        attributes.iter().map(|(_, value)| value.as_str())
    })
}

/// The values of the attributes that readers go by.
pub(super) fn structure(pieces: &[Piece]) -> impl Iterator<Item = &str> {
    pieces.iter().flat_map(|piece| {
        let attributes = if let Piece::Start { attributes, .. } = piece { attributes.as_slice() } else { &[] };
        attributes.iter().filter(|(name, _)| STRUCTURE.contains(&name.as_str())).map(|(_, value)| value.as_str())
    })
}

/// The numbers that are the whole text of a link, and part of its address.
pub(super) fn numbers_of_links(pieces: &[Piece]) -> Vec<String> {
    let mut found = Vec::new();
    for pair in pieces.windows(2) {
        let [Piece::Start { name, attributes, .. }, Piece::Text(text)] = pair else { continue };
        let href = attributes.iter().find(|(name, _)| name == "href").map(|(_, value)| value.split('?').next());
        let (Some(Some(href)), "a") = (href, name.as_str()) else { continue };
        let number = text.trim();
        if !number.is_empty() && tokens(href).iter().any(|token| matches!(token, Token::Number(own) if *own == number))
        {
            found.push(number.to_owned());
        }
    }
    found
}

/// The numbers that addresses have where others have those of all known orders: they lead to orders, too. One known order says
/// nothing, because other numbers may be the same.
pub(super) fn numbers_beside(pieces: &[Piece], known: &HashSet<String>) -> Vec<String> {
    let href = |piece: &Piece| match piece {
        Piece::Start { attributes, .. } => {
            attributes.iter().find(|(name, _)| name == "href").map(|(_, value)| value.clone())
        }
        Piece::Doctype(_) | Piece::End(_) | Piece::Text(_) | Piece::Comment => None,
    };
    let mut places: HashMap<(String, String), HashSet<String>> = HashMap::new();
    for address in pieces.iter().filter_map(href) {
        let mut at = 0;
        for token in tokens(&address) {
            let (Token::Word(text) | Token::Number(text) | Token::Other(text)) = token;
            if let Token::Number(number) = token {
                let around = (address[..at].to_owned(), address[at + number.len()..].to_owned());
                places.entry(around).or_default().insert(number.to_owned());
            }
            at += text.len();
        }
    }
    let lead_to_orders = |numbers: &HashSet<String>| known.len() > 1 && known.is_subset(numbers);
    places.into_values().filter(lead_to_orders).flatten().collect()
}

/// The page again, disguised.
pub(super) fn write(pieces: &[Piece], disguise: &mut Disguise) -> String {
    let mut page = String::new();
    let (mut open, mut tables) = (String::new(), 0_usize);
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Doctype(name) => page.push_str(&format!("<!DOCTYPE {name}>")),
            Piece::Comment => page.push_str("<!---->"),
            Piece::End(name) => {
                page.push_str(&format!("</{name}>"));
                open.clear();
                tables = tables.saturating_sub(usize::from(name == "table"));
            }
            Piece::Text(text) => {
                let context = Context {
                    before: neighbour(pieces[..index].iter().rev()),
                    after: neighbour(pieces[index + 1..].iter()),
                    is_change: matches!(open.as_str(), "del" | "ins"),
                    is_in_table: tables > 0,
                };
                page.push_str(&escaped(&disguise.text(text, &context)));
            }
            Piece::Start { name, attributes, closes } => {
                page.push('<');
                page.push_str(name);
                for (key, value) in attributes {
                    let value = attribute(name, attributes, (key, value), disguise);
                    page.push_str(&format!(" {key}=\"{}\"", escaped(&value)));
                }
                page.push_str(if *closes { "/>" } else { ">" });
                open.clone_from(name);
                tables += usize::from(name == "table");
            }
        }
    }
    page
}

/// The nearest text that is not empty, within a few tags.
fn neighbour<'a>(pieces: impl Iterator<Item = &'a Piece>) -> String {
    let mut texts = pieces.take(4).filter_map(Piece::text).filter(|text| !text.trim().is_empty());
    texts.next().map(str::to_owned).unwrap_or_default()
}

fn attribute(element: &str, all: &[(String, String)], (name, value): (&str, &str), disguise: &mut Disguise) -> String {
    let has =
        |name: &str, wanted: &str| all.iter().any(|(key, value)| key == name && value.to_lowercase().contains(wanted));
    let is_secret = element == "input" && (has("type", "hidden") || has("type", "password"))
        || ["nonce", "csrf", "token"].iter().any(|word| has("name", word) || has("id", word));
    match name {
        "value" | "content" if is_secret => String::new(),
        "nonce" | "integrity" | "srcset" | "srcdoc" | "data-srcset" => String::new(),
        "content" if has("name", "generator") || has("name", "viewport") || has("charset", "") => value.to_owned(),
        "datetime" if value.bytes().all(|byte| byte.is_ascii_digit() || b"-:.+TZ ".contains(&byte)) => value.to_owned(),
        _ if name.starts_with("on") => String::new(),
        _ if PLAIN.contains(&name) => value.to_owned(),
        _ if STRUCTURE.contains(&name) => disguise.structure(value),
        _ if ADDRESSES.contains(&name) || value.contains("://") => disguise.url(value),
        _ => disguise.text(value, &Context::default()),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\u{a0}', "&nbsp;")
}
