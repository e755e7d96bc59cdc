use std::collections::HashMap;

use ordersync_api::{Adjustment, Open, ShipmentStatus};
use rust_decimal::Decimal;

use super::super::check::{Check, Failure};
use super::super::checked_order::{CheckedOrder, ProductFacts};
use super::super::currency::Currency;
use super::super::figures::{Figure, LineColumn, ReadLine, ShownOrder, Summary, Title};
use super::super::line_tax::LineTax;
use super::super::listed::ListedOrder;
use super::super::money::Money;
use super::super::order_proof::{self, ProvenOrder};
use super::super::pieces::Pieces;
use super::super::placed::Placed;
use super::super::shows::{Counted, Presence, Shows};
use super::super::status;
use super::money;

/// As most shops show their orders.
pub(super) const SHOWS: Shows = Shows {
    items: Counted::Pieces,
    basket: Presence::Always,
    shipping: Presence::AtTimes,
    tax: Presence::AtTimes,
    line_tax: LineTax::AsBasket,
    unit_price: Presence::AtTimes,
    status: Presence::Always,
};

pub(super) fn prove(listed: &ListedOrder, shown: ShownOrder) -> Result<ProvenOrder, Failure> {
    order_proof::prove(listed, shown, &SHOWS)
}

pub(super) fn listed(total: &str, items: i64) -> ListedOrder {
    ListedOrder {
        number: "100234".to_owned(),
        path: "/orders/100234/".to_owned(),
        placed_at: Placed::kept(1_700_000_000).unwrap(),
        total: money(total),
        left: None,
        status: None,
        items: Some(Decimal::from(items)),
        content: None,
    }
}

pub(super) fn line(title: &str, quantity: i64, total: &str) -> ReadLine {
    ReadLine {
        title: Title { text: title.to_owned(), product: None, is_doubtful: false, others: Vec::new(), is_cut: false },
        quantity: Decimal::from(quantity),
        sku: None,
        pieces: Pieces::default(),
        shipments: Vec::new(),
        amounts: vec![(LineColumn::Total, Some(money(total)))],
    }
}

pub(super) fn figure(kind: Summary, amount: &str) -> Figure {
    Figure { label: format!("{kind:?}"), kind: Some(kind), is_discount: false, is_of_rest: false, money: money(amount) }
}

/// A figure whose label says nothing.
fn unknown(label: &str, amount: &str) -> Figure {
    Figure { label: label.to_owned(), kind: None, ..figure(Summary::Fee, amount) }
}

pub(super) fn complete(lines: Vec<ReadLine>, figures: Vec<Figure>) -> ShownOrder {
    ShownOrder {
        status: Some("Complete".to_owned()),
        lines,
        figures,
        doubts: Vec::new(),
        has_other_shipments: false,
        is_converted: false,
    }
}

/// Two lines of £9.00 and £1.00, and £2.50 for shipping.
fn shown() -> ShownOrder {
    let figures = [(Summary::Basket, "£10.00"), (Summary::Shipping, "£2.50"), (Summary::OrderTotal, "£12.50")];
    complete(vec![line("Tea", 3, "£9.00"), line("Salt", 1, "£1.00")], figures.map(|(kind, of)| figure(kind, of)).into())
}

/// One line of this total, and no more.
pub(super) fn one_line(total: &str) -> ShownOrder {
    complete(vec![line("Tea", 1, total)], vec![figure(Summary::Basket, total), figure(Summary::OrderTotal, total)])
}

/// Types and amounts of adjustments, and whether the prices contain them.
pub(super) fn kept(proven: &ProvenOrder) -> Vec<String> {
    let included = |one: &Adjustment| if one.included { " included" } else { "" };
    proven.adjustments().iter().map(|one| format!("{} {}{}", one.kind, one.amount, included(one))).collect()
}

fn marks(proven: &ProvenOrder) -> Vec<&str> {
    proven.mismatch().iter().map(|mark| mark.check.as_str()).collect()
}

fn checked<'a>(proven: &ProvenOrder, facts: ProductFacts<'a>) -> Result<CheckedOrder, Failure> {
    CheckedOrder::new(proven, |text| status::meaning(text, &HashMap::new()), |_, _| facts, None)
}

