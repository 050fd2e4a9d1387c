//! The files of plugins: looked at, copied, put into place and deleted, each on a thread of its own.

use std::{
    collections::{HashMap, VecDeque},
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use semver::Version;
use tokio::sync::{mpsc, oneshot};

use super::{folders::Folders, shared::Done, staging::stage};
use crate::{
    ids::{PluginId, RequestId, Seq},
    limits,
    plugin::{
        Code, Refusal,
        manifest::{Checked, Loaded, Manifest, load},
        supervisor::{Cause, Input, Installation, Launched, Source, SpawnFault},
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
    /// The operator's entry in the tap.
    pub(super) entry: Option<Seq>,
}

/// A folder that is to be looked at.
#[derive(Debug)]
struct Look {
    named: Named,
    installs: bool,
    cause: Cause,
}

/// What was found in a folder, its files staged if it is to be installed.
#[derive(Debug)]
pub(super) struct Staged {
    pub(super) cause: Cause,
    /// The operator's entry in the tap.
    pub(super) entry: Option<Seq>,
    pub(super) installation: Result<Installation, Refusal>,
    /// Where the staged files lie.
    pub(super) files: Option<PathBuf>,
}

/// Where the files of plugins are.
#[derive(Debug)]
pub(super) struct Files {
    data: PathBuf,
    limits: limits::Plugin,
    host_version: Version,
    /// What is to be put into place, and where it was copied from.
    staged: HashMap<PluginId, PathBuf>,
    /// Folders that are looked at after the present one, at most `limits.plugin.plugins_max`.
    looks: VecDeque<Look>,
    is_looking: bool,
    /// Whether the host ends: nothing more is staged.
    is_ending: Arc<AtomicBool>,
    count: u64,
}

impl Files {
    pub(super) fn new(data: &Path, limits: limits::Plugin, host_version: Version) -> Self {
        Self {
            data: data.to_owned(),
            limits,
            host_version,
            staged: HashMap::new(),
            looks: VecDeque::new(),
            is_looking: false,
            is_ending: Arc::default(),
            count: 0,
        }
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

    /// Looks at a folder, copies it if it is to be installed, and says what was found: of one folder at a
    /// time.
    ///
    /// # Errors
    /// If too many wait, or the host ends.
    pub(super) fn look_at(
        &mut self,
        named: Named,
        installs: bool,
        cause: Cause,
        done: mpsc::Sender<Done>,
    ) -> Result<(), Refusal> {
        if self.is_ending() {
            return Err(ending());
        }
        let waiting = self.looks.len();
        if waiting as u64 >= self.limits.plugins_max {
            let message = format!("{waiting} other folders are to be installed or served first");
            return Err(Refusal::Refused { code: Code::RateLimited, message });
        }
        self.looks.push_back(Look { named, installs, cause });
        if !self.is_looking {
            self.look_at_next(done);
        }
        Ok(())
    }

    /// Looks at the folder that waits longest, where the one before was looked at.
    pub(super) fn look_at_next(&mut self, done: mpsc::Sender<Done>) {
        let next = self.looks.pop_front();
        self.is_looking = next.is_some();
        if let Some(Look { named, installs, cause }) = next {
            self.look(named, installs, cause, done);
        }
    }

    fn look(&mut self, named: Named, installs: bool, cause: Cause, done: mpsc::Sender<Done>) {
        self.count += 1;
        let staging =
            self.data.join("plugins").join(format!("{STAGED}{}-{}", std::process::id(), self.count));
        let (limits, version) = (self.limits, self.host_version.clone());
        let is_ending = Arc::clone(&self.is_ending);
        tokio::task::spawn_local(async move {
            let entry = named.entry;
            let look = move || look_at(named, installs.then_some(&*staging), &version, &limits, &is_ending);
            let found = tokio::task::spawn_blocking(look).await;
            let found = found.unwrap_or_else(|error| Err(Refusal::Invalid(error.to_string())));
            let (installation, staged) =
                found.map_or_else(|refusal| (Err(refusal), None), |(it, at)| (Ok(it), at));
            let staged = Staged { cause, entry, installation, files: staged };
            let _ = done.send(Done::Staged(Box::new(staged))).await;
        });
    }

    /// Whether the host ends.
    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Ends what is being staged; the commands whose folders are not looked at any more.
    pub(super) fn stop(&mut self) -> Vec<RequestId> {
        self.is_ending.store(true, Ordering::Relaxed);
        self.looks.drain(..).map(|look| look.cause.request).collect()
    }

    /// Remembers what is to be put into place.
    pub(super) fn keep(&mut self, plugin: &PluginId, staged: Option<PathBuf>) {
        if let Some(staged) = staged {
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

    /// Deletes the files of a plugin, once its log is closed.
    pub(super) fn delete(
        &mut self,
        plugin: PluginId,
        purge: bool,
        closed: oneshot::Receiver<()>,
        done: mpsc::Sender<Done>,
    ) {
        let own = self.of(&plugin);
        answer(plugin, done, move || {
            let _ = closed.blocking_recv();
            delete(&own, purge)
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
    ) -> Result<(PathBuf, Vec<OsString>), SpawnFault> {
        let folder = self.folder(plugin, &run.source);
        let Loaded { checked, program, is_passing, .. } = self.load(plugin, run);
        let fault = || SpawnFault { is_entry: !is_passing, why: faults(&checked) };
        let program = program.ok_or_else(fault)?;
        let args = program.args.into_iter().map(OsString::from);
        Ok((folder, std::iter::once(program.path.into_os_string()).chain(args).collect()))
    }

    /// Reads the manifest of a plugin, and looks at its entry.
    fn load(&self, plugin: &PluginId, run: &Launched) -> Loaded {
        let folder = self.folder(plugin, &run.source);
        load(&folder, run.command.as_deref(), &self.host_version, &self.limits)
    }

    /// The manifest of a plugin as it is now, with its text; or why it cannot run.
    pub(super) fn manifest(
        &self,
        plugin: &PluginId,
        run: &Launched,
    ) -> Result<(Arc<Manifest>, Arc<str>), String> {
        let Loaded { mut checked, text, .. } = self.load(plugin, run);
        match checked.manifest.take().zip(text) {
            Some((manifest, text)) => Ok((Arc::new(manifest), text.into())),
            None => Err(faults(&checked)),
        }
    }

    fn folder(&self, plugin: &PluginId, source: &Source) -> PathBuf {
        match source {
            Source::Package => self.of(plugin).join(PACKAGE),
            Source::Folder(folder) => PathBuf::from(&**folder),
        }
    }
}

/// All faults of a manifest, in a line.
fn faults(checked: &Checked) -> String {
    checked.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
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

/// Why nothing is installed or served any more.
pub(super) fn ending() -> Refusal {
    Refusal::NotNow("the plugin host is ending".to_owned())
}

fn look_at(
    named: Named,
    staging: Option<&Path>,
    version: &Version,
    limits: &limits::Plugin,
    is_ending: &AtomicBool,
) -> Found {
    let Named { folder, grant, command, .. } = named;
    let named = folder.clone();
    let refused = |faults| Refusal::NotAPlugin { folder: named.clone(), faults };
    let path = fs::canonicalize(&folder).map_err(|error| refused(vec![error.to_string()]))?;
    let Loaded { checked, text, .. } = load(&path, command.as_deref(), version, limits);
    let (Some(manifest), Some(text)) = (checked.manifest, text) else {
        return Err(refused(checked.faults.iter().map(ToString::to_string).collect()));
    };
    let source = match staging {
        Some(staging) => {
            stage(&path, staging, limits, is_ending).map_err(|error| {
                let _ = fs::remove_dir_all(staging);
                if is_ending.load(Ordering::Relaxed) { ending() } else { refused(vec![error.to_string()]) }
            })?;
            Source::Package
        }
        None => Source::Folder(Arc::from(path.to_string_lossy())),
    };
    let installation = Installation {
        manifest: Arc::new(manifest),
        text: text.into(),
        folder: folder.into(),
        source,
        command,
        grant,
    };
    Ok((installation, staging.map(Path::to_owned)))
}

/// Deletes a plugin's files: what it runs from last, so that it runs again where something else stays.
fn delete(own: &Path, purge: bool) -> io::Result<()> {
    let gone = |path: &Path, error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        kind => Err(io::Error::new(kind, format!("{} cannot be deleted: {error}", path.display()))),
    };
    if purge {
        for entry in fs::read_dir(own).into_iter().flatten() {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name == PACKAGE) {
                continue;
            }
            let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
            let deleted = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            deleted.or_else(|error| gone(&path, error))?;
        }
    }
    let last = if purge { own.to_owned() } else { own.join(PACKAGE) };
    fs::remove_dir_all(&last).or_else(|error| gone(&last, error))
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
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn of_a_purge_that_fails_what_runs_is_left() {
        let own = tempfile::tempdir().unwrap();
        let path = |name: &str| own.path().join("a.b").join(name);
        for folder in ["data/held/x", "log", "pkg"] {
            fs::create_dir_all(path(folder)).unwrap();
        }
        delete(&path(""), false).unwrap();
        delete(&path(""), false).unwrap();
        assert!(!path("pkg").exists() && path("data/held/x").exists() && path("log").exists());
        fs::create_dir(path("pkg")).unwrap();
        let set = |mode| fs::set_permissions(path("data/held"), fs::Permissions::from_mode(mode)).unwrap();
        set(0o500);
        // Root may delete all.
        let deleted = delete(&path(""), true);
        if let Err(error) = deleted {
            assert!(error.to_string().contains("data cannot be deleted"), "{error}");
            assert!(path("pkg").exists());
            set(0o700);
            delete(&path(""), true).unwrap();
        }
        assert!(!path("").exists());
    }

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
