//! Replacements for some of the library's functions: their output goes through the parent, and they reveal no secret.

use jaq_core::native::{Filter, Fun, bome, run, v};
use jaq_core::{Error, Exn, RunPtr, data};
use jaq_json::{Map, Val};

use super::mishap::{message, text};
use super::said::{Said, say};
use crate::env;

type Data = data::JustLut<Val>;

/// These take precedence over the library's functions of the same names.
pub(super) fn functions() -> impl Iterator<Item = Fun<Data>> {
    let all: [Filter<RunPtr<Data>>; 4] = [
        ("env", v(0), |_| bome(Ok(environment()))),
        ("debug_empty", v(0), |cv| {
            say(&Said::Note(format!("[\"DEBUG:\",{}]", cv.1)));
            Box::new(std::iter::empty())
        }),
        ("stderr_empty", v(0), |cv| {
            say(&Said::Note(text(&cv.1)));
            Box::new(std::iter::empty())
        }),
        ("halt_said", v(1), |mut cv| {
            let given = cv.0.pop_var();
            let Ok(code) = given.to_string().parse() else { return bome(Err(Error::typ(given, "integer"))) };
            let said = text(&cv.1);
            say(&if code == 0 { Said::Note(said) } else { Said::Failed(message(&said)) });
            Box::new(std::iter::once(Err(Exn::halt(code))))
        }),
    ];
    all.into_iter().map(run::<Data>)
}

/// The environment variables that a filter may see.
pub(super) fn environment() -> Val {
    Val::obj(env::for_filter().map(|(name, value)| (Val::from(name), Val::from(value))).collect::<Map>())
}
