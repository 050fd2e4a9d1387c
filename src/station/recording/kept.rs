//! Which files of the recording that the station keeps by itself are deleted.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::always::NAME;
use crate::{recording, time::Wall};

/// Such files of one folder that are known at most.
const FILES_MAX: usize = 10_000;

/// A finished file that the station kept by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptFile {
    path: PathBuf,
    bytes: u64,
    /// When it was written to last.
    last: Wall,
}

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Bytes of all of them, with the file that is being written.
    pub(super) bytes_max: u64,
    /// How long after its last entry; for good where there is none.
    pub(super) age_max: Option<Duration>,
}

/// Deletes what is over the bounds, and the oldest of what is left where `frees_one`. While none is written,
/// the newest stays then: it is what there is of the time before the disk became low.
///
/// Only finished files that the station kept by itself are deleted: what an operator recorded is never.
pub(super) fn free(
    folder: &Path,
    present: Option<&Path>,
    bounds: Bounds,
    now: Wall,
    frees_one: bool,
) -> io::Result<()> {
    let written = present.map(|path| fs::metadata(path).map_or(0, |it| it.len()));
    let all = finished(folder, present)?;
    // Only what may go is looked into: by its name alone it may be anybody's.
    let is_always = |file: &KeptFile| recording::read(&file.path).is_ok_and(|reader| reader.info().is_always);
    let mut freed = Ok(());
    for file in to_delete(&all, written, bounds, now, frees_one, is_always) {
        // One that cannot go keeps none of the others.
        if let Err(error) = fs::remove_file(&file.path) {
            freed = Err(error);
            continue;
        }
        // What was marked in it goes with it.
        let _ = fs::remove_file(file.path.with_extension("marks.json"));
        tracing::info!("deleted {}: what is always recorded is over its bounds", file.path.display());
    }
    freed
}

/// Those that are over the bounds, the oldest first, and one at least where `frees_one`: of several only,
/// while none is `written`. What is not ours stays, and counts for nothing.
fn to_delete(
    all: &[KeptFile],
    written: Option<u64>,
    bounds: Bounds,
    now: Wall,
    frees_one: bool,
    is_ours: impl Fn(&KeptFile) -> bool,
) -> Vec<&KeptFile> {
    let mut bytes: u64 = written.unwrap_or(0) + all.iter().map(|file| file.bytes).sum::<u64>();
    let is_old = |file: &KeptFile| {
        bounds.age_max.is_some_and(|age| u128::from(now.0.saturating_sub(file.last.0)) > age.as_millis())
    };
    let mut gone = Vec::new();
    for (at, file) in all.iter().enumerate() {
        let is_over = bytes > bounds.bytes_max || is_old(file);
        let stays = written.is_none() && at + 1 == all.len();
        if !is_over && (!frees_one || stays || !gone.is_empty()) {
            break;
        }
        bytes -= file.bytes;
        if is_ours(file) {
            gone.push(file);
        }
    }
    gone
}

/// Whether the station names a file so: `2026-11-28_22-14-03-always.mcap`, and with a number where there are
/// several of one second or it goes on.
fn is_named(path: &Path) -> bool {
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { return false };
    let Some((_, behind)) = stem.rsplit_once(NAME) else { return false };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    path.extension().is_some_and(|it| it == "mcap")
        && (behind.is_empty() || behind.strip_prefix(['-', '.']).is_some_and(is_number))
}

