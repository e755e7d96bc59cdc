//! Pages of Amazon as a browser saves them: each is read as what it is, or refused by name.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ordersync_api::ImportedOrder;
use ordersync_import::{FindingCode, Options, Refused, check};

const NUMBER: &str = "111-0000001-0000001";
const LINK: &str = "/dp/B000000001?ref=x";

/// A whole page of a website.
fn of_site(site: &str, body: &str) -> String {
    format!("<!doctype html><html><head><script>var ue_sn = 'www.{site}';</script></head><body>{body}</body></html>")
}

fn page(body: &str) -> String {
    of_site("amazon.com", body)
}

/// An order of the history as it was until 2023, with this box of items.
fn old_card(total: &str, boxes: &str) -> String {
    format!(
        "<div class='order-card js-order-card'><div class='order js-order-card'><div class='a-box order-info'>\
         <div class='a-column'><span>Order placed</span> <span>May 16, 2020</span></div>\
         <div class='a-column'><span>Total</span> <span>{total}</span></div>\
         <div class='yohtmlc-order-id'>Order # <bdi>{NUMBER}</bdi></div></div>{boxes}</div></div>"
    )
}

/// An order of the history as it is since.
fn card(total: &str, boxes: &str) -> String {
    format!(
        "<div class='order-card js-order-card'><div class='order-header'><ul><li>Order placed <b>May 16, 2020</b></li>\
         <li>Total <b>{total}</b></li></ul><div class='yohtmlc-order-id'><span>Order #</span> <span>{NUMBER}</span></div></div>\
         {boxes}</div>"
    )
}

fn shipment(status: &str, items: &str) -> String {
    format!(
        "<div class='a-box delivery-box'><div class='yohtmlc-shipment-status-primaryText'>{status}</div>{items}</div>"
    )
}

fn item(title: &str, quantity: &str) -> String {
    format!(
        "<div class='item-box'><a href='{LINK}'></a>{quantity}<div class='yohtmlc-product-title'>{title}</div>\
         <span class='a-size-small'>Auto-delivered: Every 2 months</span></div>"
    )
}

fn badge(quantity: u32) -> String {
    format!("<span class='product-image__qty'>{quantity}</span>")
}

fn details(figures: &[(&str, &str)], items: &str) -> String {
    let figures: String = figures
        .iter()
        .map(|(label, amount)| format!("<div class='a-row'><span>{label}:</span><span>{amount}</span></div>"))
        .collect();
    page(&format!(
        "<div id='orderDetails'><div data-component='orderDate'>May 16, 2020</div><div data-component='orderId'>{NUMBER}</div>\
         <div id='od-subtotals'>{figures}</div><div class='a-box'><div data-component='shipmentStatus'><h4>Delivered May 18\
         </h4></div>{items}</div></div>"
    ))
}

fn detail(title: &str, asin: &str, price: &str, quantity: &str) -> String {
    format!(
        "<div class='a-fixed-left-grid-inner'><div>{quantity}</div><div data-component='purchasedItemsRightGrid'>\
         <div data-component='itemTitle'><a href='/dp/{asin}'>{title}</a></div>\
         <span class='a-size-small'>Sold by: Corner Shop</span>\
         <div data-component='unitPrice'><span class='a-offscreen'>{price}</span></div></div></div>"
    )
}

const FIGURES: [(&str, &str); 4] = [
    ("Item(s) Subtotal", "$20.00"),
    ("Your Coupon Savings", "-$3.00"),
    ("Estimated tax to be collected", "$1.00"),
    ("Grand Total", "$18.00"),
];

