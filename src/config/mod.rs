//! The service that a command uses and the settings for it: from flags, environment, `config.toml` and defaults, in
//! this order.
//!
//! Every value knows its origin, so that a message about it can say what to change.

pub(crate) mod base_url;
pub(crate) mod edit;
pub(crate) mod file;
pub(crate) mod folders;
pub mod keys;
pub(crate) mod listing;
mod proxy;
pub(crate) mod retailers_file;
pub(crate) mod sign_in;
mod token_store;
pub(crate) mod value;

use std::collections::BTreeMap;

use secrecy::SecretString;
use url::Url;

use crate::client::endpoints::Endpoints;
use crate::env::{self, Environment};
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::flags::GlobalArgs;
use crate::shell;
use crate::values::parse_speed;
use file::File;
use folders::Folders;
use sign_in::SignIn;
use value::{Origin, Value};

/// The profile that uses the built-in service.
pub(crate) const LOCAL: &str = "local";
/// The other predefined profiles; they have no address of their own.
pub(crate) const NAMED: [&str; 2] = ["sandbox", "production"];

/// The settings of a command.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The folders of the command's files.
    pub folders: Folders,
    pub profile: Value<String>,
    /// How to sign in.
    pub sign_in: SignIn,
    /// Whether motion on the terminal is off.
    pub accessible: Value<bool>,
    /// The service.
    pub target: Target,
}

/// The service that a command uses.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// The service built into the command.
    Local(Local),
    /// A service at an address.
    Remote(Box<Remote>),
}

/// The built-in service.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    /// How many times faster than in reality the simulated retailers answer.
    pub speed: Value<f64>,
}

/// A service at an address.
#[derive(Debug, Clone)]
pub(crate) struct Remote {
    pub base_url: Value<Url>,
    pub token: Option<Value<SecretString>>,
    pub endpoints: Endpoints,
}

impl Settings {
    /// Reads `config.toml` and resolves all settings. An error about a value names its origin.
    pub(crate) fn load(flags: &GlobalArgs, environment: &Environment) -> Result<Self> {
        check_environment(flags, environment)?;
        let folders = Folders::find(environment)?;
        let mut file = File::read(&folders.config.join("config.toml"))?;
        let settings = Self::resolve(flags, environment, folders, &file)?;
        if let Target::Remote(_) = settings.target {
            file.check_yours_alone()?;
        }
        Ok(settings)
    }

    /// The settings from flags and environment alone, without `config.toml`. If these cannot be used either, the
    /// defaults. For commands that diagnose a broken configuration.
    pub(crate) fn load_despite_errors(flags: &GlobalArgs, environment: &Environment) -> Result<Self> {
        let folders = Folders::find(environment)?;
        let path = folders.config.join("config.toml");
        let nothing = File { path, ..File::default() };
        Ok(Self::resolve(flags, environment, folders.clone(), &nothing).unwrap_or_else(|_| Self {
            folders,
            profile: profile(flags, environment, &nothing),
            sign_in: SignIn::default(),
            accessible: accessible(flags, environment, &nothing),
            target: Target::Local(Local { speed: Value::new(1.0, Origin::Default) }),
        }))
    }

    fn resolve(flags: &GlobalArgs, environment: &Environment, folders: Folders, file: &File) -> Result<Self> {
        let profile = profile(flags, environment, file);
        let entry = file.profiles.get(&profile.value);
        let target = match base_url(flags, environment, &profile, file)? {
            Some(base_url) => {
                proxy::check(environment, &base_url.value)?;
                Target::Remote(Box::new(Remote {
                    token: token(environment, &base_url.value)?,
                    base_url,
                    endpoints: Endpoints::with_overrides(entry.map_or(&BTreeMap::new(), |entry| &entry.endpoints))?,
                }))
            }
            None => Target::Local(Local { speed: speed(environment)? }),
        };
        let sign_in = SignIn::resolve(environment, entry, &Origin::File(file.path.clone()))?;
        let accessible = accessible(flags, environment, file);
        Ok(Self { folders, profile, sign_in, accessible, target })
    }
}

/// Refuses variables that decide the service or the user, and are empty, blank or not text: a user who sets one means
/// something by it. A variable that a flag overrides is not checked. The error names the variable.
pub(crate) fn check_environment(flags: &GlobalArgs, environment: &Environment) -> Result<()> {
    let is_replaced = |variable: &env::Variable| match variable.name {
        name if name == env::PROFILE.name => flags.profile.is_some(),
        name if name == env::BASE_URL.name => flags.base_url.is_some() || flags.profile.is_some(),
        _ => false,
    };
    let Some(variable) = environment.unusable().find(|variable| !is_replaced(variable)) else { return Ok(()) };
    let name = variable.name;
    Err(Error::usage(format!("{name} is set, but it is empty, blank or not text.")).hint([
        Hint::say("Give it a value. In CI: is the variable or secret that it comes from defined for this job?"),
        Hint::run("To do without it", format!("unset {name}")),
    ]))
}