#[test]
fn an_order_whose_figures_agree_is_proven_to_the_cent() {
    let proven = prove(&listed("£12.50", 4), shown()).unwrap();
    assert!(proven.mismatch().is_empty(), "{:?}", proven.mismatch());
    let order = checked(&proven, ProductFacts::Unlinked).unwrap();
    let lines: Vec<_> = order
        .items
        .iter()
        .map(|item| [item.quantity, item.unit_price, item.line_total].map(|figure| figure.unwrap().to_string()))
        .collect();
    assert_eq!(lines, [["3", "3.00", "9.00"], ["1", "1.00", "1.00"]]);
    assert_eq!(order.total.unwrap().to_string(), "12.50");
    assert_eq!(order.fingerprint.as_deref(), Some("1|1700000000|4|12.50|GBP|p"));
    assert_eq!(order.items[0].shipment_status, Some(Open::Known(ShipmentStatus::Completed)));
}

#[test]
fn a_title_that_is_too_long_or_holds_control_characters_fails_the_order() {
    for (title, is_taken) in [
        ("T".repeat(2048), true),
        ("T".repeat(2049), false),
        ("\u{1b}[2J".to_owned(), false),
        ("Two\nlines".to_owned(), true),
    ] {
        let mut order = one_line("£1.00");
        order.lines[0].title.text.clone_from(&title);
        let proven = prove(&listed("£1.00", 1), order);
        assert_eq!(
            proven.map(|_| ()).map_err(|failure| failure.check),
            is_taken.then_some(()).ok_or(Check::Lines),
            "{title}"
        );
    }
}

#[test]
fn each_hard_check_fails_the_order_by_its_name() {
    type Change = fn(&mut ListedOrder, &mut ShownOrder);
    let changes: [(Check, Change); 8] = [
        (Check::NumberOfItems, |listed, _| listed.items = Some(Decimal::from(5))),
        (Check::NumberOfItems, |_, shown| drop(shown.lines.pop())),
        (Check::OrderTotal, |listed, _| listed.total = money("£12.51")),
        (Check::OrderTotal, |_, shown| shown.figures.clear()),
        (Check::BasketTotal, |_, shown| shown.figures[0].money = money("£10.03")),
        (Check::BasketTotal, |_, shown| drop(shown.figures.remove(0))),
        (Check::Currency, |_, shown| shown.figures[1].money = money("€2.50")),
        (Check::Currency, |listed, _| listed.total = money("€12.50")),
    ];
    for (index, (check, change)) in changes.into_iter().enumerate() {
        let (mut listed, mut shown) = (listed("£12.50", 4), shown());
        change(&mut listed, &mut shown);
        let failure = prove(&listed, shown).unwrap_err();
        assert_eq!(failure.check, check, "change {index}: {failure}");
    }
}

#[test]
fn a_refund_is_kept_beside_the_total_and_a_fee_is_a_part_of_it() {
    let mut shown = shown();
    shown.figures.insert(1, figure(Summary::Fee, "£1.00"));
    shown.figures.insert(2, figure(Summary::Refund, "-£4.00"));
    shown.figures.pop();
    shown.figures.push(figure(Summary::OrderTotal, "£13.50"));
    let proven = prove(&listed("£13.50", 4), shown).unwrap();
    assert!(proven.mismatch().is_empty(), "{:?}", proven.mismatch());
    assert_eq!(kept(&proven), ["fee 1.00", "shipping 2.50", "refund -4.00"]);
}

/// The marks of an order whose list shows what is left after refunds, with the given refund among its figures.
fn refund_marks(left: Option<&str>, refund: Option<&str>, returned: i64, status: &str) -> Vec<String> {
    let mut shown = shown();
    shown.status = Some(status.to_owned());
    shown.lines[0].pieces.struck = Decimal::from(returned);
    shown.figures.extend(refund.map(|amount| figure(Summary::Refund, amount)));
    let mut listed = listed("£12.50", 4);
    listed.left = left.map(|amount| money(amount).amount());
    let proven = prove(&listed, shown).unwrap();
    let order = checked(&proven, ProductFacts::Unlinked).unwrap();
    let marks = order.mismatch.iter().filter(|mark| mark.check == "refund");
    marks
        .map(|mark| format!("{:?} {:?}", mark.shown.map(|d| d.to_string()), mark.computed.map(|d| d.to_string())))
        .collect()
}

