//! A program in a pseudo-terminal, its screen as a person sees it, and its frames one by one.

use std::{
    io::{Read, Write},
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, WrapErr, bail, eyre};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::process::Process;

/// What ends a frame (synchronized output).
const FRAME_END: &[u8] = b"\x1b[?2026l";
/// What asks a terminal where its cursor is, and what one answers.
const CURSOR_ASKED: &[u8] = b"\x1b[6n";
const CURSOR_ANSWER: &str = "\x1b[1;1R";
/// How long anything is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes with the moment at which they were read.
struct Chunk {
    at: Instant,
    bytes: Vec<u8>,
}

/// A program in a terminal.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Chunk>,
    keys: Box<dyn Write + Send>,
    parser: vt100::Parser,
    started: Instant,
    /// The bytes of the frame that has begun.
    open: Vec<u8>,
    /// The lengths of the frames since they were last taken.
    frames: Vec<usize>,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Starts a program, with `home` as the folder of all its files.
    ///
    /// # Errors
    /// There is no such program, or no pseudo-terminal.
    pub(crate) fn start(program: &Path, args: &[&str], home: &Path, columns: u16, rows: u16) -> Result<Self> {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).map_err(|error| eyre!("{error}"))?;
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(home);
        command.env_clear();
        command.env("HOME", home);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        let mut reader = pair.master.try_clone_reader().map_err(|error| eyre!("{error}"))?;
        let (send, output) = sync_channel(1_024);
        thread::spawn(move || {
            let mut buffer = vec![0; 65_536];
            while let Ok(read) = reader.read(&mut buffer) {
                let chunk = Chunk { at: Instant::now(), bytes: buffer[..read].to_vec() };
                if read == 0 || send.send(chunk).is_err() {
                    break;
                }
            }
        });
        let keys = pair.master.take_writer().map_err(|error| eyre!("{error}"))?;
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).map_err(|error| eyre!("{error}"))?;
        let parser = vt100::Parser::new(rows.try_into()?, columns.try_into()?, 0);
        Ok(Self {
            child,
            output,
            keys,
            parser,
            started,
            open: Vec::new(),
            frames: Vec::new(),
            _master: pair.master,
        })
    }

    /// The process.
    ///
    /// # Errors
    /// It has ended.
    pub(crate) fn process(&self) -> Result<Process> {
        self.child.process_id().map(Process).ok_or_else(|| eyre!("the program has ended"))
    }

    /// How many rows the screen has.
    pub(crate) fn rows(&self) -> usize {
        let (rows, _) = self.parser.screen().size();
        rows.get().into()
    }

    /// A line of the screen.
    pub(crate) fn line(&self, row: usize) -> String {
        let (_, columns) = self.parser.screen().size();
        self.parser.screen().rows(0, columns.into()).nth(row).unwrap_or_default()
    }

    /// A line of the screen with its colours.
    pub(crate) fn drawn(&self, row: usize) -> String {
        let (_, columns) = self.parser.screen().size();
        self.parser.screen().rows_formatted(0, columns.into()).nth(row).unwrap_or_default()
    }

    /// The first line with these words.
    pub(crate) fn find(&self, words: &str) -> Option<usize> {
        let (_, columns) = self.parser.screen().size();
        self.parser.screen().rows(0, columns.into()).position(|line| line.contains(words))
    }

    /// The lengths of the frames since the last call, in bytes.
    pub(crate) fn take_frames(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.frames)
    }

    /// Types.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn keys(&mut self, text: &str) -> Result<()> {
        self.keys.write_all(text.as_bytes()).and_then(|()| self.keys.flush()).wrap_err("typing")
    }

    /// Time from just before the start until the screen has these words; the rest of the bytes they came with
    /// may lie unread.
    ///
    /// # Errors
    /// They never came.
    pub(crate) fn first(&mut self, words: &str) -> Result<Duration> {
        let deadline = Instant::now() + PATIENCE;
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            let Ok(chunk) = self.output.recv_timeout(left) else { break };
            if chunk.bytes.windows(CURSOR_ASKED.len()).any(|window| window == CURSOR_ASKED) {
                self.keys(CURSOR_ANSWER)?;
            }
            self.take(&chunk);
            if self.find(words).is_some() {
                return Ok(chunk.at.duration_since(self.started));
            }
        }
        bail!("{words:?} never came")
    }

    /// Lets time pass, taking in all that comes.
    pub(crate) fn pass(&mut self, time: Duration) {
        let deadline = Instant::now() + time;
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            match self.output.recv_timeout(left) {
                Ok(chunk) => self.take(&chunk),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
    }

    /// Waits for the end of a frame, if one comes within a time.
    pub(crate) fn next_frame(&mut self, time: Duration) {
        let deadline = Instant::now() + time;
        let frames = self.frames.len();
        while self.frames.len() == frames
            && let Some(left) = deadline.checked_duration_since(Instant::now())
        {
            self.pass(left.min(Duration::from_millis(5)));
        }
    }

    /// The moment at which the frame was read whole after which the screen is as wanted.
    ///
    /// # Errors
    /// It never was.
    pub(crate) fn shown(&mut self, wanted: impl Fn(&Self) -> bool) -> Result<Instant> {
        let deadline = Instant::now() + PATIENCE;
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            let Ok(chunk) = self.output.recv_timeout(left) else { break };
            let frames = self.frames.len();
            self.take(&chunk);
            if self.frames.len() > frames && wanted(self) {
                return Ok(chunk.at);
            }
        }
        bail!("a key has changed nothing")
    }

    fn take(&mut self, chunk: &Chunk) {
        self.parser.process(&chunk.bytes);
        self.open.extend_from_slice(&chunk.bytes);
        let mut begin = 0;
        while let Some(at) =
            self.open[begin..].windows(FRAME_END.len()).position(|window| window == FRAME_END)
        {
            let end = at + FRAME_END.len();
            self.frames.push(end);
            begin += end;
        }
        self.open.drain(..begin);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
