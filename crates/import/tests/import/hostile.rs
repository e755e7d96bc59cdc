//! Files that are damaged, huge or made to do harm: each is refused, quickly, with its place, or read as it is.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ordersync_api::ImportRequest;
use ordersync_import::{FindingCode, Options, Refused, Request, check, explain};

use crate::support::Folder;

const MAPPING: &str = "retailer = \"Shop\"\ncurrency = \"EUR\"\ndecimal = \".\"\n[columns]\norderId = \"Order\"\n\
                       itemName = \"Item\"\nquantity = \"Qty\"\nlineTotal = \"Total\"\n";
const HEADER: &str = "Order,Item,Qty,Total\n";

impl Folder {
    fn options(&self) -> Options {
        let mapping = self.0.path().join("mapping.toml");
        if !mapping.exists() {
            fs::write(&mapping, MAPPING).unwrap();
        }
        Options { mapping: Some(mapping), ..Options::default() }
    }

    fn read(&self, path: &Path) -> Result<Vec<ImportRequest>, Refused> {
        check(&[path.to_owned()], &self.options())?.requests().map(|request| request.map(read)).collect()
    }

    /// Why a file is refused, and the row and the line.
    fn refused(&self, content: impl AsRef<[u8]>) -> (FindingCode, Option<u64>, Option<u64>) {
        let refused = self.read(&self.file("shop.csv", content)).unwrap_err();
        let first = refused.findings.first();
        (refused.code, first.and_then(|first| first.row), first.and_then(|first| first.line))
    }
}

/// A request, with its orders as the service reads them.
fn read(request: Request) -> ImportRequest {
    serde_json::from_value(serde_json::to_value(request).unwrap()).unwrap()
}

#[test]
fn a_table_that_is_cut_off_is_refused_with_its_line() {
    let folder = Folder::new();
    let at = |rest: &str| folder.refused(format!("{HEADER}1,A,1,2.00\n{rest}"));
    assert_eq!(at("2,B,1"), (FindingCode::CutOff, Some(3), Some(3)));
    assert_eq!(at("2,\"B,1,3.00\n"), (FindingCode::CutOff, Some(3), Some(3)));
    assert_eq!(at("2,\"B\n\n"), (FindingCode::CutOff, Some(3), Some(3)));
    assert_eq!(at("2,B\n3,C,1,2.00\n"), (FindingCode::RowWidth, Some(3), Some(3)));
    assert_eq!(at("2,B, with a comma,1,3.00\n3,C,1,2.00\n"), (FindingCode::RowWidth, Some(3), Some(3)));
    let whole = folder.file("shop.csv", format!("{HEADER}1,A,1,2.00,,\n\n2,B,1,3.00"));
    assert_eq!(folder.read(&whole).unwrap().iter().map(|request| request.orders.len()).sum::<usize>(), 2);
}

#[test]
fn a_quote_that_is_never_closed_does_not_take_the_memory_that_the_file_has() {
    let folder = Folder::new();
    let long = format!("{HEADER}1,\"A{}", "x,".repeat(3 << 20));
    assert_eq!(folder.refused(long), (FindingCode::TooLarge, Some(2), Some(2)));
}

#[test]
fn a_table_with_a_million_columns_is_not_one_of_ours() {
    let folder = Folder::new();
    assert_eq!(folder.refused(",".repeat(1 << 20)).0, FindingCode::FormatUnknown);
    assert_eq!(folder.refused(format!("{HEADER}{}\n", "1,".repeat(100_000))).0, FindingCode::TooLarge);
}

