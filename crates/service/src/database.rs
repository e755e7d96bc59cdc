//! Where the store is: in an SQLite file, or in a PostgreSQL database.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr as _;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use url::Url;

/// Where the store is.
#[derive(Debug, Clone)]
pub enum Database {
    /// An SQLite file; created if it is missing.
    File(PathBuf),
    /// A PostgreSQL database, which several nodes may share.
    Postgres(PostgresAddress),
}

impl Database {
    /// The file, if it is one.
    pub const fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Postgres(address) => address.fmt(f),
        }
    }
}

/// The address of a PostgreSQL database, as a URL (`postgresql://`, as libpq has it). It may hold a password, which is never
/// shown.
#[derive(Clone)]
pub struct PostgresAddress {
    options: Box<PgConnectOptions>,
    has_password: bool,
}

/// Why a text is no address of a PostgreSQL database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is none at all.
    #[error("it is not an address of the form postgres://USER@HOST/DATABASE")]
    Form,
    /// It names no database or no user, and guesses would differ from machine to machine.
    #[error("it names no {0}; the form is postgres://USER@HOST/DATABASE")]
    Missing(&'static str),
    /// It has a parameter that is not known.
    #[error("it has the parameter {0}, which is not known here; sslmode, sslrootcert, sslcert, sslkey and host are")]
    Parameter(String),
    /// The value of a parameter is none that it may have.
    #[error("the value of its parameter {0} is none that it may have")]
    Value(String),
}

/// What the query part of an address may say.
const PARAMETERS: [&str; 6] = ["sslmode", "sslrootcert", "sslcert", "sslkey", "host", "options"];

impl PostgresAddress {
    /// Whether a text is meant to be such an address.
    pub fn is_meant_by(text: &str) -> bool {
        text.starts_with("postgres:") || text.starts_with("postgresql:")
    }

    /// Reads an address. A password that it does not have is looked up in `PGPASSWORD` and in the file of `PGPASSFILE`. Unless
    /// it says otherwise (`sslmode`), connections to other machines are encrypted, and the server has to prove who it is.
    /// Fails if it is none. The error never repeats the text.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let url = Url::parse(text.trim()).map_err(|_| AddressError::Form)?;
        if !matches!(url.scheme(), "postgres" | "postgresql") || url.cannot_be_a_base() {
            return Err(AddressError::Form);
        }
        if url.path().trim_matches('/').is_empty() {
            return Err(AddressError::Missing("database"));
        }
        if url.username().is_empty() {
            return Err(AddressError::Missing("user"));
        }
        for (name, value) in url.query_pairs() {
            if !PARAMETERS.contains(&&*name) {
                return Err(AddressError::Parameter(
                    name.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect(),
                ));
            }
            if name == "sslmode" && PgSslMode::from_str(&value).is_err() {
                return Err(AddressError::Value(name.into_owned()));
            }
        }
        let says_mode = url.query_pairs().any(|(name, _)| name == "sslmode");
        let mut options = PgConnectOptions::from_str(url.as_str()).map_err(|_| AddressError::Form)?;
        if !says_mode && !is_here(&options) {
            options = options.ssl_mode(PgSslMode::VerifyFull);
        }
        Ok(Self { options: Box::new(options), has_password: url.password().is_some() })
    }

    /// Whether the address itself holds a password.
    pub const fn has_password(&self) -> bool {
        self.has_password
    }

    pub(crate) fn options(&self) -> &PgConnectOptions {
        &self.options
    }
}

/// Whether the server is on this machine.
fn is_here(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    options.get_socket().is_some()
        || host.starts_with('/')
        || host == "localhost"
        || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = &self.options;
        write!(f, "postgres://{}@", options.get_username())?;
        match options.get_socket() {
            Some(socket) => write!(f, "{}", socket.display())?,
            None => write!(f, "{}:{}", options.get_host(), options.get_port())?,
        }
        write!(f, "/{}", options.get_database().unwrap_or_default())
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address =
            PostgresAddress::parse("postgres://orders:s%65cret@db.example:5433/shop?sslmode=require").unwrap();
        assert!(address.has_password());
        assert_eq!(address.to_string(), "postgres://orders@db.example:5433/shop");
        assert_eq!(format!("{:?}", Database::Postgres(address)), "Postgres(postgres://orders@db.example:5433/shop)");
    }

    #[test]
    fn another_machine_has_to_prove_who_it_is_unless_the_address_says_otherwise() {
        let mode = |text: &str| format!("{:?}", PostgresAddress::parse(text).unwrap().options.get_ssl_mode());
        assert_eq!(mode("postgres://o@db.example/shop"), "VerifyFull");
        assert_eq!(mode("postgres://o@10.0.0.7/shop"), "VerifyFull");
        assert_eq!(mode("postgres://o@db.example/shop?sslmode=disable"), "Disable");
        for here in ["postgres://o@127.0.0.1/shop", "postgres://o@localhost/shop", "postgres://o@[::1]/shop"] {
            assert_eq!(mode(here), "Prefer", "{here}");
        }
        assert_eq!(mode("postgres://o@%2Frun%2Fpostgresql/shop"), "Prefer");
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        for (text, why) in [
            ("postgres:", AddressError::Form),
            ("postgres://hunter2 :x@/", AddressError::Form),
            ("mysql://o@h/d", AddressError::Form),
            ("postgres://o:hunter2@h", AddressError::Missing("database")),
            ("postgres://h/d", AddressError::Missing("user")),
            ("postgres://o@h/d?passwrod=hunter2", AddressError::Parameter("passwrod".into())),
            ("postgres://o@h/d?sslmode=sometimes", AddressError::Value("sslmode".into())),
        ] {
            let error = PostgresAddress::parse(text).unwrap_err();
            assert_eq!(error, why, "{text}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
