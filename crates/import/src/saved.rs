//! Orders on pages of Amazon that a user saved from the browser: the order history, the details of one order, and the page
//! that is made to print them.
//!
//! All places are named below, for every layout since 2010. A page is of a known kind as a whole, or it is refused: an order
//! is never read by halves. What a page does not show is null.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Read as _;

use encoding_rs::Encoding;
use mail_parser::{MessageParser, MimeHeaders as _};
use ordersync_api::Mismatch;
use rust_decimal::Decimal;
use scraper::node::Element;
use scraper::{ElementRef, Html};
use serde_json::{Value, json};

use crate::finding::{Finding, FindingCode, Findings, Refused};
use crate::input::Input;
use crate::page::{all, children, day_in_words, has_class, inside, spaced, text};
use crate::table::unreadable;
use crate::told::Told;

/// The websites whose pages are read, the currency of an amount whose symbol names none or several, and whether real pages
/// prove that more than those to print are read rightly.
pub(crate) const SITES: [(&str, &str, bool); 2] = [("amazon.com", "USD", true), ("amazon.de", "EUR", false)];
/// Lines of one order, at most: their parts are looked for one by one.
const MAX_LINES: usize = 1_000;

/// The longest page with all that it shows, in bytes.
const MAX_ARCHIVE: usize = 64 << 20;
/// The header of such a page that has its address, in what Chromium saves.
const ADDRESS: &str = "Snapshot-Content-Location";
/// Headers that distinguish a page that another browser saved from a mail (RFC 2557).
const ARCHIVE: [&str; 2] = ["multipart/related", "content-location:"];

/// The name of the format of the order history.
pub(crate) const HISTORY_PAGES: &str = "amazon-order-history-pages";
const PERIODS: &str = "[name='timeFilter'] option, [name='orderFilter'] option";
const DETAILS_LINKS: &str = "a[href*='order-details'], a[href*='order-summary']";
const CARDS: &str = ".order-card, .js-order-card";
const DETAILS: &str = "#orderDetails";
const HISTORY: &str = "#ordersContainer, .your-orders-content-container, .num-orders";
const NUMBERS: &str = ".yohtmlc-order-id, [data-component='orderId'], .order-date-invoice-item, b.h1";
/// A label and its value in one.
const HEADS: &str = ".order-info .a-column, .order-header .a-column, .order-header li, .order-date-invoice-item, \
    [data-component='orderDate'], td[align='left']";
const FIGURES: &str =
    "#od-subtotals .a-row, [data-component='orderSubtotals'] .a-row, [data-component='chargeSummary'] .a-row";
const ITEMS: &str = ".yohtmlc-item, [data-component='purchasedItemsRightGrid'], .item-box";
const TITLES: [&str; 3] = [".yohtmlc-product-title", "[data-component='itemTitle']", ".yohtmlc-item > .a-row"];
const QUANTITIES: &str = ".item-view-qty, .od-item-view-qty, .product-image__qty";
const PRICES: &str = "[data-component='unitPrice'] .a-offscreen, .yohtmlc-item .a-color-price";
const NOTES: &str = ".a-size-small";
const STATUSES: &str =
    ".yohtmlc-shipment-status-primaryText, [data-component='shipmentStatus'] h4, .shipment-top-row .a-text-bold";
/// The heading of a page to print, and its statuses and titles, in the order of the page.
const PRINTED: &str = "b.h1";
const PRINTED_LINES: &str = "center, td > i";
/// In place of further items.
const MORE: &str = ".and-more-message-box";

