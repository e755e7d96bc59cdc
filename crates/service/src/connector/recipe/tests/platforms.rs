//! Recipes for pages that are laid out like those of known shop programs, whose orders are read to the cent.

use super::shop::Shop;
use super::sync_with;
use crate::connector::drive::Synced;
use crate::domain::order::RetailerOrder;

/// Order table and totals as a shop on OpenCart 3 lays them out.
const TABLES: &str = r##"
recipe = 1
name = "Tables"
[sign_in]
page = "login"
[list]
page = "orders/"
next_page = "orders/?page={page}"
end = "page_after"
content = "#content"
table = "#content table"
row = "#content table > tbody > tr"
order_page = "orders/"
empty = "#content > p"
number = { heading = ["order id"], pattern = '^#(\d+)$' }
link = "a.btn-info"
date = { heading = ["date added"] }
date_shown = "day"
numeric_dates = "day_first"
total = { heading = ["total"] }
items = { heading = ["no. of products"] }
status = { heading = ["status"] }
[order]
number = { select = "h2 + table > tbody td:first-child", pattern = 'Order ID: #(\d+)' }
date = { select = "h2 + table > tbody td:first-child", pattern = 'Date Added: (\d+/\d+/\d+)$' }
history_date = "h3 + table > tbody td:first-child"
table = ".table-responsive > table"
line = "tbody > tr"
title = { heading = ["product name"] }
title_joined = true
sku = { heading = ["model"] }
quantity = { heading = ["quantity"] }
unit_price = { heading = ["price"] }
total = { heading = ["total"] }
figure = "tfoot > tr"
label = "td.text-right b"
amount = "td.text-right + td.text-right"
[shows]
items = "lines"
basket = "always"
shipping = "at_times"
tax = "at_times"
line_tax = "included"
unit_price = "always"
[words]
no_orders = ["you have not made any previous orders"]
[words.labels]
basket = ["sub-total"]
shipping = ["flat shipping rate"]
tax = ["vat (20%)"]
discount = ["coupon (ten)"]
gift_card = ["gift certificate"]
total = ["total"]
[words.statuses]
completed = ["complete"]
"##;

/// Cards and pairs without rows, as a shop on Zen Cart lays them out.
const CARDS: &str = r##"
recipe = 1
name = "Cards"
[sign_in]
page = "login"
[list]
page = "orders/"
next_page = "orders/?page={page}"
end = "page_after"
content = ".centerColumn"
table = ".centerColumn"
row = ".centerColumn > fieldset"
note = ".centerColumn > h1, .centerColumn > .pages, .centerColumn > .buttonRow"
order_page = "orders/"
empty = ".centerColumn > p"
number = { select = "legend", pattern = '^Order Number: (\d+)$' }
link = "a"
date = { select = ".content.back", pattern = 'Order Date: \S+ (\d+ \S+, \d{4})' }
date_shown = "day"
total = { select = ".content.back + .content", pattern = 'Order Cost: (\S+)$' }
items = { select = ".content.back + .content", pattern = 'Products: (\d+)' }
status = { select = ".notice", pattern = '^Order Status: (.+)$' }
[order]
number = { select = "caption", pattern = 'Order #(\d+)$' }
table = "#orderHistoryHeading"
line = "tr:not(.tableHeading)"
title = ".accountProductDisplay"
title_joined = true
quantity = { select = ".accountQuantityDisplay", pattern = '^(\d+) ea\.$' }
total = ".accountTotalDisplay"
figures_table = "#orderTotals"
figure_pairs = true
label = ".lineTitle"
amount = ".amount"
[shows]
items = "lines"
basket = "always"
shipping = "at_times"
tax = "at_times"
unit_price = "never"
[words]
no_orders = ["you have not yet made any purchases"]
[words.labels]
basket = ["sub-total"]
shipping = ["flat rate"]
total = ["total"]
[words.statuses]
shipped = ["shipped"]
"##;

const BETWEEN: &str = "<br class='clearBoth'>";

fn document(content: &str) -> String {
    format!("<!DOCTYPE html><html lang='en'><body><nav><a href='/orders/'>Orders</a></nav>{content}</body></html>")
}

/// Orders 1001 and on, newest first, as the shop's own pages name them.
fn listed(html: &str) -> Vec<&str> {
    html.split("'>No. ").skip(1).map(|rest| &rest[..4]).collect()
}

