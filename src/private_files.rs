//! Files and folders that are this user's alone: the data folder and what lies in it.
//!
//! What another user owns, what others may write to and what is a symbolic link may have been prepared by
//! somebody: it is refused ([`NotPrivate`], within an [`io::Error`] of kind `PermissionDenied`), and nothing
//! is read of it. What is made here has mode 0600 or 0700, whatever the umask.

use std::{
    fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{
        DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::OFlags,
    io::Errno,
    process::{Uid, geteuid},
};

/// Rights of others to write.
const OTHERS_WRITE: u32 = 0o022;
/// Bytes of a file of one value: the longest path that a system takes.
const SMALL_BYTES_MAX: u64 = 4_096;
/// Any rights of others.
const OTHERS: u32 = 0o077;

/// Why a file or folder is not this user's alone, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPrivate {
    /// It belongs to another user.
    #[error("it belongs to another user (uid {owner}): use a file or folder of your own")]
    OfAnother {
        /// That user.
        owner: u32,
    },
    /// Others may write to it.
    #[error("other users can write to it (mode {mode:04o}): check its contents, then run `chmod go-w {}`", .path.display())]
    Writable {
        /// What.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Others may read or write a secret.
    #[error("other users can read or write it (mode {mode:04o}), so the secret may be known: delete it to \
             get a new one, or run `chmod 600 {}`", .path.display())]
    Shown {
        /// What.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// It is a symbolic link.
    #[error("it is a symbolic link, and symbolic links are not followed; use the target path")]
    Link,
    /// It is something else than a directory.
    #[error("it is not a directory")]
    NotAFolder,
    /// It is something else than a regular file.
    #[error("it is not a regular file: move it away")]
    NotAFile,
}

impl From<NotPrivate> for io::Error {
    fn from(why: NotPrivate) -> Self {
        Self::new(io::ErrorKind::PermissionDenied, why)
    }
}

/// Makes a folder with those above it where they are missing (0700), and checks that it is this user's alone.
///
/// # Errors
/// [`NotPrivate`], and what the system says.
pub fn make_folder(path: &Path) -> io::Result<()> {
    match check_folder(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(0o700).create(path)?;
            check_folder(path)?;
            fs::set_permissions(path, Permissions::from_mode(0o700))
        }
        checked => checked,
    }
}

/// Makes a folder for a socket, with those above it where they are missing (0700), and checks that nobody but
/// root and this user replaces a file of it: the system may own it, and everybody may write to one in which
/// only a file's owner removes it, as `/tmp` is.
///
/// # Errors
/// [`NotPrivate`], and what the system says.
pub fn make_folder_of_socket(path: &Path) -> io::Result<()> {
    const STICKY: u32 = 0o1000;
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let found = fs::metadata(path)?;
    if found.uid() != Uid::ROOT.as_raw() {
        check_owner(&found)?;
    }
    match found.mode() & 0o7777 {
        mode if mode & OTHERS_WRITE != 0 && mode & STICKY == 0 => {
            Err(NotPrivate::Writable { path: path.to_owned(), mode }.into())
        }
        _ => Ok(()),
    }
}

/// Checks that a folder is this user's alone.
///
/// # Errors
/// [`NotPrivate`], and what the system says; of kind `NotFound` where there is none.
pub fn check_folder(path: &Path) -> io::Result<()> {
    // Without a slash at its end, which would follow a link.
    let path: PathBuf = path.components().collect();
    let found = fs::symlink_metadata(if path.as_os_str().is_empty() { Path::new(".") } else { &path })?;
    if found.is_symlink() {
        return Err(NotPrivate::Link.into());
    }
    if !found.is_dir() {
        return Err(NotPrivate::NotAFolder.into());
    }
    Ok(check(&path, &found)?)
}

/// Opens a file to be read.
///
/// # Errors
/// [`NotPrivate`], and what the system says.
pub fn open(path: &Path) -> io::Result<File> {
    open_by(OpenOptions::new().read(true), path)
}

/// Reads a file whole.
///
/// # Errors
/// [`NotPrivate`], and what the system says.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The first 4 KiB of an opened file, which is all of an address, a path, a token or a number.
///
/// # Errors
/// What the system says.
pub fn read_small(file: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(SMALL_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The first 4 KiB of an opened file as a text.
///
/// # Errors
/// What the system says; of kind `InvalidData` where it is not UTF-8.
pub fn read_small_text(file: impl io::Read) -> io::Result<String> {
    let mut text = String::new();
    file.take(SMALL_BYTES_MAX).read_to_string(&mut text)?;
    Ok(text)
}

/// Checks what others' code is to open by a path: a file of this user's alone, or nothing. (A device, which
/// root alone makes, is one too: `SQLite` says what is wrong with it.)
///
/// # Errors
/// [`NotPrivate`], and what the system says.
pub fn check_file(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if found.is_symlink() {
        return Err(NotPrivate::Link.into());
    }
    if !found.is_file() && !found.file_type().is_char_device() {
        return Err(NotPrivate::NotAFile.into());
    }
    Ok(check(path, &found)?)
}

/// Opens a file that holds a secret, which others may not even read.
///
/// # Errors
/// [`NotPrivate`], and what the system says.
pub fn open_secret(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    check_secret(path, &file.metadata()?)?;
    Ok(file)
}

/// Opens a file with a secret that the user named: it may be a link, or the pipe of another program.
///
/// # Errors
/// [`NotPrivate::OfAnother`] and [`NotPrivate::Shown`] for a file, and what the system says.
pub fn open_named_secret(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if found.is_file() {
        check_secret(path, &found)?;
    }
    Ok(file)
}

/// Opens a file to be read, whosever it is: for what is not believed.
///
/// # Errors
/// [`NotPrivate::Link`], [`NotPrivate::NotAFile`] and what the system says.
pub fn open_untrusted(path: &Path) -> io::Result<File> {
    open_regular(OpenOptions::new().read(true), path).map(|(file, _)| file)
}

fn check_secret(path: &Path, found: &Metadata) -> Result<(), NotPrivate> {
    check_owner(found)?;
    match found.mode() & 0o7777 {
        mode if mode & OTHERS != 0 => Err(NotPrivate::Shown { path: path.to_owned(), mode }),
        _ => Ok(()),
    }
}

/// Opens a file to be read and written as it is, and makes it where it is missing.
///
/// # Errors
/// [`NotPrivate`], and what the system says.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    create_or(OpenOptions::new().read(true).write(true), path)
}

/// Opens a file to be written behind what is in it, and makes it where it is missing.
///
/// # Errors
/// [`NotPrivate`], and what the system says.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    create_or(OpenOptions::new().append(true), path)
}

fn create_or(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open_by(options, path),
        created => created,
    }
}