#[test]
fn files_without_text_are_refused_at_once_however_large_they_are() {
    let folder = Folder::new();
    assert_eq!(folder.refused("").0, FindingCode::FormatUnknown);
    assert_eq!(folder.refused([0; 4096]).0, FindingCode::FormatUnknown);
    assert_eq!(folder.refused(b"\xff\xfeO\0r\0d\0").0, FindingCode::FormatUnknown);
    let path = folder.0.path().join("zeros.csv");
    File::create(&path).unwrap().set_len(10 << 30).unwrap();
    let start = Instant::now();
    let refused = folder.read(&path).unwrap_err();
    assert!(refused.message.contains("--explain") && refused.message.contains("mapping.toml"), "{refused}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn json_that_is_damaged_or_too_large_is_refused() {
    let folder = Folder::new();
    let code = |content: &str| folder.read(&folder.file("a.json", content)).unwrap_err().code;
    let record = "{\"Order\": \"1\", \"Item\": \"A\", \"Qty\": 1, \"Total\": 2.50}";
    assert_eq!(folder.read(&folder.file("a.json", format!("[{record}]"))).unwrap().len(), 1);
    assert_eq!(code(&format!("[{record}, {{\"Order\"")), FindingCode::CutOff);
    assert_eq!(code(&format!("[{record}] x")), FindingCode::JsonInvalid);
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(code(&format!("[{record}, {deep}]")), FindingCode::JsonInvalid);
    let large = folder.0.path().join("large.json");
    let mut file = File::create(&large).unwrap();
    file.write_all(&[b'['; 1 << 16]).unwrap();
    file.set_len(1 << 30).unwrap();
    assert_eq!(folder.read(&large).unwrap_err().code, FindingCode::JsonInvalid);
    let long = format!("[{record}, {{\"Order\": \"{}\"}}]", "x".repeat(16 << 20));
    assert_eq!(folder.refused(&long), (FindingCode::TooLarge, Some(2), Some(1)));
    for (content, line) in [
        (format!("[{record},\n]"), 2),
        (format!("[,{record}]"), 1),
        (format!("[{record}\n{record}]"), 2),
        (format!("[\n{record},\n\n{{\"Order\":\n x}}]"), 5),
        (format!("[{record}, nul]"), 1),
        (format!("[{record}, 1.]"), 1),
        (format!("[{record}], 1"), 1),
    ] {
        let (code, _, at) = folder.refused(&content);
        assert_eq!((code, at), (FindingCode::JsonInvalid, Some(line)), "{content}");
    }
    for content in [format!("[{record}"), format!("[{record},"), "[".to_owned(), format!("[{record}, \"a")] {
        assert_eq!(code(&content), FindingCode::CutOff, "{content}");
    }
    let bytes = [b"[{\"Order\": \"".as_slice(), b"\xfc\"}]"].concat();
    fs::write(&large, bytes).unwrap();
    assert_eq!(folder.read(&large).unwrap_err().code, FindingCode::EncodingUnknown);
}

/// Each record is found again at its place, wherever that is in the file.
#[test]
fn a_list_of_json_is_read_record_by_record() {
    let folder = Folder::new();
    let record = |number: u32| format!("{{\"Order\": \"{number}\", \"Item\": \"Ä\", \"Qty\": 1, \"Total\": 2.50}}");
    let path = folder.0.path().join("large.json");
    let mut file = File::create(&path).unwrap();
    file.write_all(b"\xef\xbb\xbf[").unwrap();
    for number in 1..=3 {
        file.write_all(record(number).as_bytes()).unwrap();
        file.write_all(&vec![if number == 2 { b'\n' } else { b' ' }; 1 << 20]).unwrap();
        file.write_all(if number == 3 { b"]" } else { b"," }).unwrap();
    }
    drop(file);
    let requests = folder.read(&path).unwrap();
    let orders = requests.iter().flat_map(|request| &request.orders);
    let orders: Vec<_> = orders.map(|order| (order.order_id.as_str(), order.items[0].item_name.as_deref())).collect();
    assert_eq!(orders, [("1", Some("Ä")), ("2", Some("Ä")), ("3", Some("Ä"))]);
}

#[test]
fn json_lines_are_read_line_by_line_and_findings_name_the_line() {
    let folder = Folder::new();
    let record = |number: u32, quantity: &str| {
        format!("{{\"Order\": \"{number}\", \"Item\": \"Ä\", \"Qty\": \"{quantity}\", \"Total\": 2.50}}")
    };
    let [first, second, third] = [record(1, "1"), record(2, "many"), record(3, "1")];
    // The name does not matter, and neither do empty lines, the mark, the ends of lines, or how far apart the lines are.
    let gap = "\n".repeat(1 << 20);
    for (name, content, line) in [
        ("a.jsonl", format!("{first}\n{second}\n{third}\n"), 2),
        ("b.txt", format!("\u{feff}{first}\r\n\r\n{second}\r\n{third}"), 3),
        ("c.json", format!("\n{first}{gap}{second} \n {third}\n\n"), 2 + (1 << 20)),
    ] {
        let path = folder.file(name, content);
        let checked = check(std::slice::from_ref(&path), &folder.options()).unwrap();
        let findings = &checked.report().findings;
        let found = findings.iter().find(|finding| finding.code == FindingCode::AmountUnreadable).unwrap();
        assert_eq!((found.row, found.line), (Some(2), Some(line)), "{name}");
        let requests = folder.read(&path).unwrap();
        let orders = requests.iter().flat_map(|request| &request.orders);
        let orders: Vec<_> =
            orders.map(|order| (order.order_id.as_str(), order.items[0].item_name.as_deref())).collect();
        assert_eq!(orders, [("1", Some("Ä")), ("2", Some("Ä")), ("3", Some("Ä"))], "{name}");
        folder.file("proposed.toml", explain(&path).unwrap().replace("# currency", "currency"));
        let options = Options { mapping: Some(folder.0.path().join("proposed.toml")), ..Options::default() };
        assert_eq!(check(&[path], &options).unwrap().report().orders, 3, "{name}");
    }
    for (content, code, line) in [
        (format!("{first}\n{third}{third}\n"), FindingCode::JsonInvalid, 2),
        (format!("{first}\n{third},\n"), FindingCode::JsonInvalid, 2),
        (format!("{first}\n[{third}]\n"), FindingCode::JsonInvalid, 2),
        (format!("{first}\n{third}\nx"), FindingCode::JsonInvalid, 3),
        (format!("[{first}]\n{third}"), FindingCode::JsonInvalid, 2),
        (format!("{first}\n\n{}", &third[..20]), FindingCode::CutOff, 3),
        (format!("{first}\n{}\n{third}", &third[..20]), FindingCode::JsonInvalid, 3),
        (format!("{first}\n{{\"Order\": \"{}\"}}", "x".repeat(16 << 20)), FindingCode::TooLarge, 2),
    ] {
        let (refused, _, at) = folder.refused(&content);
        assert_eq!((refused, at), (code, Some(line)), "{:.200}", content);
    }
}

#[test]
fn one_document_may_have_many_orders() {
    let folder = Folder::new();
    let mapping = MAPPING.replace("[columns]", "records = \"$.orders[*]\"\nlines = \"$.items[*]\"\n[columns]");
    let mapping = mapping.replace("\"Order\"", "\"$.id\"").replace("\"Item\"", "\"$.title\"");
    folder.file("mapping.toml", mapping.replace("\"Qty\"", "\"$.qty\"").replace("\"Total\"", "\"$.total\""));
    let order =
        |id: u32| format!("{{\"id\": {id}, \"items\": [{{\"title\": \"T{id}\", \"qty\": 1, \"total\": 2.0}}]}}");
    let orders: Vec<String> = (1..=2_000).map(order).collect();
    let path = folder.file("a.json", format!("{{\"orders\": [{}]}}", orders.join(",")));
    let requests = folder.read(&path).unwrap();
    let numbers: Vec<&str> = requests.iter().flat_map(|one| &one.orders).map(|order| order.order_id.as_str()).collect();
    let sorted = |mut numbers: Vec<String>| {
        numbers.sort();
        numbers
    };
    let all = (1..=2_000).map(|id| id.to_string()).collect::<Vec<_>>();
    assert_eq!(sorted(numbers.iter().map(ToString::to_string).collect()), sorted(all));
}

#[test]
fn an_order_with_more_rows_than_an_order_can_have_is_refused() {
    let folder = Folder::new();
    let rows = format!("1,{},1,2.00\n", "A".repeat(1_000)).repeat(10_000);
    assert_eq!(folder.refused(format!("{HEADER}{rows}")).0, FindingCode::TooLarge);
}

#[test]
fn the_same_order_in_two_files_is_one_and_a_difference_is_reported() {
    let folder = Folder::new();
    let inside = folder.0.path().join("in");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("a.csv"), format!("{HEADER}1,A,1,2.00\n2,B,1,2.00\n")).unwrap();
    fs::write(inside.join("b.csv"), format!("{HEADER}1,A,1,2.00\n2,B,1,3.00\n")).unwrap();
    let checked = check(&[inside], &folder.options()).unwrap();
    assert_eq!((checked.report().orders, checked.report().lines), (2, 2));
    let [finding] = checked.report().findings.as_slice() else { panic!("{:?}", checked.report()) };
    let at = (finding.code, finding.file.as_str(), finding.row, finding.order_id.as_deref());
    assert_eq!(at, (FindingCode::OrderDiffers, "a.csv", Some(3), Some("2")));
    let request = read(checked.requests().next().unwrap().unwrap());
    assert_eq!(request.orders[1].items[0].line_total.unwrap().to_string(), "3.00");
}

