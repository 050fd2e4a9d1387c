//! Notices that the data folder, its database or its lock are not any more what a path leads to: moved,
//! replaced or removed while the station runs. What is written then would be found by nobody. A rehearsal
//! has writes refused as if that were so.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    private_files::identity,
    time::{Clock, Mono},
};

/// What says so, before the number of the rule.
const REFUSED_BY: &str = "writes are refused by rule ";

/// What to do where a rule of the gate has writes refused.
pub const REFUSED_REMEDY: &str = "`rl-console gate disarm` ends it; else it ends by itself";

/// Whether writes fail since a rule of the gate has them refused, and not by a disk.
#[must_use]
pub fn is_refused_by_rule(why: &str) -> bool {
    why.contains(REFUSED_BY)
}

/// What is looked for, and whether it was found.
#[derive(Debug)]
pub struct FolderWatch {
    data: PathBuf,
    /// The folder and its lock with the device and the inode of each: what makes the folder this station's.
    own: Vec<(PathBuf, (u64, u64))>,
    /// So that nobody takes a lock while all is there.
    is_lost: AtomicBool,
    /// Likewise while nothing is refused on purpose.
    is_refusing: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Paths with the device and the inode that they led to.
    kept: Vec<(PathBuf, (u64, u64))>,
    lost: Option<String>,
    refused: Option<Refusal>,
}

/// A fault of a rehearsal: nothing is written.
#[derive(Clone, Copy, Debug)]
struct Refusal {
    until: Mono,
    clock: Clock,
    /// The rule of the gate that does it.
    rule: u64,
}

impl FolderWatch {
    /// Looks for these from now on.
    pub(super) fn new(data: &Path, paths: &[&Path]) -> Self {
        let own = paths.iter().filter_map(|path| Some((path.to_path_buf(), identity(path)?))).collect();
        let state = Mutex::default();
        let (is_lost, is_refusing) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { data: data.to_owned(), own, is_lost, is_refusing, state }
    }

    /// Looks for these too, as they are now; nothing where there is nothing.
    pub(super) fn keep(&self, paths: impl IntoIterator<Item = impl AsRef<Path>>) {
        for path in paths {
            let (path, found) = (path.as_ref(), identity(path.as_ref()));
            let mut state = self.state();
            state.kept.retain(|(kept, _)| kept != path);
            state.kept.extend(found.map(|found| (path.to_owned(), found)));
        }
        self.look();
    }

    /// Looks for these no more: whoever had them open closes them.
    pub(super) fn forget(&self, paths: impl IntoIterator<Item = impl AsRef<Path>>) {
        for path in paths {
            self.state().kept.retain(|(kept, _)| kept != path.as_ref());
        }
        self.look();
    }

    /// Looks whether all is where it was. It may wait for the disk.
    ///
    /// What it finds holds until the next look: a folder that was put back is taken up again.
    pub fn look(&self) {
        let kept = self.state().kept.clone();
        let (own, of_kept) = (missing(&self.own), missing(&kept));
        let mut state = self.state();
        // One that was forgotten or opened anew meanwhile is not missed.
        let is_kept = |path: &&Path| state.kept.iter().any(|it| it.0 == **path && kept.contains(it));
        state.lost = own.or(of_kept.filter(is_kept)).map(|path| self.explain(path));
        self.is_lost.store(state.lost.is_some(), Ordering::Release);
    }

    /// Looks at this moment whether the path leads to this station's folder and lock, whatever became of
    /// the database: where it does not, another station may be at home there. It may wait for the disk.
    ///
    /// # Errors
    /// What is missing, and what to do; of kind `NotFound`.
    pub fn check(&self) -> io::Result<()> {
        missing(&self.own)
            .map_or(Ok(()), |path| Err(io::Error::new(io::ErrorKind::NotFound, self.explain(path))))
    }

    fn explain(&self, path: &Path) -> String {
        format!(
            "{} was moved, replaced or removed while the station is running, and further writes would be \
             lost: move it back, or stop the station (`rl-console stop --force`) and start it on the folder \
             that contains {}",
            path.display(),
            self.data.display()
        )
    }

