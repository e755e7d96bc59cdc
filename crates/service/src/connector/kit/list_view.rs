//! What a page of the order list says of the list as a whole: how long it is, and whether it shows a part of it only.

use scraper::{ElementRef, Html, Selector};
use url::Url;

use super::check::{Check, Failure};
use super::tabs::Tabs;
use super::text::{selector, text};
use super::{list_words as words, source};

/// A page of the list.
pub(in crate::connector) struct ListView<'a> {
    pub(in crate::connector) document: &'a Html,
    /// The address of the list, without a page.
    pub(in crate::connector) list: &'a Url,
    /// What belongs to the list. What is beside it, such as the menu of the shop, may speak of anything.
    pub(in crate::connector) within: Vec<ElementRef<'a>>,
    /// The number of the page of the list that an address leads to.
    pub(in crate::connector) page_of: &'a dyn Fn(&Url) -> Option<u32>,
    /// Whether a text says that the page shows no orders, and so offers none.
    pub(in crate::connector) says_none: &'a dyn Fn(&str) -> bool,
    /// Whether a word is a status of orders.
    pub(in crate::connector) is_status: &'a dyn Fn(&str) -> bool,
}

/// The page fails as a page of the list.
pub(in crate::connector) fn failed(found: impl Into<String>) -> Failure {
    Failure::new(Check::ListPage, found)
}

impl<'a> ListView<'a> {
    fn select<'s>(&'s self, css: &'s Selector) -> impl Iterator<Item = ElementRef<'a>> + use<'s, 'a> {
        self.within.iter().flat_map(|part| part.select(css))
    }

    /// Where a link leads.
    fn target(&self, link: ElementRef<'_>) -> Option<Url> {
        self.list.join(link.attr("href")?).ok()
    }

    /// What follows the path of the list in the path of an address; `None`: it is none of the list. If all pages of the shop have one
    /// path, its query has to begin like the list's.
    fn below(&self, url: &Url) -> Option<String> {
        let has_query = self.list.query().is_none_or(|query| url.query().is_some_and(|other| other.starts_with(query)));
        (url.origin() == self.list.origin() && has_query).then_some(())?;
        url.path().strip_prefix(self.list.path()).map(str::to_owned)
    }

    /// The highest page of this list that is linked to, other than this page: the way back to it may lead through itself.
    pub(in crate::connector) fn linked_pages(&self, own: u32) -> u32 {
        let links = self.document.select(selector!("a[href], [data-next], [data-next-url], [data-url], [data-href]"));
        links.filter_map(|link| self.page_at(link)).filter(|page| *page != own).max().unwrap_or(0)
    }

    /// The page of this list to which an element leads.
    fn page_at(&self, element: ElementRef<'_>) -> Option<u32> {
        let addresses = ["href", "data-next", "data-next-url", "data-url", "data-href"];
        let targets = addresses.iter().filter_map(|name| self.list.join(element.attr(name)?).ok());
        targets.filter_map(|target| (self.page_of)(&target)).max()
    }

