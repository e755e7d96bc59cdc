//! Files that leave something open, or are not whole: nothing is guessed, lost or doubled without a finding.

use std::fs;
use std::path::Path;

use ordersync_api::{ImportRequest, ImportedOrder};
use ordersync_import::{Finding, FindingCode, Options, Refused, check, explain};

use crate::support::{Folder, zip};

const MAPPING: &str = "retailer = \"Shop\"\ncurrency = \"EUR\"\n[columns]\norderId = \"Order\"\nitemName = \"Item\"\n\
                       quantity = \"Qty\"\nprice = \"Price\"\n";

impl Folder {
    /// The result of reading a file with a mapping.
    pub(crate) fn mapped(&self, path: &Path, mapping: &str) -> Result<Read, Refused> {
        let mapping = self.file("mapping/mapping.toml", mapping);
        read(path, &Options { mapping: Some(mapping), ..Options::default() })
    }
}

/// The requests and the report of an import.
#[derive(Debug)]
pub(crate) struct Read {
    requests: Vec<ImportRequest>,
    pub(crate) findings: Vec<Finding>,
    notes: Vec<String>,
}

impl Read {
    pub(crate) fn orders(&self) -> Vec<&ImportedOrder> {
        self.requests.iter().flat_map(|request| &request.orders).collect()
    }

    pub(crate) fn found(&self, code: FindingCode) -> Vec<&Finding> {
        self.findings.iter().filter(|finding| finding.code == code).collect()
    }
}

pub(crate) fn read(path: &Path, options: &Options) -> Result<Read, Refused> {
    let checked = check(&[path.to_owned()], options)?;
    let requests =
        checked.requests().map(|request| serde_json::from_value(serde_json::to_value(request.unwrap()).unwrap()));
    let requests = requests.map(Result::unwrap).collect();
    Ok(Read { requests, findings: checked.report().findings.clone(), notes: checked.report().notes.clone() })
}

#[test]
fn a_refund_is_counted_once_if_two_exports_write_its_time_differently() {
    let refunds = |name: &str, dates: &[&str]| {
        let row = |date: &&str| format!("2026-03-18T10:00:00.000Z,USD,111-1,1,45.00,{date},Final\n");
        let rows: String = dates.iter().map(row).collect();
        let header = "Creation Date,Currency,Order ID,Quantity,Refund Amount,Refund Date,Reversal Status\n";
        (name.to_owned(), format!("{header}{rows}"))
    };
    let counted = |files: [(String, String); 2]| {
        let folder = Folder::new();
        for (name, text) in files {
            folder.file(&format!("in/{name}/Refund Details.csv"), text);
        }
        let read = read(&folder.0.path().join("in"), &Options::default()).unwrap();
        (read.orders()[0].adjustments.len(), read.found(FindingCode::RefundRepeated).len())
    };
    let (time, second, next) = ("2026-03-20T17:31:07.123Z", "2026-03-20T17:31:07Z", "2026-03-20T17:31:08Z");
    assert_eq!(counted([refunds("a", &[time]), refunds("b", &[second])]), (1, 1));
    assert_eq!(counted([refunds("a", &[time]), refunds("b", &["2026-03-20"])]), (1, 1));
    assert_eq!(counted([refunds("a", &[time, second]), refunds("b", &[second])]), (2, 0), "two of one export are two");
    assert_eq!(counted([refunds("a", &[time]), refunds("b", &[next])]), (2, 0));
}

