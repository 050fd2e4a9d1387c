//! Reading a plugin's log, a bounded page at a time.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::fs::MetadataExt as _,
    path::Path,
};

use super::writer::{FILES_MAX, name};
use crate::{private_files, words::visible};

/// A place between two lines of a log. It stays what it is while files are rotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The inode of the file.
    pub file: u64,
    /// Bytes before it in that file.
    pub offset: u64,
}

/// How much of a log is read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimits {
    /// Lines of a page.
    pub lines_max: usize,
    /// Bytes of files that are read for a page. A line that is longer comes in parts.
    pub bytes_max: u64,
}

/// Lines of a log that follow each other, safe to print.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The lines, the oldest first, as they are in the files.
    pub lines: Vec<String>,
    /// Where the first one begins: for [`before`]. None where there is no log.
    pub start: Option<Position>,
    /// Where the last one ends: for [`after`]. None where there is no log.
    pub end: Option<Position>,
    /// Whether there is more: before them, or, of [`after`], behind them.
    pub has_more: bool,
}

/// A file of a log.
struct Part {
    file: File,
    inode: u64,
    length: u64,
}

/// The last lines of a log.
///
/// # Errors
/// [`private_files::NotPrivate`] within an [`io::Error`] and what the system says; a log that is not there is
/// empty.
pub fn last(log_dir: &Path, limits: PageLimits) -> io::Result<Page> {
    backwards(&mut parts(log_dir)?, None, limits)
}

/// The lines before a position. Where its file is no longer there, there are none.
///
/// # Errors
/// As of [`last`].
pub fn before(log_dir: &Path, position: Position, limits: PageLimits) -> io::Result<Page> {
    let mut parts = parts(log_dir)?;
    let Some(at) = parts.iter().position(|part| part.inode == position.file) else {
        return Ok(Page::default());
    };
    backwards(&mut parts[at..], Some(position.offset), limits)
}

/// The lines behind a position, with their ends: what follows a log. They are of one file; with `has_more` it
/// is to be asked again, from the page's end. Without a position, and where its file is no longer there, they
/// begin with the oldest file; where it became shorter, with its first line.
///
/// # Errors
/// As of [`last`].
pub fn after(log_dir: &Path, position: Option<Position>, limits: PageLimits) -> io::Result<Page> {
    let mut parts = parts(log_dir)?;
    let at = parts.iter().position(|part| position.is_some_and(|position| part.inode == position.file));
    let offset = position.filter(|_| at.is_some()).map_or(0, |position| position.offset);
    let Some(at) = at.or(parts.len().checked_sub(1)) else { return Ok(Page::default()) };
    let newer = at.checked_sub(1).map(|at| Position { file: parts[at].inode, offset: 0 });
    let part = &mut parts[at];
    let mut at = Position { file: part.inode, offset: if offset > part.length { 0 } else { offset } };
    let bytes = part.read(at.offset, part.length.min(at.offset.saturating_add(limits.bytes_max)))?;
    let is_all = at.offset + length(&bytes) >= part.length;
    let mut page = Page { start: Some(at), ..Page::default() };
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        // The end of this one is still to come: to be read, or to be written. All that was to be read is one
        // part of it.
        let is_open = !line.ends_with(b"\n") && if is_all { newer.is_none() } else { !page.lines.is_empty() };
        if page.lines.len() >= limits.lines_max || is_open {
            page.has_more = !is_all || !is_open;
            page.end = Some(at);
            return Ok(page);
        }
        page.lines.push(shown(line));
        at.offset += length(line);
    }
    page.has_more = !is_all || newer.is_some();
    page.end = newer.filter(|_| is_all).or(Some(at));
    Ok(page)
}

/// The last lines of the files, the newest first, of which the first ends at `end`.
fn backwards(parts: &mut [Part], end: Option<u64>, limits: PageLimits) -> io::Result<Page> {
    let mut page = Page::default();
    let mut bytes_left = limits.bytes_max;
    for (nth, part) in parts.iter_mut().enumerate() {
        let until = end.filter(|_| nth == 0).unwrap_or(part.length).min(part.length);
        let start = until.saturating_sub(bytes_left);
        let bytes = part.read(start, until)?;
        bytes_left = bytes_left.saturating_sub(length(&bytes));
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let mut at = start + length(&bytes);
        // The newest line is whole when its end is there.
        if nth == 0
            && end.is_none()
            && let Some(line) = lines.pop_if(|line| !line.ends_with(b"\n"))
        {
            at -= length(line);
        }
        page.end.get_or_insert(Position { file: part.inode, offset: at });
        // The first one has lost its beginning; alone it is a part of a line.
        let first = usize::from(start > 0 && lines.len() > 1);
        while let Some(line) = lines.pop_if(|_| page.lines.len() < limits.lines_max)
            && lines.len() >= first
        {
            at -= length(line);
            page.lines.push(shown(line));
        }
        page.start = Some(Position { file: part.inode, offset: at });
        if at > 0 || bytes_left == 0 || page.lines.len() >= limits.lines_max {
            break;
        }
    }
    let oldest = parts.last().map(|part| Position { file: part.inode, offset: 0 });
    page.has_more = page.start.is_some() && page.start != oldest;
    page.lines.reverse();
    Ok(page)
}