#[test]
fn zip_archives_are_read_within_bounds() {
    let folder = Folder::new();
    let table = format!("{HEADER}1,A,1,2.00\n");
    let good = folder.zip("good.zip", &[("Orders/shop.csv", table.as_bytes()), ("Orders/guide.pdf", b"%PDF-1.7\n")]);
    let checked = check(std::slice::from_ref(&good), &folder.options()).unwrap();
    assert_eq!(checked.files()[0].name, "good.zip/Orders/shop.csv");
    assert_eq!(checked.report().findings[0].code, FindingCode::FileNotRecognised);
    assert_eq!(checked.requests().count(), 1);

    // No writer of archives makes such a path.
    for name in ["../../s.csv", "/abc/st.csv", "abc\\..\\..\\s", "a/../../b.c"] {
        let honest = "abc/def.csv";
        let mut archive = fs::read(folder.zip("bad.zip", &[(honest, table.as_bytes())])).unwrap();
        for start in 0..archive.len() - honest.len() {
            if &archive[start..start + honest.len()] == honest.as_bytes() {
                archive[start..start + honest.len()].copy_from_slice(&name.as_bytes()[..honest.len()]);
            }
        }
        let path = folder.file("bad.zip", archive);
        assert_eq!(folder.read(&path).unwrap_err().code, FindingCode::UnsafePath, "{name}");
    }
    let bomb = vec![b' '; 20 << 20];
    let bomb = folder.zip("bomb.zip", &[("shop.csv", &bomb)]);
    assert_eq!(folder.read(&bomb).unwrap_err().code, FindingCode::TooLarge);

    let bytes = fs::read(&good).unwrap();
    let cut = folder.file("cut.zip", &bytes[..bytes.len() - 30]);
    assert_eq!(folder.read(&cut).unwrap_err().code, FindingCode::ZipInvalid);
    let mut changed = bytes;
    changed[50] ^= 0x55;
    assert_eq!(folder.read(&folder.file("changed.zip", changed)).unwrap_err().code, FindingCode::ZipInvalid);
}

