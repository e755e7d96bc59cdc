use ordersync_api::order::Shipment;

use super::*;

fn line(sku: &str, title: &str, quantity: i64, total: i64) -> LineItem {
    LineItem {
        title: Some(title.into()),
        sku: (!sku.is_empty()).then(|| sku.into()),
        quantity: Some(quantity.into()),
        unit_price: Some(Decimal::from(total) / Decimal::from(quantity)),
        line_total: Some(total.into()),
        ..LineItem::default()
    }
}

fn order(source: &str, total: i64, items: Vec<LineItem>) -> RetailerOrder {
    RetailerOrder {
        order_id: "N-1".into(),
        fingerprint: None,
        placed_at: None,
        is_day_alone: false,
        total: Some(total.into()),
        currency: Some("EUR".into()),
        mismatch: Vec::new(),
        adjustments: None,
        sources: if source.is_empty() { Vec::new() } else { vec![source.into()] },
        stated_at: None,
        items,
    }
}

fn adjustment(kind: AdjustmentType, amount: i64) -> Adjustment {
    Adjustment {
        kind: Open::Known(kind),
        amount: amount.into(),
        currency: Some("EUR".into()),
        date: None,
        text: None,
        included: false,
    }
}

#[test]
fn what_a_later_file_does_not_say_stays() {
    let mut old = order("a", 10, vec![LineItem { brand: Some("Acme".into()), ..line("1", "Tea", 2, 10) }]);
    old.adjustments = Some(vec![adjustment(AdjustmentType::Tax, 1), adjustment(AdjustmentType::Refund, -3)]);
    let mut new = order("b", 10, vec![LineItem { unit_price: None, ..line("1", "Green tea", 2, 10) }]);
    new.total = None;
    new.adjustments = Some(vec![adjustment(AdjustmentType::Tax, 2)]);
    let both = files(&old, &new);
    assert_eq!((both.total, both.sources), (Some(10.into()), vec!["a".to_owned(), "b".to_owned()]));
    let item = &both.items[0];
    assert_eq!((item.title.as_deref(), item.brand.as_deref()), (Some("Green tea"), Some("Acme")));
    assert_eq!((both.items.len(), item.unit_price), (1, Some(5.into())));
    // The later tax replaces the earlier one; the refund stays.
    let kept = [adjustment(AdjustmentType::Tax, 2), adjustment(AdjustmentType::Refund, -3)];
    assert_eq!(both.adjustments.unwrap(), kept);
}

#[test]
fn a_time_is_not_replaced_by_its_day() {
    let day = |at: &str| RetailerOrder { is_day_alone: true, ..time(at) };
    fn time(at: &str) -> RetailerOrder {
        RetailerOrder { placed_at: Some(at.parse().unwrap()), ..order("a", 1, vec![line("1", "Tea", 1, 1)]) }
    }
    let (noon, evening, later) = ("2026-03-05T12:00:00Z", "2026-03-04T23:10:00Z", "2026-03-07T23:10:01Z");
    for (first, second, kept) in [
        (time(evening), day(noon), time(evening)),
        (day(noon), time(evening), time(evening)),
        (day(noon), day(later), day(later)),
        (time(evening), time(noon), time(noon)),
        // Another day is a correction.
        (time(later), day(noon), day(noon)),
        (time(evening), order("a", 1, Vec::new()), time(evening)),
    ] {
        let both = files(&first, &second);
        assert_eq!((both.placed_at, both.is_day_alone), (kept.placed_at, kept.is_day_alone));
        let (both, _) = account_and_file(&second, &first);
        assert_eq!((both.placed_at, both.is_day_alone), (kept.placed_at, kept.is_day_alone));
    }
}

