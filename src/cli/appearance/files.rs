//! Whether files changed: by what the system says of them, and where that is not enough by what is in them.

use std::{
    collections::BTreeMap,
    fs::File,
    hash::{DefaultHasher, Hasher as _},
    io::Read as _,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use crate::time::Wall;

/// Bytes of a file that are looked at: more than any of them may have.
const BYTES_MAX: u64 = 2 << 20;
/// How long after its last change a file is read again all the same: two changes can fall into one tick of
/// its clock.
const MTIME_SETTLE_MS: u64 = 3_000;

/// What was seen of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    modified: (i64, i64),
    bytes: u64,
    inode: u64,
    content: u64,
}

/// What was seen of several files. Those that are not there are not in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Files(BTreeMap<PathBuf, FileStamp>);

impl Files {
    /// Looks at these files; whether there are others than before, or something else in them.
    pub(super) fn look(&mut self, paths: impl Iterator<Item = PathBuf>, now: Wall) -> bool {
        let seen: BTreeMap<PathBuf, FileStamp> = paths
            .filter_map(|path| Some((self.stamp(&path, now)?, path)))
            .map(|(seen, path)| (path, seen))
            .collect();
        let contents = |files: &BTreeMap<PathBuf, FileStamp>| {
            files.iter().map(|(path, seen)| (path.clone(), seen.content)).collect::<Vec<_>>()
        };
        let changed = contents(&seen) != contents(&self.0);
        self.0 = seen;
        changed
    }

    fn stamp(&self, path: &Path, now: Wall) -> Option<FileStamp> {
        let meta = std::fs::metadata(path).ok()?;
        let (modified, bytes, inode) = ((meta.mtime(), meta.mtime_nsec()), meta.len(), meta.ino());
        let same = self
            .0
            .get(path)
            .filter(|known| (known.modified, known.bytes, known.inode) == (modified, bytes, inode));
        let modified_ms = u64::try_from(modified.0).unwrap_or(0).saturating_mul(1_000);
        let content = match same {
            Some(known) if now.0 > modified_ms.saturating_add(MTIME_SETTLE_MS) => known.content,
            _ if meta.is_file() => content(path),
            _ => 0,
        };
        Some(FileStamp { modified, bytes, inode, content })
    }
}

/// A number for what is in a file, the same for the same; one that cannot be read has one of its own.
fn content(path: &Path) -> u64 {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
    let mut hasher = DefaultHasher::new();
    hasher.write_u8(u8::from(read.is_ok()));
    hasher.write(&bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_another_content_is_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        let mut files = Files::default();
        // A clock that is long past every change: what the system says is enough.
        let mut look = |ms| files.look(std::iter::once(path.clone()), Wall(ms));
        let late = u64::MAX;
        assert!(!look(late), "it is not there");
        fs::write(&path, "a").unwrap();
        assert!(look(late));
        assert!(!look(late));
        fs::write(&path, "a").unwrap();
        assert!(!look(late), "the same was written again");
        // Within one tick and of one length: only what is in it tells.
        fs::write(&path, "b").unwrap();
        assert!(look(0));
        fs::remove_file(&path).unwrap();
        assert!(look(late));
        fs::create_dir(&path).unwrap();
        assert!(look(late), "a folder in its place");
        assert!(!look(late));
    }
}
