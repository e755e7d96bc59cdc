//! The file in which commands that share a budget record what they have sent. A lock file beside it is held only while
//! those few kilobytes are read and written. The file is replaced whole, so a killed command leaves the previous
//! contents.
//!
//! A problem with the file is not an error: each process also remembers its own requests, and rebuilds a damaged or
//! missing file from memory.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::clock::Moment;
use super::quota::{Quota, StatedLimit};
use super::window::{SentRequest, Window};
use crate::secret_file;

const VERSION: u32 = 1;
/// The most that is read of a file, in bytes. Budgets need far less.
const LONGEST: u64 = 1 << 20;
/// How many times to try the lock, [`PAUSE`] apart. Other processes hold it for microseconds.
const PATIENCE: u32 = 100;
const PAUSE: Duration = Duration::from_millis(1);
/// A file that has not been touched for this long holds nothing of use.
const FORGOTTEN: Duration = Duration::from_secs(2 * 24 * 3600);

/// The requests of one budget.
#[derive(Debug)]
pub(super) struct Ledger {
    /// `None`: the budget belongs to this process alone.
    path: Option<PathBuf>,
    memory: Mutex<Window>,
}

/// The contents of the file. Times are ages, in microseconds before it was written, so that clocks need not agree.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Written {
    version: u32,
    boot: String,
    up: i64,
    day: i64,
    /// `[requests, seconds]`; `[0, 0]`: no limit.
    told: Option<(u32, u64)>,
    #[serde(default)]
    closed_for: i64,
    /// `[age, process, number, flags]`.
    spent: Vec<(i64, u32, u32, u8)>,
}

const IN_FLIGHT: u8 = 1;
const POLL: u8 = 2;

impl Ledger {
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        Self { path, memory: Mutex::default() }
    }

    /// Runs `work` on the window as of now, under the lock, so that no other command changes the window meanwhile. If
    /// the lock or the file is unavailable, `work` sees only what this process remembers.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Window, i64) -> T) -> T {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = self.path.as_deref().and_then(|path| Some((path, locked(path)?)));
        let now = Moment::now();
        let Some((path, lock)) = lock else { return work(&mut memory, now.up) };
        if let Some(written) = read(&data(path)) {
            let known = written.window(&now);
            *memory = merged(known, &memory);
        }
        let result = work(&mut memory, now.up);
        // If the write fails, the next command finds the previous contents, and this process keeps its memory.
        let _ = write(path, &Written::of(&memory, &now));
        // Marks the file as in use, so that no sweep removes it.
        let _ = lock.set_modified(crate::clock::now().into());
        result
    }
}

/// The window of the file, updated with what this process remembers: the file may have been lost or locked meanwhile.
fn merged(mut known: Window, memory: &Window) -> Window {
    let own = std::process::id();
    for spent in memory.spent.iter().filter(|spent| spent.id.0 == own) {
        match known.spent.iter_mut().find(|other| other.id == spent.id) {
            Some(other) if spent.in_flight => other.by = other.by.min(spent.by),
            Some(other) => *other = *spent,
            None => known.spent.push(*spent),
        }
    }
    known.told = known.told.or(memory.told);
    known.closed_until = known.closed_until.max(memory.closed_until);
    known
}

fn locked(path: &Path) -> Option<File> {
    let file = open(path).or_else(|why| match why.kind() {
        io::ErrorKind::NotFound => {
            secret_file::create_private_folder(path.parent().unwrap_or(path)).map_err(|_| why)?;
            open(path)
        }
        _ => Err(why),
    });
    let file = file.ok()?;
    if !data(path).exists() {
        sweep(path.parent().unwrap_or(path));
    }
    for _ in 0..PATIENCE {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(std::fs::TryLockError::Error(_)) => return None,
        }
    }
    None
}

/// The file that holds the data; the file at `path` itself is only locked.
fn data(path: &Path) -> PathBuf {
    path.with_extension("json")
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes the files of budgets that are no longer used, such as those of expired tokens.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|metadata| metadata.modified()).map(|time| SystemTime::elapsed(&time));
        if matches!(age, Ok(Ok(age)) if age > FORGOTTEN) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn read(path: &Path) -> Option<Written> {
    let mut text = Vec::new();
    File::open(path).ok()?.take(LONGEST).read_to_end(&mut text).ok()?;
    parse(&text)
}

