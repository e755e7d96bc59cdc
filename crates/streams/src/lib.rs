//! Which of standard input and standard output the process was started without (`ordersync … >&-`).
//!
//! Before `main`, the standard library opens /dev/null in place of a closed stream, so that no file which is opened later
//! takes its number. From then on a result that is written there is lost without an error; so this looks before that.

#![warn(missing_docs)]

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::fcntl_getfd;
use rustix::stdio::{stdin, stdout};

static STDIN_CLOSED: AtomicBool = AtomicBool::new(false);
static STDOUT_CLOSED: AtomicBool = AtomicBool::new(false);

ctor::declarative::ctor! {
    // Before `main` there may be no runtime: these are two system calls, and nothing else.
    #[ctor(unsafe)]
    fn look() {
        STDIN_CLOSED.store(fcntl_getfd(stdin()).is_err(), Ordering::Relaxed);
        STDOUT_CLOSED.store(fcntl_getfd(stdout()).is_err(), Ordering::Relaxed);
    }
}

/// Whether the process was started without standard input.
pub fn is_stdin_closed() -> bool {
    STDIN_CLOSED.load(Ordering::Relaxed)
}

/// Whether the process was started without standard output.
pub fn is_stdout_closed() -> bool {
    STDOUT_CLOSED.load(Ordering::Relaxed)
}
