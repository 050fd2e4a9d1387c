//! Reads the terminal on a thread of its own. The thread waits in `poll` for bytes, a new size, its end, or
//! the end of the terminal: crossterm's own waiting would spin for ever on a terminal that is gone.

use std::{
    io::{self, Read as _},
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    thread,
    time::Duration,
};

use crossterm::event;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::Signal,
    termios::OptionalActions,
};
use signal_hook::SigId;
use tokio::sync::mpsc;

use super::ui_thread::mark_ui_thread;
use crate::{
    console::ui::event::{Event, TerminalEvent},
    time::Clock,
    words,
};

/// Events that wait to be handled; the reader waits while so many do.
const WAITING_MAX: usize = 256;

/// How long crossterm waits for more of a burst. It looks at what it has read already only while this time
/// has not passed: one that is as short as a thread's turn away from its core leaves a key lying until the
/// next.
const BURST_GAP_MAX: Duration = Duration::from_millis(20);

/// After which silence the end of a burst is asked for again.
const SWEEP_AFTER: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// How often it is asked for. One answer may be wrong on a machine so busy that the thread lost its core for
/// all of [`BURST_GAP_MAX`].
const SWEEPS: u8 = 3;

/// How long a dropped reader is waited for. It is gone by then unless it is stuck within a half-read
/// sequence.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// A reader of the terminal. Dropping it ends the thread, unless that is stuck within a half-read sequence:
/// two would take each other's keys.
#[derive(Debug)]
pub(super) struct Input {
    stop: UnixStream,
    ended: std::sync::mpsc::Receiver<()>,
    signals: [SigId; 2],
}

impl Input {
    /// Starts reading.
    pub(super) fn spawn(
        terminal: OwnedFd,
        clock: Clock,
    ) -> io::Result<(Self, mpsc::Receiver<TerminalEvent>)> {
        let (stop, stopped) = UnixStream::pair()?;
        let (resized, winch) = signal_pipe(Signal::WINCH)?;
        let (continued, cont) = signal_pipe(Signal::CONT)?;
        let (sender, events) = mpsc::channel(WAITING_MAX);
        let (ends, ended) = std::sync::mpsc::sync_channel(0);
        thread::Builder::new().name("console-input".to_owned()).spawn(move || {
            let _ends: std::sync::mpsc::SyncSender<()> = ends;
            let _mark = mark_ui_thread();
            let reader = Reader { terminal, stopped, resized, continued, sender, clock };
            reader.run();
        })?;
        Ok((Self { stop, ended, signals: [winch, cont] }, events))
    }
}

/// A stream that becomes readable with each such signal.
fn signal_pipe(signal: Signal) -> io::Result<(UnixStream, SigId)> {
    let (told, tell) = UnixStream::pair()?;
    told.set_nonblocking(true)?;
    tell.set_nonblocking(true)?;
    Ok((told, signal_hook::low_level::pipe::register(signal.as_raw(), tell)?))
}

impl Drop for Input {
    fn drop(&mut self) {
        for signal in self.signals {
            signal_hook::low_level::unregister(signal);
        }
        let _ = self.stop.shutdown(std::net::Shutdown::Both);
        let _ = self.ended.recv_timeout(ENDS_WITHIN);
    }
}

/// Bytes of one paste that are taken; what lies behind is let go.
const PASTE_BYTES_MAX: usize = 1 << 20;

fn cut(mut text: String) -> String {
    text.truncate(words::floor(&text, PASTE_BYTES_MAX));
    text
}

/// Takes out what a stream of signals tells.
fn drain(pipe: &mut UnixStream) {
    let mut drained = [0; 64];
    while pipe.read(&mut drained).is_ok_and(|count| count > 0) {}
}

struct Reader {
    terminal: OwnedFd,
    stopped: UnixStream,
    resized: UnixStream,
    continued: UnixStream,
    sender: mpsc::Sender<TerminalEvent>,
    clock: Clock,
}

impl Reader {
    fn run(mut self) {
        // Bytes that crossterm has read and not yet told are in no file descriptor: it is asked at first and
        // after each burst again.
        let mut sweeps = SWEEPS;
        loop {
            let mut fds = [
                PollFd::new(&self.terminal, PollFlags::IN),
                PollFd::new(&self.stopped, PollFlags::IN),
                PollFd::new(&self.resized, PollFlags::IN),
                PollFd::new(&self.continued, PollFlags::IN),
            ];
            match poll(&mut fds, (sweeps > 0).then_some(&SWEEP_AFTER)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return self.hang_up(),
            }
            let [terminal, stopped, resized, continued] = fds.map(|fd| fd.revents());
            if !stopped.is_empty() {
                return;
            }
            if terminal.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
                return self.hang_up();
            }
            if continued.contains(PollFlags::IN) && !self.resume() {
                return;
            }
            if resized.contains(PollFlags::IN) && !self.resize() {
                return;
            }
            let readable = terminal.contains(PollFlags::IN);
            if readable || sweeps > 0 {
                sweeps = if readable { SWEEPS } else { sweeps - 1 };
                match self.read() {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(_) => return self.hang_up(),
                }
            }
        }
    }

    fn hang_up(&self) {
        let _ = self.sender.blocking_send(TerminalEvent::HangUp);
    }

    fn send(&self, event: Event) -> bool {
        self.sender.blocking_send(TerminalEvent::Event(event)).is_ok()
    }

    /// A process that was stopped and goes on finds the terminal as others left it: it is taken again, and
    /// its size may be another. Behind others it is left alone: to touch its mode there stops the
    /// process.
    fn resume(&mut self) -> bool {
        drain(&mut self.continued);
        let holder = rustix::termios::tcgetpgrp(self.terminal.as_fd());
        if holder.is_ok_and(|holder| holder != rustix::process::getpgrp()) {
            return true;
        }
        if let Ok(mut mode) = rustix::termios::tcgetattr(self.terminal.as_fd()) {
            mode.make_raw();
            let _ = rustix::termios::tcsetattr(self.terminal.as_fd(), OptionalActions::Now, &mode);
        }
        self.sender.blocking_send(TerminalEvent::Resumed).is_ok() && self.resize()
    }

    fn resize(&mut self) -> bool {
        drain(&mut self.resized);
        match rustix::termios::tcgetwinsize(self.terminal.as_fd()) {
            Ok(size) => self.send(Event::Resize { columns: size.ws_col, rows: size.ws_row }),
            Err(_) => true,
        }
    }

    /// Reads what is there, until nothing came for a while.
    fn read(&self) -> io::Result<bool> {
        while event::poll(BURST_GAP_MAX)? {
            // The moment of reading bounds the moment of typing from above, and all of one burst share what
            // came before any answer to it.
            let at = self.clock.now().mono;
            let taken = match event::read()? {
                event::Event::Key(key) => self.send(Event::Key { key, at }),
                event::Event::Mouse(mouse) => self.send(Event::Mouse(mouse)),
                event::Event::Paste(text) => self.send(Event::Paste(cut(text))),
                event::Event::Resize(columns, rows) => self.send(Event::Resize { columns, rows }),
                _ => true,
            };
            if !taken {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