const DATE_LABELS: [&str; 8] = [
    "order placed",
    "subscribe and save order placed",
    "purchased",
    "ordered on",
    "bestellung aufgegeben am",
    "bestellung aufgegeben",
    "bestellt am",
    "getätigte spar-abo-bestellung",
];
const TOTAL_LABELS: [&str; 2] = ["total", "summe"];
const SELLER_LABELS: [&str; 3] = ["sold by", "verkauf durch", "verkauft von"];
const SUBSCRIPTION_LABELS: [&str; 1] = ["auto-delivered"];
/// The figures below an order, in English and German. A sum of others is no adjustment. Of refunds, a page shows the sum so
/// far, not the payouts: beside those of a file, it would count twice.
const FIGURE_LABELS: [(&str, &[&str]); 11] = [
    // What is above it is that shipment's.
    ("shipment", &["total for this shipment"]),
    ("tip", &["tip (optional)"]),
    (
        "sum",
        &[
            "total paid by rewards points",
            "item(s) subtotal",
            "items subtotal",
            "zwischensumme",
            "total before tax",
            "summe ohne mwst.",
            "summe",
        ],
    ),
    ("total", &["grand total", "order total", "gesamtsumme"]),
    ("shipping", &["shipping & handling", "free shipping", "verpackung & versand", "kostenlose lieferung"]),
    ("tax", &["estimated tax to be collected", "sales tax", "anzurechnende mwst."]),
    (
        "discount",
        &[
            "amazon discount",
            "multibuy discount",
            "promotion applied",
            "subscribe & save",
            "subscription saving",
            "your coupon savings",
            "gutschein eingelöst",
            "rabatt",
        ],
    ),
    ("gift_card", &["gift card amount", "geschenkgutschein", "geschenkgutschein(e)"]),
    ("reward", &["rewards points"]),
    ("fee", &["gift wrap", "geschenkverpackung"]),
    ("refunded", &["refund total", "summe der erstattung", "erstattungssumme"]),
];

/// Pages in place of orders: what they have, and what to do.
const OTHERS: [(FindingCode, &str, &str); 4] = [
    (
        FindingCode::ChallengePage,
        "#challenge-container, script[src*='awswaf.com']",
        "This page only checks the browser. Open the orders again, and save them when they are shown.",
    ),
    (
        FindingCode::CaptchaPage,
        "form[action*='validateCaptcha'], #captchacharacters, #auth-captcha-image, [name='cvf_captcha_input']",
        "This page asks for the characters of a picture. Answer it in the browser, open the orders again, and save them.",
    ),
    (
        FindingCode::SignInPage,
        "form[name='signIn'], a[data-nav-role='signin'][href*='/ap/signin'], #auth-mfa-form, #auth-select-device-form, #intent-confirmation-form, \
         #verification-code-form, form[action*='/ap/cvf/']",
        "This is a sign-in page. Sign in with the browser, open the orders again, and save them.",
    ),
    (
        FindingCode::ErrorPage,
        "a[href*='ref=cs_503'], a[href*='ref=cs_500'], a[href*='ref=cs_404']",
        "This is an error page of Amazon. Open the orders again later, and save them then.",
    ),
];

/// Why a page is not read.
pub(crate) type Problem = (FindingCode, String);

/// A page of orders.
pub(crate) struct Page {
    /// The name of its format.
    pub(crate) format: &'static str,
    pub(crate) told: Told,
    /// How many orders the chosen period has, as the page counts them.
    pub(crate) count: Option<u64>,
    /// The chosen period, such as `year-2024`.
    pub(crate) period: Option<String>,
    /// The years that can be chosen, the newest first.
    pub(crate) years: Vec<u16>,
}

/// The orders of each period of the history: how many the pages count, and which they show.
#[derive(Default)]
pub(crate) struct Periods(BTreeMap<(String, Option<String>), OfPeriod>);

#[derive(Default)]
struct OfPeriod {
    /// The page that counts the most, and how many.
    counted: (u64, String),
    shown: BTreeSet<String>,
}

impl Periods {
    /// Adds what the page in a file counts and shows.
    pub(crate) fn add(&mut self, file: &str, page: &Page) {
        let text = |order: &Value, key: &str| order[key].as_str().unwrap_or_default().to_owned();
        let (Some(count), Some(first)) = (page.count, page.told.orders.first()) else { return };
        let of_period = self.0.entry((text(first, "shop"), page.period.clone())).or_default();
        of_period.shown.extend(page.told.orders.iter().map(|order| text(order, "number")));
        if count > of_period.counted.0 {
            of_period.counted = (count, file.to_owned());
        }
    }

