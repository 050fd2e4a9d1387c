//! What is a plugin's own on disk.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf, absolute},
};

use crate::{ids::PluginId, private_files};

/// The folders of a plugin, absolute (ruling Plugins 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// `<data>/plugins/<id>/data`: what it keeps.
    pub data_dir: PathBuf,
    /// `<data>/plugins/<id>/log`, where `plugin.log` lies.
    pub log_dir: PathBuf,
}

impl Folders {
    /// Where the folders of a plugin are, below the station's data folder.
    ///
    /// # Errors
    /// Where the current folder is not known and `data` is relative to it.
    pub fn of(data: &Path, plugin: &PluginId) -> io::Result<Self> {
        let own = absolute(data)?.join("plugins").join(plugin.to_string());
        Ok(Self { data_dir: own.join("data"), log_dir: own.join("log") })
    }

    /// Makes them where they are missing, for this user alone (0700).
    ///
    /// # Errors
    /// [`private_files::NotPrivate`] within an [`io::Error`], and what the system says.
    pub fn make(&self) -> io::Result<()> {
        for folder in [&self.data_dir, &self.log_dir] {
            private_files::make_folder(folder)?;
            fs::set_permissions(folder, Permissions::from_mode(0o700))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_absolute_and_of_this_user_alone() {
        let data = tempfile::tempdir().unwrap();
        let plugin = PluginId::from("community.example");
        let folders = Folders::of(data.path(), &plugin).unwrap();
        assert!(folders.data_dir.ends_with("plugins/community.example/data"));
        assert!(folders.log_dir.ends_with("plugins/community.example/log"));
        folders.make().unwrap();
        fs::set_permissions(&folders.data_dir, Permissions::from_mode(0o755)).unwrap();
        folders.make().unwrap();
        for folder in [&folders.data_dir, &folders.log_dir] {
            assert!(folder.is_absolute());
            assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
        assert!(Folders::of(Path::new("here"), &plugin).unwrap().data_dir.is_absolute());
    }
}
