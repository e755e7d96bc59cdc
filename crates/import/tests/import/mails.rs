//! Mails that are strange, damaged or many: each is read as what it is, or left out with its place, and none stops the others.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use ordersync_api::{Adjustment, AdjustmentType, ImportedOrder};
use ordersync_import::{FindingCode, Options, Report, check};
use rawzip::{CompressionMethod, ZipArchiveWriter};

fn html(number: u32, title: &str) -> String {
    let amount = "<span class=\"woocommerce-Price-amount amount\">€3.00</span>";
    format!(
        "<p>We have finished processing your order.</p>\n<h2>[Order #{number}] (<time datetime=\"2024-01-01T10:00:00+00:00\">x\
         </time>)</h2>\n<table><tr class=\"order_item\"><td>{title}</td><td>1</td><td>{amount}</td></tr></table>\n<table><tr><th \
         scope=\"row\">Total:</th><td>{amount}</td></tr></table>\n"
    )
}

fn mail(headers: &str, body: &str) -> String {
    format!("From: Shop <a@shop.example>\nDate: Mon, 1 Jan 2024 10:00:05 +0000\n{headers}\n{body}")
}

fn order_mail(number: u32) -> String {
    mail("Subject: Your order\nContent-Type: text/html; charset=utf-8\n", &html(number, "Mug"))
}

fn read(path: &Path) -> (Vec<ImportedOrder>, Report) {
    let checked = check(&[path.to_owned()], &Options::default()).unwrap();
    let orders = checked.requests().flat_map(|request| {
        let request = request.unwrap();
        assert_eq!(request.retailer_name.as_deref(), Some("shop.example"));
        request.orders.into_iter().map(|order| serde_json::from_str(order.get()).unwrap())
    });
    (orders.collect(), checked.report().clone())
}

/// The titles that come of one mail, and the codes of the findings.
fn of(mail: impl AsRef<[u8]>) -> (Vec<String>, Vec<FindingCode>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mail");
    fs::write(&path, mail).unwrap();
    let (orders, report) = read(&path);
    let items = orders.into_iter().flat_map(|order| order.items);
    let titles = items.map(|item| item.item_name.unwrap_or_default()).collect();
    (titles, report.findings.into_iter().map(|finding| finding.code).collect())
}

fn is_read(mail: impl AsRef<[u8]>) {
    let shown = String::from_utf8_lossy(mail.as_ref()).into_owned();
    assert_eq!(of(mail), (vec!["Mug".to_owned()], Vec::new()), "{:.300}", shown);
}

fn base64(text: &str) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            written.push(char::from(SIGNS[(bits >> (18 - 6 * place) & 63) as usize]));
        }
        written.push_str(&"="[..usize::from(chunk.len() != 3)].repeat(3 - chunk.len()));
    }
    written
}

#[test]
fn a_mailbox_may_have_lines_without_a_time_between_its_mails() {
    let ends = |title: &str, order: u32| order_mail(order).replace("Mug", title);
    for from in ["From ", "From", "From - ", "From ada@mail.example", "From ada 2024-05-01T08:00:05Z"] {
        let [first, second, third] = [("Mug", 1), ("Cup", 2), ("Pot", 3)].map(|(title, order)| ends(title, order));
        let dated = "From ada@mail.example Mon Jan  1 10:00:05 2024";
        let hello =
            "<p>Hello,\nFrom all of us\nto you.\n\nFrom Berlin\nDelivery: free\n\nFrom us, too: thanks.\n</p><p>";
        let text = first.replacen("<p>", hello, 1);
        let mailbox = format!("\n{from}\n{text}\n{from}\r\nX-Mozilla-Status: 0001\n{second}\n{dated}\n{third}");
        let titles = ["Mug", "Cup", "Pot"].map(str::to_owned).to_vec();
        assert_eq!(of(&mailbox), (titles, Vec::new()), "{from}");
    }
}

