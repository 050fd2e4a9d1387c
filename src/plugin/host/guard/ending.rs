//! How a guard ends, and what that says of the plugin.

use std::{fmt, io, process::ExitCode};

use rustix::{io::Errno, process::WaitStatus};

use crate::plugin::{ExitStatus, passing::is_passing};

/// The code of a plugin that was ended by a signal, that signal added (as shells have it).
const SIGNALED: i32 = 128;
/// The highest signal.
const SIGNAL_MAX: i32 = 64;

/// The guard's own signals. On Linux they are real-time signals, which nobody sends unasked and whose default
/// is to end; C libraries keep those below 35 for themselves.
#[cfg(target_os = "linux")]
mod own {
    /// Processes are left that did not die.
    pub(super) const REMAINING: i32 = 35;
    /// The entry could not be executed, for the first of the reasons; the next signal for the next.
    pub(super) const NOT_EXECUTED: i32 = 36;
    /// It could not be executed, for another reason.
    pub(super) const NOT_EXECUTED_LAST: i32 = 64;
}
/// The guard's own signals, where there are no real-time signals: a reason is not passed on.
#[cfg(not(target_os = "linux"))]
mod own {
    use signal_hook::consts::{SIGUSR1, SIGUSR2};

    /// Processes are left that did not die.
    pub(super) const REMAINING: i32 = SIGUSR2;
    /// The entry could not be executed.
    pub(super) const NOT_EXECUTED: i32 = SIGUSR1;
    /// It could not be executed, for another reason.
    pub(super) const NOT_EXECUTED_LAST: i32 = SIGUSR1;
}

/// Why an entry is not executed, as far as the guard passes it on.
const REASONS: [Errno; 19] = [
    Errno::NOENT,
    Errno::ACCESS,
    Errno::NOEXEC,
    Errno::NOTDIR,
    Errno::PERM,
    Errno::TOOBIG,
    Errno::LOOP,
    Errno::ISDIR,
    Errno::TXTBSY,
    Errno::NAMETOOLONG,
    Errno::NOMEM,
    Errno::INVAL,
    Errno::IO,
    Errno::MFILE,
    Errno::NFILE,
    Errno::AGAIN,
    Errno::NODEV,
    Errno::NOSPC,
    Errno::INTR,
];

/// How a guard ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The plugin ended, and all of it is gone. A code of 129 to 192 is read as a signal.
    Plugin(ExitStatus),
    /// The plugin was never there.
    NotExecuted(ExecFault),
    /// Processes of the plugin were still there five seconds after they were killed.
    Remaining,
    /// The guard itself was ended by this signal: what the plugin had started may be left.
    GuardKilled(i32),
}

impl Ending {
    /// How the plugin's first process ended, as far as it is known.
    #[must_use]
    pub const fn status(&self) -> ExitStatus {
        match self {
            Self::Plugin(status) => *status,
            Self::NotExecuted(_) | Self::Remaining | Self::GuardKilled(_) => ExitStatus::Unknown,
        }
    }

    /// What the exit status of a guard says.
    pub(in crate::plugin::host) fn read(code: Option<i32>, signal: Option<i32>) -> Self {
        match (code, signal) {
            (Some(code), _) if (SIGNALED + 1..=SIGNALED + SIGNAL_MAX).contains(&code) => {
                Self::Plugin(ExitStatus::Signal(code - SIGNALED))
            }
            (Some(code), _) => Self::Plugin(ExitStatus::Code(code)),
            (None, Some(own::REMAINING)) => Self::Remaining,
            (None, Some(signal @ own::NOT_EXECUTED..=own::NOT_EXECUTED_LAST)) => {
                Self::NotExecuted(ExecFault::of_signal(signal))
            }
            (None, Some(signal)) => Self::GuardKilled(signal),
            (None, None) => Self::Plugin(ExitStatus::Unknown),
        }
    }

    /// What the status of the plugin's first process says.
    pub(super) fn of_plugin(status: WaitStatus) -> Self {
        Self::Plugin(match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => ExitStatus::Code(code),
            (None, Some(signal)) => ExitStatus::Signal(signal),
            (None, None) => ExitStatus::Unknown,
        })
    }

    /// Ends this process so that [`Ending::read`] reads this one: the exit code, if no signal has ended it.
    pub(super) fn end(self) -> ExitCode {
        let code = match self {
            Self::Plugin(ExitStatus::Code(code)) => code,
            Self::Plugin(ExitStatus::Signal(signal)) => SIGNALED + signal,
            Self::Plugin(ExitStatus::Unknown) => 1,
            Self::NotExecuted(fault) => end_by(fault.signal()),
            Self::Remaining => end_by(own::REMAINING),
            Self::GuardKilled(signal) => end_by(signal),
        };
        ExitCode::from(u8::try_from(code & 0xff).unwrap_or(u8::MAX))
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plugin(status) => write!(f, "{status}"),
            Self::NotExecuted(fault) => write!(f, "the entry cannot be executed: {fault}"),
            Self::Remaining => f.write_str("processes of the plugin are left that SIGKILL did not end"),
            Self::GuardKilled(signal) => {
                write!(f, "its guard was ended by signal {signal}; processes of the plugin may be left")
            }
        }
    }
}

