//! `THIRD-PARTY-LICENSES`: whose code is in the program, and under which terms.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::crates::Package;
use super::{file_name, list, read};

/// Beginnings of the names of files that hold terms, or who has to be named.
const NAMES: [&str; 6] = ["license", "licence", "unlicense", "copying", "copyright", "notice"];
/// Files with such a name that are code or data.
const NOT_TEXT: [&str; 16] =
    ["rs", "c", "h", "cc", "cpp", "py", "pm", "pl", "js", "sh", "json", "toml", "yml", "yaml", "snap", "a"];
/// Folders whose content does not get into the program.
const NOT_LINKED: [&str; 6] = ["tests", "test", "benches", "examples", "fuzz", "target"];

/// Texts, numbered in the order in which they were found. Most crates share a few.
#[derive(Default)]
struct Texts {
    numbers: BTreeMap<String, usize>,
    /// The text, and where it was found first.
    found: Vec<(String, String)>,
}

/// The whole file for a program whose packages begin with `name`.
pub(super) fn text(name: &str, crates: &[&Package]) -> Result<String, String> {
    let mut texts = Texts::default();
    let mut lines = String::new();
    for package in crates {
        let terms = package.license.as_deref().unwrap_or("see its texts");
        let numbers = texts.of(package)?;
        let origin = if numbers.is_empty() { without_text(package) } else { format!("texts {}", numbers.join(", ")) };
        let _ = writeln!(lines, "{} {}: {terms}; {origin}", package.name, package.version);
    }
    let mut file = format!(
        "Licenses of the libraries in {name}\n\n\
         Each line has the name and version of a library, its license as an SPDX expression, and the numbers of the\n\
         license texts that come with it. The Rust standard library (MIT OR Apache-2.0) is part of the program, too;\n\
         its notices are in share/doc/rust/COPYRIGHT-library.html of every Rust toolchain.\n\n{lines}"
    );
    for (index, (text, origin)) in texts.found.iter().enumerate() {
        let _ = write!(file, "\n======== Text {} ({origin}) ========\n\n{text}\n", index + 1);
    }
    Ok(file)
}

/// Some crates are published without the text of their license.
fn without_text(package: &Package) -> String {
    let authors =
        if package.authors.is_empty() { String::new() } else { format!(" by {}", package.authors.join(", ")) };
    let place = package.repository.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    format!("published without a license text{authors}{place}")
}

impl Texts {
    /// The numbers of a crate's texts.
    fn of(&mut self, package: &Package) -> Result<Vec<String>, String> {
        let folder = package.folder();
        let mut paths = Vec::new();
        collect(folder, &mut paths)?;
        if let Some(named) = package.license_file.as_ref().map(|file| folder.join(file))
            && !paths.contains(&named)
        {
            paths.push(named);
        }
        let mut numbers = Vec::new();
        for path in paths {
            let inner = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let text = tidy(&String::from_utf8_lossy(&read(&path)?));
            let number = self.number(text, || format!("{} {}: {inner}", package.name, package.version)).to_string();
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        Ok(numbers)
    }

    fn number(&mut self, text: String, origin: impl FnOnce() -> String) -> usize {
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        self.found.push((text.clone(), origin()));
        self.numbers.insert(text, self.found.len());
        self.found.len()
    }
}

/// Line ends and spaces at the end of lines do not make another text.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// License files at any depth: libraries in C that a crate contains have their own.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let in_licenses = folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case("licenses"));
    for path in list(folder)? {
        let name = file_name(&path);
        if path.is_dir() {
            if !name.starts_with('.') && !NOT_LINKED.contains(&name.as_str()) {
                collect(&path, found)?;
            }
        } else if is_text(&name) && (in_licenses || is_license(&name)) {
            found.push(path);
        }
    }
    Ok(())
}

fn is_license(name: &str) -> bool {
    let name = name.to_lowercase();
    NAMES.iter().any(|beginning| name.starts_with(beginning)) || name.ends_with("-license")
}

fn is_text(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
    !extension.is_some_and(|extension| NOT_TEXT.contains(&extension.as_str()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A crate in a folder with these files.
    fn package(folder: &Path, name: &str, files: &[(&str, &str)]) -> Package {
        for (path, content) in files {
            let path = folder.join(name).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let manifest = folder.join(name).join("Cargo.toml");
        serde_json::from_value(serde_json::json!({
            "id": name, "name": name, "version": "1.0.0", "license": "MIT", "license_file": null,
            "authors": ["A. Author"], "repository": "https://example.com/a", "manifest_path": manifest,
        }))
        .unwrap()
    }

    #[test]
    fn each_text_is_there_once_with_the_crates_that_have_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let one = package(folder, "one", &[("LICENSE-MIT", "be kind\r\n"), ("license_apache", "be kinder")]);
        let two = package(folder, "two", &[("LICENSE.md", "be kind  \n\n"), ("vendor/zlib/COPYING", "be fair")]);
        let text = text("x", &[&one, &two]).unwrap();
        assert!(text.contains("one 1.0.0: MIT; texts 1, 2\ntwo 1.0.0: MIT; texts 1, 3\n"), "{text}");
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("====")).collect();
        assert_eq!(
            headings,
            [
                "======== Text 1 (one 1.0.0: LICENSE-MIT) ========",
                "======== Text 2 (one 1.0.0: license_apache) ========",
                "======== Text 3 (two 1.0.0: vendor/zlib/COPYING) ========",
            ]
        );
    }

    #[test]
    fn files_that_only_have_such_a_name_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let files =
            [("src/license.rs", ""), ("notice.h", ""), ("tests/LICENSE", ""), (".git/COPYING", ""), ("lib.c", "")];
        let bare = package(folder.path(), "bare", &files);
        let text = text("x", &[&bare]).unwrap();
        let expected = "bare 1.0.0: MIT; published without a license text by A. Author (https://example.com/a)\n";
        assert!(text.contains(expected) && !text.contains("===="), "{text}");
    }

    #[test]
    fn the_file_that_the_manifest_names_counts_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut odd = package(folder.path(), "odd", &[("TERMS", "be odd"), ("LICENSES/MIT.txt", "be even")]);
        odd.license_file = Some("TERMS".into());
        odd.license = None;
        let text = text("x", &[&odd]).unwrap();
        assert!(text.contains("odd 1.0.0: see its texts; texts 1, 2\n"), "{text}");
        assert!(text.contains("be odd") && text.contains("be even"), "{text}");
    }
}
