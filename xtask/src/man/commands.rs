//! A man page for each command. The text after a command's help is laid out as sections of its own, with examples and
//! tables kept line by line.

use std::collections::HashSet;

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use super::page::{DATE, SOURCE, see_also};
use super::topics;
use crate::files::Files;

/// Adds the page of `command` and those of all its subcommands.
pub(crate) fn pages(command: &Command, files: &mut Files) -> Result<(), String> {
    let mut command = with_all_help(command.clone().disable_help_subcommand(true));
    command.build();
    add(&command, &[], files)
}

/// The generator leaves out the help of flags that `-h` does not list.
fn with_all_help(command: Command) -> Command {
    command.mut_args(|argument| argument.hide_short_help(false)).mut_subcommands(with_all_help)
}

/// `related`: the pages of the command above and of the other commands there.
fn add(command: &Command, related: &[String], files: &mut Files) -> Result<(), String> {
    let shown = || command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    for subcommand in shown() {
        // The commands at the top are many, and have little to do with each other.
        let is_verb = command.get_display_name().is_some();
        let others = shown().filter(|other| is_verb && other.get_name() != subcommand.get_name()).map(name);
        add(subcommand, &[name(command)].into_iter().chain(others).collect::<Vec<_>>(), files)?;
    }
    let title = name(command);
    let man = Man::new(command.clone()).title(title.to_uppercase()).date(DATE).source(SOURCE).manual("User Commands");
    let mut page = Vec::new();
    render(command, related, &man, &mut page).map_err(|why| format!("the page of {title}: {why}"))?;
    let page = String::from_utf8(page).map_err(|why| format!("the page of {title}: {why}"))?;
    files.add(format!("man/{}", man.get_filename()), tidy(&page));
    Ok(())
}

fn name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn render(command: &Command, related: &[String], man: &Man, page: &mut Vec<u8>) -> std::io::Result<()> {
    man.render_title(page)?;
    man.render_name_section(page)?;
    synopsis(command).to_writer(page)?;
    man.render_description_section(page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    if let Some(after) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        sections(&after.to_string()).to_writer(page)?;
    }
    let related = related.iter().map(|name| (name.clone(), "1"));
    see_also(related.chain(topics::PAGES.map(|(name, section)| (name.to_owned(), section)))).to_writer(page)
}

/// What can be typed: flags with their values, arguments, and whether a command has to follow. The flags that every
/// command has are in the page of `ordersync` alone.
fn synopsis(command: &Command) -> Roff {
    let is_root = command.get_display_name().is_none() || name(command) == "ordersync";
    let mut line = vec![bold(command.get_bin_name().unwrap_or_else(|| command.get_name()))];
    let shown = |argument: &&Arg| !argument.is_hide_set() && (is_root || !argument.is_global_set());
    for argument in command.get_arguments().filter(|argument| !argument.is_positional()).filter(shown) {
        let (open, close) = if argument.is_required_set() { (" ", "") } else { (" [", "]") };
        line.push(roman(open));
        let long = argument.get_long().map(|long| format!("--{long}"));
        let short = argument.get_short().map(|short| format!("-{short}"));
        line.push(bold([short, long].into_iter().flatten().collect::<Vec<_>>().join("|")));
        line.extend(value(argument));
        line.push(roman(close));
    }
    for argument in command.get_positionals().filter(|argument| !argument.is_hide_set()) {
        let (open, close) = if argument.is_required_set() { (" ", "") } else { (" [", "]") };
        line.extend([roman(open), italic(names(argument)), roman(close)]);
    }
    if command.get_subcommands().any(|inner| !inner.is_hide_set()) {
        line.push(roman(if command.is_subcommand_required_set() { " " } else { " [" }));
        line.push(italic("COMMAND"));
        line.push(roman(if command.is_subcommand_required_set() { "" } else { "]" }));
    }
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]).text(line);
    roff
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

    #[test]
    fn every_flag_of_every_page_is_described() {
        let mut files = Files::default();
        pages(&ordersync::reference::command(), &mut files).unwrap();
        let made = || files.contents().filter(|(path, _)| path.extension().is_some_and(|section| section == "1"));
        assert!(made().count() > 40);
        for (path, page) in made() {
            let (_, options) = page.split_once(".SH OPTIONS").unwrap();
            let options = options.split(".SH ").next().unwrap_or_default();
            for option in options.split(".TP\n").skip(1) {
                assert!(option.trim_end().lines().count() > 1, "{}: {option}", path.display());
            }
        }
    }

    #[test]
    fn a_synopsis_names_the_values() {
        let of = |path: &[&str]| {
            let mut tree = ordersync::reference::command();
            tree.build();
            let place = path.iter().fold(&tree, |place, name| place.find_subcommand(name).unwrap());
            synopsis(place).to_roff().replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\-", "-")
        };
        assert!(of(&[]).contains("[--profile NAME]") && of(&[]).contains("[COMMAND]"), "{}", of(&[]));
        assert!(of(&["orders"]).trim_end().ends_with("orders [-h|--help] COMMAND"), "{}", of(&["orders"]));
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