#[test]
fn encodings_that_are_mixed_or_unknown_are_refused_and_never_replaced() {
    let folder = Folder::new();
    let mixed = [HEADER.as_bytes(), "1,Käse,1,2.00\n".as_bytes(), b"2,K\xe4se,1,2.00\n"].concat();
    assert_eq!(folder.refused(mixed), (FindingCode::EncodingUnknown, Some(3), Some(3)));
    let western = folder.file("shop.csv", [HEADER.as_bytes(), b"2,K\xe4se,1,2.00\n"].concat());
    let checked = check(&[western], &folder.options()).unwrap();
    assert_eq!(checked.report().findings[0].code, FindingCode::EncodingPresumed);
    let request = read(checked.requests().next().unwrap().unwrap());
    assert_eq!(request.orders[0].items[0].item_name.as_deref(), Some("Käse"));
}

#[test]
fn amounts_beyond_reason_are_reported_and_do_not_stop_the_program() {
    let folder = Folder::new();
    let huge = "79228162514264337593543950335";
    let path = folder.file("shop.csv", format!("{HEADER}1,A,{huge},{huge}\n1,B,1,1.5.5\n1,C,1,3.00\n"));
    let checked = check(&[path], &folder.options()).unwrap();
    let unreadable = checked.report().counts[&FindingCode::AmountUnreadable];
    assert_eq!(unreadable, 3);
    let request = read(checked.requests().next().unwrap().unwrap());
    let totals: Vec<bool> = request.orders[0].items.iter().map(|item| item.line_total.is_some()).collect();
    assert_eq!(totals, [false, false, true]);
}