#[test]
fn a_refund_that_several_mails_tell_counts_once() {
    let amount = |amount: &str| format!("<span class=\"woocommerce-Price-amount amount\">-€{amount}</span>");
    let refunded = |minute: u32, amounts: &[&str]| {
        let row = |one: &&str| {
            format!("<tr class=\"order-totals-refund\"><th scope=\"row\">Refund:</th><td>{}</td></tr>", amount(one))
        };
        let rows: String = amounts.iter().map(row).collect();
        let page = html(1, "Mug").replacen("<table><tr><th", &format!("<table>{rows}<tr><th"), 1);
        let begins = format!("From a@shop.example Mon Jan  1 10:{minute:02}:05 2024\n");
        let sent = mail("Subject: x\nContent-Type: text/html; charset=utf-8\n", &page);
        begins + &sent.replacen("10:00:05", &format!("10:{minute:02}:05"), 1) + "\n"
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mails");
    let refunds_of = |mails: &[(u32, &[&str])]| {
        fs::write(&path, mails.iter().map(|(minute, amounts)| refunded(*minute, amounts)).collect::<String>()).unwrap();
        let (orders, _) = read(&path);
        let [order] = orders.as_slice() else { panic!("{orders:?}") };
        let mut refunds: Vec<String> = order.adjustments.iter().map(|one| one.amount.to_string()).collect();
        refunds.sort();
        refunds
    };
    assert_eq!(refunds_of(&[(1, &["1.00"]), (2, &["1.00", "0.50"])]), ["-0.50", "-1.00"]);
    // Two of the same amount are two.
    assert_eq!(refunds_of(&[(1, &["1.00"]), (2, &["1.00", "1.00"])]), ["-1.00", "-1.00"]);
    // A mail that was sent again may lack them.
    assert_eq!(refunds_of(&[(1, &["1.00"]), (2, &[])]), ["-1.00"]);
}

#[test]
fn an_order_has_the_date_of_the_mail_that_its_status_is_from() {
    let folder = tempfile::tempdir().unwrap();
    let stated = |mails: &[(&str, &str)]| {
        let path = folder.path().join("mails");
        let written = mails.iter().map(|(date, says)| {
            let page = html(1, "Mug").replace("We have finished processing your order", says);
            let sent = mail("Subject: x\nContent-Type: text/html; charset=utf-8\n", &page);
            let begins = "From a@shop.example Mon Jan  1 10:00:05 2024\n";
            begins.to_owned() + &sent.replacen("Date: Mon, 1 Jan 2024 10:00:05 +0000", date, 1) + "\n"
        });
        fs::write(&path, written.collect::<String>()).unwrap();
        let (orders, _) = read(&path);
        let status = orders[0].items[0].shipment_status.as_ref().map(ToString::to_string).unwrap_or_default();
        (status, orders[0].stated_at.map(|at| at.to_string()))
    };
    let (processing, completed) = ("It is now being processed", "We have finished processing your order");
    let [first, third] = [1, 3].map(|day| format!("Date: {day} Jan 2024 12:00:05 +0200"));
    let is = |status: &str, at: Option<&str>| (status.to_owned(), at.map(str::to_owned));
    let both = [(third.as_str(), completed), (first.as_str(), processing)];
    assert_eq!(stated(&both), is("completed", Some("2024-01-03T10:00:05Z")));
    // The newest says nothing of the status.
    let both = [(third.as_str(), "A note was added"), (first.as_str(), processing)];
    assert_eq!(stated(&both), is("processing", Some("2024-01-01T10:00:05Z")));
    assert_eq!(stated(&[("X-Other: x", completed)]), is("completed", None));
    assert_eq!(stated(&[("Date: 1 Jan 2640 10:00:00 +0000", completed)]), is("completed", None));
}

#[test]
fn a_label_that_may_mean_two_things_decides_nothing() {
    let row = "<tr><th scope=\"row\">Gift card fee:</th><td><span class=\"woocommerce-Price-amount amount\">€1.00</span></td></tr>";
    let page = html(1, "Mug").replacen("<table><tr><th", &format!("<table>{row}<tr><th"), 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mail");
    fs::write(&path, mail("Subject: x\nContent-Type: text/html; charset=utf-8\n", &page)).unwrap();
    let (orders, _) = read(&path);
    let [figure] = orders[0].adjustments.as_slice() else { panic!("{orders:?}") };
    assert!(figure.kind.is(&AdjustmentType::Other), "{figure:?}");
}

#[test]
fn what_was_paid_is_a_payment_and_what_is_owed_is_none() {
    let row = |label: &str, value: &str| format!("<tr><th scope=\"row\">{label}:</th><td>{value}</td></tr>");
    let amount = |amount: &str| format!("<span class=\"woocommerce-Price-amount amount\">€{amount}</span>");
    let rows = [
        row("Payment method", "Credit card"),
        row("Amount paid", &amount("2.00")),
        row("Future Payments", &amount("3.00")),
        row("Paid", "later"),
    ];
    let page = html(1, "Mug").replacen("<table><tr><th", &format!("<table>{}<tr><th", rows.concat()), 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mail");
    fs::write(&path, mail("Subject: x\nContent-Type: text/html; charset=utf-8\n", &page)).unwrap();
    let (orders, _) = read(&path);
    let shown = |one: &Adjustment| format!("{} {} {}", one.kind, one.amount, one.included);
    let kept: Vec<String> = orders[0].adjustments.iter().map(shown).collect();
    assert_eq!(kept, ["payment 2.00 false", "other 3.00 true"]);
}

#[test]
fn broken_mime_is_read_as_far_as_it_goes() {
    let parts = format!("preamble\n--x\nContent-Type: text/html\n\n{}", html(1, "Mug"));
    is_read(mail("Subject: x\nContent-Type: multipart/mixed; boundary=x\n", &parts));
    let unclosed = format!("--y\nContent-Type: multipart/alternative; boundary=x\n\n{parts}\n--y--\n");
    is_read(mail("Subject: x\nContent-Type: multipart/mixed; boundary=y\n", &unclosed));
    let lost = mail("Subject: x\nContent-Type: multipart/mixed; boundary=z\n", &parts);
    assert_eq!(of(lost), (Vec::new(), Vec::new()));
    // Cut off below the lines: it is unknown how much is missing.
    let cut = order_mail(1);
    let cut = &cut[..cut.find("Total").unwrap()];
    assert_eq!(of(cut), (Vec::new(), vec![FindingCode::MailUnreadable]));
    let left_out = |mails: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        for (number, mail) in mails.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}.eml")), mail).unwrap();
        }
        let checked = check(&[folder.path().to_owned()], &Options::default()).unwrap();
        let requests: Vec<_> = checked.requests().map(Result::unwrap).collect();
        let orders: usize = requests.iter().map(|request| request.orders.len()).sum();
        let missing = requests.into_iter().flat_map(|request| request.orders_left_out);
        (orders, missing.map(|order| order.order_id).collect::<Vec<_>>())
    };
    assert_eq!(left_out(&[cut, &order_mail(2)]), (1, vec!["1".to_owned()]));
    // Another mail has all of it.
    assert_eq!(left_out(&[cut, &order_mail(1)]), (1, Vec::new()));
    let reply = cut.replace("Subject: ", "Subject: Re: ");
    assert_eq!(left_out(&[&reply, &order_mail(2)]), (1, Vec::new()));
}

