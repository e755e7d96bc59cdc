use std::collections::HashSet;

use super::*;
use crate::connector::egress::tape::Asked;

const ENTRY: &str = "base_url = \"https://lamps.example\"\n[statuses]\n\"Am Lager\" = \"shipped\"\n";

fn exchange(body: &str) -> Exchange {
    let url: Url = "https://lamps.example/my-account/orders/".parse().unwrap();
    let asked = Asked { url: url.clone(), form: false, json: None };
    Exchange { asked, from: url, status: 200, location: None, tokens: 0, failure: None, body: body.to_owned() }
}

fn disguised(body: &str, titles: &[&str], orders: &[&str]) -> String {
    let page = exchange(body);
    let entry: toml::Table = toml::from_str(ENTRY).unwrap();
    // A sign-in before the page, so that nothing of the page is public.
    let mut form = exchange("");
    form.asked.form = true;
    let secrets = ["ada.byron@mail.test".to_owned(), "s3cret!".to_owned()];
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    let orders = orders.iter().map(|order| (*order).to_owned()).collect();
    Disguise::new(&entry, Some("# Eigene Worte"), &[form, page.clone()], &secrets, &titles, orders).exchange(&page).1
}

#[test]
fn what_a_connector_reads_by_stays() {
    for text in [
        "<td>3</td>".replace("<td>", "<table><td>").as_str(),
        "<p>Order total: $1,234.50</p>",
        "<p>12,00 EUR</p>",
        "<span class=\"symbol\">¥</span>3850",
        "<td>3,850 <span>円</span></td>",
        "<p>February 1, 2025</p>",
        "<p>1 de febrero de 2025</p>",
        "<p>12/31/2025, 6:20 p.m.</p>",
        "<p>2025年2月1日</p>",
        "<time datetime=\"2025-02-01T21:38:51+00:00\">Feb. 1</time>",
        "<strong>×&nbsp;<del>3</del> <ins>2</ins></strong>",
        "<p>$38.50 for 12 items</p>",
        "<p><b>Total items:</b> 12</p>",
        "<p>Sales tax (19%)</p>",
        "<tr class=\"woocommerce-orders-table__row order\"></tr>",
        "<p>Am Lager</p>",
        "<p>Eigene Worte: 12</p>",
        "<a href=\"https://shop.example/my-account/orders/2/\">Next</a>",
    ] {
        let from = text.replace("shop.example", "lamps.example");
        assert_eq!(disguised(&from, &[], &[]), text);
    }
}

#[test]
fn every_other_letter_and_digit_is_another() {
    for (body, gone) in [
        ("<p>Ada Byron, 12 Elm Lane, CA 90210</p>", &["Ada", "Byron", "12", "Elm", "Lane", "90210"][..]),
        ("<p>555</p><p>+1 (555) 010-4477</p>", &["555", "010", "4477"]),
        ("<a href='mailto:ada.byron@mail.test'>ada.byron@mail.test</a>", &["ada", "byron", "mail.test"]),
        ("<a href='/product/total-lamp-7/' title='Lamp 7' data-x='Lamp 7'>x</a>", &["lamp", "Lamp", "total", "7"]),
        ("<mark>24</mark><a href='/my-account/view-order/24/'>#24</a>", &["24"]),
        ("<a href='/orders/31/'>31</a><i id='order-31'></i>", &["31"]),
        ("<div class='author-byron'>Byron</div>", &["byron", "Byron"]),
        ("<script>var name = 'Ada'</script><style>.ada{}</style><!-- Ada -->", &["Ada", "ada"]),
        ("<input type='hidden' name='user' value='Ada'><input name='nonce' value='abc123'>", &["Ada", "abc123"]),
        (
            "<img onclick='go(4711)' srcset='/ada.png 2x' alt='Übergangsjacke 日本茶 Лампа'>",
            &["4711", "ada", "Über", "日本", "Ламп"],
        ),
        ("{\"name\": \"Ada\", \"id\": 4711, \"total\": \"1250\"}", &["Ada", "4711"]),
        ("<a href='/p/%C3%9Cbergang/?u=ada'>x</a>", &["bergang", "ada", "%C3%9C"]),
        ("<textarea>Ada</textarea><title>Ada | Lamps</title>", &["Ada", "Lamps"]),
    ] {
        // Other letters and digits may happen to be the same text at another place, but not each time.
        let pages = [(); 4].map(|()| disguised(body, &[], &["24"]));
        for text in gone {
            assert!(pages.iter().any(|page| !page.contains(text)), "{text} stays in {pages:?}");
        }
    }
    assert!(disguised("{\"total\": \"1250\"}", &[], &[]).contains("1250"));
}