#[test]
fn a_number_with_two_readings_is_left_out_until_the_mapping_names_the_sign() {
    let folder = Folder::new();
    let figures = |table: &str, mapping: &str| {
        let read = folder.mapped(&folder.file("shop.csv", table), mapping).unwrap();
        let text = |number: Option<rust_decimal::Decimal>| number.map(|number| number.to_string());
        let items = read.orders().into_iter().flat_map(|order| &order.items);
        let items: Vec<_> = items.map(|item| [text(item.quantity), text(item.price)]).collect();
        (items, read.findings)
    };
    let is = |quantity: Option<&str>, price: Option<&str>| vec![[quantity, price].map(|it| it.map(str::to_owned))];
    let with = |sign: &str| format!("decimal = \"{sign}\"\n{MAPPING}");
    let fuel = "Order;Item;Qty;Price\n1;Diesel;40.125;1.899\n";
    let (items, findings) = figures(fuel, MAPPING);
    assert_eq!(items, is(None, None));
    let about: Vec<_> = findings.iter().map(|one| (one.code, one.shown.as_deref())).collect();
    let left_out = FindingCode::AmountUnreadable;
    assert_eq!(about, [(left_out, Some("40.125")), (left_out, Some("1.899"))]);
    for finding in &findings {
        let says = |part: &str| finding.message.contains(part);
        assert!(says("in one way") && says("`decimal = \".\"`") && says("`decimal = \",\"`"), "{finding:?}");
    }
    assert_eq!(figures(fuel, &with(".")), (is(Some("40.125"), Some("1.899")), vec![]));
    assert_eq!(figures(fuel, &with(",")), (is(Some("40125"), Some("1899")), vec![]));
    for (quantity, price) in [("1,500", "-1,899"), ("1.000", "(1.000)"), ("1,000", "€ 12,000")] {
        let (items, findings) = figures(&format!("Order;Item;Qty;Price\n1;Diesel;{quantity};{price}\n"), MAPPING);
        assert_eq!((items, findings.len()), (is(None, None), 2), "{quantity} {price}");
    }
    // One reading: the groups, the digits behind the sign, or a currency without a smaller coin prove it.
    for (quantity, price, read) in [
        ("40.5", "1.899,00", is(Some("40.5"), Some("1899.00"))),
        ("0,125", "0.999", is(Some("0.125"), Some("0.999"))),
        ("1500", "1.8990", is(Some("1500"), Some("1.8990"))),
        ("1.234.567", "1 299", is(Some("1234567"), Some("1299"))),
    ] {
        let found = figures(&format!("Order;Item;Qty;Price\n1;Diesel;{quantity};{price}\n"), MAPPING);
        assert_eq!(found, (read, vec![]), "{quantity} {price}");
    }
    let yen = figures("Order;Item;Qty;Price\n1;Lamp;1;1,899\n", &MAPPING.replace("EUR", "JPY"));
    assert_eq!(yen, (is(Some("1"), Some("1899")), vec![]));
    // A JSON number has a decimal point, even in a file whose texts have a comma.
    for mapping in [MAPPING.to_owned(), with(",")] {
        let found = figures("[{\"Order\": 1, \"Item\": \"Diesel\", \"Qty\": 40.125, \"Price\": 1.899}]", &mapping);
        assert_eq!(found, (is(Some("40.125"), Some("1.899")), vec![]), "{mapping}");
    }
}

#[test]
fn an_explained_mapping_names_the_decimal_sign_only_if_a_number_proves_it() {
    let folder = Folder::new();
    let explained =
        |rows: &str| explain(&folder.file("shop.csv", format!("Order;Date;Item;Qty;Price;Currency\n{rows}"))).unwrap();
    let open = explained("1;2026-01-02;Diesel;40.125;1.899;EUR\n2;2026-01-03;Diesel;38.210;1.799;EUR\n");
    let said = "\n# decimal = \".\" # or \",\": nothing in the file proves which; without it, \
                numbers such as 1.899 are left out\n";
    assert!(open.contains(said), "{open}");
    // The next number says it, or the quantity does.
    for rows in
        ["1;2026-01-02;Diesel;40.125;1.899;EUR\n2;2026-01-03;Soap;1;12.50;EUR\n", "1;2026-01-02;Oil;2.5;1.899;EUR\n"]
    {
        let proven = explained(rows);
        assert!(proven.contains("\ndecimal = \".\"\n"), "{proven}");
    }
    let plain = explained("1;2026-01-02;Soap;1;12;EUR\n");
    assert!(plain.contains("\n# decimal = \".\" # or \",\": needed for numbers such as 1.234\n"), "{plain}");
    let mixed = explained("1;2026-01-02;Soap;1;12.50;EUR\n2;2026-01-02;Soap;1;12,50;EUR\n");
    assert!(!mixed.contains("\ndecimal"), "{mixed}");
}

const SHOPIFY: &str = "Name,Created at,Total,Lineitem quantity,Lineitem name,Lineitem price,Currency\n\
                       #1001,2026-05-01 08:00:00 +0000,12.50,1,Tea,12.50,EUR\n";