/// A shop with these pages in place of its own.
async fn shop(
    orders: u32,
    list: impl Fn(&[&str]) -> String + Send + 'static,
    order: impl Fn(&str) -> String + Send + 'static,
) -> Shop {
    let shop = Shop::with(orders).await;
    shop.inside().edit = Some(Box::new(move |path, html| match path.strip_prefix("/orders/") {
        None => html.to_owned(),
        Some("") => document(&list(&listed(html))),
        Some(number) => document(&order(number)),
    }));
    shop
}

/// The list in a table, with these totals.
fn table_list(totals: &'static [&'static str]) -> impl Fn(&[&str]) -> String + Send + 'static {
    move |numbers| {
        if numbers.is_empty() {
            return "<div id='content'><h1>Order History</h1><p>You have not made any previous orders!</p></div>"
                .to_owned();
        }
        let row = |number: &&str| {
            let total = totals[number.parse::<usize>().unwrap() - 1001];
            format!(
                "<tr><td class='text-right'>#{number}</td><td class='text-left'>Ada Cust25</td><td class='text-right'>2</td>\
                 <td class='text-left'>✅ Complete</td><td class='text-right'>{total}</td><td class='text-left'>15/01/2023</td>\
                 <td class='text-right'><a href='/orders/{number}' class='btn btn-info'><i class='fa fa-eye'></i></a></td></tr>"
            )
        };
        let headings = "<tr><td>Order ID</td><td>Customer</td><td>No. of Products</td><td>Status</td><td>Total</td><td>Date Added</td><td></td></tr>";
        format!(
            "<div id='content'><h1>Order History</h1><div class='table-responsive'><table class='table'><thead>{headings}</thead>\
             <tbody>{}</tbody></table></div></div>",
            numbers.iter().map(row).collect::<String>()
        )
    }
}

/// An order in tables: its lines, each with quantity, price and total, and the rows below them.
fn table_order(number: &str, lines: &[[&str; 3]], rows: &[[&str; 2]]) -> String {
    let line = |[quantity, price, total]: &[&str; 3]| {
        format!(
            "<tr><td class='text-left'>Desk  lamp<br>&nbsp;<small> - Colour: Red</small></td><td class='text-left'>MDL-1</td>\
             <td class='text-right'>{quantity}</td><td class='text-right'>{price}</td><td class='text-right'>{total}</td>\
             <td class='text-right' style='white-space: nowrap;'><a href='/reorder'><i class='fa'></i></a></td></tr>"
        )
    };
    let row = |[label, amount]: &[&str; 2]| {
        format!(
            "<tr><td colspan='3'></td><td class='text-right'><b>{label}</b></td><td class='text-right'>{amount}</td><td></td></tr>"
        )
    };
    format!(
        "<div id='content'><h2>Order Information</h2><table class='table'><thead><tr><td colspan='2'>Order Details</td></tr></thead>\
         <tbody><tr><td style='width: 50%;'><b>Order ID:</b> #{number}<br><b>Date Added:</b> 15/01/2023</td>\
         <td><b>Payment Method:</b> Cash</td></tr></tbody></table><div class='table-responsive'><table class='table'><thead><tr>\
         <td>Product Name</td><td>Model</td><td>Quantity</td><td>Price</td><td>Total</td><td></td></tr></thead><tbody>{}</tbody>\
         <tfoot>{}</tfoot></table></div><h3>Order History</h3><table class='table'><thead><tr><td>Date Added</td><td>Status</td>\
         <td>Comment</td></tr></thead><tbody><tr><td>15/01/2023</td><td>Complete</td><td></td></tr></tbody></table></div>",
        lines.iter().map(line).collect::<String>(),
        rows.iter().map(row).collect::<String>(),
    )
}