#[test]
fn nothing_of_a_title_stays_even_if_its_words_are_labels() {
    let body = "<a>Order Total Guide 12.50</a><p>Order Total Guide 12.50 × 2</p><th>Order total</th>";
    let page = disguised(body, &["Order Total Guide 12.50"], &[]);
    assert!(!page.contains("Guide") && !page.contains("12.50"), "{page}");
    assert!(page.contains("× 2") && page.contains("<th>Order total</th>"), "{page}");
    let title = page.split(['<', '>']).nth(2).unwrap().to_owned();
    assert_eq!(page.matches(&title).count(), 2, "the same in both places: {page}");
}

#[test]
fn one_word_becomes_one_word_and_the_markup_stays() {
    let body = "<!DOCTYPE html><html lang=\"en\"><body><p id=\"a\">Byron byron BYRON</p><br/></body></html>";
    let page = disguised(body, &[], &[]);
    let words: Vec<&str> =
        page.split("<p id=\"a\">").nth(1).unwrap().split("</p>").next().unwrap().split(' ').collect();
    assert_eq!(words[0].to_lowercase(), words[1]);
    assert_eq!(words[1].to_uppercase(), words[2]);
    assert_eq!(page.replace(&words.join(" "), "Byron byron BYRON"), body);
    let all: String = (10..40).map(|n| format!("<a>#{n}</a>")).collect();
    let page = disguised(&all, &[], &[]);
    let others: HashSet<&str> = page.split('#').skip(1).map(|rest| &rest[..2]).collect();
    assert_eq!(others.len(), 30, "no two become one: {page}");
    assert!(others.iter().all(|other| other.parse::<u32>().is_ok_and(|n| n > 39)), "{page}");
    let numbers: HashSet<String> = (10..60).map(|n| disguised(&format!("<a>#{n}</a>"), &[], &[])).collect();
    assert!(numbers.len() > 5);
}

#[test]
fn no_page_breaks_the_disguise() {
    let seeds: [&[u8]; 4] = [
        b"<p class='a b'>Ada 12 &amp; <b>3</p></table><script>x</script><!-- y --><input value=\"'\">",
        b"{\"a\": [1, \"b\", null, {\"c 1\": 2.5}]}",
        b"<a href='%%%C3%'>%zz</a><title>&#0;\xc3\x9f\xe2\x84\xab</title>",
        "ǅ İ ﬁ 😀 １２ ٣ e\u{301}".as_bytes(),
    ];
    crate::fuzzing::fuzz("disguise", &seeds, &["<", ">", "#24", "/24/", "12.50", "\u{130}"], |input, _| {
        let _page = disguised(&String::from_utf8_lossy(input), &["Ada 12"], &["24"]);
    });
}

#[test]
fn the_version_of_an_interface_is_no_number_of_an_order() {
    let page = "<a href='https://shop.test/wp-json/wc/store/v1/order/1'>1</a><a href='/v1700/a'>x</a>";
    let written = disguised(page, &[], &["1"]);
    assert!(written.contains("/store/v1/order/") && !written.contains("/order/1'"), "{written}");
    assert!(!written.contains("v1700"), "{written}");
}

#[test]
fn an_address_in_data_is_disguised_as_that_of_a_link() {
    let body = "{\"redirect\": \"https://lamps.example/index.php?route=account/account&token=ab12\"}";
    let link = "<a href=\"https://lamps.example/index.php?route=account/account&token=ab12\">x</a>";
    let entry: toml::Table = toml::from_str(ENTRY).unwrap();
    let mut disguise = Disguise::new(&entry, Some("route index php account"), &[], &[], &[], Vec::new());
    let data: Value = serde_json::from_str(&disguise.exchange(&exchange(body)).1).unwrap();
    let address = data["redirect"].as_str().unwrap();
    assert!(address.starts_with("https://shop.example/index.php?route=account/account&"), "{address}");
    assert!(!address.contains("ab12"), "{address}");
    let page = disguise.exchange(&exchange(link)).1.replace("&amp;", "&");
    assert!(page.contains(&format!("\"{address}\"")), "{page}");
}