    /// Reports periods of which the pages count more orders than they show.
    pub(crate) fn tell(self, findings: &mut Findings) {
        for ((_, period), OfPeriod { counted: (count, file), shown }) in self.0 {
            let shown = shown.len() as u64;
            if count > shown {
                let period = period.map_or_else(String::new, |period| format!(" of its period ({period})"));
                let message = format!(
                    "The page counts {count} orders{period}, and the pages of this import show {shown}. Import the other pages, too; \
                     if this is the only one, open it again, and save it when all of it is shown."
                );
                findings.add(Finding::new(FindingCode::PagesMissing, &file, message));
            }
        }
    }
}

/// Whether a file that begins so is HTML, or a page with all that it shows (MHTML) that is certainly no mail.
pub(crate) fn is_page(start: &[u8]) -> bool {
    if is_archive(start) {
        return true;
    }
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    start.starts_with(b"<") && !start.starts_with(b"<?")
}

pub(crate) fn is_archive(start: &[u8]) -> bool {
    has_header(start, ADDRESS)
}

/// Whether a file that begins so is a page with all that it shows, among files that are read as pages.
pub(crate) fn is_any_archive(start: &[u8]) -> bool {
    is_archive(start) || ARCHIVE.iter().all(|header| has_header(start, header))
}

fn has_header(start: &[u8], header: &str) -> bool {
    let headers = &start[..start.len().min(4096)];
    headers.windows(header.len()).any(|part| part.eq_ignore_ascii_case(header.as_bytes()))
}

/// The ends of the names of folders in which browsers save the parts of a page, by their language.
const PARTS: [&str; 10] = [
    "_files",
    "-Dateien",
    "_archivos",
    "_arquivos",
    "_ficheiros",
    "_fichiers",
    "_file",
    "_bestanden",
    "-bestanden",
    "_pliki",
];

/// Leaves out what a browser saved beside a page: its pictures, scripts and frames, in `Orders_files` beside `Orders.html`.
pub(crate) fn without_parts(inputs: &mut Vec<Input>) {
    let stem =
        |shown: &str| shown.rsplit_once('.').filter(|(_, end)| end.starts_with("htm")).map(|(stem, _)| stem.to_owned());
    let pages: HashSet<String> = inputs.iter().filter_map(|input| stem(&input.shown)).collect();
    let is_beside =
        |folder: &str| PARTS.iter().any(|end| folder.strip_suffix(end).is_some_and(|page| pages.contains(page)));
    inputs.retain(|input| !input.shown.match_indices('/').any(|(end, _)| is_beside(&input.shown[..end])));
}

/// Reads the page in a file.
/// Fails if the file cannot be read; the inner error is a page that is none of orders.
pub(crate) fn open(input: &Input) -> Result<Result<Page, Problem>, Refused> {
    let is_archive = is_any_archive(&input.start()?);
    let most = if is_archive { MAX_ARCHIVE } else { ordersync_html::MAX_PAGE_BYTES };
    let mut bytes = Vec::new();
    let read = input.open()?.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|why| unreadable(&input.shown, &why))?;
    if bytes.len() > most {
        let message = format!("The page has more than {} MiB, and is none of Amazon's.", most >> 20);
        return Err(Finding::new(FindingCode::TooLarge, &input.shown, message).into());
    }
    let archived = || {
        let message = MessageParser::default().parse(&bytes)?;
        let of_part = || message.parts.iter().find_map(|part| part.content_location());
        let address = message.header(ADDRESS).and_then(|header| header.as_text()).or_else(of_part)?;
        let saved = message.date().map(mail_parser::DateTime::to_timestamp);
        Some((format!("<!-- saved from url={address} -->{}", message.body_html(0)?), saved))
    };
    let body = if is_archive { archived() } else { decoded(&bytes).map(|body| (body, None)) };
    let damaged =
        || (FindingCode::EncodingUnknown, "The text of the page cannot be decoded. Save it again.".to_owned());
    Ok(body.ok_or_else(damaged).and_then(|(body, saved)| {
        let mut page = read_page(&body)?;
        page.told.orders.iter_mut().for_each(|order| order["sent"] = saved.into());
        Ok(page)
    }))
}

