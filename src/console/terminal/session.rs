//! A taken terminal, and giving it back exactly once, whoever does it.

use std::{
    fs::File,
    io::{self, Write as _},
    os::fd::{AsFd, OwnedFd},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags},
};
use tokio::sync::mpsc;

use super::{input::Input, mailbox::Mailbox, sequences, writer};
use crate::{
    console::{settings::config::ConsoleError, ui::event::TerminalEvent},
    time::Clock,
};

/// The means to give the terminal back.
struct TakenTerminal {
    output: File,
    mailbox: Arc<Mailbox>,
}

static TAKEN: Mutex<Option<TakenTerminal>> = Mutex::new(None);

/// How long handed frames may take to leave at the end. A slow terminal needs some of it, a stalled one all.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long the terminal may then take until it has room for what gives it back.
const ROOM_WITHIN: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

/// A taken terminal. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct TerminalSession {
    pub(crate) mailbox: Arc<Mailbox>,
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    _input: Input,
}

impl TerminalSession {
    /// Takes the terminal: raw mode, the alternate screen, bracketed paste, the mouse.
    pub(crate) fn enter(
        mouse: bool,
        clock: Clock,
    ) -> Result<(Self, mpsc::Receiver<TerminalEvent>), ConsoleError> {
        let stdout = io::stdout();
        if !rustix::termios::isatty(stdout.as_fd()) {
            return Err(ConsoleError::NotATerminal { what: "the standard output" });
        }
        let output = stdout.as_fd().try_clone_to_owned()?;
        let size = rustix::termios::tcgetwinsize(output.as_fd()).map_err(io::Error::from)?;
        let mailbox = Arc::new(Mailbox::default());
        let (input, events) = Input::spawn(keyboard()?, clock)?;
        crossterm::style::force_color_output(true);
        crossterm::terminal::enable_raw_mode()?;
        let taken = TakenTerminal { output: File::from(output.try_clone()?), mailbox: Arc::clone(&mailbox) };
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(taken);
        let session =
            Self { mailbox: Arc::clone(&mailbox), columns: size.ws_col, rows: size.ws_row, _input: input };
        writer::spawn(Arc::clone(&mailbox), File::from(output), clock)?;
        // An empty mailbox takes it.
        let _ = mailbox.put(sequences::enter(mouse));
        Ok((session, events))
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        restore();
    }
}

/// The terminal that keys come from.
fn keyboard() -> Result<OwnedFd, ConsoleError> {
    let stdin = io::stdin();
    if rustix::termios::isatty(stdin.as_fd()) {
        return Ok(stdin.as_fd().try_clone_to_owned()?);
    }
    rustix::fs::open("/dev/tty", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(|_| ConsoleError::NotATerminal { what: "the standard input" })
}

/// Whether the console has the terminal.
pub(super) fn is_active() -> bool {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Gives the terminal back, if it is taken. Never waits long: a terminal that takes no bytes is left as it is
/// but for its mode.
pub(super) fn restore() {
    let Some(mut taken) = TAKEN.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
    taken.mailbox.close(PATIENCE);
    let mut fds = [PollFd::new(&taken.output, PollFlags::OUT)];
    let is_ready = matches!(poll(&mut fds, Some(&ROOM_WITHIN)), Ok(1..));
    let is_ready = is_ready && fds[0].revents().contains(PollFlags::OUT);
    if is_ready {
        let _ = taken.output.write_all(&sequences::leave());
    }
    let _ = crossterm::terminal::disable_raw_mode();
}
