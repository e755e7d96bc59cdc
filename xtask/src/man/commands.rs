//! A man page for each noun, with its verbs as sections. The options that every command takes are in that of `ordersync`
//! alone. The text after a command's help becomes sections, with examples and tables kept line by line.

use std::collections::HashSet;
use std::io;

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use ordersync::reference::with_own_options;

use super::page::{DATE, SOURCE, see_also};
use super::topics;
use crate::files::Files;

/// Adds the page of `command` and those of its nouns.
pub(crate) fn pages(command: &Command, files: &mut Files) -> Result<(), String> {
    let mut command = with_all_help(command.clone().disable_help_subcommand(true));
    command.build();
    add(&command, files, root_page)?;
    shown(&command).try_for_each(|noun| add(&without_help(with_own_options(noun.clone())), files, noun_page))
}

/// The generator leaves out the help of flags that `-h` does not list.
fn with_all_help(command: Command) -> Command {
    command.mut_args(|argument| argument.hide_short_help(false)).mut_subcommands(with_all_help)
}

fn without_help(command: Command) -> Command {
    command
        .mut_args(|argument| if argument.get_id() == "help" { argument.hide(true) } else { argument })
        .mut_subcommands(without_help)
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set())
}

type Render = fn(&Command, &Man, &mut Vec<u8>) -> io::Result<()>;

fn add(command: &Command, files: &mut Files, render: Render) -> Result<(), String> {
    let title = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let man = Man::new(command.clone()).title(title.to_uppercase()).date(DATE).source(SOURCE).manual("User Commands");
    let mut page = Vec::new();
    render(command, &man, &mut page).map_err(|why| format!("the page of {title}: {why}"))?;
    let page = String::from_utf8(page).map_err(|why| format!("the page of {title}: {why}"))?;
    files.add(format!("man/{}", man.get_filename()), tidy(&page));
    Ok(())
}

fn root_page(command: &Command, man: &Man, page: &mut Vec<u8>) -> io::Result<()> {
    man.render_title(page)?;
    man.render_name_section(page)?;
    synopsis(&[command]).to_writer(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    man.render_subcommands_section(page)?;
    sections(&after_help(command)).to_writer(page)?;
    see_also(others().into_iter().skip(1)).to_writer(page)
}

fn noun_page(noun: &Command, man: &Man, page: &mut Vec<u8>) -> io::Result<()> {
    let commands = commands(noun);
    man.render_title(page)?;
    man.render_name_section(page)?;
    synopsis(&commands).to_writer(page)?;
    man.render_description_section(page)?;
    let mut all = Roff::new();
    all.control("PP", []).text([
        roman("The options that every command takes are in "),
        bold("ordersync"),
        roman("(1)."),
    ]);
    all.to_writer(page)?;
    if has_options(noun) {
        man.render_options_section(page)?;
    }
    let verbs: Vec<_> = commands.into_iter().filter(|command| command.get_bin_name() != noun.get_bin_name()).collect();
    if !verbs.is_empty() {
        let mut heading = Roff::new();
        heading.control("SH", ["COMMANDS"]);
        heading.to_writer(page)?;
    }
    for verb in verbs {
        page.extend(verb_section(verb)?.into_bytes());
    }
    sections(&after_help(noun)).to_writer(page)?;
    see_also(others()).to_writer(page)
}

/// `ordersync` and the topics.
fn others() -> Vec<(String, &'static str)> {
    [("ordersync", "1")].into_iter().chain(topics::PAGES).map(|(name, section)| (name.to_owned(), section)).collect()
}

/// What can be run: the command itself, unless it needs another one, and those below it.
fn commands(command: &Command) -> Vec<&Command> {
    let own = (!command.is_subcommand_required_set()).then_some(command);
    own.into_iter().chain(shown(command).flat_map(commands)).collect()
}

fn has_options(command: &Command) -> bool {
    command.get_arguments().any(|argument| !argument.is_hide_set())
}

/// What the page of a verb would hold, below one heading.
fn verb_section(verb: &Command) -> io::Result<String> {
    let man = Man::new(verb.clone());
    let mut parts = Vec::new();
    man.render_description_section(&mut parts)?;
    if has_options(verb) {
        man.render_options_section(&mut parts)?;
    }
    sections(&after_help(verb)).to_writer(&mut parts)?;
    let mut section = format!(".SS {}\n", verb.get_bin_name().unwrap_or_else(|| verb.get_name()));
    for line in String::from_utf8_lossy(&parts).lines() {
        match line.strip_prefix(".SH ").map(|heading| heading.trim_matches('"')) {
            Some("DESCRIPTION" | "OPTIONS") => {}
            Some(heading) => section.push_str(&format!(".PP\n\\fB{}\\fR\n", capitalized(heading))),
            None => section.extend([line, "\n"]),
        }
    }
    Ok(section)
}

/// `EXIT CODES` as `Exit codes`.
fn capitalized(heading: &str) -> String {
    let (first, rest) = heading.split_at_checked(1).unwrap_or((heading, ""));
    format!("{first}{}:", rest.to_lowercase())
}

fn after_help(command: &Command) -> String {
    command.get_after_long_help().or_else(|| command.get_after_help()).map(ToString::to_string).unwrap_or_default()
}

/// What can be typed, a line for each command.
fn synopsis(commands: &[&Command]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    for (index, command) in commands.iter().enumerate() {
        if index > 0 {
            roff.control("br", []);
        }
        roff.text(usage(command));
    }
    roff
}

/// Flags with their values, arguments, and whether a command has to follow.
fn usage(command: &Command) -> Vec<Inline> {
    let mut line = vec![bold(command.get_bin_name().unwrap_or_else(|| command.get_name()))];
    let shown_arguments = || command.get_arguments().filter(|argument| !argument.is_hide_set());
    for argument in shown_arguments().filter(|argument| !argument.is_positional()) {
        let (open, close) = if argument.is_required_set() { (" ", "") } else { (" [", "]") };
        line.push(roman(open));
        let long = argument.get_long().map(|long| format!("--{long}"));
        let short = argument.get_short().map(|short| format!("-{short}"));
        line.push(bold([short, long].into_iter().flatten().collect::<Vec<_>>().join("|")));
        line.extend(value(argument));
        line.push(roman(close));
    }
    for argument in shown_arguments().filter(|argument| argument.is_positional()) {
        let (open, close) = if argument.is_required_set() { (" ", "") } else { (" [", "]") };
        line.extend([roman(open), italic(names(argument)), roman(close)]);
    }
    if command.get_display_name().is_none_or(|name| name == "ordersync") && shown(command).next().is_some() {
        line.extend([roman(" ["), italic("COMMAND"), roman("]")]);
    }
    line
}

/// The value of a flag, with the space before it.
fn value(argument: &Arg) -> Vec<Inline> {
    if !matches!(argument.get_action(), ArgAction::Set | ArgAction::Append) {
        return Vec::new();
    }
    let is_optional = argument.get_num_args().is_some_and(|number| number.min_values() == 0);
    if is_optional {
        vec![roman(" ["), italic(names(argument)), roman("]")]
    } else {
        vec![roman(" "), italic(names(argument))]
    }
}

fn names(argument: &Arg) -> String {
    match argument.get_value_names() {
        Some(names) => names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        None => argument.get_id().to_string().to_uppercase(),
    }
}

/// A line such as `Examples:` opens a section; indented lines stay as they are; others are running text.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    let mut verbatim = false;
    let mut heading_pending = true;
    for line in text.lines() {
        let indented = line.starts_with(' ');
        if verbatim && !indented {
            roff.control("fi", []);
            verbatim = false;
        }
        if line.trim().is_empty() {
            continue;
        }
        if let Some(heading) = line.strip_suffix(':').filter(|_| !indented) {
            roff.control("SH", [heading.to_uppercase().as_str()]);
            heading_pending = false;
        } else if indented {
            if !verbatim {
                roff.control("nf", []);
                verbatim = true;
            }
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        } else {
            if heading_pending {
                roff.control("SH", ["NOTES"]);
                heading_pending = false;
            } else {
                roff.control("PP", []);
            }
            roff.text([roman(line)]);
        }
    }
    if verbatim {
        roff.control("fi", []);
    }
    roff
}