/// The text of a page: UTF-8, or what the page says.
fn decoded(bytes: &[u8]) -> Option<String> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(text.to_owned());
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).to_lowercase();
    let label = start.split_once("charset=").map_or("", |(_, rest)| rest.trim_start_matches(['"', '\'']));
    let label = label.split(['"', '\'', ' ', ';', '>', '/']).next().unwrap_or_default();
    let (text, _, has_errors) = Encoding::for_label(label.as_bytes())?.decode(bytes);
    (!has_errors).then(|| text.into_owned())
}

/// Reads a saved page. A problem says what its owner can do.
fn read_page(body: &str) -> Result<Page, Problem> {
    let parsed = ordersync_html::parse(body).map_err(|refusal| unknown(format!("it {refusal}")));
    parsed.and_then(|page| read_parsed(&page, body)).map_err(|(code, message)| match code {
        FindingCode::PageUnknown => (
            code,
            format!(
                "This is no page of Amazon's orders that is known: {message}. Nothing was stored. Import the others without it, \
                 or save the page again when all of it is shown."
            ),
        ),
        _ => (code, message),
    })
}

/// Reads a page whose text is `body`.
/// Fails if it is none of orders; of one that is not known, the problem is the bare reason.
pub(crate) fn read_parsed(page: &Html, body: &str) -> Result<Page, Problem> {
    let details = all(page, DETAILS);
    let cards = outermost(all(page, CARDS));
    let printed = all(page, PRINTED);
    if details.is_empty() && cards.is_empty() && printed.is_empty() && all(page, HISTORY).is_empty() {
        let other = OTHERS.iter().find(|(_, places, _)| !all(page, places).is_empty());
        return Err(other.map_or_else(
            || unknown("it is neither the order history nor the details of an order"),
            |(code, _, message)| (*code, (*message).to_owned()),
        ));
    }
    if is_cut_off(body) {
        return Err((FindingCode::CutOff, "The page is cut off. Save it again. Nothing was stored.".to_owned()));
    }
    let mut told = Told::default();
    let site = site(page, body);
    match site.as_deref().map(|site| (site, SITES.iter().find(|(known, ..)| *known == site))) {
        Some((site, None)) => {
            let message = format!("Pages of {site} are not read yet: only those of amazon.com and amazon.de are.");
            return Err((FindingCode::SiteUnproven, message));
        }
        Some((site, Some((.., false)))) if printed.is_empty() => {
            let message = format!("Pages of {site} are read, but were not tried with saved ones. Check their orders.");
            told.problem(FindingCode::SiteUnproven, message);
        }
        _ => {}
    }
    let (format, scopes) = match (details.as_slice(), printed.is_empty()) {
        ([], true) => (HISTORY_PAGES, cards),
        ([], false) if cards.is_empty() => ("amazon-order-print-pages", vec![page.root_element()]),
        ([only], true) if cards.is_empty() => ("amazon-order-details-pages", vec![*only]),
        _ => return Err(unknown("it has orders in several ways")),
    };
    for scope in scopes {
        let mut reader = Reader { scope, site: site.as_deref(), told: &mut told };
        let order = match format {
            HISTORY_PAGES => reader.card(),
            "amazon-order-print-pages" => reader.printed(),
            _ => reader.details(),
        };
        told.orders.push(order.map_err(|why| unknown(why + &other_language(page)))?);
    }
    let count = all(page, ".num-orders").first().and_then(|count| first_number(&shown(*count)));
    if let Some(count) = count.filter(|count| told.orders.is_empty() && *count > 0) {
        let message = format!(
            "The page counts {count} orders, but shows none. Open it again, wait until they are shown, and save it."
        );
        told.problem(FindingCode::PageWithoutOrders, message);
    }
    let periods = all(page, PERIODS);
    let value = |option: &ElementRef<'_>| option.attr("value").map(str::to_owned);
    let period = periods.iter().find(|option| option.attr("selected").is_some()).and_then(value);
    let mut years: Vec<u16> =
        periods.iter().filter_map(|option| option.attr("value")?.strip_prefix("year-")?.parse().ok()).collect();
    years.sort_unstable_by(|one, other| other.cmp(one));
    years.dedup();
    Ok(Page { format, told, count, period, years })
}

