//! Refuses phrases that read as if translated, in documentation, messages and comments.
//!
//! A phrase is found in any case, as whole words, and across the line breaks of a paragraph, a comment or a string. A
//! list of phrases cannot make text good; it keeps the ones that were mended from coming back.

use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// What is read if no path is given.
pub(crate) const DEFAULT: [&str; 12] = [
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "openapi.yaml",
    "openapi-pages.yaml",
    "docs",
    "packaging",
    "src",
    "crates",
    "tests",
    "xtask/src",
];

/// Kinds of files that hold text of ours. Not SQL: stores remember the checksum of each migration, comments included.
const ENDINGS: [&str; 11] = ["md", "rs", "toml", "yaml", "py", "sh", "js", "mjs", "html", "css", "jq"];

/// The folders of what the tests of the pages install: others wrote it.
const OTHERS: &str = "node_modules";

/// This file consists of the phrases, and in its tests of bad sentences.
const ITSELF: &str = "xtask/src/english.rs";

/// What to write, and the phrases instead of which it is written.
const PHRASES: &[(&str, &[&str])] = &[
    (
        "resume, continue",
        &[
            "go on with",
            "goes on with",
            "going on with",
            "gone on with",
            "went on with",
            "how to go on",
            "going on in",
            "going on after",
            "take it up again",
            "takes it up again",
            "taken up again",
            "takes up again",
        ],
    ),
    ("interrupt, end early", &["break off", "breaks off", "breaking off", "broke off", "broken off"]),
    (
        "name the person: the client, the operator, everybody who",
        &["whoever", "whomever", "who asks", "for who", "of who", "who comes back"],
    ),
    (
        "say, report, print",
        &["is told", "are told", "be told", "was told", "were told", "it is said", "nothing is said"],
    ),
    ("available; or name what failed: cannot listen on", &["be had"]),
    ("exceeds; or name the wait", &["have to be waited", "has to be waited", "may be waited", "longer than may be"]),
    ("is not signed by an authority that … trusts", &["issued by nobody", "nobody whom"]),
    ("the stored …", &["what is kept of"]),
    ("invalid name", &["is no name for"]),
    ("does not need", &["needs it not", "need it not", "needs not"]),
    ("current", &["is worked on", "are worked on"]),
    ("name the noun: candidates, choices", &["what is offered", "what is asked for"]),
    ("if … stops early", &["whatever ends"]),
    ("overrides, takes precedence over", &["goes before", "go before"]),
    (
        "is in, is at; or a verb that says what happens",
        &[
            "stands in",
            "stands there",
            "stands here",
            "stands beside",
            "stands between",
            "stands on",
            "stands to the",
            "stand there",
            "as they stand",
            "where you stand",
            "where it stands",
            "where things stand",
        ],
    ),
    ("valid", &["is good for", "are good for", "is good only", "are good once", "good once"]),
    (
        "if, when",
        &[
            ". where",
            "# errors where",
            "where absent",
            "where not given",
            "where needed",
            "where none is",
            "where there is none",
        ],
    ),
    ("on request; or name the request", &["for the asking"]),
    ("convert", &["brought over", "bring over"]),
    ("unchanged, as received, as they arrive", &["as it came", "as they came", "as it comes", "as they come"]),
    ("name the owner", &["of one's own"]),
    ("silently", &["without a word"]),
    ("exists, is missing", &["is not there", "are not there"]),
    ("name the things: your connections", &["see what there is", "which there are"]),
    ("the answer", &["what came"]),
    ("bypass", &["go round", "goes round"]),
    ("forever, permanently", &["for ever", "kept for good"]),
    ("format", &["in any form", "in either form", "each form"]),
    ("it is unknown", &["nobody knows"]),
    ("lower case, upper case", &["small letters", "capital letters"]),
];

/// Passages that may have a phrase: the file, the passage, and why it stays.
const EXCEPTIONS: &[(&str, &str, &str)] =
    &[("openapi.yaml", "each form-encoded", "an encoding with that name, not the format of an export")];

/// A phrase in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: PathBuf,
    line: usize,
    phrase: &'static str,
    instead: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, phrase, instead } = self;
        write!(f, "{}:{line}: \"{}\"; write: {instead}", path.display(), phrase.trim_start_matches(['.', '#', ' ']))
    }
}

/// The phrases in the files and folders, relative to the root.
pub(crate) fn findings(root: &Path, paths: &[String]) -> Result<Vec<Finding>, String> {
    let mut findings = Vec::new();
    for path in paths {
        visit(root, Path::new(path), &mut findings)?;
    }
    Ok(findings)
}

fn visit(root: &Path, path: &Path, findings: &mut Vec<Finding>) -> Result<(), String> {
    let failed = |why: std::io::Error| format!("{}: {why}", path.display());
    let whole = root.join(path);
    if path.ends_with(OTHERS) {
        return Ok(());
    }
    if whole.is_dir() {
        let entries = fs::read_dir(&whole).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(failed)?;
        let mut names: Vec<_> = entries.into_iter().map(|entry| entry.file_name()).collect();
        names.sort();
        return names.into_iter().try_for_each(|name| visit(root, &path.join(name), findings));
    }
    let is_text = path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
    if is_text && path != Path::new(ITSELF) {
        findings.extend(in_text(path, &fs::read_to_string(&whole).map_err(failed)?));
    }
    Ok(())
}