/// One cup for $8.00, and two mugs for $6.00.
fn cup_and_mugs() -> String {
    let two = "<span class='od-item-view-qty'>2</span>";
    detail("Cup", "B000000001", "$8.00", "") + &detail("Mug", "B000000002", "$6.00", two)
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        Self(folder)
    }

    /// The orders, with their retailers, and the findings with their files.
    #[expect(clippy::type_complexity, reason = "it is taken apart at once")]
    fn read(&self) -> Result<(Vec<(String, ImportedOrder)>, Vec<(FindingCode, String)>), Refused> {
        let checked = check(&[self.0.path().to_owned()], &Options { pages: true, ..Options::default() })?;
        let of_request = |request: Result<ordersync_import::Request, Refused>| {
            let request = request.unwrap();
            let retailer = request.retailer_name.unwrap();
            let orders = request.orders.into_iter().map(|order| serde_json::from_str(order.get()).unwrap());
            orders.map(move |order| (retailer.clone(), order)).collect::<Vec<_>>()
        };
        let findings = checked.report().findings.iter().map(|finding| (finding.code, finding.file.clone()));
        Ok((checked.requests().flat_map(of_request).collect(), findings.collect()))
    }

    /// The only order, as text, and the codes of the findings.
    fn order(&self) -> (ImportedOrder, Vec<FindingCode>) {
        let (orders, findings) = self.read().unwrap();
        let [(retailer, order)] = orders.as_slice() else { panic!("{orders:?} {findings:?}") };
        assert_eq!((retailer.as_str(), order.currency.as_deref()), ("amazon.com", Some("USD")));
        assert_eq!(
            (order.order_id.as_str(), order.order_date.unwrap().to_string().as_str()),
            (NUMBER, "2020-05-16T12:00:00Z")
        );
        (order.clone(), findings.into_iter().map(|(code, _)| code).collect())
    }

    fn refused(&self) -> (FindingCode, Vec<String>) {
        let refused = self.read().unwrap_err();
        assert!(!refused.message.is_empty());
        (refused.code, refused.findings.into_iter().map(|finding| finding.file).collect())
    }
}

/// Of each line: number of the article, title, quantity, price, status and its text.
fn lines(order: &ImportedOrder) -> Vec<String> {
    let line = |item: &ordersync_api::ImportedItem| {
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let [sku, title, text] =
            [&item.retailer_sku, &item.item_name, &item.shipment_text].map(|it| or_none(it.clone()));
        let [quantity, price] = [item.quantity, item.price].map(|it| or_none(it.map(|it| it.to_string())));
        let status = or_none(item.shipment_status.as_ref().map(ToString::to_string));
        format!("{sku} {title} {quantity} {price} {status} ({text})")
    };
    order.items.iter().map(line).collect()
}

fn adjustments(adjustments: &[ordersync_api::Adjustment]) -> Vec<String> {
    let one = |one: &ordersync_api::Adjustment| {
        let included = if one.included { " included" } else { "" };
        format!("{} {} {}{included}", one.kind, one.amount, one.text.as_deref().unwrap_or_default())
    };
    adjustments.iter().map(one).collect()
}

#[test]
fn the_history_is_read_in_its_old_and_its_new_form() {
    let boxes = "<div class='a-box shipment'><div class='shipment-top-row'><span class='a-text-bold'>Cancelled</span></div>\
        <div class='a-fixed-left-grid-inner'><div><span class='item-view-qty'>3</span></div><div class='yohtmlc-item'>\
        <div class='a-row'><a href='/gp/product/B000000001/ref=x'>Cup</a></div></div></div></div>";
    let (order, findings) = Folder::of(&[("a.html", &page(&old_card("$18.00", boxes)))]).order();
    assert_eq!(lines(&order), ["B000000001 Cup 3 - cancelled (Cancelled)"]);
    assert_eq!((order.order_total.unwrap().to_string().as_str(), findings), ("18.00", vec![]));

    // A cancelled order has no total, and a quantity that is not shown is unknown.
    let new = page(&card("", &shipment("Delivered May 18", &item("Cup", ""))).replace("<li>Total <b></b></li>", ""));
    let (order, findings) = Folder::of(&[("a.html", &new)]).order();
    assert_eq!(lines(&order), ["B000000001 Cup - - delivered (Delivered May 18)"]);
    assert_eq!(adjustments(&order.items[0].adjustments), ["other 0 Auto-delivered: Every 2 months"]);
    assert_eq!((order.order_total, findings), (None, vec![]));
}

