//! Replaces every letter and digit of pages by another of its kind, so that they can be shown to others. What a connector reads
//! by stays: the markup, the words of labels (`labels.txt`), dates, amounts and counts. One word becomes the same word
//! everywhere, so that links still lead to pages and titles agree.

mod html;
mod mapping;
mod numbers;
mod tokens;
mod url;

use std::collections::HashSet;
use std::sync::LazyLock;

use ::url::Url;
use serde_json::Value;

use self::html::{Context, Piece};
use self::mapping::Mapping;
use self::tokens::{Token, tokens};
use crate::connector::egress::tape::{Asked, Exchange};
use crate::connector::recipe::PLATFORMS;

/// Words that connectors read by, and that stay: those of `labels.txt` that no recipe has, and those of every recipe.
static LABELS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let known = include_str!("../labels.txt").split_whitespace().map(str::to_owned);
    let recipes = PLATFORMS.iter().flat_map(|(_, recipe)| recipe.lines());
    known.chain(recipes.filter(|line| !line.starts_with('#')).flat_map(words_of)).collect()
});
/// Settings whose words are on the pages of the shop, and are labels.
const LABELLED: &[&str] = &["statuses", "account_path", "recipe_changes"];
/// The name of every saved shop.
const HOST: &str = "shop.example";
/// Keys of data whose numbers are amounts or counts.
const AMOUNTS: &[&str] =
    &["amount", "price", "total", "tax", "quantity", "minor", "count", "pages", "discount", "fee", "value"];

/// A disguise for the pages of one trial.
pub(super) struct Disguise {
    mapping: Mapping,
    /// Labels of this shop alone: the words of its settings.
    own_labels: HashSet<String>,
    /// Texts of which nothing stays, whatever their words are.
    phrases: Vec<String>,
    /// The same by letters and digits alone: pages write quotes and dashes in other ways than data for programs.
    bare_phrases: HashSet<String>,
    /// The numbers of the orders that were read.
    orders: HashSet<String>,
    /// Numbers that identify something, however short.
    ids: HashSet<String>,
    /// Words that were seen in texts, in lower case: they stay nowhere.
    sensitive: HashSet<String>,
    /// Words of classes and ids before the sign-in, which hold nothing of the customer's.
    public: HashSet<String>,
    origins: Vec<String>,
}

impl Disguise {
    /// A disguise for these exchanges. `secrets` are the credentials, `orders` the numbers of the orders that were read.
    pub(super) fn new(
        entry: &toml::Table,
        recipe: Option<&str>,
        exchanges: &[Exchange],
        secrets: &[String],
        titles: &[String],
        orders: Vec<String>,
    ) -> Self {
        let settings: toml::Table =
            entry.clone().into_iter().filter(|(key, _)| LABELLED.contains(&key.as_str())).collect();
        let settings = toml::to_string(&settings).unwrap_or_default();
        let own_labels = words_of(&settings).into_iter().chain(words_of(recipe.unwrap_or_default())).collect();
        let mut phrases: Vec<String> = titles.iter().chain(secrets).filter(|text| is_phrase(text)).cloned().collect();
        // A title that contains another one goes first.
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        phrases.dedup();
        let base = entry.get("base_url").and_then(toml::Value::as_str).and_then(|text| Url::parse(text).ok());
        let origins = base.into_iter().flat_map(|base| url::origins(&base)).collect();
        let orders: HashSet<String> = orders.iter().flat_map(|order| numbers_of(order)).collect();
        let bare_phrases = phrases.iter().map(|phrase| bare(phrase)).filter(|bare| bare.len() > 1).collect();
        let mut disguise = Self {
            mapping: Mapping::new(),
            own_labels,
            phrases,
            bare_phrases,
            ids: orders.clone(),
            orders,
            sensitive: HashSet::new(),
            public: HashSet::new(),
            origins,
        };
        for exchange in exchanges.iter().take_while(|exchange| exchange.asked.is_get()) {
            let pieces = html::pieces(&exchange.body);
            disguise.public.extend(html::structure(&pieces).flat_map(words_of));
        }
        for exchange in exchanges {
            disguise.learn(exchange);
        }
        disguise.sensitive.extend(secrets.iter().flat_map(|text| words_of(text)));
        disguise.mapping.avoid(disguise.sensitive.iter().chain(&disguise.ids).cloned());
        disguise.mapping.avoid_if_possible(near(&disguise.ids));
        disguise.mapping.reserve(&disguise.ids);
        disguise
    }

