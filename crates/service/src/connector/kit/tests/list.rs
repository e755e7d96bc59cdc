use ordersync_api::SyncErrorCode;
use ordersync_values::zone::Tz;
use rust_decimal::Decimal;
use url::Url;

use super::super::check::Failure;
use super::super::compared::Sample;
use super::super::list_proof::{DateRange, EndOfList};
use super::super::list_reading::{ListPage, ListReading, Paging, PagingRules};
use super::super::listed::{ListedOrder, OrderList};
use super::super::placed::Placed;
use super::super::report::{KeptBack, ScanReport};
use super::due::{Stored, due};
use super::money;
use crate::connector::known::Compared;

/// A shop whose list has these orders on each page, and says no more of itself.
pub(super) struct Shop {
    rules: PagingRules,
    list: Vec<Vec<u32>>,
    /// The orders of a page before the first.
    before: Vec<u32>,
}

impl Paging for Shop {
    fn first(&self) -> Url {
        self.page(&Url::parse("http://shop.test/").unwrap(), 1)
    }

    fn page(&self, before: &Url, number: u32) -> Url {
        before.join(&format!("/orders/{number}")).unwrap()
    }

    fn filtered(&self, before: &Url, days: &DateRange) -> Url {
        let day = |day: Option<chrono::NaiveDate>| day.map(|day| day.to_string()).unwrap_or_default();
        before.join(&format!("/orders/from/{}/to/{}", day(days.from), day(days.to))).unwrap()
    }

    fn before_first(&self) -> Option<Url> {
        Some(self.first())
    }

    fn rules(&self) -> PagingRules {
        self.rules
    }
}

const DAY: i64 = 86_400;

/// Order `number`, placed so many days after the first of 1970.
pub(super) fn row(number: u32) -> ListedOrder {
    ListedOrder {
        number: number.to_string(),
        path: format!("/orders/{number}/"),
        placed_at: Placed::kept(i64::from(number) * DAY).unwrap(),
        total: money("£1.00"),
        left: None,
        status: None,
        items: Some(Decimal::ONE),
        content: None,
    }
}

fn rows(numbers: &[u32]) -> OrderList {
    OrderList { rows: numbers.iter().map(|number| row(*number)).collect(), ..OrderList::default() }
}

impl Shop {
    pub(super) fn of(list: &[&[u32]]) -> Self {
        let rules = PagingRules { max_pages: 10, end: EndOfList::PageAfter, if_repeated: "", time_zone: Tz::UTC };
        Self { rules, list: list.iter().map(|page| page.to_vec()).collect(), before: Vec::new() }
    }

    pub(super) fn shown(&self, number: u32) -> OrderList {
        let page = (number as usize).checked_sub(1).map_or(Some(&self.before), |index| self.list.get(index));
        rows(page.map_or(&[], Vec::as_slice))
    }

    /// Reads the list until nothing more is wanted. `page` gives page `number`; 0 for a filtered list.
    fn read(&self, mut page: impl FnMut(u32) -> ListPage) -> (ListReading, usize) {
        let (mut reading, mut asked) = (ListReading::new(self.first()), 0);
        loop {
            while let Some(wanted) = reading.wanted() {
                asked += 1;
                assert!(asked < 100, "the reading has no end");
                reading.take(page(wanted.number), 0, self).unwrap();
            }
            if !reading.look_again(self) {
                return (reading, asked);
            }
        }
    }

    pub(super) fn read_plainly(&self) -> (ListReading, usize) {
        self.read(|number| ListPage::Shown(self.shown(number), self.page(&self.first(), number)))
    }
}

/// The check that failed, by its name.
fn failed(reading: &ListReading) -> Option<String> {
    assert_eq!(reading.is_proven(), reading.failure().is_none());
    reading.failure().map(|failure: &Failure| failure.check.to_string())
}

#[test]
fn a_list_is_proven_by_the_page_after_its_last_and_by_its_head_once_more() {
    for (list, asked) in [(vec![], 4), (vec![[3, 2].as_slice()], 4), (vec![&[9, 8], &[7, 6], &[5]], 5)] {
        let shop = Shop::of(&list);
        let (reading, pages) = shop.read_plainly();
        assert_eq!(failed(&reading), None);
        assert_eq!((reading.orders().len(), pages), (list.concat().len(), asked));
    }
    let shop = Shop::of(&[&[9, 8], &[7]]);
    let absent = |number| match shop.shown(number) {
        list if list.rows.is_empty() => ListPage::Absent,
        list => ListPage::Shown(list, shop.page(&shop.first(), number)),
    };
    assert_eq!(failed(&shop.read(absent).0), None);
    let nothing = Shop::of(&[]).read(|_| ListPage::Absent).0;
    assert_eq!(failed(&nothing).as_deref(), Some("page of the order list"), "that is no list without orders");
}

