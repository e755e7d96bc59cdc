//! Replacements for some of the library's functions: their output goes through the parent, and they reveal no secret.

use jaq_core::native::{Filter, Fun, bome, run, v};
use jaq_core::{Error, Exn, RunPtr, data};
use jaq_json::{Map, Val};

use super::said::{Said, say};
use crate::env;

type Data = data::JustLut<Val>;

/// The most that is printed of the message of a `halt_error` that fails, in characters.
const LONGEST: usize = 1000;

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
            say(&if code == 0 { Said::Note(said) } else { Said::Failed(short(&said)) });
            Box::new(std::iter::once(Err(Exn::halt(code))))
        }),
    ];
    all.into_iter().map(run::<Data>)
}

/// The environment variables that a filter may see.
pub(super) fn environment() -> Val {
    Val::obj(env::for_filter().map(|(name, value)| (Val::from(name), Val::from(value))).collect::<Map>())
}

/// A string without its quotes; any other value as JSON.
fn text(value: &Val) -> String {
    match value {
        Val::TStr(text) => String::from_utf8_lossy(text).trim_end_matches('\n').to_owned(),
        value => value.to_string(),
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
