use ordersync_api::{AdjustmentType, Open, ShipmentStatus, SyncErrorCode};
use wiremock::ResponseTemplate;

use super::shop::{Order, PASSWORD, Shop, USERNAME, answer, money, sign_in_page};
use super::{SETTINGS, code_of, connector, sync, sync_with};
use crate::connector::drive::Connection;
use crate::connector::{ConnectorState, Input, RetailerOrder};

/// Type, amount, and whether the prices contain it, of each adjustment.
fn adjustments(order: &RetailerOrder) -> Vec<(AdjustmentType, String, bool)> {
    let of = order.adjustments.as_ref().unwrap().iter();
    of.map(|kept| (*kept.kind.known().unwrap(), kept.amount.to_string(), kept.included)).collect()
}

#[tokio::test]
async fn every_customer_has_all_orders_however_many() {
    for count in [0_u32, 1, 9, 10, 11, 20, 25] {
        let shop = Shop::with((1..=count).rev().map(|number| Order::new(number, "Completed")).collect()).await;
        let synced = sync(&shop).await.unwrap();
        assert_eq!(synced.orders.len(), count as usize);
        assert!(synced.report.listed_all(), "{count}");
        assert!(synced.orders.iter().all(|order| order.mismatch.is_empty()));
    }
}

#[tokio::test]
async fn a_second_sync_reads_the_list_and_what_is_open() {
    let mut orders: Vec<Order> = (2..=25).rev().map(|number| Order::new(number, "Completed")).collect();
    orders.push(Order::new(1, "Processing"));
    let shop = Shop::with(orders).await;
    let connector = connector(&shop.uri(), &format!("{SETTINGS}reread_newest = 0\nreread_oldest = 0"));
    let mut connection = Connection::of(USERNAME, PASSWORD);
    connection.sync(&*connector, |_| panic!("no code")).await.unwrap();
    assert_eq!(shop.count("GET /my-account/view-order/"), 25);
    let again = connection.sync(&*connector, |_| panic!("no code")).await.unwrap();
    assert_eq!((again.orders.len(), again.unchanged.len()), (1, 24));
    assert_eq!(shop.count("GET /my-account/view-order/"), 26);
}

#[tokio::test]
async fn an_order_whose_payment_is_awaited_or_has_failed_is_unpaid() {
    for word in ["Pending payment", "Failed"] {
        let shop = Shop::with(vec![Order::new(7, word)]).await;
        let order = sync(&shop).await.unwrap().orders.remove(0);
        assert_eq!(order.items[0].shipment_status, Some(Open::Known(ShipmentStatus::Unpaid)), "{word}");
        assert_eq!(order.fingerprint, None, "it may still be paid");
    }
}

#[tokio::test]
async fn an_order_has_its_lines_figures_and_date() {
    let shop = Shop::with(vec![Order::new(7, "On hold")]).await;
    let order = sync(&shop).await.unwrap().orders.remove(0);
    assert_eq!((order.order_id.as_str(), order.total.unwrap().to_string().as_str()), ("7", "38.50"));
    // The shop's clock, although the page says +00:00.
    assert_eq!(order.placed_at.unwrap().to_rfc3339(), "2025-02-02T05:38:51+00:00");
    let lines: Vec<_> = order
        .items
        .iter()
        .map(|item| {
            (item.title.as_deref().unwrap(), item.quantity.unwrap().to_string(), item.line_total.unwrap().to_string())
        })
        .collect();
    let expected = [("Lamp, round", "3", "30.00"), ("Pen – blue", "1", "1.50")];
    assert_eq!(lines, expected.map(|(title, quantity, total)| (title, quantity.to_owned(), total.to_owned())));
    assert_eq!(order.items[0].shipment_status, Some(Open::Known(ShipmentStatus::Pending)));
    assert_eq!(order.items[0].unit_price.unwrap().to_string(), "10.00");
    let expected =
        [(AdjustmentType::Shipping, "4.00".to_owned(), false), (AdjustmentType::Tax, "3.00".to_owned(), false)];
    assert_eq!(adjustments(&order), expected);
}

