//! The built binary from outside: as a user would type it, in an empty home folder.

#![allow(clippy::expect_used, clippy::panic, reason = "a test stops where something is not as it should be")]

#[cfg(unix)]
mod accessible;
mod adding_shops;
mod adjustments;
#[cfg(unix)]
mod admin;
mod advice;
mod api;
mod authorization_server;
mod backend;
mod budget;
mod ci;
#[cfg(target_os = "linux")]
mod codes;
#[cfg(unix)]
mod completeness;
mod completions;
mod disturbed;
mod doctor;
mod export;
mod failures;
mod first_run;
mod formats;
mod hanging;
mod help;
#[cfg(unix)]
mod interrupted;
mod list_peer;
#[cfg(unix)]
mod live;
mod main_job;
mod moving_lists;
mod named;
mod names;
#[cfg(unix)]
mod narrow;
mod next_steps;
mod old_store;
#[cfg(unix)]
mod pager;
mod passed_through;
mod peers;
mod picking;
#[cfg(unix)]
mod pty;
mod removing;
#[cfg(unix)]
mod restored;
mod results;
#[cfg(unix)]
mod rotation;
mod sandbox;
mod seeding;
mod serve;
#[cfg(unix)]
mod serve_live;
mod settings;
mod sign_in;
mod since_last;
mod small_shops;
mod smoke;
mod spec_only;
mod split;
mod spool;
mod streams;
mod summary;
mod support;
#[cfg(unix)]
mod terminal;
mod terminal_text;
#[cfg(unix)]
mod time_up;
#[cfg(unix)]
mod trying_shops;
mod under_way;
mod unfinished;
mod web_peer;
mod widget;
mod xlsx;