/// The generator's habits that `mandoc -T lint` warns of: an empty line between two breaks, where `.sp` is meant; and
/// the same two definitions before every section.
fn tidy(page: &str) -> String {
    let page = page.replace(".br\n\n.br\n", ".sp\n");
    let mut seen = HashSet::new();
    page.lines()
        .filter(|line| !(line.starts_with(".ie ") || line.starts_with(".el ")) || seen.insert(*line))
        .fold(String::new(), |page, line| page + line.trim_end() + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> Vec<(String, String)> {
        let mut files = Files::default();
        pages(&ordersync::reference::command(), &mut files).unwrap();
        files.contents().map(|(path, page)| (path.display().to_string(), page.to_owned())).collect()
    }

    #[test]
    fn every_flag_of_every_page_is_described() {
        let mut described = 0;
        for (path, page) in made() {
            for option in page.split(".TP\n").skip(1).filter(|term| term.starts_with("\\fB\\-")) {
                let (_, about) = option.split_once('\n').unwrap();
                assert!(!about.trim().is_empty() && !about.starts_with(".S"), "{path}: {option}");
                described += 1;
            }
        }
        assert!(described > 150, "{described}");
    }

    #[test]
    fn a_page_has_every_verb_of_its_noun_and_no_option_of_all_commands() {
        let made = made();
        let page = |name: &str| &made.iter().find(|(path, _)| path == &format!("man/{name}.1")).unwrap().1;
        assert!(page("ordersync").contains("\\-\\-profile"));
        assert!(!page("ordersync-orders").contains("\\-\\-profile"));
        for verb in ["list", "get", "export", "summary", "sync"] {
            assert!(page("ordersync-orders").contains(&format!(".SS ordersync orders {verb}\n")), "{verb}");
        }
        assert!(page("ordersync-admin").contains(".SS ordersync admin users find\n"));
        assert!(page("ordersync-admin").contains("\\-\\-database"));
        assert!(page("ordersync-orders").contains("\\-\\-since\\-last"));
    }

    #[test]
    fn a_synopsis_names_the_values() {
        let of = |path: &[&str]| {
            let mut tree = ordersync::reference::command();
            tree.build();
            let place = path.iter().fold(&tree, |place, name| place.find_subcommand(name).unwrap());
            synopsis(&[place]).to_roff().replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\-", "-")
        };
        assert!(of(&[]).contains("[--profile NAME]") && of(&[]).contains("[COMMAND]"), "{}", of(&[]));
        assert!(of(&["orders", "get"]).contains(" ID"), "{}", of(&["orders", "get"]));
    }

    #[test]
    fn examples_and_tables_keep_their_lines() {
        let roff = sections("Examples:\n  a b\n  c\n\nMore to know.\n\nExit codes:\n    0  done").render();
        let order =
            [".SH EXAMPLES", ".nf", "a b", "c", ".fi", ".PP", "More to know.", ".SH", "EXIT CODES", "0  done", ".fi"];
        let mut rest = roff.as_str();
        for part in order {
            let (_, after) =
                rest.split_once(part).unwrap_or_else(|| panic!("{part} is not where it belongs in {roff}"));
            rest = after;
        }
    }
}