#[test]
fn what_was_posted_names_an_order_as_the_answer_does() {
    let mut exchange = exchange("{\"code\": \"JSGRX7MF1WNRFH86\"}");
    let posted = |code: &str| {
        let query = "query($code: String!) { order(code: $code) { code } }";
        serde_json::json!({ "query": query, "variables": { "code": code, "size": 20, "user": "{username}" } })
    };
    exchange.asked.json = Some(posted("JSGRX7MF1WNRFH86").to_string());
    let entry: toml::Table = toml::from_str(ENTRY).unwrap();
    let mut disguise = Disguise::new(&entry, None, &[], &[], &[], Vec::new());
    let (sent, answer) = disguise.exchange(&exchange);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let code = answer["code"].as_str().unwrap();
    assert_ne!(code, "JSGRX7MF1WNRFH86");
    let sent: Value = serde_json::from_str(&sent.asked.json.unwrap()).unwrap();
    assert_eq!(sent, posted(code));
}

#[test]
fn amounts_in_data_stay_whatever_the_case_of_their_keys() {
    let body = "{\"linePriceWithTax\": 1999, \"line_total\": 1899, \"totalQuantity\": 31, \"orderLineId\": 47111}";
    let entry: toml::Table = toml::from_str(ENTRY).unwrap();
    let mut disguise = Disguise::new(&entry, None, &[], &[], &[], Vec::new());
    let data: Value = serde_json::from_str(&disguise.exchange(&exchange(body)).1).unwrap();
    for (key, amount) in [("linePriceWithTax", 1999), ("line_total", 1899), ("totalQuantity", 31)] {
        assert_eq!(data[key], amount, "{key}");
    }
    assert_ne!(data["orderLineId"], 47111);
}

#[test]
fn numbers_of_orders_never_become_one_however_few_numbers_are_left() {
    let orders: Vec<String> = (1..=9).chain(10..=99).map(|number| number.to_string()).collect();
    let orders: Vec<&str> = orders.iter().map(String::as_str).collect();
    // Every number of two digits is on the page as well, before the orders.
    let other: String = (10..100).map(|number| format!("<p>Box {number}</p>")).collect();
    let list: String = orders.iter().map(|order| format!("<a>#{order}</a>")).collect();
    let page = disguised(&format!("{other}{list}"), &[], &orders);
    let others: HashSet<&str> = page.split('#').skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
    assert_eq!(others.len(), orders.len(), "{page}");
}

#[test]
fn orders_of_the_list_that_were_not_read_are_disguised_as_well() {
    let row = |number: u32| format!("<b>Order number: {number}</b><a href='/index.php?page=2&order={number}'>View</a>");
    let list: String = (31..36).map(row).collect();
    for _ in 0..4 {
        let page = disguised(&format!("{list}<a href='/index.php?page=3'>Next</a>"), &[], &["31", "32"]);
        assert!((31..36).all(|number| !page.contains(&number.to_string())), "{page}");
        assert!(page.contains("page=3"), "{page}");
    }
}

#[test]
fn a_title_in_other_quotes_becomes_the_same_title() {
    let titles = ["O'Brien's socks - 2"];
    let page = disguised("<td>O’Brien’s socks – 2</td><i>O'Brien's socks - 2</i>", &titles, &[]);
    let letters = |part: &str| super::bare(part);
    let (cell, other) = page.split_once("</td>").unwrap();
    assert_eq!(
        letters(cell.trim_start_matches("<td>")),
        letters(other.trim_start_matches("<i>").trim_end_matches("</i>"))
    );
    assert!(!page.contains("socks") && !page.contains("’s "), "{page}");
}

#[test]
fn signs_of_addresses_are_no_part_of_the_words_beside_them() {
    let address = "https://shop.example/store/orders?fields=%2Bstatus%2Ctotal&q=a%20b";
    assert_eq!(super::url::encoded(&super::url::decoded(address)), address);
    let entry: toml::Table = toml::from_str(ENTRY).unwrap();
    let mut disguise = Disguise::new(&entry, Some("status total"), &[], &[], &[], Vec::new());
    let disguised = disguise.url("https://lamps.example/orders?fields=%2Bstatus%2Ctotal&q=%2BAda");
    assert!(disguised.contains("?fields=%2Bstatus%2Ctotal&") && !disguised.contains("Ada"), "{disguised}");
}