#[test]
fn the_total_proves_the_quantities_of_the_details() {
    let folder = Folder::of(&[("a.html", &details(&FIGURES, &cup_and_mugs()))]);
    let (order, findings) = folder.order();
    let status = "delivered (Delivered May 18)";
    assert_eq!(lines(&order), [format!("B000000001 Cup 1 8.00 {status}"), format!("B000000002 Mug 2 6.00 {status}")]);
    assert_eq!(order.items[0].seller.as_deref(), Some("Corner Shop"));
    let figures = ["tax 1.00 Estimated tax to be collected", "discount -3.00 Your Coupon Savings"];
    assert_eq!(adjustments(&order.adjustments), figures);
    assert_eq!((order.mismatch.len(), findings), (0, vec![]));

    let other = details(&[("Grand Total", "$99.00")], &cup_and_mugs());
    let (order, findings) = Folder::of(&[("a.html", &other)]).order();
    assert_eq!(lines(&order)[0], format!("B000000001 Cup - 8.00 {status}"));
    assert_eq!(findings, [FindingCode::QuantityUnknown]);

    // With the quantities shown, the figures contradict each other.
    let one = cup_and_mugs().replacen("<div></div>", "<div><span class='od-item-view-qty'>1</span></div>", 1);
    let (order, findings) = Folder::of(&[("a.html", &details(&[("Grand Total", "$99.00")], &one))]).order();
    assert_eq!((order.mismatch.len(), findings), (1, vec![FindingCode::LinesAndTotalDiffer]));
}

#[test]
fn figures_keep_their_meaning() {
    let figures = [
        ("Shipping & Handling", "$2.99"),
        ("Free Shipping", "-$2.99"),
        ("Gift Wrap", "$1.00"),
        ("Import charge", "$2.00"),
        ("Rewards Points", "-$1.50"),
        ("Gift Card Amount", "-$5.50"),
        ("Grand Total", "$16.00"),
        ("Refund Total", "$4.00"),
    ];
    let (order, findings) = Folder::of(&[("a.html", &details(&figures, &cup_and_mugs()))]).order();
    let mut found = adjustments(&order.adjustments);
    found.sort();
    let expected = [
        "fee 1.00 Gift Wrap",
        "gift_card -5.50 Gift Card Amount",
        // The sum of refunds so far would count twice beside the payouts of a file.
        "other -4.00 Refund Total included",
        "other 2.00 Import charge",
        "reward -1.50 Rewards Points",
        "shipping -2.99 Free Shipping",
        "shipping 2.99 Shipping & Handling",
    ];
    assert_eq!((found, order.mismatch.len(), findings), (expected.map(str::to_owned).to_vec(), 0, vec![]));
}

#[test]
fn the_details_win_over_the_history() {
    let short =
        shipment("Delivered", &(item("Cup", "") + "<div class='item-box'><p class='and-more-message-box'>and 1 more"));
    let details = details(&FIGURES, &cup_and_mugs());
    for (list, codes) in [
        (card("$18.00", &short), vec![]),
        (card("$19.00", &short), vec![FindingCode::OrderDiffers]),
        (card("$18.00", &shipment("Delivered", &item("Cup", ""))), vec![FindingCode::OrderDiffers]),
    ] {
        let (order, findings) = Folder::of(&[("a.html", &details), ("b.html", &page(&list))]).order();
        assert_eq!((lines(&order).len(), order.order_total.unwrap().to_string().as_str()), (2, "18.00"));
        assert_eq!((findings, order.mismatch.len()), (codes, 0), "{list}");
    }
}

