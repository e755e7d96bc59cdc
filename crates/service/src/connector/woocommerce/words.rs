//! The words of WooCommerce's own translations for what no class identifies: the rows below the lines, and statuses.

use ordersync_api::ShipmentStatus;

use crate::connector::kit::figures::Summary;
use crate::connector::kit::text::normalised;

/// What the label of a row below the lines means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    Figure(Summary),
    Discount,
    /// No amount: how the order is paid, or what the customer noted.
    Words,
}

#[rustfmt::skip]
const ROWS: &[(Row, &[&str])] = &[
    (Row::Figure(Summary::Basket), &[
        "subtotal", "zwischensumme", "sous-total", "subtotaal", "subtotale", "kwota", "小計",
    ]),
    (Row::Discount, &["discount", "rabatt", "remise", "réduction", "korting", "descuento", "sconto", "rabat", "obniżka", "desconto", "割引", "値引き"]),
    (Row::Figure(Summary::Shipping), &[
        "shipping", "delivery", "shipment", "versand", "lieferung", "expédition", "livraison", "verzending", "envío",
        "spedizione", "wysyłka", "dostawa", "entrega", "envio", "frete", "配送", "送料",
    ]),
    (Row::Figure(Summary::Refund), &[
        "refund", "rückerstattung", "erstattung", "remboursement", "terugbetaling", "terugbetalen", "reembolso", "rimborso",
        "rimborsa", "zwrot", "zwrot pieniędzy", "返金", "払戻額", "払い戻し",
    ]),
    (Row::Figure(Summary::OrderTotal), &[
        "total", "gesamt", "gesamtsumme", "totaal", "totale", "razem", "łącznie", "suma", "合計", "合計金額",
    ]),
    (Row::Words, &[
        "payment method", "note", "zahlungsmethode", "zahlungsart", "anmerkung", "notiz", "hinweis", "moyen de paiement",
        "méthode de paiement", "note client", "betaalmethode", "notitie", "método de pago", "nota", "metodo di pagamento",
        "metoda płatności", "metody płatności", "uwaga", "uwagi", "notatka", "adnotacja", "método de pagamento", "支払い方法",
        "決済方法", "備考", "注", "メモ", "注文メモ",
    ]),
];

/// Words of labels that shops write themselves.
const TAX: &[&str] = &[
    "tax",
    "taxes",
    "vat",
    "gst",
    "hst",
    "pst",
    "mwst",
    "ust",
    "umsatzsteuer",
    "mehrwertsteuer",
    "steuer",
    "tva",
    "taxe",
    "btw",
    "belasting",
    "icms",
    "iva",
    "impuesto",
    "impuestos",
    "imposta",
    "imposte",
    "podatek",
    "imposto",
    "impostos",
    "税",
    "消費税",
    "税金",
];
const FEE: &[&str] = &[
    "fee",
    "fees",
    "surcharge",
    "gebühr",
    "gebühren",
    "zuschlag",
    "frais",
    "supplément",
    "toeslag",
    "kosten",
    "recargo",
    "tarifa",
    "cuota",
    "cargo",
    "cargos",
    "tassa",
    "tariffe",
    "commissione",
    "commissioni",
    "supplemento",
    "opłata",
    "opłaty",
    "taxa",
    "taxas",
    "手数料",
    "費用",
];