#[test]
fn a_page_that_shows_a_part_takes_nothing_away_and_marks_what_is_still_missing() {
    let lines =
        |count: usize| ["Tea", "Cup", "Pot"][..count].iter().map(|title| line("", title, 1, 1)).collect::<Vec<_>>();
    let page = |shown: Option<u32>| {
        let [shown, computed] = [shown, Some(1)].map(|count| count.map(Decimal::from));
        RetailerOrder {
            mismatch: vec![Mismatch { check: "page_lines".into(), shown, computed }],
            ..order("p", 3, lines(1))
        }
    };
    for (before, shown, left) in [
        (order("a", 3, lines(3)), Some(3), None),
        (order("a", 3, lines(2)), Some(3), Some((Some(3), 2))),
        (order("a", 3, lines(3)), Some(2), Some((Some(2), 3))),
        (order("a", 3, lines(3)), None, None),
        (page(None), None, Some((None, 1))),
    ] {
        let known = before.items.len();
        let both = files(&before, &page(shown));
        let marks = both.mismatch.iter().map(|one| (one.check.as_str(), one.shown, one.computed));
        let left = left.map(|(shown, computed): (Option<u32>, u32)| {
            ("page_lines", shown.map(Decimal::from), Some(Decimal::from(computed)))
        });
        assert_eq!(
            (both.items.len(), marks.collect::<Vec<_>>()),
            (known, left.into_iter().collect()),
            "{known} {shown:?}"
        );
    }
    // A line of the page that the file does not have: one of them may be the other's, with another title.
    for shown in [None, Some(3)] {
        let mut other = page(shown);
        other.items[0].title = Some("Kettle".into());
        let both = files(&order("a", 3, lines(2)), &other);
        assert_eq!((both.items.len(), both.mismatch.len()), (3, 1), "{:?}", both.mismatch);
    }
    // A page of which another one shows the rest has no mark.
    let mut rest = page(Some(2));
    rest.items = vec![line("", "Cup", 2, 4)];
    assert_eq!(files(&page(Some(2)), &rest).mismatch, []);
    // A file that has all of it removes the mark.
    assert_eq!(files(&page(Some(3)), &order("a", 3, lines(3))).mismatch, []);
}

#[test]
fn a_refund_whose_time_is_written_in_another_way_is_one_refund() {
    let refund = |date: &str| Adjustment {
        date: Some(Open::Known(date.parse().unwrap())),
        ..adjustment(AdjustmentType::Refund, -10)
    };
    let after = |known: &[&str], new: &[&str]| {
        let of = |dates: &[&str]| RetailerOrder {
            adjustments: Some(dates.iter().map(|date| refund(date)).collect()),
            ..order("a", 20, vec![line("1", "Tea", 1, 20)])
        };
        let both = files(&of(known), &of(new)).adjustments.unwrap();
        both.iter().map(|one| one.date.as_ref().unwrap().to_string()).collect::<Vec<_>>()
    };
    let (time, second, day) = ("2026-03-20T17:31:07.123Z", "2026-03-20T17:31:07Z", "2026-03-20T12:00:00Z");
    for (known, new) in [(time, second), (second, time), (time, day), (day, time)] {
        let first = after(&[known], &[new]);
        assert_eq!(first.len(), 1, "{known} and {new}");
        assert_ne!(first[0], day, "a time is not replaced by its day");
        assert_eq!(after(&[&first[0]], &[known]), first, "the file again changes nothing");
    }
    // Of two on one day, that with the equal time is the one that is known.
    assert_eq!(after(&[time], &[day, time]), [day, time]);
    assert_eq!(after(&[time], &["2026-03-20T17:31:08Z"]).len(), 2);
    assert_eq!(after(&[day], &["2026-03-21T12:00:00Z"]).len(), 2);
}

#[test]
fn refunds_of_the_same_amount_are_as_many_as_the_file_that_has_most() {
    let refunds = |count: usize| Some(vec![adjustment(AdjustmentType::Refund, -3); count]);
    for (before, after, all) in [(0, 2, 2), (1, 2, 2), (2, 1, 2), (2, 2, 2)] {
        let old = RetailerOrder { adjustments: refunds(before), ..order("a", 10, vec![line("1", "Tea", 1, 10)]) };
        let new = RetailerOrder { adjustments: refunds(after), ..order("a", 10, vec![line("1", "Tea", 1, 10)]) };
        assert_eq!(files(&old, &new).adjustments, refunds(all), "{before} and {after}");
    }
}