#[test]
fn a_second_download_of_a_file_is_of_the_same_shop_and_the_report_says_that_the_file_named_it() {
    let folder = Folder::new();
    for (name, retailer) in [
        ("orders_export_1.csv", "orders_export_1"),
        ("orders_export_1 (1).csv", "orders_export_1"),
        ("orders_export_1(2).csv", "orders_export_1"),
        ("orders_export_1 (1) (12).csv", "orders_export_1"),
        ("Shop (2025).csv", "Shop (2025)"),
        ("Shop (old).csv", "Shop (old)"),
        ("Shop ().csv", "Shop ()"),
        ("Shop -2.csv", "Shop -2"),
        (" (1).csv", "(1)"),
    ] {
        let path = folder.file(name, format!("{SHOPIFY}#1002,2026-05-01 08:00:00 +0000,12.50,1,Tea,12.50,EUR\n"));
        let found = read(&path, &Options::default()).unwrap();
        let retailers: Vec<_> =
            found.requests.iter().map(|request| request.retailer_name.as_deref().unwrap()).collect();
        assert_eq!((retailers, found.orders().len()), (vec![retailer], 2), "{name}");
        let [note] = found.notes.as_slice() else { panic!("{:?}", found.notes) };
        let said = format!("{name}: The file does not name its shop, so its orders are stored under \"{retailer}\"");
        assert!(note.starts_with(&said) && note.contains("--retailer"), "{note}");
        assert_eq!(found.findings, []);
        let options = Options { retailer: Some("Corner Shop".to_owned()), ..Options::default() };
        let named = read(&path, &options).unwrap();
        assert_eq!((named.requests[0].retailer_name.as_deref(), named.notes.len()), (Some("Corner Shop"), 0), "{name}");
    }
    // Both in one import are one file twice.
    let twice = folder.file("in/orders.csv", SHOPIFY).parent().unwrap().to_owned();
    folder.file("in/orders (1).csv", SHOPIFY);
    let found = read(&twice, &Options::default()).unwrap();
    assert_eq!((found.orders().len(), found.notes.len()), (1, 2), "{found:?}");
    let mapping = explain(&folder.file("Laden (3).csv", "Order;Item;Price\n1;Tea;2.00\n")).unwrap();
    assert!(mapping.contains("\nretailer = \"Laden\" # the name of the file: write that of the shop\n"), "{mapping}");
}

const AMAZON: &str =
    "Order ID,Order Date,ASIN,Product Name,Original Quantity,Unit Price,Total Amount,Currency,Website\r\n";

fn amazon(rows: &[(&str, &str)]) -> String {
    let row =
        |(number, site): &(&str, &str)| format!("{number},2026-03-05T17:04:11Z,B0,Tea,1,2.00,2.00,USD,{site}\r\n");
    format!("{AMAZON}{}", rows.iter().map(row).collect::<String>())
}

/// Each order with its retailer.
fn of_retailers(read: &Read) -> Vec<(String, String)> {
    let of = |request: &ImportRequest| {
        let retailer = request.retailer_name.clone().unwrap();
        request.orders.iter().map(move |order| (retailer.clone(), order.order_id.clone())).collect::<Vec<_>>()
    };
    read.requests.iter().flat_map(of).collect()
}

#[test]
fn the_beginning_of_a_website_is_no_retailer_of_its_own() {
    let folder = Folder::new();
    let sites =
        ["Amazon.co.uk", "Amazon.co.jp", "Amazon.com.be", "Amazon.de", "www.amazon.com", "panda01", "PrimeNow-US"];
    for site in sites {
        let whole = amazon(&[("1", "Amazon.com"), ("2", site)]);
        for end in 1..site.len() {
            let (rest, last) = (&whole[..whole.len() - "\r\n".len() - site.len() + end], &site[..end]);
            let found = read(&folder.file("orders.csv", rest), &Options::default()).unwrap();
            // "Amazon.com" of "Amazon.com.be" is a website, too.
            let is_whole = last == "Amazon.com";
            assert_eq!(of_retailers(&found).len(), 1 + usize::from(is_whole), "{last}: {found:?}");
            let unreadable = found.found(FindingCode::SiteUnreadable);
            assert_eq!(unreadable.len(), usize::from(!is_whole), "{last}");
            let at = |finding: &&Finding| (finding.row, finding.order_id.as_deref()) == (Some(3), Some("2"));
            assert!(unreadable.iter().all(at), "{unreadable:?}");
        }
    }
    // Beside its other rows, the order is kept back: a line is missing.
    let cut = folder.file("cut.csv", amazon(&[("1", "Amazon.com"), ("2", "Amazon.com"), ("2", "Amazon.c")]));
    let checked = check(std::slice::from_ref(&cut), &Options::default()).unwrap();
    assert_eq!((checked.report().orders, checked.report().rows_skipped), (1, 1));
    let found = read(&cut, &Options::default()).unwrap();
    assert_eq!(of_retailers(&found), [("amazon.com".to_owned(), "1".to_owned())]);
    let missing: Vec<_> = found.requests.iter().flat_map(|request| &request.orders_left_out).collect();
    assert_eq!((missing.len(), missing[0].order_id.as_str()), (1, "2"), "{missing:?}");
    // The whole file has it.
    folder.file("in/a.csv", amazon(&[("1", "Amazon.com"), ("2", "Amazon.c")]));
    folder.file("in/b.csv", amazon(&[("1", "Amazon.com"), ("2", "Amazon.com")]));
    let found = read(&folder.0.path().join("in"), &Options::default()).unwrap();
    assert_eq!((of_retailers(&found).len(), found.found(FindingCode::SiteUnreadable).len()), (2, 1));
}

