use ordersync_values::zone::Tz;
use scraper::Html;

use super::super::dates::NumericDates;
use super::super::locale::Locale;
use super::super::placed::{DateShown, Placed};
use super::super::text::{selector, text};

/// When a cell says that an order was placed, in a shop of Los Angeles.
fn read(shown: DateShown, cell: &str) -> Result<String, String> {
    let document = Html::parse_document(&format!("<table><tr><td>{cell}</table>"));
    let cell = document.select(selector!("td")).next().unwrap();
    Placed::read_words(
        cell,
        &text(cell),
        shown,
        Locale::from_tag("en-us").unwrap(),
        "America/Los_Angeles".parse::<Tz>().unwrap(),
    )
    .map(|placed| placed.at().to_rfc3339())
    .map_err(|failure| if failure.found.contains("cannot be read: ") { UNREADABLE.to_owned() } else { failure.found })
}

const DIFFERS: &str = "the date of an order is given twice, and differently. Is `time_zone` right?";
const UNREADABLE: &str = "unreadable";

#[test]
fn an_instant_is_read_from_the_attribute_and_its_text_has_to_name_the_same_day() {
    for (shown, cell, expected) in [
        (
            DateShown::Instant,
            "<time datetime='2023-01-15T05:53:31+00:00'>January 14, 2023</time>",
            Ok("2023-01-15T05:53:31"),
        ),
        (DateShown::Instant, "<time datetime='2023-01-14T21:53:31-08:00'>14/01/2023</time>", Ok("2023-01-15T05:53:31")),
        (DateShown::Instant, "<time datetime='2023-01-15T05:53:31Z'>14 janv. 23</time>", Ok("2023-01-15T05:53:31")),
        (DateShown::Instant, "<time datetime='2023-01-15T05:53:31Z'>January 15, 2023</time>", Err(DIFFERS)),
        (DateShown::Instant, "<time datetime='2023-01-15T05:53:31Z'>yesterday</time>", Err(DIFFERS)),
        (DateShown::Instant, "<time datetime='2023-01-14T21:53:31'>January 14, 2023</time>", Err(UNREADABLE)),
        (DateShown::Instant, "January 14, 2023", Err(UNREADABLE)),
        (
            DateShown::Instant,
            "<time datetime='2023-01-15T05:53:31Z'>January 14, 2023</time><time datetime='2023-01-15T05:53:31Z'></time>",
            Err(UNREADABLE),
        ),
    ] {
        assert_eq!(read(shown, cell), expected.map(|at| format!("{at}+00:00")).map_err(str::to_owned), "{cell}");
    }
}

#[test]
fn the_time_of_the_shops_clock_is_read_whether_its_offset_is_the_shops_or_none() {
    for (stamp, text, expected) in [
        ("2023-01-14T21:53:31+00:00", "January 14, 2023", Ok("2023-01-15T05:53:31+00:00")),
        ("2023-01-14T21:53:31-08:00", "January 14, 2023", Ok("2023-01-15T05:53:31+00:00")),
        ("2023-07-14T21:53:31-07:00", "July 14, 2023", Ok("2023-07-15T04:53:31+00:00")),
        // The clock shows this hour twice, and only the offset says which it is.
        ("2023-11-05T01:30:00-08:00", "November 5, 2023", Ok("2023-11-05T09:30:00+00:00")),
        ("2023-01-14T21:53:31+01:00", "January 14, 2023", Err(DIFFERS)),
        ("2023-01-14T21:53:31+00:00", "January 15, 2023", Err(DIFFERS)),
    ] {
        let cell = format!("<time datetime='{stamp}'>{text}</time>");
        assert_eq!(
            read(DateShown::ShopClock, &cell),
            expected.map(str::to_owned).map_err(str::to_owned),
            "{stamp} {text}"
        );
    }
}

#[test]
fn an_order_of_a_day_without_a_time_was_placed_at_noon() {
    let day = DateShown::Day(NumericDates::DayFirst);
    assert_eq!(read(day, "18/08/2023").as_deref(), Ok("2023-08-18T19:00:00+00:00"));
    assert_eq!(read(day, "August 18, 2023").as_deref(), Ok("2023-08-18T19:00:00+00:00"));
    assert_eq!(read(day, "08/18/2023").unwrap_err(), UNREADABLE);
    assert_eq!(read(DateShown::Day(NumericDates::Unknown), "18/08/2023").unwrap_err(), UNREADABLE);
}

#[test]
fn a_text_with_a_time_and_an_instant_beside_it_have_to_agree() {
    for (cell, expected) in [
        ("8 Oct 2025, 6:20 p.m.", Ok("2025-10-09T01:20:00+00:00")),
        ("<time datetime='2025-10-09T01:20:31Z'>8 Oct 2025, 6:20 p.m.</time>", Ok("2025-10-09T01:20:00+00:00")),
        ("<time datetime='2025-10-08T18:20:31Z'>8 Oct 2025, 6:20 p.m.</time>", Err(DIFFERS)),
        ("8 Oct 2025", Err(UNREADABLE)),
    ] {
        assert_eq!(read(DateShown::TextWithTime, cell), expected.map(str::to_owned).map_err(str::to_owned), "{cell}");
    }
}
