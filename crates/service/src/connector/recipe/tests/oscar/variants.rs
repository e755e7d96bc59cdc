//! Small changes of the pages: each is read as if nothing had changed, or fails a check. None is read as something else.

use scraper::Html;
use url::Url;

use super::super::super::order;
use super::shop::{self, Order};
use super::{LIST, read_list, recipe};
use crate::connector::kit::check::Unread;
use crate::connector::kit::currency::Currencies;
use crate::connector::kit::figures::ShownOrder;
use crate::connector::kit::listed::{ListedOrder, OrderList};
use crate::connector::kit::order_proof::{self, ProvenOrder};
use crate::connector::kit::page::PageKind;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::source;

fn settings() -> Settings {
    Settings { currencies: Currencies::default(), ..super::super::settings() }
}

fn order() -> Order {
    Order {
        lines: vec![
            ("Desk Lamp", 3, "£61.02", Some("desk-lamp_1")),
            ("Tea Towel", 1, "£3.35", Some("tea-towel_2")),
            ("Hidden Hook", 2, "£5.00", None),
        ],
        total: "£70.32",
        discount: Some("£4.00"),
        ..Order::new(100_234, "Complete")
    }
}

fn list(html: &str) -> Result<OrderList, Unread> {
    let read = read_list(html, &Html::parse_document(html), &settings())?;
    match read.unread.first() {
        Some((_, failure)) => Err(Unread::Failed(failure.clone())),
        None => Ok(read),
    }
}

fn shown(html: &str, row: &ListedOrder, settings: &Settings) -> Result<ShownOrder, Unread> {
    let url = Url::parse(LIST).unwrap().join(&row.path).unwrap();
    let source = order::Source { url, is_whole: source::is_whole(html), row: row.clone() };
    order::read(&Html::parse_document(html), &source, &recipe(), settings)
}

fn page(html: &str) -> Result<ProvenOrder, Unread> {
    let row = list(&shop::list_page(&[order()], 1, 1)).unwrap().rows.remove(0);
    let shown = shown(html, &row, &settings())?;
    Ok(order_proof::prove(&row, shown, &recipe().0.shows)?)
}

/// The name of the check that failed, or of the kind of page.
fn check<T>(read: Result<T, Unread>) -> Option<String> {
    match read {
        Ok(_) => None,
        Err(Unread::Failed(failure)) => Some(failure.check.to_string()),
        Err(Unread::SignedOut) => Some("signed out".to_owned()),
        Err(Unread::Instead(other)) => Some(other.error(PageKind::Order).code.to_string()),
        Err(Unread::Other(error)) => Some(error.code.to_string()),
    }
}

