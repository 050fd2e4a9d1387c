//! Which files of the recording that the station keeps by itself are deleted.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::always::NAME;
use crate::{recording, time::Wall};

/// Files that are looked at in one folder at most, the oldest first.
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

/// Deletes what is over the bounds, and the oldest of what is left where `frees_one`.
///
/// Only finished files that the station kept by itself are deleted: what an operator recorded is never.
pub(super) fn free(
    folder: &Path,
    present: Option<&Path>,
    bounds: Bounds,
    now: Wall,
    frees_one: bool,
) -> io::Result<()> {
    let written = present.and_then(|path| fs::metadata(path).ok()).map_or(0, |it| it.len());
    let all = finished(folder, present)?;
    let over = over(&all, written, bounds, now);
    let count = if frees_one { over.max(1) } else { over };
    for file in all.iter().take(count) {
        // Only what goes is looked into: by its name alone it may be anybody's.
        if !recording::read(&file.path).is_ok_and(|reader| reader.info().is_always) {
            continue;
        }
        fs::remove_file(&file.path)?;
        tracing::info!("deleted {}: what is always recorded is over its bounds", file.path.display());
    }
    Ok(())
}

/// How many of the oldest are over the bounds.
fn over(all: &[KeptFile], written: u64, bounds: Bounds, now: Wall) -> usize {
    let mut bytes: u64 = written + all.iter().map(|file| file.bytes).sum::<u64>();
    let is_old = |file: &KeptFile| {
        bounds.age_max.is_some_and(|age| u128::from(now.0.saturating_sub(file.last.0)) > age.as_millis())
    };
    let mut count = 0;
    for file in all {
        if bytes <= bounds.bytes_max && !is_old(file) {
            break;
        }
        bytes -= file.bytes;
        count += 1;
    }
    count
}

/// The files of a folder that are named as those that the station keeps by itself, but for the one that it
/// writes now, the oldest first. One that was given another name is not among them.
fn finished(folder: &Path, present: Option<&Path>) -> io::Result<Vec<KeptFile>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)?.take(FILES_MAX) {
        let entry = entry?;
        let path = entry.path();
        let is_named = path.file_name().is_some_and(|name| name.to_string_lossy().contains(NAME));
        if is_named && Some(&*path) != present && entry.file_type()?.is_file() {
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

    fn file(last: u64, bytes: u64) -> KeptFile {
        KeptFile { path: PathBuf::from(format!("{last}.mcap")), bytes, last: Wall(last) }
    }

    #[test]
    fn the_oldest_go_past_the_bytes_and_past_the_days() {
        let all = [file(1_000, 10), file(2_000, 20), file(3_000, 30)];
        let over = |written, bytes_max, age_ms: Option<u64>, now| {
            let bounds = Bounds { bytes_max, age_max: age_ms.map(Duration::from_millis) };
            over(&all, written, bounds, Wall(now))
        };
        assert_eq!(over(40, 100, None, 9_000), 0);
        assert_eq!(over(41, 100, None, 9_000), 1);
        assert_eq!(over(0, 30, None, 9_000), 2);
        assert_eq!(over(0, 0, None, 9_000), 3, "the one that is being written stays");
        assert_eq!(over(0, 100, Some(5_000), 6_000), 0);
        assert_eq!(over(0, 100, Some(5_000), 7_001), 2);
    }
}
