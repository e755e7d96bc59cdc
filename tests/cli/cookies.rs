//! Amazon, read with the cookies of a browser that is signed in.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::support::{Home, Run, set_mode};
use super::web_peer::{Answer, Asked, Site};

/// The value of the cookie that signs the customer in. It may be found nowhere.
const SECRET: &str = "Atza|canary-Gwylfa";
const SIGN_IN: &str = "<html><body><form name='signIn' action='/ap/signin'><input name='email'></form></body></html>";
const CAPTCHA: &str =
    "<html><body><form action='/errors/validateCaptcha'><input id='captchacharacters'></form></body></html>";

/// An order of the made-up account.
#[derive(Clone)]
struct Order {
    number: String,
    year: u16,
    status: &'static str,
    /// Title, article, price, quantity.
    lines: Vec<(&'static str, &'static str, u32, u32)>,
    tax: u32,
    /// Whether its details are in a form that is not known.
    is_strange: bool,
}

fn order(year: u16, number: u32, status: &'static str) -> Order {
    let number = format!("111-{year:07}-{number:07}");
    let lines = vec![("Cup", "B000000001", 800, 1), ("Mug", "B000000002", 600, 2)];
    Order { number, year, status, lines, tax: 100, is_strange: false }
}

fn dollars(cents: u32) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}

impl Order {
    fn total(&self) -> u32 {
        self.lines.iter().map(|(_, _, price, quantity)| price * quantity).sum::<u32>() + self.tax
    }

    fn card(&self) -> String {
        let mut items = String::new();
        for (title, article, _, _) in &self.lines {
            write!(items, "<div class='item-box'><a href='/dp/{article}?ref=x'></a><div class='yohtmlc-product-title'>{title}</div></div>")
                .expect("text");
        }
        format!(
            "<div class='order-card js-order-card'><div class='order-header'><ul><li>Order placed <b>May 16, {}</b></li>\
             <li>Total <b>{}</b></li></ul><div class='yohtmlc-order-id'><span>Order #</span> <span>{number}</span></div>\
             <a href='/gp/css/order-details?orderID={number}&ref=x'>Details</a></div>\
             <div class='a-box delivery-box'><div class='yohtmlc-shipment-status-primaryText'>{}</div>{items}</div></div>",
            self.year,
            dollars(self.total()),
            self.status,
            number = self.number,
        )
    }

    fn details(&self) -> String {
        let (mut items, mut subtotal) = (String::new(), 0);
        for (title, article, price, quantity) in &self.lines {
            subtotal += price * quantity;
            write!(
                items,
                "<div class='a-fixed-left-grid-inner'><div><span class='od-item-view-qty'>{quantity}</span></div>\
                 <div data-component='purchasedItemsRightGrid'><div data-component='itemTitle'><a href='/dp/{article}'>{title}</a></div>\
                 <span class='a-size-small'>Sold by: Corner Shop</span>\
                 <div data-component='unitPrice'><span class='a-offscreen'>{}</span></div></div></div>",
                dollars(*price)
            )
            .expect("text");
        }
        let figures = [
            ("Item(s) Subtotal", subtotal),
            ("Estimated tax to be collected", self.tax),
            ("Grand Total", self.total()),
        ];
        let figures: String = figures
            .iter()
            .map(|(label, cents)| {
                format!("<div class='a-row'><span>{label}:</span><span>{}</span></div>", dollars(*cents))
            })
            .collect();
        let place = if self.is_strange { "groceries" } else { "orderDetails" };
        page(&format!(
            "<div id='{place}'><div data-component='orderDate'>May 16, {}</div><div data-component='orderId'>{}</div>\
             <div id='od-subtotals'>{figures}</div><div class='a-box'><div data-component='shipmentStatus'><h4>{}</h4></div>{items}</div></div>",
            self.year, self.number, self.status
        ))
    }
}

fn page(body: &str) -> String {
    format!(
        "<!doctype html><html><head><script>var ue_sn = 'www.amazon.com';</script></head><body>{body}</body></html>"
    )
}