    /// The tabs of the list.
    fn tabs(&self) -> Tabs<'a> {
        Tabs::of(&self.within, &|member| {
            let mut links = std::iter::once(member).chain(member.select(selector!("a[href]")));
            let target = links.find_map(|link| Some((link.attr("href")?, self.target(link)?)));
            target.is_none_or(|(href, target)| {
                href.starts_with('#') || self.below(&target).is_some_and(|rest| rest.is_empty())
            })
        })
    }

    /// How many orders there are by the numbers of the tabs, such as "Open (3)" beside "Completed (7)".
    pub(in crate::connector) fn orders_in_tabs(&self) -> Option<u32> {
        self.tabs().orders()
    }

    /// The number of pages that the pager states, as in "Page 1 of 7".
    pub(in crate::connector) fn stated_pages(&self, current: u32) -> u32 {
        let in_pager = self.select(selector!("[class*=pagina] *, [class*=pagina], [class*=pager] *, [class*=pager]"));
        let is_text = |element: &ElementRef<'_>| element.children().all(|child| child.value().is_text());
        let named = self.select(selector!("p, span, div, li, small")).filter(is_text);
        in_pager
            .filter(is_text)
            .chain(named.filter(|element| words::names_page(&text(*element))))
            .filter_map(|element| match integers(&text(element)).as_slice() {
                [page, pages] | [pages, page] if *page == current && pages >= page => Some(*pages),
                _ => None,
            })
            .max()
            .unwrap_or(0)
    }

    /// The number of orders in all, as in "1–20 of 123", "3 of 12 orders", "12 orders", "Orders (12)" or "Orders: 12".
    pub(in crate::connector) fn stated_orders(&self, number: u32, shown: usize) -> Option<u32> {
        let shown = u32::try_from(shown).ok().filter(|shown| *shown > 0)?;
        let stated = self
            .select(selector!("p, span, div, caption, h1, h2, h3, h4, li, small, strong, b, em"))
            .filter(|element| is_short(*element))
            .filter_map(|element| {
                let text = text(element);
                match integers(&text).as_slice() {
                    [first, last, all] if last.checked_sub(*first) == Some(shown - 1) && all >= last => Some(*all),
                    _ if !is_about_the_list(element) => None,
                    [part, all] if number == 1 && *part == shown && all > part && words::says_part_of(&text) => {
                        Some(*all)
                    }
                    [all] if words::counts_orders(&text) => Some(*all),
                    _ => None,
                }
            })
            .max();
        let defined = self.select(selector!("dt")).filter(|term| words::is_orders(&text(*term))).filter_map(|term| {
            let value = term.next_siblings().find_map(ElementRef::wrap)?;
            text(value).parse().ok()
        });
        let in_data = self
            .select(selector!("[data-total]"))
            .filter(|element| element.select(selector!("table")).next().is_some())
            .filter_map(|element| element.attr("data-total")?.parse().ok());
        stated.into_iter().chain(defined).chain(in_data).max()
    }

    /// Makes sure that the page speaks of no orders but those of the list: no filter is in force, and nothing on it leads to
    /// other orders or names one.
    /// Fails if one of these holds. What was read is right, but there may be more. `rows`: the number and the path of
    /// each order.
    pub(in crate::connector) fn shows_all(&self, rows: &[(&str, &str)]) -> Result<(), Failure> {
        if self.has_filter_in_force() || self.links_to_all() {
            return Err(failed("a filter is in force: the list does not show all orders."));
        }
        if self.leads_elsewhere() || self.offers_more() {
            return Err(failed("it leads to orders that it does not show."));
        }
        if self.names_another(rows) {
            return Err(failed("it names an order that is no row of a table that can be read."));
        }
        Ok(())
    }

    fn has_filter_in_force(&self) -> bool {
        let name_of =
            |element: ElementRef<'_>| element.attr("name").or(element.attr("id")).unwrap_or_default().to_owned();
        let fields =
            self.select(selector!("input[type=hidden][value], input[type=radio][checked], [type=date][value]"));
        let is_search = |field: &ElementRef<'_>| {
            field.attr("type") == Some("search")
                || ["q", "search", "keyword", "keywords", "query"]
                    .contains(&name_of(*field).to_ascii_lowercase().as_str())
        };
        let has_search = self
            .select(selector!("input[value]"))
            .any(|field| is_search(&field) && field.attr("value").is_some_and(|value| !value.trim().is_empty()));
        let field = fields
            .chain(self.select(selector!("[name=date_from][value], [name=date_to][value]")))
            .any(|field| is_choice(&name_of(field)) && !is_all(field.attr("value").unwrap_or_default()));
        let select = self.select(selector!("select")).filter(|select| is_choice(&name_of(*select))).any(|select| {
            // Without a mark, the first option is in force.
            let mut options = select.select(selector!("option[selected]")).chain(select.select(selector!("option")));
            options.next().is_some_and(|option| {
                let value = option.attr("value").map_or_else(|| text(option), str::to_owned);
                !is_all(&value) && !words::is_all(&text(option))
            })
        });
        let tabs = self.tabs();
        let is_counted = tabs.orders().is_some();
        let chosen = selector!(
            "button.active, a.active, .is-active, [aria-pressed=true], [aria-selected=true], [aria-current=true]"
        );
        let button = !is_counted
            && self.select(chosen).any(|button| {
                button
                    .value()
                    .attrs()
                    .any(|(name, value)| name.strip_prefix("data-").is_some_and(is_choice) && !is_all(value))
            });
        field || has_search || select || button || tabs.hide_some(self.is_status)
    }

    fn links_to_all(&self) -> bool {
        let links = self.document.select(selector!("a[href]")).filter_map(|link| self.target(link));
        links.filter_map(|link| Some((self.below(&link)?, link))).any(|(rest, link)| {
            rest.is_empty() && link.query_pairs().any(|(name, value)| name == "all" || value == "all")
        })
    }

    /// Whether a link, or an address for a script, leads to another part of the list that no page number names.
    fn leads_elsewhere(&self) -> bool {
        let next = self.document.select(selector!("[data-next], [data-next-url], [data-cursor]")).any(|element| {
            self.page_at(element).is_none()
                && ["data-next", "data-next-url", "data-cursor"]
                    .iter()
                    .any(|name| element.attr(name).is_some_and(|to| !to.is_empty()))
        });
        let is_position =
            |name: &str| matches!(name, "offset" | "cursor" | "after" | "before" | "start" | "tab" | "view");
        // The numbers of tabs say whether the list shows all.
        let shows_all = self.orders_in_tabs().is_some()
            || self.select(selector!("a.active, a[aria-current]")).any(|link| words::is_all(&text(link)));
        let links = self.document.select(selector!("a[href], link[rel~=next][href]")).any(|link| {
            let Some(url) = self.target(link) else { return false };
            let Some(rest) = self.below(&url) else { return false };
            let has = |is: &dyn Fn(&str) -> bool| url.query_pairs().any(|(name, _)| is(&name));
            let is_page = (self.page_of)(&url).is_some();
            let is_next =
                link.attr("rel").is_some_and(|rel| rel.split_whitespace().any(|word| word == "next")) && !is_page;
            let is_part = rest.is_empty()
                && (has(&|name| is_position(name) && !(shows_all && matches!(name, "tab" | "view")))
                    || !shows_all && has(&|name| is_choice(name) && !name.starts_with("date_")));
            let is_archive =
                ["archive", "older", "past", "history", "closed", "cancelled"].iter().any(|word| rest.contains(word));
            is_next || is_part || is_archive
        });
        next || links
    }

    /// Whether a button, a link or a sentence speaks of further orders.
    fn offers_more(&self) -> bool {
        self.select(selector!("a, button, summary, [role=button], p")).any(|element| {
            let is_content = !element
                .ancestors()
                .filter_map(ElementRef::wrap)
                .any(|above| matches!(above.value().name(), "nav" | "header" | "footer" | "aside" | "template"));
            // The next page of the list is read.
            is_content && self.page_at(element).is_none() && is_short_text(element) && {
                let text = text(element);
                words::speaks_of_more(&text) && !(self.says_none)(&text)
            }
        })
    }

    /// Whether a text or an address on the page has a number like those of the orders, of an order that is no row.
    fn names_another(&self, rows: &[(&str, &str)]) -> bool {
        let numbers: Vec<u64> = rows.iter().filter_map(|(number, _)| number.parse().ok()).collect();
        let (Some(least), Some(most)) = (numbers.iter().min(), numbers.iter().max()) else { return false };
        if numbers.len() < rows.len() || *most < 10_000 {
            return false;
        }
        // Some shops have other numbers in their addresses than those that they show.
        let parts = rows.iter().flat_map(|(_, path)| path.split(|sign: char| !sign.is_alphanumeric()));
        let ids: Vec<u64> = parts.filter_map(|part| part.parse().ok()).collect();
        let is_another = |word: &str| {
            source::is_like(word, *least, *most)
                && word.parse().is_ok_and(|number: u64| !numbers.contains(&number) && !ids.contains(&number))
        };
        let names = |text: &str| text.split(|sign: char| !sign.is_alphanumeric()).any(is_another);
        self.select(selector!("td, li, summary, button, a[href], [data-order]")).any(|element| {
            let own = element.children().filter_map(|child| child.value().as_text().map(|text| &**text));
            own.chain(["href", "data-order"].into_iter().filter_map(|name| element.attr(name))).any(names)
        })
    }
}