impl Part {
    fn read(&mut self, start: u64, end: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(start))?;
        (&mut self.file).take(end.saturating_sub(start)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The files that are there, the newest first. Of the older ones, those that are not this user's alone are
/// left out.
fn parts(log_dir: &Path) -> io::Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for nth in 0..=FILES_MAX {
        let file = match private_files::open(&log_dir.join(name(nth))) {
            Ok(file) => file,
            Err(error) if nth == 0 && error.kind() != io::ErrorKind::NotFound => return Err(error),
            // Between two steps of a rotation there is no newest one.
            Err(_) if nth == 0 => continue,
            Err(_) => break,
        };
        let found = file.metadata()?;
        // A rotation meanwhile shows one twice.
        if parts.iter().all(|part| part.inode != found.ino()) {
            parts.push(Part { file, inode: found.ino(), length: found.len() });
        }
    }
    Ok(parts)
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// A line without its end, safe to print: the plugin may have written it.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
    visible(&text, false).into_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{super::writer::NAME, *};

    const ALL: PageLimits = PageLimits { lines_max: 1_000, bytes_max: 1_000_000 };

    fn write(folder: &Path, nth: u64, text: &str) {
        fs::write(folder.join(name(nth)), text).unwrap();
    }

    fn log(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (nth, text) in (0..).zip(files) {
            write(folder.path(), nth, text);
        }
        folder
    }

    #[test]
    fn pages_go_back_through_all_files() {
        let log = log(&["g\nh\ni\nhal", "d\ne\nf\n", "a\nb\nc"]);
        assert_eq!(last(log.path(), ALL).unwrap().lines.concat(), "abcdefghi");
        for lines_max in 1..10 {
            let limits = PageLimits { lines_max, ..ALL };
            let mut page = last(log.path(), limits).unwrap();
            let mut all = page.lines.concat();
            while page.has_more {
                assert_eq!(page.lines.len(), lines_max);
                page = before(log.path(), page.start.unwrap(), limits).unwrap();
                all = page.lines.concat() + &all;
            }
            assert_eq!(all, "abcdefghi", "{lines_max}");
        }
    }

    #[test]
    fn few_bytes_are_few_lines_and_a_long_line_comes_in_parts() {
        let log = log(&["one\ntwo\nthree\n", "zero\n"]);
        for bytes_max in 1..30 {
            let limits = PageLimits { bytes_max, ..ALL };
            let mut page = last(log.path(), limits).unwrap();
            let mut all = page.lines.concat();
            for _ in 0..100 {
                if !page.has_more {
                    break;
                }
                page = before(log.path(), page.start.unwrap(), limits).unwrap();
                all = page.lines.concat() + &all;
            }
            assert_eq!((all.as_str(), page.has_more), ("zeroonetwothree", false), "{bytes_max}");
            let mut position = None;
            all.clear();
            loop {
                let page = after(log.path(), position, limits).unwrap();
                all += &page.lines.concat();
                position = page.end;
                if !page.has_more {
                    break;
                }
            }
            assert_eq!(all, "zeroonetwothree", "{bytes_max} forwards");
        }
    }

    #[test]
    fn a_log_is_followed_through_its_rotation() {
        let log = log(&["a\nb\nha"]);
        let follow = |position: &mut Option<Position>| {
            let mut all = Vec::new();
            loop {
                let page = after(log.path(), *position, ALL).unwrap();
                all.extend(page.lines);
                *position = page.end;
                if !page.has_more {
                    return all;
                }
            }
        };
        let mut position = last(log.path(), PageLimits { lines_max: 1, ..ALL }).unwrap().end;
        assert_eq!(follow(&mut position), Vec::<String>::new());
        write(log.path(), 0, "a\nb\nhalf\n");
        assert_eq!(follow(&mut position), ["half"]);
        fs::rename(log.path().join(name(0)), log.path().join(name(1))).unwrap();
        assert_eq!(follow(&mut position), Vec::<String>::new(), "between two steps of a rotation");
        write(log.path(), 0, "c\n");
        assert_eq!(follow(&mut position), ["c"]);
        write(log.path(), 0, "");
        assert_eq!(follow(&mut position), Vec::<String>::new());
        write(log.path(), 0, "d\n");
        assert_eq!(follow(&mut position), ["d"], "a file that became shorter begins again");
        let gone = Position { file: 0, offset: 7 };
        assert_eq!(follow(&mut Some(gone)), ["a", "b", "half", "d"]);
        assert_eq!(before(log.path(), gone, ALL).unwrap(), Page::default());
    }

    #[test]
    fn no_log_is_empty_and_what_a_plugin_wrote_itself_is_safe_to_print() {
        let log = log(&[]);
        assert_eq!(last(log.path(), ALL).unwrap(), Page::default());
        assert_eq!(after(log.path(), None, ALL).unwrap(), Page::default());
        fs::write(log.path().join(NAME), b"a\x1b[2J\xff\n").unwrap();
        assert_eq!(last(log.path(), ALL).unwrap().lines, ["a␛[2J\u{fffd}"]);
        fs::remove_file(log.path().join(NAME)).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", log.path().join(NAME)).unwrap();
        last(log.path(), ALL).unwrap_err();
    }
}