/// The token from the environment, if it belongs to this address.
fn token(environment: &Environment, base_url: &Url) -> Result<Option<Value<SecretString>>> {
    let origin = Origin::Environment(env::TOKEN.name);
    let Some(token) = environment.get(&env::TOKEN) else { return Ok(None) };
    if let Some(text) = environment.get(&env::TOKEN_URL) {
        let belongs_to = base_url::parse(text, Origin::Environment(env::TOKEN_URL.name))?;
        if belongs_to.value != *base_url {
            return Ok(None);
        }
    }
    Ok(Some(Value::new(SecretString::from(token), origin)))
}

fn profile(flags: &GlobalArgs, environment: &Environment, file: &File) -> Value<String> {
    let flag = flags.profile.clone().map(|name| Value::new(name, Origin::Flag("--profile")));
    flag.or_else(|| {
        let name = environment.get(&env::PROFILE)?;
        Some(Value::new(name.to_owned(), Origin::Environment(env::PROFILE.name)))
    })
    .or_else(|| Some(Value::new(file.profile.clone()?, Origin::File(file.path.clone()))))
    .unwrap_or_else(|| Value::new(LOCAL.to_owned(), Origin::Default))
}

fn accessible(flags: &GlobalArgs, environment: &Environment, file: &File) -> Value<bool> {
    match (flags.accessible, environment.get(&env::ACCESSIBLE), file.accessible) {
        (true, ..) => Value::new(true, Origin::Flag("--accessible")),
        (_, Some(_), _) => Value::new(environment.is_on(&env::ACCESSIBLE), Origin::Environment(env::ACCESSIBLE.name)),
        (.., Some(accessible)) => Value::new(accessible, Origin::File(file.path.clone())),
        _ => Value::new(false, Origin::Default),
    }
}

/// The address; `None` means the built-in service. A profile that was named on the command line beats an address from
/// the environment, since the user typed it last.
fn base_url(
    flags: &GlobalArgs,
    environment: &Environment,
    profile: &Value<String>,
    file: &File,
) -> Result<Option<Value<Url>>> {
    match typed_base_url(flags, environment, profile, file) {
        Some((text, origin)) => base_url::parse(text, origin).map(Some),
        None if profile.value == LOCAL => Ok(None),
        None => Err(no_address(profile, file)),
    }
}

/// The address as it was typed, and where.
fn typed_base_url<'a>(
    flags: &'a GlobalArgs,
    environment: &'a Environment,
    profile: &Value<String>,
    file: &'a File,
) -> Option<(&'a str, Origin)> {
    let flag = flags.base_url.as_deref().map(|text| (text, Origin::Flag("--base-url")));
    let profile_was_typed = matches!(profile.origin, Origin::Flag(_));
    let variable = || {
        let text = environment.get(&env::BASE_URL).filter(|_| !profile_was_typed)?;
        Some((text, Origin::Environment(env::BASE_URL.name)))
    };
    let setting = || {
        let text = file.profiles.get(&profile.value)?.base_url.as_deref()?;
        Some((text, Origin::File(file.path.clone())))
    };
    flag.or_else(variable).or_else(setting)
}

/// Whether this is a valid profile name. The name becomes a part of file names and commands.
pub(crate) fn is_profile_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
}

fn no_address(profile: &Value<String>, file: &File) -> Error {
    let name = &profile.value;
    let has_entry = file.profiles.contains_key(name);
    let message = if has_entry || NAMED.contains(&name.as_str()) {
        format!("The profile `{name}` has no address.")
    } else {
        format!("There is no profile `{name}` ({}).", profile.origin)
    };
    let give = if has_entry {
        Hint::run("Set one", shell::command("config set base_url https://…", &[("--profile", name)]))
    } else if is_profile_name(name) {
        Hint::run("Add it", shell::command(["profiles", "add", name, "--base-url", "https://…"], &[]))
    } else {
        Hint::run("See your profiles", "ordersync profiles")
    };
    let near = file.nearest_profile(name).map(|near| Hint::say(format!("Did you mean `{near}`?")));
    let once = Hint::say(format!("For one command: --base-url URL, or {}", env::BASE_URL.name));
    let place = Hint::say(format!("Profiles are stored in {}.", file.path.display()));
    Error::of(&codes::command::NO_BASE_URL, message)
        .hint(near.into_iter().chain([give, once, place]).collect::<Advice>())
}

