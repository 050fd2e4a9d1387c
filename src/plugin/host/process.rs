//! A plugin's process below its guard, as the station starts, ends and awaits it.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::PathBuf,
    process::Stdio,
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

pub use super::guard::{Ending, ExecFault};
use super::{guard, process_tree::descendants};

/// Variables of the station that a plugin gets (ruling Plugins 7), besides those of [`LOCALE`].
const PASSED_ON: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"];
/// How the names of those that are passed on with them begin.
const LOCALE: &[u8] = b"LC_";

/// What is started, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// This program, which becomes the guard.
    pub program: PathBuf,
    /// The plugin's folder, in which it runs.
    pub folder: PathBuf,
    /// The entry and its arguments. An entry without a slash is looked for in `PATH`.
    pub argv: Vec<OsString>,
    /// All variables of the plugin's environment.
    pub env: Vec<(OsString, OsString)>,
    /// The nice value of the plugin.
    pub nice: i32,
}

/// Why there is no process.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The plugin's folder is not there.
    #[error("{} is not a folder that can be entered: {error}", folder.display())]
    Folder {
        /// Which.
        folder: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The system starts no guard.
    #[error("{} cannot be started: {error}", program.display())]
    Guard {
        /// This program.
        program: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// A plugin that was started. The station closes `stdin` only after [`GuardProcess::wait`] has returned:
/// closing it ends the plugin, as the end of the station does.
#[derive(Debug)]
pub struct Process {
    /// What the plugin reads.
    pub stdin: ChildStdin,
    /// What the plugin writes.
    pub stdout: ChildStdout,
    /// What the plugin says besides.
    pub stderr: ChildStderr,
    /// The guard.
    pub guard: GuardProcess,
}

/// The guard of a plugin that was started.
#[derive(Debug)]
pub struct GuardProcess {
    child: Child,
    pid: u32,
    /// How it ended.
    ending: Option<Ending>,
}

impl Process {
    /// Starts a guard with its plugin. Needs a runtime.
    ///
    /// An entry that cannot be executed is no error here: [`GuardProcess::wait`] says so.
    ///
    /// # Errors
    /// [`SpawnError`].
    pub fn spawn(launch: &Launch) -> Result<Self, SpawnError> {
        let folder = |error| SpawnError::Folder { folder: launch.folder.clone(), error };
        let found = std::fs::metadata(&launch.folder).map_err(folder)?;
        if !found.is_dir() {
            return Err(folder(io::ErrorKind::NotADirectory.into()));
        }
        let failed = |error| SpawnError::Guard { program: launch.program.clone(), error };
        let mut child = Command::new(&launch.program)
            .args(guard::arguments(launch.nice, &launch.argv))
            .current_dir(&launch.folder)
            .env_clear()
            .envs(launch.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take(), child.id());
        let (Some(stdin), Some(stdout), Some(stderr), Some(pid)) = ends else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        Ok(Self { stdin, stdout, stderr, guard: GuardProcess { child, pid, ending: None } })
    }
}

impl GuardProcess {
    /// The guard's id, which is the id of its session too.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Ends the plugin and all that it started, at once. Does not wait for it; nothing where it has ended.
    pub fn kill_tree(&self) {
        // Its id is its own until it was awaited.
        let Some(guard) = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)) else {
            return;
        };
        let _ = kill_process(guard, Signal::TERM);
        // A plugin may have stopped its guard.
        let _ = kill_process(guard, Signal::CONT);
    }

    /// Ends all processes below the guard and the guard itself, where it does not do so; what they start
    /// meanwhile may be left.
    pub fn kill_all(&self) {
        let guard = self.child.id();
        for pid in guard.iter().flat_map(|guard| descendants(*guard)).chain(guard) {
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Waits until the plugin and all that it started are gone, and says how it ended. Safe to be dropped
    /// while it waits, and to be called again.
    pub async fn wait(&mut self) -> Ending {
        if let Some(ending) = self.ending {
            return ending;
        }
        let ending = match self.child.wait().await {
            Ok(status) => Ending::read(status.code(), std::os::unix::process::ExitStatusExt::signal(&status)),
            Err(_) => Ending::read(None, None),
        };
        self.ending = Some(ending);
        ending
    }
}

/// What of the station's environment a plugin gets: PATH, HOME, USER, LOGNAME, SHELL, LANG, LANGUAGE, `LC_*`,
/// TZ and TMPDIR (ruling Plugins 7).
pub fn environment(parent: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    parent.into_iter().filter(|(name, _)| is_passed_on(name)).collect()
}

fn is_passed_on(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(LOCALE) || PASSED_ON.iter().any(|it| name == *it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_gets_the_variables_of_the_list_and_no_other() {
        let names = "PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL LC_TIME TZ TMPDIR";
        let others = "RL_CONSOLE_TOKEN LD_PRELOAD PATHS path LC LANGUAGES TERM XDG_RUNTIME_DIR SSH_AUTH_SOCK";
        let parent = names.split(' ').chain(others.split(' ')).map(|name| (name.into(), "value".into()));
        let passed: Vec<_> = environment(parent).into_iter().map(|(name, _)| name).collect();
        assert_eq!(passed, names.split(' ').collect::<Vec<_>>());
    }
}
