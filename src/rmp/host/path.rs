//! Where the socket is bound (rmp-v0 §12; ruling RMP 15): a path within the platform's limit, in a folder that is ours alone, never in the
//! place of a socket that somebody answers on.

use std::{
    fs, io,
    os::unix::{
        fs::{DirBuilderExt, FileTypeExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

/// Bytes of a socket's name that every platform takes, its end included: 108 on Linux, 104 on macOS.
const NAME_BYTES_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Why the socket is not bound.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// The platform takes no name so long.
    #[error("{} has {bytes} bytes, and a socket's name has {NAME_BYTES_MAX} at most: choose a shorter one with --socket", .path.display())]
    TooLong {
        /// The path.
        path: PathBuf,
        /// Its length.
        bytes: usize,
    },
    /// Somebody answers there.
    #[error("{} is taken: another program answers on it. Stop that one, or choose another path with --socket", .0.display())]
    Taken(PathBuf),
    /// Something else than a socket is there; it is never deleted.
    #[error("{} is no socket: move it away, or choose another path with --socket", .0.display())]
    NotSocket(PathBuf),
    /// The system refuses.
    #[error("{}: {error}; choose another path with --socket", .path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
}

/// A socket that is bound; its file goes with it, if it is still this one.
#[derive(Debug)]
pub struct Bound {
    /// It listens.
    pub listener: UnixListener,
    /// Its file.
    pub file: SocketFile,
}

/// The device and the inode of a file.
pub(super) type Identity = (u64, u64);

/// The file of a bound socket. It is removed at the end, unless another one has taken its place.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    identity: Option<Identity>,
}

impl SocketFile {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which file it is, if that could be read.
    pub(super) fn identity(&self) -> Option<Identity> {
        self.identity
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.identity.is_some() && identity(&self.path) == self.identity {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// What stands at the path of a socket that was bound.
#[derive(Debug)]
pub(super) enum Found {
    /// It.
    Ours,
    /// Something else or nothing, in whose place it was bound anew.
    Anew(Bound),
    /// It cannot be bound there now: why.
    Failed(String),
}

/// Looks whether a path still leads to the socket that was bound there, and binds it anew where it does not. It may wait for the disk.
pub(super) fn look(path: &Path, identity: Option<Identity>) -> Found {
    // Its listener holds the inode: no other file has the same number meanwhile.
    if identity.is_some() && self::identity(path) == identity {
        return Found::Ours;
    }
    match bind(path) {
        Ok(bound) => Found::Anew(bound),
        Err(error) => Found::Failed(error.to_string()),
    }
}

/// Binds a socket of mode 0600; folders that are missing are made with mode 0700. The file that a process left behind is replaced, one that
/// somebody answers on is not.
///
/// # Errors
/// [`PathError`].
pub fn bind(path: &Path) -> Result<Bound, PathError> {
    let bytes = path.as_os_str().len();
    if bytes > NAME_BYTES_MAX {
        return Err(PathError::TooLong { path: path.to_owned(), bytes });
    }
    let failed = |error| PathError::Io { path: path.to_owned(), error };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    }
    clear(path)?;
    let listener = UnixListener::bind(path).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => PathError::Taken(path.to_owned()),
        _ => failed(error),
    })?;
    let file = SocketFile { path: path.to_owned(), identity: identity(path) };
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(Bound { listener, file })
}

/// Makes way for a socket where only a dead one stands.
fn clear(path: &Path) -> Result<(), PathError> {
    let failed = |error| PathError::Io { path: path.to_owned(), error };
    let kind = match fs::symlink_metadata(path) {
        Ok(found) => found.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    if !kind.is_socket() {
        return Err(PathError::NotSocket(path.to_owned()));
    }
    match UnixStream::connect(path) {
        // Nobody answers: it was left behind.
        Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound) => {}
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(failed(error)),
        // Who is too busy to answer is there all the same.
        Ok(_) | Err(_) => return Err(PathError::Taken(path.to_owned())),
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}

fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_for_its_owner_in_a_folder_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/rmp.sock");
        let bound = bind(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&folder.path().join("a/b")), mode(&folder.path().join("a"))), (0o600, 0o700, 0o700));
        drop(bound);
        assert!(!path.exists(), "it goes with who bound it");
    }

    #[test]
    fn a_live_socket_is_refused_and_a_dead_one_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rmp.sock");
        let first = UnixListener::bind(&path).unwrap();
        assert!(matches!(bind(&path), Err(PathError::Taken(_))));
        drop(first);
        assert!(path.exists());
        bind(&path).unwrap();
        fs::write(&path, "mine").unwrap();
        assert!(matches!(bind(&path), Err(PathError::NotSocket(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn a_file_that_is_not_ours_any_more_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rmp.sock");
        let bound = bind(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "another's").unwrap();
        drop(bound);
        assert!(path.exists());
    }

    #[test]
    fn a_path_that_leads_elsewhere_is_bound_anew_and_nobody_is_put_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rmp.sock");
        let first = bind(&path).unwrap();
        assert!(matches!(look(&path, first.file.identity()), Found::Ours));
        fs::remove_file(&path).unwrap();
        let Found::Anew(second) = look(&path, first.file.identity()) else { unreachable!() };
        assert_ne!(second.file.identity(), first.file.identity());
        drop(first);
        UnixStream::connect(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let other = UnixListener::bind(&path).unwrap();
        let Found::Failed(why) = look(&path, second.file.identity()) else { unreachable!() };
        assert!(why.contains("is taken"), "{why}");
        drop(other);
        let Found::Anew(third) = look(&path, second.file.identity()) else { unreachable!() };
        drop(second);
        assert!(matches!(look(&path, third.file.identity()), Found::Ours));
    }

    #[test]
    fn a_folder_that_was_taken_away_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sock/rmp.sock");
        let bound = bind(&path).unwrap();
        fs::remove_dir_all(folder.path().join("sock")).unwrap();
        assert!(matches!(look(&path, bound.file.identity()), Found::Anew(_)));
    }

    #[test]
    fn a_path_past_the_platforms_limit_is_refused_with_that_reason() {
        let long = PathBuf::from(format!("/tmp/{}", "x".repeat(NAME_BYTES_MAX)));
        let error = bind(&long).unwrap_err().to_string();
        assert!(error.contains(&format!("{NAME_BYTES_MAX} at most")), "{error}");
    }
}
