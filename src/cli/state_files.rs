//! Where the console's histories, drafts and layouts lie: apart for each data folder, so that two shows do
//! not get into each other's way.

use std::path::{Path, PathBuf};

use super::{
    config::{Key, Origin},
    context::Context,
};

/// The folder of the state folder in which those of data folders that are named lie.
const FOLDERS: &str = "folders";
/// Characters of a data folder's name that stand in that of its own.
const NAME_CHARS_MAX: usize = 40;

/// The files of one data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateFiles {
    own: PathBuf,
    /// Where all of them lay once, and where those of the unnamed folder still do.
    shared: PathBuf,
}

impl StateFiles {
    /// Those of the data folder in force; nothing where there is no home folder.
    pub(super) fn of(context: &Context) -> Option<Self> {
        let is_named = context.resolved.origin(Key::DATA).is_some_and(|origin| *origin != Origin::Default);
        let data = context.settings.data().ok().filter(|_| is_named);
        Some(Self::in_folder(context.env.state_dir.clone()?, data.as_deref()))
    }

    fn in_folder(shared: PathBuf, data: Option<&Path>) -> Self {
        let own = data.map_or_else(
            || shared.clone(),
            |data| {
                let name = data.file_name().unwrap_or_default().to_string_lossy();
                let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
                let name: String = name.chars().take(NAME_CHARS_MAX).map(plain).collect();
                let hash = crc32fast::hash(data.as_os_str().as_encoded_bytes());
                shared.join(FOLDERS).join(format!("{name}-{hash:08x}"))
            },
        );
        Self { own, shared }
    }

    /// Where a file is written.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.own.join(name)
    }

    /// Where a file is read: until there is one of this data folder, the one that was there before.
    pub(super) fn readable(&self, name: &str) -> PathBuf {
        let own = self.path(name);
        if own.exists() { own } else { self.shared.join(name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_data_folders_have_files_of_their_own_and_begin_with_those_of_before() {
        let state = tempfile::tempdir().unwrap();
        let of = |data: &str| StateFiles::in_folder(state.path().to_owned(), Some(Path::new(data)));
        let (friday, other) = (of("/shows/friday night"), of("/tests/friday night"));
        assert_ne!(friday.path("layout.toml"), other.path("layout.toml"));
        assert!(friday.path("layout.toml").to_string_lossy().contains("/folders/friday-night-"));
        let shared = StateFiles::in_folder(state.path().to_owned(), None).path("layout.toml");
        assert_eq!(shared, state.path().join("layout.toml"));
        assert_eq!(friday.readable("layout.toml"), shared);
        std::fs::create_dir_all(friday.path("")).unwrap();
        std::fs::write(friday.path("layout.toml"), "").unwrap();
        assert_eq!(friday.readable("layout.toml"), friday.path("layout.toml"));
        assert_eq!(other.readable("layout.toml"), shared);
    }
}
