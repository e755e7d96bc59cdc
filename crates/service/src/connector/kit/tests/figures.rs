//! What is a part of an order's total, and what says how it was paid; tax in lines; quantities of 0 and below.

use super::super::check::{Check, Failure};
use super::super::figures::{Figure, ShownOrder, Summary};
use super::super::line_tax::LineTax;
use super::super::order_proof;
use super::super::shows::Shows;
use super::money;
use super::orders::{SHOWS, complete, figure, kept, line, listed, prove};

/// One line of £10.00, and what is below it.
fn ten(figures: Vec<Figure>) -> ShownOrder {
    let figures = std::iter::once(figure(Summary::Basket, "£10.00")).chain(figures).collect();
    complete(vec![line("Tea", 1, "£10.00")], figures)
}

#[test]
fn what_was_paid_is_no_part_of_the_total_and_a_gift_card_only_if_the_sum_shows_it() {
    use Summary::{Deposit, GiftCard, OrderTotal, Owed, Payment, Reward, Tip};
    for (total, figures, expected) in [
        (
            "£10.00",
            &[(OrderTotal, "£10.00"), (Reward, "£1.25"), (Payment, "£8.75")][..],
            &["reward 1.25 included", "payment 8.75"][..],
        ),
        (
            "£10.00",
            &[(Reward, "-£1.25"), (Payment, "£8.75"), (OrderTotal, "£10.00")],
            &["reward 1.25 included", "payment 8.75"],
        ),
        ("£8.00", &[(GiftCard, "-£2.00"), (OrderTotal, "£8.00")], &["gift_card -2.00"]),
        ("£8.00", &[(GiftCard, "£2.00"), (OrderTotal, "£8.00")], &["gift_card -2.00"]),
        ("£8.00", &[(OrderTotal, "£8.00"), (GiftCard, "£2.00")], &["gift_card -2.00"]),
        ("£10.00", &[(GiftCard, "£2.00"), (OrderTotal, "£10.00")], &["gift_card 2.00 included"]),
        ("£11.25", &[(Tip, "£1.00"), (Deposit, "£0.25"), (OrderTotal, "£11.25")], &["tip 1.00", "deposit 0.25"]),
        ("£10.00", &[(OrderTotal, "£10.00"), (Tip, "£1.00")], &["tip 1.00 included"]),
        // What is owed was not paid.
        (
            "£10.00",
            &[(Deposit, "£2.00"), (OrderTotal, "£10.00"), (Payment, "£3.00"), (Owed, "£5.00")],
            &["deposit 2.00 included", "payment 3.00", "other 5.00 included"],
        ),
        ("£10.00", &[(Owed, "£10.00"), (OrderTotal, "£10.00")], &["other 10.00 included"]),
        // Both may be, and the place says which is which.
        (
            "£8.00",
            &[(GiftCard, "£2.00"), (OrderTotal, "£8.00"), (Reward, "£3.00"), (Payment, "£5.00")],
            &["gift_card -2.00", "reward 3.00 included", "payment 5.00"],
        ),
    ] {
        let figures = figures.iter().map(|(kind, amount)| figure(*kind, amount)).collect();
        let proven = prove(&listed(total, 1), ten(figures)).unwrap();
        assert!(proven.mismatch().is_empty(), "{expected:?}: {:?}", proven.mismatch());
        assert_eq!(kept(&proven), expected);
    }
    // If nothing adds up, the order is marked.
    let proven = prove(&listed("£7.00", 1), ten(vec![figure(GiftCard, "£2.00"), figure(OrderTotal, "£7.00")])).unwrap();
    assert_eq!(proven.mismatch()[0].check, "order_total");
}

#[test]
fn lines_with_tax_beside_a_sum_without_it_are_proven_by_the_taxes() {
    let shows = Shows { line_tax: LineTax::Included, ..SHOWS };
    let of = |lines: &[&str], figures: &[(Summary, &str)]| -> Result<Vec<String>, Failure> {
        let total = figures.last().unwrap().1;
        let lines: Vec<_> = lines.iter().map(|total| line("Tea", 1, total)).collect();
        let listed = listed(total, i64::try_from(lines.len()).unwrap());
        let figures = figures.iter().map(|(kind, amount)| figure(*kind, amount)).collect();
        let shown = complete(lines, figures);
        order_proof::prove(&listed, shown, &shows).map(|proven| kept(&proven))
    };
    use Summary::{Basket, OrderTotal, Shipping, Tax};
    let shipping = (Shipping, "£5.00");
    for (lines, figures, expected) in [
        // Of the goods alone, in one row or in two, and none.
        (
            &["£12.00", "£24.00"][..],
            &[(Basket, "£30.00"), shipping, (Tax, "£6.00"), (OrderTotal, "£41.00")][..],
            &["shipping 5.00", "tax 6.00 included"][..],
        ),
        (
            &["£36.00"],
            &[(Basket, "£30.00"), (Tax, "£4.00"), (Tax, "£2.00"), (OrderTotal, "£36.00")],
            &["tax 4.00 included", "tax 2.00 included"],
        ),
        (&["£30.00"], &[(Basket, "£30.00"), shipping, (OrderTotal, "£35.00")], &["shipping 5.00"]),
        // Each line is rounded by itself.
        (
            &["£1.23", "£1.23", "£1.23"],
            &[(Basket, "£3.08"), (Tax, "£0.62"), (OrderTotal, "£3.70")],
            &["tax 0.62 included"],
        ),
        // Of the goods and the shipping: 20 percent.
        (
            &["£36.00"],
            &[(Basket, "£30.00"), shipping, (Tax, "£7.00"), (OrderTotal, "£42.00")],
            &["shipping 5.00", "tax 6.00 included", "tax 1.00"],
        ),
    ] {
        assert_eq!(
            of(lines, figures).as_deref().map_err(ToString::to_string),
            Ok(&*expected.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>())
        );
    }
    for (lines, figures, check) in [
        // No rate explains it.
        (
            &["£33.00"][..],
            &[(Basket, "£30.00"), shipping, (Tax, "£7.00"), (OrderTotal, "£42.00")][..],
            Check::BasketTotal,
        ),
        (&["£37.00"], &[(Basket, "£30.00"), (Tax, "£6.00"), (OrderTotal, "£36.00")], Check::BasketTotal),
        // Two taxes, of shipping, too: which of them is in the lines?
        (
            &["£36.00"],
            &[(Basket, "£30.00"), shipping, (Tax, "£3.50"), (Tax, "£3.50"), (OrderTotal, "£42.00")],
            Check::BasketTotal,
        ),
        (&["£36.00"], &[(Basket, "£30.00"), (Tax, "£6.00"), (OrderTotal, "£40.00")], Check::SumOfOrder),
    ] {
        assert_eq!(of(lines, figures).unwrap_err().check, check, "{lines:?}");
    }
}