#[test]
fn a_refund_that_the_page_hides_or_changes_marks_the_order() {
    let none: [String; 0] = [];
    assert_eq!(refund_marks(None, None, 0, "Complete"), none);
    assert_eq!(refund_marks(Some("£8.50"), Some("-£4.00"), 1, "Complete"), none);
    assert_eq!(refund_marks(Some("£0.00"), Some("-£12.50"), 0, "Refunded"), none);
    assert_eq!(refund_marks(Some("£8.50"), None, 0, "Complete"), ["None Some(\"4.00\")"]);
    assert_eq!(refund_marks(Some("£8.50"), Some("-£3.00"), 0, "Complete"), ["Some(\"3.00\") Some(\"4.00\")"]);
    // One mark, however many places tell of it.
    assert_eq!(refund_marks(Some("£0.00"), None, 3, "Refunded"), ["None Some(\"12.50\")"]);
    assert_eq!(refund_marks(None, None, 1, "Complete"), ["None None"]);
    assert_eq!(refund_marks(None, None, 0, "Refunded"), ["None None"]);
}

#[test]
fn refunds_of_both_signs_or_of_more_than_the_total_mark_the_order() {
    for (refunds, marked) in [
        (["-£4.00", "-£8.50"], None),
        (["£4.00", "£8.50"], None),
        (["£4.00", "-£4.00"], Some("8.00 0.00")),
        (["-£4.00", "-£8.51"], Some("12.51 12.51")),
    ] {
        let mut shown = shown();
        shown.figures.extend(refunds.map(|amount| figure(Summary::Refund, amount)));
        let proven = prove(&listed("£12.50", 4), shown).unwrap();
        let mark = proven.mismatch().iter().find(|mark| mark.check == "refund");
        let mark = mark.map(|mark| format!("{} {}", mark.shown.unwrap(), mark.computed.unwrap()));
        assert_eq!(mark.as_deref(), marked, "{refunds:?}");
    }
}

#[test]
fn a_later_refund_is_another_fingerprint() {
    let mut listed = listed("£12.50", 4);
    let before = listed.fingerprint();
    listed.left = Some(money("£8.50").amount());
    let partly = listed.fingerprint();
    listed.left = Some(money("£0.00").amount());
    assert!(before != partly && partly != listed.fingerprint(), "{partly}");
}

#[test]
fn a_line_of_no_pieces_with_an_amount_beside_a_refund_marks_the_order() {
    for refund in [Some("-£1.00"), None] {
        let mut shown = shown();
        shown.lines[1].quantity = Decimal::ZERO;
        shown.figures.extend(refund.map(|amount| figure(Summary::Refund, amount)));
        let proven = prove(&listed("£12.50", 3), shown).unwrap();
        assert_eq!(marks(&proven).contains(&"quantity"), refund.is_some());
    }
    // The price of one says nothing of what is paid for the line.
    let mut shown = shown();
    let mut none = line("Sugar", 0, "£0.00");
    none.amounts.push((LineColumn::UnitPrice, Some(money("£2.00"))));
    shown.lines.push(none);
    shown.figures.push(figure(Summary::Refund, "-£2.00"));
    assert!(prove(&listed("£12.50", 4), shown).unwrap().mismatch().is_empty());
}

#[test]
fn the_number_in_the_list_is_that_of_what_the_platform_counts() {
    let fails = |items, counted: Option<i64>, returned: i64| {
        let mut order = listed("£12.50", 0);
        order.items = counted.map(Decimal::from);
        let mut shown = shown();
        shown.lines[0].pieces.struck = Decimal::from(returned);
        // Where the list shows none, only the shop's own record can settle it.
        let proven = order_proof::prove(&order, shown, &Shows { items, ..SHOWS });
        proven.map_or_else(Some, |proven| proven.doubt().cloned()).map(|failure| failure.check)
    };
    for (items, counted, returned) in [
        (Counted::Pieces, Some(4), 0),
        (Counted::Pieces, Some(4), 1),
        (Counted::PiecesKept, Some(3), 1),
        (Counted::Lines, Some(2), 0),
        (Counted::Nothing, None, 0),
    ] {
        assert_eq!(fails(items, counted, returned), None, "{items:?}");
        let others = [Some(5), if items == Counted::Nothing { Some(4) } else { None }];
        for other in others {
            assert_eq!(fails(items, other, returned), Some(Check::NumberOfItems), "{items:?} {other:?}");
        }
    }
}

