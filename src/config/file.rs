//! `config.toml`.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::token_store::TokenStore;
use super::{LOCAL, NAMED};
use crate::errors::{Error, Hint, Result, did_you_mean};
use crate::shell;

/// The contents of `config.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// The path of the file.
    #[serde(skip)]
    pub path: PathBuf,
    /// Why it may not say where a token is sent, if others can write it.
    #[serde(skip)]
    pub(super) not_alone: Option<Error>,
    /// The profile to use if nothing else names one.
    pub profile: Option<String>,
    /// Whether motion on the terminal is off.
    pub accessible: Option<bool>,
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
}

/// The settings of one named environment.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// Address of the service.
    pub base_url: Option<String>,
    /// The OAuth client to sign in with.
    pub client_id: Option<String>,
    /// A file, private to the user, that holds that client's secret.
    pub client_secret_file: Option<PathBuf>,
    /// The scopes to ask for, separated by spaces.
    pub scopes: Option<String>,
    /// Where the sign-in is stored.
    pub token_store: Option<TokenStore>,
    /// Paths that differ at this service, by operation name, with `{name}` placeholders.
    #[serde(default)]
    pub endpoints: BTreeMap<String, String>,
}

impl File {
    /// Reads the file; a missing one counts as empty.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let mut file = Self::read(path)?;
        file.check_yours_alone()?;
        Ok(file)
    }

    /// Reads a file that others may write, too: its addresses are not to be used before [`Self::check_yours_alone`].
    pub(super) fn read(path: &Path) -> Result<Self> {
        refuse_pipe(path)?;
        match std::fs::File::open(path) {
            Ok(file) => {
                let not_alone = not_alone(&file, path);
                let text = std::io::read_to_string(file).map_err(|why| unreadable(path, &why))?;
                Ok(Self { not_alone, ..Self::parse(&text, path)? })
            }
            Err(why) if why.kind() == ErrorKind::NotFound => Self::parse("", path),
            Err(why) => Err(unreadable(path, &why)),
        }
    }

    /// Refuses a file that others can write, for what sends a token to an address in it.
    pub(super) fn check_yours_alone(&mut self) -> Result<()> {
        self.not_alone.take().map_or(Ok(()), Err)
    }

    /// The names of all profiles: the built-in ones, then the file's others.
    pub(crate) fn profile_names(&self) -> impl Iterator<Item = &str> {
        let known = [LOCAL].into_iter().chain(NAMED);
        known.chain(self.profiles.keys().map(String::as_str).filter(|name| *name != LOCAL && !NAMED.contains(name)))
    }

    /// The profile that an unknown name probably means.
    pub(crate) fn nearest_profile(&self, name: &str) -> Option<&str> {
        did_you_mean::nearest(name, self.profile_names()).filter(|near| *near != name)
    }

    pub(super) fn parse(text: &str, path: &Path) -> Result<Self> {
        let mut file: Self = toml::from_str(text).map_err(|why| misread(path, text, why.span(), why.message()))?;
        path.clone_into(&mut file.path);
        Ok(file)
    }
}

/// Refuses anything but a file or a folder: opening a pipe would block until it has a writer.
pub(super) fn refuse_pipe(path: &Path) -> Result<()> {
    if is_pipe(path) { Err(unreadable(path, &std::io::Error::other("it is not a regular file"))) } else { Ok(()) }
}

fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// What is wrong with a file that others can write or replace: an address in it would get the user's token.
fn not_alone(file: &std::fs::File, path: &Path) -> Option<Error> {
    // Checks the opened file, so that it cannot be exchanged between the check and the reading.
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    if can_be_written_by_others(&metadata) {
        return Some(refused(path, format!("{} can be written by others, so it is not used.", path.display())));
    }
    // The folder of a link, and the folder of the file to which it leads.
    let folders = [Some(path.to_owned()), path.canonicalize().ok()].map(|path| Some(path?.parent()?.to_owned()));
    folders.into_iter().flatten().find_map(|folder| {
        let of = std::fs::metadata(&folder).ok()?;
        // In a sticky folder such as /tmp, only the owners of the file and of the folder can replace the file.
        let is_sticky = of.mode() & STICKY != 0 && (of.uid() == 0 || of.uid() == metadata.uid());
        let shown = folder.display();
        let message =
            format!("{shown} can be written by others, who could replace {}: it is not used.", path.display());
        (can_be_written_by_others(&of) && !is_sticky).then(|| refused(&folder, message))
    })
}