#[tokio::test]
async fn refunds_discounts_fees_and_tax_in_the_prices_are_adjustments() {
    let mut order = Order::refunded(7);
    order.total = format!(
        "<del>&#36;32.50</del> <ins>{} <small class='includes_tax'>(includes {} VAT)</small></ins>",
        money("22.50"),
        money("2.10")
    );
    order.rows[1].1 = "Free shipping".to_owned();
    order.rows[2] = ("Express fee:", money("3.00"));
    order.rows.insert(1, ("Discount:", format!("&#8211;{}", money("2.00"))));
    let shop = Shop::with(vec![order.clone()]).await;
    let read = sync(&shop).await.unwrap().orders.remove(0);
    assert_eq!(read.total.unwrap().to_string(), "32.50");
    // The tax of what is left is not that of the order.
    assert_eq!(read.mismatch.iter().map(|mark| mark.check.as_str()).collect::<Vec<_>>(), ["tax"]);
    let kept = |kind, amount: &str, included| (kind, amount.to_owned(), included);
    let expected = [
        kept(AdjustmentType::Discount, "-2.00", false),
        kept(AdjustmentType::Fee, "3.00", false),
        kept(AdjustmentType::Refund, "-10.00", false),
    ];
    assert_eq!(adjustments(&read), expected);
    // Older versions label a refund with its reason.
    let refund = order.rows.iter_mut().find(|(label, _)| *label == "Refund:").unwrap();
    refund.0 = "One was broken:";
    shop.inside().orders = vec![order];
    assert_eq!(adjustments(&sync(&shop).await.unwrap().orders[0]), expected);
}

#[tokio::test]
async fn a_list_that_ends_too_early_or_says_nothing_is_not_whole() {
    for (path, from, to) in [
        (
            "/my-account/orders/",
            "<a class='woocommerce-button woocommerce-button--next' href='/my-account/orders/2/'>",
            "<a>",
        ),
        ("/my-account/orders/2/", "woocommerce-orders-table__row", "row"),
        ("/my-account/orders/3/", "No order has been made yet", "Hello"),
    ] {
        let shop = Shop::with((1..=12).rev().map(|number| Order::new(number, "Completed")).collect()).await;
        shop.inside().edit =
            Some(Box::new(move |at, html| if at == path { html.replace(from, to) } else { html.to_owned() }));
        assert_eq!(code_of(sync(&shop).await), SyncErrorCode::RetailerIncomplete, "{path}");
    }
}

#[tokio::test]
async fn other_pages_with_status_200_are_errors_of_their_own() {
    for (html, code) in [
        (
            "<title>Maintenance</title><h1>Briefly unavailable for scheduled maintenance</h1></html>",
            SyncErrorCode::RetailerUnavailable,
        ),
        (
            "<html><title>Just a moment...</title><body><div class='cf-turnstile'></div></body></html>",
            SyncErrorCode::ActionRequired,
        ),
        ("<html lang='en'><title>Hello</title><body><p>A theme</p></body></html>", SyncErrorCode::RetailerChanged),
    ] {
        let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
        let mut listed = 0;
        // After the sign-in.
        shop.inside().instead = Some(Box::new(move |path| {
            listed += u32::from(path == "/my-account/orders/");
            (listed > 1).then(|| answer(html))
        }));
        assert_eq!(code_of(sync(&shop).await), code, "{html}");
        shop.inside().instead = None;
        assert_eq!(sync(&shop).await.unwrap().orders.len(), 1);
    }
}

#[tokio::test]
async fn a_sign_in_that_ends_in_the_middle_is_renewed_and_nothing_is_lost() {
    let shop = Shop::with((1..=12).rev().map(|number| Order::new(number, "Completed")).collect()).await;
    // From the fifth order on, until the form is fetched and sent again.
    let (mut asked, mut forms) = (0, 0);
    shop.inside().instead = Some(Box::new(move |path| {
        asked += u32::from(path.contains("view-order"));
        if asked < 5 {
            return None;
        }
        forms += u32::from(path == "/my-account/");
        let is_out = if path == "/my-account/" { forms == 1 } else { forms == 0 };
        is_out.then(|| answer(sign_in_page("")))
    }));
    let synced = sync(&shop).await.unwrap();
    assert_eq!((synced.orders.len(), shop.count("POST")), (12, 2));
    let mut numbers: Vec<&str> = synced.orders.iter().map(|order| order.order_id.as_str()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 12);
}

#[tokio::test]
async fn a_shop_that_asks_for_a_pause_gets_it() {
    let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
    shop.inside().instead = Some(Box::new(|path| {
        path.contains("view-order").then(|| ResponseTemplate::new(429).insert_header("retry-after", "60"))
    }));
    let error = sync(&shop).await.unwrap_err();
    assert_eq!(error.code, SyncErrorCode::RetailerRateLimited);
    assert!(error.retry_after.is_some_and(|pause| pause.as_secs() > 30), "{error:?}");
    assert_eq!(shop.count("GET /my-account/view-order/"), 1);
    shop.inside().instead = None;
    assert_eq!(sync(&shop).await.unwrap().orders.len(), 1);
}