/// What the website knows and does.
#[derive(Default)]
struct Account {
    orders: Vec<Order>,
    /// Answered in place of everything.
    instead: Option<&'static str>,
    /// Orders that the list counts and does not show.
    hidden: usize,
    /// Answers with 500 to the details of this order.
    broken: Option<String>,
    /// What the cookie that signs in has been changed to, with an answer.
    renewed: Option<&'static str>,
}

struct Website {
    site: Site,
    account: Arc<Mutex<Account>>,
}

impl Website {
    fn of(orders: Vec<Order>) -> Self {
        let account = Arc::new(Mutex::new(Account { orders, ..Account::default() }));
        let own = Arc::clone(&account);
        let site = Site::start(move |_| move |asked: &Asked| own.lock().expect("lock").answer(asked));
        Self { site, account }
    }

    fn change(&self, change: impl FnOnce(&mut Account)) {
        change(&mut self.account.lock().expect("lock"));
    }

    fn host(&self) -> &str {
        self.site.uri.strip_prefix("http://").and_then(|rest| rest.split(':').next()).expect("a host")
    }

    /// How often details were asked for.
    fn details(&self) -> usize {
        self.site.asked().iter().filter(|asked| asked.contains("order-details")).count()
    }
}

impl Account {
    fn answer(&mut self, asked: &Asked) -> Answer {
        assert!(!asked.cookie.contains("other-canary"), "a cookie of another host: {}", asked.cookie);
        let wanted = self.renewed.unwrap_or(SECRET);
        if !asked.cookie.contains(&format!("at-main={wanted}")) {
            return Answer::page(SIGN_IN);
        }
        if let Some(page) = self.instead {
            return Answer::page(page);
        }
        let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
        let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        match path {
            "/your-orders/orders" => Answer::page(self.list(value("timeFilter"), value("startIndex"))),
            "/gp/css/order-details" if self.broken.as_deref() == value("orderID") => Answer::new(500, ""),
            "/gp/css/order-details" => {
                let order = self.orders.iter().find(|order| Some(order.number.as_str()) == value("orderID"));
                order.map_or_else(|| Answer::new(404, ""), |order| Answer::page(order.details()))
            }
            _ => Answer::new(404, ""),
        }
    }

    fn list(&self, period: Option<&str>, start: Option<&str>) -> String {
        let period = period.unwrap_or("months-3");
        let start: usize = start.map_or(0, |start| start.parse().expect("a number"));
        let of_period: Vec<&Order> =
            self.orders.iter().filter(|order| period == format!("year-{}", order.year)).collect();
        let mut years: Vec<u16> = self.orders.iter().map(|order| order.year).collect();
        years.sort_unstable_by(|one, other| other.cmp(one));
        years.dedup();
        let options: String = std::iter::once("months-3".to_owned())
            .chain(years.iter().map(|year| format!("year-{year}")))
            .map(|value| {
                let selected = if value == period { " selected" } else { "" };
                format!("<option value='{value}'{selected}>{value}</option>")
            })
            .collect();
        let cards: String = of_period.iter().skip(start).take(10).map(|order| order.card()).collect();
        page(&format!(
            "<form action='/your-orders/orders'><select name='timeFilter'>{options}</select></form>\
             <span class='num-orders'>{} orders</span> placed in<div class='your-orders-content-container'>{cards}</div>",
            of_period.len() + if of_period.is_empty() { 0 } else { self.hidden }
        ))
    }
}

/// A home with the website among its retailers.
fn home(website: &Website) -> Home {
    let home = Home::new();
    write_entry(&home, &entry(website, 300));
    home
}

/// A file of cookies as browsers export it, with those of another website.
fn cookies(home: &Home, host: &str, value: &str) -> String {
    let text = format!(
        "# Netscape HTTP Cookie File\n\n{host}\tFALSE\t/\tFALSE\t4102444800\tsession-id\t1-2-3\n\
         #HttpOnly_{host}\tFALSE\t/\tFALSE\t0\tat-main\t{value}\n.other.test\tTRUE\t/\tTRUE\t4102444800\tsession\tother-canary\n"
    );
    let path = home.path().join("cookies.txt");
    std::fs::write(&path, text).expect("write");
    set_mode(&path, 0o600);
    path.to_str().expect("text").to_owned()
}

