//! Where the socket is bound (rmp-v0 §12; ruling RMP 15): a path within the platform's limit, in a folder
//! in which nobody else removes a file, never in the place of a socket that somebody answers on.
//!
//! Beside the socket lies a file whose lock its station holds: of two that find a dead socket at once, one
//! takes its place and the other is told that it is taken, and nobody ever removes a socket that another one
//! has bound. The file stays; without its holder it means nothing.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::{fs::FlockOperation, io::Errno};

use crate::private_files;

/// Bytes of a socket's name that every platform takes, its end included: 108 on Linux, 104 on macOS.
const NAME_BYTES_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Why the socket is not bound.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// The platform takes no name so long.
    #[error("{} has {bytes} bytes; a socket path may have at most {NAME_BYTES_MAX}: choose a shorter one \
             with --socket", .path.display())]
    TooLong {
        /// The path.
        path: PathBuf,
        /// Its length.
        bytes: usize,
    },
    /// Somebody answers there, or is about to.
    #[error("{} is in use by another program: stop it, or choose another path with --socket", .0.display())]
    Taken(PathBuf),
    /// Something else than a socket is there; it is never deleted.
    #[error("{} is not a socket: move it away, or choose another path with --socket", .0.display())]
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
pub struct BoundSocket {
    /// It listens.
    pub listener: UnixListener,
    /// Its file.
    pub file: SocketFile,
}

/// The device and the inode of a file.
type Identity = (u64, u64);

/// The file of a bound socket. It is removed at the end, unless another one has taken its place.
#[derive(Debug)]
pub struct SocketFile {
    claim: SocketClaim,
}

/// A path, which file was bound there, and the lock that makes it ours.
#[derive(Clone, Debug)]
pub(super) struct SocketClaim {
    path: PathBuf,
    identity: Option<Identity>,
    lock: Arc<Lock>,
}

impl SocketFile {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.claim.path
    }

    /// What to look for later on.
    pub(super) fn claim(&self) -> SocketClaim {
        self.claim.clone()
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let SocketClaim { path, identity, .. } = &self.claim;
        if identity.is_some() && private_files::identity(path) == *identity {
            let _ = fs::remove_file(path);
        }
    }
}

/// The lock beside a socket, free again when this is dropped or the process dies.
#[derive(Debug)]
struct Lock {
    _file: File,
    identity: Identity,
}

impl Lock {
    /// Takes the lock of a socket's path.
    fn take(path: &Path) -> Result<Self, PathError> {
        let beside = Self::path(path);
        let failed = |error| PathError::Io { path: beside.clone(), error };
        let file = private_files::open_or_create(&beside).map_err(failed)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(PathError::Taken(path.to_owned())),
            Err(errno) => return Err(failed(errno.into())),
        }
        let found = file.metadata().map_err(failed)?;
        Ok(Self { _file: file, identity: (found.dev(), found.ino()) })
    }

    /// Whether it is still what others would find beside the socket.
    fn is_of(&self, path: &Path) -> bool {
        private_files::identity(&Self::path(path)) == Some(self.identity)
    }

    fn path(path: &Path) -> PathBuf {
        let mut beside = OsString::from(path);
        beside.push(".lock");
        beside.into()
    }
}

/// What stands at the path of a socket that was bound.
#[derive(Debug)]
pub(super) enum PathCheck {
    /// It.
    Ours,
    /// Something else or nothing, in whose place it was bound anew.
    Rebound(BoundSocket),
    /// It cannot be bound there now: why.
    Failed(String),
}

/// Looks whether a path still leads to the socket that was bound there, and binds it anew where it does not.
/// It may wait for the disk.
pub(super) fn check_path(held: &SocketClaim) -> PathCheck {
    let SocketClaim { path, identity, lock } = held;
    // Its listener holds the inode: no other file has the same number meanwhile.
    if identity.is_some() && private_files::identity(path) == *identity {
        return PathCheck::Ours;
    }
    match bind_by(path, Some(lock)) {
        Ok(bound) => PathCheck::Rebound(bound),
        Err(error) => PathCheck::Failed(error.to_string()),
    }
}

/// Binds a socket of mode 0600; folders that are missing are made with mode 0700. (Until the mode is set it
/// has what the umask leaves, which a station sets to 0077.) The file that a process
/// left behind is replaced, one that somebody answers on is not.
///
/// # Errors
/// [`PathError`].
pub fn bind(path: &Path) -> Result<BoundSocket, PathError> {
    bind_by(path, None)
}

