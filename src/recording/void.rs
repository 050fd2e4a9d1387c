//! Files that a recording began and wrote no entry to.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::reader::{RecordedItem, read};

/// A file that was made, and is removed unless it is kept.
#[derive(Debug)]
pub(super) struct Made(Option<PathBuf>);

impl Made {
    pub(super) fn at(path: &Path) -> Self {
        Self(Some(path.to_owned()))
    }

    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes the file of a recording that failed, if no entry can be read of it: it would only be in the way of
/// the next attempt. Whether it is gone.
pub(super) fn remove_void(path: &Path) -> bool {
    let has_entry =
        read(path).is_ok_and(|mut items| items.any(|item| matches!(item, Ok(RecordedItem::Entry(_)))));
    !has_entry && fs::remove_file(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Seq,
        limits,
        recording::{RecordingInfo, TimedFile},
        tap::{
            EntryRef,
            entry::{
                Entry, Link, Transition, What,
                station::{Level, Transition as T},
            },
        },
        time::Now,
    };

    #[test]
    fn a_file_that_was_made_stays_only_where_it_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        for is_kept in [true, false] {
            let path = folder.path().join(format!("{is_kept}.mcap"));
            fs::write(&path, "").unwrap();
            let made = Made::at(&path);
            if is_kept {
                made.keep();
            } else {
                drop(made);
            }
            assert_eq!(path.exists(), is_kept);
        }
    }

    #[test]
    fn what_has_no_entry_is_removed_and_what_has_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("nothing.mcap"), "").unwrap();
        let begin = |name: &str| {
            let info = RecordingInfo { host_version: "0.1.0".to_owned(), ..RecordingInfo::default() };
            TimedFile::begin(&path(name), &info, limits::Recording::default()).unwrap()
        };
        drop(begin("begun.mcap"));
        let mut file = begin("entry.mcap");
        let what = What::Transition(Transition::Station(T::Notice { level: Level::Info }));
        let at = Now::at_ms(1);
        let entry = Entry { seq: Seq(1), at, link: Link::Station, trace: None, cause: None, what };
        file.entry(EntryRef { entry: &entry, bytes: b"it happened" }, None).unwrap();
        file.finish().unwrap();
        for (name, is_removed) in [("nothing.mcap", true), ("begun.mcap", true), ("entry.mcap", false)] {
            assert_eq!(remove_void(&path(name)), is_removed, "{name}");
            assert_eq!(path(name).exists(), !is_removed, "{name}");
        }
    }
}
