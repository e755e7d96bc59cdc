//! Which numbers of a text stay: dates, times, amounts and counts. Every other number may identify somebody or something.

use std::collections::HashSet;

use super::html::Context;
use super::tokens::{Token, tokens};

/// Words after or before a number that count things.
const COUNTED: &[&str] = &[
    "item",
    "items",
    "article",
    "articles",
    "artikel",
    "stück",
    "piece",
    "pieces",
    "artículos",
    "artículo",
    "articoli",
    "articolo",
    "producto",
    "productos",
    "produkt",
    "produkty",
    "itens",
    "個",
    "点",
];
/// Signs and words of currencies that are no Unicode currency signs.
const MONEY: &[&str] = &["kr", "zł", "kč", "ft", "lei", "lv", "rs", "円", "元", "원"];
const MONTHS: &[&str] = &[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mär", "mrz", "mai", "okt",
    "dez", "janv", "févr", "avr", "juin", "juil", "août", "sept", "déc", "maa", "mrt", "mei", "ene", "abr", "ago",
    "dic", "gen", "mag", "giu", "lug", "set", "ott", "sty", "lut", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź",
    "lis", "gru", "fev", "out", "年", "月", "日",
];

/// The places of the numbers that stay. `is_label` says which words are labels.
pub(super) fn staying(
    all: &[Token<'_>],
    context: &Context,
    ids: &HashSet<String>,
    is_label: &dyn Fn(&str) -> bool,
) -> HashSet<usize> {
    let mut stay = HashSet::new();
    let mut index = 0;
    while index < all.len() {
        let Token::Number(_) = all[index] else {
            index += 1;
            continue;
        };
        let end = figure_end(all, index);
        let figure: String = all[index..end].iter().map(|token| text(token)).collect();
        let text = Neighbours { all, start: index, end, context };
        if is_time(&figure)
            || is_date(&figure)
            || is_decimal(&figure)
            || text.is_money()
            || text.is_part_of_date(&figure)
            || text.is_count(&figure, ids, is_label)
        {
            stay.extend(index..end);
        }
        index = end;
    }
    stay
}

/// The numbers of a text, and whether a sign before them says that they identify something: `#24`.
pub(super) fn marked(text: &str) -> Vec<(bool, String)> {
    let all = tokens(text);
    let mut found = Vec::new();
    for (index, token) in all.iter().enumerate() {
        let Token::Number(number) = token else { continue };
        let is_marked =
            index > 0 && matches!(all[index - 1], Token::Other(sign) if sign.trim_end().ends_with(['#', '№']));
        found.push((is_marked, (*number).to_owned()));
    }
    found
}

fn text<'a>(token: &Token<'a>) -> &'a str {
    match token {
        Token::Word(text) | Token::Number(text) | Token::Other(text) => text,
    }
}

/// The end of digits that belong together: `1.234,50`, `12:30`, `2025-02-01`.
fn figure_end(all: &[Token<'_>], start: usize) -> usize {
    let mut end = start + 1;
    while let (Some(Token::Other(sign)), Some(Token::Number(next))) = (all.get(end), all.get(end + 1)) {
        let is_group = matches!(*sign, " " | "\u{a0}" | "\u{202f}" | "'" | "’") && next.len() == 3;
        if !is_group && !matches!(*sign, "." | "," | ":" | "/" | "-") {
            break;
        }
        end += 2;
    }
    end
}

fn parts<'a>(figure: &'a str, signs: &[char]) -> Vec<&'a str> {
    figure.split(signs).collect()
}

fn is_time(figure: &str) -> bool {
    let parts = parts(figure, &[':']);
    let is_part = |part: &&str| (1..=2).contains(&part.len()) && part.parse::<u8>().is_ok_and(|value| value < 60);
    (2..=3).contains(&parts.len()) && parts.iter().all(is_part)
}

fn is_date(figure: &str) -> bool {
    ['-', '/', '.'].into_iter().any(|sign| {
        let parts = parts(figure, &[sign]);
        let [one, two, three] = parts.as_slice() else { return false };
        let within =
            |text: &str, most: u16| text.len() <= 2 && text.parse().is_ok_and(|value: u16| (1..=most).contains(&value));
        let is_year = |text: &str| {
            text.len() == 2 || (text.len() == 4 && text.parse().is_ok_and(|year: u16| (1970..2100).contains(&year)))
        };
        let day_and_month =
            |one: &str, two: &str| (within(one, 31) && within(two, 12)) || (within(one, 12) && within(two, 31));
        (day_and_month(one, two) && is_year(three)) || (one.len() == 4 && is_year(one) && day_and_month(two, three))
    })
}

/// Two decimals, and groups of three before them.
fn is_decimal(figure: &str) -> bool {
    let Some((whole, decimals)) = figure.rsplit_once(['.', ',']) else { return false };
    let groups = parts(whole, &['.', ',', ' ', '\u{a0}', '\u{202f}', '\'', '’']);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    decimals.len() == 2
        && is_digits(decimals)
        && groups.iter().all(|group| is_digits(group))
        && groups.iter().skip(1).all(|group| group.len() == 3)
}

