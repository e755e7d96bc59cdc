//! The files that are read: those that are named, those in folders, and the members of zip archives. Only regular files are
//! opened, no link below a folder is followed, and a member of an archive is unpacked within bounds to a file without a name.

use std::fs::{self, File, Metadata};
use std::io::{Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipArchive, ZipEntry};

use crate::finding::{Finding, FindingCode, Findings, Refused};
use crate::section::Section;
use crate::table::unreadable;

/// The start of a file that says what it is, in bytes.
pub(crate) const START: usize = 1 << 16;
const MAX_FILES: usize = 1 << 20;
const MAX_DEPTH: usize = 32;
/// All members of an archive, unpacked, in bytes.
const MAX_UNPACKED: u64 = 4 << 30;
/// One member.
const MAX_MEMBER: u64 = 2 << 30;
/// A member that unpacks to more than this has to be larger than a part of it: tables compress to a fiftieth at most.
const SMALL: u64 = 16 << 20;
const MAX_RATIO: u64 = 250;

/// A file to be read.
#[derive(Debug)]
pub(crate) struct Input {
    /// As given; below a folder or in an archive, with the path there.
    pub(crate) shown: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    File { path: PathBuf, length: u64, changed: Option<SystemTime> },
    Unpacked(Section),
}

impl Input {
    /// The name that it gives to its shop: its own, without its ending, and without the number that a browser adds to a second
    /// download of one file.
    pub(crate) fn shop(&self) -> String {
        let stem =
            Path::new(&self.shown).file_stem().map_or_else(|| self.shown.clone(), |stem| stem.to_string_lossy().into());
        let mut shop = stem.trim();
        while let Some(rest) = without_copy(shop) {
            shop = rest;
        }
        shop.to_owned()
    }

    /// Opens it, at its beginning.
    /// Fails if it cannot be read, or was changed since it was opened first.
    pub(crate) fn open(&self) -> Result<Section, Refused> {
        let fault = |why| unreadable(&self.shown, &why);
        match &self.content {
            Content::File { path, length, .. } => {
                let file = File::open(path).map_err(fault)?;
                self.is_as(&file.metadata().map_err(fault)?)?;
                Ok(Section::new(Arc::new(file), 0, *length))
            }
            Content::Unpacked(section) => Ok(section.clone()),
        }
    }

    /// Fails if the file at its path was changed or replaced since it was opened first.
    pub(crate) fn unchanged(&self) -> Result<(), Refused> {
        match &self.content {
            Content::File { path, .. } => self.is_as(&fs::metadata(path).map_err(|why| unreadable(&self.shown, &why))?),
            Content::Unpacked(_) => Ok(()),
        }
    }

    fn is_as(&self, now: &Metadata) -> Result<(), Refused> {
        let Content::File { length, changed, .. } = &self.content else { return Ok(()) };
        if now.is_file() && now.len() == *length && now.modified().ok() == *changed {
            return Ok(());
        }
        let message = "The file was changed while it was read. Import it again.";
        Err(Finding::new(FindingCode::FileChanged, &self.shown, message).into())
    }

    /// Whether it is the file at this path.
    pub(crate) fn is(&self, path: &Path) -> bool {
        let Content::File { path: own, .. } = &self.content else { return false };
        own.canonicalize().ok().zip(path.canonicalize().ok()).is_some_and(|(own, path)| own == path)
    }

    pub(crate) fn length(&self) -> u64 {
        match &self.content {
            Content::File { length, .. } => *length,
            Content::Unpacked(section) => section.length(),
        }
    }

    /// Its first bytes.
    pub(crate) fn start(&self) -> Result<Vec<u8>, Refused> {
        let mut start = Vec::new();
        self.open()?.take(START as u64).read_to_end(&mut start).map_err(|why| unreadable(&self.shown, &why))?;
        Ok(start)
    }
}

/// The name of a file without ` (1)` or `(1)` at its end. A number of more digits may be a year.
fn without_copy(name: &str) -> Option<&str> {
    let (rest, number) = name.strip_suffix(')')?.rsplit_once('(')?;
    let is_copy = matches!(number.as_bytes(), [b'1'..=b'9'] | [b'1'..=b'9', b'0'..=b'9']);
    Some(rest.trim_end()).filter(|rest| is_copy && !rest.is_empty())
}

/// Whether a file that begins so may be a table or JSON: no picture, no document, and not only zeros.
pub(crate) fn is_text(start: &[u8]) -> bool {
    !start.is_empty() && !start.contains(&0) && !is_pdf(start) && !is_utf_16(start)
}

/// Recognises UTF-16: by its mark, or by the zeros between the bytes of Latin letters.
fn is_utf_16(start: &[u8]) -> bool {
    let zeros = |from: usize| start.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let (fewer, more) = (even.min(odd), even.max(odd));
    let has_mark = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    has_mark || fewer == 0 && more > start.len() / 4
}

fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}

/// Recognises workbooks and other office documents, which are zip archives, too.
fn is_office(start: &[u8]) -> bool {
    let begin = &start[..start.len().min(1 << 10)];
    [&b"[Content_Types].xml"[..], b"mimetype"].iter().any(|name| begin.windows(name.len()).any(|part| part == *name))
}

pub(crate) fn is_pdf(start: &[u8]) -> bool {
    start.starts_with(b"%PDF")
}

/// All files that the paths lead to, in a fixed order. `with_pdf`: whether those of archives are wanted, too.
pub(crate) fn collect(paths: &[PathBuf], with_pdf: bool, findings: &mut Findings) -> Result<Vec<Input>, Refused> {
    let mut inputs = Inputs { all: Vec::new(), with_pdf };
    for path in paths {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let about = fs::metadata(path).map_err(|why| unreadable(&path.display().to_string(), &why))?;
        if about.is_dir() {
            folder(path, "", 0, &mut inputs, findings)?;
        } else if about.is_file() {
            file(path, name, &about, &mut inputs, findings)?;
        } else {
            let message = "This is no regular file. Name a file, a folder or a zip archive.";
            return Err(Finding::new(FindingCode::FileUnreadable, &name, message).into());
        }
    }
    Ok(inputs.all)
}

/// The files that were found.
struct Inputs {
    all: Vec<Input>,
    with_pdf: bool,
}

fn folder(path: &Path, shown: &str, depth: usize, inputs: &mut Inputs, findings: &mut Findings) -> Result<(), Refused> {
    let fault = |why| unreadable(&path.display().to_string(), &why);
    let mut entries = fs::read_dir(path).map_err(fault)?.collect::<Result<Vec<_>, _>>().map_err(fault)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    // What is in `tmp` of a Maildir was not delivered as a whole.
    let has = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
    if has("cur") && has("new") {
        entries.retain(|entry| entry.file_name() != "tmp");
    }
    for entry in entries {
        let name = format!("{shown}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(fault)?;
        if inputs.all.len() >= MAX_FILES || depth >= MAX_DEPTH {
            let message =
                format!("The folder has more than {MAX_FILES} files or {MAX_DEPTH} levels: name a part of it.");
            return Err(Finding::new(FindingCode::TooLarge, &name, message).into());
        }
        if kind.is_dir() {
            folder(&entry.path(), &format!("{name}/"), depth + 1, inputs, findings)?;
        } else if kind.is_file() {
            file(&entry.path(), name, &entry.metadata().map_err(fault)?, inputs, findings)?;
        } else {
            findings.add(Finding::new(
                FindingCode::UnsafePath,
                &name,
                "This is a link or no regular file, and was left out. Name the file itself to import it.",
            ));
        }
    }
    Ok(())
}

fn file(
    path: &Path,
    shown: String,
    about: &Metadata,
    inputs: &mut Inputs,
    findings: &mut Findings,
) -> Result<(), Refused> {
    let content = Content::File { path: path.to_owned(), length: about.len(), changed: about.modified().ok() };
    let input = Input { shown, content };
    let start = input.start()?;
    if is_zip(&start) {
        let disk = |why| unreadable(&input.shown, &why);
        let unpacked = Arc::new(tempfile::tempfile().map_err(disk)?);
        let file = File::open(path).map_err(disk)?;
        return Archive { shown: &input.shown, unpacked, length: 0 }.unpack(file, inputs, findings);
    }
    inputs.all.push(input);
    Ok(())
}

/// A zip archive that is being unpacked.
struct Archive<'a> {
    shown: &'a str,
    /// All members, one after the other: a file that nobody else can open and that is gone at the end.
    unpacked: Arc<File>,
    length: u64,
}

/// A member that was unpacked, or the reason why it was not.
enum Member {
    Unpacked(Section),
    LeftOut(Finding),
}