    /// Takes note of the words and the numbers of a page that must not stay.
    fn learn(&mut self, exchange: &Exchange) {
        let pieces = html::pieces(&exchange.body);
        for text in pieces.iter().filter_map(Piece::text) {
            for word in words_of(text) {
                if !self.is_label(&word) {
                    self.sensitive.insert(word);
                }
            }
            self.mapping.avoid(numbers_of(text));
            for (sign, number) in numbers::marked(text) {
                if sign {
                    self.ids.insert(number);
                }
            }
        }
        // A link that shows nothing but a number of its own address leads to what the number identifies.
        self.ids.extend(html::numbers_of_links(&pieces));
        let beside = html::numbers_beside(&pieces, &self.orders);
        self.ids.extend(beside);
        self.mapping.avoid(html::values(&pieces).flat_map(numbers_of));
    }

    pub(super) fn titles(&self) -> impl Iterator<Item = &str> {
        self.phrases.iter().map(String::as_str)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(String::as_str)
    }

    /// The shop's entry, without its name and its address.
    pub(super) fn entry(&mut self, entry: &toml::Table, id: i64) -> toml::Table {
        let mut entry = entry.clone();
        entry.insert("id".to_owned(), id.into());
        entry.insert("display_name".to_owned(), "Saved shop".into());
        entry.remove("logo");
        for key in ["base_url", "account_path"] {
            if let Some(text) = entry.get(key).and_then(toml::Value::as_str) {
                let disguised = self.url(text);
                entry.insert(key.to_owned(), disguised.into());
            }
        }
        for (_, value) in entry.get_mut("values").and_then(toml::Value::as_table_mut).into_iter().flatten() {
            if let toml::Value::String(text) = value {
                *text = self.path(text);
            }
        }
        // The saved address is a name, and nothing is sent there.
        entry.remove("allow_private_network");
        entry
    }

    /// An exchange and its page.
    pub(super) fn exchange(&mut self, exchange: &Exchange) -> (Exchange, String) {
        let mut url = |url: &Url| Url::parse(&self.url(url.as_str())).unwrap_or_else(|_| url.clone());
        let mut disguised = Exchange {
            asked: Asked { url: url(&exchange.asked.url), ..exchange.asked.clone() },
            from: url(&exchange.from),
            location: exchange.location.as_ref().map(&mut url),
            body: String::new(),
            ..exchange.clone()
        };
        let sent = exchange.asked.json.as_ref().and_then(|sent| serde_json::from_str::<Value>(sent).ok());
        if let Some(mut sent) = sent {
            self.sent(&mut sent);
            disguised.asked.json = Some(sent.to_string());
        }
        (disguised, self.body(&exchange.body))
    }