fn connect(home: &Home, website: &Website) -> Run {
    home.run(&["connect", "amazon", "--cookies", &cookies(home, website.host(), SECRET)])
}

fn entry(website: &Website, id: u64) -> String {
    format!(
        "[[retailer]]\nid = {id}\ndisplay_name = \"amazon.com\"\nconnector = \"amazon\"\nbase_url = \"{}\"\n\
         allow_private_network = true\nmin_interval_ms = 0\n",
        website.site.uri
    )
}

fn write_entry(home: &Home, entry: &str) {
    std::fs::create_dir_all(home.path().join("config")).expect("folder");
    std::fs::write(home.path().join("config/retailers.toml"), entry).expect("write");
}

fn orders(home: &Home) -> Vec<Value> {
    let listed = home.run(&["orders", "list", "--all", "-o", "json"]).ends(0).json();
    listed.as_array().expect("a list").clone()
}

#[test]
fn orders_are_read_year_by_year_with_their_details() {
    let orders_of = |year: u16, count: u32| (1..=count).map(move |number| order(year, number, "Delivered May 18"));
    let website = Website::of(orders_of(2024, 12).chain(orders_of(2019, 1)).collect());
    let home = home(&website);
    connect(&home, &website).ends(0).says("26");
    let lines = orders(&home);
    assert_eq!(lines.len(), 26);
    let mug =
        lines.iter().find(|line| line["orderId"] == "111-0002019-0000001" && line["itemName"] == "Mug").expect("a mug");
    for (field, value) in [
        ("quantity", "2"),
        ("price", "6.00"),
        ("lineTotal", "12.00"),
        ("orderTotal", "21.00"),
        ("currency", "\"USD\""),
        ("retailerSku", "\"B000000002\""),
        ("seller", "\"Corner Shop\""),
        ("shipmentStatus", "\"delivered\""),
        ("orderDatePrecision", "\"day\""),
    ] {
        assert_eq!(mug[field].to_string(), value, "{field}: {mug}");
    }
    assert!(mug["mismatch"].as_array().is_none_or(Vec::is_empty), "{mug}");
    home.run(&["orders", "export", "--require-complete"]).ends(0);
    // Settled and unchanged orders are not read again, but for the newest and those read longest ago.
    let before = website.details();
    assert_eq!(before, 13);
    home.run(&["sync"]).ends(0);
    assert!(website.details() - before <= 13, "{}", website.details());
    website.change(|account| account.orders[11].status = "Refunded");
    home.run(&["sync"]).ends(0);
    let refunded = orders(&home).iter().filter(|line| line["shipmentStatus"] == "refunded").count();
    assert_eq!((refunded, orders(&home).len()), (2, 26));
}

#[test]
fn a_list_that_shows_fewer_orders_than_it_counts_is_not_complete_and_loses_nothing() {
    let website = Website::of(vec![order(2024, 1, "Delivered May 18"), order(2024, 2, "Delivered May 18")]);
    let home = home(&website);
    connect(&home, &website).ends(0);
    website.change(|account| {
        account.hidden = 1;
        account.orders.remove(0);
    });
    home.run(&["sync"]).ends(9).says("the list of 2024 counts 2 orders, and shows 1");
    assert_eq!(orders(&home).len(), 4);
    home.run(&["orders", "export", "--require-complete"]).ends(10);
    // Archived orders are in no year: they stay, and are not called missing.
    website.change(|account| account.hidden = 0);
    home.run(&["sync"]).ends(0);
    let left = orders(&home);
    assert!(left.len() == 4 && left.iter().all(|line| line["missingSince"].is_null()), "{left:?}");
}