fn parse(text: &[u8]) -> Option<Written> {
    serde_json::from_slice(text).ok().filter(|written: &Written| written.version == VERSION)
}

fn write(path: &Path, written: &Written) -> io::Result<()> {
    let text = serde_json::to_vec(written)?;
    // A fixed name, since one command writes at a time: the next one overwrites what a killed one leaves.
    let new = path.with_extension("new");
    let mut file = open(&new)?;
    file.set_len(0)?;
    file.write_all(&text)?;
    // Not synced to disk: no command that sent a request in this window survives a power cut.
    std::fs::rename(new, data(path))
}

impl Written {
    fn of(window: &Window, now: &Moment) -> Self {
        let flags = |spent: &SentRequest| {
            let flag = |is_so: bool, flag: u8| if is_so { flag } else { 0 };
            flag(spent.in_flight, IN_FLIGHT) | flag(spent.poll, POLL)
        };
        Self {
            version: VERSION,
            boot: now.boot.to_owned(),
            up: now.up,
            day: now.day,
            told: window.told.map(|told| match told {
                StatedLimit::Unlimited => (0, 0),
                StatedLimit::Quota(quota) => (quota.requests.get(), quota.window.as_secs()),
            }),
            closed_for: (window.closed_until - now.up).max(0),
            spent: window.spent.iter().map(|spent| (now.up - spent.by, spent.id.0, spent.id.1, flags(spent))).collect(),
        }
    }

    /// The window on this process's clock. The file can hold any numbers, so they are clamped.
    fn window(&self, now: &Moment) -> Window {
        let passed = now.since(&self.boot, self.up, self.day);
        let spent = self.spent.iter().map(|(age, process, number, flags)| SentRequest {
            id: (*process, *number),
            by: now.up.saturating_sub(age.saturating_add(passed)).clamp(-FAR, now.up.saturating_add(IN_FLIGHT_AT_MOST)),
            in_flight: flags & IN_FLIGHT != 0,
            poll: flags & POLL != 0,
        });
        let closed_for = self.closed_for.saturating_sub(passed).clamp(0, CLOSED_AT_MOST);
        Window {
            spent: spent.collect(),
            closed_until: now.up.saturating_add(closed_for),
            told: self.told.and_then(|(requests, seconds)| match (std::num::NonZeroU32::new(requests), seconds) {
                (None, _) => Some(StatedLimit::Unlimited),
                (Some(requests), 1..=LONGEST_WINDOW) => {
                    Some(StatedLimit::Quota(Quota { requests, window: Duration::from_secs(seconds) }))
                }
                _ => None,
            }),
        }
    }
}

