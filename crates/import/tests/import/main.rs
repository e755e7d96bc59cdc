//! Files as people hand them over: every test is in one program, which is linked once.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

mod cases;
mod doubts;
mod hostile;
mod mails;
mod pages;
mod support;
mod tables;
