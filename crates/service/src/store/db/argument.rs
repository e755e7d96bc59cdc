//! The arguments of queries. Each has a type even if it is NULL: a database that compares it has to know.

use sqlx::{Arguments as _, Database, Encode, Type};

/// An argument of a query.
#[derive(Debug, Clone)]
pub(crate) enum Argument {
    Integer(Option<i64>),
    Text(Option<String>),
    Blob(Option<Vec<u8>>),
    Bool(Option<bool>),
}

/// Implements the conversion of a type, and of what may be one, to arguments of a kind.
macro_rules! from {
    ($($kind:ident: $($type:ty),+;)+) => { $($(
        impl From<$type> for Argument {
            fn from(value: $type) -> Self {
                Self::$kind(Some(value.into()))
            }
        }
        impl From<Option<$type>> for Argument {
            fn from(value: Option<$type>) -> Self {
                Self::$kind(value.map(Into::into))
            }
        }
    )+)+ };
}

from! {
    Integer: i64, u32;
    Text: &str, &String, String;
    Blob: &[u8], Vec<u8>;
    Bool: bool;
}

/// No text of the program has a NUL character, and PostgreSQL takes none: what is looked for with one is not found.
fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text }
}

/// The arguments as a database takes them.
pub(super) fn encoded<DB: Database>(arguments: Vec<Argument>) -> Result<DB::Arguments, sqlx::Error>
where
    for<'a> Option<i64>: Encode<'a, DB> + Type<DB>,
    for<'a> Option<String>: Encode<'a, DB> + Type<DB>,
    for<'a> Option<Vec<u8>>: Encode<'a, DB> + Type<DB>,
{
    let mut encoded = DB::Arguments::default();
    for argument in arguments {
        match argument {
            Argument::Integer(value) => encoded.add(value),
            Argument::Text(value) => encoded.add(value.map(without_nul)),
            Argument::Blob(value) => encoded.add(value),
            // A flag is a number in the tables: 0 or 1.
            Argument::Bool(value) => encoded.add(value.map(i64::from)),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(encoded)
}
