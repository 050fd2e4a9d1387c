//! A folder of this process alone, which goes with it.

use std::{
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use crate::cli::error::Error;

/// A folder that only this user reads; it is removed with all that is in it when this is dropped.
#[derive(Debug)]
pub(super) struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Makes one in the folder of temporary files.
    ///
    /// # Errors
    /// What the system says; also where one of the name is there already.
    pub(super) fn make(temp_dir: &Path) -> Result<Self, Error> {
        // Short: a socket's path is.
        let name = format!("rl-console-{}", &uuid::Uuid::new_v4().simple().to_string()[..12]);
        let path =
            std::path::absolute(temp_dir.join(name)).map_err(Error::io(temp_dir.display().to_string()))?;
        DirBuilder::new().mode(0o700).create(&path).map_err(Error::io(path.display().to_string()))?;
        Ok(Self(path))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!("cannot remove {}: {error}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn it_is_for_its_owner_alone_and_leaves_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::make(temp.path()).unwrap();
        fs::write(folder.path().join("file"), "x").unwrap();
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
        drop(folder);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }
}
