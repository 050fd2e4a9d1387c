//! Detaching from a terminal as job control does: the shell gets its prompt back, and this process goes on in
//! the background.
//!
//! The process stops itself, which is what a shell with job control takes for the end of its turn: it makes
//! its own group the terminal's foreground group. A helper of another group sees that and has this process
//! continue at once, now in the background.

use std::{
    io,
    io::Read as _,
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
    time::Duration,
};

use rustix::{
    process::{Pid, Signal, getpgid, getpgrp, getpid, getppid, getsid, kill_process},
    termios::tcgetpgrp,
};

use super::{error::Error, report};
use crate::console::settings::CommandHints;

/// How long a shell may take to notice that its job has stopped. The process is continued then anyway.
const NOTICED_MAX: Duration = Duration::from_secs(1);
/// How often the terminal is asked who is in the foreground.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Gives the shell its prompt back where it has job control, and says how to return either way.
pub(super) fn go_to_background(hints: &CommandHints) {
    let (attach, stop, pid) = (hints.line("attach"), hints.line("stop"), std::process::id());
    report::print_exact(&format!(
        "station continues without a screen (process {pid}): `{attach}` reopens the console, `{stop}` stops \
         the station"
    ));
    let is_in_background = has_job_control()
        && stop_and_continue().unwrap_or_else(|error| {
            tracing::warn!("cannot move this process to the background: {error}");
            false
        });
    if !is_in_background {
        report::print_note(
            "no job control in this shell: the station keeps this terminal, and Ctrl-C stops it",
        );
    }
}

/// Whether a shell waits for this process as for a job of its own: it leads a group in the terminal's
/// foreground, and who started it is of the same session and another group.
fn has_job_control() -> bool {
    let (group, parent) = (getpgrp(), getppid());
    let is_foreground = tcgetpgrp(rustix::stdio::stdin()).is_ok_and(|foreground| foreground == group);
    is_foreground
        && group == getpid()
        && getsid(None).is_ok_and(|session| session != getpid())
        && parent.is_some_and(|parent| {
            getsid(Some(parent)).ok() == getsid(None).ok()
                && getpgid(Some(parent)).is_ok_and(|of| of != group)
        })
}

/// Stops this process until the helper has it continue; whether it is in the background then. It stops once
/// the helper runs, so that whoever talks to the station waits no longer than the shell needs.
fn stop_and_continue() -> io::Result<bool> {
    let mut helper = spawn_helper()?;
    let ready = helper.stdout.take().map_or(Ok(()), |mut out| out.read_exact(&mut [0]));
    if let Err(error) = ready {
        let _ = helper.kill();
        let _ = helper.wait();
        return Err(error);
    }
    let stopped = kill_process(getpid(), Signal::STOP);
    // From here on it has been continued.
    let _ = helper.wait();
    stopped?;
    Ok(tcgetpgrp(rustix::stdio::stdin()).is_ok_and(|foreground| foreground != getpgrp()))
}

fn spawn_helper() -> io::Result<Child> {
    let mut helper = Command::new(std::env::current_exe()?);
    helper.arg("continue-job").arg(std::process::id().to_string());
    // Of another group, so that it is not a part of the job; the terminal stays its standard input.
    helper.process_group(0).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// The helper: has the process continue as soon as its group is no longer in the terminal's foreground.
pub(super) fn continue_job(pid: i32) -> Result<(), Error> {
    let Some(process) = Pid::from_raw(pid).filter(|process| getppid() == Some(*process)) else {
        return Err(Error::usage("only the parent process can be continued", "this subcommand is internal"));
    };
    rustix::io::write(rustix::stdio::stdout(), b".")
        .map_err(|errno| Error::io("reporting that the helper runs")(errno.into()))?;
    let looks = NOTICED_MAX.as_millis() / LOOK_EVERY.as_millis();
    for _ in 0..looks {
        if tcgetpgrp(rustix::stdio::stdin()).is_ok_and(|foreground| foreground != process) {
            break;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    kill_process(process, Signal::CONT)
        .map_err(|errno| Error::io(format!("continuing process {pid}"))(errno.into()))
}