/// The files of a folder that are named as those that the station keeps by itself, but for the one that it
/// writes now, the oldest first. One that was given another name is not among them.
fn finished(folder: &Path, present: Option<&Path>) -> io::Result<Vec<KeptFile>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if all.len() < FILES_MAX && is_named(&path) && Some(&*path) != present && entry.file_type()?.is_file()
        {
            let about = entry.metadata()?;
            let last = about.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            let last = Wall(u64::try_from(last.as_millis()).unwrap_or(u64::MAX));
            all.push(KeptFile { path, bytes: about.len(), last });
        }
    }
    all.sort_by(|one, other| (one.last, &one.path).cmp(&(other.last, &other.path)));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{RecordingInfo, test_files::TestFile};

    fn file(last: u64, bytes: u64) -> KeptFile {
        KeptFile { path: PathBuf::from(format!("{last}.mcap")), bytes, last: Wall(last) }
    }

    #[test]
    fn the_oldest_go_past_the_bytes_and_past_the_days() {
        let all = [file(1_000, 10), file(2_000, 20), file(3_000, 30)];
        let gone = |written, bytes_max, age_ms: Option<u64>, now, frees_one| {
            let bounds = Bounds { bytes_max, age_max: age_ms.map(Duration::from_millis) };
            to_delete(&all, Some(written), bounds, Wall(now), frees_one, |_| true).len()
        };
        assert_eq!(gone(40, 100, None, 9_000, false), 0);
        assert_eq!(gone(40, 100, None, 9_000, true), 1);
        assert_eq!(gone(41, 100, None, 9_000, false), 1);
        assert_eq!(gone(41, 100, None, 9_000, true), 1);
        assert_eq!(gone(0, 30, None, 9_000, false), 2);
        assert_eq!(gone(0, 0, None, 9_000, false), 3, "the one that is being written stays");
        assert_eq!(gone(0, 100, Some(5_000), 6_000, false), 0);
        assert_eq!(gone(0, 100, Some(5_000), 7_001, false), 2);
    }

    #[test]
    fn the_newest_is_not_given_for_room_while_none_is_written() {
        let all = [file(1_000, 10), file(2_000, 20)];
        let gone = |all: &[KeptFile], written, bytes_max| {
            let bounds = Bounds { bytes_max, age_max: None };
            to_delete(all, written, bounds, Wall(9_000), true, |_| true).len()
        };
        assert_eq!(gone(&all, None, 100), 1);
        assert_eq!(gone(&all[1..], None, 100), 0);
        assert_eq!(gone(&all[1..], Some(0), 100), 1, "what is written is newer");
        assert_eq!(gone(&all[1..], None, 19), 1, "over its bounds");
    }

    #[test]
    fn what_is_anothers_stays_counts_for_nothing_and_is_not_in_the_way() {
        let all = [file(1_000, 90), file(2_000, 20), file(3_000, 30)];
        let is_ours = |file: &KeptFile| file.last != Wall(1_000);
        let gone = |bytes_max, frees_one| {
            let bounds = Bounds { bytes_max, age_max: None };
            let gone = to_delete(&all, Some(0), bounds, Wall(9_000), frees_one, is_ours);
            gone.into_iter().map(|file| file.last.0).collect::<Vec<_>>()
        };
        assert_eq!(gone(50, false), [0_u64; 0]);
        assert_eq!(gone(50, true), [2_000]);
        assert_eq!(gone(49, false), [2_000]);
        assert_eq!(gone(0, false), [2_000, 3_000]);
    }

    #[test]
    fn a_file_is_ours_by_the_whole_form_of_its_name() {
        for (name, is_ours) in [
            ("2026-11-28_22-14-03-always.mcap", true),
            ("2026-11-28_22-14-03-always-2.mcap", true),
            ("2026-11-28_22-14-03-always.2.mcap", true),
            ("2026-11-28_22-14-03-always.marks.json", false),
            ("2026-11-28_22-14-03-always-cut.mcap", false),
            ("2026-11-28_22-14-03-clip.mcap", false),
        ] {
            assert_eq!(is_named(Path::new(name)), is_ours, "{name}");
        }
    }

    /// A file that the station kept by itself or not, which was written to last at this second.
    fn make(folder: &Path, name: &str, is_always: bool, last_s: u64) -> PathBuf {
        let path = folder.join(name);
        let info = RecordingInfo { host_version: "0.1.0".to_owned(), is_always, ..RecordingInfo::default() };
        TestFile::begin(&path, &info, 4_096).finish();
        let last = std::time::UNIX_EPOCH + Duration::from_secs(last_s);
        fs::File::options().append(true).open(&path).unwrap().set_modified(last).unwrap();
        path
    }

    #[test]
    fn where_there_is_no_room_the_oldest_goes_with_its_marks_and_what_is_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, is_always, last_s| make(folder.path(), name, is_always, last_s);
        let own = at("2026-01-01_00-00-00-always.mcap", false, 1);
        let oldest = at("2026-01-01_00-00-01-always.mcap", true, 2);
        let later = at("2026-01-01_00-00-02-always.mcap", true, 3);
        let written = at("2026-01-01_00-00-03-always.mcap", true, 4);
        let marks = oldest.with_extension("marks.json");
        fs::write(&marks, "[]").unwrap();
        let day = Duration::from_secs(86_400);
        let free = |age_max: Option<Duration>, now_s: u64, frees_one| {
            let bounds = Bounds { bytes_max: u64::MAX, age_max };
            super::free(folder.path(), Some(&written), bounds, Wall(now_s * 1_000), frees_one).unwrap();
            [&own, &oldest, &later, &written].map(|path| path.exists())
        };
        assert_eq!(free(None, 1_000, false), [true; 4]);
        assert_eq!(free(Some(day), 86_400, false), [true; 4], "the day is not over");
        assert_eq!(free(None, 1_000, true), [true, false, true, true]);
        assert!(!marks.exists());
        assert_eq!(free(Some(day), 86_500, false), [true, false, false, true]);
        assert_eq!(free(Some(day), 86_500, true), [true, false, false, true], "nothing is left to go");
    }
}
