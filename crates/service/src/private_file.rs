//! Files that hold keys of the service: read only if no user but the service's, and root, can read them.
//!
//! Of regular files, two kinds are accepted: a file that only its owner can read (mode 0600 or 0400), and a file that
//! an access control list (ACL) opens to the service's own user and to no other. systemd's `LoadCredential=` creates
//! the latter: owned by root, shown as mode 0440, and yet closed to the group. Other files, such as pipes, are not
//! checked, nor is anything on systems other than Unix.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use zeroize::Zeroizing;

/// More than any such file contains.
const MAX: u64 = 64 * 1024;

/// Why a key file is not used.
#[derive(Debug, thiserror::Error)]
pub enum PrivateFileError {
    /// It cannot be read.
    #[error("cannot read {path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// Others can read it.
    #[error("{path} can be read by others, so it is not used; make it private with: chmod 600 {path}")]
    Open {
        /// The file.
        path: String,
    },
}

/// Reads a key file.
/// Fails if it cannot be read, is too large or not text, or others can read it.
pub fn read(path: &Path) -> Result<Zeroizing<String>, PrivateFileError> {
    let failed = |error| PrivateFileError::Unreadable { path: path.display().to_string(), error };
    let file = File::open(path).map_err(failed)?;
    // Checks the open file, so that it cannot be replaced between the check and the reading.
    if !is_private(&file).map_err(failed)? {
        return Err(PrivateFileError::Open { path: path.display().to_string() });
    }
    let mut text = Zeroizing::new(String::new());
    let length = file.take(MAX + 1).read_to_string(&mut text).map_err(failed)?;
    if length as u64 > MAX {
        return Err(failed(std::io::Error::other(format!("it is larger than {MAX} bytes"))));
    }
    Ok(text)
}

fn is_private(file: &File) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = file.metadata()?;
    let others = metadata.mode() & 0o077;
    if !metadata.is_file() || others == 0 {
        return Ok(true);
    }
    // With an ACL, the group bits are its mask. All others must have no permissions, and only root may own the file.
    Ok(others & !0o040 == 0 && metadata.uid() == 0 && acl(file).is_some_and(|acl| opens_to_us_alone(&acl)))
}

#[cfg(target_os = "linux")]
fn acl(file: &File) -> Option<Vec<u8>> {
    let mut octets = vec![0; 1024];
    let length = rustix::fs::fgetxattr(file, "system.posix_acl_access", &mut octets[..]).ok()?;
    octets.truncate(length);
    Some(octets)
}

#[cfg(not(target_os = "linux"))]
fn acl(_: &File) -> Option<Vec<u8>> {
    None
}

/// An ACL as Linux stores it (`linux/posix_acl_xattr.h`): version 2, then entries of a tag, permissions and an id, all in
/// little endian.
fn opens_to_us_alone(acl: &[u8]) -> bool {
    const VERSION: [u8; 4] = 2_u32.to_le_bytes();
    const OWNER: u16 = 0x01;
    const USER: u16 = 0x02;
    const MASK: u16 = 0x10;

    let Some((VERSION, entries)) = acl.split_first_chunk::<4>().map(|(version, rest)| (*version, rest)) else {
        return false;
    };
    let (entries, rest) = entries.as_chunks::<8>();
    let us = rustix::process::geteuid().as_raw();
    rest.is_empty()
        && entries.iter().all(|&[tag, tag2, permissions, permissions2, a, b, c, d]| {
            match (u16::from_le_bytes([tag, tag2]), u16::from_le_bytes([permissions, permissions2])) {
                (OWNER | MASK, _) | (_, 0) => true,
                (USER, _) => u32::from_le_bytes([a, b, c, d]) == us,
                _ => false,
            }
        })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Entries of an ACL: tag, permissions, id.
    fn acl_of(entries: &[(u16, u16, u32)]) -> Vec<u8> {
        let mut octets = 2_u32.to_le_bytes().to_vec();
        for (tag, permissions, id) in entries {
            octets.extend(tag.to_le_bytes());
            octets.extend(permissions.to_le_bytes());
            octets.extend(id.to_le_bytes());
        }
        octets
    }

    const NONE: u32 = u32::MAX;

    #[test]
    fn an_acl_may_open_a_key_to_the_service_and_to_nobody_else() {
        let us = rustix::process::geteuid().as_raw();
        let (owner, group, mask, other) = ((1, 4, NONE), (4, 0, NONE), (16, 4, NONE), (32, 0, NONE));
        assert!(opens_to_us_alone(&acl_of(&[owner, (2, 4, us), group, mask, other])));
        for opened in [
            [owner, (2, 4, us + 1), group, mask, other],
            [owner, (2, 4, us), (4, 4, NONE), mask, other],
            [owner, (2, 4, us), (8, 4, 50), mask, other],
            [owner, (2, 4, us), group, mask, (32, 4, NONE)],
        ] {
            assert!(!opens_to_us_alone(&acl_of(&opened)), "{opened:?}");
        }
        for broken in [&[][..], &[1, 0, 0, 0], &[2, 0, 0, 0, 1]] {
            assert!(!opens_to_us_alone(broken), "{broken:?}");
        }
    }

    #[test]
    fn a_key_that_others_can_read_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "secret").unwrap();
        for (mode, accepted) in
            [(0o600, true), (0o400, true), (0o640, false), (0o440, false), (0o604, false), (0o644, false)]
        {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read(&path).is_ok(), accepted, "{mode:o}");
        }
        let refused = read(&path).unwrap_err().to_string();
        assert!(refused.contains(&format!("chmod 600 {}", path.display())), "{refused}");
        assert!(read(&folder.path().join("none")).is_err());
    }
}