/// A figure and what is around it.
struct Neighbours<'a, 'b> {
    all: &'b [Token<'a>],
    start: usize,
    end: usize,
    context: &'b Context,
}

impl Neighbours<'_, '_> {
    fn before(&self) -> String {
        let own: String = self.all[..self.start].iter().map(|token| text(token)).collect();
        if own.trim().is_empty() { self.context.before.clone() } else { own }
    }

    fn after(&self) -> String {
        let own: String = self.all[self.end..].iter().map(|token| text(token)).collect();
        if own.trim().is_empty() { self.context.after.clone() } else { own }
    }

    /// Whether a currency is beside it, or it is a rate in percent.
    fn is_money(&self) -> bool {
        let (before, after) = (self.before(), self.after());
        let minus = ['-', '\u{2011}', '\u{2013}', '\u{2212}', '+', '('];
        let before = before.trim_end().trim_end_matches(minus).trim_end();
        let after = after.trim_start();
        let is_word = |word: &str| {
            let is_code = word.len() == 3
                && word.bytes().all(|byte| byte.is_ascii_uppercase())
                && iso_currency::Currency::from_code(word).is_some();
            is_code || MONEY.contains(&word.to_lowercase().as_str())
        };
        let last = tokens(before).last().copied();
        let first = tokens(after).first().copied();
        before.ends_with(is_currency)
            || after.starts_with(is_currency)
            || after.starts_with('%')
            || matches!(last, Some(Token::Word(word)) if is_word(word))
            || matches!(first, Some(Token::Word(word)) if is_word(word))
    }

    /// Whether it is the day or the year beside the name of a month.
    fn is_part_of_date(&self, figure: &str) -> bool {
        let Ok(value) = figure.parse::<u16>() else { return false };
        if !((figure.len() <= 2 && value <= 31) || (figure.len() == 4 && (1970..2100).contains(&value))) {
            return false;
        }
        let is_month = |token: &Token<'_>| match token {
            Token::Word(word) => {
                let word = word.to_lowercase();
                MONTHS.contains(&word.as_str()) || is_month_name(&word)
            }
            Token::Number(_) | Token::Other(_) => false,
        };
        let from = self.start.saturating_sub(4);
        let to = self.all.len().min(self.end + 4);
        self.all[from..to].iter().any(is_month)
    }

    /// Whether it counts things: beside labels, or alone in a table, and no number of an order.
    fn is_count(&self, figure: &str, ids: &HashSet<String>, is_label: &dyn Fn(&str) -> bool) -> bool {
        if figure.len() > 3 || !figure.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let (before, after) = (self.before(), self.after());
        let before = before.trim_end();
        if before.ends_with(['#', '№']) {
            return false;
        }
        let (last, first) = (tokens(before).last().copied(), tokens(after.trim_start()).first().copied());
        let counted =
            |token| matches!(token, Some(Token::Word(word)) if COUNTED.contains(&word.to_lowercase().as_str()));
        let counts = counted(last) || counted(first);
        if before.ends_with(['×', '✕']) || counts || self.context.is_change {
            return true;
        }
        let word = |token: &Token<'_>| if let Token::Word(word) = token { Some((*word).to_owned()) } else { None };
        let words: Vec<String> = self.all.iter().filter_map(word).collect();
        let are_labels = |words: &[String]| !words.is_empty() && words.iter().all(|word| is_label(word));
        // "<b>Products:</b> 3"
        let heading: Vec<String> = tokens(before).iter().filter_map(word).collect();
        let is_named = words.is_empty() && before.ends_with(':') && are_labels(&heading);
        !ids.contains(figure) && (are_labels(&words) || is_named || (words.is_empty() && self.context.is_in_table))
    }
}

/// The names of months as the languages that are read write them out.
fn is_month_name(word: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "janu", "janv", "febr", "févr", "march", "mars", "märz", "marz", "maart", "april", "avril", "abril", "aprile",
        "june", "juni", "juin", "july", "juli", "juill", "julho", "junho", "julio", "junio", "augu", "agosto", "sept",
        "settem", "setem", "octo", "oktob", "ottob", "octub", "outub", "novem", "noviem", "decem", "dezem", "décem",
        "diciem", "dicem", "enero", "febre", "marzo", "mayo", "mayis", "gennaio", "maggio", "giugno", "luglio",
        "janei", "fever", "março", "maio", "styczn", "lutego", "marca", "kwietn", "maja", "czerw", "lipca", "sierp",
        "wrze", "paździ", "listop", "grud",
    ];
    BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
}

const fn is_currency(sign: char) -> bool {
    matches!(sign, '$' | '¢' | '£' | '¤' | '¥' | '\u{e3f}' | '\u{20a0}'..='\u{20cf}' | '\u{fdfc}' | '￥' | '＄')
}