/// Sends this process a signal that ends it; the code to end with, should it not.
fn end_by(signal: i32) -> i32 {
    let _ = signal_hook::low_level::raise(signal);
    SIGNALED + signal
}

/// Why an entry could not be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecFault {
    reason: Option<Errno>,
}

impl ExecFault {
    /// Whether it is the entry's own, and not one that passes (ruling Plugins 7).
    #[must_use]
    pub fn is_entry(&self) -> bool {
        self.reason.is_none_or(|reason| !is_passing(reason))
    }

    /// The fault of an error.
    pub(super) fn of(error: &io::Error) -> Self {
        Self { reason: Errno::from_io_error(error) }
    }

    /// The fault that a launcher ended with.
    pub(super) fn of_code(code: i32) -> Self {
        Self { reason: (1..u8::MAX.into()).contains(&code).then(|| Errno::from_raw_os_error(code)) }
    }

    /// The code that a launcher ends with.
    pub(super) fn code(self) -> u8 {
        self.reason.and_then(|reason| u8::try_from(reason.raw_os_error()).ok()).unwrap_or(u8::MAX)
    }

    fn of_signal(signal: i32) -> Self {
        let at = usize::try_from(signal - own::NOT_EXECUTED).unwrap_or(usize::MAX);
        let is_passed_on = own::NOT_EXECUTED != own::NOT_EXECUTED_LAST;
        Self { reason: REASONS.get(at).copied().filter(|_| is_passed_on) }
    }

    fn signal(self) -> i32 {
        let at = REASONS.iter().position(|reason| Some(*reason) == self.reason);
        at.and_then(|at| i32::try_from(at).ok())
            .map_or(own::NOT_EXECUTED_LAST, |at| (own::NOT_EXECUTED + at).min(own::NOT_EXECUTED_LAST))
    }
}

impl fmt::Display for ExecFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Some(Errno::NOENT) => {
                f.write_str("the file, or the interpreter that its first line names, does not exist")
            }
            Some(Errno::ACCESS) => f.write_str("the file is not executable: `chmod +x` makes it so"),
            Some(Errno::NOEXEC) => f.write_str(
                "the file is not a program of this system; a script names its interpreter in its first line, \
                 as in #!/usr/bin/env python3",
            ),
            Some(reason) => write!(f, "{}", io::Error::from(reason)),
            None => f.write_str("the system refuses to execute it"),
        }
    }
}

impl std::error::Error for ExecFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_guard_is_the_plugins() {
        let of_code = |code| Ending::read(Some(code), None);
        for code in [0, 1, 7, 127, 128, 193, 255] {
            assert_eq!(of_code(code), Ending::Plugin(ExitStatus::Code(code)));
        }
        for signal in [1, 9, 15, 64] {
            assert_eq!(of_code(128 + signal), Ending::Plugin(ExitStatus::Signal(signal)));
        }
        assert_eq!(Ending::read(None, Some(9)), Ending::GuardKilled(9));
        assert_eq!(Ending::read(None, Some(own::REMAINING)), Ending::Remaining);
        assert_eq!(Ending::read(None, None), Ending::Plugin(ExitStatus::Unknown));
        assert_eq!(of_code(3).to_string(), "exit code 3");
        assert!(Ending::GuardKilled(9).to_string().contains("guard was ended by signal 9"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_passes_is_not_blamed_on_the_entry_and_comes_through_as_such() {
        let passing =
            [Errno::NOMEM, Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::TXTBSY, Errno::IO, Errno::INTR];
        for errno in passing {
            let Ending::NotExecuted(fault) = Ending::read(None, Some(of(errno).signal())) else { panic!() };
            assert!(!fault.is_entry(), "{errno}");
        }
        for errno in [Errno::NOENT, Errno::ACCESS, Errno::NOEXEC, Errno::PERM, Errno::ISDIR, Errno::XDEV] {
            assert!(of(errno).is_entry(), "{errno}");
        }
    }

    #[cfg(target_os = "linux")]
    fn of(errno: Errno) -> ExecFault {
        let code = ExecFault::of(&io::Error::from(errno)).code();
        ExecFault::of_code(code.into())
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn each_reason_comes_through_and_others_are_one() {
        for reason in REASONS {
            let fault = ExecFault { reason: Some(reason) };
            assert_eq!(ExecFault::of_code(fault.code().into()), fault);
            assert_eq!(Ending::read(None, Some(fault.signal())), Ending::NotExecuted(fault));
        }
        for other in [Some(Errno::XDEV), None] {
            let signal = ExecFault { reason: other }.signal();
            assert_eq!(Ending::read(None, Some(signal)), Ending::NotExecuted(ExecFault { reason: None }));
        }
        assert_eq!(ExecFault::of_code(255), ExecFault { reason: None });
        assert_eq!(ExecFault { reason: None }.code(), 255);
        assert!(i32::try_from(REASONS.len()).unwrap() <= own::NOT_EXECUTED_LAST - own::NOT_EXECUTED);
    }
}