#[test]
fn pages_that_contradict_the_end_of_the_list_prove_nothing() {
    let shop = Shop::of(&[&[9, 8], &[7, 6]]);
    let first = |change: fn(&mut OrderList)| {
        shop.read(|number| {
            let mut list = shop.shown(number);
            if number == 1 {
                change(&mut list);
            }
            ListPage::Shown(list, shop.page(&shop.first(), number))
        })
        .0
    };
    assert_eq!(failed(&first(|list| list.pages = 3)).as_deref(), Some("number of the list's pages"));
    assert_eq!(failed(&first(|list| list.stated_orders = Some(5))).as_deref(), Some("end of the list"));
    assert_eq!(failed(&first(|list| drop(list.rows.pop()))).as_deref(), Some("size of the list's pages"));
    assert_eq!(failed(&first(|list| list.stated_orders = Some(4))), None);
    let same = shop.read(|_| ListPage::Shown(shop.shown(1), shop.first())).0;
    assert_eq!(failed(&same).as_deref(), Some("end of the list"), "the same page, whichever is asked for");
    let twice = Shop::of(&[&[9, 8], &[8, 7]]).read_plainly().0;
    assert_eq!(failed(&twice).as_deref(), Some("orders repeated by the list"));
}

/// Reads a list whose end is proven in this way; `says` adds what page `number` says of the list.
fn read_to(end: EndOfList, pages: &[&[u32]], says: impl Fn(u32, &mut OrderList)) -> (ListReading, usize) {
    let mut shop = Shop::of(pages);
    shop.rules.end = end;
    shop.read(|number| {
        let mut list = shop.shown(number);
        says(number, &mut list);
        ListPage::Shown(list, shop.page(&shop.first(), number))
    })
}

#[test]
fn a_list_may_end_with_the_page_that_does_not_link_to_a_next_one_and_the_page_after_it_confirms_that() {
    let links = |last: u32| move |number: u32, list: &mut OrderList| list.has_next = Some(number < last);
    let read = |pages: &[&[u32]], last| read_to(EndOfList::NextLink, pages, links(last));
    for (pages, last, asked) in [(vec![], 0, 4), (vec![[3].as_slice()], 1, 3), (vec![&[9, 8], &[7]], 2, 4)] {
        let (reading, pages) = read(&pages, last);
        assert_eq!((failed(&reading), pages), (None, asked));
    }
    let end = Some("end of the list".to_owned());
    assert_eq!(failed(&read(&[&[9, 8], &[7]], 1).0), end, "the link is missing in the middle");
    assert_eq!(failed(&read(&[&[9, 8], &[7]], 3).0), end, "the last page links to a page without orders");
    assert_eq!(failed(&read(&[], 2).0), end, "a page without orders links to another");
    assert_eq!(
        failed(&read_to(EndOfList::NextLink, &[&[3]], |_, _| {}).0),
        end,
        "it is not known whether there is a link"
    );
}

#[test]
fn a_list_may_end_with_the_page_that_is_stated_to_be_the_last_and_the_page_after_it_is_asked_for_if_it_is_full() {
    let states = |pages: u32, orders: u32| {
        move |_: u32, list: &mut OrderList| (list.pages, list.stated_orders) = (pages, Some(orders))
    };
    let read = |pages: &[&[u32]], stated: (u32, u32)| read_to(EndOfList::Stated, pages, states(stated.0, stated.1));
    for (pages, stated, asked) in
        [(vec![], (0, 0), 2), (vec![], (1, 0), 2), (vec![[3].as_slice()], (1, 1), 3), (vec![&[9, 8], &[7]], (2, 3), 3)]
    {
        let (reading, pages) = read(&pages, stated);
        assert_eq!((failed(&reading), pages), (None, asked), "{stated:?}");
    }
    let end = Some("end of the list".to_owned());
    assert_eq!(failed(&read(&[&[9, 8], &[7]], (2, 4)).0), end, "more orders");
    assert_eq!(failed(&read(&[&[9, 8], &[7]], (2, 2)).0), end, "fewer orders");
    assert_eq!(failed(&read(&[&[9, 8], &[7]], (1, 3)).0), end, "fewer pages");
    assert_eq!(failed(&read(&[&[9, 8], &[7]], (3, 3)).0).as_deref(), Some("number of the list's pages"));
    assert_eq!(failed(&read_to(EndOfList::Stated, &[&[3]], |_, _| {}).0), end, "nothing is stated");
    let differs = |number: u32, list: &mut OrderList| (list.pages, list.stated_orders) = (2, Some(2 + number));
    assert_eq!(
        failed(&read_to(EndOfList::Stated, &[&[9, 8], &[7, 6]], differs).0),
        end,
        "each page states another number"
    );
}