#[test]
fn an_order_that_is_not_shown_whole_says_so() {
    let more = "<div class='item-box'><p class='and-more-message-box'>and 4 more</p></div>";
    let grid = "<div class='item-box'><a href='/dp/_ASINLESS_'><img></a></div>";
    let short = page(&card("$18.00", &shipment("Delivered", &(item("Cup", &badge(2)) + more + grid))));
    let (order, findings) = Folder::of(&[("a.html", &short)]).order();
    assert_eq!(lines(&order), ["B000000001 Cup 2 - delivered (Delivered)"]);
    let [mark] = order.mismatch.as_slice() else { panic!("{order:?}") };
    let figures = [mark.shown, mark.computed].map(|it| it.unwrap().to_string());
    assert_eq!((mark.check.as_str(), figures), ("page_lines", ["6".to_owned(), "1".to_owned()]));
    assert_eq!(findings, [FindingCode::OrderIncomplete]);

    let none = page(&old_card("$18.00", "<div class='a-box'><span>10 items in this purchase</span></div>"));
    let (orders, findings) = Folder::of(&[("a.html", &none)]).read().unwrap();
    assert_eq!((orders.len(), findings), (0, vec![(FindingCode::OrderWithoutItems, "a.html".to_owned())]));
    let whole = page(&details(&[("Grand Total:", "$18.00")], &cup_and_mugs()));
    for (files, missing) in
        [(vec![("a.html", &none)], vec![NUMBER]), (vec![("a.html", &none), ("b.html", &whole)], vec![])]
    {
        let folder = Folder::of(&files.iter().map(|(name, page)| (*name, page.as_str())).collect::<Vec<_>>());
        let checked = check(&[folder.0.path().to_owned()], &Options { pages: true, ..Options::default() }).unwrap();
        let left_out = checked.requests().flat_map(|request| request.unwrap().orders_left_out);
        assert_eq!(left_out.map(|order| order.order_id).collect::<Vec<_>>(), missing);
    }
}

#[test]
fn a_page_and_a_file_are_one_order() {
    let table = format!(
        "Order ID,Order Date,ASIN,Product Name,Original Quantity,Unit Price,Unit Price Tax,Total Amount,Currency,Website\n\
         {NUMBER},2020-05-16T01:02:03Z,B000000001,A cup,1,8.00,0,8.00,USD,Amazon.com\n"
    );
    let whole = details(&[("Grand Total", "$8.00")], &detail("Cup", "B000000001", "$8.00", ""));
    let folder = Folder::of(&[("Order History.csv", &table), ("a.html", &whole)]);
    let (orders, findings) = folder.read().unwrap();
    let [(_, order)] = orders.as_slice() else { panic!("{orders:?}") };
    assert_eq!((lines(order)[0].as_str(), findings.len()), ("B000000001 A cup 1 8.00 - (-)", 0), "{findings:?}");
}

#[test]
fn pages_in_place_of_orders_are_named() {
    let orders = page(&card("$18.00", &shipment("Delivered", &item("Cup", ""))));
    for (code, body) in [
        (FindingCode::SignInPage, "<form name='signIn'><input type='password'></form>"),
        (FindingCode::SignInPage, "<form id='auth-mfa-form'><input name='otpCode'></form>"),
        (
            FindingCode::SignInPage,
            "<a data-nav-role='signin' href='https://www.amazon.com/ap/signin?openid'>Hello, sign in</a>",
        ),
        (FindingCode::CaptchaPage, "<form action='/errors/validateCaptcha'><input></form>"),
        (FindingCode::CaptchaPage, "<input name='cvf_captcha_input'>"),
        (FindingCode::ChallengePage, "<div id='challenge-container'></div>"),
        (FindingCode::ErrorPage, "<a href='/ref=cs_503_link'>Sorry</a>"),
    ] {
        assert_eq!(Folder::of(&[("x.html", &page(body))]).refused(), (code, vec!["x.html".to_owned()]));
        let folder = Folder::of(&[("a.html", &orders), ("x.html", &page(body))]);
        assert_eq!(folder.order().1, [code], "{body}");
    }
    let signed_in = page("<a data-nav-role='signin' href='https://www.amazon.com/gp/css/homepage.html'>Hello, Ada</a>");
    assert_eq!(Folder::of(&[("x.html", &signed_in)]).refused().0, FindingCode::PageUnknown);
    let empty = page("<div class='num-orders'>3 orders</div>");
    let (_, findings) = Folder::of(&[("a.html", &empty)]).read().unwrap();
    assert_eq!(findings, [(FindingCode::PageWithoutOrders, "a.html".to_owned())]);
    let (_, findings) = Folder::of(&[("a.html", &page("<div class='num-orders'>0 orders</div>"))]).read().unwrap();
    assert_eq!(findings, []);
}