/// Of two mails, one of which may have no time, the end after either order of imports.
#[test]
fn what_was_stated_earlier_only_adds_in_whichever_order_the_files_come() {
    let at = |day: i64| DateTime::from_timestamp(day * 86_400, 0);
    let stated = |day: Option<i64>, status: &str, total: i64, lines: &[&str]| RetailerOrder {
        stated_at: day.and_then(at),
        items: lines
            .iter()
            .map(|title| LineItem {
                shipment_status: (!status.is_empty()).then(|| Open::Other(status.into())),
                ..line("", title, 1, 3)
            })
            .collect(),
        ..order("mails", total, Vec::new())
    };
    let mut early = stated(Some(1), "processing", 6, &["Tea", "Cup"]);
    early.items[0].brand = Some("Acme".into());
    early.adjustments = Some(vec![adjustment(AdjustmentType::Refund, -1)]);
    let late = stated(Some(3), "completed", 3, &["Tea"]);
    let both = files(&early, &late);
    assert_eq!(files(&late, &early), both);
    assert_eq!((both.stated_at, both.total, both.items.len()), (at(3), Some(3.into()), 2));
    assert_eq!(both.items[0].shipment_status, Some(Open::Other("completed".into())));
    assert_eq!(both.items[0].brand.as_deref(), Some("Acme"));
    assert_eq!(both.adjustments, early.adjustments);
    let marks = |order: &RetailerOrder| -> Vec<_> { order.mismatch.iter().map(|one| one.check.clone()).collect() };
    assert_eq!(marks(&both), [LINES]);
    // Again, and another one that has more lines: the mark stays one.
    assert_eq!(files(&both, &early), both);
    let more = stated(Some(2), "shipped", 9, &["Tea", "Cup", "Pot"]);
    let all = files(&both, &more);
    assert_eq!((all.items.len(), marks(&all), all.stated_at), (3, vec![LINES.to_owned()], at(3)));

    // A mail without a status leaves the time of the one that is stored, and one that fills it in has its own.
    let note = stated(Some(4), "", 3, &["Tea"]);
    assert_eq!(files(&late, &note).stated_at, at(3));
    assert_eq!(files(&note, &late).stated_at, at(3));
    // Without a time on one side, and with the same time, the later import counts.
    for (first, second) in [(Some(3), None), (None, Some(1)), (Some(3), Some(3))] {
        let second = stated(second, "processing", 3, &["Tea"]);
        let both = files(&stated(first, "completed", 3, &["Tea"]), &second);
        assert_eq!(both.items[0].shipment_status, Some(Open::Other("processing".into())));
        assert_eq!(both.stated_at, second.stated_at);
    }
    // The account's status has no such time.
    assert_eq!(account_and_file(&order("", 3, vec![line("", "Tea", 1, 3)]), &late).0.stated_at, None);
}

#[test]
fn a_file_has_all_lines_of_an_order_of_which_the_account_shows_some() {
    let mut account = order("", 13, vec![LineItem { line_total: None, ..line("1", "Tea", 1, 3) }]);
    account.mismatch = vec![Mismatch { check: PAGE_LINES.into(), shown: Some(2.into()), computed: Some(1.into()) }];
    account.adjustments = Some(vec![adjustment(AdjustmentType::Tax, 1), adjustment(AdjustmentType::Shipping, 2)]);
    let tax = |amount| vec![adjustment(AdjustmentType::Tax, amount)];
    let lines = [line("1", "Tea", 1, 3), line("2", "Pot", 1, 7)];
    let lines = lines.map(|line| LineItem { adjustments: tax(1), ..line });
    let (both, told) = account_and_file(&account, &order("file", 13, lines.to_vec()));
    assert_eq!((both.items, both.mismatch, told), (lines.to_vec(), Vec::new(), Vec::new()));
    // The file's lines have the tax, which counts once.
    assert_eq!(both.adjustments, Some(vec![adjustment(AdjustmentType::Shipping, 2)]));
}

