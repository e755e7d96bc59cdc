//! Man pages on what several commands share: exit codes, environment variables, the configuration file. Made from the
//! tables that the command line itself works with.

use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use ordersync::reference::{Exit, OPERATIONS, VARIABLES, keys};

use super::page::{DATE, SOURCE, see_also};
use crate::files::Files;

/// The pages, with their sections, that every command's page refers to.
pub(crate) const PAGES: [(&str, &str); 3] =
    [("ordersync-config", "5"), ("ordersync-environment", "7"), ("ordersync-exit-codes", "7")];

const EXAMPLE: &str = "\
profile = \"production\"

[profiles.production]
base_url = \"https://api.example.com\"
client_id = \"client_1\"
client_secret_file = \"/etc/app/secret\"
scopes = \"accounts:read orders:read\"
token_store = \"auto\"

[profiles.production.endpoints]
orders_list = \"/v2/orders\"";

/// Adds the pages.
pub(crate) fn pages(files: &mut Files) {
    let [config, environment, exit_codes] = PAGES;
    add(files, config, "configuration file of ordersync", configuration());
    add(files, environment, "environment variables of ordersync", variables());
    add(files, exit_codes, "exit codes of ordersync", codes());
}

fn add(files: &mut Files, (name, section): (&str, &str), about: &str, body: Roff) {
    let manual = if section == "5" { "File Formats" } else { "Miscellaneous" };
    let mut page = Roff::new();
    page.control("TH", [&name.to_uppercase(), section, DATE, SOURCE, manual]);
    page.control("SH", ["NAME"]).text([roman(format!("{name} - {about}"))]);
    page.extend([body]);
    let others = PAGES.iter().filter(|(other, _)| *other != name).map(|(name, section)| ((*name).to_owned(), *section));
    page.extend([see_also([("ordersync".to_owned(), "1")].into_iter().chain(others))]);
    files.add(format!("man/{name}.{section}"), page.render());
}

fn codes() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["DESCRIPTION"]).text([roman(
        "The exit code says how a command ended, so that a script need not read messages. With \"-o json\", an error is a \
         JSON object on standard error, whose \"code\" names the reason.",
    )]);
    for exit in Exit::ALL {
        term(&mut roff, vec![bold(exit.code().to_string())], exit.meaning());
    }
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    roff.text([roman("ordersync sync --no-input || [ $? -eq 9 ]    # continue after failed and skipped retailers")]);
    roff.text([roman("ordersync auth status >/dev/null; [ $? -eq 4 ] && echo \"sign in first\"")]);
    roff.control("fi", []);
    roff
}

fn variables() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["DESCRIPTION"]).text([roman(
        "Flags override environment variables, which override the profile in config.toml, which overrides the \
         defaults. An empty or blank variable counts as unset, except if it decides where a command connects or as whom \
         (ORDERSYNC_BASE_URL, ORDERSYNC_TOKEN and similar): then it is an error.",
    )]);
    for variable in VARIABLES {
        term(&mut roff, vec![bold(variable.name)], variable.help);
    }
    roff
}

fn configuration() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["DESCRIPTION"]).text([roman(
        "config.toml is in the platform's configuration folder (~/.config/ordersync on Linux), or in \"config\" below \
         ORDERSYNC_HOME. \"ordersync config path\" prints its path. \"ordersync config set\" changes it and keeps its \
         comments; you can also edit it. It contains no secrets.",
    )]);
    roff.control("SH", ["SETTINGS"]);
    for key in [&keys::PROFILE, &keys::ACCESSIBLE] {
        term(&mut roff, vec![bold(key.name)], key.help);
    }
    roff.control("SH", ["SETTINGS OF A PROFILE"]);
    roff.text([roman("In a table "), bold("[profiles."), italic("NAME"), bold("]"), roman(":")]);
    for key in keys::OF_PROFILE.iter().chain([&keys::ENDPOINT]) {
        term(&mut roff, vec![bold(key.name)], key.help);
    }
    roff.control("SH", ["OPERATIONS"]).text([roman("The paths that can be set, with their defaults:")]);
    for entry in OPERATIONS.iter().filter(|entry| !entry.fixed) {
        term(&mut roff, vec![bold(entry.name)], &format!("{} {}", entry.method, entry.path));
    }
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in EXAMPLE.lines() {
        // An empty line would be a break of its own.
        if line.is_empty() {
            roff.control("sp", []);
        } else {
            roff.text([roman(line)]);
        }
    }
    roff.control("fi", []);
    roff
}

fn term(roff: &mut Roff, term: Vec<Inline>, about: &str) {
    roff.control("TP", []).text(term).text([roman(about)]);
}
