//! The signals that end a program.

use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

use super::error::Error;

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGTERM.
    Terminate,
    /// SIGINT, Ctrl-C.
    Interrupt,
    /// SIGHUP: the terminal is gone.
    HangUp,
}

/// The signals of this process from now on.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Stream,
    interrupt: Stream,
    hang_up: Stream,
}

impl Signals {
    /// Begins to listen. Needs a runtime.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn listen() -> Result<Self, Error> {
        let open = |kind| signal(kind).map_err(Error::io("signals"));
        Ok(Self {
            terminate: open(SignalKind::terminate())?,
            interrupt: open(SignalKind::interrupt())?,
            hang_up: open(SignalKind::hangup())?,
        })
    }

    /// The next signal. Safe to be dropped while it waits.
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.hang_up.recv() => Signal::HangUp,
        }
    }

    /// The next signal that asks for an end: SIGTERM or SIGINT, and SIGHUP for those who live on a terminal.
    pub(crate) async fn end(&mut self) {
        self.next().await;
    }
}