#[test]
fn a_wrong_charset_is_noticed() {
    let headers = |charset: &str| format!("Subject: x\nContent-Type: text/html; charset={charset}\n");
    let german = html(1, "Grüße 日本茶").replace('€', "EUR ");
    let (titles, codes) = of(mail(&headers("iso-8859-1"), &german));
    assert_eq!((titles, codes), (vec!["Grüße 日本茶".to_owned()], vec![FindingCode::EncodingPresumed]));
    let latin = mail(&headers("utf-8"), &html(1, "Gruesse").replace('€', "EUR "));
    let latin: Vec<u8> =
        latin.replace("Gruesse", "Gr\u{1}e").bytes().map(|byte| if byte == 1 { 0xfc } else { byte }).collect();
    assert_eq!(of(latin), (vec![String::new()], vec![FindingCode::EncodingUnknown]));
    is_read(mail(&headers("no-such-charset"), &html(1, "Mug").replace('€', "EUR ")));
}

#[test]
fn headers_may_have_8_bits_or_signs_that_turn_the_direction() {
    let mail =
        order_mail(1).replace("Subject: Your order", "Subject: \u{202e}redro ruoY\u{202c} \u{200f}#1\nX-Broken header");
    is_read(&mail);
    let latin = mail.replace("Shop <", "Sh\u{1}p <").into_bytes();
    is_read(latin.into_iter().map(|byte| if byte == 1 { 0xf6 } else { byte }).collect::<Vec<u8>>());
    assert_eq!(
        of(mail.replace("a@shop.example", "a@\u{202e}shop.example")),
        (Vec::new(), vec![FindingCode::MailUnreadable])
    );
}

