//! Each link of a page to another file, or to a heading in one, leads somewhere.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages, relative to the root.
fn pages(root: &Path) -> Vec<PathBuf> {
    let files = |folder: &'static str| {
        fs::read_dir(root.join(folder)).unwrap().map(move |entry| Path::new(folder).join(entry.unwrap().file_name()))
    };
    let docs = ["docs", "docs/dev"].into_iter().flat_map(files);
    let top = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(PathBuf::from);
    docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")).chain(top).collect()
}

/// The targets of the links in a page, without those in code.
fn links(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2);
    let after = prose.flat_map(|part| part.split("](").skip(1));
    after.filter_map(|rest| rest.split(')').next()).filter(|link| !link.starts_with("http")).collect()
}

/// The anchors of a page's headings, as GitHub names them.
fn anchors(page: &str) -> HashSet<String> {
    let headings = page.split("```").step_by(2).flat_map(str::lines).filter(|line| line.starts_with('#'));
    let names = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
    names.map(|name| name.chars().filter(kept).collect::<String>().replace(' ', "-")).collect()
}

/// The links of the page that lead nowhere.
fn broken(root: &Path, page: &Path) -> Vec<String> {
    let text = fs::read_to_string(root.join(page)).unwrap();
    let leads = |link: &&str| {
        let (file, anchor) = link.split_once('#').unwrap_or((*link, ""));
        let target = if file.is_empty() { root.join(page) } else { root.join(page).with_file_name(file) };
        let has_anchor = || fs::read_to_string(&target).is_ok_and(|text| anchors(&text).contains(anchor));
        target.exists() && (anchor.is_empty() || has_anchor())
    };
    links(&text).into_iter().filter(|link| !leads(link)).map(|link| format!("{}: {link}", page.display())).collect()
}

#[test]
fn every_link_of_the_pages_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let broken: Vec<String> = pages(root).iter().flat_map(|page| broken(root, page)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_link_to_a_missing_page_or_heading_is_found() {
    let root = tempfile::tempdir().unwrap();
    let text = "# A page\n\n[a](#a-page) [b](b.md) [c](#no) [d](https://example.com) `x`\n\n```\n[e](e.md)\n```\n";
    fs::write(root.path().join("a.md"), text).unwrap();
    assert_eq!(broken(root.path(), Path::new("a.md")), ["a.md: b.md", "a.md: #no"]);
}