#[test]
fn what_is_always_shown_may_not_be_missing_and_what_is_never_shown_may_not_appear() {
    type Declare = fn(&mut Shows, Presence);
    type Remove = fn(&mut ShownOrder);
    let declares: [(&str, Declare, Remove); 4] = [
        ("shipping", |shows, to| shows.shipping = to, |shown| drop(shown.figures.remove(1))),
        ("tax", |shows, to| shows.tax = to, |shown| drop(shown.figures.pop())),
        ("a basket total", |shows, to| shows.basket = to, |shown| drop(shown.figures.remove(0))),
        (
            "a price of one",
            |shows, to| shows.unit_price = to,
            |shown| {
                shown.lines.iter_mut().for_each(|line| line.amounts.truncate(1));
            },
        ),
    ];
    let with_all = || {
        let mut shown = shown();
        for (line, price) in shown.lines.iter_mut().zip(["£3.00", "£1.00"]) {
            line.amounts.push((LineColumn::UnitPrice, Some(money(price))));
        }
        // As part of the prices: the order total stays.
        shown.figures.push(figure(Summary::Tax, "£2.00"));
        shown
    };
    for (name, declare, remove) in declares {
        let fails = |to, removed: bool| {
            let (mut shows, mut shown) = (SHOWS, with_all());
            declare(&mut shows, to);
            if removed {
                remove(&mut shown);
            }
            order_proof::prove(&listed("£12.50", 4), shown, &shows).err()
        };
        let said = |failure: Option<Failure>| failure.map(|failure| failure.to_string()).unwrap_or_default();
        for (to, removed) in [(Presence::Always, false), (Presence::AtTimes, false), (Presence::AtTimes, true)] {
            assert_eq!(fails(to, removed), None, "{name} {to:?} {removed}");
        }
        assert!(said(fails(Presence::Never, false)).contains(&format!("shows {name}, which")), "{name}");
        // Another figure may be the basket total under another label: it has to have its sum.
        let missing =
            if name == "a basket total" { "do not add up to the basket total" } else { &format!("lacks {name}") };
        assert!(said(fails(Presence::Always, true)).contains(missing), "{name}");
        assert_eq!(fails(Presence::Never, true), None, "{name}");
    }
}

#[test]
fn a_failed_check_of_figures_names_labels_that_are_not_known_and_both_totals() {
    let mut order = shown();
    order.figures[1] = unknown("Porto \u{1b}[2J", "£2.50");
    let shows = Shows { shipping: Presence::Always, ..SHOWS };
    let failure = order_proof::prove(&listed("£12.50", 4), order, &shows).unwrap_err();
    let labels = r#"The meaning of these labels is not known: "Porto \u{1b}[2J"."#;
    assert_eq!(failure.found, format!("the page of the order lacks shipping. {labels}"));
    let failure = prove(&listed("£13.00", 4), shown()).unwrap_err();
    assert_eq!(failure.found, "the list shows 13.00, the page of the order 12.50.");
}