/// Whether a page begins and does not end. The end of a frame within an attribute, before its quote, is none of the page.
fn is_cut_off(body: &str) -> bool {
    let body = body.to_ascii_lowercase();
    let is_end = |(at, end): (usize, &str)| {
        let rest = body[at + end.len()..].trim_start().trim_start_matches('>').trim_start();
        !rest.starts_with(['"', '\''])
    };
    body.contains("<html") && !body.match_indices("</html").any(is_end)
}

fn unknown(why: impl Into<String>) -> Problem {
    (FindingCode::PageUnknown, why.into())
}

/// The likely reason why a page in another language cannot be read.
fn other_language(page: &Html) -> String {
    let language = page.root_element().attr("lang").unwrap_or_default().to_lowercase();
    if language.is_empty() || ["en", "de"].iter().any(|known| language.starts_with(known)) {
        return String::new();
    }
    format!(
        "; its language is \"{language}\", and only pages in English and German are read: choose one of these on the website"
    )
}

/// The mark of an order of whose items a page shows only some. `all`: how many it says there are.
pub(crate) fn part_of_lines(all: Option<u64>, shown: usize) -> Mismatch {
    let [shown, computed] = [all, Some(shown as u64)].map(|count| count.map(Decimal::from));
    Mismatch { check: "page_lines".to_owned(), shown, computed }
}

/// The website, by what its pages say of themselves, or else by the links to their products and orders.
fn site(page: &Html, body: &str) -> Option<String> {
    let named = ["ue_sn", "saved from url="].iter().find_map(|mark| {
        let at = body.find(mark)? + mark.len();
        let end = body.ceil_char_boundary((at + 80).min(body.len()));
        website(&body[at..end])
    });
    let titled = || {
        let title = shown(*all(page, "title").first()?);
        website(&format!("www.{}", title.split([' ', ':']).next()?.to_lowercase()))
    };
    named.or_else(titled).or_else(|| {
        let is_own = |link: &str| ["/dp/", "/gp/product/", "order-details"].iter().any(|part| link.contains(part));
        let links = all(page, "a[href^='https://www.amazon.']").into_iter().filter_map(|link| link.attr("href"));
        let sites: BTreeSet<String> = links.filter(|link| is_own(link)).filter_map(website).collect();
        let mut sites = sites.into_iter();
        sites.next().filter(|_| sites.next().is_none())
    })
}

/// `amazon.de` of a text with `www.amazon.de` in it.
fn website(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("www.amazon.")?;
    let end = rest.find(|sign: char| !sign.is_ascii_lowercase() && sign != '.').unwrap_or(rest.len());
    let ending = rest[..end].trim_end_matches('.');
    (!ending.is_empty()).then(|| format!("amazon.{ending}"))
}