#[test]
fn a_changed_list_is_read_as_before_or_fails_a_check() {
    const PAGE: &str = "page of the order list";
    const ROW: &str = "<tr><td><a href='/accounts/orders/100234/'>100234</a></td><td>6</td><td>£70.32</td><td>8 Oct 2025, 6:20 p.m.</td></tr>";
    let base = shop::list_page(&[order(), Order::new(100_233, "Complete")], 1, 1);
    let rows = |list: Result<OrderList, Unread>| list.map(|list| list.rows);
    let expected: Vec<ListedOrder> = rows(list(&base)).unwrap();
    assert_eq!(expected.len(), 2);
    for (from, to, outcome) in [
        // Read as before.
        ("</table>", &*format!("</table><table class='d-md-none'>{ROW}</table>"), Some(PAGE)),
        ("</table>", &format!("<tr hidden>{}</table>", &ROW[4..]), None),
        ("<table", &format!("<template><table>{}</table></template><table", ROW.replace("£70", "£7")), None),
        ("</a></td>", "</a> <span class='badge'>New</span></td>", None),
        (">100234<", ">Order #100234<", None),
        ("<th>Num items", "<th>Status</th><th>Num items", Some(PAGE)),
        ("<th>Date submitted</th>", "<th>Date submitted</th><th>Status</th>", Some(PAGE)),
        // Refused.
        ("</table>", "</table><a href='/accounts/orders/100111/'>another</a>", Some(PAGE)),
        ("</table>", "</table><script>load('/accounts/orders/100111/')</script>", Some(PAGE)),
        ("</table>", "</table><div class='card'><a href='100111/'>another</a></div>", Some(PAGE)),
        ("</table>", &format!("{}</table>", ROW.replace("£70", "£7")), Some(PAGE)),
        ("</table>", "<tr><td colspan='4'>Free shipping this week!</td></tr></table>", Some(PAGE)),
        ("</table>", "<tr><td>Total</td><td></td><td>£105.27</td><td></td></tr></table>", Some(PAGE)),
        ("<tr><td>", "<tr><td rowspan='2'>", Some(PAGE)),
        ("<td>6</td><td>£70.32</td>", "<td colspan='2'>£70.32</td>", Some(PAGE)),
        ("<td>6</td><td>£70.32</td>", "<td>£70.32</td><td>6</td>", Some("currency")),
        ("<td>6</td>", "<td style='display:none'>1</td><td>6</td>", Some(PAGE)),
        ("<td>6</td>", "<td>6 pcs</td>", None),
        ("<th>Date submitted", "<th>Last update", Some(PAGE)),
        ("<th>Total inc tax", "<th>Total excl tax", Some(PAGE)),
        ("<th>Total inc tax", "<th>Total</th><th>Total inc tax", Some(PAGE)),
        (">100234<", ">100239<", Some(PAGE)),
        (">100234<", ">View<", Some(PAGE)),
        ("£70.32", "£70.3", Some(PAGE)),
        ("£70.32", "<del>£74.32</del> £70.32", Some(PAGE)),
        ("8 Oct 2025, 6:20 p.m.", "8 Oct 2025, 6:20 p.m.<br>delivered 9 Oct", Some(PAGE)),
        ("<input name='date_from'>", "<input name='date_from' value='2025-01-01'>", Some(PAGE)),
        ("</form>", "</form><select name='year'><option>2024<option value='2025' selected>2025</select>", Some(PAGE)),
        ("</table>", "</table><a href='?show=all'>View all orders</a>", Some(PAGE)),
        // A part of the list, or a way to another.
        (
            "</table>",
            "</table><select name='period'><option value='365'>This year<option value=''>All</select>",
            Some(PAGE),
        ),
        ("</table>", "</table><select name='period'><option value=''>All<option value='365'>This year</select>", None),
        ("</table>", "</table><input type='radio' name='period' value='2025' checked>", Some(PAGE)),
        ("</table>", "</table><a href='?archived=1'>Archived</a>", Some(PAGE)),
        ("</table>", "</table><a class='active' href='?'>All</a><a href='?status=open'>Open</a>", None),
        ("</table>", "</table><a href='?sort=date'>Newest first</a>", None),
        ("</table>", "</table><a href='?offset=10'>Next</a>", Some(PAGE)),
        ("</table>", "</table><a rel='next' href='/accounts/orders/more/'>Next</a>", Some(PAGE)),
        ("</table>", "</table><div data-next='/api/orders?cursor=2'></div>", Some(PAGE)),
        ("</table>", "</table><button>Show 2 more orders</button>", Some(PAGE)),
        ("</table>", "</table><p>2 older orders are kept in our archive.</p>", Some(PAGE)),
        ("</table>", "</table><a href='/more/'>More about us</a><button>Show more products</button>", None),
        ("</table>", "</table><ul><li>100231: £5.00</li></ul>", Some(PAGE)),
        ("</table>", "</table><button data-order='100231'>Cancelled order</button>", Some(PAGE)),
        ("</table>", "</table><ul><li>Customer number 731200</li></ul>", None),
        // A value that is given twice, or may be another.
        ("8 Oct 2025, 6:20 p.m.", "<time datetime='2025-10-08T18:20:31Z'>8 Oct 2025, 6:20 p.m.</time>", None),
        (
            "8 Oct 2025, 6:20 p.m.",
            "<time datetime='2025-10-08T18:20:31-04:00'>8 Oct 2025, 6:20 p.m.</time>",
            Some(PAGE),
        ),
        ("<td>8 Oct", "<td><span class='badge'>1</span>8 Oct", Some(PAGE)),
        ("£70.32", "<data value='70.32'>£70.32</data>", None),
        ("£70.32", "<data value='70.32'>£70</data>", Some(PAGE)),
        ("<td>6</td>", "<td>6.000</td>", Some(PAGE)),
        ("</body></html>", "", Some(PAGE)),
        ("lang='en-gb'", "lang='xx'", Some("retailer_misconfigured")),
    ] {
        let changed = base.replace(from, to);
        assert_ne!(changed, base, "{from} changes nothing");
        let read = rows(list(&changed));
        if let Ok(rows) = &read {
            assert_eq!(*rows, expected, "{from} -> {to}");
        }
        assert_eq!(check(read).as_deref(), outcome, "{from} -> {to}");
    }
}