#[test]
fn only_files_are_read_and_no_links_are_followed() {
    let folder = Folder::new();
    let table = format!("{HEADER}1,A,1,2.00\n");
    let inside = folder.0.path().join("in");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("shop.csv"), &table).unwrap();
    fs::write(inside.join("notes.txt"), "nothing to see").unwrap();
    fs::write(inside.join("notes.md"), "[a link](to.a.page)").unwrap();
    File::create(inside.join("places.json")).unwrap().write_all(b"{\"places\": [").unwrap();
    File::options().append(true).open(inside.join("places.json")).unwrap().write_all(&vec![b' '; 65 << 20]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.file("other.csv", &table), inside.join("link.csv")).unwrap();
    let checked = check(&[inside], &folder.options()).unwrap();
    let codes: Vec<FindingCode> = checked.report().findings.iter().map(|finding| finding.code).collect();
    assert!(codes.contains(&FindingCode::FileNotRecognised));
    assert!(codes.contains(&FindingCode::JsonInvalid) && codes.contains(&FindingCode::TooLarge), "{codes:?}");
    assert_eq!(codes.contains(&FindingCode::UnsafePath), cfg!(unix));
    assert_eq!(checked.report().orders, 1);
    #[cfg(unix)]
    assert_eq!(folder.read(Path::new("/dev/null")).unwrap_err().code, FindingCode::FileUnreadable);
}

#[test]
fn a_file_that_changes_between_the_check_and_the_requests_is_refused() {
    let folder = Folder::new();
    let path = folder.file("shop.csv", format!("{HEADER}1,A,1,2.00\n"));
    let checked = check(std::slice::from_ref(&path), &folder.options()).unwrap();
    fs::write(path, format!("{HEADER}1,A,1,2.00\n2,B,1,3.00\n")).unwrap();
    assert_eq!(checked.requests().next().unwrap().unwrap_err().code, FindingCode::FileChanged);
    // Nothing follows.
    assert_eq!(checked.requests().count(), 1);
}

#[test]
fn a_file_that_changes_between_two_requests_is_refused() {
    let folder = Folder::new();
    let table = |title: &str| {
        let rows: String = (0..1_200).map(|order| format!("{order:04},{title},1,2.00\n")).collect();
        format!("{HEADER}{rows}")
    };
    let path = folder.file("shop.csv", table("Teapot"));
    let checked = check(std::slice::from_ref(&path), &folder.options()).unwrap();
    let mut requests = checked.requests();
    assert_eq!(requests.next().unwrap().unwrap().orders.len(), 500);
    // As long as before, and with the same rows in the same places.
    fs::write(path, table("Kettle")).unwrap();
    assert_eq!(requests.next().unwrap().unwrap_err().code, FindingCode::FileChanged);
    assert!(requests.next().is_none());
}