/// The texts of WooCommerce's own translations, each for the English one below.
const ENGLISH: [&str; 11] = [
    "en-US",
    "February 1, 2025",
    "Subtotal:",
    "Shipping:",
    "Sales tax:",
    "Payment method:",
    "Total:",
    "Completed",
    " for 4 items",
    ">#7<",
    "No order has been made yet.",
];
#[rustfmt::skip]
const TRANSLATIONS: [[&str; 11]; 9] = [
    ["de-DE", "1. Februar 2025", "Zwischensumme:", "Lieferung:", "19&nbsp;% MwSt.:", "Zahlungsmethode:", "Gesamt:", "Abgeschlossen",
        " für 4 Artikel", ">#7<", "Es wurde noch keine Bestellung aufgegeben."],
    ["fr-FR", "1 février 2025", "Sous-total&nbsp;:", "Expédition&nbsp;:", "TVA&nbsp;:", "Moyen de paiement&nbsp;:", "Total&nbsp;:",
        "Terminée", " pour 4 articles", ">n&deg;7<", "Aucune commande n&rsquo;a encore été passée."],
    ["nl-NL", "1 februari 2025", "Subtotaal:", "Verzending:", "btw:", "Betaalmethode:", "Totaal:", "Afgerond", " voor 4 artikelen", ">#7<",
        "Nog geen bestelling geplaatst."],
    ["es-ES", "1 de febrero de 2025", "Subtotal:", "Envío:", "Impuesto:", "Método de pago:", "Total:", "Completado",
        " para 4 artículos", ">#7<", "No se ha hecho ningún pedido todavía."],
    ["it-IT", "1 febbraio 2025", "Subtotale:", "Spedizione:", "IVA:", "Metodo di pagamento:", "Totale:", "Completato",
        " per 4 articoli", ">#7<", "Non è stato ancora effettuato alcun ordine."],
    ["pl-PL", "1 lutego 2025", "Kwota:", "Wysyłka:", "Podatek:", "Metoda płatności:", "Razem:", "Zrealizowane", " za 4 pozycje", ">#7<",
        "Żadne zamówienia nie zostały jeszcze złożone."],
    ["pt-BR", "1 de fevereiro de 2025", "Subtotal:", "Entrega:", "Imposto:", "Método de pagamento:", "Total:", "Concluído",
        " de 4 itens", ">#7<", "Nenhum pedido foi feito ainda."],
    ["pt-PT", "1 de fevereiro, 2025", "Subtotal:", "Envio:", "IVA:", "Método de pagamento:", "Total:", "Concluída",
        " por 4 itens", ">#7<", "Ainda não foi feita nenhuma encomenda."],
    ["ja", "2025年2月1日", "小計:", "送料:", "消費税:", "決済方法:", "合計金額:", "完了", " 4点", ">#7<", "まだ、ご注文はありません。"],
];

#[tokio::test]
async fn shops_of_every_language_are_read_and_one_of_another_is_said_to_be_so() {
    let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
    let english = sync(&shop).await.unwrap().orders.remove(0);
    for translation in TRANSLATIONS {
        let translated = move |_: &str, html: &str| {
            let texts = ENGLISH.into_iter().zip(translation);
            texts.fold(html.to_owned(), |html, (from, to)| html.replace(from, to))
        };
        shop.inside().edit = Some(Box::new(translated));
        let order = sync(&shop).await.unwrap_or_else(|error| panic!("{}: {error:?}", translation[0])).orders.remove(0);
        assert_eq!(order.items[0].shipment_status, english.items[0].shipment_status, "{}", translation[0]);
        assert_eq!((order.placed_at, order.total), (english.placed_at, english.total));
        assert_eq!(adjustments(&order), adjustments(&english), "{}", translation[0]);
        assert_eq!(order.mismatch, english.mismatch);
    }
    shop.inside().edit = Some(Box::new(|_, html| html.replace("en-US", "tr-TR")));
    assert_eq!(code_of(sync(&shop).await), SyncErrorCode::RetailerMisconfigured);
}

#[tokio::test]
async fn the_link_to_the_shop_may_stand_before_the_words_of_an_empty_list() {
    let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
    let earlier = "<a class='woocommerce-Button button' href='/shop/'>Browse products</a> No order has been made yet.";
    let swapped = move |_: &str, html: &str| {
        html.replace("No order has been made yet. <a href='/shop/'>Browse products</a>", earlier)
    };
    shop.inside().edit = Some(Box::new(swapped));
    assert_eq!(sync(&shop).await.unwrap().orders.len(), 1);
}

