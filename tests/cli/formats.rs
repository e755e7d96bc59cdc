//! The forms of an export: columns, compression, Parquet, CSV for Excel.

use std::process::Command;

use crate::support::Home;

#[test]
fn an_export_has_the_form_that_its_name_and_flags_say() {
    let home = Home::new();
    home.connect("user_good", &[]).ends(0);
    let plain = home.run(&["orders", "export"]).ends(0).out;
    home.run(&["orders", "export", "--out", "orders.csv.gz"]).ends(0);
    let unpacked = Command::new("gzip").args(["-dc", "orders.csv.gz"]).current_dir(home.path()).output().expect("gzip");
    assert_eq!(String::from_utf8_lossy(&unpacked.stdout), plain);
    home.run(&["orders", "export", "--out", "orders.parquet"]).ends(0);
    let parquet = std::fs::read(home.path().join("orders.parquet")).expect("parquet");
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));

    let some = home.run(&["orders", "export", "--columns", "Price,id"]).ends(0).out;
    assert_eq!(some.lines().next(), Some("Price,id"));
    assert_eq!(
        some.lines().count(),
        home.run(&["orders", "export", "--format", "jsonl"]).ends(0).out.lines().count() + 1
    );
    let first = home.run(&["orders", "export", "--format", "jsonl", "--columns", "price,id"]).ends(0).out;
    assert!(first.starts_with("{\"price\":"), "{first}");
    let excel = home.run(&["orders", "export", "--excel-safe", "--columns", "orderId"]).ends(0).out;
    assert!(excel.starts_with("\u{feff}Retailer Order ID\r\n\"=\"\""), "{excel}");
}

#[test]
fn what_cannot_be_is_said_before_the_service_is_asked() {
    let home = Home::new();
    home.run(&["orders", "export", "--columns"]).ends(0).prints("retailerSku");
    home.run(&["orders", "export", "--columns", "prise"]).ends(2).says("Did you mean price?");
    home.run(&["orders", "export", "--out", "orders.parquet.gz"]).ends(2).says("compressed within");
    home.run(&["orders", "export", "--format", "json", "--excel-safe"]).ends(2).says("--excel-safe is for CSV");
}