#[test]
fn a_website_that_is_not_known_is_a_retailer_and_reported_once() {
    let folder = Folder::new();
    let rows = [("1", "Amazon.com.au"), ("2", "panda01"), ("3", "Amazon.xy"), ("4", "Amazon.xy"), ("5", "AmazonFresh")];
    let found = read(&folder.file("orders.csv", amazon(&rows)), &Options::default()).unwrap();
    let [retailers, numbers]: [Vec<String>; 2] = {
        let (retailers, numbers) = of_retailers(&found).into_iter().unzip();
        [retailers, numbers]
    };
    assert_eq!(retailers, ["amazon.com.au", "panda01", "amazon.xy", "amazon.xy", "amazonfresh"]);
    assert_eq!(numbers, ["1", "2", "3", "4", "5"]);
    let codes: Vec<_> = found.findings.iter().map(|one| (one.code, one.row, one.shown.as_deref())).collect();
    assert_eq!(codes, [(FindingCode::SiteUnknown, Some(4), Some("Amazon.xy"))]);
}

#[test]
fn a_header_within_a_table_is_reported_and_is_no_order() {
    let folder = Folder::new();
    let [one, two] = ["1", "2"].map(|number| amazon(&[(number, "Amazon.com")]));
    let header = |read: &Read| {
        let [finding] = read.findings.as_slice() else { panic!("{read:?}") };
        assert_eq!((finding.code, finding.row), (FindingCode::RowWithoutOrder, Some(3)));
        assert!(finding.message.contains("repeats the header"), "{finding:?}");
        read.orders().len()
    };
    let joined = read(&folder.file("orders.csv", format!("{one}{two}")), &Options::default()).unwrap();
    assert_eq!(header(&joined), 2);
    let table = "Order,Item,Qty,Price\n1,Tea,1,2.00\nOrder , Item,Qty,Price\n2,Tea,1,2.00\n";
    assert_eq!(header(&folder.mapped(&folder.file("shop.csv", table), MAPPING).unwrap()), 2);
}

/// An order of Google Takeout with these lines, and currency and amount of its total.
fn takeout(lines: &str, total: (&str, u32)) -> String {
    let (code, amount) = total;
    format!(
        "{{\"merchantOrderId\": \"G-1\", \"creationTime\": {{\"usecSinceEpochUtc\": \"1767225600000000\"}}, \
         \"transactionMerchant\": {{\"name\": \"Example Store\"}}, \"lineItem\": [{lines}], \"priceline\": [{{\"type\": \
         \"TOTAL\", \"amount\": {{\"amountMicros\": \"{amount}000000\", \"currencyCode\": {{\"code\": \"{code}\"}}}}}}]}}"
    )
}

fn purchase(code: &str) -> String {
    format!(
        "{{\"purchase\": {{\"status\": \"DELIVERED\", \"quantity\": \"1\", \"productInfo\": {{\"name\": \"Tea\"}}, \
         \"unitPrice\": {{\"amountMicros\": \"5000000\", \"currencyCode\": {{\"code\": \"{code}\"}}}}}}}}"
    )
}

