//! Files in a folder of their own, which goes with the test.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use rawzip::{CompressionMethod, ZipArchiveWriter};

pub(crate) struct Folder(pub(crate) tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn zip(&self, name: &str, members: &[(&str, &[u8])]) -> PathBuf {
        self.file(name, zip(members))
    }
}

/// A zip archive of members: their names and contents.
pub(crate) fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for (member, content) in members {
        let new = archive.new_file(member).compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = new.start().unwrap();
        let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
        let mut writer = config.wrap(encoder);
        writer.write_all(content).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap()
}
