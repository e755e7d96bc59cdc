//! Tabs above a list of orders, of whatever markup: "Open (3)", "Completed (7)". Their numbers say how many orders there are;
//! without numbers, a tab that is no "All" hides some.

use scraper::ElementRef;

use super::list_words as words;
use super::text::{normalised, selector, text};

/// The longest text of a tab, in bytes.
const MAX_TEXT: usize = 60;
/// Elements that a tab may have.
const MAX_ELEMENTS: usize = 12;

/// A control of a group of which one is chosen.
struct Tab<'a> {
    element: ElementRef<'a>,
    label: String,
    count: Option<u32>,
}

/// The tabs of a page of the list.
pub(super) struct Tabs<'a>(Vec<Vec<Tab<'a>>>);

impl<'a> Tabs<'a> {
    /// Those in `within`. `is_of_list`: whether a link stays at the list.
    pub(super) fn of(within: &[ElementRef<'a>], is_of_list: &dyn Fn(ElementRef<'a>) -> bool) -> Self {
        let groups = selector!("[role=tablist], ul, ol, nav, menu, div, p, form, fieldset, select, section, header");
        let containers = within.iter().flat_map(|part| std::iter::once(*part).chain(part.select(groups)));
        let in_table = |element: ElementRef<'_>| {
            element.ancestors().filter_map(ElementRef::wrap).any(|above| above.value().name() == "table")
        };
        let tabs = |group: ElementRef<'a>| -> Vec<Tab<'a>> {
            let members = group.children().filter_map(ElementRef::wrap).filter(|child| is_control(*child));
            members.filter(|member| is_of_list(*member)).filter_map(tab).collect()
        };
        Self(containers.filter(|group| !in_table(*group)).map(tabs).filter(|tabs| tabs.len() > 1).collect())
    }

    /// How many orders there are, as the numbers of a group say: that of "All", or all together.
    pub(super) fn orders(&self) -> Option<u32> {
        let of_group = |tabs: &Vec<Tab<'_>>| {
            let counted: Vec<&Tab<'_>> = tabs.iter().filter(|tab| tab.count.is_some()).collect();
            let is_whole = |tab: &&&Tab<'_>| words::is_all(&tab.label) || words::is_orders(&tab.label);
            let whole = counted.iter().find(is_whole).and_then(|tab| tab.count);
            let sum = || counted.iter().filter_map(|tab| tab.count).fold(0, u32::saturating_add);
            (counted.len() > 1).then(|| whole.unwrap_or_else(sum))
        };
        self.0.iter().filter_map(of_group).max()
    }

    /// Whether a tab is chosen that is no "All", and whose group says no numbers. `is_status`: whether a word is a status of orders.
    pub(super) fn hide_some(&self, is_status: &dyn Fn(&str) -> bool) -> bool {
        self.0.iter().filter(|tabs| tabs.iter().all(|tab| tab.count.is_none())).any(|tabs| {
            let marked = tabs.iter().find(|tab| is_chosen(tab.element));
            let is_whole = |tab: &Tab<'_>| words::is_all(&tab.label) || words::is_orders(&tab.label);
            // Without a mark, the first option of a select is chosen.
            let has_choice = marked.is_some() || tabs.iter().all(|tab| tab.element.value().name() == "option");
            let parts = tabs.iter().filter(|tab| words::names_part(&tab.label, is_status)).count();
            let are_tabs = tabs.iter().any(|tab| tab.element.attr("role") == Some("tab"))
                || has_choice && (parts > 1 || parts > 0 && tabs.iter().any(is_whole));
            are_tabs && marked.or(tabs.first()).is_some_and(|tab| !is_whole(tab))
        })
    }
}

fn is_control(element: ElementRef<'_>) -> bool {
    let is_pager = element.value().classes().any(|class| class.contains("pagina") || class.contains("page-num"));
    let role = element.attr("role");
    !is_pager
        && (matches!(element.value().name(), "a" | "button" | "li" | "option" | "label" | "span")
            || matches!(role, Some("tab" | "button" | "radio")))
}

/// The words of a control, and its number at the end: "Open (3)".
fn tab(element: ElementRef<'_>) -> Option<Tab<'_>> {
    if element.descendants().take(MAX_ELEMENTS + 1).count() > MAX_ELEMENTS {
        return None;
    }
    let text = normalised(&text(element));
    let number = text.trim_end_matches([')', ']', ' ']);
    let words = number.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let label = words.trim_end_matches(['(', '[', ':', ' ']).to_owned();
    let is_label = text.len() <= MAX_TEXT
        && label.contains(char::is_alphabetic)
        && !label.contains(|sign: char| sign.is_ascii_digit())
        && !words::names_page(&label);
    is_label.then(|| Tab { element, count: number.get(words.len()..).and_then(|count| count.parse().ok()), label })
}

fn is_chosen(element: ElementRef<'_>) -> bool {
    let says = |element: ElementRef<'_>| {
        element.attr("aria-selected") == Some("true")
            || element.attr("aria-current").is_some_and(|current| current != "false")
            || element.attr("checked").is_some()
            || element.attr("selected").is_some()
            || element.value().classes().any(|class| matches!(class, "active" | "is-active" | "current" | "selected"))
    };
    says(element) || element.children().filter_map(ElementRef::wrap).any(says)
}