#[test]
fn a_sign_in_or_a_captcha_ends_the_sync_with_the_remedy() {
    let website = Website::of(vec![order(2024, 1, "Delivered May 18")]);
    let home = home(&website);
    connect(&home, &website).ends(0);
    for (page, said) in [
        (CAPTCHA, "wants to see a person"),
        ("<html><body><div id='challenge-container'></div></body></html>", "wants to see a person"),
        ("<html><body><h1>Hello, Gwylfa</h1></body></html>", "The order list has changed"),
        (SIGN_IN, "its cookies have expired"),
    ] {
        website.change(|account| account.instead = Some(page));
        let run = home.run(&["sync"]).ends(9).says(said);
        assert!(!run.err.contains("Gwylfa"), "{}", run.err);
        assert_eq!(orders(&home).len(), 2, "{said}");
    }
    home.run(&["connections"]).ends(0).prints("invalid");
    // New cookies of the browser repair it.
    website.change(|account| (account.instead, account.renewed) = (None, Some("Atza|canary-renewed")));
    let file = cookies(&home, website.host(), "Atza|canary-renewed");
    home.run(&["fix", "--retailer", "amazon", "--cookies", &file]).ends(0);
    assert_eq!(orders(&home).len(), 2);
}

#[test]
fn cookies_of_another_account_store_nothing() {
    let website = Website::of(vec![order(2024, 1, "Delivered May 18")]);
    let home = home(&website);
    connect(&home, &website).ends(0);
    website.change(|account| {
        account.orders = vec![order(2023, 7, "Delivered May 18")];
        account.renewed = Some("Atza|canary-spouse");
    });
    let file = cookies(&home, website.host(), "Atza|canary-spouse");
    home.run(&["fix", "--retailer", "amazon", "--cookies", &file]).ends(9).says("belong to another account");
    assert!(orders(&home).iter().all(|line| line["orderId"] == "111-0002024-0000001"));
}

#[test]
fn details_in_an_unknown_form_are_replaced_by_the_list_and_never_replace_more() {
    let strange = Order { is_strange: true, ..order(2024, 2, "Delivered May 18") };
    let website = Website::of(vec![order(2024, 1, "Delivered May 18"), strange]);
    let home = home(&website);
    connect(&home, &website).ends(0);
    let prices = |home: &Home| -> Vec<(String, bool)> {
        let mut lines: Vec<(String, bool)> = orders(home)
            .iter()
            .map(|line| (line["orderId"].as_str().expect("text").to_owned(), line["price"].is_null()))
            .collect();
        lines.sort();
        lines.dedup();
        lines
    };
    let expected = [("111-0002024-0000001".to_owned(), false), ("111-0002024-0000002".to_owned(), true)];
    assert_eq!(prices(&home), expected);
    home.run(&["sync", "--full"]).ends(0);
    assert_eq!(prices(&home), expected);
    // Prices that are stored stay, and the order counts as kept back.
    website.change(|account| account.orders[0].is_strange = true);
    home.run(&["sync", "--full"]).ends(9).says("page of the order");
    assert_eq!(prices(&home), expected);
    website.change(|account| account.orders.iter_mut().for_each(|order| order.is_strange = false));
    home.run(&["sync", "--full"]).ends(0);
    assert!(prices(&home).iter().all(|(_, is_unknown)| !is_unknown));
}

#[test]
fn an_order_whose_page_cannot_be_fetched_keeps_only_itself_back() {
    let website = Website::of((1..=4).map(|number| order(2024, number, "Delivered May 18")).collect());
    let home = home(&website);
    website.change(|account| account.broken = Some(account.orders[1].number.clone()));
    connect(&home, &website).ends(9).says("kept back");
    assert_eq!(orders(&home).len(), 6);
    website.change(|account| account.broken = None);
    home.run(&["sync"]).ends(0);
    assert_eq!(orders(&home).len(), 8);
}