    /// What the last look did not find, and what to do.
    #[must_use]
    pub fn lost(&self) -> Option<String> {
        if self.is_lost.load(Ordering::Acquire) { self.state().lost.clone() } else { None }
    }

    /// Has everything refused that is to be written until a moment, by a rule of the gate: the latest of all
    /// rules. A moment that is past ends what this rule does.
    pub(super) fn refuse(&self, clock: Clock, until: Mono, rule: u64) {
        let mut state = self.state();
        let longer = state.refused.filter(|held| held.rule != rule && held.until >= until);
        state.refused = longer.or(Some(Refusal { until, clock, rule }));
        self.is_refusing.store(true, Ordering::Release);
    }

    /// Why nothing is written now: what the last look did not find, or what a rule of the gate refuses.
    #[must_use]
    pub fn blocked(&self) -> Option<String> {
        self.lost().or_else(|| if self.is_refusing.load(Ordering::Acquire) { self.refused() } else { None })
    }

    fn refused(&self) -> Option<String> {
        let mut state = self.state();
        state.refused = state.refused.filter(|refused| refused.clock.now().mono < refused.until);
        self.is_refusing.store(state.refused.is_some(), Ordering::Release);
        state.refused.map(|refused| format!("{REFUSED_BY}{} of the gate (rehearsal)", refused.rule))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first of these that is not what its path leads to.
fn missing(paths: &[(PathBuf, (u64, u64))]) -> Option<&Path> {
    paths.iter().find(|(path, found)| identity(path) != Some(*found)).map(|(path, _)| path.as_path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved_replaced_or_removed_is_lost_until_it_is_back() {
        let folder = tempfile::tempdir().unwrap();
        let (data, away) = (folder.path().join("data"), folder.path().join("away"));
        let database = data.join("station.db");
        std::fs::create_dir(&data).unwrap();
        std::fs::write(&database, "x").unwrap();
        let watch = FolderWatch::new(&data, &[&data]);
        watch.keep([&database]);
        let lost = || {
            watch.look();
            watch.lost()
        };
        assert_eq!(lost(), None);
        std::fs::rename(&data, &away).unwrap();
        assert!(lost().unwrap().starts_with(&format!("{} was moved", data.display())));
        std::fs::create_dir(&data).unwrap();
        std::fs::write(&database, "x").unwrap();
        assert!(lost().is_some(), "another in its place is not it");
        std::fs::remove_dir_all(&data).unwrap();
        std::fs::rename(&away, &data).unwrap();
        assert_eq!(lost(), None);
        std::fs::write(data.join("new"), "y").unwrap();
        std::fs::rename(data.join("new"), &database).unwrap();
        assert!(lost().unwrap().starts_with(&database.display().to_string()));
        watch.keep([&database]);
        assert_eq!(watch.lost(), None, "what is opened anew is what is looked for");
        watch.forget([&database]);
        std::fs::remove_file(&database).unwrap();
        assert_eq!(lost(), None, "nobody has it open");
        watch.check().unwrap();
        std::fs::rename(&data, &away).unwrap();
        std::fs::create_dir(&data).unwrap();
        assert_eq!(watch.check().unwrap_err().kind(), io::ErrorKind::NotFound, "it is looked for at once");
    }

    #[test]
    fn what_a_rule_refuses_is_refused_until_its_time_is_up_or_the_rule_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let watch = FolderWatch::new(folder.path(), &[folder.path()]);
        let clock = Clock::start();
        assert_eq!(watch.blocked(), None);
        watch.refuse(clock, Mono(u64::MAX), 2);
        watch.refuse(clock, Mono(u64::MAX - 1), 3);
        let why = "writes are refused by rule 2 of the gate (rehearsal)";
        assert_eq!((watch.blocked().as_deref(), watch.lost()), (Some(why), None), "the latest of all");
        assert!(is_refused_by_rule(why) && !is_refused_by_rule("no room on its disk"));
        watch.refuse(clock, Mono(0), 3);
        assert_eq!(watch.blocked().as_deref(), Some(why), "another rule's end is not its end");
        watch.refuse(clock, Mono(0), 2);
        assert_eq!(watch.blocked(), None);
    }
}