#[test]
fn an_order_without_lines_is_left_out_and_one_with_a_line_of_another_kind_is_marked() {
    let folder = Folder::new();
    let flight = "{\"name\": \"Flight\", \"flight\": {}}".to_owned();
    for lines in ["", flight.as_str(), "{\"purchase\": null}"] {
        let path = folder.file("order_1.json", takeout(lines, ("USD", 10)));
        let found = read(&path, &Options::default()).unwrap();
        let [request] = found.requests.as_slice() else { panic!("{found:?}") };
        let [left_out] = request.orders_left_out.as_slice() else { panic!("{found:?}") };
        assert_eq!((request.orders.len(), left_out.order_id.as_str()), (0, "G-1"), "{lines}");
        assert_eq!(request.retailer_name.as_deref(), Some("Example Store"));
        let [finding] = found.findings.as_slice() else { panic!("{found:?}") };
        assert_eq!((finding.code, finding.order_id.as_deref()), (FindingCode::OrderWithoutItems, Some("G-1")));
        assert!(!finding.message.contains("page"), "{finding:?}");
        let checked = check(&[path], &Options::default()).unwrap();
        assert_eq!((checked.report().orders, checked.report().rows_skipped), (0, 1), "{lines}");
    }
    let lines = format!("{}, {flight}", purchase("USD"));
    let found = read(&folder.file("order_1.json", takeout(&lines, ("USD", 5))), &Options::default()).unwrap();
    let [order] = found.orders()[..] else { panic!("{found:?}") };
    let mark = &order.mismatch[0];
    let count = |count: u32| Some(rust_decimal::Decimal::from(count));
    assert_eq!((mark.check.as_str(), mark.shown, mark.computed), ("page_lines", count(2), count(1)));
    let [finding] = found.findings.as_slice() else { panic!("{found:?}") };
    assert_eq!((finding.code, finding.order_id.as_deref()), (FindingCode::OrderIncomplete, Some("G-1")));
    assert!(finding.message.contains("1 of 2") && !finding.message.contains("page"), "{finding:?}");
    // A mapping, too.
    let mapping = "retailer = \"Shop\"\ncurrency = \"EUR\"\nlines = \"$.items[*]\"\n[columns]\norderId = \"$.id\"\n\
                   itemName = \"$.title\"\nlineTotal = \"$.total\"\n";
    let orders = "[{\"id\": 1, \"items\": []}, {\"id\": 2, \"items\": [{\"title\": \"Tea\", \"total\": 2.5}]}]";
    // The first order has to have what the format is recognised by.
    let orders = orders.replace("\"items\": []", "\"items\": [null]");
    let found = folder.mapped(&folder.file("shop.json", orders), mapping).unwrap();
    assert_eq!((found.orders().len(), found.found(FindingCode::OrderWithoutItems).len()), (1, 1), "{found:?}");
}

#[test]
fn an_order_in_two_currencies_is_left_out_whatever_the_user_says() {
    let folder = Folder::new();
    let [dollars, euros] = ["USD", "EUR"].map(purchase);
    for (lines, total) in [
        (format!("{dollars}, {euros}"), "USD"),
        (format!("{dollars}, {euros}, {dollars}"), "USD"),
        // The total is in another one than the lines.
        (dollars.clone(), "EUR"),
    ] {
        let path = folder.file("order_1.json", takeout(&lines, (total, 10)));
        for currency in [None, Some("USD".to_owned()), Some("GBP".to_owned())] {
            let found = read(&path, &Options { currency, ..Options::default() }).unwrap();
            assert_eq!((found.orders().len(), found.requests[0].orders_left_out.len()), (0, 1), "{lines}: {found:?}");
            let [finding] = found.findings.as_slice() else { panic!("{found:?}") };
            assert_eq!(
                (finding.code, finding.shown.as_deref()),
                (FindingCode::CurrencyConflict, Some("EUR")),
                "{lines}"
            );
        }
    }
    let path = folder.file("order_1.json", takeout(&format!("{dollars}, {dollars}"), ("USD", 10)));
    let found = read(&path, &Options { currency: Some("GBP".to_owned()), ..Options::default() }).unwrap();
    assert_eq!((found.orders()[0].currency.as_deref(), found.findings.len()), (Some("USD"), 0), "{found:?}");
}

