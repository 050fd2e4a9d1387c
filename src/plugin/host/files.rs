//! The files of plugins: looked at, copied, put into place and deleted, each on a thread of its own.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use semver::Version;
use tokio::sync::mpsc;

use super::{folders::Folders, shared::Done};
use crate::{
    ids::PluginId,
    limits,
    plugin::{
        Refusal,
        manifest::{Loaded, load},
        supervisor::{Cause, Input, Installation, Launched, Source},
    },
    private_files,
};

/// Where a plugin's files are, below its folder.
const PACKAGE: &str = "pkg";
/// Where those of before are while they are replaced.
const REPLACED: &str = "pkg.old";

/// How the names of staged folders begin.
const STAGED: &str = ".staged-";

/// A folder as the operator named it, with what is to be granted and what runs in place of its entry.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) folder: String,
    pub(super) grant: Option<Vec<String>>,
    pub(super) command: Option<String>,
}

/// What was found in a folder, its files staged if it is to be installed.
#[derive(Debug)]
pub(super) struct Staged {
    pub(super) cause: Cause,
    pub(super) installation: Result<Installation, Refusal>,
    /// Where the staged files lie.
    pub(super) files: Option<PathBuf>,
    pub(super) folder: String,
}

/// Where the files of plugins are.
#[derive(Debug)]
pub(super) struct Files {
    data: PathBuf,
    limits: limits::Plugin,
    host_version: Version,
    /// What is to be put into place, and where it was copied from.
    staged: HashMap<PluginId, PathBuf>,
    /// From where plugins were installed.
    pub(super) sources: HashMap<PluginId, String>,
    count: u64,
}

impl Files {
    pub(super) fn new(data: &Path, limits: limits::Plugin, host_version: Version) -> Self {
        let (staged, sources) = (HashMap::new(), HashMap::new());
        Self { data: data.to_owned(), limits, host_version, staged, sources, count: 0 }
    }

    /// Takes up what a start that ended in between has left: staged files go, and a package whose
    /// replacement was not put into place is back.
    pub(super) fn recover(&self) {
        for entry in fs::read_dir(self.data.join("plugins")).into_iter().flatten().flatten() {
            let own = entry.path();
            if entry.file_name().to_string_lossy().starts_with(STAGED) {
                let _ = fs::remove_dir_all(own);
                continue;
            }
            let (package, replaced) = (own.join(PACKAGE), own.join(REPLACED));
            if replaced.is_dir() && !package.exists() {
                if let Err(error) = fs::rename(&replaced, &package) {
                    tracing::error!("{} cannot be put back: {error}", package.display());
                }
            } else if replaced.is_dir() {
                let _ = fs::remove_dir_all(replaced);
            }
        }
    }

    fn of(&self, plugin: &PluginId) -> PathBuf {
        self.data.join("plugins").join(plugin.as_str())
    }

    /// Looks at a folder, copies it if it is to be installed, and says what was found.
    pub(super) fn look_at(&mut self, named: Named, installs: bool, cause: Cause, done: mpsc::Sender<Done>) {
        self.count += 1;
        let staging =
            self.data.join("plugins").join(format!("{STAGED}{}-{}", std::process::id(), self.count));
        let (limits, version) = (self.limits, self.host_version.clone());
        tokio::task::spawn_local(async move {
            let folder = named.folder.clone();
            let look = move || look_at(named, installs.then_some(&*staging), &version, &limits);
            let found = tokio::task::spawn_blocking(look).await;
            let found = found.unwrap_or_else(|error| Err(Refusal::Invalid(error.to_string())));
            let (installation, staged) =
                found.map_or_else(|refusal| (Err(refusal), None), |(it, at)| (Ok(it), at));
            let staged = Staged { cause, installation, files: staged, folder };
            let _ = done.send(Done::Staged(Box::new(staged))).await;
        });
    }

    /// Remembers what is to be put into place.
    pub(super) fn keep(&mut self, plugin: &PluginId, staged: Option<PathBuf>, folder: String) {
        if let Some(staged) = staged {
            self.sources.insert(plugin.clone(), folder);
            self.staged.insert(plugin.clone(), staged);
        }
    }

    /// Whether files are to be put into place.
    pub(super) fn is_staged(&self, plugin: &PluginId) -> bool {
        self.staged.contains_key(plugin)
    }

    /// Forgets what was to be put into place.
    pub(super) fn forget(&mut self, plugin: &PluginId) {
        self.staged.remove(plugin);
    }

    /// Deletes staged files that are not put into place.
    pub(super) fn discard(staged: Option<PathBuf>) {
        if let Some(staged) = staged {
            tokio::task::spawn_blocking(move || drop(fs::remove_dir_all(staged)));
        }
    }

    /// Puts the staged files of a plugin into their place.
    pub(super) fn place(&mut self, plugin: PluginId, done: mpsc::Sender<Done>) {
        let (own, staged) = (self.of(&plugin), self.staged.remove(&plugin));
        let place = move || match staged {
            Some(staged) => place(&own, &staged),
            None => Err(io::Error::other("nothing was staged")),
        };
        answer(plugin, done, place);
    }

