//! The signals of a guard.

use std::{
    io::{self, Read as _},
    os::{fd::AsFd as _, unix::net::UnixStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use signal_hook::{
    consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1},
    flag, low_level,
};

/// The signals of this process from now on.
#[derive(Debug)]
pub(super) struct Signals {
    /// Holds a byte or more after a signal.
    wakes: UnixStream,
    is_asked_to_end: Arc<AtomicBool>,
    is_not_executed: Arc<AtomicBool>,
}

impl Signals {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn listen() -> io::Result<Self> {
        let (wakes, woken_by) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        let (is_asked_to_end, is_not_executed) = (Arc::default(), Arc::default());
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
            flag::register(signal, Arc::clone(&is_asked_to_end))?;
            low_level::pipe::register(signal, woken_by.try_clone()?)?;
        }
        flag::register(SIGUSR1, Arc::clone(&is_not_executed))?;
        // SIGCONT comes when the station is gone.
        low_level::pipe::register(SIGCONT, woken_by.try_clone()?)?;
        low_level::pipe::register(SIGCHLD, woken_by)?;
        Ok(Self { wakes, is_asked_to_end, is_not_executed })
    }

    /// Whether the host, or anybody else, asks for the end.
    pub(super) fn is_asked_to_end(&self) -> bool {
        self.is_asked_to_end.load(Ordering::Relaxed)
    }

    /// Whether the launcher said that it cannot become the plugin.
    pub(super) fn is_not_executed(&self) -> bool {
        self.is_not_executed.load(Ordering::Relaxed)
    }

    /// Waits for a signal or, with `sees_stdin`, for the other end of stdin to be closed, for so long at
    /// most. Whether it is closed. Bytes that come are the plugin's and wake nobody here.
    pub(super) fn wait(&self, sees_stdin: bool, most: Option<Duration>) -> bool {
        let stdin = io::stdin();
        let mut watched = [
            PollFd::from_borrowed_fd(self.wakes.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::empty()),
        ];
        let watched = if sees_stdin { &mut watched[..] } else { &mut watched[..1] };
        // A timeout that does not fit is longer than any.
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        if poll(watched, most.as_ref()) == Err(Errno::INTR) {
            return false;
        }
        let is_closed = watched.get(1).is_some_and(|stdin| !stdin.revents().is_empty());
        while matches!((&self.wakes).read(&mut [0; 64]), Ok(1..)) {}
        is_closed
    }
}