#[test]
fn requests_are_small_and_have_every_order_once() {
    let folder = Folder::new();
    let mut text = HEADER.to_owned();
    // The rows of an order are far apart.
    for round in 0..2 {
        for order in 0..1_200 {
            text.push_str(&format!("{order},{round},1,2.00\n"));
        }
    }
    let requests = folder.read(&folder.file("shop.csv", text)).unwrap();
    assert_eq!(requests.iter().map(|request| request.orders.len()).collect::<Vec<_>>(), [500, 500, 200]);
    let orders: Vec<_> = requests.iter().flat_map(|request| &request.orders).collect();
    for (number, order) in orders.iter().enumerate() {
        assert_eq!(order.order_id, number.to_string());
        assert_eq!(
            order.items.iter().map(|item| item.item_name.as_deref()).collect::<Vec<_>>(),
            [Some("0"), Some("1")]
        );
    }
}

#[test]
fn a_date_with_two_readings_is_refused_until_the_file_or_the_user_says_which() {
    let folder = Folder::new();
    let mapping =
        MAPPING.replace("[columns]", "date_format = [\"%d/%m/%Y\", \"%m/%d/%Y\"]\n[columns]\norderDate = \"Date\"");
    folder.file("mapping.toml", mapping);
    let table = |day: &str| format!("Order,Item,Qty,Total,Date\n1,A,1,2.00,07/08/2022\n2,B,1,2.00,{day}\n");
    assert_eq!(folder.refused(table("01/02/2022")).0, FindingCode::DateOrderUnknown);
    for (day, first) in [("13/07/2022", "2022-08-07T12:00:00Z"), ("07/13/2022", "2022-07-08T12:00:00Z")] {
        let requests = folder.read(&folder.file("shop.csv", table(day))).unwrap();
        assert_eq!(requests[0].orders[0].order_date.unwrap().to_string(), first, "{day}");
    }
}

#[test]
fn an_explained_mapping_reads_the_file_that_it_was_made_for() {
    let folder = Folder::new();
    let table =
        "Bestellnummer;Datum;Artikel;Menge;Einzelpreis;Gesamt;Notiz\n1;31.01.2026;Seife;2;1.249,50;2.499,00;-\n";
    let path = folder.file("Laden.csv", table);
    let mapping = explain(&path).unwrap();
    assert!(mapping.contains("Not used: \"Notiz\""), "{mapping}");
    folder.file("mapping.toml", mapping.replace("# currency", "currency").replace("# time_zone", "time_zone"));
    let requests = folder.read(&path).unwrap();
    let order = &requests[0].orders[0];
    assert_eq!(requests[0].retailer_name.as_deref(), Some("Laden"));
    assert_eq!((order.order_id.as_str(), order.items[0].item_name.as_deref()), ("1", Some("Seife")));
    assert_eq!(order.items[0].line_total.unwrap().to_string(), "2499.00");
    assert_eq!(order.items[0].price.unwrap().to_string(), "1249.50");
    assert_eq!(order.order_date.unwrap().to_string(), "2026-01-31T11:00:00Z");

    let document = "[{\"orderNumber\": \"7\", \"date\": \"2026-01-31\", \"items\": [{\"title\": \"Soap\", \"qty\": 2, \"total\": 3.50}]}]";
    let path = folder.file("shop.json", document);
    folder.file("mapping.toml", explain(&path).unwrap().replace("# currency", "currency"));
    let order = &folder.read(&path).unwrap()[0].orders[0];
    assert_eq!((order.order_id.as_str(), order.items[0].item_name.as_deref()), ("7", Some("Soap")));
    assert_eq!(order.items[0].line_total.unwrap().to_string(), "3.50");
}

