//! What is wrong with how files use each other: floors that use those above them, and circles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::reader::{Crate, Uses};

/// Uses that lead up, or to a neighbour on the same floor, one a line: both files and the names between them.
pub(super) fn upward(read: &Crate, floors: &[&[&str]]) -> Vec<String> {
    let tops = read.tops();
    let floor_of = |top: &str| floors.iter().position(|floor| floor.contains(&top));
    let mut wrong = Vec::new();
    for top in tops.values().collect::<BTreeSet<_>>() {
        if floor_of(top).is_none() {
            wrong.push(format!("the module {top} is on no floor: add it to the list"));
        }
    }
    for ((from, to), names) in &read.uses {
        // The crate's root is below all: what it defines is for everybody.
        let (Some(user), Some(used)) = (tops.get(from), tops.get(to)) else { continue };
        let (Some(upper), Some(lower)) = (floor_of(user), floor_of(used)) else { continue };
        if user != used && lower >= upper {
            wrong.push(line(from, to, names));
        }
    }
    wrong
}

/// The circles: files of which each uses the next, and the last the first. A module's own file and those directly below it
/// count as one, as long as those below do not use each other in a circle.
pub(super) fn circles(read: &Crate) -> Vec<Vec<PathBuf>> {
    let parents = read.parents();
    let is_one_module = |circle: &[PathBuf]| {
        circle.iter().any(|own| circle.iter().all(|file| file == own || parents.get(file) == Some(own)))
    };
    let mut found = strongly_connected(&read.uses);
    found.retain(|circle| !is_one_module(circle));
    let is_own = |from: &PathBuf, to: &PathBuf| parents.get(from) == Some(to) || parents.get(to) == Some(from);
    let siblings: Uses = read.uses.clone().into_iter().filter(|((from, to), _)| !is_own(from, to)).collect();
    for circle in strongly_connected(&siblings) {
        if !found.iter().any(|larger| circle.iter().all(|file| larger.contains(file))) {
            found.push(circle);
        }
    }
    found
}

/// The modules of the crate's root that use each other in circles, whichever of their files do.
pub(super) fn circles_of_floors(read: &Crate) -> Vec<Vec<PathBuf>> {
    let tops = read.tops();
    let mut between = Uses::new();
    for ((from, to), names) in &read.uses {
        if let (Some(user), Some(used)) = (tops.get(from), tops.get(to))
            && user != used
        {
            between.entry((user.into(), used.into())).or_default().extend(names.iter().cloned());
        }
    }
    strongly_connected(&between)
}

/// A circle, for a person: every use within it.
pub(super) fn described(circle: &[PathBuf], uses: &Uses) -> String {
    let mut text = format!("a circle of {} files:\n", circle.len());
    for ((from, to), names) in uses.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to)) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {}", line(from, to, names));
    }
    text
}

fn line(from: &Path, to: &Path, names: &BTreeSet<String>) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("{} -> {}: {}", from.display(), to.display(), names.join(", "))
}

/// Groups of two and more files from each of which every other one can be reached. Slow and simple: there are some hundred.
fn strongly_connected(uses: &Uses) -> Vec<Vec<PathBuf>> {
    let mut next: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    for (from, to) in uses.keys() {
        next.entry(from).or_default().push(to);
    }
    let reached: BTreeMap<&Path, BTreeSet<&Path>> = next.keys().map(|from| (*from, reachable(from, &next))).collect();
    let reaches = |from: &Path, to: &Path| reached.get(from).is_some_and(|files| files.contains(to));
    let mut groups: Vec<Vec<PathBuf>> = Vec::new();
    for (file, others) in &reached {
        if groups.iter().flatten().any(|known| known == file) {
            continue;
        }
        let group: Vec<PathBuf> =
            others.iter().filter(|other| reaches(other, file)).map(|file| file.to_path_buf()).collect();
        if group.len() > 1 {
            groups.push(group);
        }
    }
    groups
}

fn reachable<'a>(from: &Path, next: &BTreeMap<&'a Path, Vec<&'a Path>>) -> BTreeSet<&'a Path> {
    let mut found = BTreeSet::new();
    let mut left: Vec<&Path> = next.get(from).cloned().unwrap_or_default();
    while let Some(file) = left.pop() {
        if found.insert(file) {
            left.extend(next.get(file).into_iter().flatten());
        }
    }
    found
}