#[test]
fn a_number_of_orders_that_is_the_number_on_the_page_is_no_end_of_the_list() {
    let states_two = |_: u32, list: &mut OrderList| (list.pages, list.stated_orders) = (1, Some(2));
    let (reading, _) = read_to(EndOfList::Stated, &[&[9, 8], &[7, 6], &[5]], states_two);
    assert_eq!(
        reading.failure().unwrap().to_string(),
        "The check \"end of the list\" failed: the list states 2 orders, and page 2 shows others."
    );
    // A shop that shows its last page for every number above.
    let mut shop = Shop::of(&[&[9, 8]]);
    shop.rules.end = EndOfList::Stated;
    let always_the_first = |_| {
        let mut list = shop.shown(1);
        states_two(1, &mut list);
        ListPage::Shown(list, shop.first())
    };
    assert_eq!(failed(&shop.read(always_the_first).0), None);
}

#[test]
fn a_trial_looks_at_the_pages_before_the_first_and_after_the_last() {
    let sample = Sample::new(1, 5);
    let failed = |before: &[u32], states: Option<u32>| {
        let mut shop = Shop { before: before.to_vec(), ..Shop::of(&[&[9, 8], &[7, 6]]) };
        if states.is_some() {
            shop.rules.end = EndOfList::Stated;
        }
        let mut reading = ListReading::new(shop.first());
        while let Some(wanted) = reading.wanted() {
            let list = OrderList { pages: 1, stated_orders: states, ..shop.shown(wanted.number) };
            reading.take(ListPage::Shown(list, shop.page(&shop.first(), wanted.number)), 0, &shop).unwrap();
            reading.end_sample(&sample, &shop);
        }
        assert_eq!(reading.orders().len(), 1);
        reading.failure().map(ToString::to_string)
    };
    assert_eq!(failed(&[], None), None);
    assert_eq!(failed(&[9, 8], None), None, "the first page again");
    assert!(failed(&[11, 10], None).unwrap().contains("`list.first_page`"));
    assert!(failed(&[], Some(2)).unwrap().contains("states 2 orders, and page 2 shows others"));
}

#[test]
fn the_page_after_a_full_last_page_is_asked_for_again_once_the_orders_are_read() {
    for after in [ListPage::Absent, ListPage::Shown(OrderList::default(), Shop::of(&[]).first())] {
        let (shop, mut after) = (Shop::of(&[&[9, 8], &[7, 6], &[5]]), Some(after));
        let (reading, _) = shop.read(|number| match after.take_if(|_| number == 2) {
            Some(after) => after,
            None => ListPage::Shown(shop.shown(number), shop.page(&shop.first(), number)),
        });
        assert_eq!((failed(&reading), reading.orders().len()), (None, 5));
    }
}

#[test]
fn a_list_without_a_number_of_orders_is_read_once_more_if_stored_orders_are_missing() {
    let shop = Shop::of(&[&[9, 8], &[7, 6], &[5, 4]]);
    let compared = |listed, unlisted| Compared { listed, unlisted, was_not_proven: false };
    let read = |compared| {
        let mut reading = ListReading::new(shop.first());
        let read_on = |reading: &mut ListReading| {
            while let Some(wanted) = reading.wanted() {
                let page = ListPage::Shown(shop.shown(wanted.number), shop.page(&shop.first(), wanted.number));
                reading.take(page, 0, &shop).unwrap();
            }
        };
        read_on(&mut reading);
        let again = reading.read_once_more(compared, &shop);
        read_on(&mut reading);
        assert!(!reading.read_once_more(compared, &shop), "it is read twice at most");
        (again, reading.is_end_doubtful())
    };
    assert_eq!(read(compared(6, 0)), (false, false));
    assert_eq!(read(compared(6, 1)), (true, false));
    assert_eq!(read(compared(2, 7)), (true, false), "four new orders, and seven that the shop no longer shows");
    assert_eq!(read(compared(6, 4)), (true, true), "more are missing than the shop may have dropped");
    let again = Compared { was_not_proven: true, ..compared(6, 4) };
    assert_eq!(read(again), (true, false), "in the next sync, too");
}