/// The phrases in a text, by line.
fn in_text(path: &Path, text: &str) -> Vec<Finding> {
    let prose = Prose::of(text);
    let mut findings = Vec::new();
    for (instead, phrases) in PHRASES {
        for phrase in *phrases {
            let places = prose.places(phrase).filter(|at| !is_exception(path, &prose.text, *at));
            findings.extend(places.map(|at| Finding { path: path.to_owned(), line: prose.line(at), phrase, instead }));
        }
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

fn is_exception(path: &Path, text: &str, at: usize) -> bool {
    let mut of_file = EXCEPTIONS.iter().filter(|(file, ..)| path == Path::new(file));
    of_file.any(|(_, passage, _)| {
        let passage = passage.to_ascii_lowercase();
        text.match_indices(&passage).any(|(start, _)| (start..start + passage.len()).contains(&at))
    })
}

/// A text in small letters, with one space in the place of each break within a paragraph.
struct Prose {
    text: String,
    /// Where each line begins in it.
    lines: Vec<usize>,
}

impl Prose {
    fn of(text: &str) -> Self {
        let (mut prose, mut is_generated) = (Self { text: String::new(), lines: Vec::new() }, false);
        for line in text.lines() {
            prose.lines.push(prose.text.len());
            // Generated tables are made of strings in the code, and are mended there.
            is_generated = (is_generated || line.starts_with("<!-- generated:")) && line != "<!-- end generated -->";
            let heading = line.trim_start_matches(['/', '!', ' ']).starts_with("# ");
            let words =
                line.trim_start_matches(|letter: char| "/!*-> \t".contains(letter) || (letter == '#' && !heading));
            let words = words.trim_end_matches('\\').trim();
            if is_generated || words.is_empty() {
                prose.text.push('\n');
            } else {
                prose.text.extend(words.split_whitespace().flat_map(|word| [word, " "]));
            }
        }
        prose.text.make_ascii_lowercase();
        prose
    }

    /// Where the phrase begins, as whole words.
    fn places(&self, phrase: &'static str) -> impl Iterator<Item = usize> {
        let in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        self.text.match_indices(phrase).map(|(at, _)| at).filter(move |at| {
            let begins = !phrase.starts_with(in_word) || !self.text[..*at].ends_with(in_word);
            begins && !self.text[at + phrase.len()..].starts_with(in_word)
        })
    }

    /// The number of the line at a place.
    fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, &'static str)> {
        in_text(Path::new("page.md"), text).into_iter().map(|finding| (finding.line, finding.phrase)).collect()
    }

    #[test]
    fn a_bad_sentence_is_refused_with_its_line() {
        let page = "# Exports\n\nOne that was Broken Off has no\nend, which whoever unpacks it is told.\n";
        assert_eq!(found(page), [(3, "broken off"), (4, "whoever"), (4, "is told")]);
        let said = in_text(Path::new("page.md"), page)[0].to_string();
        assert_eq!(said, "page.md:3: \"broken off\"; write: interrupt, end early");
        assert!(found("An interrupted stream has no trailer.\n").is_empty());
    }

    #[test]
    fn what_others_wrote_and_we_installed_is_left_alone() {
        let root = tempfile::TempDir::new().unwrap();
        for folder in ["tests", "tests/node_modules/others"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join("page.md"), PHRASES[0].1[0]).unwrap();
        }
        let found = findings(root.path(), &["tests".to_owned()]).unwrap();
        let paths: Vec<_> = found.iter().map(|finding| finding.path.as_path()).collect();
        assert_eq!(paths, [Path::new("tests/page.md")]);
    }

    #[test]
    fn line_breaks_of_comments_and_strings_hide_nothing() {
        assert_eq!(found("    /// The address cannot be\n    /// had.\n"), [(1, "be had")]);
        assert_eq!(found("    \"It can be gone \\\n     on with.\"\n"), [(1, "gone on with")]);
        assert_eq!(found("/// # Errors\n/// Where the store fails.\n"), [(1, "# errors where")]);
        assert_eq!(found("It ends. Where it does not, wait.\n"), [(1, ". where")]);
    }

    #[test]
    fn identifiers_paragraphs_and_generated_tables_are_no_sentences() {
        assert!(found("fn whoever_is_told() {}\n").is_empty());
        assert!(found("The words can be\n\nhad by all.\n").is_empty());
        assert_eq!(found("<!-- generated: t -->\n| whoever |\n<!-- end generated -->\nwhoever\n"), [(4, "whoever")]);
    }

    #[test]
    fn every_exception_is_still_needed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for (file, passage, reason) in EXCEPTIONS {
            let prose = Prose::of(&fs::read_to_string(root.join(file)).unwrap());
            assert!(prose.text.contains(passage) && !reason.is_empty(), "{file}: {passage}");
            assert!(!found(passage).is_empty(), "no phrase in: {passage}");
        }
    }

    #[test]
    fn every_phrase_is_found_in_a_sentence_of_its_own() {
        for phrase in PHRASES.iter().flat_map(|(_, phrases)| *phrases) {
            assert!(found(&format!("So {phrase} now")).iter().any(|(_, hit)| hit == phrase), "{phrase}");
        }
    }
}
