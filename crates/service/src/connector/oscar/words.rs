//! Words that Oscar's pages use for columns, totals and the status, in the languages that are read.
//!
//! They are Oscar's own translations (the stock template's words), with the common English variations of themes. A word
//! that is not here is unknown: the readers then need another proof, or refuse the page.

use crate::connector::kit::figures::{LineColumn, Summary};
use crate::connector::kit::text::normalised;

/// A column of the order list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListColumn {
    Number,
    Items,
    Total,
    Date,
}

#[rustfmt::skip]
const LIST_COLUMNS: &[(ListColumn, &[&str])] = &[
    (ListColumn::Number, &[
        "order number", "order no", "order no.", "order #", "order", "number",
        "bestellnummer", "numéro de commande", "bestelnummer", "número del pedido", "número de pedido", "numero ordine",
        "numer zamówienia", "número do pedido", "注文番号",
    ]),
    (ListColumn::Items, &[
        "num items", "number of items", "no. of items", "items", "item count", "quantity",
        "anzahl artikel", "nombre d'articles", "aantal items", "número de artículos", "numero articoli", "ilości pozycji",
        "número de itens", "número de items", "商品数",
    ]),
    (ListColumn::Total, &[
        "total inc tax", "total inc. tax", "total incl tax", "total incl. tax", "total (inc tax)", "total (inc. tax)",
        "total (incl. tax)", "total", "order total",
        "gesamt (inkl. steuer)", "total ttc", "totaal incl. btw", "total incl. impuestos", "totale iva inclusa",
        "razem (z vat)", "total com impostos", "total iva incl", "税込合計金額",
    ]),
    (ListColumn::Date, &[
        "date submitted", "date placed", "date ordered", "order date", "date", "ordered on", "placed on",
        "sendedatum", "date de soumission", "verzonden op", "fecha de ingreso", "data invio", "data wysłania",
        "data de envio", "注文日時",
    ]),
];

#[rustfmt::skip]
const LINE_COLUMNS: &[(LineColumn, &[&str])] = &[
    (LineColumn::Product, &[
        "product", "item", "title", "product name",
        "produkt", "produit", "producto", "prodotto", "produkty", "produto", "商品",
    ]),
    (LineColumn::Quantity, &[
        "qty", "quantity", "menge", "qté", "quantité", "aantal", "hoeveelheid", "ctd", "cantidad", "qtà", "quantità",
        "ilość", "qtde", "quantidade", "数量",
    ]),
    (LineColumn::TotalWithoutTax, &[
        "line price excl. tax", "line price excl tax", "line price (excl. tax)", "line total excl. tax", "price excl. tax",
        "price (excl. tax)", "total excl. tax", "net", "net total",
        "postenpreis (ohne steuer)", "prix ht de la ligne", "regel prijs excl. btw", "precio de línea excl. impuestos",
        "importo riga iva esclusa", "cena pozycji (netto)", "preço da linha (sem impostos)", "linha de preço iva excl",
        "税抜金額",
    ]),
    (LineColumn::TotalWithTax, &[
        "line price incl. tax", "line price incl tax", "line price (incl. tax)", "line total incl. tax", "price incl. tax",
        "price (incl. tax)", "total incl. tax", "gross", "gross total",
        "postenpreis (inkl. steuer)", "prix ttc de la ligne", "regel prijs incl. btw", "precio de línea incl. impuesto",
        "importo riga iva inclusa", "cena pozycji (z vat)", "preço da linha (com impostos)", "linha de preço iva incl",
        "税込金額",
    ]),
    (LineColumn::Total, &["line total", "line price", "total", "subtotal"]),
    (LineColumn::UnitPrice, &[
        "unit price", "price each", "price per unit", "each", "unit price incl. tax", "unit price (incl. tax)",
        "unit price excl. tax", "unit price (excl. tax)", "einzelpreis", "prix unitaire", "stukprijs", "precio unitario",
        "prezzo unitario", "cena jednostkowa", "preço unitário", "単価",
    ]),
];