impl Archive<'_> {
    fn unpack(&mut self, file: File, inputs: &mut Inputs, findings: &mut Findings) -> Result<(), Refused> {
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let archive = ZipArchive::from_file(file, &mut buffer).map_err(|why| self.damaged(&why.to_string()))?;
        let mut entries = archive.entries(&mut buffer);
        loop {
            let entry = match entries.next_entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => return Ok(()),
                Err(why) => return Err(self.damaged(&why.to_string())),
            };
            let path = entry.file_path();
            let name = String::from_utf8_lossy(path.as_ref()).replace(char::is_control, "\u{fffd}");
            let shown = format!("{}/{name}", self.shown);
            if entry.is_dir() || name.ends_with('/') {
                continue;
            }
            if name.contains('\\') || !Path::new(&name).components().all(|part| matches!(part, Component::Normal(_))) {
                let message = "The archive has a path that leads out of it. Get it again from where it comes from.";
                return Err(Finding::new(FindingCode::UnsafePath, &shown, message).into());
            }
            if entry.flags().is_encrypted() {
                let message = "The archive is encrypted. Unpack it with its password, and import the folder.";
                return Err(Finding::new(FindingCode::ZipInvalid, &shown, message).into());
            }
            if inputs.all.len() >= MAX_FILES {
                return Err(self.too_large(&shown));
            }
            let (method, packed) = (entry.compression_method(), entry.compressed_size_hint());
            let member = archive.get_entry(entry.wayfinder()).map_err(|why| self.damaged(&why.to_string()))?;
            match self.member(&member, &shown, (method, packed), inputs.with_pdf)? {
                Member::Unpacked(section) => inputs.all.push(Input { shown, content: Content::Unpacked(section) }),
                Member::LeftOut(finding) => findings.add(finding),
            }
        }
    }

    /// A member, unpacked, unless it is neither text nor a PDF that is wanted.
    fn member<R: ReaderAt>(
        &mut self,
        member: &ZipEntry<'_, R>,
        shown: &str,
        (method, packed): (CompressionMethod, u64),
        with_pdf: bool,
    ) -> Result<Member, Refused> {
        let reader: Box<dyn std::io::Read + '_> = match method {
            CompressionMethod::STORE => Box::new(member.reader()),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(member.reader())),
            _ => return Err(self.damaged("a member is compressed in a way that is not supported")),
        };
        let mut reader = member.verifying_reader(reader);
        let disk = |why: std::io::Error| unreadable(shown, &why);
        let (mut chunk, mut length, start) = (vec![0; START], 0_u64, self.length);
        loop {
            let mut filled = 0;
            // A decompressor gives what it has: the first chunk has to be whole, as that of a file.
            while filled < chunk.len() {
                match reader.read(&mut chunk[filled..]) {
                    Ok(0) => break,
                    Ok(count) => filled += count,
                    Err(why) => return Err(self.damaged(&why.to_string())),
                }
            }
            if length == 0 && !is_text(&chunk[..filled]) && !(with_pdf && is_pdf(&chunk[..filled])) {
                return Ok(Member::LeftOut(match is_zip(&chunk[..filled]) && !is_office(&chunk[..filled]) {
                    true => archive_not_read(shown, "an archive within an archive"),
                    false => not_text(shown, &chunk[..filled]),
                }));
            }
            if filled == 0 {
                return Ok(Member::Unpacked(Section::new(Arc::clone(&self.unpacked), start, length)));
            }
            length += filled as u64;
            self.length += filled as u64;
            let is_bomb = length > SMALL && length / MAX_RATIO > packed;
            if length > MAX_MEMBER || self.length > MAX_UNPACKED || is_bomb {
                return Err(self.too_large(shown));
            }
            (&*self.unpacked).write_all(&chunk[..filled]).map_err(disk)?;
        }
    }

    fn too_large(&self, shown: &str) -> Refused {
        let message =
            "The archive unpacks to more than the import reads. If you trust it, unpack it, and import the folder.";
        Finding::new(FindingCode::TooLarge, shown, message).into()
    }

    fn damaged(&self, why: &str) -> Refused {
        let message =
            format!("The zip archive cannot be read: {why}. Download it again, or import the unpacked folder.");
        Finding::new(FindingCode::ZipInvalid, self.shown, message).into()
    }
}

/// The reason why a file that begins so, and is not text, was left out.
pub(crate) fn not_text(shown: &str, start: &[u8]) -> Finding {
    if start.is_empty() {
        return Finding::new(FindingCode::FileEmpty, shown, "The file is empty.");
    }
    if start.starts_with(b"\x1f\x8b") {
        return archive_not_read(shown, "an archive of another kind than zip");
    }
    if is_utf_16(start) {
        let message = "The file is UTF-16, and was left out. Save it as UTF-8, and import it again.";
        return Finding::new(FindingCode::EncodingUnknown, shown, message);
    }
    not_recognised(shown)
}

fn archive_not_read(shown: &str, kind: &str) -> Finding {
    let message = format!("The file is {kind}, and was left out. Unpack it, and import its files.");
    Finding::new(FindingCode::ArchiveNotRead, shown, message)
}

/// A file in no known format.
pub(crate) fn not_recognised(shown: &str) -> Finding {
    let is_pdf = shown.get(shown.len().saturating_sub(4)..).is_some_and(|end| end.eq_ignore_ascii_case(".pdf"));
    let message = match is_pdf {
        true => "What a PDF says is not read: it was left out. --keep-documents keeps it with its order.",
        false => "The file is in no known format, and was left out.",
    };
    Finding::new(FindingCode::FileNotRecognised, shown, message)
}