#[test]
fn without_a_basket_total_the_lines_and_all_figures_have_to_add_up_to_the_order_total() {
    let shows = Shows { basket: Presence::Never, ..SHOWS };
    let without = |change: fn(&mut ShownOrder)| {
        let mut shown = shown();
        shown.figures.remove(0);
        change(&mut shown);
        order_proof::prove(&listed("£12.50", 4), shown, &shows)
    };
    let proven = without(|_| {}).unwrap();
    assert_eq!((proven.lines()[0].total(), proven.mismatch()), (Decimal::new(900, 2), [].as_slice()));
    let passes: [fn(&mut ShownOrder); 3] = [
        // Tax in the prices.
        |shown| shown.figures.insert(0, figure(Summary::Tax, "£1.10")),
        // Tax on top.
        |shown| {
            shown.lines[0].amounts[0].1 = Some(money("£8.00"));
            shown.figures.insert(0, figure(Summary::Tax, "£1.00"));
        },
        // A fee and a discount that nobody foresaw.
        |shown| {
            shown.figures.insert(0, unknown("Packing", "£3.00"));
            shown.figures.insert(0, Figure { is_discount: true, ..unknown("Packing", "£3.00") });
        },
    ];
    let adjustments = [
        ["tax 1.10 included", "shipping 2.50"].as_slice(),
        &["tax 1.00", "shipping 2.50"],
        &["discount -3.00", "other 3.00", "shipping 2.50"],
    ];
    for (index, (change, adjustments)) in passes.into_iter().zip(adjustments).enumerate() {
        let proven = without(change).unwrap_or_else(|failure| panic!("change {index}: {failure}"));
        assert_eq!(kept(&proven), adjustments, "change {index}");
    }
    // More than half a coin for each line and figure is no rounding: a line may be missing.
    for (total, expected) in [("£8.99", [].as_slice()), ("£8.98", &["order_total"])] {
        let mut shown = shown();
        shown.figures.remove(0);
        shown.lines[0].amounts[0].1 = Some(money(total));
        assert_eq!(marks(&order_proof::prove(&listed("£12.50", 4), shown, &shows).unwrap()), expected, "{total}");
    }
    let fails: [fn(&mut ShownOrder); 3] = [
        |shown| shown.lines[0].amounts[0].1 = Some(money("£9.10")),
        |shown| shown.figures[0].money = money("£2.60"),
        // The lines may not be a figure once more.
        |shown| shown.figures.insert(0, unknown("Packing", "£10.00")),
    ];
    for (index, change) in fails.into_iter().enumerate() {
        assert_eq!(without(change).unwrap_err().check, Check::SumOfOrder, "change {index}");
    }
}

#[test]
fn each_soft_check_marks_the_order_and_corrects_nothing() {
    let mut fee = shown();
    fee.figures[2].money = money("£13.50");
    let mut rounded = shown();
    rounded.figures[0].money = money("£10.01");
    let mut unnamed = shown();
    unnamed.status = None;
    for (listed, shown, check) in [
        (listed("£13.50", 4), fee, "order_total"),
        (listed("£12.50", 4), rounded, "basket_total"),
        (listed("£12.50", 4), unnamed, "status"),
    ] {
        let proven = prove(&listed, shown).unwrap();
        assert_eq!(marks(&proven), [check]);
        assert_eq!(proven.lines()[0].total(), Decimal::new(900, 2));
    }
}

#[test]
fn rounded_conversions_are_no_mark_as_far_as_they_explain_a_difference() {
    // Two lines of £10.00.
    for (basket, is_converted, marks) in
        [("£10.01", true, 0), ("£9.99", true, 0), ("£10.02", true, 1), ("£10.01", false, 1)]
    {
        let mut shown = ShownOrder { is_converted, ..shown() };
        shown.figures[0].money = money(basket);
        assert_eq!(prove(&listed("£12.50", 4), shown).unwrap().mismatch().len(), marks, "{basket} {is_converted}");
    }
    let mut one_line = ShownOrder { is_converted: true, ..shown() };
    one_line.lines.truncate(1);
    one_line.figures[0].money = money("£9.01");
    one_line.figures[2].money = money("£11.50");
    assert_eq!(prove(&listed("£11.50", 3), one_line).unwrap().mismatch().len(), 1);
}

#[test]
fn beside_fractions_of_coins_a_whole_coin_is_no_rounding() {
    let yen = |amount: &str| Money::exact(amount.parse().unwrap(), &Currency::from_code("JPY").unwrap());
    for (shipping, total, expected) in
        [("500", "1501", &[][..]), ("500.5", "1500.5", &[]), ("500.5", "1501.5", &["order_total"])]
    {
        let mut shown = one_line("£1.00");
        shown.lines[0].amounts[0].1 = Some(yen("1000"));
        let figures =
            [(Summary::Basket, "1000"), (Summary::Shipping, shipping), (Summary::OrderTotal, total)].into_iter();
        shown.figures = figures.map(|(kind, amount)| Figure { money: yen(amount), ..figure(kind, "£1.00") }).collect();
        let listed = ListedOrder { total: yen(total), ..listed("£1.00", 1) };
        let proven = prove(&listed, shown).unwrap();
        assert_eq!(marks(&proven), expected, "{shipping} {total}");
    }
}