    /// Disguises the shop's values in posted JSON as in its answers. GraphQL documents, names in braces and page numbers come from the
    /// recipe, and stay.
    fn sent(&mut self, value: &mut Value) {
        match value {
            Value::String(text) if text.contains(|sign: char| sign == '{' || sign.is_whitespace()) => {}
            Value::String(_) => self.json(value, false),
            Value::Array(values) => values.iter_mut().for_each(|value| self.sent(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.sent(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn body(&mut self, body: &str) -> String {
        if body.trim_start().starts_with(['{', '[']) {
            return match serde_json::from_str::<Value>(body) {
                Ok(mut value) => {
                    self.json(&mut value, false);
                    value.to_string()
                }
                Err(_) => self.text(body, &Context::default()),
            };
        }
        let pieces = html::pieces(body);
        html::write(&pieces, self)
    }

    /// Data: keys stay, if they are no numbers.
    fn json(&mut self, value: &mut Value, is_amount: bool) {
        match value {
            Value::String(text)
                if is_amount && text.chars().all(|sign| sign.is_ascii_digit() || ".-".contains(sign)) => {}
            Value::String(text) if is_time(text) => {}
            Value::String(text) if is_address(text) => *text = self.url(text),
            // It may be a part of an address, and is the same there.
            Value::String(text) if is_key(text) && !self.bare_phrases.contains(&bare(text)) => *text = self.path(text),
            Value::String(text) => *text = self.text(text, &Context::default()),
            Value::Number(number) if !is_amount => {
                let disguised = self.mapping.number(&number.to_string());
                *value = serde_json::from_str(&disguised).unwrap_or(Value::Null);
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.json(value, is_amount)),
            Value::Object(fields) => {
                for (key, mut value) in std::mem::take(fields) {
                    let name = key.to_lowercase();
                    let is_amount = AMOUNTS.iter().any(|word| name.contains(word));
                    if !is_clock(&key, &value) {
                        self.json(&mut value, is_amount);
                    }
                    let key = if key.bytes().any(|byte| byte.is_ascii_digit()) || key.contains(' ') {
                        self.text(&key, &Context::default())
                    } else {
                        key
                    };
                    fields.insert(key, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A text of a page.
    fn text(&mut self, text: &str, context: &Context) -> String {
        if self.bare_phrases.contains(&bare(text)) {
            return self.phrase(text);
        }
        let mut written = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((at, phrase)) = self.first_phrase(rest) {
            let (before, after) = (&rest[..at], &rest[at + phrase..]);
            written.push_str(&self.free_text(before, context));
            written.push_str(&self.phrase(&rest[at..at + phrase]));
            rest = after;
        }
        written.push_str(&self.free_text(rest, context));
        written
    }

    /// A text of which no word and no number stays.
    fn phrase(&mut self, text: &str) -> String {
        let replaced = tokens(text).into_iter().map(|token| match token {
            Token::Word(word) => self.mapping.word(word),
            Token::Number(number) => self.mapping.number(number),
            Token::Other(other) => other.to_owned(),
        });
        replaced.collect()
    }

    /// Where the first phrase begins of which nothing stays, and its length.
    fn first_phrase(&self, text: &str) -> Option<(usize, usize)> {
        self.phrases
            .iter()
            .filter_map(|phrase| Some((text.find(phrase.as_str())?, phrase.len())))
            .min_by_key(|(at, _)| *at)
    }

    fn free_text(&mut self, text: &str, context: &Context) -> String {
        let all = tokens(text);
        let is_label = |word: &str| self.is_label(&word.to_lowercase());
        let stays = numbers::staying(&all, context, &self.ids, &is_label);
        let mut written = String::with_capacity(text.len());
        for (index, token) in all.iter().enumerate() {
            match token {
                Token::Other(other) => written.push_str(other),
                Token::Word(word) if self.is_label(&word.to_lowercase()) => written.push_str(word),
                Token::Word(word) => written.push_str(&self.mapping.word(word)),
                Token::Number(number) if stays.contains(&index) => written.push_str(number),
                Token::Number(number) => written.push_str(&self.mapping.number(number)),
            }
        }
        written
    }

    /// A class, an id or the name of a field: they are the shop's, unless they contain what was seen in a text.
    fn structure(&mut self, text: &str) -> String {
        let mut written = String::with_capacity(text.len());
        for token in tokens(text) {
            match token {
                Token::Word(word) => {
                    let lower = word.to_lowercase();
                    let is_public = self.is_label(&lower) || self.public.contains(&lower);
                    let is_seen = !is_public && self.sensitive.contains(&lower);
                    written.push_str(&if is_seen { self.mapping.word(word) } else { word.to_owned() });
                }
                Token::Number(number) if number.len() >= 4 || self.ids.contains(number) => {
                    written.push_str(&self.mapping.number(number));
                }
                Token::Number(other) | Token::Other(other) => written.push_str(other),
            }
        }
        written
    }

    /// An address, whole or relative.
    fn url(&mut self, text: &str) -> String {
        let relative = self.origins.iter().find_map(|origin| {
            let rest = text.strip_prefix(origin.as_str())?;
            (rest.is_empty() || rest.starts_with(['/', '?', '#'])).then_some(rest)
        });
        if let Some(path) = relative {
            let path = self.path(path);
            return format!("https://{HOST}{path}");
        }
        self.path(text)
    }

    fn path(&mut self, text: &str) -> String {
        let mut written = String::with_capacity(text.len());
        for segment in url::decoded(text).split_inclusive(['/', '?', '&', '=', '#']) {
            let all = tokens(segment);
            if url::is_version(segment) {
                written.push_str(segment);
                continue;
            }
            // The address of a product is made of its title, of which nothing stays.
            let stays = all.iter().all(|token| match token {
                Token::Word(word) => self.is_label(&word.to_lowercase()),
                Token::Number(_) | Token::Other(_) => true,
            });
            for token in all {
                match token {
                    Token::Word(word) if stays => written.push_str(word),
                    Token::Word(word) => written.push_str(&self.mapping.word(word)),
                    Token::Number(number) if stays && number.len() < 3 && !self.ids.contains(number) => {
                        written.push_str(number);
                    }
                    Token::Number(number) => written.push_str(&self.mapping.number(number)),
                    Token::Other(other) => written.push_str(other),
                }
            }
        }
        url::encoded(&written)
    }

    fn is_label(&self, lower: &str) -> bool {
        LABELS.contains(lower) || self.own_labels.contains(lower)
    }
}

/// Numbers near these, which may identify what is on pages that were not read.
fn near(ids: &HashSet<String>) -> Vec<String> {
    const AROUND: u64 = 30;
    let known = || ids.iter().filter_map(|id| id.parse::<u64>().ok());
    known().flat_map(|id| id.saturating_sub(AROUND)..=id.saturating_add(AROUND)).map(|id| id.to_string()).collect()
}

/// The words of a text, in lower case.
fn words_of(text: &str) -> Vec<String> {
    let word = |token| if let Token::Word(word) = token { Some(word.to_lowercase()) } else { None };
    tokens(text).into_iter().filter_map(word).collect()
}

fn numbers_of(text: &str) -> Vec<String> {
    let number = |token| if let Token::Number(number) = token { Some(number.to_owned()) } else { None };
    tokens(text).into_iter().filter_map(number).collect()
}

fn bare(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric()).collect()
}

/// A single label is no phrase: it would be replaced wherever it labels something.
fn is_phrase(text: &str) -> bool {
    let words = words_of(text);
    let is_bare_label = words.len() == 1 && numbers_of(text).is_empty() && LABELS.contains(words[0].as_str());
    text.chars().count() >= 2 && !is_bare_label && !(words.is_empty() && text.chars().count() < 4)
}

/// Whether a text of data may be what requests know something by.
fn is_key(text: &str) -> bool {
    let has = |is: fn(char) -> bool| text.contains(is);
    has(|sign| sign.is_ascii_digit())
        && has(char::is_alphabetic)
        && !has(char::is_whitespace)
        && !text.contains(['/', '?', '%'])
}

/// Whether a text of data is an address, as that of the next page: its parts are those of links.
fn is_address(text: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme)) && !text.contains(char::is_whitespace)
}

/// Whether a text of data is a time, such as `2026-01-02T03:04:05.678Z`: dates stay.
fn is_time(text: &str) -> bool {
    let is_day = |day: &str| chrono::NaiveDate::parse_from_str(day, "%Y-%m-%d").is_ok();
    let is_rest =
        |rest: &str| rest.len() <= 25 && rest.chars().all(|sign| sign.is_ascii_digit() || "T:.+-Z ".contains(sign));
    text.split_at_checked(10).is_some_and(|(day, rest)| is_day(day) && is_rest(rest))
}

/// Whether a value says which zone the shop's clock has. A text that is no zone is none.
fn is_clock(key: &str, value: &Value) -> bool {
    match key {
        "timezone_string" => value.as_str().is_some_and(|name| name.parse::<ordersync_values::zone::Tz>().is_ok()),
        "gmt_offset" => value.is_number(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
