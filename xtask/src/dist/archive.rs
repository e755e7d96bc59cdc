//! The archive for any system: the program and all that belongs to it, in one folder.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use super::{PROGRAM, Release, file_name, list, read};

/// What `docs/operating.md` uses without containers.
const PACKAGING: [&str; 5] = [
    "packaging/ordersync.service",
    "packaging/nginx.conf",
    "packaging/nginx-nodes.conf",
    "packaging/prometheus-rules.yml",
    "packaging/grafana-dashboard.json",
];

/// A file of the archive, with its path below the archive's one folder.
struct Entry {
    path: String,
    mode: u32,
    content: Vec<u8>,
}

/// Writes `NAME.tar.gz`.
pub(super) fn make(release: &Release<'_>, licenses: &str) -> Result<(), String> {
    let path = release.packages.join(format!("{}.tar.gz", release.name()));
    let entries = entries(release, licenses)?;
    let compression = if release.options.fast { Compression::fast() } else { Compression::best() };
    let written = File::create(&path).and_then(|file| write(file, compression, &release.name(), entries, release.date));
    written.map_err(|why| format!("cannot write {}: {why}", path.display()))
}

fn entries(release: &Release<'_>, licenses: &str) -> Result<Vec<Entry>, String> {
    let mut entries = vec![
        Entry { path: PROGRAM.to_owned(), mode: 0o755, content: read(&release.program())? },
        text("THIRD-PARTY-LICENSES", licenses.into()),
    ];
    for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"].iter().chain(&PACKAGING) {
        entries.push(text(name, read(&release.root.join(name))?));
    }
    for (folder, inner) in [("man", page as fn(&str) -> String), ("completions", str::to_owned)] {
        for path in list(&release.root.join(folder))? {
            entries.push(text(&format!("{folder}/{}", inner(&file_name(&path))), read(&path)?));
        }
    }
    Ok(entries)
}

fn text(path: &str, content: Vec<u8>) -> Entry {
    Entry { path: path.to_owned(), mode: 0o644, content }
}

/// Where `man` looks for a page: `ordersync.1` is in `man1`.
fn page(name: &str) -> String {
    let section = Path::new(name).extension().unwrap_or_default().to_string_lossy();
    format!("man{section}/{name}")
}

fn write(
    out: impl Write,
    compression: Compression,
    folder: &str,
    mut entries: Vec<Entry>,
    date: u64,
) -> io::Result<()> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    // Without a name and a time of its own.
    let mut archive = Builder::new(GzEncoder::new(out, compression));
    for Entry { path, mode, content } in entries {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(content.len() as u64);
        header.set_mode(mode);
        header.set_mtime(date);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, format!("{folder}/{path}"), content.as_slice())?;
    }
    archive.into_inner()?.finish()?.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(names: &[&str]) -> Vec<u8> {
        let mut out = Vec::new();
        let entries = names.iter().map(|name| text(name, name.as_bytes().to_vec())).collect();
        write(&mut out, Compression::best(), "ordersync-1", entries, 1_000_000_000).unwrap();
        out
    }

    #[test]
    fn the_same_files_give_the_same_bytes_in_whatever_order_they_were_found() {
        assert_eq!(packed(&["b", "man/man1/a", "a"]), packed(&["a", "b", "man/man1/a"]));
    }

    #[test]
    fn all_files_are_roots_and_have_the_one_date() {
        let bytes = packed(&["z", "a"]);
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        let mut seen = Vec::new();
        for entry in archive.entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!((header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap()), (0, 0, 1_000_000_000));
            seen.push(entry.path().unwrap().to_string_lossy().into_owned());
        }
        assert_eq!(seen, ["ordersync-1/a", "ordersync-1/z"]);
    }

    #[test]
    fn a_page_is_where_man_looks_for_it() {
        assert_eq!(page("ordersync-orders-export.1"), "man1/ordersync-orders-export.1");
        assert_eq!(page("ordersync-config.5"), "man5/ordersync-config.5");
    }
}
