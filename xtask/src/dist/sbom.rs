//! The SBOM: every crate that the program is built of, with its license and checksum, as CycloneDX JSON.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::crates::{Key, Project, tree};
use super::process::{cargo, run};
use super::{Release, date, file_name, list, read, write};

/// What cargo-cyclonedx appends to the name of a program.
const SUFFIX: &str = "_bin.cdx.json";

/// Writes `NAME.cdx.json`. Crates that only took part in the build are in it, too, marked as `excluded`.
pub(super) fn make(release: &Release<'_>) -> Result<(), String> {
    let path = release.packages.join(format!("{}.cdx.json", release.name()));
    let mut command = cargo(release.root);
    command.args(["cyclonedx", "--quiet", "--format", "json", "--spec-version", "1.5", "--describe", "binaries"]);
    command.args(["--target", &release.target]).env(date::VARIABLE, release.date.to_string());
    let made = run(&mut command).and_then(|()| read(&release.root.join(format!("ordersync{SUFFIX}"))));
    // It writes one beside every Cargo.toml of the workspace.
    for file in left_over(&release.project)? {
        fs::remove_file(&file).map_err(|why| format!("cannot remove {}: {why}", file.display()))?;
    }
    let not_json = |why| format!("cargo cyclonedx did not write JSON: {why}");
    let mut sbom: Value = serde_json::from_slice(&made?).map_err(not_json)?;
    keep(&mut sbom, &tree(release.root, &release.target, "normal,build")?);
    let text = serde_json::to_string_pretty(&sbom).map_err(|why| why.to_string())?;
    write(&path, without_place(&text, &release.project.workspace_root) + "\n")
}

/// Leaves out what Cargo does not build: cargo-cyclonedx also lists crates that only features of the tests, or features that
/// nobody turns on, depend on.
fn keep(sbom: &mut Value, built: &BTreeSet<Key>) {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let mut references = HashSet::from([text(&sbom["metadata"]["component"], "bom-ref")]);
    if let Some(components) = sbom.get_mut("components").and_then(Value::as_array_mut) {
        components.retain(|each| built.contains(&(text(each, "name"), text(each, "version"))));
        references.extend(components.iter().map(|each| text(each, "bom-ref")));
    }
    let Some(dependencies) = sbom.get_mut("dependencies").and_then(Value::as_array_mut) else { return };
    dependencies.retain(|each| references.contains(&text(each, "ref")));
    for each in dependencies {
        if let Some(needed) = each.get_mut("dependsOn").and_then(Value::as_array_mut) {
            needed.retain(|each| each.as_str().is_some_and(|reference| references.contains(reference)));
        }
    }
}

fn left_over(project: &Project) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for folder in &project.own_folders {
        files.extend(list(folder)?.into_iter().filter(|path| file_name(path).ends_with(SUFFIX)));
    }
    Ok(files)
}

/// Where the source was while this was made is nobody's business, and would make each SBOM another.
fn without_place(text: &str, root: &Path) -> String {
    text.replace(&format!("path+file://{}", root.display()), "path+file://.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_built_is_left_out_with_all_that_refers_to_it() {
        let component = |name: &str| serde_json::json!({"bom-ref": name, "name": name, "version": "1.0.0"});
        let mut sbom = serde_json::json!({
            "metadata": {"component": component("program")},
            "components": [component("used"), component("unused")],
            "dependencies": [
                {"ref": "program", "dependsOn": ["used", "unused"]}, {"ref": "used"}, {"ref": "unused", "dependsOn": ["used"]},
            ],
        });
        keep(&mut sbom, &BTreeSet::from([("used".to_owned(), "1.0.0".to_owned())]));
        assert_eq!(sbom["components"], serde_json::json!([component("used")]));
        let expected = serde_json::json!([{"ref": "program", "dependsOn": ["used"]}, {"ref": "used"}]);
        assert_eq!(sbom["dependencies"], expected);
    }

    #[test]
    fn the_folder_of_the_build_is_not_in_it() {
        let text = r#"{"bom-ref": "path+file:///home/me/o#1.0.0", "ref": "path+file:///home/me/o/crates/api#a@1.0.0"}"#;
        let expected = r#"{"bom-ref": "path+file://.#1.0.0", "ref": "path+file://./crates/api#a@1.0.0"}"#;
        assert_eq!(without_place(text, Path::new("/home/me/o")), expected);
    }
}