#[test]
fn a_period_whose_pages_show_fewer_orders_than_they_count_is_reported() {
    let history = |count: u32, number: u32| {
        let card = card("$18.00", &shipment("Delivered", &item("Cup", "")))
            .replace(NUMBER, &format!("111-0000001-{number:07}"));
        let choice = "<select name='timeFilter'><option value='year-2020' selected></option></select>";
        page(&format!("{choice}<span class='num-orders'>{count} orders</span>{card}"))
    };
    let (first, second) = (history(2, 1), history(2, 2));
    let missing = |files: &[(&str, &str)]| Folder::of(files).read().unwrap().1;
    assert_eq!(missing(&[("1.html", &first), ("2.html", &second)]), []);
    for files in [&[("1.html", &*first)][..], &[("1.html", &*first), ("again.html", &*first)]] {
        assert_eq!(missing(files), [(FindingCode::PagesMissing, "1.html".to_owned())]);
    }
}

#[test]
fn the_end_of_a_frame_is_no_end_of_its_page() {
    let whole = page(&format!(
        "{}<iframe srcdoc=\"<html><body>An advert.</body></html>\"></iframe>{}",
        card("$18.00", &shipment("Delivered", &item("Cup", ""))),
        "<p>The end.</p>"
    ));
    assert_eq!(Folder::of(&[("a.html", &whole.replace("</html>", "</HTML >"))]).order().1, []);
    let cut = whole.split("<p>The end").next().unwrap();
    for cut in [cut.to_owned(), cut.replace("<html", "<HTML")] {
        assert_eq!(Folder::of(&[("a.html", &cut)]).refused().0, FindingCode::CutOff, "{cut}");
    }
}

#[test]
fn a_page_with_all_that_it_shows_is_read_whichever_browser_saved_it() {
    let page = page(&card("$18.00", &shipment("Delivered", &item("Cup", ""))));
    let archive = format!(
        "From: \"Saved by a browser\"\r\nSubject: Your Orders\r\nDate: Sun, 20 Oct 2024 10:00:00 -0000\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/related; type=\"text/html\"; boundary=\"B\"\r\n\r\n--B\r\nContent-Type: text/html\r\n\
         Content-Location: https://www.amazon.com/your-orders\r\n\r\n{page}\r\n--B--\r\n"
    );
    let (order, findings) = Folder::of(&[("2024.mht", &archive)]).order();
    assert_eq!((order.items[0].item_name.as_deref(), findings), (Some("Cup"), Vec::new()));
}

#[test]
fn an_unknown_page_refuses_all() {
    let orders = page(&card("$18.00", &shipment("Delivered", &item("Cup", ""))));
    let whole = details(&FIGURES, &cup_and_mugs());
    for (code, wrong) in [
        (FindingCode::PageUnknown, page("<h1>Your Payments</h1>")),
        (FindingCode::PageUnknown, orders.replace(NUMBER, "1234")),
        (FindingCode::PageUnknown, orders.replace("<bdi>", "<bdi>111-0000001-0000009 ").replace("<span>Order #", "<span>111-0000001-0000009 ")),
        (FindingCode::PageUnknown, orders.replace("Order placed", "Placed")),
        // Details whose items are elsewhere, as a whole or of one shipment.
        (FindingCode::PageUnknown, whole.replace("purchasedItemsRightGrid", "items")),
        (FindingCode::PageUnknown, whole.replace("<div class='a-fixed-left", "</div><div class='a-box'><div class='shipment-top-row'><b class='a-text-bold'>x</b></div></div><div><div class='a-fixed-left").replacen("</div><div class='a-box'><div class='shipment", "<div class='a-box'><div class='shipment", 1)),
        (FindingCode::PageUnknown, details(&[("Grand Total", "$1.00"), ("Grand Total", "$1.00")], &cup_and_mugs())),
        // Figures in a language that is not read.
        (FindingCode::PageUnknown, details(&[("Total antes de impuestos", "$20.00")], &cup_and_mugs())),
        (FindingCode::PageUnknown, details(&[], &cup_and_mugs())),
        (FindingCode::CutOff, orders.replace("</html>", "")),
        (FindingCode::SiteUnproven, orders.replace("www.amazon.com", "www.amazon.fr")),
        (FindingCode::TooLarge, page(&" ".repeat(3 << 20))),
        (FindingCode::PageUnknown, page(&"<div>".repeat(2_000))),
    ] {
        let folder = Folder::of(&[("a.html", &orders), ("wrong.html", &wrong)]);
        assert_eq!(folder.refused(), (code, vec!["wrong.html".to_owned()]), "{wrong:.2000}");
    }
    // Without --pages, a page is no known file.
    let folder = Folder::of(&[("a.html", &orders)]);
    let refused = check(&[folder.0.path().to_owned()], &Options::default()).unwrap_err();
    assert_eq!(refused.code, FindingCode::FormatUnknown);
}

