//! The guard itself.

use std::{
    ffi::OsString,
    io,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use rustix::process::{Pid, WaitStatus, getpid, getppid, setsid};

use super::{
    command_line::{Entry, launcher_arguments},
    ending::{Ending, ExecFault},
    signals::Signals,
    tree,
};
use crate::time::{Clock, Mono};

/// How long a plugin has to leave after the station has gone.
const LEAVING_MAX: Duration = Duration::from_secs(1);
/// How long processes have to die after SIGKILL.
const DYING_MAX: Duration = Duration::from_secs(5);
/// How often it is looked again for processes to end.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Starts a plugin and guards it until nothing of it is left.
pub(super) fn run(entry: &Entry) -> Ending {
    match Guard::start(entry) {
        Ok(guard) => guard.serve(),
        Err(error) => Ending::NotExecuted(ExecFault::of(&error)),
    }
}

/// A guard whose plugin was started.
struct Guard {
    clock: Clock,
    signals: Signals,
    /// What has started this process.
    station: Option<Pid>,
    /// The plugin's first process.
    plugin: Pid,
    /// How it ended.
    status: Option<WaitStatus>,
}

impl Guard {
    fn start(entry: &Entry) -> io::Result<Self> {
        let station = getppid();
        // It fails where this process leads a session already.
        let _ = setsid();
        let signals = Signals::listen()?;
        #[cfg(target_os = "linux")]
        {
            rustix::process::set_child_subreaper(Some(getpid()))?;
            // A plugin may stop its guard, or hold the other end of its own stdin open. It is continued then,
            // and looks who its parent is; a thread of the station that ends is no more than that.
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::CONT))?;
        }
        let arguments = launcher_arguments(getpid().as_raw_pid(), entry);
        let plugin = spawn(&arguments)?;
        // What the plugin writes into is the plugin's alone: the station sees when it closes it.
        let nowhere = rustix::fs::open(
            "/dev/null",
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC,
            rustix::fs::Mode::empty(),
        );
        if let Ok(nowhere) = nowhere {
            let _ = rustix::stdio::dup2_stdout(&nowhere);
            let _ = rustix::stdio::dup2_stderr(&nowhere);
        }
        Ok(Self { clock: Clock::start(), signals, station, plugin, status: None })
    }

    fn serve(mut self) -> Ending {
        let mut leaves_until: Option<Mono> = None;
        loop {
            self.reap();
            let is_late = leaves_until.is_some_and(|until| self.clock.mono() >= until);
            if self.status.is_some() || self.signals.is_asked_to_end() || is_late {
                return self.end();
            }
            let most = leaves_until.map(|until| self.clock.until(until));
            let is_closed = self.signals.wait(leaves_until.is_none(), most);
            if leaves_until.is_none() && (is_closed || getppid() != self.station) {
                leaves_until = Some(self.clock.mono() + LEAVING_MAX);
            }
        }
    }

    /// Takes note of children that have ended; whether any is left.
    fn reap(&mut self) -> bool {
        tree::reap(|pid, status| {
            if pid == self.plugin {
                self.status = Some(status);
            }
        })
    }

    /// Ends all that is left of the plugin.
    fn end(mut self) -> Ending {
        let until = self.clock.mono() + DYING_MAX;
        loop {
            tree::kill_children(self.plugin);
            if !self.reap() {
                break;
            }
            if self.clock.mono() >= until {
                return Ending::Remaining;
            }
            self.signals.wait(false, Some(LOOK_EVERY));
        }
        match self.status.map(Ending::of_plugin) {
            Some(Ending::Plugin(crate::plugin::ExitStatus::Code(code))) if self.signals.is_not_executed() => {
                Ending::NotExecuted(ExecFault::of_code(code))
            }
            Some(ending) => ending,
            None => Ending::Plugin(crate::plugin::ExitStatus::Unknown),
        }
    }
}

/// Starts the launcher, which leads a group of its own and has this process's stdin, stdout and stderr.
fn spawn(arguments: &[OsString]) -> io::Result<Pid> {
    let launcher = Command::new(this_program()?)
        .args(arguments)
        .stdin(Stdio::inherit())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .process_group(0)
        .spawn()?;
    // It is reaped with all other children.
    let pid = i32::try_from(launcher.id()).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
}

/// This program, also where its file was replaced or removed since.
fn this_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() }
}