/// By a lock that is held already, if it is still the one beside the path.
fn bind_by(path: &Path, lock: Option<&Arc<Lock>>) -> Result<BoundSocket, PathError> {
    let bytes = path.as_os_str().len();
    if bytes > NAME_BYTES_MAX {
        return Err(PathError::TooLong { path: path.to_owned(), bytes });
    }
    let failed = |error| PathError::Io { path: path.to_owned(), error };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let failed = |error| PathError::Io { path: folder.to_owned(), error };
        private_files::make_folder_of_socket(folder).map_err(failed)?;
    }
    let lock = match lock.filter(|lock| lock.is_of(path)) {
        Some(lock) => Arc::clone(lock),
        None => Arc::new(Lock::take(path)?),
    };
    clear(path)?;
    let listener = UnixListener::bind(path).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => PathError::Taken(path.to_owned()),
        _ => failed(error),
    })?;
    let file = SocketFile {
        claim: SocketClaim { path: path.to_owned(), identity: private_files::identity(path), lock },
    };
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(BoundSocket { listener, file })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_for_its_owner_in_a_folder_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/rmp.sock");
        let bound = bind(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&path), mode(&folder.path().join("a/b")), mode(&folder.path().join("a"))),
            (0o600, 0o700, 0o700)
        );
        drop(bound);
        assert!(!path.exists(), "it goes with who bound it");
    }

    #[test]
    fn a_folder_in_which_others_may_replace_the_socket_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rmp.sock");
        let set_mode = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        for shared in [0o770, 0o707] {
            set_mode(shared);
            let why = bind(&path).unwrap_err().to_string();
            assert!(why.contains("other users can write to it") && why.contains("--socket"), "{why}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        // As /tmp is.
        set_mode(0o1777);
        bind(&path).unwrap();
        set_mode(0o755);
        bind(&path).unwrap();
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
    fn of_two_that_find_a_dead_socket_at_once_one_binds_it_and_answers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rmp.sock");
        for _ in 0..100 {
            drop(UnixListener::bind(&path).unwrap());
            let start = std::sync::Barrier::new(4);
            let bound: Vec<_> = std::thread::scope(|scope| {
                let bind = || {
                    start.wait();
                    bind(&path)
                };
                let all: Vec<_> = (0..4).map(|_| scope.spawn(bind)).collect();
                all.into_iter().map(|one| one.join().unwrap()).collect()
            });
            assert_eq!(bound.iter().filter(|one| one.is_ok()).count(), 1);
            assert!(
                bound
                    .iter()
                    .filter_map(|one| one.as_ref().err())
                    .all(|error| matches!(error, PathError::Taken(_)))
            );
            UnixStream::connect(&path).unwrap();
            drop(bound);
            assert!(!path.exists());
        }
    }

    #[test]
    fn a_path_whose_station_lives_is_taken_even_while_its_file_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rmp.sock");
        let first = bind(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(matches!(bind(&path), Err(PathError::Taken(_))));
        let PathCheck::Rebound(second) = check_path(&first.file.claim()) else { unreachable!() };
        drop(first);
        assert!(matches!(bind(&path), Err(PathError::Taken(_))), "the lock goes over to what was bound anew");
        drop(second);
        bind(&path).unwrap();
    }

    #[test]
    fn a_path_that_leads_elsewhere_is_bound_anew_and_nobody_is_put_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rmp.sock");
        let first = bind(&path).unwrap();
        assert!(matches!(check_path(&first.file.claim()), PathCheck::Ours));
        fs::remove_file(&path).unwrap();
        let PathCheck::Rebound(second) = check_path(&first.file.claim()) else { unreachable!() };
        assert_ne!(second.file.claim.identity, first.file.claim.identity);
        drop(first);
        UnixStream::connect(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let other = UnixListener::bind(&path).unwrap();
        let PathCheck::Failed(why) = check_path(&second.file.claim()) else { unreachable!() };
        assert!(why.contains("is in use"), "{why}");
        drop(other);
        let PathCheck::Rebound(third) = check_path(&second.file.claim()) else { unreachable!() };
        drop(second);
        assert!(matches!(check_path(&third.file.claim()), PathCheck::Ours));
    }

    #[test]
    fn a_folder_that_was_taken_away_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sock/rmp.sock");
        let bound = bind(&path).unwrap();
        fs::remove_dir_all(folder.path().join("sock")).unwrap();
        assert!(matches!(check_path(&bound.file.claim()), PathCheck::Rebound(_)));
    }

    #[test]
    fn a_path_past_the_platforms_limit_is_refused_with_that_reason() {
        let long = PathBuf::from(format!("/tmp/{}", "x".repeat(NAME_BYTES_MAX)));
        let error = bind(&long).unwrap_err().to_string();
        assert!(error.contains(&format!("at most {NAME_BYTES_MAX}")), "{error}");
    }
}