#[test]
fn what_a_browser_saves_beside_a_page_is_left_alone() {
    let orders = page(&card("$18.00", &shipment("Delivered", &item("Cup", ""))));
    let files = [("x/a.html", orders.as_str()), ("x/a_files/x/frame.html", "<p>x</p>"), ("x/a-Dateien/x.js", "x")];
    assert_eq!(Folder::of(&files).order().1, []);
    // A folder whose name only looks so has pages.
    assert_eq!(Folder::of(&[("b_files/a.html", orders.as_str())]).order().1, []);
}

#[test]
fn a_page_is_decoded_as_it_says_or_not_at_all() {
    let orders = page(&card("$18.00", &shipment("Delivered", &item("K^se", ""))));
    let latin = |charset: &str| {
        let page = orders.replacen("<head>", &format!("<head><meta charset='{charset}'>"), 1);
        page.bytes().map(|byte| if byte == b'^' { 0xe4 } else { byte }).map(char::from).collect::<String>()
    };
    let folder = Folder::of(&[]);
    let write = |text: String| {
        let bytes: Vec<u8> = text.chars().map(|sign| u8::try_from(sign).unwrap()).collect();
        fs::write(folder.0.path().join("a.html"), bytes).unwrap();
    };
    write(latin("iso-8859-1"));
    assert_eq!(folder.order().0.items[0].item_name.as_deref(), Some("Käse"));
    write(latin("utf-8"));
    assert_eq!(folder.refused().0, FindingCode::EncodingUnknown);
}

#[test]
fn a_page_in_one_file_is_read() {
    let orders = card("$18.00", &shipment("Delivered", &item("Käse=Brot", "")));
    let body = format!("<html><body>{orders}</body></html>").replace('=', "=3D").replace('ä', "=C3=A4");
    let archive = format!(
        "From: <Saved by Blink>\r\nDate: Sat, 16 May 2020 20:00:05 +0200\r\nSnapshot-Content-Location: https://www.amazon.com/your-orders/orders\r\nSubject: Orders\r\n\
         MIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=\"x\"\r\n\r\n--x\r\n\
         Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{body}\r\n--x--\r\n"
    );
    let (order, findings) = Folder::of(&[("a.mhtml", &archive)]).order();
    assert_eq!((lines(&order)[0].as_str(), findings), ("B000000001 Käse=Brot - - delivered (Delivered)", vec![]));
    assert_eq!(order.stated_at.map(|at| at.to_string()).as_deref(), Some("2020-05-16T18:00:05Z"));
    // Of two, the one that was saved later counts, wherever it comes.
    let earlier = archive.replace("16 May 2020 20", "16 May 2020 19").replace("Delivered", "Shipped");
    for pages in [[("a.mhtml", &*archive), ("b.mhtml", &earlier)], [("a.mhtml", &earlier), ("b.mhtml", &archive)]] {
        assert_eq!(lines(&Folder::of(&pages).order().0), lines(&order));
    }
}