#[test]
fn the_status_is_the_accounts_and_the_money_the_files() {
    let parcel = Shipment { carrier: Some("DHL".into()), tracking_number: None };
    let mut account = order("", 12, vec![line("", "Tea", 2, 12)]);
    account.items[0].shipment_status = Some(Open::Other("on its way".into()));
    account.fingerprint = Some("f".into());
    let mut file = order("a", 10, vec![line("", "Tea", 2, 12)]);
    file.items[0].shipment_status = Some(Open::Other("ordered".into()));
    file.items[0].sku = Some("7".into());
    file.items[0].line_total = Some(11.into());
    file.items[0].shipments = vec![parcel.clone()];
    let (both, told) = account_and_file(&account, &file);
    let item = &both.items[0];
    assert_eq!(item.shipment_status, Some(Open::Other("on its way".into())));
    assert_eq!(
        (item.line_total, item.sku.as_deref(), &item.shipments[..]),
        (Some(11.into()), Some("7"), &[parcel][..])
    );
    assert_eq!((both.total, both.fingerprint.as_deref()), (Some(10.into()), Some("f")));
    assert_eq!(both.sources, ["account", "a"]);
    let told: Vec<_> =
        told.iter().map(|one| (one.field.as_str(), one.account.as_deref(), one.file.as_deref())).collect();
    assert_eq!(told, [("orderTotal", Some("12"), Some("10")), ("lineTotal", Some("12"), Some("11"))]);
    let marks: Vec<_> = both.mismatch.iter().map(|one| (one.check.as_str(), one.shown, one.computed)).collect();
    assert_eq!(marks, [(TOTAL, Some(10.into()), Some(12.into())), (LINE_TOTAL, Some(11.into()), Some(12.into()))]);
    // The same file again, and the same account again, change nothing.
    assert_eq!(account_and_file(&both, &file).0, both);
    assert_eq!(account_and_file(&account, &both).0, both);
    // So does a file that has refunds alone, and one without totals.
    let mut silent = RetailerOrder { total: None, ..file.clone() };
    silent.items[0].line_total = None;
    assert_eq!(account_and_file(&both, &silent).0.mismatch, both.mismatch);
    silent.items.clear();
    assert_eq!(account_and_file(&both, &silent).0.mismatch, both.mismatch);
    // A file that agrees with the account takes the marks away.
    file.total = Some(12.into());
    file.items[0].line_total = Some(12.into());
    assert_eq!(account_and_file(&both, &file).0.mismatch, []);
}

#[test]
fn lines_that_do_not_match_are_never_doubled() {
    let account = order("", 12, vec![line("", "Tea", 2, 12)]);
    let file = order("a", 12, vec![line("", "Green tea, 500 g", 1, 6), line("", "Green tea, 500 g", 1, 6)]);
    let (both, told) = account_and_file(&account, &file);
    assert_eq!(both.items, account.items);
    assert_eq!((told[0].field.as_str(), told[0].file.as_deref()), ("items", Some("2")));
    assert_eq!(both.mismatch[0].check, LINES);
}

#[test]
fn amounts_of_two_currencies_are_never_mixed() {
    let account = order("", 12, vec![line("", "Tea", 2, 12)]);
    let file = RetailerOrder { currency: Some("USD".into()), ..order("a", 9, vec![line("", "Tea", 2, 9)]) };
    let (both, told) = account_and_file(&account, &file);
    assert_eq!((both.total, &both.items), (account.total, &account.items));
    assert_eq!(told[0].field, "currency");
}
