//! Copying the folder of a plugin, until the host ends.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::{limits, private_files};

/// Bytes that are copied between two looks at whether the host ends.
const COPY_BYTES: u64 = 8_388_608;

/// Copies a folder: regular files, and links that stay inside.
///
/// # Errors
/// What cannot be copied, what is too much, and that the host is ending.
pub(super) fn stage(
    folder: &Path,
    staging: &Path,
    limits: &limits::Plugin,
    is_ending: &AtomicBool,
) -> io::Result<()> {
    if let Some(parent) = staging.parent() {
        private_files::make_folder(parent)?;
    }
    private_files::make_folder(staging)?;
    let (bytes, files) = (limits.install_bytes_max, limits.install_files_max);
    let mut copy = Copy { root: folder, bytes, files, is_ending };
    copy.folder(folder, staging)?;
    copy.go_on()
}

struct Copy<'a> {
    root: &'a Path,
    /// Bytes and files that may be copied yet.
    bytes: u64,
    files: u64,
    is_ending: &'a AtomicBool,
}

impl Copy<'_> {
    /// Whether the host still wants it.
    fn go_on(&self) -> io::Result<()> {
        let is_ending = self.is_ending.load(Ordering::Relaxed);
        if is_ending { Err(io::Error::other("the plugin host is ending")) } else { Ok(()) }
    }

    fn folder(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            self.go_on()?;
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            self.files = self.files.checked_sub(1).ok_or_else(|| {
                io::Error::other("it has more files than limits.plugin.install_files_max permits")
            })?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                fs::create_dir(&to)?;
                self.folder(&from, &to)?;
            } else if kind.is_symlink() {
                self.link(&from, &to)?;
            } else if kind.is_file() {
                self.file(&from, &to)?;
            } else {
                return Err(refused(&from, "is no file, folder or link"));
            }
        }
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let target = fs::read_link(from)?;
        let is_inside = fs::canonicalize(from).is_ok_and(|end| end.starts_with(self.root));
        if target.is_absolute() || !is_inside {
            return Err(refused(from, "is a link that leads out of the folder"));
        }
        std::os::unix::fs::symlink(target, to)
    }

    fn file(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let source = private_files::open_untrusted(from)?;
        let found = source.metadata()?;
        let too_much = || io::Error::other("it is larger than limits.plugin.install_bytes_max permits");
        let left = self.bytes.checked_sub(found.len()).ok_or_else(too_much)?;
        let mut copy = private_files::create_new(to)?;
        // This user's alone, executable where it was, and never setuid.
        if found.permissions().mode() & 0o111 != 0 {
            copy.set_permissions(fs::Permissions::from_mode(0o700))?;
        }
        // A file that grows meanwhile is not followed.
        let mut missing = found.len();
        while missing > 0 {
            self.go_on()?;
            match io::copy(&mut io::Read::take(&source, missing.min(COPY_BYTES)), &mut copy)? {
                0 => break,
                copied => missing -= copied,
            }
        }
        self.bytes = left + missing;
        Ok(())
    }
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::other(format!("{} {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_ends_stages_nothing_more() {
        let data = tempfile::tempdir().unwrap();
        let (folder, staging) = (data.path().join("from"), data.path().join("plugins/.staged-1-1"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a"), vec![b'x'; 10_000_000]).unwrap();
        let limits = limits::Plugin::default();
        let is_ending = AtomicBool::new(false);
        stage(&folder, &staging, &limits, &is_ending).unwrap();
        assert_eq!(fs::read(staging.join("a")).unwrap().len(), 10_000_000);
        fs::remove_dir_all(&staging).unwrap();
        is_ending.store(true, Ordering::Relaxed);
        assert!(stage(&folder, &staging, &limits, &is_ending).is_err());
        assert!(!staging.join("a").exists());
    }
}