/// Makes a file that was not there.
///
/// # Errors
/// What the system says; of kind `AlreadyExists` where anything is there, a link that leads nowhere too.
pub fn create_new(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

/// Writes a file that was not there, whole or not at all; on disk when this returns.
///
/// # Errors
/// What the system says; of kind `AlreadyExists` where anything is there, which stays.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fill_new(create_new(path)?, path, |file| file.write_all(bytes))
}

/// Writes to a file that was just made, and has it on disk. Where that fails, the file is removed again: a
/// part of it is of no use, and would be in the way of the next attempt.
///
/// # Errors
/// What the system says.
pub fn fill_new(
    mut file: File,
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let written = write(&mut file).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// Writes a file whole or not at all, in the place of what was there; on disk when this returns. Of several
/// that write at once one is the last, whole as well.
///
/// # Errors
/// What the system says.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".new-{:016x}", fastrand::u64(..)));
    let beside = PathBuf::from(beside);
    let mut file = create_new(&beside)?;
    let written =
        file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// The device and the inode of what a path leads to.
#[must_use]
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

fn open_by(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let (file, found) = open_regular(options, path)?;
    check(path, &found)?;
    Ok(file)
}

fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<(File, Metadata)> {
    // What is no file, a pipe say, does not hold up who opens it.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = options.custom_flags(flags).open(path).map_err(|error| {
        if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) { NotPrivate::Link.into() } else { error }
    })?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(NotPrivate::NotAFile.into());
    }
    Ok((file, found))
}

fn check(path: &Path, found: &Metadata) -> Result<(), NotPrivate> {
    check_owner(found)?;
    match found.mode() & 0o7777 {
        mode if mode & OTHERS_WRITE != 0 => Err(NotPrivate::Writable { path: path.to_owned(), mode }),
        _ => Ok(()),
    }
}