#[test]
fn what_a_list_states_of_itself_is_read_from_the_right_places() {
    let of = |from: &str, to: &str| list(&shop::list_page(&[order(), order()], 1, 1).replace(from, to)).unwrap();
    assert_eq!(of("</table>", "</table><p>1-1 of 123</p>").stated_orders, Some(123));
    assert_eq!(of("All orders", "Showing 1 of 12 orders").stated_orders, Some(12));
    assert_eq!(of("All orders", "Orders (12)").stated_orders, Some(12));
    assert_eq!(of("All orders", "Orders since 2024").stated_orders, None);
    assert_eq!(of("All orders", "Orders <span class='badge'>12</span>").stated_orders, Some(12));
    assert_eq!(of("All orders", "Total orders: 12").stated_orders, Some(12));
    assert_eq!(of("</table>", "</table><dl><dt>Orders</dt><dd>12</dd></dl>").stated_orders, Some(12));
    assert_eq!(of("</table>", "</table><nav class='pagination'><span>1–1 of 12</span></nav>").stated_orders, Some(12));
    assert_eq!(of("<table class='table'>", "<table><caption>Showing 1 of 12 orders</caption>").stated_orders, Some(12));
    assert_eq!(of("</table>", "</table><p>Page 1 of 3</p>").pages, 3);
    let total = of("£70.32", "£1.32");
    assert_eq!((total.pages, total.stated_orders), (0, None), "an amount states nothing");
    let wrapped = of("<body>", "<body><div class='container page'><div class='page_inner'><p>1.32</p>");
    assert_eq!(wrapped.pages, 0, "the class of the whole page is no pager");
    assert_eq!(list(&shop::list_page(&[order()], 1, 7)).unwrap().pages, 7);
}

