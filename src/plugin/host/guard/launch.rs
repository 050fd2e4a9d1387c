//! The launcher: a process that becomes the plugin.

use std::{
    io,
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode},
};

use rustix::{
    fs::Mode,
    io::Errno,
    process::{
        Pid, Resource, Rlimit, Signal, getppid, getpriority_process, getrlimit, kill_process,
        setpriority_process, setrlimit, umask,
    },
};

use super::{command_line::Entry, ending::ExecFault};

/// How much sooner than others a plugin is ended when memory runs out (`oom_score_adj`).
#[cfg(target_os = "linux")]
const OOM_SCORE: &str = "500";
/// Descriptors that a process may open unless it asks for more, as systems have it: the station asks for all
/// that it can get, and programs that use `select` fail beyond this.
const DESCRIPTORS: u64 = 1_024;
/// What of the rights of a file that a plugin makes is taken away: all of others.
const UMASK: Mode = Mode::RWXG.union(Mode::RWXO);

/// Becomes the plugin. Where that fails, the guard is sent SIGUSR1, and the exit code is why.
pub(super) fn launch(guard: i32, entry: &Entry) -> ExitCode {
    let guard = Pid::from_raw(guard);
    let error = match restrict(guard, entry.nice).and_then(|()| check(entry)) {
        Ok(()) => Command::new(&entry.program).args(&entry.args).exec(),
        Err(errno) => errno.into(),
    };
    if let Some(guard) = guard.filter(|guard| getppid() == Some(*guard)) {
        let _ = kill_process(guard, Signal::USR1);
    }
    ExitCode::from(ExecFault::of(&error).code())
}

/// Refuses a file that a shell would be asked to read.
fn check(entry: &Entry) -> Result<(), Errno> {
    #[cfg(target_os = "linux")]
    super::format::check(&entry.program)?;
    let _ = entry;
    Ok(())
}

/// Gives this process what a plugin has. It leads a group of its own already.
fn restrict(guard: Option<Pid>, nice: i32) -> Result<(), Errno> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // A guard that ended before that is noticed here.
    if getppid() != guard {
        return Err(Errno::SRCH);
    }
    #[cfg(target_os = "linux")]
    rustix::thread::set_no_new_privs(true)?;
    umask(UMASK);
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let descriptors = getrlimit(Resource::Nofile);
    let current = descriptors.current.map_or(DESCRIPTORS, |current| current.min(DESCRIPTORS));
    setrlimit(Resource::Nofile, Rlimit { current: Some(current), ..descriptors })?;
    // What a system refuses here makes a plugin no less well behaved.
    let _ = prefer_others(nice);
    Ok(())
}

/// Others come first, for processor time and for memory.
fn prefer_others(nice: i32) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    std::fs::write("/proc/self/oom_score_adj", OOM_SCORE)?;
    if getpriority_process(None)? < nice {
        setpriority_process(None, nice)?;
    }
    Ok(())
}