#[test]
fn a_mail_that_is_attached_to_another_is_the_original() {
    let mut forwarded = order_mail(1);
    for round in 0..2 {
        let headers = format!(
            "From: me@home.example\nSubject: Fwd: your order\nContent-Type: multipart/mixed; boundary=b{round}\n"
        );
        forwarded = format!("{headers}\n--b{round}\nContent-Type: message/rfc822\n\n{forwarded}\n--b{round}--\n");
    }
    is_read(forwarded);
}

#[test]
fn a_quoted_order_mail_is_left_out() {
    let quoted = (Vec::new(), vec![FindingCode::MailQuoted]);
    assert_eq!(of(order_mail(1).replace("Subject: ", "Subject: Re: ")), quoted);
    assert_eq!(of(order_mail(1).replace("Subject: ", "In-Reply-To: <1@shop.example>\nSubject: ")), quoted);
    for around in ["<div class=\"gmail_quote\">", "<blockquote type=\"cite\">"] {
        assert_eq!(of(order_mail(1).replace("<p>We", &format!("{around}<p>We"))), quoted);
    }
    let plain = "[ORDER #1] (JANUARY 1, 2024)\n\nMug X 1 = €3.00\n\n==========\n\nTotal:\t €3.00\n";
    is_read(mail("Subject: x\n", plain));
    let quote = plain.lines().map(|line| format!("> {line}\n")).collect::<String>();
    assert_eq!(of(mail("Subject: x\n", &format!("Thanks!\n\n{quote}"))), quoted);
}

#[test]
fn base64_may_have_lines_of_any_length() {
    let mut text = String::new();
    for (index, sign) in base64(&html(1, "Mug")).chars().enumerate() {
        text.push(sign);
        if index % 7 == 0 || index % 5 == 3 {
            text.push_str(if index % 2 == 0 { "\r\n" } else { " \n\t" });
        }
    }
    is_read(mail(
        "Subject: x\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: BASE64\n",
        text.trim_end_matches('='),
    ));
}

#[test]
fn a_huge_attachment_is_no_order_and_a_longer_mail_is_left_out() {
    let attached = |lines: usize| {
        let headers = "Subject: x\nContent-Type: multipart/mixed; boundary=x\n";
        let part =
            format!("--x\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n{}", "QUJD".repeat(19));
        let lines = format!("{}\n", "QUJD".repeat(19)).repeat(lines);
        mail(
            headers,
            &format!("--x\nContent-Type: text/html; charset=utf-8\n\n{}{part}\n{lines}--x--\n", html(1, "Mug")),
        )
    };
    is_read(attached(100_000));
    assert_eq!(of(attached(900_000)), (Vec::new(), vec![FindingCode::TooLarge]));
}

#[test]
fn duplicates_are_one_order_and_from_in_a_body_begins_no_mail() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Inbox");
    let from = "From a@shop.example Mon Jan  1 10:00:05 2024\n";
    let odd = order_mail(2).replace(
        "<p>We",
        "<p>\n\nFrom here on, at 10:00 in 2024, we\nFrom a@b.example Mon Jan  1 10:00:05 2024\nwe\n>From us",
    );
    let other = "From: b@home.example\nSubject: hello\n\nNothing to see.\n";
    let all = [order_mail(1), odd, other.to_owned(), order_mail(1), order_mail(3)];
    fs::write(&path, all.map(|mail| format!("{from}{mail}\n")).concat()).unwrap();
    let (orders, report) = read(&path);
    assert_eq!(orders.iter().map(|order| order.order_id.as_str()).collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_eq!((report.mails, report.mails_without_orders, report.findings), (5, 1, Vec::new()));
}