#[rustfmt::skip]
const STATUSES: &[(ShipmentStatus, &[&str])] = &[
    (ShipmentStatus::Pending, &[
        "pending payment", "on hold", "zahlung ausstehend", "ausstehende zahlung", "in wartestellung", "wartend",
        "attente paiement", "en attente de paiement", "en attente", "wachtend op betaling", "in de wacht", "on-hold",
        "pendiente de pago", "en espera", "in attesa di pagamento", "in sospeso", "oczekujące na płatność",
        "wstrzymane (oczekujące na płatność)", "wstrzymane", "pagamento pendente", "aguardando",
        "aguarda confirmação de pagamento", "支払い待ち", "保留中",
    ]),
    (ShipmentStatus::Processing, &[
        "processing", "in bearbeitung", "en cours", "in behandeling", "aan het verwerken", "procesando", "in lavorazione",
        "w trakcie realizacji", "processando", "em processamento", "処理中",
    ]),
    (ShipmentStatus::Completed, &[
        "completed", "abgeschlossen", "fertiggestellt", "terminée", "afgerond", "completado", "completato", "zrealizowane",
        "zrealizowano", "voltooid", "concluído", "concluída", "完了",
    ]),
    (ShipmentStatus::Cancelled, &[
        "cancelled", "storniert", "storniert/abgebrochen", "annulée", "geannuleerd", "cancelado", "cancelada", "annullato",
        "anulowane", "anulowano", "キャンセル", "キャンセル済み",
    ]),
    (ShipmentStatus::Refunded, &[
        "refunded", "rückerstattet", "erstattet", "remboursée", "remboursé", "terugbetaald", "reembolsado", "reembolsada",
        "rimborsato", "zwrócone", "zwrócono", "返金済み", "払い戻し",
    ]),
];

/// What the content says if the customer has no orders, or the list no such page.
#[rustfmt::skip]
const NO_ORDERS: &[&str] = &[
    "no order has been made yet", "es wurde noch keine bestellung aufgegeben", "aucune commande n'a encore été passée",
    "aucune commande n'a été passée", "er is nog geen bestelling geplaatst", "no se ha hecho ningún pedido todavía",
    "nessun ordine è stato ancora effettuato", "nie złożono jeszcze żadnego zamówienia",
    "nenhum pedido foi feito ainda", "注文はまだありません", "nog geen bestelling geplaatst",
    "non è stato ancora effettuato alcun ordine", "żadne zamówienia nie zostały jeszcze złożone",
    "não efectuou nenhuma encomenda ainda", "ainda não foi feita nenhuma encomenda", "まだ、ご注文はありません",
];

/// What the label of a row below the lines means; `None`: the shop's own word.
pub(super) fn row(label: &str) -> Option<Row> {
    let label = normalised(label);
    let known = ROWS.iter().find(|(_, words)| words.contains(&label.as_str())).map(|(row, _)| *row);
    let has = |list: &[&str]| label.split(|sign: char| !sign.is_alphanumeric()).any(|word| list.contains(&word));
    known.or_else(|| match (has(TAX), has(FEE)) {
        (true, false) => Some(Row::Figure(Summary::Tax)),
        (false, true) => Some(Row::Figure(Summary::Fee)),
        // "Fee for taxes" may be either.
        _ => None,
    })
}

/// What WooCommerce's own statuses mean. "Failed" is not among them: nothing was paid, and the customer may try again.
pub(super) fn status(text: &str) -> Option<ShipmentStatus> {
    let text = normalised(text);
    STATUSES.iter().find(|(_, words)| words.contains(&text.as_str())).map(|(status, _)| *status)
}

pub(super) fn says_no_orders(text: &str) -> bool {
    let text = normalised(text);
    NO_ORDERS.iter().any(|words| text.starts_with(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_known_in_every_language_and_those_of_the_shop_by_their_words() {
        for (label, expected) in [
            ("Subtotal:", Some(Row::Figure(Summary::Basket))),
            ("Zwischensumme:", Some(Row::Figure(Summary::Basket))),
            ("Remise :", Some(Row::Discount)),
            ("Sales tax:", Some(Row::Figure(Summary::Tax))),
            ("19 % MwSt.:", Some(Row::Figure(Summary::Tax))),
            ("Gift wrapping fee:", Some(Row::Figure(Summary::Fee))),
            ("Gift wrapping:", None),
            ("Taxi:", None),
            ("Payment method:", Some(Row::Words)),
        ] {
            assert_eq!(row(label), expected, "{label}");
        }
    }

    #[test]
    fn no_word_has_two_meanings() {
        let rows = ROWS.iter().flat_map(|(_, words)| words.iter().copied());
        let statuses = STATUSES.iter().flat_map(|(_, words)| words.iter().copied());
        for mut words in [rows.collect::<Vec<_>>(), statuses.collect(), [TAX, FEE].concat()] {
            let all = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), all);
        }
        assert_eq!(status("On hold"), Some(ShipmentStatus::Pending));
        assert_eq!(status("Failed"), None);
    }
}