#[test]
fn a_file_of_cookies_is_checked_before_anything_is_sent() {
    let website = Website::of(vec![order(2024, 1, "Delivered May 18")]);
    let home = home(&website);
    let file = cookies(&home, website.host(), SECRET);
    let connect = |home: &Home| home.run(&["connect", "amazon", "--cookies", &file]);
    set_mode(file.as_ref(), 0o644);
    connect(&home).ends(2).says("can be read by others").says("chmod 600");
    cookies(&home, "elsewhere.test", SECRET);
    connect(&home).ends(2).says(&format!("has no cookies of {}", website.host()));
    let text = std::fs::read_to_string(&file).expect("read");
    std::fs::write(
        &file,
        text.replace("elsewhere.test", website.host()).replace("4102444800", "1000").replace("\t0\t", "\t1\t"),
    )
    .expect("write");
    connect(&home).ends(2).says("have expired");
    std::fs::write(&file, format!("[{{\"name\": \"at-main\", \"value\": \"{SECRET}\"}}]")).expect("write");
    let run = connect(&home).ends(2).says("line 1");
    assert!(!run.err.contains("canary"), "{}", run.err);
    home.run(&["connect", "amazon", "--cookies", "missing.txt"]).ends(1).says("missing.txt");
    home.run(&["connect", "1", "--cookies", &cookies(&home, website.host(), SECRET)]).ends(2).says("takes no cookies");
    assert!(website.site.asked().is_empty(), "{:?}", website.site.asked());
}

#[test]
fn cookies_are_found_nowhere() {
    let website = Website::of(vec![order(2024, 1, "Delivered May 18")]);
    let home = home(&website);
    let file = cookies(&home, website.host(), SECRET);
    let run = home.run(&["connect", "amazon", "--cookies", &file, "-vv"]).ends(0);
    assert!(!run.err.contains("canary") && !run.out.contains("canary"), "{}", run.err);
    std::fs::remove_file(&file).expect("removed");
    let mut folders = vec![home.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap_or_default();
                let found = bytes.windows(6).any(|part| part == b"canary");
                assert!(!found, "{}", path.display());
            }
        }
    }
}

#[test]
fn websites_of_amazon_are_known_by_their_name_and_have_the_number_of_their_files() {
    let home = Home::new();
    home.run(&["retailers", "add", "https://www.amazon.fr/gp/css"])
        .ends(1)
        .says("seems to run on Amazon, which cannot be read yet");
    home.run(&["retailers", "add", "amazon.com"])
        .ends(0)
        .prints("Added amazon.com (retailer ")
        .says("connect amazon.com");
    let file = home.path().join("config/retailers.toml");
    let text = std::fs::read_to_string(&file).expect("read");
    assert!(text.contains("base_url = \"https://www.amazon.com\""), "{text}");
    home.run(&["connect", "amazon"]).ends(2).says("--cookies FILE");
    // Without the entry, an export makes the number by itself.
    std::fs::remove_file(&file).expect("removed");
    let export = home.path().join("01-Jan-2024_to_31-Dec-2024.csv");
    std::fs::write(
        &export,
        "Order Date,Order ID,Title,Category,ASIN/ISBN,Website,Release Date,Condition,Seller,Seller Credentials,List Price Per Unit,\
         Purchase Price Per Unit,Quantity,Payment Instrument Type,Shipment Date,Order Status,Carrier Name & Tracking Number,\
         Item Subtotal,Item Subtotal Tax,Item Total,Currency\n\
         05/16/24,111-0002024-0000001,Cup,HOME,B000000001,Amazon.com,,new,Corner Shop,,$0.00,$8.00,1,Visa,05/17/24,Shipped,,$8.00,$0.40,\
         $8.40,USD\n",
    )
    .expect("write");
    home.run(&["import", export.to_str().expect("text")]).ends(0);
    let connections = home.run(&["connections", "-o", "json"]).ends(0).json();
    let number = connections[0]["retailerId"].to_string();
    assert!(text.contains(&format!("id = {number}\n")), "{number}: {text}");
}

