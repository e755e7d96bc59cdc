//! Items without a date are in no period: a command with `--since` or `--until` says how many it leaves out.
//!
//! Two pages of one row tell, by their counts: of the list, and of the list since the first year. There is no note if the
//! service does not count.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

use crate::client::{Client, OrderFilter, PageForm};
use crate::errors::{Error, Result, codes};
use crate::output::human::items;

/// How often the pages are read if the list changes between them.
const READINGS: usize = 3;

/// "2 items without a date are left out."; `None` if there are none. With `ignore_count`, the service's counts mean
/// something else.
pub(super) async fn note(client: &Client, filter: &OrderFilter, ignore_count: bool) -> Option<String> {
    if ignore_count || filter.since.is_none() && filter.until.is_none() {
        return None;
    }
    left_out(client, filter.retailer_id).await
}

/// The note of a command that has a period.
pub(super) async fn left_out(client: &Client, retailer_id: Option<i64>) -> Option<String> {
    match count(client, retailer_id).await {
        Ok(None | Some(0)) => None,
        Ok(Some(1)) => Some("1 item without a date is left out.".to_owned()),
        Ok(Some(count)) => Some(format!("{} without a date are left out.", items(count))),
        Err(why) => Some(unknown(&why)),
    }
}

/// Says that the number is not known.
pub(super) fn unknown(why: &Error) -> String {
    format!("Items without a date are left out. Their number is not known: {}", why.message())
}

/// `None` if the service does not count.
async fn count(client: &Client, retailer_id: Option<i64>) -> Result<Option<u64>> {
    let all = OrderFilter { retailer_id, ..OrderFilter::default() };
    let dated = OrderFilter { since: first_year(), ..all };
    for _ in 0..READINGS {
        let all = client.orders_page(&all, 1, 0, PageForm::Json).await?;
        let Some(total) = all.told().total else { return Ok(None) };
        let dated = client.orders_page(&dated, 1, 0, PageForm::Json).await?;
        if all.told().version == dated.told().version {
            return Ok(dated.told().total.map(|dated| total.saturating_sub(dated)));
        }
    }
    Err(Error::of(&codes::network::UNSOUND_LIST, "The list changes all the while."))
}

/// The earliest time that a service can be asked for.
fn first_year() -> Option<DateTime<Utc>> {
    NaiveDate::from_ymd_opt(1, 1, 1).map(|day| day.and_time(NaiveTime::MIN).and_utc())
}