/// Whether an element holds a few words only, with no more than a badge among them.
fn is_short(element: ElementRef<'_>) -> bool {
    element.descendants().take(7).count() <= 6
        && element.select(selector!("a, table, form, button, select")).next().is_none()
}

/// Whether an element may speak of the list as a whole: it is no cell, link or part of the pager.
fn is_about_the_list(element: ElementRef<'_>) -> bool {
    let is_caption = element.value().name() == "caption";
    std::iter::once(element).chain(element.ancestors().filter_map(ElementRef::wrap)).all(|above| {
        let is_outside = matches!(above.value().name(), "a" | "nav" | "footer" | "template")
            || above.value().name() == "table" && !is_caption;
        !is_outside && !above.value().classes().any(|class| class.contains("pagina") || class.contains("pager"))
    })
}

/// Whether the name of a field or of a parameter says that it chooses some of the orders.
fn is_choice(name: &str) -> bool {
    let words = ["year", "period", "month", "date", "range", "status", "filter", "since", "days", "archive"];
    let name = name.to_ascii_lowercase();
    words.iter().any(|word| name.contains(word)) || name.contains("time") && !name.contains("zone")
}

fn is_all(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "" | "all" | "any" | "0")
}

fn is_short_text(element: ElementRef<'_>) -> bool {
    element.text().map(str::len).sum::<usize>() <= 80
}

fn integers(text: &str) -> Vec<u32> {
    if text.len() > 120 {
        return Vec::new();
    }
    text.split(|sign: char| !sign.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}