#[test]
fn a_file_that_could_be_read_in_another_form_is_refused_with_the_form() {
    let folder = Folder::new();
    let utf_16: Vec<u8> = "\u{feff}Order ID,ASIN\n1,B0\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for options in [Options::default(), folder.options()] {
        let refused = |path: PathBuf| check(&[path], &options).unwrap_err();
        let Refused { code, message, .. } = refused(folder.file("plain.csv", "a,b\n1,2\n"));
        assert!(code == FindingCode::FormatUnknown && !message.contains("UTF-"), "{message}");
        let Refused { code, message, .. } = refused(folder.file("wide.csv", &utf_16));
        let said = "wide.csv: The file is UTF-16, and was left out. Save it as UTF-8";
        assert!(code == FindingCode::FormatUnknown && message.contains(said), "{message}");
    }
}

/// The totals of orders, and of the first lines, that a proposed mapping reads.
fn proposed(name: &str, text: &str) -> (String, Vec<[Option<String>; 2]>) {
    let folder = Folder::new();
    let path = folder.file(name, text);
    let mapping = explain(&path).unwrap();
    folder.file("mapping.toml", mapping.replace("# currency", "currency"));
    let requests = folder.read(&path).unwrap();
    let orders = requests.iter().flat_map(|request| &request.orders);
    let totals = orders.map(|order| {
        assert!(order.items.iter().all(|item| item.item_name.is_some()), "{order:?}");
        [order.order_total, order.items[0].line_total].map(|total| total.map(|total| total.to_string()))
    });
    let totals = totals.collect();
    (mapping, totals)
}

#[test]
fn the_total_of_an_order_is_not_proposed_as_that_of_a_line() {
    let is = |order: Option<&str>, line: Option<&str>| vec![[order, line].map(|total| total.map(str::to_owned))];
    for (columns, rows, totals) in [
        ("Qty,Price,Order Total", ["1,2.00,5.00", "1,3.00,5.00"], is(Some("5.00"), Some("2.00"))),
        ("Qty,Line Total,Order Total", ["1,2.00,5.00", "1,3.00,5.00"], is(Some("5.00"), Some("2.00"))),
        ("Order Total,Item Total", ["5.00,2.00", "5.00,3.00"], is(Some("5.00"), Some("2.00"))),
        // Without the word: all rows of the order repeat it, or the prices prove it.
        ("Qty,Price,Total", ["1,2.00,5.00", "1,3.00,5.00"], is(Some("5.00"), Some("2.00"))),
        ("Qty,Price,Total", ["1,2.00,2.00", "2,1.00,2.00"], is(None, Some("2.00"))),
        ("Qty,Total", ["1,2.00", "2,3.00"], is(None, Some("2.00"))),
    ] {
        let rows = rows.map(|row| format!("1,2026-01-02,Tea,{row}\n")).concat();
        let (mapping, found) = proposed("shop.csv", &format!("Order number,Order Date,Title,{columns}\n{rows}"));
        assert_eq!(found, totals, "{mapping}");
        assert!(!mapping.contains("nothing in the file proves which"), "{mapping}");
    }
    // One row for each order: it may be either.
    let (mapping, _) = proposed("shop.csv", "Order number,Title,Total\n1,Tea,2.00\n2,Cup,3.00\n");
    assert!(mapping.contains("lineTotal = \"Total\" # or orderTotal: nothing"), "{mapping}");
    let (mapping, _) = proposed("shop.csv", "Order Date,Order Total,Order,Title\n2026-01-02,2.00,1,Tea\n");
    assert!(mapping.contains("orderId = \"Order\"\n") && mapping.contains("# lineTotal = "), "{mapping}");
}