#[test]
fn german_pages_are_read_but_not_proven() {
    let figures =
        [("Zwischensumme", "10,00\u{a0}€"), ("Verpackung &amp; Versand", "2,99 €"), ("Gesamtsumme", "12,99 €")];
    let german = details(&figures, &detail("Tasse", "B000000001", "10,00 €", ""))
        .replace("amazon.com", "amazon.de")
        .replace("May 16, 2020", "16. Mai 2020")
        .replace("Sold by", "Verkauf durch")
        .replace("Delivered May 18", "Zugestellt: 18. Mai");
    let (orders, findings) = Folder::of(&[("a.html", &german)]).read().unwrap();
    let [(retailer, order)] = orders.as_slice() else { panic!("{orders:?}") };
    assert_eq!((retailer.as_str(), order.currency.as_deref()), ("amazon.de", Some("EUR")));
    assert_eq!(lines(order), ["B000000001 Tasse 1 10.00 delivered (Zugestellt: 18. Mai)"]);
    assert_eq!(order.items[0].seller.as_deref(), Some("Corner Shop"));
    assert_eq!(adjustments(&order.adjustments), ["shipping 2.99 Verpackung & Versand"]);
    assert_eq!(findings, [(FindingCode::SiteUnproven, "a.html".to_owned())]);
}

/// A page to print, of the older kind that is made of tables.
fn printed(title: &str, heads: &str, shipments: &[(&str, String)], figures: &[(&str, &str)]) -> String {
    let cell = |text: &str| format!("<td align='right' nowrap>{text}</td>");
    let row = |(label, amount): &(&str, &str)| format!("<tr>{}{}</tr>", cell(label), cell(amount));
    let shipment = |(status, items): &(&str, String)| {
        format!("<table><tr><td><center>{status}</center></td></tr><tr><td><table>{items}</table></td></tr></table>")
    };
    let (shipments, figures): (String, String) =
        (shipments.iter().map(shipment).collect(), figures.iter().map(row).collect());
    format!(
        "<html><head><title>{title} {NUMBER}</title></head><body><center><b class='h1'>Order #{NUMBER}</b></center><table><tr>\
         <td align='left'>{heads}</td></tr></table>{shipments}<table>{figures}</table></body></html>"
    )
}

fn printed_item(quantity: &str, title: &str, seller: &str, price: &str) -> String {
    format!(
        "<tr><td>{quantity} <i>{title}</i>, Somebody <span class='tiny'>{seller} (<a>profile</a>)<br>Condition: New</span></td>\
         <td align='right'>{price}</td></tr>"
    )
}

#[test]
fn pages_to_print_are_read() {
    let cups = printed_item("2 of:", "Cup", "Sold by: Corner Shop", "$4.00");
    let mug = printed_item("1 of:", "Mug", "Sold by: Amazon.com", "$6.00");
    let figures = [
        ("Sales Tax:", "$0.50"),
        ("Total for This Shipment:", "$8.50"),
        ("", "-----"),
        ("Item(s) Subtotal:", "$14.00"),
        ("Estimated tax to be collected:", "$1.00"),
        ("Tip (optional):", "1.00"),
        ("Grand Total:", "$16.00"),
        ("Visa ending in 1234: May 18, 2020:", "$16.00"),
    ];
    let shipments = [("Shipped on May 17, 2020", cups.clone()), ("Shipping now", mug)];
    let page = printed("Amazon.com - Order", "<b>Order Placed:</b> May 16, 2020", &shipments, &figures);
    let (order, findings) = Folder::of(&[("a.html", &page)]).order();
    let expected = ["- Cup 2 4.00 shipped (Shipped on May 17, 2020)", "- Mug 1 6.00 Shipping now (Shipping now)"];
    assert_eq!(
        (lines(&order), order.items[0].seller.as_deref()),
        (expected.map(str::to_owned).to_vec(), Some("Corner Shop"))
    );
    assert_eq!(adjustments(&order.adjustments), ["tax 1.00 Estimated tax to be collected", "tip 1.00 Tip (optional)"]);
    assert_eq!((order.order_total.unwrap().to_string().as_str(), order.mismatch.len(), findings), ("16.00", 0, vec![]));

    // The details have the numbers of the articles.
    let whole = details(
        &[("Estimated tax to be collected", "$1.00"), ("Tip (optional)", "$1.00"), ("Grand Total", "$16.00")],
        &(detail("Cup", "B000000001", "$4.00", "<span class='od-item-view-qty'>2</span>")
            + &detail("Mug", "B000000002", "$6.00", "")),
    );
    let (order, findings) = Folder::of(&[("a.html", &whole), ("b.html", &page)]).order();
    assert_eq!((order.items[0].retailer_sku.as_deref(), findings), (Some("B000000001"), vec![]));
    assert_eq!(Folder::of(&[("a.html", &whole), ("b.html", &page.replace("$4.00", "$3.00"))]).order().1.len(), 2);

    // By weight: nothing says what one piece costs.
    let weighed = page.replace("2 of:", "2 (1.04 lb) of:");
    assert_eq!(Folder::of(&[("a.html", &weighed)]).refused().0, FindingCode::PageUnknown);
}