/// Bounds for the numbers of a file, in microseconds.
const FAR: i64 = i64::MAX / 4;
const IN_FLIGHT_AT_MOST: i64 = 120_000_000;
const CLOSED_AT_MOST: i64 = 600 * 1_000_000;
/// The longest window to plan with, in seconds.
const LONGEST_WINDOW: u64 = super::quota::LONGEST_PLANNED.as_secs();

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(ledger: &Ledger, number: u32) {
        ledger.with(|window, now| {
            window.spend((std::process::id(), number), now, false);
            window.settle((std::process::id(), number), now);
        });
    }

    fn count(ledger: &Ledger) -> usize {
        ledger.with(|window, _| window.spent.len())
    }

    #[test]
    fn what_one_has_sent_another_knows() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("budget/x");
        let (one, other) = (Ledger::new(Some(path.clone())), Ledger::new(Some(path.clone())));
        spend(&one, 1);
        spend(&other, 2);
        assert_eq!((count(&one), count(&other)), (2, 2));
        assert_eq!(count(&Ledger::new(Some(path.clone()))), 2);
        {
            use std::os::unix::fs::PermissionsExt as _;
            for path in [data(&path), path] {
                assert_eq!(std::fs::metadata(path).expect("file").permissions().mode() & 0o777, 0o600);
            }
        }
    }

    #[test]
    fn a_file_that_is_lost_or_damaged_is_made_again_from_memory() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("x");
        let ledger = Ledger::new(Some(path.clone()));
        spend(&ledger, 1);
        let numbers = [i64::MIN, i64::MAX, 0]
            .map(|number| format!(r#"{{"version":1,"boot":"","up":{number},"day":{number},"closed_for":{number},"spent":[[{number},1,1,255]]}}"#));
        let damaged = ["", "{", "\u{fffd}\0", "[1]", r#"{"version":2,"boot":"","up":0,"day":0,"spent":[]}"#];
        for text in damaged.into_iter().map(str::to_owned).chain(numbers) {
            std::fs::write(data(&path), &text).expect("write");
            assert!((1..=2).contains(&count(&ledger)), "{text}");
        }
        std::fs::remove_file(data(&path)).expect("remove");
        assert!(count(&ledger) >= 1);
        assert!(data(&path).exists());
    }

    #[test]
    fn a_command_that_is_killed_while_it_writes_leaves_what_was_there_before() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("x");
        spend(&Ledger::new(Some(path.clone())), 1);
        let whole = std::fs::read(data(&path)).expect("file");
        // A killed command leaves a prefix of the next file, under another name.
        for length in [0, 1, whole.len() / 2] {
            std::fs::write(path.with_extension("new"), &whole[..length]).expect("write");
            assert_eq!(count(&Ledger::new(Some(path.clone()))), 1);
        }
    }

    #[test]
    fn where_nothing_can_be_written_the_process_remembers() {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(folder.path().join("file"), "").expect("write");
        for path in [folder.path().join("file/x"), folder.path().to_owned()] {
            let ledger = Ledger::new(Some(path));
            spend(&ledger, 1);
            spend(&ledger, 2);
            assert_eq!(count(&ledger), 2);
        }
    }

    #[test]
    fn a_lock_that_somebody_holds_for_long_is_waited_for_a_moment_only() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("x");
        let ledger = Ledger::new(Some(path.clone()));
        spend(&ledger, 1);
        let holder = open(&path).expect("file");
        holder.lock().expect("lock");
        spend(&ledger, 2);
        drop(holder);
        assert_eq!(count(&Ledger::new(Some(path.clone()))), 1);
        assert_eq!(count(&ledger), 2);
        assert_eq!(count(&Ledger::new(Some(path))), 2);
    }

    #[test]
    fn old_files_of_others_go_when_a_new_one_is_made() {
        let folder = tempfile::tempdir().expect("folder");
        let old = folder.path().join("old");
        let file = File::create(&old).expect("file");
        file.set_modified(SystemTime::UNIX_EPOCH + FORGOTTEN).expect("time");
        spend(&Ledger::new(Some(folder.path().join("new"))), 1);
        assert!(!old.exists());
    }

    #[test]
    fn fuzz_ledgers() {
        let folder = tempfile::tempdir().expect("folder");
        let ledger = Ledger::new(Some(folder.path().join("x")));
        (1..5).for_each(|number| spend(&ledger, number));
        let whole = std::fs::read(data(&folder.path().join("x"))).expect("file");
        let told = br#"{"version":1,"boot":"b","up":5,"day":7,"told":[100,60],"closed_for":9000000,"spent":[[1,2,3,1],[-5,0,0,2]]}"#;
        let words =
            ["-", "9223372036854775807", "-9223372036854775808", "0", "[", "]", ",", "null", "1e9", "4294967295"];
        crate::fuzzing::fuzz("ledgers", &[whole.as_slice(), told], &words, |input, random| {
            let Some(written) = parse(input) else { return };
            let now =
                Moment { boot: "b", up: random.number() as i64 >> random.below(63), day: random.number() as i64 >> 12 };
            let now = Moment { up: now.up.saturating_abs() / 4, ..now };
            let mut window = written.window(&now);
            let quota = match window.told {
                Some(StatedLimit::Quota(quota)) if quota.requests.get() <= 1000 => quota,
                _ => super::super::quota::SPECIFIED,
            };
            window.tidy(now.up, Some(quota), |process| process % 2 == 0);
            assert!(window.spent.len() <= 3 * quota.requests.get() as usize);
            // Whatever the file says, no user is locked out for longer than the longest window.
            if let super::super::window::Availability::In(wait) = window.opening(now.up, quota, random.below(2) == 0) {
                assert!(wait <= 1_300_000_000, "{wait}");
            }
            let _ = (
                window.left(now.up, quota),
                window.time_for(now.up, quota, random.number()),
                window.polls(now.up, quota),
            );
            let _ = serde_json::to_vec(&Written::of(&window, &now)).expect("JSON");
        });
    }
}
