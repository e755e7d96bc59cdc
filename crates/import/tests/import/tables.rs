//! Tables as people keep them: joined, edited with a spreadsheet, with totals and footers, or with other columns than before.

use ordersync_api::ImportedOrder;
use ordersync_import::{Finding, FindingCode, Options, Refused, check};

use crate::doubts::{Read, read};
use crate::support::Folder;

const MAPPING: &str = "retailer = \"Shop\"\ncurrency = \"EUR\"\n[columns]\norderId = \"Order\"\norderDate = \"Date\"\n\
                       itemName = \"Item\"\nlineId = \"Line\"\nprice = \"Price\"\n";

const ETSY: &str = "Sale Date,Item Name,Buyer,Quantity,Price,Coupon Code,Coupon Details,Discount Amount,Shipping Discount,\
                    Order Shipping,Order Sales Tax,Item Total,Currency,Transaction ID,Listing ID,Date Paid,Order ID\n";

/// A row of Etsy's: two pieces for 18.00 each.
fn etsy_row(day: &str, title: &str, line: &str, order: &str) -> String {
    format!("{day},{title},,2,18.00,,,0.00,0.00,6.50,3.20,36.00,USD,{line},900001,,{order}\n")
}

fn etsy(rows: &[(&str, &str, &str, &str)]) -> String {
    let rows = rows.iter().map(|(day, title, line, order)| etsy_row(day, title, line, order));
    format!("{ETSY}{}", rows.collect::<String>())
}

const EBAY: &str = "Sales Record Number,Order Number,Item Title,Quantity,Sold For,Shipping And Handling,Seller Collected Tax,\
                    eBay Collected Tax,Total Price,Sale Date,Transaction ID\n";
const LENS_CAP: &str = "101,12-1,Lens cap,2,$8.00,$0.00,$0.00,$1.32,$17.32,Mar-05-26,10000000001\n";

const TEMU: &str = "Order ID,Item description at order time,Order time,Price,Price tax,Shipping cost,Order total\n";

fn dollars() -> Options {
    Options { currency: Some("USD".to_owned()), ..Options::default() }
}

/// The result of reading a file in a known format.
fn table(content: impl AsRef<[u8]>, options: &Options) -> Result<Read, Refused> {
    read(&Folder::new().file("orders.csv", content), options)
}

/// The code and the row of each finding.
fn places(findings: &[Finding]) -> Vec<(FindingCode, Option<u64>)> {
    findings.iter().map(|finding| (finding.code, finding.row)).collect()
}

/// The numbers of orders, and their days.
fn days<'r>(orders: &[&'r ImportedOrder]) -> Vec<(&'r str, String)> {
    let day = |order: &ImportedOrder| order.order_date.map(|at| at.to_string()[..10].to_owned()).unwrap_or_default();
    orders.iter().map(|order| (order.order_id.as_str(), day(order))).collect()
}

#[test]
fn a_line_that_is_listed_again_with_its_number_counts_once() {
    let (bowl, vase) = (("05/14/26", "Bowl", "41", "33"), ("05/14/26", "Vase", "42", "33"));
    let found = table(etsy(&[bowl, vase, bowl]), &Options::default()).unwrap();
    let [order] = found.orders()[..] else { panic!("{found:?}") };
    let titles: Vec<_> = order.items.iter().filter_map(|item| item.item_name.as_deref()).collect();
    assert_eq!(titles, ["Bowl", "Vase"]);
    assert_eq!(places(&found.findings), [(FindingCode::LineRepeated, Some(4))]);
    // An export that was joined with itself.
    let twice = format!("{}{}", etsy(&[bowl, vase]), etsy(&[bowl, vase]));
    let found = table(twice, &Options::default()).unwrap();
    assert_eq!((found.orders().len(), found.orders()[0].items.len()), (1, 2), "{found:?}");
    assert_eq!(found.found(FindingCode::LineRepeated).len(), 2);
    // The total of the order proves the prices of eBay.
    let found = table(format!("{EBAY}{LENS_CAP}{LENS_CAP}"), &dollars()).unwrap();
    let [item] = found.orders()[0].items.as_slice() else { panic!("{found:?}") };
    assert_eq!([item.price, item.quantity].map(|number| number.unwrap().to_string()), ["8.00", "2"]);
    assert_eq!(places(&found.findings), [(FindingCode::LineRepeated, Some(3))]);
    // Each row has its own part of the total.
    let folder = Folder::new();
    let rows = "Order,Date,Item,Line,Price,Total\n1,2026-01-02,Tea,1,2.00,2.00\n1,2026-01-02,Tea,1,2.00,2.00\n";
    let mapping = MAPPING.replace("[columns]", "order_total = \"sum\"\n[columns]\norderTotal = \"Total\"");
    let found = folder.mapped(&folder.file("shop.csv", rows), &mapping).unwrap();
    assert_eq!(found.orders()[0].order_total.unwrap().to_string(), "2.00", "{found:?}");
}