fn tables_order(number: &str) -> String {
    match number {
        // 20 percent on the goods.
        "1001" => table_order(
            number,
            &[["1", "$1,799.94", "$1,799.94"], ["4", "$41.16", "$164.64"]],
            &[
                ["Sub-Total", "$1,637.15"],
                ["Flat Shipping Rate", "$5.00"],
                ["VAT (20%)", "$327.43"],
                ["Total", "$1,969.58"],
            ],
        ),
        // No tax, a coupon, and a currency of its own.
        "1002" => table_order(
            number,
            &[["2", "€12.50", "€25.00"], ["1", "€3.33", "€3.33"]],
            &[["Sub-Total", "€28.33"], ["Coupon (TEN)", "€-2.83"], ["Total", "€25.50"]],
        ),
        // The shipping is taxed, too, and a gift card is taken off.
        _ => table_order(
            number,
            &[["3", "$12.00", "$36.00"], ["0", "$2.40", "$0.00"]],
            &[
                ["Sub-Total", "$30.00"],
                ["Flat Shipping Rate", "$5.00"],
                ["VAT (20%)", "$7.00"],
                ["Gift Certificate", "$-2.00"],
                ["Total", "$40.00"],
            ],
        ),
    }
}

fn by_number(synced: &mut Synced) -> &[RetailerOrder] {
    synced.orders.sort_by(|one, other| one.order_id.cmp(&other.order_id));
    assert!(synced.report.incomplete().is_none(), "{:?}", synced.report.incomplete());
    assert!(synced.orders.iter().all(|order| order.mismatch.is_empty()));
    &synced.orders
}

fn adjustments(order: &RetailerOrder) -> Vec<String> {
    let all = order.adjustments.iter().flatten();
    all.map(|one| format!("{} {}{}", one.kind, one.amount, if one.included { " i" } else { "" })).collect()
}

#[tokio::test]
async fn a_shop_of_tables_with_tax_in_its_lines_is_read_to_the_cent() {
    let shop = shop(3, table_list(&["$1,969.58", "€25.50", "$40.00"]), tables_order).await;
    let mut synced = sync_with(&shop, TABLES, "currencies = { \"$\" = \"USD\" }").await.unwrap();
    let orders = by_number(&mut synced);
    let figures: Vec<_> = orders.iter().map(|order| (order.currency.as_deref().unwrap(), adjustments(order))).collect();
    let owned = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        figures,
        [
            ("USD", owned(&["shipping 5.00", "tax 327.43 i"])),
            ("EUR", owned(&["discount -2.83"])),
            ("USD", owned(&["shipping 5.00", "tax 6.00 i", "tax 1.00", "gift_card -2.00"])),
        ]
    );
    let line = &orders[0].items[1];
    let title = line.title.as_deref().unwrap();
    assert_eq!(
        (title, line.sku.as_deref(), line.line_total.unwrap().to_string().as_str()),
        ("Desk lamp - Colour: Red", Some("MDL-1"), "164.64")
    );
    assert_eq!(line.shipment_status.as_ref().unwrap().to_string(), "completed");
    assert_eq!(orders[2].items[1].quantity.unwrap().to_string(), "0");
    assert_eq!(orders[0].placed_at.unwrap().to_rfc3339(), "2023-01-15T12:00:00+00:00");
    assert!(orders.iter().all(|order| order.is_day_alone));
}

#[tokio::test]
async fn a_list_that_shows_the_day_of_the_last_change_is_not_believed() {
    let lacks_date = TABLES.replace("\ndate = { select", "\n# date = { select");
    for (recipe, in_list, in_history, found) in [
        (TABLES, "16/01/2023", "15/01/2023", Some("the list shows 2023-01-16, the page of the order \"15/01/2023\".")),
        // The same numbers of day and year.
        (TABLES, "15/11/2023", "15/11/2023", Some("the list shows 2023-11-15, the page of the order \"15/01/2023\".")),
        (
            &lacks_date,
            "16/01/2023",
            "15/01/2023",
            Some("the list shows 2023-01-16, the history of the order begins on 2023-01-15."),
        ),
        (&lacks_date, "15/01/2023", "1/15/2023", Some("\"1/15/2023\", at `order.history_date`, cannot be read.")),
        // It was paid on the next day.
        (&lacks_date, "15/01/2023", "16/01/2023", None),
        (&lacks_date, "15/01/2023", "No results!", None),
    ] {
        let list = table_list(&["$1,969.58"]);
        let list = move |numbers: &[&str]| list(numbers).replace("15/01/2023", in_list);
        let order = move |number: &str| {
            let history = format!("<tbody><tr><td>{in_history}</td><td>Complete");
            tables_order(number).replace("<tbody><tr><td>15/01/2023</td><td>Complete", &history)
        };
        let synced = sync_with(&shop(1, list, order).await, recipe, "currencies = { \"$\" = \"USD\" }").await;
        match (synced, found) {
            (Ok(mut synced), None) => assert_eq!(by_number(&mut synced).len(), 1),
            (Err(error), Some(found)) => assert!(error.message.contains(found), "{found}: {}", error.message),
            (synced, _) => panic!("{in_list} {in_history}: {:?}", synced.map(|synced| synced.orders.len())),
        }
    }
}

