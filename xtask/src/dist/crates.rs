//! The crates that the program is made of, as Cargo knows them.
//!
//! `cargo tree` says which ones are linked: it resolves features and platforms as a build does. `cargo metadata` says
//! where they are, and what their manifests contain.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::process::{cargo, output};

/// The workspace and every package that it knows for the target.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) version: String,
    pub(super) has_repository: bool,
    pub(super) target_directory: PathBuf,
    pub(super) workspace_root: PathBuf,
    /// The folders of the workspace's own packages.
    pub(super) own_folders: Vec<PathBuf>,
    packages: BTreeMap<Key, Package>,
}

/// A crate, as its manifest describes it.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    pub(super) license_file: Option<PathBuf>,
    pub(super) authors: Vec<String>,
    pub(super) repository: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

impl Package {
    pub(super) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }
}

impl Project {
    pub(super) fn read(root: &Path, target: &str) -> Result<Self, String> {
        let mut command = cargo(root);
        command.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target]);
        Self::parse(&output(&mut command)?)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let read: Metadata = serde_json::from_str(text).map_err(|why| format!("cargo metadata: {why}"))?;
        let is_own = |package: &&Package| read.workspace_members.contains(&package.id);
        let own_folders = read.packages.iter().filter(is_own).map(|own| own.folder().to_owned()).collect();
        let program = read.packages.iter().filter(is_own).find(|package| package.name == "ordersync");
        let program = program.ok_or("cargo metadata names no package `ordersync`")?;
        Ok(Self {
            version: program.version.clone(),
            has_repository: program.repository.is_some(),
            own_folders,
            workspace_root: read.workspace_root,
            target_directory: read.target_directory,
            packages: read.packages.into_iter().map(|each| ((each.name.clone(), each.version.clone()), each)).collect(),
        })
    }
}

/// The crates of others that end up in the program, sorted: without those that only build or test it, and without
/// procedural macros, which only the compiler runs.
pub(super) fn linked<'p>(root: &Path, project: &'p Project, target: &str) -> Result<Vec<&'p Package>, String> {
    project.others(&tree(root, target, "normal,no-proc-macro")?)
}

/// Name and version of a crate.
pub(super) type Key = (String, String);

/// The crates that `cargo tree` follows these edges to from the program, which is one of them.
pub(super) fn tree(root: &Path, target: &str, edges: &str) -> Result<BTreeSet<Key>, String> {
    let mut command = cargo(root);
    command.args(["tree", "--locked", "--package", "ordersync", "--target", target, "--edges", edges]);
    keys(&output(command.args(["--prefix", "none", "--format", "{p}"]))?)
}

/// Lines such as `serde v1.0.0` or `ordersync-api v0.1.0 (/path/of/it)`; a crate listed before is repeated with `(*)`.
fn keys(tree: &str) -> Result<BTreeSet<Key>, String> {
    let key = |line: &str| {
        let (name, rest) = line.split_once(" v")?;
        Some((name.to_owned(), rest.split_whitespace().next()?.to_owned()))
    };
    let lines = tree.lines().filter(|line| !line.is_empty());
    lines.map(|line| key(line).ok_or_else(|| format!("cargo tree printed `{line}`, which is no crate"))).collect()
}

impl Project {
    /// What is known of crates, without those of the workspace.
    fn others(&self, keys: &BTreeSet<Key>) -> Result<Vec<&Package>, String> {
        let found = keys.iter().map(|key| {
            let (name, version) = key;
            self.packages.get(key).ok_or_else(|| format!("cargo metadata does not know the crate {name} {version}"))
        });
        let found: Result<Vec<&Package>, String> = found.collect();
        let is_own = |package: &&Package| self.own_folders.iter().any(|own| own == package.folder());
        Ok(found?.into_iter().filter(|package| !is_own(package)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(members: &[&str]) -> Project {
        let package = |name: &str| {
            let mine = if members.contains(&name) { "/work".to_owned() } else { "/registry".to_owned() };
            serde_json::json!({
                "id": name, "name": name, "version": "1.0.0", "license": null, "license_file": null, "authors": [],
                "repository": null, "manifest_path": format!("{mine}/{name}/Cargo.toml"),
            })
        };
        let packages: Vec<_> = ["ordersync", "xtask", "b", "a"].map(package).into();
        let text = serde_json::json!({
            "packages": packages, "workspace_members": members, "workspace_root": "/work", "target_directory": "/t",
        });
        Project::parse(&text.to_string()).unwrap()
    }

    #[test]
    fn linked_crates_are_sorted_and_named_once_and_without_our_own() {
        let project = project(&["ordersync", "xtask"]);
        let tree = "ordersync v1.0.0 (/work/ordersync)\nb v1.0.0\na v1.0.0\n\nb v1.0.0 (*)\n";
        let others = project.others(&keys(tree).unwrap()).unwrap();
        assert_eq!(others.iter().map(|each| each.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn a_crate_that_nobody_knows_is_an_error_and_not_left_out() {
        let project = project(&["ordersync"]);
        for tree in ["c v1.0.0\n", "a v2.0.0\n"] {
            assert!(project.others(&keys(tree).unwrap()).is_err(), "{tree}");
        }
        assert!(keys("a\n").is_err());
    }
}