#[test]
fn lines_that_differ_under_one_number_are_both_stored_and_reported() {
    let rows = [("05/14/26", "Bowl", "41", "33"), ("05/14/26", "Blue bowl", "41", "33")];
    let found = table(etsy(&rows), &Options::default()).unwrap();
    assert_eq!(found.orders()[0].items.len(), 2);
    assert_eq!(places(&found.findings), [(FindingCode::LineDiffers, Some(3))]);
    assert_eq!(found.findings[0].shown.as_deref(), Some("41"));
    // Without a number, equal rows are two pieces.
    let rows = [("05/14/26", "Bowl", "", "33"), ("05/14/26", "Bowl", "", "33")];
    let found = table(etsy(&rows), &Options::default()).unwrap();
    assert_eq!((found.orders()[0].items.len(), found.findings.len()), (2, 0), "{found:?}");
}

#[test]
fn a_further_price_of_a_digital_line_is_reported() {
    let header = "Order ID,Order Date,Digital Order Item ID,Component Type,Transaction Amount,Base Currency Code,Marketplace,\
                  Product Name,Quantity Ordered\n";
    let row = "D01-1,2026-02-01T20:15:00Z,1001,Price Amount,9.99,USD,www.amazon.com,E-book,1\n";
    let found = table(format!("{header}{row}"), &Options::default()).unwrap();
    assert_eq!(found.findings, []);
    let found = table(format!("{header}{row}{header}{row}"), &Options::default()).unwrap();
    let repeated = (FindingCode::LineRepeated, Some(4));
    assert_eq!(places(&found.findings), [(FindingCode::RowWithoutOrder, Some(3)), repeated]);
}

#[test]
fn a_quote_that_is_not_closed_loses_no_order() {
    let row = |title: &str, order: &str| etsy_row("05/14/26", title, order, order);
    let both =
        |one: &str, other: &str| table(format!("{ETSY}{}{}", row(one, "1"), row(other, "2")), &Options::default());
    let refused = both("\"Vintage", "\"Cup").unwrap_err();
    assert_eq!(places(&refused.findings), [(FindingCode::QuoteOpen, Some(2))]);
    assert!(refused.message.contains("orders.csv, row 2 (line 2): "), "{refused}");
    // The second quote seems to close the first: the rows look like one.
    let found = both("\"Vintage", "Monitor 27\"").unwrap();
    assert_eq!(places(&found.findings), [(FindingCode::QuoteOpen, Some(2))]);
    // Within one line, nothing is lost.
    let found = both("\"Monitor 27\" wide\"", "\"Cup\" ").unwrap();
    let titles: Vec<_> = found.orders().iter().map(|order| order.items[0].item_name.clone().unwrap()).collect();
    assert_eq!(titles, ["Monitor 27 wide\"", "Cup"]);
    assert_eq!(places(&found.findings), [(FindingCode::QuoteOpen, Some(2))]);
    for title in ["\"Cup, blue\"", "\"Cup\nblue\"", "\"Cup, blue,\r\nround, \"\"new\"\"\"", "6\" cup", "\"\""] {
        let found = both(title, "Vase").unwrap();
        assert_eq!((found.orders().len(), found.findings.len()), (2, 0), "{title}: {found:?}");
    }
}