#[test]
fn a_list_of_one_page_as_the_operator_says_has_no_other_asked_for() {
    let (reading, asked) = read_to(EndOfList::OnePage { is_accepted: false }, &[&[9, 8], &[7]], |_, _| {});
    assert_eq!((failed(&reading), reading.orders().len(), asked), (None, 2, 2));
}

#[test]
fn a_filtered_list_that_shows_another_order_fails_the_whole_list() {
    let shop = Shop::of(&[&[90, 80], &[30]]);
    let read = |hidden: &[u32]| {
        shop.read(|number| {
            let mut list = if number == 0 { rows(hidden) } else { shop.shown(number) };
            list.has_filter = true;
            ListPage::Shown(list, shop.page(&shop.first(), number))
        })
    };
    assert_eq!(failed(&read(&[]).0), None);
    assert_eq!(failed(&read(&[80]).0), None);
    assert_eq!(failed(&read(&[50]).0).as_deref(), Some("orders hidden by the list"));
    assert_eq!(read(&[]).1, 3 + 4 + 1, "before the oldest, after the newest, and in the two widest gaps");
}

#[test]
fn an_order_that_is_placed_meanwhile_is_read_and_figures_of_orders_that_were_read_stay() {
    let (before, after) = (Shop::of(&[&[9, 8], &[7]]), Shop::of(&[&[10, 9], &[8, 7]]));
    let mut asked = 0;
    let (reading, _) = before.read(|number| {
        asked += 1;
        let shop = if asked == 1 { &before } else { &after };
        ListPage::Shown(shop.shown(number), shop.page(&shop.first(), number))
    });
    assert_eq!(failed(&reading), None);
    let mut numbers: Vec<&str> = reading.orders().iter().map(|order| order.number.as_str()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, ["10", "7", "8", "9"]);

    let mut reading = ListReading::new(before.first());
    let mut changed = rows(&[9, 8]);
    for row in &mut changed.rows {
        row.total = money("£2.00");
    }
    reading.take(ListPage::Shown(rows(&[9]), before.first()), 0, &before).unwrap();
    reading.take(ListPage::Shown(changed, before.first()), 1, &before).unwrap();
    let totals: Vec<String> = reading.orders().iter().map(|order| order.total.amount().to_string()).collect();
    assert_eq!(totals, ["1.00", "2.00"]);
}

#[tokio::test]
async fn only_a_proven_list_says_that_orders_are_gone() {
    let stored = Stored::default();
    let due = due(&stored, &ListReading::new(Shop::of(&[]).first())).await.unwrap();
    let one_page = |is_accepted| EndOfList::OnePage { is_accepted };
    let at_end = |list: &ListReading, end| ScanReport::new(list, end, &due, &KeptBack::default());
    let report = |list: &ListReading| at_end(list, EndOfList::PageAfter);
    let whole = Shop::of(&[&[9, 8]]).read_plainly().0;
    assert_eq!((report(&whole).listed_all(), report(&whole).incomplete()), (true, None));
    assert!(!report(&whole).end_not_proven());
    for is_accepted in [false, true] {
        let one = at_end(&whole, one_page(is_accepted));
        assert!(!one.listed_all(), "nothing confirms that there is one page");
        assert_eq!(one.end_not_proven(), !is_accepted);
    }
    let counted = Shop::of(&[&[9, 8]]);
    let stating = |page: OrderList| ListPage::Shown(OrderList { stated_orders: Some(2), ..page }, counted.first());
    let counted = counted.read(|number| stating(counted.shown(number))).0;
    let counted = at_end(&counted, one_page(false));
    assert!(counted.listed_all() && !counted.end_not_proven());
    let unread = ListReading::new(Shop::of(&[]).first());
    assert!(!report(&unread).listed_all());
    let torn = Shop::of(&[&[9], &[8, 7]]).read_plainly().0;
    assert!(!report(&torn).listed_all());
    assert!(report(&torn).incomplete().unwrap().contains("size of the list's pages"));
}

#[test]
fn a_list_without_end_is_the_operators_to_allow() {
    let shop = Shop::of(&[]);
    let mut reading = ListReading::new(shop.first());
    let mut taken = (1..100).map(|number| reading.take(ListPage::Shown(rows(&[number]), shop.first()), 0, &shop));
    let error = taken.find_map(Result::err).unwrap();
    assert_eq!(error.code, SyncErrorCode::RetailerMisconfigured);
    assert!(error.message.contains("`max_pages`"), "{error}");
}
