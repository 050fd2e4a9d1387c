//! Files that are removed unless they come to something.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A file that was made, and is removed unless it is kept.
#[derive(Debug)]
pub(super) struct UnlinkOnDrop(Option<PathBuf>);

impl UnlinkOnDrop {
    pub(super) fn at(path: &Path) -> Self {
        Self(Some(path.to_owned()))
    }

    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for UnlinkOnDrop {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_made_stays_only_where_it_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        for is_kept in [true, false] {
            let path = folder.path().join(format!("{is_kept}.mcap"));
            fs::write(&path, "").unwrap();
            let made = UnlinkOnDrop::at(&path);
            if is_kept {
                made.keep();
            } else {
                drop(made);
            }
            assert_eq!(path.exists(), is_kept);
        }
    }
}