#[test]
fn an_explained_mapping_leaves_dates_with_two_readings_to_the_user() {
    let folder = Folder::new();
    let table = |day: &str| {
        format!("Order,Date,Item,Qty,Price,Currency\n1,03/04/2026,Tea,1,2.00,EUR\n2,{day},Tea,1,2.00,EUR\n")
    };
    let path = folder.file("shop.csv", table("05/06/2026"));
    let mapping = explain(&path).unwrap();
    let open = "date_format = [\"%d/%m/%Y\", \"%m/%d/%Y\"] # nothing in the file proves which: delete the wrong one\n";
    assert!(mapping.contains(&format!("\n{open}")), "{mapping}");
    let refused = folder.mapped(&path, &mapping).unwrap_err();
    assert_eq!(refused.code, FindingCode::DateOrderUnknown);
    assert!(
        refused.message.contains("Delete the wrong one from `date_format`") && !refused.message.contains("like"),
        "{refused}"
    );
    for (form, day) in [("%d/%m/%Y", "2026-04-03"), ("%m/%d/%Y", "2026-03-04")] {
        let decided = mapping.replace(open, &format!("date_format = \"{form}\"\n"));
        let found = folder.mapped(&path, &decided).unwrap();
        assert!(found.orders()[0].order_date.unwrap().to_string().starts_with(day), "{found:?}");
    }
    // A longer file may prove it.
    let longer = folder.file("later.csv", table("05/26/2026"));
    let found = folder.mapped(&longer, &mapping).unwrap();
    assert!(found.orders()[0].order_date.unwrap().to_string().starts_with("2026-03-04"), "{found:?}");
    let proven = explain(&longer).unwrap();
    assert!(proven.contains("\ndate_format = \"%m/%d/%Y\"\n"), "{proven}");
}

#[test]
fn a_refusal_says_what_the_files_are_if_that_is_known() {
    let folder = Folder::new();
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let table = "Order ID;Artikel\n1;Käse\n";
    let [little, big] = [wide(table, u16::to_le_bytes), wide(table, u16::to_be_bytes)];
    let inner = zip(&[("orders.csv", table.as_bytes())]);
    let empty = folder.0.path().join("nothing");
    fs::create_dir(&empty).unwrap();
    for (path, said) in [
        (folder.file("empty.csv", ""), "No file can be read. empty.csv: The file is empty."),
        (folder.file("little.csv", &little), "No file can be read. little.csv: The file is UTF-16, and"),
        (folder.file("big.csv", &big), "No file can be read. big.csv: The file is UTF-16, and"),
        (folder.file("o.csv.gz", b"\x1f\x8b\x08\x00abc"), "No file can be read. o.csv.gz: The file is an archive"),
        (empty, "nothing has no file that can be read."),
        (folder.file("none.zip", zip(&[])), "none.zip has no file that can be read."),
        (
            folder.file("outer.zip", zip(&[("inner.zip", &inner)])),
            "outer.zip has no file that can be read. outer.zip/inner.zip: The file is an archive within an archive, and was left \
             out. Unpack it, and import its files.",
        ),
        (
            folder.file("wide.zip", zip(&[("a.csv", &little)])),
            "wide.zip has no file that can be read. wide.zip/a.csv: The file is UTF-16",
        ),
        (
            folder.file("e.zip", zip(&[("a.csv", b"")])),
            "e.zip has no file that can be read. e.zip/a.csv: The file is empty",
        ),
    ] {
        let refused = [read(&path, &Options::default()).unwrap_err(), folder.mapped(&path, MAPPING).unwrap_err()];
        for refused in refused {
            assert_eq!(refused.code, FindingCode::FormatUnknown);
            assert!(refused.message.contains(said) && !refused.message.contains("walmart"), "{refused}");
        }
    }
    // Beside orders, it is a finding, and other files are named as before.
    folder.file("in/a.csv", amazon(&[("1", "Amazon.com")]));
    folder.file("in/b.csv", "");
    folder.file("in/c.csv", &little);
    folder.file("in/d.zip", zip(&[("e.zip", &inner)]));
    let found = read(&folder.0.path().join("in"), &Options::default()).unwrap();
    let codes: Vec<_> = found.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes.len(), 3, "{found:?}");
    for code in [FindingCode::FileEmpty, FindingCode::EncodingUnknown, FindingCode::ArchiveNotRead] {
        assert!(codes.contains(&code), "{codes:?}");
    }
    folder.file("mixed/a.csv", "");
    folder.file("mixed/b.csv", "a,b\n1,2\n");
    let refused = read(&folder.0.path().join("mixed"), &Options::default()).unwrap_err();
    assert!(refused.message.contains("a.csv: The file is empty") && refused.message.contains("walmart"), "{refused}");
    let zeros = read(&folder.file("zeros.csv", [0; 64]), &Options::default()).unwrap_err();
    assert!(zeros.message.contains("walmart"), "{zeros}");
}
