//! Where the console's histories, drafts and layouts lie: apart for each data folder, so that two shows do
//! not get into each other's way.

use std::path::{Path, PathBuf};

use super::context::Context;

/// The folder of the state folder in which those of data folders that are named lie.
const FOLDERS: &str = "folders";
/// Characters of a data folder's name that stand in that of its own.
const NAME_CHARS_MAX: usize = 40;

/// What a data folder begins with where it has none of its own: how a screen is laid out is no matter of one
/// show.
const COMMON: &str = "layout.toml";

/// Is there while a station goes on whose console was left on air.
pub(super) const ON_AIR_FILE: &str = "on-air";

/// The files of one data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateFiles {
    own: PathBuf,
    /// Where those of the default folder lay once.
    shared: PathBuf,
    is_default: bool,
}

impl StateFiles {
    /// Those of the data folder in force; nothing where there is no home folder.
    pub(super) fn of(context: &Context) -> Option<Self> {
        let data = context.settings.data().ok()?;
        let is_default = context.env.data_dir.as_ref().is_some_and(|default| is_same(default, &data));
        Some(Self::in_folder(context.env.state_dir.clone()?, &data, is_default))
    }

    fn in_folder(shared: PathBuf, data: &Path, is_default: bool) -> Self {
        let name = data.file_name().unwrap_or_default().to_string_lossy();
        let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
        let name: String = name.chars().take(NAME_CHARS_MAX).map(plain).collect();
        let hash = crc32fast::hash(data.as_os_str().as_encoded_bytes());
        Self { own: shared.join(FOLDERS).join(format!("{name}-{hash:08x}")), shared, is_default }
    }

    /// Where a file is written.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.own.join(name)
    }

    /// Where a file is read: until there is one of this data folder, the one that was there before, but no
    /// drafts and histories of another show.
    pub(super) fn readable(&self, name: &str) -> PathBuf {
        let own = self.path(name);
        if own.exists() || !(self.is_default || name == COMMON) { own } else { self.shared.join(name) }
    }
}

/// Whether two names are of one folder.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_data_folders_have_files_of_their_own() {
        let state = tempfile::tempdir().unwrap();
        let of = |data: &str, is_default| {
            StateFiles::in_folder(state.path().to_owned(), Path::new(data), is_default)
        };
        let (friday, other) = (of("/shows/friday night", true), of("/tests/friday night", false));
        assert_ne!(friday.path("drafts"), other.path("drafts"));
        assert!(friday.path("drafts").to_string_lossy().contains("/folders/friday-night-"));
        let shared = |name: &str| state.path().join(name);
        assert_eq!(friday.readable("drafts"), shared("drafts"), "what lay there before");
        assert_eq!(other.readable("drafts"), other.path("drafts"), "the drafts of another show");
        assert_eq!(other.readable("layout.toml"), shared("layout.toml"));
        std::fs::create_dir_all(friday.path("")).unwrap();
        std::fs::write(friday.path("drafts"), "").unwrap();
        assert_eq!(friday.readable("drafts"), friday.path("drafts"));
    }
}