/// Those that are in no other one.
fn outermost(elements: Vec<ElementRef<'_>>) -> Vec<ElementRef<'_>> {
    let ids: HashSet<_> = elements.iter().map(|element| element.id()).collect();
    elements.into_iter().filter(|one| !one.ancestors().any(|around| ids.contains(&around.id()))).collect()
}

/// The text of an element as the page shows it.
fn shown(element: ElementRef<'_>) -> String {
    let is_aside = |inner: &Element| {
        matches!(inner.name(), "script" | "style" | "noscript") || inner.classes().any(|it| it == "a-popover-preload")
    };
    text(element, is_aside)
}

fn first_number(text: &str) -> Option<u64> {
    text.split(|sign: char| !sign.is_ascii_digit()).find(|digits| !digits.is_empty())?.parse().ok()
}

/// The text after one of these labels.
fn labelled<'t>(text: &'t str, labels: &[&str]) -> Option<&'t str> {
    let rest = labels.iter().find_map(|label| {
        let start = text.get(..label.len()).filter(|start| start.eq_ignore_ascii_case(label));
        start.map(|_| &text[label.len()..]).filter(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    rest.map(|rest| rest.trim_start_matches([':', ' ']))
}

/// `112-1234567-1234567`, or `D01-1234567-1234567` of a digital order.
fn is_number(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let [first, second, third] = parts.as_slice() else { return false };
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|sign| sign.is_ascii_digit());
    (digits(first, 3) || first.strip_prefix('D').is_some_and(|rest| digits(rest, 2)))
        && digits(second, 7)
        && digits(third, 7)
}

/// Reads one order.
struct Reader<'a, 't> {
    scope: ElementRef<'a>,
    site: Option<&'a str>,
    told: &'t mut Told,
}

impl Reader<'_, '_> {
    /// An order of the history: without prices, and often without all items.
    fn card(&mut self) -> Result<Value, String> {
        let number = self.number()?;
        let (lines, more) = self.lines(&number)?;
        let total = self.heads().iter().find_map(|head| labelled(head, &TOTAL_LABELS).map(str::to_owned));
        let is_partial = lines.is_empty() || !more.is_empty();
        // "10 items in this purchase", or "and 6 more".
        let claimed = if lines.is_empty() { self.claimed() } else { None };
        let hidden: Option<u64> = more.iter().map(|text| first_number(text)).sum();
        let all = claimed.or_else(|| hidden.filter(|_| !lines.is_empty()).map(|more| more + lines.len() as u64));
        let mut order = self.order(&number, total.as_deref(), lines, Vec::new())?;
        order["isPartial"] = is_partial.into();
        order["lineCount"] = all.filter(|_| is_partial).into();
        let links = inside(self.scope, DETAILS_LINKS).into_iter().filter_map(|link| link.attr("href"));
        order["details"] = links.into_iter().find(|link| link.contains(&number)).into();
        order["text"] = shown(self.scope).into();
        Ok(order)
    }

    /// The details of an order: all of its items and figures.
    fn details(&mut self) -> Result<Value, String> {
        let number = self.number()?;
        let (lines, more) = self.lines(&number)?;
        let items = outermost(inside(self.scope, ITEMS));
        let boxes: HashSet<_> = items.iter().filter_map(|item| box_of(*item)).map(|around| around.id()).collect();
        let statuses = inside(self.scope, STATUSES);
        let mut of_statuses = statuses.iter().filter_map(|status| box_of(*status));
        if lines.is_empty() || !more.is_empty() || of_statuses.any(|around| !boxes.contains(&around.id())) {
            return Err(format!("it does not show all items of the order {number} in a known way"));
        }
        self.whole(&number, lines, self.figures(FIGURES))
    }

    /// An order as its details are printed: without the numbers of the articles.
    fn printed(&mut self) -> Result<Value, String> {
        let number = self.number()?;
        let (mut lines, mut status) = (Vec::new(), String::new());
        for element in inside(self.scope, PRINTED_LINES) {
            if element.value().name() == "center" {
                status = shown(element);
                continue;
            }
            let line = printed_line(element, &status);
            lines.push(
                line.ok_or_else(|| format!("an item of the order {number} is by weight, or in an unknown form"))?,
            );
        }
        if lines.is_empty() || lines.len() > MAX_LINES {
            return Err(format!("it does not show the items of the order {number} in a known way"));
        }
        // How it was paid follows the total.
        let figures = self.figures("tr").into_iter();
        let mut is_above = true;
        let figures =
            figures.take_while(|(label, _)| std::mem::replace(&mut is_above, kind_of(label) != Some("total")));
        self.whole(&number, lines, figures.collect())
    }

    /// An order with all of its lines and figures.
    fn whole(&self, number: &str, lines: Vec<Value>, shown: Vec<(String, String)>) -> Result<Value, String> {
        let (mut total, mut figures) = (None, Vec::new());
        let has_figures = !shown.is_empty();
        for (label, amount) in shown {
            match kind_of(&label) {
                Some("sum") => {}
                Some("shipment") => figures.clear(),
                Some("total") if total.is_none() => total = Some(amount),
                Some("total") => return Err(format!("it has two totals of the order {number}")),
                kind => figures.push(json!({ "type": kind.unwrap_or("other"), "amount": amount, "label": label })),
            }
        }
        let is_other = |figure: &Value| figure["type"] == "other";
        if total.is_none() && (!has_figures || figures.iter().any(is_other)) {
            return Err(format!("the figures of the order {number} have unknown labels, or are in another place"));
        }
        self.order(number, total.as_deref(), lines, figures)
    }

    fn order(
        &self,
        number: &str,
        total: Option<&str>,
        lines: Vec<Value>,
        figures: Vec<Value>,
    ) -> Result<Value, String> {
        let heads = self.heads();
        let date = heads.iter().find_map(|head| {
            let value = labelled(head, &DATE_LABELS);
            day_in_words(value.unwrap_or(head)).or_else(|| value.map(str::to_owned))
        });
        let date = date.ok_or_else(|| format!("the order {number} has no date in a known place"))?;
        let amounts = lines.iter().map(|line| &line["price"]).chain(figures.iter().map(|figure| &figure["amount"]));
        let is_named = amounts.filter_map(Value::as_str).chain(total).any(|text| text.contains(char::is_alphabetic));
        let site = SITES.iter().find(|(site, ..)| self.site == Some(*site) && !is_named);
        Ok(json!({
            "number": number, "date": date, "total": total, "currency": site.map(|(_, currency, _)| *currency),
            "shop": self.site, "lines": lines, "adjustments": figures,
        }))
    }

    fn number(&self) -> Result<String, String> {
        let texts: Vec<String> = inside(self.scope, NUMBERS).into_iter().map(shown).collect();
        let words = texts.iter().flat_map(|text| text.split([' ', '#'])).filter(|word| is_number(word));
        let numbers: BTreeSet<&str> = words.collect();
        match numbers.into_iter().collect::<Vec<_>>().as_slice() {
            [only] => Ok((*only).to_owned()),
            [] => Err("an order on it has no number in a known place".to_owned()),
            _ => Err("an order on it has several numbers".to_owned()),
        }
    }

    /// The texts above the items.
    fn heads(&self) -> Vec<String> {
        inside(self.scope, HEADS).into_iter().map(shown).collect()
    }

    /// The figures, with their labels.
    fn figures(&self, places: &str) -> Vec<(String, String)> {
        let rows = inside(self.scope, places).into_iter().filter_map(|row| {
            let is_shown = !row.ancestors().filter_map(ElementRef::wrap).any(|it| has_class(it, "a-popover-preload"));
            let cells: Vec<ElementRef<'_>> = row.children().filter_map(ElementRef::wrap).collect();
            let [label, amount] = cells.as_slice() else { return None };
            // On a page to print, the figures are the cells without line breaks.
            if cells.iter().any(|cell| cell.value().name() == "td" && cell.attr("nowrap").is_none()) {
                return None;
            }
            let (label, amount) = (shown(*label), shown(*amount));
            let label = label.trim_end_matches(':').trim_end().to_owned();
            (is_shown && !label.is_empty() && amount.contains(|sign: char| sign.is_ascii_digit()))
                .then_some((label, amount))
        });
        rows.collect()
    }

    /// The lines, and what is in place of further ones.
    fn lines(&mut self, number: &str) -> Result<(Vec<Value>, Vec<String>), String> {
        let items = outermost(inside(self.scope, ITEMS));
        if items.len() > MAX_LINES {
            return Err(format!("the order {number} has more than {MAX_LINES} lines"));
        }
        // Each part is looked for once, so that the time grows only with the page.
        let mut statuses = HashMap::new();
        for status in inside(self.scope, STATUSES) {
            if let (Some(around), text) = (box_of(status), shown(status))
                && !text.is_empty()
            {
                statuses.entry(around.id()).or_insert(text);
            }
        }
        let mut in_row = HashMap::<_, u32>::new();
        items.iter().filter_map(row_of).for_each(|row| *in_row.entry(row.id()).or_default() += 1);
        let (mut lines, mut more) = (Vec::new(), Vec::new());
        for item in items {
            if let Some(text) = inside(item, MORE).first() {
                more.push(shown(*text));
                continue;
            }
            let row = row_of(&item).filter(|row| in_row.get(&row.id()) == Some(&1));
            let status = box_of(item).and_then(|around| statuses.get(&around.id()));
            match self.line(row.unwrap_or(item), number) {
                Some(mut line) => {
                    line["status"] = status.map(String::as_str).into();
                    lines.push(line);
                }
                // An item without a title and a number.
                None => more.push("1".to_owned()),
            }
        }
        Ok((lines, more))
    }

    fn line(&mut self, item: ElementRef<'_>, number: &str) -> Option<Value> {
        let first = |places: &str| inside(item, places).into_iter().map(shown).find(|text| !text.is_empty());
        let picture = || inside(item, "img[alt]").first().and_then(|it| it.attr("alt")).map(spaced);
        let title = TITLES.iter().find_map(|places| first(places)).or_else(picture).filter(|title| !title.is_empty());
        let asin = inside(item, "a[href]").into_iter().find_map(|link| asin(link.attr("href")?));
        if title.is_none() && asin.is_none() {
            return None;
        }
        let prices: BTreeSet<String> =
            inside(item, PRICES).into_iter().map(shown).filter(|it| !it.is_empty()).collect();
        if prices.len() > 1 {
            let message = format!("A line of the order {number} shows several prices. None of them was taken.");
            self.told.problem(FindingCode::AmountUnreadable, message);
        }
        let notes: Vec<String> = inside(item, NOTES).into_iter().map(shown).collect();
        let noted = |labels: &[&str]| notes.iter().find(|note| labelled(note, labels).is_some());
        let subscription: Vec<&String> = noted(&SUBSCRIPTION_LABELS).into_iter().collect();
        Some(json!({
            "title": title,
            "asin": asin,
            "quantity": first(QUANTITIES),
            "price": prices.first().filter(|_| prices.len() == 1),
            "seller": noted(&SELLER_LABELS).and_then(|note| labelled(note, &SELLER_LABELS)),
            "notes": subscription,
        }))
    }

    /// How many items an order without any on the page is said to have.
    fn claimed(&self) -> Option<u64> {
        let text = shown(self.scope).to_lowercase();
        let words: Vec<&str> = text.split(' ').collect();
        words.windows(2).find_map(|pair| match pair {
            [count, "item" | "items" | "artikel"] => count.parse().ok(),
            _ => None,
        })
    }
}

/// The kind of a figure.
fn kind_of(label: &str) -> Option<&'static str> {
    let bare = label.to_lowercase();
    FIGURE_LABELS.iter().find(|(_, labels)| labels.contains(&bare.as_str())).map(|(kind, _)| *kind)
}