#[test]
fn an_export_and_the_account_are_one_retailer_and_tax_counts_once() {
    let (website, home) = (Website::of(vec![order(2024, 1, "Delivered May 18")]), Home::new());
    let header = "\"Website\",\"Order ID\",\"Order Date\",\"Purchase Order Number\",\"Currency\",\"Unit Price\",\"Unit Price Tax\",\
        \"Shipping Charge\",\"Total Discounts\",\"Total Owed\",\"Shipment Item Subtotal\",\"Shipment Item Subtotal Tax\",\"ASIN\",\
        \"Product Condition\",\"Quantity\",\"Payment Instrument Type\",\"Order Status\",\"Shipment Status\",\"Ship Date\",\
        \"Shipping Option\",\"Shipping Address\",\"Billing Address\",\"Carrier Name & Tracking Number\",\"Product Name\",\
        \"Gift Message\",\"Gift Sender Name\",\"Gift Recipient Contact Details\"";
    let row = |asin: &str, title: &str, price: &str, tax: &str, owed: &str, quantity: &str| {
        format!(
            "\"Amazon.com\",\"111-0002024-0000001\",\"2024-05-16T10:00:00Z\",\"Not Applicable\",\"USD\",\"{price}\",\"{tax}\",\"0\",\"'0'\",\
             \"{owed}\",\"20\",\"1\",\"{asin}\",\"New\",\"{quantity}\",\"Visa - 1234\",\"Closed\",\"Shipped\",\"2024-05-17T10:00:00Z\",\
             \"std\",\"x\",\"x\",\"UPS(1Z)\",\"{title}\",\"Not Available\",\"Not Available\",\"Not Available\""
        )
    };
    let text = [
        header.to_owned(),
        row("B000000001", "Cup", "8", "0.4", "8.4", "1"),
        row("B000000002", "Mug", "6", "0.3", "12.6", "2"),
    ]
    .join("\n");
    let file = home.path().join("Retail.OrderHistory.1.csv");
    std::fs::write(&file, text).expect("write");
    home.run(&["import", file.to_str().expect("text")]).ends(0);
    // Under another number, the orders would be there twice.
    let number = home.run(&["connections", "-o", "json"]).ends(0).json()[0]["retailerId"].as_u64().expect("a number");
    write_entry(&home, &entry(&website, 300));
    connect(&home, &website).ends(1).says(&number.to_string());
    write_entry(&home, &entry(&website, number));
    connect(&home, &website).ends(0);
    let connections = home.run(&["connections", "-o", "json"]).ends(0).json();
    assert_eq!(connections.as_array().map(Vec::len), Some(1), "{connections}");
    let lines = orders(&home);
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| line["sources"][0] == "account"), "{lines:?}");
    let spent = home.run(&["orders", "summary", "--by", "order", "--check", "-o", "json"]).ends(0).json();
    assert!(!spent.to_string().contains("\"differs\""), "{spent}");
    // Again, and the file again: nothing is doubled.
    home.run(&["sync", "--full"]).ends(0);
    home.run(&["import", file.to_str().expect("text")]).ends(0);
    let again = orders(&home);
    let amounts = |lines: &[Value]| -> Vec<Value> { lines.iter().map(|line| line["lineTotal"].clone()).collect() };
    assert_eq!(amounts(&again), amounts(&lines));
    let tax: f64 = taxes(&home);
    assert!((tax - 1.0).abs() < 1e-9, "{tax}");
}

/// All taxes of an order and its lines that are added.
fn taxes(home: &Home) -> f64 {
    let order = home.run(&["orders", "get", "111-0002024-0000001", "--adjustments", "-o", "json"]).ends(0).json();
    let mut taxes = 0.0;
    let mut open = vec![&order];
    while let Some(value) = open.pop() {
        if value["type"] == "tax" && value["included"] != true {
            taxes += value["amount"].as_f64().expect("an amount");
        }
        open.extend(value.as_array().into_iter().flatten());
        open.extend(value.as_object().into_iter().flat_map(|fields| fields.values()));
    }
    taxes
}