#[test]
fn a_changed_order_is_read_as_before_or_fails_a_check() {
    const LINES: &str = "lines of the order";
    const BASKET: &str = "line totals against the basket total";
    const ITEMS: &str = "number of items";
    const NUMBER: &str = "order number on its page";
    const TOTAL: &str = "order total in the list";
    const STATUS: &str = "status of the order";
    let base = shop::order_page(&order());
    let expected = page(&base).unwrap();
    assert_eq!((expected.lines().len(), expected.mismatch().len()), (3, 0));
    let hook = "<td>2</td><td>£0.01</td><td>£5.00</td>";
    assert!(base.contains(hook));
    for (from, to, outcome) in [
        // Read as before.
        ("<hr>", "<hr><h2>News</h2><p>We love our customers</p>", None),
        ("<hr>", "<hr><p>We love our customers</p>", None),
        ("<th>Line price incl. tax</th>", "<th>Line price incl. tax</th>", None),
        ("<p>Complete</p>", "<p>We love our customers</p><p>Complete</p>", None),
        ("<td>Not available anymore</td>", "<td><table><tr><td>Colour</td><td>blue</td></tr></table></td>", None),
        // The number.
        ("100234", "100235", Some(NUMBER)),
        ("<h1>Order #100234", "<h1>Order #100235", Some(NUMBER)),
        ("<table>", "<h2>Items of order 100236</h2><table>", Some(NUMBER)),
        ("<table>", "<h2>Parcel 731200</h2><table>", None),
        ("action='/accounts/orders/100234/'", "action='/accounts/orders/100111/'", Some(NUMBER)),
        ("Order #100234", "Your order", Some(NUMBER)),
        // The lines.
        (hook, "<td>2</td><td>£0.01</td><td>£5.01</td>", None),
        (hook, "<td>2</td><td>£0.01</td><td>£6.00</td>", Some(BASKET)),
        (hook, "<td>2</td><td>£0.01</td><td>£5</td>", None),
        (hook, "<td>1</td><td>£0.01</td><td>£5.00</td>", Some(ITEMS)),
        (hook, "<td>2</td><td>£5.00</td><td>£0.01</td>", Some(BASKET)),
        (hook, "<td>2 pcs</td><td>£0.01</td><td>£5.00</td>", None),
        (hook, "<td colspan='2'>2</td><td>£5.00</td>", Some(LINES)),
        (hook, "<td>2</td><td>£0.01</td><td>€5.00</td>", Some("currency")),
        ("<th>Line price incl. tax</th>", "<th>Line price excl. tax</th>", Some(LINES)),
        ("<th>Line price incl. tax</th>", "<th>Unit price</th>", Some(BASKET)),
        ("<th>Qty</th>", "<th>Pieces</th>", Some(LINES)),
        ("<th>Product</th>", "<th></th><th>Product</th>", Some(LINES)),
        ("<th>Product</th>", "<th>Seller</th>", Some(LINES)),
        ("</tbody>", "<tr><td colspan='5'>and 2 more items</td></tr></tbody>", Some(LINES)),
        ("<table>", "<table hidden>", None),
        ("<p>\n Hidden Hook\n</p>", "<p><span>New</span></p><p>Hidden Hook</p>", Some(LINES)),
        ("<p>\n Hidden Hook\n</p>", "<p>Hidden H…</p>", Some(LINES)),
        (hook, "<td>0</td><td>£0.01</td><td>£5.00</td>", Some(ITEMS)),
        (hook, "<td>-2</td><td>£0.01</td><td>£5.00</td>", Some(LINES)),
        (hook, "<td>2.000</td><td>£0.01</td><td>£5.00</td>", Some(LINES)),
        (hook, "<td>2</td><td>£0.01</td><td><data value='5.40'>£5.00</data></td>", Some(LINES)),
        ("<p>\n Hidden Hook\n</p>", "<p title='Hidden Hook, brass'>Hidden Hook</p>", Some(LINES)),
        ("<p>\n Hidden Hook\n</p>", "<p>Hidden&shy; Hook&#8203;</p>", None),
        // The figures.
        ("Basket total (excl. discounts)", "Sum", None),
        ("£70.32", "£70.31", Some(TOTAL)),
        ("Order total", "Sum", None),
        ("£70.32", "€70.32", Some("currency")),
        // The status.
        ("<p>Complete</p>", "<p>Order status: Complete since 28 Mar</p>", Some(STATUS)),
        ("<h2>Status</h2><p>Complete</p>", "<div><em>Complete</em></div>", Some(STATUS)),
        ("<p>Complete</p>", "", Some(STATUS)),
        ("<p>Complete</p>", "<p><i>done</i> Complete</p>", Some(STATUS)),
        ("<p>Complete</p>", "<p style='display: none'>Pending</p><p>Complete</p>", None),
        ("<h2>Status</h2><p>Complete</p>", "<ol><li>Complete</li></ol><h2>Status</h2><p>Gold</p>", Some(STATUS)),
        ("<p>Complete</p>", "<p>Complete</p><ol><li>Pending</li></ol>", Some(STATUS)),
        // The whole.
        ("</body></html>", "", Some("page of the order")),
        ("lang='en-gb'", "lang='xx'", Some("retailer_misconfigured")),
    ] {
        let changed = base.replace(from, to);
        assert_eq!(changed == base, from == to, "{from} changes nothing");
        let read = page(&changed);
        assert_eq!(check(page(&changed)).as_deref(), outcome, "{from} -> {to}");
        if let Ok(read) = read
            && !to.contains("£5.01")
        {
            assert_eq!(read.lines(), expected.lines(), "{from} -> {to}");
            assert_eq!(read.status(), expected.status(), "{from} -> {to}");
            let is_marked = read.mismatch().iter().any(|mismatch| mismatch.check == "order_total");
            assert!(is_marked || read.adjustments() == expected.adjustments(), "{from} -> {to}");
        }
    }
}

