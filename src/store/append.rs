//! Files that are appended to, `<name>-<n>.log` in the data folder: eight bytes that name the format, then
//! records. A file ends past a bound, and the next is begun.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::FolderWatch;
use crate::{admission::SpareDescriptors, private_files};

/// Descriptors that are held for the next file: others may take that of the last before it is opened.
const SPARES: usize = 2;

/// Where a file's bytes go; tests put a failing disk here.
pub trait Medium: Send {
    /// Writes some of the bytes at an offset; says how many.
    ///
    /// # Errors
    /// What the disk says.
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<usize>;

    /// Cuts what lies behind.
    ///
    /// # Errors
    /// What the disk says.
    fn set_len(&mut self, bytes: u64) -> io::Result<()>;
}

impl Medium for File {
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<usize> {
        FileExt::write_at(self, bytes, at)
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        File::set_len(self, bytes)
    }
}

/// Makes a file.
pub type FileFactory = Box<dyn FnMut(&Path) -> io::Result<Box<dyn Medium>> + Send + Sync>;

/// A file that takes nothing while its folder is taken away, or writes are refused on purpose.
struct WatchedFile {
    file: File,
    watch: Arc<FolderWatch>,
}

impl Medium for WatchedFile {
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<usize> {
        self.watch.blocked().map_or(Ok(()), |why| Err(io::Error::other(why)))?;
        FileExt::write_at(&self.file, bytes, at)
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        File::set_len(&self.file, bytes)
    }
}

/// Makes a file on disk that nobody else can read.
#[must_use]
pub fn on_disk() -> FileFactory {
    Box::new(|path| Ok(Box::new(create(path)?)))
}

/// Makes such a file as long as its folder is where it was, with descriptors in reserve.
#[must_use]
pub fn on_watched_disk(watch: Arc<FolderWatch>) -> FileFactory {
    let mut spares = SpareDescriptors::new(SPARES);
    Box::new(move |path| {
        watch.blocked().map_or(Ok(()), |why| Err(io::Error::other(why)))?;
        let file = spares.open(|| create(path))?;
        Ok(Box::new(WatchedFile { file, watch: Arc::clone(&watch) }))
    })
}

fn create(path: &Path) -> io::Result<File> {
    let file = private_files::open_or_create(path)?;
    file.set_len(0)?;
    Ok(file)
}

/// Which files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// What their names begin with.
    pub(super) name: &'static str,
    /// Their first bytes; the last of them is the format's version.
    pub(super) magic: [u8; 8],
}

impl Kind {
    /// The path of the file of a number.
    pub(super) fn path(self, data: &Path, number: u64) -> PathBuf {
        data.join(format!("{}-{number}.log", self.name))
    }

    /// The number of the file of a name, if it is one of these.
    pub(super) fn number(self, name: &str) -> Option<u64> {
        name.strip_prefix(self.name)?.strip_prefix('-')?.strip_suffix(".log")?.parse().ok()
    }
}

/// The one hand that appends to files of a kind.
pub(super) struct Appender {
    data: PathBuf,
    kind: Kind,
    make: FileFactory,
    file: Option<Box<dyn Medium>>,
    /// The present file's number.
    segment: u64,
    /// Where its last good record ends.
    good_end: u64,
    /// Bytes of a failed write may lie behind `good_end`.
    torn: bool,
    bytes_max: u64,
    grown: u64,
}

impl Appender {
    /// Begins with the file of a number that was never there.
    pub(super) fn new(data: &Path, kind: Kind, make: FileFactory, segment: u64, bytes_max: u64) -> Self {
        Self {
            data: data.to_owned(),
            kind,
            make,
            file: None,
            segment,
            good_end: 0,
            torn: false,
            bytes_max,
            grown: 0,
        }
    }

    /// The number of the file that was written last.
    pub(super) const fn segment(&self) -> u64 {
        self.segment
    }

    /// Whether the last write failed.
    pub(super) const fn is_torn(&self) -> bool {
        self.torn
    }

    /// Bytes that the files have grown by since this was asked last.
    pub(super) const fn take_grown(&mut self) -> u64 {
        std::mem::replace(&mut self.grown, 0)
    }

    /// Writes whole records behind those that are there, into one file.
    ///
    /// # Errors
    /// What the disk says; nothing of it is there then.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.try_append(bytes);
        self.torn = written.is_err();
        if self.torn
            && let Some(file) = &mut self.file
        {
            // Cut now so that a start finds no half record; when even that fails, the next write cuts before
            // it writes.
            let _ = file.set_len(self.good_end);
        }
        written
    }

    fn try_append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let len = bytes.len() as u64;
        let header = self.kind.magic.len() as u64;
        if self.torn
            && let Some(file) = &mut self.file
        {
            file.set_len(self.good_end)?;
        }
        if self.good_end > header && self.good_end.saturating_add(len) > self.bytes_max {
            self.segment += 1;
            self.good_end = 0;
            self.file = None;
        }
        if self.file.is_none() {
            let mut file = (self.make)(&self.kind.path(&self.data, self.segment))?;
            write_all_at(file.as_mut(), &self.kind.magic, 0)?;
            self.good_end = header;
            self.grown += header;
            self.file = Some(file);
        }
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        write_all_at(file.as_mut(), bytes, self.good_end)?;
        self.good_end = self.good_end.saturating_add(len);
        self.grown += len;
        Ok(())
    }
}

fn write_all_at(file: &mut dyn Medium, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write_at(bytes, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = bytes.get(written..).unwrap_or_default();
                at = at.saturating_add(written as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