fn check_owner(found: &Metadata) -> Result<(), NotPrivate> {
    match found.uid() {
        owner if owner == geteuid().as_raw() => Ok(()),
        owner => Err(NotPrivate::OfAnother { owner }),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn why(result: io::Result<impl std::fmt::Debug>) -> NotPrivate {
        let error = result.unwrap_err();
        error.get_ref().and_then(|why| why.downcast_ref()).cloned().unwrap_or_else(|| unreachable!("{error}"))
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_is_made_for_its_owner_and_one_that_others_may_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("a/b");
        make_folder(&data).unwrap();
        assert_eq!((mode(&data), mode(&folder.path().join("a"))), (0o700, 0o700));
        for shared in [0o770, 0o702] {
            set_mode(&data, shared);
            assert_eq!(why(make_folder(&data)), NotPrivate::Writable { path: data.clone(), mode: shared });
        }
        set_mode(&data, 0o755);
        make_folder(&data).unwrap();
        let link = folder.path().join("link");
        symlink(&data, &link).unwrap();
        assert_eq!(why(make_folder(&link)), NotPrivate::Link);
        assert_eq!(why(make_folder(&link.join(""))), NotPrivate::Link, "a slash at its end follows it");
        fs::write(folder.path().join("file"), "").unwrap();
        assert_eq!(why(make_folder(&folder.path().join("file"))), NotPrivate::NotAFolder);
    }

    #[test]
    fn links_pipes_and_files_of_others_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        drop(create_new(&file).unwrap());
        assert_eq!(mode(&file), 0o600);
        let link = folder.path().join("link");
        symlink(&file, &link).unwrap();
        for opened in [open(&link), open_or_create(&link), open_secret(&link)] {
            assert_eq!(why(opened), NotPrivate::Link);
        }
        assert_eq!(why(read(&link)), NotPrivate::Link);
        assert_eq!(why(check_file(&link)), NotPrivate::Link);
        check_file(&folder.path().join("none")).unwrap();
        check_file(&file).unwrap();
        let nowhere = folder.path().join("nowhere");
        symlink(folder.path().join("elsewhere"), &nowhere).unwrap();
        assert_eq!(why(open_or_create(&nowhere)), NotPrivate::Link);
        assert!(!folder.path().join("elsewhere").exists());
        assert_eq!(why(open(folder.path())), NotPrivate::NotAFile);
        assert_eq!(why(check_file(folder.path())), NotPrivate::NotAFile);
        set_mode(&file, 0o644);
        open(&file).unwrap();
        assert_eq!(why(open_secret(&file)), NotPrivate::Shown { path: file.clone(), mode: 0o644 });
        set_mode(&file, 0o620);
        assert_eq!(why(open(&file)), NotPrivate::Writable { path: file.clone(), mode: 0o620 });
        assert_eq!(why(check_file(&file)), NotPrivate::Writable { path: file.clone(), mode: 0o620 });
    }

    #[test]
    fn a_new_file_is_whole_or_not_there_and_never_in_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        write_new(&file, b"ours").unwrap();
        assert_eq!((read(&file).unwrap(), mode(&file)), (b"ours".to_vec(), 0o600));
        assert_eq!(write_new(&file, b"again").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(read(&file).unwrap(), b"ours", "what was there stays");
        // A file that is open for reading alone takes no bytes.
        fill_new(File::open(&file).unwrap(), &file, |file| file.write_all(b"more")).unwrap_err();
        assert!(!file.exists(), "what could not be written is in nobody's way");
    }

    #[test]
    fn what_is_replaced_is_never_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("file"), folder.path().join("other"));
        fs::write(&other, "another's").unwrap();
        symlink(&other, &file).unwrap();
        replace(&file, b"ours").unwrap();
        let mut text = String::new();
        open_secret(&file).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), fs::read_to_string(&other).unwrap().as_str()), ("ours", "another's"));
        let names = || fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names(), 2, "nothing else is left");
        fs::create_dir(folder.path().join("folder")).unwrap();
        replace(&folder.path().join("folder"), b"ours").unwrap_err();
        assert_eq!(names(), 3, "nor where it fails");
    }

    #[test]
    fn of_many_that_write_at_once_each_writes_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::thread::scope(|scope| {
            for letter in b'a'..=b'd' {
                let file = &file;
                scope.spawn(move || (0..20).for_each(|_| replace(file, &vec![letter; 20_000]).unwrap()));
            }
            for _ in 0..200 {
                let bytes = read(&file).unwrap_or_default();
                assert!(bytes.is_empty() || bytes == vec![bytes[0]; 20_000]);
            }
        });
        assert_eq!((read(&file).unwrap().len(), fs::read_dir(folder.path()).unwrap().count()), (20_000, 1));
    }
}