#[test]
fn a_line_of_no_pieces_is_certain_if_it_links_to_its_product() {
    let base = shop::order_page(&order());
    for (row, is_certain) in [
        ("<a href='/catalogue/oil-lamp_7/'>Oil Lamp</a></p></td><td>0</td><td>£0.00</td><td>£0.00</td>", true),
        ("Gift message: to Ann</p></td><td>0</td><td>£0.00</td><td>£0.00</td>", false),
        ("Hidden Hook, taken back</p></td><td>-1</td><td>-£0.01</td><td>-£0.01</td>", false),
    ] {
        let row = format!("<tr><td><p>{row}<td>Not available anymore</td></tr><tr><td><p>\n Hidden Hook");
        let changed = base.replacen("<tr><td><p>\n Hidden Hook", &row, 1);
        assert_ne!(changed, base);
        let listed = list(&shop::list_page(&[order()], 1, 1)).unwrap().rows.remove(0);
        let shown = shown(&changed, &listed, &settings()).unwrap();
        assert_eq!(shown.doubts.is_empty(), is_certain, "{row}");
    }
}

#[test]
fn an_amount_that_was_rounded_is_marked_and_one_without_its_decimals_has_to_fit() {
    let base = shop::order_page(&order());
    let rounded = page(&base.replace("£3.35", "£3.36")).unwrap();
    let checks: Vec<&str> = rounded.mismatch().iter().map(|mismatch| mismatch.check.as_str()).collect();
    assert_eq!(checks, ["basket_total"]);
    let shown = (rounded.mismatch()[0].shown.unwrap(), rounded.mismatch()[0].computed.unwrap());
    assert_eq!(shown, ("69.37".parse().unwrap(), "69.38".parse().unwrap()));
    // Within a penny per line, but it is unknown how far it was rounded.
    let whole = base.replace("£61.02", "£61");
    assert_eq!(check(page(&whole)).as_deref(), Some("line totals against the basket total"));
}

#[test]
fn a_page_without_a_known_status_is_marked() {
    let base = shop::order_page(&order());
    for status in ["", "<h2>Zustand der Bestellung</h2><p>Auftrag fertig !</p>"] {
        let page = page(&base.replace("<h2>Status</h2><p>Complete</p>", status)).unwrap();
        assert_eq!((page.status(), page.lines().len()), (None, 3));
        let [mark] = page.mismatch() else { panic!("{:?}", page.mismatch()) };
        assert_eq!((mark.check.as_str(), mark.shown, mark.computed), ("status", None, None));
    }
}

#[test]
fn the_status_is_found_whatever_lies_around_the_page() {
    let base = shop::order_page(&order());
    for (before, after) in [
        ("<table><tr><td>Menu</td><td>", "</td></tr></table>"),
        ("<form method='post'>", "</form>"),
        ("<header><aside>", "</aside></header>"),
    ] {
        let changed = base
            .replace("<h2>Status", &format!("{before}<h2>Status"))
            .replace("<h2>Shipping Method", &format!("{after}<h2>Shipping Method"));
        assert_ne!(changed, base);
        assert_eq!(page(&changed).unwrap().status(), Some("Complete"), "{before}");
    }
}

#[test]
fn a_page_cut_at_any_row_is_no_page() {
    let (list_page, order_page) =
        (shop::list_page(&[order(), Order::new(100_233, "Complete")], 1, 1), shop::order_page(&order()));
    for (at, _) in list_page.match_indices("<t") {
        assert!(list(&list_page[..at]).is_err(), "{}", &list_page[..at]);
    }
    for (at, _) in order_page.match_indices("<t") {
        assert!(page(&order_page[..at]).is_err(), "{}", &order_page[..at]);
        // The end of the page is there, but not the rows.
        let closed = format!("{}</table></body></html>", &order_page[..at]);
        if at < order_page.find("Shipping Address").unwrap() {
            assert!(page(&closed).is_err(), "{closed}");
        }
    }
}

#[test]
fn a_figure_that_does_not_fit_marks_the_order_and_changes_nothing() {
    let base = shop::order_page(&order());
    let marked =
        page(&base.replace("Shipping total</th><td colspan='2'>£4.95", "Shipping total</th><td colspan='2'>£9.95"))
            .unwrap();
    assert_eq!(marked.lines(), page(&base).unwrap().lines());
    let [mismatch] = marked.mismatch() else { panic!("{:?}", marked.mismatch()) };
    assert_eq!((mismatch.check.as_str(), mismatch.shown), ("order_total", Some("70.32".parse().unwrap())));
    assert_eq!(mismatch.computed, Some("75.32".parse().unwrap()));
    let fee = base.replace(
        "<tr><th colspan='4'>Order total",
        "<tr><td colspan='4'>Packing</td><td colspan='2'>£1.00</td></tr><tr><th colspan='4'>Order total",
    );
    let fee = page(&fee).unwrap();
    assert_eq!(fee.mismatch()[0].computed, Some("71.32".parse().unwrap()));
    assert_eq!(adjustments(&fee).last().map(String::as_str), Some("other 1.00 GBP Packing"));
}