#[test]
fn rows_of_totals_are_no_orders() {
    let row = |order: &str, title: &str, day: &str| format!("{order},{title},{day},€10.00,€0.00,€0.00,€10.00\n");
    let temu = format!("{TEMU}{}{}", row("PO-1", "Cable", "2025/11/15"), row("Total", "", ""));
    let found = table(&temu, &Options::default()).unwrap();
    assert_eq!(days(&found.orders()), [("PO-1", "2025-11-15".to_owned())]);
    assert_eq!(places(&found.findings), [(FindingCode::RowWithoutOrder, Some(3))]);
    let folder = Folder::new();
    let checked = check(&[folder.file("temu.csv", &temu)], &Options::default()).unwrap();
    assert_eq!((checked.report().orders, checked.report().rows_skipped), (1, 1));
    // A further row of a known order, and orders that lack one of the two, are kept.
    for (title, day) in [("", "2025/11/15"), ("Cup", "")] {
        let found = table(format!("{TEMU}{}", row("PO-2", title, day)), &Options::default()).unwrap();
        assert_eq!((found.orders().len(), found.findings.len()), (1, 0), "{found:?}");
    }
    let found = table(format!("{TEMU}{}{}", row("1", "", ""), row("1", "Cup", "2025/11/15")), &Options::default());
    assert_eq!(found.unwrap().orders()[0].items.len(), 2);
    // With a mapping, a number has a digit.
    let rows = "Order,Date,Item,Line,Price\n1,2026-01-02,Tea,1,2.00\n2,,,2,2.00\nSumme,,,,4.00\n";
    let found = folder.mapped(&folder.file("shop.csv", rows), MAPPING).unwrap();
    assert_eq!((found.orders().len(), places(&found.findings)), (2, vec![(FindingCode::RowWithoutOrder, Some(4))]));
}

#[test]
fn a_report_of_ebay_is_read_as_ebay_hands_it_out() {
    let commas = format!("{}\n", ",".repeat(10));
    let row = LENS_CAP.replace("Mar-05-26", "Mar-05-26 23:45:00");
    let (count, seller) = ("1,record(s) downloaded,from Mar-01-26 to Mar-31-26\n", "Seller ID : ada\n");
    let zone = Some("Europe/Berlin".parse().unwrap());
    let options = Options { time_zone: zone, ..dollars() };
    let whole = format!("{EBAY}{commas}{row}{count}{seller}");
    for (content, at) in [
        (format!("{commas}{whole}"), "2026-03-05T22:45:00Z"),
        (whole.clone(), "2026-03-05T22:45:00Z"),
        (format!("{EBAY}{LENS_CAP}\n{}{commas}\n{}{commas}", count.trim(), seller.trim()), "2026-03-05T11:00:00Z"),
    ] {
        let found = table(&content, &options).unwrap();
        let [order] = found.orders()[..] else { panic!("{found:?}") };
        assert_eq!((order.order_id.as_str(), order.order_date.unwrap().to_string().as_str()), ("12-1", at));
        assert_eq!(found.findings, [], "{content}");
    }
    // Reports that were joined: both ways of writing a date are read, and no row below a footer is lost.
    let other = LENS_CAP.replace("12-1", "12-2").replace("10000000001", "10000000002");
    let found = table(format!("{whole}{commas}{EBAY}{commas}{other}{count}{seller}"), &options).unwrap();
    let day = || "2026-03-05".to_owned();
    assert_eq!(days(&found.orders()), [("12-1", day()), ("12-2", day())]);
    assert_eq!(places(&found.findings), [(FindingCode::RowWithoutOrder, Some(7))]);
}

#[test]
fn an_order_whose_symbol_is_not_that_of_its_currency_is_left_out() {
    let row = |order: &str, price: &str, tax: &str| format!("{order},Cup,2025/11/14,{price},{tax},{tax},{price}\n");
    let mixed = format!("{TEMU}{}{}", row("1", "$10.00", "€0.00"), row("2", "€10.00", "€0.00"));
    for currency in [None, Some("USD"), Some("EUR")] {
        let options = Options { currency: currency.map(str::to_owned), ..Options::default() };
        let found = table(&mixed, &options).unwrap();
        assert_eq!(days(&found.orders()).len(), 1, "{found:?}");
        assert_eq!(found.orders()[0].order_id, "2");
        let [conflict] = found.found(FindingCode::CurrencyConflict)[..] else { panic!("{found:?}") };
        assert_eq!((conflict.row, conflict.order_id.as_deref()), (Some(2), Some("1")));
    }
    let crowns = format!("{TEMU}{}", row("1", "10.00 kr", "€0.00"));
    assert_eq!(table(crowns, &Options::default()).unwrap().orders().len(), 0);
    // A symbol that may stand for the currency says nothing against it.
    let found = table(format!("{TEMU}{}", row("1", "$10.00", "US$0.00")), &Options::default()).unwrap();
    assert_eq!(found.orders()[0].currency.as_deref(), Some("USD"), "{found:?}");
}