#[rustfmt::skip]
const SUMMARIES: &[(Summary, &[&str])] = &[
    (Summary::BasketBeforeDiscounts, &[
        "basket total (excl. discounts)", "basket total (excl discounts)",
        "summe (ohne rabatte)", "total panier (sans réductions)", "winkelmand totaal (excl. kortingen)",
        "total carrito (excl. descuentos)", "totale carrello (sconti esclusi)",
        "wartość koszyka (przed uwzgl. upustu)", "total da cesta (sem descontos)",
        "total do carrinho (sem descontos)", "カート合計 (値引き前)",
    ]),
    (Summary::BasketAfterDiscounts, &[
        "basket total (inc. discounts)", "basket total (incl. discounts)",
        "summe (mit rabatte)", "total panier (avec réductions)", "winkelmand totaal (incl. kortingen)",
        "total carrito (incl. descuentos)", "totale carrello (sconti inclusi)",
        "wartość koszyka (z uwzgl. upustem)", "total da cesta (com descontos)",
        "total do carrinho (com descontos)", "カート合計 (値引き後)",
    ]),
    (Summary::Basket, &[
        "basket total", "basket subtotal", "subtotal", "sub-total", "items total",
        "summe", "total du panier", "winkelmand totaal", "total carrito", "totale carrello", "wartość produktów",
        "total da cesta", "total do carrinho", "カート合計",
    ]),
    (Summary::ShippingBeforeDiscounts, &[
        "shipping total (excl. discounts)",
        "versandpreis (ohne rabatte)", "total livraison (sans réductions)", "verzendkosten totaal (excl. kortingen)",
        "total envío (excl. descuentos)", "totale spedizione (sconti esclusi)",
        "całkowity koszt przesyłki (bez uwzgl. upustu)", "frete (sem descontos)",
        "total de envio(descontos excl.)", "配送料金合計 (値引き前)",
    ]),
    (Summary::ShippingAfterDiscounts, &[
        "shipping total (inc. discounts)", "shipping total (incl. discounts)",
        "versandpreis (mit rabatte)", "total livraison (avec réductions)", "verzendkosten totaal (incl. kortingen)",
        "total envío (incl. descuentos)", "totale spedizione (sconti inclusi)",
        "całkowity koszt przesyłki (z uwzgl. upustem)", "frete (com descontos)",
        "total de envio(descontos incl.)", "配送料金合計 (値引き後)",
    ]),
    (Summary::Shipping, &[
        "shipping total", "shipping", "delivery", "postage",
        "versandpreis", "total livraison", "verzending totaal", "total envío", "totale spedizione",
        "całkowity koszt przesyłki", "frete", "total de envio", "配送料金合計",
    ]),
    (Summary::Tax, &[
        "tax", "vat", "total tax", "sales tax", "steuer", "mwst", "taxes", "btw", "impuesto", "iva", "podatek", "imposto", "税",
    ]),
    (Summary::Payment, &[
        "paid", "amount paid", "paid by card", "payment", "bezahlt", "payé", "betaald", "pagado", "pagato", "zapłacono", "pago",
        "支払い済み",
    ]),
    (Summary::GiftCard, &[
        "gift card", "gift cards", "geschenkkarte", "carte cadeau", "cadeaubon", "tarjeta regalo", "carta regalo",
        "karta podarunkowa", "cartão presente", "ギフトカード",
    ]),
    (Summary::Reward, &[
        "points", "rewards", "store credit", "punkte", "guthaben", "récompenses", "punten", "puntos", "punti", "punkty",
        "pontos", "ポイント",
    ]),
    (Summary::Tip, &["tip", "gratuity", "trinkgeld", "pourboire", "fooi", "propina", "mancia", "napiwek", "gorjeta", "チップ"]),
    (Summary::Deposit, &[
        "deposit", "anzahlung", "pfand", "acompte", "consigne", "aanbetaling", "statiegeld", "depósito", "acconto", "zaliczka",
        "kaucja", "保証金",
    ]),
    (Summary::OrderTotal, &[
        "order total", "total", "grand total", "order total (incl. tax)", "total incl. tax",
        "bestellsumme", "total de la commande", "bestelling totaal", "total pedido", "totale ordine",
        "wartość zamówienia", "total do pedido", "total da encomenda", "注文合計金額",
    ]),
];

