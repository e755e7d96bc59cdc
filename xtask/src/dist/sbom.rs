//! The SBOM: every crate of the program, with its license and checksum, as CycloneDX JSON.

use std::fs;
use std::path::{Path, PathBuf};

use super::crates::Project;
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
    let text = String::from_utf8(made?).map_err(|_| "cargo cyclonedx did not write UTF-8".to_owned())?;
    write(&path, without_place(&text, &release.project.workspace_root))
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
    fn the_folder_of_the_build_is_not_in_it() {
        let text = r#"{"bom-ref": "path+file:///home/me/o#1.0.0", "ref": "path+file:///home/me/o/crates/api#a@1.0.0"}"#;
        let expected = r#"{"bom-ref": "path+file://.#1.0.0", "ref": "path+file://./crates/api#a@1.0.0"}"#;
        assert_eq!(without_place(text, Path::new("/home/me/o")), expected);
    }
}