#[test]
fn german_pages_to_print_have_their_tax_in_their_prices() {
    let item = printed_item("1 Exemplar(e) von:", "Tasse", "Verkauf durch: Laden", "<nobr>EUR 11,90</nobr>");
    let figures = [
        ("Zwischensumme:", "EUR 10,00"),
        ("Verpackung &amp; Versand:", "EUR 2,00"),
        ("Summe ohne MwSt.:", "EUR 12,00"),
        ("Anzurechnende MwSt.:", "EUR 1,90"),
        ("Gutschein eingelöst:", "-EUR 0,90"),
        ("Geschenkgutschein(e):", "-EUR 13,00"),
        ("Gesamtsumme:", "EUR 0,00"),
    ];
    let heads = "<b>Getätigte Spar-Abo-Bestellung:</b> 16. Mai 2020";
    let page = printed("Amazon.de - Bestellung", heads, &[("versandt am 17. Mai 2020", item)], &figures);
    let (orders, findings) = Folder::of(&[("a.html", &page)]).read().unwrap();
    let [(retailer, order)] = orders.as_slice() else { panic!("{orders:?}") };
    assert_eq!((retailer.as_str(), order.currency.as_deref(), findings), ("amazon.de", Some("EUR"), vec![]));
    assert_eq!(lines(order), ["- Tasse 1 11.90 shipped (versandt am 17. Mai 2020)"]);
    assert_eq!(order.items[0].seller.as_deref(), Some("Laden"));
    let expected = [
        "shipping 2.00 Verpackung & Versand",
        "tax 1.90 Anzurechnende MwSt. included",
        "discount -0.90 Gutschein eingelöst",
        "gift_card -13.00 Geschenkgutschein(e)",
    ];
    assert_eq!((adjustments(&order.adjustments), order.mismatch.len()), (expected.map(str::to_owned).to_vec(), 0));
}

#[test]
fn no_page_takes_long() {
    let items = item("Cup", "").repeat(900);
    let nested = "<div class='order-card'><div class='item-box'><div class='a-box'>".repeat(80);
    let many = card("$1.00", &shipment("x", &item("Cup", "").repeat(3_000)));
    let statuses = "<p class='yohtmlc-shipment-status-primaryText'></p>".repeat(20_000);
    for body in [card("$1.00", &shipment("x", &(items + &statuses))), nested, many, old_card("$1.00", "").repeat(400)] {
        let started = Instant::now();
        drop(Folder::of(&[("a.html", &page(&body))]).read());
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}: {body:.100}", started.elapsed());
    }
}

/// `ORDERSYNC_PAGES` names a folder of pages: what is read of each file is printed as a line of JSON.
#[test]
fn pages_of_a_folder_are_printed() {
    let Some(folder) = std::env::var_os("ORDERSYNC_PAGES").map(PathBuf::from) else { return };
    let mut left = vec![folder.clone()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let options = Options {
            pages: true,
            currency: Some("USD".to_owned()),
            retailer: Some("amazon.com".to_owned()),
            ..Options::default()
        };
        let started = std::time::Instant::now();
        let read = match check(std::slice::from_ref(&path), &options) {
            Ok(checked) => {
                let requests: Vec<_> = checked.requests().map(Result::unwrap).collect();
                serde_json::json!({ "requests": requests, "findings": checked.report().findings })
            }
            Err(refused) => serde_json::json!({ "refused": refused }),
        };
        let path = path.strip_prefix(&folder).unwrap_or(&path);
        let line = serde_json::json!({ "file": path, "read": read, "ms": started.elapsed().as_millis() });
        println!("PAGE {line}");
    }
}