#[test]
fn numbers_that_a_spreadsheet_rounded_are_reported() {
    let rows = [
        ("05/14/26", "Bowl", "41", "3.3E+09"),
        ("05/20/26", "Vase", "42", "3.3E+09"),
        ("05/20/26", "Cup", "4.0E+09", "34"),
        ("05/20/26", "Cup", "4.0E+09", "34"),
    ];
    let folder = Folder::new();
    let path = folder.file("orders.csv", etsy(&rows));
    let found = read(&path, &Options::default()).unwrap();
    assert_eq!(days(&found.orders()), [("34", "2026-05-20".to_owned())]);
    assert_eq!(found.orders()[0].items.len(), 2, "{found:?}");
    let order = |row| (FindingCode::OrderNumberRounded, Some(row));
    let line = |row| (FindingCode::LineNumberRounded, Some(row));
    assert_eq!(places(&found.findings), [order(2), order(3), line(4), line(5)]);
    assert_eq!(check(&[path], &Options::default()).unwrap().report().rows_skipped, 2);
    // With an apostrophe or as a formula, it is the same number.
    for number in ["'3300000001", "=\"3300000001\"", "\"=\"\"3300000001\"\"\""] {
        let rows = [("05/14/26", "Bowl", number, number), ("05/14/26", "Bowl", "3300000001", "3300000001")];
        let found = table(etsy(&rows), &Options::default()).unwrap();
        assert_eq!(days(&found.orders()), [("3300000001", "2026-05-14".to_owned())]);
        assert_eq!(places(&found.findings), [(FindingCode::LineRepeated, Some(3))], "{number}");
    }
}

#[test]
fn different_dates_of_one_order_are_reported() {
    let rows = [("05/14/26", "Bowl", "41", "33"), ("05/14/26", "Cup", "42", "33"), ("05/20/26", "Vase", "43", "33")];
    let found = table(etsy(&rows), &Options::default()).unwrap();
    assert_eq!(days(&found.orders()), [("33", "2026-05-14".to_owned())]);
    let [finding] = found.findings.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (finding.code, finding.row, finding.shown.as_deref()),
        (FindingCode::ValuesDiffer, Some(4), Some("05/20/26"))
    );
    // What Apple bills together may have been bought on several days.
    let apple = "Order Number,Item Purchased Date,Item Description,Currency,Invoice Item Total,Refund Amount\n\
                 M1,2026-03-01T08:15:00Z,Chess,USD,4.99,0\nM1,2026-03-02T08:15:00Z,Go,USD,4.99,0\n";
    assert_eq!(table(apple, &Options::default()).unwrap().findings, []);
}

#[test]
fn columns_with_other_names_are_reported() {
    let renamed = etsy(&[("05/14/26", "Bowl", "41", "33")]);
    let renamed = renamed.replace("Order Shipping", "Postage").replace("Discount Amount", "Discount");
    let found = table(&renamed, &Options::default()).unwrap();
    let columns = |code| {
        let columns = found.found(code).into_iter().map(|finding| finding.column.clone().unwrap());
        columns.collect::<Vec<String>>()
    };
    assert_eq!(columns(FindingCode::UnknownColumn), ["Discount", "Postage"]);
    assert_eq!(columns(FindingCode::MissingColumn), ["Discount Amount", "Order Shipping"]);
    assert_eq!(found.findings.len(), 4);
    // The accounts of other countries, and files with fewer columns.
    let british = etsy(&[("05/14/26", "Bowl", "41", "33")]);
    let british = british.replace("Order Shipping", "Order Delivery").replace("Shipping Discount", "Delivery Discount");
    let found = table(british, &Options::default()).unwrap();
    assert_eq!((found.orders()[0].adjustments.len(), found.findings.len()), (2, 0), "{found:?}");
    let fewer = "Sale Date,Item Name,Quantity,Price,Item Total,Order ID,Transaction ID,Currency\n\
                 05/14/26,Bowl,1,2.00,2.00,33,41,USD\n";
    assert_eq!(table(fewer, &Options::default()).unwrap().findings, []);
    // A mapping says which columns have amounts.
    let folder = Folder::new();
    let mapping = format!("{MAPPING}[[adjustments]]\ntype = \"shipping\"\namount = \"Versand\"\n");
    let path = folder.file("shop.csv", "Order,Date,Item,Line,Price,Porto\n1,2026-01-02,Tea,1,2.00,3.00\n");
    let found = folder.mapped(&path, &mapping).unwrap();
    let [finding] = found.findings.as_slice() else { panic!("{found:?}") };
    assert_eq!((finding.code, finding.column.as_deref()), (FindingCode::MissingColumn, Some("Versand")));
}