#[tokio::test]
async fn amounts_that_may_be_thousands_or_have_three_decimals_are_an_error_that_names_the_setting() {
    let thousands = |_: &str, html: &str| {
        [
            ("38.50", "38,500"),
            ("31.50", "31,500"),
            ("30.00", "30,000"),
            ("1.50", "1,500"),
            ("4.00", "4,000"),
            ("3.00", "3,000"),
        ]
        .iter()
        .fold(html.to_owned(), |html, (from, to)| html.replace(from, to))
    };
    let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
    shop.inside().edit = Some(Box::new(thousands));
    let error = sync(&shop).await.unwrap_err();
    assert_eq!(error.code, SyncErrorCode::RetailerMisconfigured);
    assert!(error.message.contains("`whole_prices = true`"), "{}", error.message);
    let whole = sync_with(&shop, "whole_prices = true").await.unwrap().orders.remove(0);
    assert_eq!(whole.total, Some(38500.into()));
}

#[tokio::test]
async fn a_scan_of_another_version_begins_again_and_keeps_the_sign_in() {
    let shop = Shop::with((1..=12).rev().map(|number| Order::new(number, "Completed")).collect()).await;
    let connector = connector(&shop.uri(), SETTINGS);
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let step = connection.step(&*connector, None, Input::Login).await.unwrap();
    let step = connection.step(&*connector, Some(step.state), Input::Continue).await.unwrap();
    let old = String::from_utf8(step.state.to_vec()).unwrap().replace("\"next\"", "\"following\"");
    let state = ConnectorState::new(old.into_bytes());
    let synced = connection.run_on(&*connector, Some(state), |_| panic!("no code")).await.unwrap();
    assert_eq!((synced.orders.len(), shop.count("POST")), (12, 1));
    assert!(synced.report.listed_all());
}

#[tokio::test]
async fn orders_may_have_other_numbers_than_their_addresses() {
    let shop = Shop::with(vec![Order::new(10_432, "Completed"), Order::new(10_431, "Completed")]).await;
    shop.inside().edit = Some(Box::new(|_, html| {
        let mut html = html.to_owned();
        for (id, number) in [("10432", "10002"), ("10431", "10001")] {
            html = html.replace(&format!("#{id}</a>"), &format!("#{number}</a>"));
            html = html.replace(
                &format!("<mark class='order-number'>{id}<"),
                &format!("<mark class='order-number'>{number}<"),
            );
        }
        html
    }));
    let orders = sync(&shop).await.unwrap().orders;
    assert_eq!(orders.iter().map(|order| order.order_id.as_str()).collect::<Vec<_>>(), ["10002", "10001"]);
}

#[tokio::test]
async fn a_time_zone_that_is_not_that_of_the_shop_is_an_error_and_a_hidden_clock_is_none() {
    const BERLIN: &str = r#"{"timezone_string": "Europe/Berlin", "gmt_offset": 1}"#;
    for (status, body, is_wrong) in [
        (200, BERLIN, true),
        (200, r#"{"timezone_string": "", "gmt_offset": -8}"#, true),
        (200, r#"{"timezone_string": "America/Los_Angeles", "gmt_offset": -7}"#, false),
        (200, r#"{"timezone_string": "US/Pacific"}"#, false),
        (200, "<html></html>", false),
        (401, BERLIN, false),
        (403, BERLIN, false),
        (404, BERLIN, false),
        (500, BERLIN, false),
    ] {
        let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
        let site = ResponseTemplate::new(status).set_body_raw(body, "application/json");
        shop.inside().instead = Some(Box::new(move |path| (path == "/wp-json/").then(|| site.clone())));
        match sync(&shop).await {
            Ok(synced) => assert!(!is_wrong && synced.orders.len() == 1, "{status} {body}"),
            Err(error) => {
                assert!(is_wrong && error.code == SyncErrorCode::RetailerMisconfigured, "{status} {body}: {error}");
                assert!(error.message.contains("`time_zone` of the retailer"), "{}", error.message);
                // Nothing was read with it.
                assert_eq!(shop.count("GET /my-account/view-order/"), 0);
            }
        }
        let asked = shop.requests().iter().filter(|request| *request == "GET /wp-json/").count();
        // A failure that may pass is repeated.
        assert!(if status == 500 { (2..6).contains(&asked) } else { asked == 1 }, "{status} {body}: {asked}");
    }
}
