//! What texts on a page of the order list say of the list, in the languages that are read.

use super::text::normalised;

/// More than one order.
const ORDERS: &[&str] = &[
    "orders",
    "bestellungen",
    "commandes",
    "bestellingen",
    "pedidos",
    "ordini",
    "zamówień",
    "zamówienia",
    "encomendas",
];

/// Whether a text with one number says how many orders there are: the number stands before the word, or in brackets
/// after it.
pub(super) fn counts_orders(text: &str) -> bool {
    let text = normalised(text);
    let words: Vec<&str> = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_orders = |word: &str| ORDERS.contains(&word);
    words.windows(2).any(|pair| match pair {
        [first, second] => {
            is_number(first) && is_orders(second)
                || is_orders(first) && is_number(second) && (text.contains(&format!("({second})")) || words.len() <= 3)
        }
        _ => false,
    })
}

/// Whether a text with two numbers says that the first is a part of the second.
pub(super) fn says_part_of(text: &str) -> bool {
    let text = normalised(text);
    let mut words = text.split(|sign: char| !sign.is_alphanumeric());
    words.any(|word| ORDERS.contains(&word) || matches!(word, "of" | "von" | "sur" | "van" | "de" | "di" | "z"))
}

/// Whether a text is no more than the word for orders, as in a table of figures.
pub(super) fn is_orders(text: &str) -> bool {
    ORDERS.contains(&normalised(text).as_str())
}

/// Whether a text names a page of several: "Page 1 of 7".
pub(super) fn names_page(text: &str) -> bool {
    const PAGE: &[&str] = &["page", "seite", "pagina", "página", "strona", "ページ"];
    text.len() <= 60 && normalised(text).split_whitespace().next().is_some_and(|first| PAGE.contains(&first))
}

/// Whether the name of a choice says that it leaves nothing out.
pub(super) fn is_all(text: &str) -> bool {
    const ALL: &[&str] = &["all", "alle", "tous", "toutes", "todos", "tutti", "wszystkie", "すべて"];
    normalised(text).split_whitespace().any(|word| ALL.contains(&word))
}

/// Whether the name of a choice says that it leaves some orders out: "Open", "Completed orders".
pub(super) fn names_part(text: &str, is_status: &dyn Fn(&str) -> bool) -> bool {
    const OPEN: &[&str] =
        &["open", "offen", "offene", "ouvertes", "lopende", "abiertos", "aperti", "otwarte", "abertos"];
    let text = normalised(text);
    let name = text.split_whitespace().filter(|word| !ORDERS.contains(word)).collect::<Vec<_>>().join(" ");
    OPEN.contains(&name.as_str()) || is_status(&name)
}

/// Whether a text offers orders beyond those that are shown: "Show 2 more orders", "Load more", "Older orders".
pub(super) fn speaks_of_more(text: &str) -> bool {
    const MORE: &[&str] = &[
        "more",
        "older",
        "earlier",
        "archived",
        "archive",
        "weitere",
        "ältere",
        "plus",
        "anciennes",
        "meer",
        "oudere",
        "más",
        "anteriores",
        "altri",
        "precedenti",
        "starsze",
        "mais",
    ];
    const SHOW: &[&str] = &[
        "show", "load", "view", "see", "anzeigen", "laden", "afficher", "charger", "toon", "mostrar", "mostra", "pokaż",
    ];
    let text = normalised(text);
    let words: Vec<&str> = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let is_count = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    has(MORE) && (has(ORDERS) || words.len() == 1 || has(SHOW) && (words.len() == 2 || words.iter().any(is_count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_orders_is_told_from_other_numbers() {
        for (text, counts) in [
            ("12 orders", true),
            ("All orders (12)", true),
            ("Sie haben 12 Bestellungen.", true),
            ("Orders since 2024", false),
            ("Order within 30 minutes", false),
        ] {
            assert_eq!(counts_orders(text), counts, "{text}");
        }
        assert!(says_part_of("Showing 3 of 12") && !says_part_of("returned within 12-14 days"));
    }
}
