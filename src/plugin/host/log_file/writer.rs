//! Writing a plugin's log.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::Line;
use crate::{
    limits,
    plugin::{Level, LogSource},
    private_files,
    time::Wall,
    words::visible,
};

/// The log's newest file.
pub(super) const NAME: &str = "plugin.log";
/// Files of a log that there may be, whatever the limits are and were.
pub(super) const FILES_MAX: u64 = 100;
/// A plugin's log. One process writes it.
#[derive(Debug)]
pub struct LogFile {
    folder: PathBuf,
    limits: limits::Plugin,
    file: Option<File>,
}

impl LogFile {
    /// The log of a folder. Its file is opened, and made where it is missing, when something is written.
    #[must_use]
    pub fn new(log_dir: &Path, limits: &limits::Plugin) -> Self {
        Self { folder: log_dir.to_owned(), limits: *limits, file: None }
    }

    /// Writes a line.
    ///
    /// # Errors
    /// [`private_files::NotPrivate`] within an [`io::Error`] and what the system says; the line is lost then,
    /// and the next is tried again.
    pub fn write(&mut self, at: Wall, level: Level, source: LogSource, line: &Line) -> io::Result<()> {
        self.append(&formatted(at, level, source, line))
    }

    fn append(&mut self, line: &str) -> io::Result<()> {
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let found = self.file.as_ref().map(File::metadata).transpose()?;
        // The plugin can have removed it.
        if found.is_none_or(|found| found.nlink() == 0) {
            self.file = None;
        }
        let mut file = match self.file.take() {
            Some(file) => file,
            None => private_files::open_to_append(&self.folder.join(NAME))?,
        };
        let written = file.metadata()?.len();
        if written > 0 && written.saturating_add(length) > self.limits.log_file_bytes_max {
            self.rotate()?;
            file = private_files::open_to_append(&self.folder.join(NAME))?;
        }
        file.write_all(line.as_bytes())?;
        self.file = Some(file);
        Ok(())
    }

    /// Makes place for a new file.
    fn rotate(&self) -> io::Result<()> {
        let files_max = self.limits.log_files_max.min(FILES_MAX);
        let path = |nth: u64| self.folder.join(name(nth));
        for nth in (files_max.saturating_sub(1)..FILES_MAX).rev() {
            match fs::remove_file(path(nth)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        for nth in (0..files_max.saturating_sub(1)).rev() {
            match fs::rename(path(nth), path(nth + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The name of the nth file of a log, the newest being 0.
pub(super) fn name(nth: u64) -> String {
    if nth == 0 { NAME.to_owned() } else { format!("{NAME}.{nth}") }
}

/// A line as it is in the file, with its end.
#[must_use]
pub fn formatted(at: Wall, level: Level, source: LogSource, line: &Line) -> String {
    let stamp = i64::try_from(at.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let stamp = stamp.unwrap_or_default();
    let text = visible(&line.text, false);
    let (level, source) = (level.name(), source.name());
    match line.cut_bytes {
        0 => format!("{stamp:.3} {level} {source} {text}\n"),
        cut => format!("{stamp:.3} {level} {source} {text} [{cut} bytes cut]\n"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::time::Now;

    struct Fixture {
        folder: tempfile::TempDir,
        log: LogFile,
    }

    fn fixture(limits: &limits::Plugin) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile::new(folder.path(), limits);
        Fixture { folder, log }
    }

    impl Fixture {
        fn write(&mut self, at_ms: u64, text: &str) -> io::Result<()> {
            let line = Line { text: text.to_owned(), cut_bytes: 0 };
            self.log.write(Now::at_ms(at_ms).wall, Level::Info, LogSource::Stderr, &line)
        }

        fn read(&self, nth: u64) -> String {
            fs::read_to_string(self.folder.path().join(name(nth))).unwrap()
        }

        fn files(&self) -> usize {
            fs::read_dir(self.folder.path()).unwrap().count()
        }
    }

    #[test]
    fn a_line_has_its_time_level_source_and_a_text_that_is_safe_to_print() {
        let mut it = fixture(&limits::Plugin::default());
        let mut write = |ms, level, source, text: &str, cut_bytes| {
            let line = Line { text: text.to_owned(), cut_bytes };
            it.log.write(Now::at_ms(ms).wall, level, source, &line).unwrap();
        };
        write(1, Level::Info, LogSource::Stderr, "a\x1b[2Jb", 0);
        write(20, Level::Error, LogSource::Log, "two\nlines", 0);
        write(1_000, Level::Warning, LogSource::Host, "long", 7);
        assert_eq!(
            it.read(0),
            "2026-09-21T14:13:20.001Z info stderr a␛[2Jb\n\
             2026-09-21T14:13:20.020Z error log two␊lines\n\
             2026-09-21T14:13:21.000Z warning host long [7 bytes cut]\n"
        );
    }

    #[test]
    fn files_are_rotated_at_their_size_and_the_oldest_is_deleted() {
        let line = formatted(Now::at_ms(0).wall, Level::Info, LogSource::Stderr, &Line::default()).len() + 1;
        let bytes = u64::try_from(line).unwrap() * 2;
        let limits =
            limits::Plugin { log_file_bytes_max: bytes, log_files_max: 3, ..limits::Plugin::default() };
        let mut it = fixture(&limits);
        for nth in 0..9 {
            it.write(nth, &nth.to_string()).unwrap();
        }
        let last = |text: String| text.chars().filter(|it| *it == '\n').count();
        assert_eq!(it.files(), 3);
        assert_eq!((last(it.read(0)), last(it.read(1)), last(it.read(2))), (1, 2, 2));
        assert!(it.read(0).ends_with(" 8\n") && it.read(1).ends_with(" 7\n") && it.read(2).ends_with(" 5\n"));
        it.log.limits.log_files_max = 1;
        it.write(9, "9").unwrap();
        it.write(10, "a").unwrap();
        assert_eq!(it.files(), 1, "what a higher limit kept is gone");
        it.write(11, &"long".repeat(100)).unwrap();
        assert!(it.read(0).len() > line * 2, "a line over the size of a file is a file");
    }

    #[test]
    fn a_file_that_is_removed_is_made_again_and_a_link_is_not_followed() {
        let mut it = fixture(&limits::Plugin::default());
        it.write(1, "one").unwrap();
        fs::remove_file(it.folder.path().join(NAME)).unwrap();
        it.write(2, "two").unwrap();
        assert!(it.read(0).ends_with(" two\n") && it.read(0).lines().count() == 1);
        fs::remove_file(it.folder.path().join(NAME)).unwrap();
        let other = it.folder.path().join("other");
        fs::write(&other, "").unwrap();
        symlink(&other, it.folder.path().join(NAME)).unwrap();
        it.write(3, "three").unwrap_err();
        assert_eq!(fs::read_to_string(&other).unwrap(), "");
        fs::remove_file(it.folder.path().join(NAME)).unwrap();
        it.write(4, "four").unwrap();
    }

    #[test]
    fn what_was_written_before_is_kept() {
        let mut it = fixture(&limits::Plugin::default());
        it.write(1, "one").unwrap();
        it.log = LogFile::new(it.folder.path(), &limits::Plugin::default());
        it.write(2, "two").unwrap();
        assert_eq!(it.read(0).lines().count(), 2);
    }
}