const STATUS: &[&str] =
    &["status", "order status", "état", "estado", "stato", "ステータス", "bestellstatus", "estado del pedido"];

/// What the list says if the customer has no orders.
#[rustfmt::skip]
const NO_ORDERS: &[&str] = &[
    "you haven't placed any orders", "sie haben noch keine bestellung aufgegeben",
    "vous n'avez pas encore passé de commande", "je hebt geen bestellingen geplaatst",
    "usted no ha realizado ningún pedido", "non hai effettuato ordini", "nie złożono jeszcze żadnych zamówień",
    "você ainda não tem pedidos", "ainda não fez nenhuma encomenda", "あなたは注文をされていません",
];

const PRODUCT_TYPE: &[&str] = &[
    "product type",
    "produkttyp",
    "type de produit",
    "tipo de producto",
    "tipologia prodotto",
    "typ produktu",
    "tipo de produto",
    "商品タイプ",
];

const PRODUCT_CODE: &[&str] = &["upc", "product code", "codice prodotto (upc)", "kod upc", "cup"];

fn find<K: Copy>(table: &[(K, &[&str])], text: &str) -> Option<K> {
    let text = normalised(text);
    let same = |word: &&str| **word == text || word.trim_end_matches('.') == text;
    table.iter().find(|(_, words)| words.iter().any(same)).map(|(kind, _)| *kind)
}

pub(super) fn list_column(text: &str) -> Option<ListColumn> {
    find(LIST_COLUMNS, text)
}

pub(super) fn line_column(text: &str) -> Option<LineColumn> {
    find(LINE_COLUMNS, text)
}

pub(super) fn summary(text: &str) -> Option<Summary> {
    find(SUMMARIES, text)
}

pub(super) fn is_status(text: &str) -> bool {
    STATUS.contains(&normalised(text).as_str())
}

pub(super) fn says_no_orders(text: &str) -> bool {
    NO_ORDERS.contains(&normalised(text).as_str())
}

/// Whether a heading says only that a column holds a date, of whatever.
pub(super) fn is_any_date(text: &str) -> bool {
    matches!(normalised(text).as_str(), "date" | "datum" | "fecha" | "data")
}

/// Whether a heading names what was ordered beside the column that is taken for it.
pub(super) fn describes_product(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "description",
        "name",
        "article",
        "details",
        "beschreibung",
        "bezeichnung",
        "désignation",
        "descripción",
        "omschrijving",
        "descrizione",
        "opis",
        "descrição",
    ];
    WORDS.contains(&normalised(text).as_str())
}

pub(super) fn is_product_type(text: &str) -> bool {
    PRODUCT_TYPE.contains(&normalised(text).as_str())
}

pub(super) fn is_product_code(text: &str) -> bool {
    PRODUCT_CODE.contains(&normalised(text).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_every_language_whatever_their_case_and_punctuation() {
        assert_eq!(list_column(" Order  number: "), Some(ListColumn::Number));
        assert_eq!(list_column("Total iva incl."), Some(ListColumn::Total));
        assert_eq!(list_column("Total excl tax"), None);
        assert_eq!(line_column("Cena pozycji (z  VAT)"), Some(LineColumn::TotalWithTax));
        assert_eq!(line_column("Ctd."), Some(LineColumn::Quantity));
        assert_eq!(line_column("Price"), None, "of one, or of all?");
        assert_eq!(summary("Order total"), Some(Summary::OrderTotal));
        assert_eq!(summary(" 配送料金合計 (値引き後)"), Some(Summary::ShippingAfterDiscounts));
        assert!(is_status("État") && is_status("Status:") && !is_status("Shipping Method"));
        assert!(says_no_orders("You haven’t placed any orders."));
        assert!(is_product_code("Codice Prodotto (UPC)") && is_product_type("Typ Produktu"));
    }

    #[test]
    fn no_word_has_two_meanings() {
        fn words<K>(table: &[(K, &[&'static str])]) -> Vec<&'static str> {
            table.iter().flat_map(|(_, words)| words.iter().copied()).collect()
        }
        for mut words in [words(LIST_COLUMNS), words(LINE_COLUMNS), words(SUMMARIES)] {
            let all = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), all);
        }
    }
}