#[test]
fn a_doubtful_title_needs_the_page_of_its_product_and_another_title_marks_the_order() {
    let named = |title| ProductFacts::Read { title: Some(title), sku: None, categories: &[] };
    let proven = |is_doubtful| {
        let mut shown = shown();
        shown.lines.truncate(1);
        shown.lines[0].title.is_doubtful = is_doubtful;
        shown.figures[0].money = money("£9.00");
        shown.figures[2].money = money("£11.50");
        prove(&listed("£11.50", 3), shown).unwrap()
    };
    for facts in [ProductFacts::Unlinked, ProductFacts::Gone, ProductFacts::Broken, named("Coffee")] {
        assert_eq!(checked(&proven(true), facts).unwrap_err().check, Check::Lines, "{facts:?}");
    }
    assert!(checked(&proven(true), named("Tea")).unwrap().mismatch.is_empty());
    assert_eq!(checked(&proven(false), named("Coffee")).unwrap().mismatch[0].check, "title");
}

#[test]
fn an_order_is_left_alone_later_only_if_it_is_settled_and_was_read_whole() {
    let with = |status: Option<&str>, facts| {
        let shown = ShownOrder { status: status.map(str::to_owned), ..shown() };
        checked(&prove(&listed("£12.50", 4), shown).unwrap(), facts).unwrap().fingerprint.is_some()
    };
    assert!(with(Some("Complete"), ProductFacts::Unlinked) && with(Some("Returned"), ProductFacts::Gone));
    assert!(!with(Some("Complete"), ProductFacts::Broken), "its product is asked for again");
    assert!(!with(Some("Pending"), ProductFacts::Unlinked));
    assert!(!with(Some("Under review"), ProductFacts::Unlinked), "a word that nobody explained may still change");
    assert!(!with(None, ProductFacts::Unlinked));
}

#[test]
fn what_the_state_keeps_of_an_order_comes_back_as_it_was() {
    let proven = prove(&listed("£12.50", 4), shown()).unwrap();
    let text = serde_json::to_string(&proven).unwrap();
    assert_eq!(serde_json::from_str::<ProvenOrder>(&text).unwrap(), proven);
    assert!(serde_json::from_str::<ProvenOrder>(&text.replace("GBP", "pounds")).is_err());
}

#[test]
fn the_parts_of_the_total_are_its_adjustments_and_add_up_to_it() {
    let labelled = |label, kind, amount| Figure { kind: Some(kind), ..unknown(label, amount) };
    let of = |total: &str| {
        let mut shown = shown();
        shown.figures.splice(
            1..2,
            [
                Figure { is_discount: true, ..unknown("Discount Autumn", "£4.00") },
                labelled("Shipping total (excl. discounts)", Summary::ShippingBeforeDiscounts, "£2.50"),
                labelled("Shipping total (inc. discounts)", Summary::ShippingAfterDiscounts, "£2.50"),
                unknown("Gift box", "£1.00"),
                labelled("Tax", Summary::Tax, "£0.80"),
            ],
        );
        shown.figures.last_mut().unwrap().money = money(total);
        let order = checked(&prove(&listed(total, 4), shown).unwrap(), ProductFacts::Unlinked).unwrap();
        let of_order = order.adjustments.as_ref().unwrap();
        let lines: Decimal = order.items.iter().map(|line| line.line_total.unwrap()).sum();
        let parts: Decimal = of_order.iter().filter(|one| !one.included).map(|one| one.amount).sum();
        assert_eq!((lines + parts).to_string(), order.total.unwrap().to_string());
        assert!(order.mismatch.is_empty() && of_order.iter().all(|one| one.currency.as_deref() == Some("GBP")));
        let included = |one: &Adjustment| if one.included { " included" } else { "" };
        let text =
            |one: &Adjustment| format!("{} {} {}{}", one.kind, one.amount, one.text.as_deref().unwrap(), included(one));
        of_order.iter().map(text).collect::<Vec<_>>()
    };
    let mut expected = vec![
        "discount -4.00 Discount Autumn",
        "shipping 2.50 Shipping total (excl. discounts)",
        "other 1.00 Gift box",
        "tax 0.80 Tax",
    ];
    assert_eq!(of("£10.30"), expected);
    // The same tax, which the prices contain.
    expected[3] = "tax 0.80 Tax included";
    assert_eq!(of("£9.50"), expected);
}