const EVERYBODY_WRITES: u32 = 0o002;
const GROUP_WRITES: u32 = 0o020;
const STICKY: u32 = 0o1000;

fn can_be_written_by_others(of: &std::fs::Metadata) -> bool {
    let mode = of.mode();
    mode & EVERYBODY_WRITES != 0 || mode & GROUP_WRITES != 0 && !is_private_group(of.uid(), of.gid())
}

/// Whether a group is that of one user alone, as many distributions make one for each: it has the user's number, and no
/// other members.
fn is_private_group(user: u32, group: u32) -> bool {
    let groups = std::fs::read_to_string("/etc/group").unwrap_or_default();
    user == group && has_no_members(&groups, group)
}

fn has_no_members(groups: &str, group: u32) -> bool {
    let number = group.to_string();
    let mut lines = groups.lines().map(|line| line.split(':').collect::<Vec<_>>());
    lines.any(|line| matches!(line.as_slice(), [name, _, of, members] if *of == number && (members.is_empty() || members == name)))
}

fn refused(place: &Path, message: String) -> Error {
    let place = shell::quoted(&place.display().to_string());
    Error::usage(message).hint(Hint::run("Look through it, then make it yours alone", format!("chmod go-w {place}")))
}

fn unreadable(path: &Path, why: &std::io::Error) -> Error {
    Error::file("read", path, why).hint(mend(path))
}

/// What to do about a configuration file that cannot be used.
pub(crate) fn mend(path: &Path) -> Hint {
    let [file, broken] = ["", ".broken"].map(|end| shell::quoted(&format!("{}{end}", path.display())));
    let aside = Hint::run("Correct it in an editor, or start afresh", format!("mv {file} {broken}"));
    // Opening a pipe would block until it has a writer.
    if is_pipe(path) {
        return aside;
    }
    match std::fs::File::open(path).err().map(|why| why.kind()) {
        Some(ErrorKind::PermissionDenied) => {
            Hint::run("Make it yours", format!("sudo chown \"$(id -un)\" {file} && chmod 600 {file}"))
        }
        Some(ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Hint::say("Check ORDERSYNC_HOME and HOME: the file is looked for there.")
        }
        _ => aside,
    }
}

/// The error for an invalid file, with the line.
pub(super) fn misread(path: &Path, text: &str, span: Option<Range<usize>>, why: &str) -> Error {
    let place = span.map(|span| line(text, span.start)).unwrap_or_default();
    let what = why.trim_end_matches('.').replace('\n', ", ");
    Error::usage(format!("{}{place} is invalid: {what}.", path.display())).hint(mend(path))
}

/// The line of a byte, as ", line 4".
fn line(text: &str, byte: usize) -> String {
    format!(", line {}", text.get(..byte).unwrap_or(text).lines().count().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_configurations() {
        let seeds: [&[u8]; 2] = [
            b"profile = \"shop\"\n[profiles.shop]\nbase_url = \"https://a.test\"\n",
            b"[profiles.\"a b\"]\ntoken_store = \"file\"\nscopes = 'x'\nendpoints = { totp = \"/x\", orders_get = \"/{id}\" }\n",
        ];
        let words = [
            "[",
            "]",
            "=",
            "\"",
            "'",
            "\n",
            "{",
            "}",
            ".",
            "#",
            "\"\"\"",
            "profiles",
            "true",
            "1979-05-27",
            "\u{202e}",
        ];
        crate::fuzzing::fuzz("configurations", &seeds, &words, |input, _| {
            let Ok(text) = std::str::from_utf8(input) else { return };
            match File::parse(text, Path::new("config.toml")) {
                Ok(file) => {
                    assert!(file.profile_names().count() >= 3);
                    for profile in file.profiles.values() {
                        let origin = || super::super::value::Origin::File("config.toml".into());
                        let _ =
                            profile.base_url.as_deref().map(|url| super::super::base_url::parse(url, origin()).is_ok());
                        let _ = crate::client::endpoints::Endpoints::with_overrides(&profile.endpoints);
                    }
                }
                Err(why) => {
                    let message = why.message();
                    assert!(message.starts_with("config.toml") && message.contains(" is invalid: "), "{message}");
                }
            }
        });
    }
}