#[test]
fn dates_that_may_be_two_days_are_left_out_if_the_file_has_both_orders_of_day_and_month() {
    let rows = |days: &[&str]| {
        let row = |(number, day): (usize, &&str)| etsy_row(day, "Bowl", &number.to_string(), &number.to_string());
        let rows: String = days.iter().enumerate().map(row).collect();
        table(format!("{ETSY}{rows}"), &Options::default()).unwrap()
    };
    for days_of in [["14/05/26", "05/06/26", "05/05/26", "05/15/26"], ["05/15/26", "05/05/26", "05/06/26", "14/05/26"]]
    {
        let found = rows(&days_of);
        assert_eq!(found.orders().len(), 4);
        let mut read: Vec<String> = days(&found.orders()).into_iter().map(|(_, day)| day).collect();
        read.sort();
        // May 5 is one day in both.
        assert_eq!(read, ["", "", "2026-05-05", "2026-05-15"]);
        let shown = |code| found.found(code).into_iter().map(|one| one.shown.clone().unwrap()).collect::<Vec<_>>();
        assert_eq!(shown(FindingCode::DateOrderUnknown), ["05/06/26"], "{found:?}");
        assert_eq!(shown(FindingCode::DateUnreadable), ["14/05/26"]);
    }
    let found = rows(&["05/06/26", "05/15/2026", "May 5"]);
    let day = |day: &str| day.to_owned();
    assert_eq!(days(&found.orders()), [("0", day("2026-05-06")), ("1", day("2026-05-15")), ("2", String::new())]);
    assert_eq!(places(&found.findings), [(FindingCode::DateUnreadable, Some(4))]);
}

#[test]
fn the_line_that_names_the_delimiter_is_no_header() {
    let folder = Folder::new();
    let rows = "Order;Date;Item;Line;Price\n1;2026-01-02;Tea, green;1;2.00\n";
    for start in ["sep=;\n", "\u{feff}sep=;\r\n", "SEP=;\r", "\n", "\r\n\r\n"] {
        let found = folder.mapped(&folder.file("shop.csv", format!("{start}{rows}")), MAPPING).unwrap();
        assert_eq!(found.orders()[0].items[0].item_name.as_deref(), Some("Tea, green"), "{start:?}");
        assert_eq!(found.findings, [], "{start:?}");
    }
    let wide = rows.replace(';', "|");
    let refused = folder.mapped(&folder.file("shop.csv", format!("sep=|\n{wide}2|2026")), MAPPING).unwrap_err();
    assert_eq!(places(&refused.findings), [(FindingCode::CutOff, Some(3))]);
    assert_eq!(refused.findings[0].line, Some(4));
    let refused = folder.mapped(&folder.file("shop.csv", format!("{rows}2\n{}", &rows[27..])), MAPPING).unwrap_err();
    assert!(refused.message.contains("The row has 1 cell, and the header has 5"), "{refused}");
}

#[test]
fn receipts_are_read_in_the_answer_of_costcos_website() {
    let receipt = "{\"warehouseName\": \"SPRINGFIELD\", \"transactionDateTime\": \"2026-04-11T16:20:00\", \
                   \"transactionBarcode\": \"21\", \"total\": 13.08, \"taxes\": 0, \"itemArray\": [{\"itemNumber\": \"97\", \
                   \"itemDescription01\": \"TURKEY\", \"unit\": 1, \"amount\": 13.08}]}";
    let folder = Folder::new();
    folder.file("in/a.json", format!("[{receipt}]"));
    let answer = format!("{{\"data\": {{\"receiptsWithCounts\": {{\"inWarehouse\": 1, \"receipts\": [{receipt}]}}}}}}");
    let path = folder.file("in/b.json", answer);
    for path in [path.clone(), path.parent().unwrap().to_owned()] {
        let found = read(&path, &dollars()).unwrap();
        assert_eq!(days(&found.orders()), [("21", "2026-04-11".to_owned())]);
        assert_eq!(places(&found.findings).iter().filter(|(code, _)| *code != FindingCode::TimeZoneUnknown).count(), 0);
    }
}