#[test]
fn a_mapping_is_proposed_for_lists_within_lists() {
    let items = "[{\"product\": {\"name\": \"Tea\"}, \"qty\": 2, \"price\": {\"amount\": \"2.00\"}}, \
                 {\"product\": {\"name\": \"Cup\"}, \"qty\": 1, \"price\": {\"amount\": \"1.00\"}}]";
    let order = |lines: &str| {
        format!(
            "{{\"id\": 7, \"orderDate\": \"2026-01-02\", \"status\": \"shipped\", \"totals\": {{\"grand\": \"5.00\"}}, {lines}}}"
        )
    };
    let plain = order(&format!("\"items\": {items}"));
    let deep = order(&format!("\"basket\": {{\"lines\": {items}}}, \"payments\": [{{\"kind\": \"card\"}}]"));
    let grouped = order(&format!("\"parcels\": [{{\"carrier\": \"Post\", \"items\": {items}}}]"));
    for (document, paths) in [
        (format!("[{plain}]"), "lines = \"$['items'][*]\"\n"),
        (format!("{plain}\n{}\n", plain.replace("7", "8")), "lines = \"$['items'][*]\"\n"),
        (
            format!("{{\"count\": 1, \"orders\": [{plain}]}}"),
            "records = \"$['orders'][*]\"\nlines = \"$['items'][*]\"\n",
        ),
        (
            format!("{{\"data\": {{\"purchases\": [{deep}]}}}}"),
            "records = \"$['data']['purchases'][*]\"\nlines = \"$['basket']['lines'][*]\"\n",
        ),
        (format!("[{grouped}]"), "groups = \"$['parcels'][*]\"\nlines = \"$['items'][*]\"\n"),
        (
            format!("{{\"orders\": [{grouped}]}}"),
            "records = \"$['orders'][*]\"\ngroups = \"$['parcels'][*]\"\nlines = \"$['items'][*]\"\n",
        ),
    ] {
        let (mapping, totals) = proposed("shop.json", &document);
        assert!(mapping.contains(paths), "{mapping}");
        assert!(mapping.contains("shipmentStatus = \"order:$['status']\""), "{mapping}");
        assert_eq!(totals[0], [Some("5.00".to_owned()), Some("4.00".to_owned())], "{mapping}");
    }
    // Very many values are no reason to wait.
    let wide = |name: &str| (0..100_000).map(|number| format!("\"{name}{number}\": 1, ")).collect::<String>();
    let document = format!("{{{}\"orders\": [{{\"orderNumber\": 1, {}\"x\": 1}}]}}", wide("a"), wide("b"));
    let folder = Folder::new();
    let began = std::time::Instant::now();
    explain(&folder.file("wide.json", &document)).unwrap();
    assert!(began.elapsed() < std::time::Duration::from_secs(60), "{:?}", began.elapsed());
    // A list of lines in an object, without more.
    let rows = "{\"rows\": [{\"order\": \"1\", \"title\": \"Tea\", \"lineTotal\": \"2.00\"}]}";
    let (mapping, totals) = proposed("shop.json", rows);
    assert!(mapping.contains("records = \"$['rows'][*]\"") && mapping.contains("orderId = \"order\""), "{mapping}");
    assert_eq!(totals, [[None, Some("2.00".to_owned())]]);
}

#[test]
fn a_mapping_that_only_names_the_date_format_keeps_the_columns() {
    let folder = Folder::new();
    let table = "Order ID,Order Date,ASIN/ISBN,Title,Purchase Price Per Unit,Quantity,Item Total,Website\n\
                 1,03/04/2020,B000000001,Cup,€1.00,1,€1.00,Amazon.de\n";
    let path = folder.file("items.csv", table);
    let refused = check(std::slice::from_ref(&path), &Options::default()).unwrap_err();
    assert_eq!(refused.code, FindingCode::DateOrderUnknown);
    folder.file("mapping.toml", "like = \"amazon-items\"\ndate_format = \"%d/%m/%Y\"\n");
    let requests = folder.read(&path).unwrap();
    let [order] = requests[0].orders.as_slice() else { panic!("{requests:?}") };
    assert_eq!(order.order_date.unwrap().to_string(), "2020-04-03T12:00:00Z");
}