#[tokio::test]
async fn a_shop_of_cards_with_figures_in_pairs_is_read_to_the_cent() {
    let list = |numbers: &[&str]| {
        if numbers.is_empty() {
            return "<div class='centerColumn'><h1>My History</h1><p>You have not yet made any purchases.</p></div>"
                .to_owned();
        }
        let card = |number: &&str| {
            format!(
                "<fieldset><legend>Order Number: {number}</legend><div class='notice forward'>Order Status: Shipped</div>{BETWEEN}\
                 <div class='content back'><strong>Order Date:</strong> Sunday 15 January, 2023<br><strong>Shipped To:</strong> Ada \
                 Cust25</div><div class='content'><strong>Products:</strong> 2<br><strong>Order Cost:</strong> €28.00</div>\
                 <div class='content forward'><a href='/orders/{number}'>View</a></div>{BETWEEN}</fieldset>"
            )
        };
        format!(
            "<div class='centerColumn'><h1>My History</h1>{}<div class='pages'>Displaying 1 to {} (of {} orders)</div>\
             <div class='buttonRow back'><a href='/account'>Back</a></div></div>",
            numbers.iter().map(card).collect::<String>(),
            numbers.len(),
            numbers.len()
        )
    };
    let pair = |label: &str, amount: &str| {
        format!(
            "<div class='amount larger forward'>{amount}</div><div class='lineTitle larger forward'>{label}:</div>{BETWEEN}"
        )
    };
    let order = move |number: &str| {
        let line = |quantity: u32, name: &str, total: &str| {
            format!(
                "<tr><td class='accountQuantityDisplay'>{quantity}&nbsp;ea.</td><td class='accountProductDisplay'>{name}<ul \
                 class='list'><li>Size: Large</li></ul></td><td class='accountTaxDisplay'>0%</td><td \
                 class='accountTotalDisplay'>{total}</td></tr>"
            )
        };
        format!(
            "<div class='centerColumn'><div class='forward'>Order Date: Sunday 15 January, 2023</div>{BETWEEN}<table \
             id='orderHistoryHeading'><caption><h2>Order Information - Order #{number}</h2></caption><tr class='tableHeading'><th>Qty.\
             </th><th>Products</th><th>Tax</th><th>Total</th></tr>{}{}</table><hr><div id='orderTotals'>{}{}{}</div></div>",
            line(2, "Lamp", "€20.00"),
            line(1, "Pen", "€3.00"),
            pair("Sub-Total", "€23.00"),
            pair("Flat Rate", "€5.00"),
            pair("Total", "€28.00"),
        )
    };
    let mut synced = sync_with(&shop(2, list, order).await, CARDS, "").await.unwrap();
    let orders = by_number(&mut synced);
    assert_eq!((orders.len(), orders[0].currency.as_deref()), (2, Some("EUR")));
    let lines: Vec<_> = orders[0]
        .items
        .iter()
        .map(|item| {
            format!("{} {} {}", item.quantity.unwrap(), item.title.as_deref().unwrap(), item.line_total.unwrap())
        })
        .collect();
    assert_eq!(lines, ["2 Lamp Size: Large 20.00", "1 Pen Size: Large 3.00"]);
    assert_eq!(adjustments(&orders[0]), ["shipping 5.00"]);
    assert_eq!(orders[0].placed_at.unwrap().to_rfc3339(), "2023-01-15T12:00:00+00:00");
    // What lies between a label and its amount, or beside them, is no figure that is known.
    for more in ["<div>Gift wrap</div>", "<div class='amount'>€1.00</div>"] {
        let order = move |number: &str| {
            order(number).replace(
                "<div class='lineTitle larger forward'>Flat",
                &format!("{more}<div class='lineTitle larger forward'>Flat"),
            )
        };
        let error = sync_with(&shop(1, list, order).await, CARDS, "").await.unwrap_err();
        assert!(error.message.contains("lines of the order"), "{more}: {}", error.message);
    }
}
