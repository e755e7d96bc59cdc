//! Files that leave something open, or are not whole: nothing is guessed, lost or doubled without a finding.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

use std::fs;
use std::path::{Path, PathBuf};

use ordersync_api::{ImportRequest, ImportedOrder};
use ordersync_import::{Finding, FindingCode, Options, Refused, check, explain};

const MAPPING: &str = "retailer = \"Shop\"\ncurrency = \"EUR\"\n[columns]\norderId = \"Order\"\nitemName = \"Item\"\n\
                       quantity = \"Qty\"\nprice = \"Price\"\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The result of reading a file with a mapping.
    fn mapped(&self, path: &Path, mapping: &str) -> Result<Read, Refused> {
        let mapping = self.file("mapping/mapping.toml", mapping);
        read(path, &Options { mapping: Some(mapping), ..Options::default() })
    }
}

/// What an import sends and reports.
#[derive(Debug)]
struct Read {
    requests: Vec<ImportRequest>,
    findings: Vec<Finding>,
    notes: Vec<String>,
}

impl Read {
    fn orders(&self) -> Vec<&ImportedOrder> {
        self.requests.iter().flat_map(|request| &request.orders).collect()
    }
}

fn read(path: &Path, options: &Options) -> Result<Read, Refused> {
    let checked = check(&[path.to_owned()], options)?;
    let requests =
        checked.requests().map(|request| serde_json::from_value(serde_json::to_value(request.unwrap()).unwrap()));
    let requests = requests.map(Result::unwrap).collect();
    Ok(Read { requests, findings: checked.report().findings.clone(), notes: checked.report().notes.clone() })
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
    // The decimal sign of a JSON number is a point, whatever that of its texts is.
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