    /// Deletes the files of a plugin.
    pub(super) fn delete(&mut self, plugin: PluginId, purge: bool, done: mpsc::Sender<Done>) {
        self.sources.remove(&plugin);
        let own = self.of(&plugin);
        let gone = if purge { own } else { own.join(PACKAGE) };
        answer(plugin, done, move || match fs::remove_dir_all(&gone) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        });
    }

    /// Makes what is a plugin's own, before its process is there.
    pub(super) fn make_folders(&self, plugin: &PluginId) -> io::Result<()> {
        Folders::of(&self.data, plugin)?.make()
    }

    /// Where a plugin runs, and what.
    pub(super) fn command_line(
        &self,
        plugin: &PluginId,
        run: &Launched,
    ) -> Result<(PathBuf, Vec<OsString>), String> {
        let folder = self.folder(plugin, &run.source);
        let Loaded { checked, program, .. } =
            load(&folder, run.command.as_deref(), &self.host_version, &self.limits);
        let faults = || checked.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let program = program.ok_or_else(faults)?;
        let args = program.args.into_iter().map(OsString::from);
        Ok((folder, std::iter::once(program.path.into_os_string()).chain(args).collect()))
    }

    /// Reads the manifest of a plugin that was installed before.
    pub(super) fn load(&self, plugin: &PluginId, command: Option<&str>) -> Loaded {
        load(&self.folder(plugin, &Source::Package), command, &self.host_version, &self.limits)
    }

    fn folder(&self, plugin: &PluginId, source: &Source) -> PathBuf {
        match source {
            Source::Package => self.of(plugin).join(PACKAGE),
            Source::Folder(folder) => PathBuf::from(&**folder),
        }
    }
}

/// Does something with files and says whether it could be done.
fn answer(
    plugin: PluginId,
    done: mpsc::Sender<Done>,
    work: impl FnOnce() -> io::Result<()> + Send + 'static,
) {
    tokio::task::spawn_local(async move {
        let worked = tokio::task::spawn_blocking(work).await;
        let result = worked.unwrap_or_else(|error| Err(io::Error::other(error)));
        let result = result.map_err(|error| error.to_string());
        let _ = done.send(Done::Input(Input::FilesDone { plugin, result })).await;
    });
}

type Found = Result<(Installation, Option<PathBuf>), Refusal>;

fn look_at(named: Named, staging: Option<&Path>, version: &Version, limits: &limits::Plugin) -> Found {
    let Named { folder, grant, command } = named;
    let refused = |faults| Refusal::NotAPlugin { folder: folder.clone(), faults };
    let path = fs::canonicalize(&folder).map_err(|error| refused(vec![error.to_string()]))?;
    let Loaded { checked, text, .. } = load(&path, command.as_deref(), version, limits);
    let (Some(manifest), Some(text)) = (checked.manifest, text) else {
        return Err(refused(checked.faults.iter().map(ToString::to_string).collect()));
    };
    let source = match staging {
        Some(staging) => {
            stage(&path, staging, limits).map_err(|error| {
                let _ = fs::remove_dir_all(staging);
                refused(vec![error.to_string()])
            })?;
            Source::Package
        }
        None => Source::Folder(Arc::from(path.to_string_lossy())),
    };
    let installation =
        Installation { manifest: Arc::new(manifest), text: text.into(), source, command, grant };
    Ok((installation, staging.map(Path::to_owned)))
}

/// Copies a folder: regular files, and links that stay inside.
fn stage(folder: &Path, staging: &Path, limits: &limits::Plugin) -> io::Result<()> {
    if let Some(parent) = staging.parent() {
        private_files::make_folder(parent)?;
    }
    private_files::make_folder(staging)?;
    let mut copy = Copy { root: folder, bytes: limits.install_bytes_max, files: limits.install_files_max };
    copy.folder(folder, staging)
}

struct Copy<'a> {
    root: &'a Path,
    /// Bytes and files that may be copied yet.
    bytes: u64,
    files: u64,
}

impl Copy<'_> {
    fn folder(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        for entry in fs::read_dir(from)? {
            let entry = entry?;
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
        let copied = io::copy(&mut io::Read::take(source, found.len()), &mut copy)?;
        self.bytes = left + (found.len() - copied);
        Ok(())
    }
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::other(format!("{} {why}", path.display()))
}

/// Renames the staged files into their place; what was there is back if that fails.
fn place(own: &Path, staged: &Path) -> io::Result<()> {
    private_files::make_folder(own)?;
    let (package, replaced) = (own.join(PACKAGE), own.join(REPLACED));
    if replaced.exists() {
        fs::remove_dir_all(&replaced)?;
    }
    let had = package.exists();
    if had {
        fs::rename(&package, &replaced)?;
    }
    if let Err(error) = fs::rename(staged, &package) {
        if had {
            let _ = fs::rename(&replaced, &package);
        }
        let _ = fs::remove_dir_all(staged);
        return Err(error);
    }
    if had {
        let _ = fs::remove_dir_all(&replaced);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_end_in_between_left_is_taken_up() {
        let data = tempfile::tempdir().unwrap();
        let path = |name: &str| data.path().join("plugins").join(name);
        for folder in [".staged-1-1/x", "a.half/pkg.old", "b.whole/pkg", "b.whole/pkg.old", "c.plain/pkg"] {
            fs::create_dir_all(path(folder)).unwrap();
        }
        Files::new(data.path(), limits::Plugin::default(), Version::new(7, 8, 6)).recover();
        let is_there = |name: &str| path(name).exists();
        assert!(!is_there(".staged-1-1") && is_there("a.half/pkg") && !is_there("a.half/pkg.old"));
        assert!(is_there("b.whole/pkg") && !is_there("b.whole/pkg.old") && is_there("c.plain/pkg"));
    }
}