#[test]
fn mails_without_orders_are_no_error_and_a_zip_may_have_many() {
    let folder = tempfile::tempdir().unwrap();
    let other = "From: b@home.example\nSubject: hello\n\nNothing to see.\n";
    let path = folder.path().join("other.eml");
    fs::write(&path, other).unwrap();
    let checked = check(&[path], &Options::default()).unwrap();
    assert_eq!((checked.files().len(), checked.report().mails_without_orders, checked.requests().count()), (0, 1, 0));

    let mut archive = ZipArchiveWriter::new(Vec::new());
    for number in 0..1_500 {
        let (mut entry, config) = archive
            .new_file(format!("mail/cur/{number}"))
            .compression_method(CompressionMethod::STORE)
            .start()
            .unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(if number % 3 == 0 { order_mail(number) } else { other.to_owned() }.as_bytes()).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    let path = folder.path().join("mail.zip");
    fs::write(&path, archive.finish().unwrap()).unwrap();
    let checked = check(&[path], &Options::default()).unwrap();
    let report = checked.report();
    assert_eq!((report.orders, report.mails, report.mails_without_orders), (500, 1_500, 1_000));
    let [file] = checked.files() else { panic!("{:?}", checked.files()) };
    assert_eq!((file.name.as_str(), file.rows), ("mail.zip/mail/cur", 500));
}

#[test]
fn one_number_of_two_shops_is_two_orders() {
    let folder = tempfile::tempdir().unwrap();
    for (name, address) in [("a", "x@one.example"), ("b", "x@two.example"), ("c", "One <X@ONE.example>")] {
        fs::write(folder.path().join(name), order_mail(1).replace("Shop <a@shop.example>", address)).unwrap();
    }
    let checked = check(&[folder.path().to_owned()], &Options::default()).unwrap();
    let shops: Vec<Option<String>> = checked.requests().map(|request| request.unwrap().retailer_name).collect();
    assert_eq!(shops, [Some("one.example".to_owned()), Some("two.example".to_owned())]);
    assert_eq!((checked.report().orders, checked.report().findings.len()), (2, 0));
}

/// `ORDERSYNC_MAILS` is how many mails the mailbox has.
#[test]
fn a_mailbox_is_read_one_mail_at_a_time() {
    let count = std::env::var("ORDERSYNC_MAILS").map_or(20_000, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("All mail.mbox");
    let mut file = BufWriter::new(File::create(&path).unwrap());
    let mut text = String::new();
    for number in 0..count {
        text.clear();
        writeln!(text, "From x@y Mon Jan  1 10:00:05 +0000 2024").unwrap();
        match number % 100 {
            0 => text.push_str(&order_mail(number)),
            _ => {
                writeln!(text, "From: b@home.example\nSubject: {number}\n\n{}", "Nothing to see. ".repeat(100)).unwrap()
            }
        }
        file.write_all(text.as_bytes()).unwrap();
        file.write_all(b"\n").unwrap();
    }
    file.flush().unwrap();
    let (orders, report) = read(&path);
    let expected = u64::from(count);
    assert_eq!((report.mails, report.mails_without_orders), (expected, expected - expected.div_ceil(100)));
    assert_eq!(orders.len() as u64, expected.div_ceil(100));
    assert_eq!(report.findings, Vec::new());
}

/// Mails, PDF and HTML files that belong to orders, from a folder and from an archive.
#[test]
fn documents_are_found_beside_their_orders_and_the_others_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    for number in [1001, 1002] {
        write(&format!("mails/{number}.eml"), order_mail(number).as_bytes());
    }
    write("mails/1001-shipped.eml", order_mail(1001).replace("finished processing", "received").as_bytes());
    write("invoices/Invoice 1001 (order 1001).pdf", b"%PDF-1.7 first");
    write("invoices/receipt-1002.html", b"<html><body>second</body></html>");
    write("invoices/receipt-1003.pdf", b"%PDF-1.7 of no order");
    write("invoices/1001 and 1002.pdf", b"%PDF-1.7 of two");
    write("invoices/terms.pdf", b"%PDF-1.7 of none");
    write("invoices/1002 large.pdf", &[&b"%PDF"[..], &vec![b'x'; 10 << 20]].concat());
    let mut archive = ZipArchiveWriter::new(Vec::new());
    let (mut entry, config) =
        archive.new_file("Invoices/1002.pdf").compression_method(CompressionMethod::STORE).start().unwrap();
    let mut writer = config.wrap(&mut entry);
    writer.write_all(b"%PDF-1.7 in an archive").unwrap();
    let (_, descriptor) = writer.finish().unwrap();
    entry.finish(descriptor).unwrap();
    fs::write(folder.path().join("more.zip"), archive.finish().unwrap()).unwrap();

    let options = Options { keep_documents: true, ..Options::default() };
    let checked = check(&[folder.path().to_owned()], &options).unwrap();
    let documents: Vec<_> = checked.documents().map(Result::unwrap).collect();
    assert_eq!(checked.report().documents, documents.len() as u64);
    assert!(documents.iter().all(|one| one.retailer_name == "shop.example"));
    let mut found: Vec<_> =
        documents.iter().map(|one| (one.order_id.as_str(), one.name.as_str(), one.media_type)).collect();
    found.sort_unstable();
    let mail = "2024-01-01 Your order.eml";
    let expected = [
        ("1001", mail, "message/rfc822"),
        ("1001", mail, "message/rfc822"),
        ("1001", "Invoice 1001 (order 1001).pdf", "application/pdf"),
        ("1002", mail, "message/rfc822"),
        ("1002", "1002.pdf", "application/pdf"),
        ("1002", "receipt-1002.html", "text/html"),
    ];
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let archived = documents.iter().find(|one| one.name == "1002.pdf").unwrap();
    assert_eq!(archived.content, b"%PDF-1.7 in an archive");
    let first = documents.iter().filter(|one| one.order_id == "1001" && one.name == mail);
    let mut mails: Vec<_> = first.map(|one| String::from_utf8(one.content.clone()).unwrap()).collect();
    mails.sort();
    assert_eq!(mails[0], order_mail(1001));
    let findings = checked.report().findings.iter();
    let mut left_out: Vec<_> =
        findings.map(|finding| (finding.file.rsplit('/').next().unwrap(), finding.code)).collect();
    left_out.sort_unstable();
    let without = FindingCode::DocumentWithoutOrder;
    let expected = [
        ("1001 and 1002.pdf", without),
        ("1002 large.pdf", FindingCode::DocumentTooLong),
        ("receipt-1003.pdf", without),
        ("terms.pdf", without),
    ];
    assert_eq!(left_out, expected);

    // Without the option they are what they were: files in no known format.
    let checked = check(&[folder.path().to_owned()], &Options::default()).unwrap();
    assert_eq!((checked.report().documents, checked.documents().count()), (0, 0));
    let unread = checked.report().counts[&FindingCode::FileNotRecognised];
    assert_eq!(unread, 7);
}

/// A mail with schema.org's markup of an order.
fn with_markup(order: &str) -> String {
    let html =
        format!("<script type=\"application/ld+json\">{{\"@context\": \"http://schema.org\", {order}}}</script>");
    mail("Subject: Your order\nContent-Type: text/html; charset=utf-8\n", &html)
}

#[test]
fn numbers_of_markup_have_a_point_before_their_decimals() {
    let order = "\"@type\": \"Order\", \"orderNumber\": \"7\", \"priceCurrency\": \"EUR\", \"price\": \"12.500\", \"acceptedOffer\": {\
        \"itemOffered\": [{\"name\": \"Mug\"}, {\"name\": \"Cup\"}], \"price\": \"12.500\", \"eligibleQuantity\": {\"value\": \"1.000\"}}";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mail");
    fs::write(&path, with_markup(order)).unwrap();
    let (orders, report) = read(&path);
    let [order] = orders.as_slice() else { panic!("{orders:?}") };
    let [item] = order.items.as_slice() else { panic!("{order:?}") };
    assert_eq!(item.item_name.as_deref(), Some("Mug, Cup"));
    let figures = [order.order_total, item.price, item.quantity].map(|figure| figure.unwrap().normalize().to_string());
    assert_eq!((figures, &report.findings[..]), (["12.5", "12.5", "1"].map(str::to_owned), &[][..]));
}

#[test]
fn markup_that_is_damaged_is_reported_however_it_names_its_kind() {
    for kind in ["Order", "http://schema.org/Order", "schema:Order", "https://schema.org/ParcelDelivery"] {
        let (titles, codes) = of(with_markup(&format!("\"@type\": \"{kind}\", \"orderNumber\": ")));
        assert_eq!((titles.len(), codes), (0, vec![FindingCode::MailUnreadable]), "{kind}");
    }
}