#[test]
fn taxes_of_goods_and_of_shipping_are_shared_out_at_the_rates_that_their_labels_state() {
    let shows = Shows { line_tax: LineTax::Included, ..SHOWS };
    let of = |lines: &[&str], taxes: &[(&str, &str)], others: &[&str], total: &str| {
        let all: Vec<_> = lines.iter().map(|total| line("Tea", 1, total)).collect();
        let mut figures = vec![figure(Summary::Basket, "£100.00")];
        figures.extend(others.iter().map(|amount| figure(Summary::Shipping, amount)));
        let tax =
            |(label, amount): &(&str, &str)| Figure { label: (*label).to_owned(), ..figure(Summary::Tax, amount) };
        figures.extend(taxes.iter().map(tax));
        figures.push(figure(Summary::OrderTotal, total));
        let listed = listed(total, i64::try_from(lines.len()).unwrap());
        let shown = complete(all, figures);
        order_proof::prove(&listed, shown, &shows).map(|proven| kept(&proven).join(", ")).map_err(|error| error.check)
    };
    let taxes = [("Eco tax", "£4.00"), ("VAT (20%)", "£21.00")];
    let expected = "shipping 5.00, tax 4.00 included, tax 20.00 included, tax 1.00";
    assert_eq!(of(&["£60.00", "£64.00"], &taxes, &["£5.00"], "£130.00").as_deref(), Ok(expected));
    // Some of the goods are not taxed, so that the one tax is at no rate of the whole.
    let taxes = [("Sales tax 7,5 %", "£4.13")];
    let expected = "shipping 5.00, tax 3.75 included, tax 0.38";
    assert_eq!(of(&["£53.75", "£50.00"], &taxes, &["£5.00"], "£109.13").as_deref(), Ok(expected));
    for (lines, taxes, others, total) in [
        // A line is wrong by two pounds.
        (&["£62.00", "£64.00"][..], &[("Eco tax", "£4.00"), ("VAT (20%)", "£21.00")][..], &["£5.00"][..], "£130.00"),
        // No rate, two rates, another rate.
        (&["£60.00", "£64.00"], &[("Eco tax", "£4.00"), ("VAT", "£21.00")], &["£5.00"], "£130.00"),
        (&["£60.00", "£64.00"], &[("Eco tax", "£4.00"), ("VAT 20% or 7%", "£21.00")], &["£5.00"], "£130.00"),
        (&["£60.00", "£64.00"], &[("Eco tax", "£4.00"), ("VAT 19.5%", "£21.00")], &["£10.00"], "£135.00"),
        // Which of the two is that of the shipping?
        (&["£55.00", "£55.00"], &[("VAT (20%)", "£6.00"), ("Duty (20%)", "£6.00")], &["£10.00"], "£122.00"),
    ] {
        assert_eq!(of(lines, taxes, others, total), Err(Check::BasketTotal), "{taxes:?} {others:?}");
    }
}

#[test]
fn a_quantity_may_be_0_and_one_below_0_has_no_total_above_it() {
    let of = |quantity: i64, total: &str| {
        let lines = vec![line("Tea", 1, "£10.00"), line("Vase", quantity, total)];
        let sum = money(total).amount() + money("£10.00").amount();
        let all = format!("£{sum}");
        let figures = vec![figure(Summary::Basket, &all), figure(Summary::OrderTotal, &all)];
        let shown = complete(lines, figures);
        let proven = prove(&listed(&all, 1 + quantity), shown)?;
        let vase = &proven.lines()[1];
        Ok((vase.quantity().to_string(), vase.total().to_string(), vase.unit_price().map(|price| price.to_string())))
    };
    let expect = |quantity: &str, total: &str, price: Option<&str>| {
        Ok::<_, Failure>((quantity.to_owned(), total.to_owned(), price.map(str::to_owned)))
    };
    assert_eq!(of(0, "£0.00"), expect("0", "0.00", None));
    assert_eq!(of(0, "£2.00"), expect("0", "2.00", None));
    assert_eq!(of(-1, "-£3.50"), expect("-1", "-3.50", Some("3.50")));
    assert_eq!(of(-1, "£3.50").unwrap_err().check, Check::Lines);
}