fn adjustments(order: &ProvenOrder) -> Vec<String> {
    let shown = |one: &ordersync_api::Adjustment| {
        let included = if one.included { " included" } else { "" };
        let (currency, text) = (one.currency.as_deref().unwrap(), one.text.as_deref().unwrap());
        format!("{} {} {currency} {text}{included}", one.kind, one.amount)
    };
    order.adjustments().iter().map(shown).collect()
}

#[test]
fn what_is_part_of_the_total_beside_the_lines_is_an_adjustment_with_the_shops_label() {
    let base = shop::order_page(&order());
    assert_eq!(
        adjustments(&page(&base).unwrap()),
        ["discount -4.00 GBP Discount Autumn", "shipping 4.95 GBP Shipping total"]
    );
    let with = |rows: &str| {
        let changed =
            base.replace("<tr><th colspan='4'>Order total", &format!("{rows}<tr><th colspan='4'>Order total"));
        let read = page(&changed).unwrap();
        assert!(read.mismatch().is_empty(), "{:?}", read.mismatch());
        adjustments(&read).split_off(2)
    };
    // Tax that the prices contain, free delivery, and an unknown label.
    let tax = "<tr><th colspan='4'>Tax</th><td colspan='2'>£11.56</td></tr>";
    assert_eq!(with(tax), ["tax 11.56 GBP Tax included"]);
    assert_eq!(with("<tr><th colspan='4'>Gift</th><td colspan='2'>£0.00</td></tr>"), ["other 0.00 GBP Gift"]);
    let other =
        base.replace("Discount</span> Autumn", "Discount</span> Herbst").replace("Shipping total", "Express courier");
    assert_eq!(
        adjustments(&page(&other).unwrap()),
        ["discount -4.00 GBP Discount Herbst", "other 4.95 GBP Express courier"]
    );
}

#[test]
fn amounts_that_may_be_thousands_or_have_three_decimals_are_never_guessed() {
    let whole = Settings { whole_prices: true, ..settings() };
    let list = |totals: [&'static str; 2], settings: &Settings| {
        let orders =
            [0, 1].map(|index| Order { total: totals[index], ..Order::new(100_234 + index as u32, "Complete") });
        let html = shop::list_page(&orders, 1, 1);
        read_list(&html, &Html::parse_document(&html), settings)
    };
    let total = |read: Result<OrderList, Unread>| read.unwrap().rows[0].total.amount().to_string();
    assert_eq!(check(list(["£1,234", "£22,500"], &settings())).as_deref(), Some("retailer_misconfigured"));
    assert_eq!(total(list(["£1,234", "£22,500"], &whole)), "1234");
    assert_eq!(total(list(["£1,234", "£22,500.00"], &settings())), "1234");

    let row = list(["£1,234", "£999"], &settings()).unwrap().rows.remove(0);
    let order =
        Order { lines: vec![("Desk Lamp", 1, "£1,234", None)], total: "£1,234", ..Order::new(100_234, "Complete") };
    let read = |shipping: &str, settings: &Settings| {
        let html =
            shop::order_page(&order).replace("£0.01", "£1,234").replace("£1234", "£1,234").replace("£0<", shipping);
        shown(&html, &row, settings)
    };
    assert_eq!(check(read("£1,000<", &settings())).as_deref(), Some("retailer_misconfigured"));
    for read in [read("£1,000<", &whole), read("£0<", &settings()), read("£0.00<", &settings())] {
        let line = read.unwrap().lines.remove(0);
        let amounts: Vec<_> =
            line.amounts.iter().filter_map(|(_, money)| Some(money.as_ref()?.amount().to_string())).collect();
        assert!(!amounts.is_empty() && amounts.iter().all(|amount| amount == "1234"), "{amounts:?}");
    }
}