/// The line of a title: `1 of: Title`, its seller, and in the last cell the price of one.
fn printed_line(title: ElementRef<'_>, status: &str) -> Option<Value> {
    let cell = title.parent().and_then(ElementRef::wrap)?;
    let row = cell.parent().and_then(ElementRef::wrap)?;
    let text = shown(cell);
    let (quantity, rest) = text.split_once(' ')?;
    if !["of:", "exemplar(e) von:"].iter().any(|of| rest.to_lowercase().starts_with(of)) {
        return None;
    }
    let price = children(row).last().map(|cell| shown(*cell));
    let note = inside(cell, ".tiny").first().and_then(|note| note.text().next()).map(spaced);
    let seller = note.as_deref().and_then(|note| labelled(note, &SELLER_LABELS));
    let seller = seller.map(|seller| seller.trim_end_matches([' ', '(']));
    Some(json!({ "title": shown(title), "quantity": quantity, "price": price, "seller": seller, "status": status }))
}

/// The row of an item and its picture, which has the quantity.
fn row_of<'a>(item: &ElementRef<'a>) -> Option<ElementRef<'a>> {
    item.parent().and_then(ElementRef::wrap).filter(|row| has_class(*row, "a-fixed-left-grid-inner"))
}

/// The box that an element is in. A shipment has one.
fn box_of(element: ElementRef<'_>) -> Option<ElementRef<'_>> {
    element.ancestors().filter_map(ElementRef::wrap).find(|around| has_class(*around, "a-box"))
}

/// The number of the article in a link to it.
fn asin(link: &str) -> Option<String> {
    let (_, rest) = ["/dp/", "/gp/product/"].iter().find_map(|before| link.split_once(before))?;
    let asin = rest.split(['/', '?', '#']).next()?;
    (asin.len() == 10 && asin.bytes().all(|sign| sign.is_ascii_uppercase() || sign.is_ascii_digit()))
        .then(|| asin.to_owned())
}