fn speed(environment: &Environment) -> Result<Value<f64>> {
    match environment.get(&env::SANDBOX_SPEED) {
        None => Ok(Value::new(1.0, Origin::Default)),
        Some(text) => parse_speed(text)
            .map(|speed| Value::new(speed, Origin::Environment(env::SANDBOX_SPEED.name)))
            .map_err(|why| Error::usage(format!("{}: \"{text}\" cannot be used: {why}.", env::SANDBOX_SPEED.name))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::Exit;

    fn settings(flags: &[&str], environment: &[(&env::Variable, &str)], file: &str) -> Result<Settings> {
        use clap::Parser as _;
        #[derive(clap::Parser)]
        struct Flags {
            #[command(flatten)]
            global: GlobalArgs,
        }
        let flags = Flags::parse_from([&["ordersync"], flags].concat()).global;
        let folders = Folders { config: "/c".into(), data: "/d".into(), cache: "/e".into() };
        let file = File::parse(file, std::path::Path::new("/c/config.toml"))?;
        Settings::resolve(&flags, &Environment::of(environment), folders, &file)
    }

    fn address(settings: &Settings) -> String {
        match &settings.target {
            Target::Local(_) => "local".to_owned(),
            Target::Remote(remote) => format!("{} from {}", remote.base_url.value, remote.base_url.origin),
        }
    }

    #[test]
    fn flag_comes_before_environment_before_profile_before_default() {
        let file = "profile = \"shop\"\n[profiles.shop]\nbase_url = \"https://shop.test\"\n";
        let env_url = (&env::BASE_URL, "https://env.test");
        for (flags, environment, file, expected) in [
            (&[][..], &[][..], "", "local"),
            (&[], &[], file, "https://shop.test/ from /c/config.toml"),
            (&[], &[env_url], file, "https://env.test/ from ORDERSYNC_BASE_URL"),
            (&["--base-url", "https://flag.test"], &[env_url], file, "https://flag.test/ from --base-url"),
            (&["--profile", "local"], &[env_url], file, "local"),
            (&["--profile", "shop"], &[env_url], file, "https://shop.test/ from /c/config.toml"),
            (&[], &[(&env::PROFILE, "local")], file, "local"),
        ] {
            let settings = settings(flags, environment, file);
            assert_eq!(settings.as_ref().map(address).ok().as_deref(), Some(expected), "{flags:?} {environment:?}");
        }
    }

    #[test]
    fn a_profile_without_an_address_says_how_to_give_one() {
        for name in ["production", "nowhere"] {
            let error = settings(&["--profile", name], &[], "").expect_err("no address");
            assert_eq!(error.exit(), Exit::Usage);
            assert!(error.hint_text().is_some_and(|hint| hint.contains("ORDERSYNC_BASE_URL") && hint.contains(name)));
        }
    }

    #[test]
    fn a_token_goes_to_the_address_that_it_belongs_to() {
        let has_token = |flags: &[&str], belongs_to: &str| {
            let environment =
                [(&env::BASE_URL, "https://env.test/api"), (&env::TOKEN, "t"), (&env::TOKEN_URL, belongs_to)];
            match settings(flags, &environment, "").expect("settings").target {
                Target::Remote(remote) => remote.token.is_some(),
                Target::Local(_) => false,
            }
        };
        assert!(has_token(&[], "https://env.test/api/"));
        assert!(has_token(&["--base-url", "https://other.test"], "https://other.test"));
        assert!(!has_token(&["--base-url", "https://other.test"], "https://env.test/api"));
        assert!(!has_token(&[], "https://env.test"));
    }

    #[test]
    fn a_variable_that_is_set_to_nothing_is_refused_unless_a_flag_replaces_it() {
        let check =
            |arguments: GlobalArgs, variable| check_environment(&arguments, &Environment::of(&[(variable, " ")]));
        let none = GlobalArgs::default;
        for variable in [&env::BASE_URL, &env::TOKEN, &env::PROFILE, &env::CLIENT_ID] {
            let error = check(none(), variable).expect_err(variable.name);
            assert_eq!(error.exit(), Exit::Usage);
            assert!(error.message().starts_with(variable.name), "{error}");
        }
        assert!(check(none(), &env::NO_COLOR).is_ok());
        assert!(check(GlobalArgs { profile: Some("local".into()), ..none() }, &env::BASE_URL).is_ok());
        assert!(check(GlobalArgs { base_url: Some("https://a.test".into()), ..none() }, &env::BASE_URL).is_ok());
        assert!(check(GlobalArgs { base_url: Some("https://a.test".into()), ..none() }, &env::PROFILE).is_err());
    }

    #[test]
    fn a_token_is_for_an_address_and_never_shown() {
        let settings =
            settings(&[], &[(&env::BASE_URL, "https://env.test"), (&env::TOKEN, "tok_canary")], "").expect("settings");
        assert!(!format!("{settings:?}").contains("canary"));
    }
}
