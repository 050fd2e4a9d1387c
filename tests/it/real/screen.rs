//! The real binary in a real pseudo-terminal, and its screen as a person would see it.

use std::{
    io::{Read, Write},
    num::NonZero,
    path::Path,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// How long a test waits for a screen that must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// What enters the alternate screen.
const ENTER: &[u8] = b"\x1b[?1049h";

/// What ends a frame.
const FRAME_END: &[u8] = b"\x1b[?2026l";

struct ParsedScreen {
    parser: vt100::Parser,
    /// The screen as it was at the end of the last whole frame.
    framed: String,
    /// Every whole frame since it was asked for.
    frames: Option<Vec<String>>,
    raw: Vec<u8>,
    /// How often the alternate screen was entered.
    entered: usize,
    ended: bool,
}

impl ParsedScreen {
    fn process(&mut self, bytes: &[u8]) {
        let from = self.raw.len();
        self.raw.extend_from_slice(bytes);
        self.entered +=
            memchr::memmem::find_iter(&self.raw[from.saturating_sub(ENTER.len() - 1)..], ENTER).count();
        // A frame's end may be split between two reads.
        let mut done = from;
        let ends: Vec<_> =
            memchr::memmem::find_iter(&self.raw[from.saturating_sub(FRAME_END.len() - 1)..], FRAME_END)
                .map(|at| from.saturating_sub(FRAME_END.len() - 1) + at + FRAME_END.len())
                .collect();
        for end in ends {
            self.parser.process(&self.raw[done..end]);
            done = end;
            self.framed = self.parser.screen().contents();
            if let Some(frames) = &mut self.frames {
                frames.push(self.framed.clone());
            }
        }
        self.parser.process(&self.raw[done..]);
    }

    /// What a person sees: whole frames, or whatever was written outside of the console's screen.
    fn contents(&self) -> String {
        if self.parser.screen().alternate_screen() {
            self.framed.clone()
        } else {
            self.parser.screen().contents()
        }
    }
}

/// A terminal with the console in it.
pub(crate) struct Terminal {
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<(Mutex<ParsedScreen>, Condvar)>,
    stalled: Arc<AtomicBool>,
    gone: Arc<AtomicBool>,
    entered: Arc<AtomicUsize>,
}

impl Terminal {
    /// Starts the console in a terminal of this size.
    pub(crate) fn start(data: &Path, columns: u16, rows: u16, args: &[&str]) -> Self {
        let mut words = vec![
            env!("CARGO_BIN_EXE_rl-console").to_owned(),
            "--data".to_owned(),
            data.display().to_string(),
        ];
        words.extend(args.iter().map(|&arg| arg.to_owned()));
        Self::run(data, columns, rows, &words)
    }

    /// Starts any command line in a terminal of this size.
    pub(crate) fn run(data: &Path, columns: u16, rows: u16, words: &[String]) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(&words[0]);
        command.args(&words[1..]);
        command.cwd(data);
        let home = data.join("home");
        command.env_clear();
        for (name, value) in [
            ("HOME", home.clone()),
            ("XDG_CONFIG_HOME", home.join("config")),
            ("XDG_STATE_HOME", home.join("state")),
        ] {
            command.env(name, value);
        }
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // Stations of tests run beside one another.
        command.env("RL_CONSOLE_GRPC", "0");
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("RUST_BACKTRACE", "0");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let parser = vt100::Parser::new(nonzero(rows), nonzero(columns), 0);
        let seen = Arc::new((
            Mutex::new(ParsedScreen {
                parser,
                framed: String::new(),
                frames: None,
                raw: Vec::new(),
                entered: 0,
                ended: false,
            }),
            Condvar::new(),
        ));
        let stalled = Arc::new(AtomicBool::new(false));
        let reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let gone = Arc::new(AtomicBool::new(false));
        let entered = Arc::new(AtomicUsize::new(0));
        spawn_reader(
            reader,
            Arc::clone(&seen),
            Arc::clone(&stalled),
            Arc::clone(&gone),
            Arc::clone(&entered),
        );
        Self { master: Some(pair.master), keys: Some(keys), child, seen, stalled, gone, entered }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// SIGKILL, and waits until it is gone.
    pub(crate) fn kill(mut self) {
        let pid = rustix::process::Pid::from_raw(self.pid().cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        self.child.wait().unwrap();
    }

    /// What any other process of this terminal has it as.
    pub(crate) fn tty(&self) -> std::fs::File {
        let path = self.master.as_ref().unwrap().tty_name().unwrap();
        let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
        std::fs::File::from(rustix::fs::open(path, flags, rustix::fs::Mode::empty()).unwrap())
    }

    /// Types.
    pub(crate) fn keys(&mut self, text: &str) {
        let keys = self.keys.as_mut().unwrap();
        keys.write_all(text.as_bytes()).unwrap();
        keys.flush().unwrap();
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.seen.0.lock().unwrap().parser.screen_mut().set_size(nonzero(rows), nonzero(columns));
        self.master.as_ref().unwrap().resize(size).unwrap();
    }

    /// Stops reading what the console writes, or reads on.
    pub(crate) fn stall(&self, stalled: bool) {
        self.stalled.store(stalled, Ordering::SeqCst);
    }

    /// Waits until the screen is as wanted, and gives its text.
    pub(crate) fn wait(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let (seen, changed) = &*self.seen;
        let guard = seen.lock().unwrap();
        let (guard, timeout) = changed
            .wait_timeout_while(guard, PATIENCE, |seen| !wanted(&seen.contents()) && !seen.ended)
            .unwrap();
        let text = guard.contents();
        assert!(wanted(&text), "never came: {what} (timed out: {})\n{text}", timeout.timed_out());
        text
    }

    /// The text of the screen as it is.
    pub(crate) fn text(&self) -> String {
        self.seen.0.lock().unwrap().contents()
    }

    /// Waits until the screen has this text.
    pub(crate) fn shows(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits until the Deck shows how the station of the sample pack stands: before that, keys find nothing
    /// to act on.
    pub(crate) fn stable_text(&self) -> String {
        self.wait("the station", |screen| {
            ["Queues", "boss", "LIVE"].iter().all(|words| screen.contains(words))
        })
    }

    /// Types, and waits until what came of it is written, if anything was.
    pub(crate) fn wait_stable(&mut self, text: &str) {
        let (quiet, patience) = (Duration::from_millis(10), Duration::from_millis(100));
        let mut before = self.seen.0.lock().unwrap().raw.len();
        self.keys(text);
        let (seen, changed) = &*self.seen;
        let mut wait = patience;
        loop {
            let is_same = |seen: &mut ParsedScreen| seen.raw.len() == before && !seen.ended;
            let (guard, timeout) = changed.wait_timeout_while(seen.lock().unwrap(), wait, is_same).unwrap();
            if timeout.timed_out() || guard.ended {
                return;
            }
            (before, wait) = (guard.raw.len(), quiet);
        }
    }

    /// Goes from pane to pane until the screen has this text, which one of them shows when it has the keys.
    pub(crate) fn tab_to(&mut self, text: &str) -> String {
        // What else a title says may change by itself.
        let focused = |screen: &str| screen.split_once("┌ ▸ ")?.1.split([' ', ',']).next().map(str::to_owned);
        for _ in 0..12 {
            let screen = self.text();
            if screen.contains(text) {
                break;
            }
            self.keys("\t");
            let before = focused(&screen);
            self.wait("another pane", |screen| focused(screen) != before);
        }
        self.shows(text)
    }

    /// From now on every frame is kept, the one that is shown first.
    pub(crate) fn record_frames(&self) {
        let mut seen = self.seen.0.lock().unwrap();
        seen.frames = Some(vec![seen.framed.clone()]);
    }

    /// The frames that were kept so far, and all that was written.
    pub(crate) fn recorded_frames(&self) -> (Vec<String>, Vec<u8>) {
        let seen = self.seen.0.lock().unwrap();
        (seen.frames.clone().unwrap_or_default(), seen.raw.clone())
    }

    /// Whether these bytes were written so far.
    pub(crate) fn has_written(&self, bytes: &[u8]) -> bool {
        memchr::memmem::find(&self.seen.0.lock().unwrap().raw, bytes).is_some()
    }

    /// Waits until these bytes are written.
    pub(crate) fn writes(&self, bytes: &[u8]) {
        let (seen, changed) = &*self.seen;
        let is_there = |seen: &ParsedScreen| memchr::memmem::find(&seen.raw, bytes).is_some();
        let guard = seen.lock().unwrap();
        let (guard, _) =
            changed.wait_timeout_while(guard, PATIENCE, |seen| !is_there(seen) && !seen.ended).unwrap();
        assert!(is_there(&guard), "never written: {:?}", String::from_utf8_lossy(bytes));
    }

    /// How often the alternate screen was entered.
    pub(crate) fn entered(&self) -> usize {
        self.entered.load(Ordering::SeqCst)
    }

    /// Pulls the plug: the terminal is gone.
    pub(crate) fn hang_up(&mut self) {
        self.keys = None;
        self.master = None;
        self.gone.store(true, Ordering::SeqCst);
    }

    /// Waits until the process has ended.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Whether what was written last leaves the terminal as it was found.
    pub(crate) fn assert_restored(&self) {
        let (seen, changed) = &*self.seen;
        let (guard, _) =
            changed.wait_timeout_while(seen.lock().unwrap(), PATIENCE, |seen| !seen.ended).unwrap();
        let raw = String::from_utf8_lossy(&guard.raw).into_owned();
        let screen = guard.parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is still on");
        assert!(!screen.hide_cursor(), "the cursor is still hidden");
        assert!(!screen.bracketed_paste(), "bracketed paste is still on");
        assert_eq!(
            screen.mouse_protocol_mode(),
            vt100::MouseProtocolMode::None,
            "the mouse is still captured"
        );
        assert!(raw.matches("\x1b[?1049l").count() >= 1, "the alternate screen was never left");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::SeqCst);
        self.stalled.store(false, Ordering::SeqCst);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn nonzero(length: u16) -> NonZero<u16> {
    NonZero::new(length).unwrap()
}

fn spawn_reader(
    mut reader: Box<dyn Read + Send>,
    seen: Arc<(Mutex<ParsedScreen>, Condvar)>,
    stalled: Arc<AtomicBool>,
    gone: Arc<AtomicBool>,
    entered: Arc<AtomicUsize>,
) {
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            while stalled.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(2));
            }
            if gone.load(Ordering::SeqCst) {
                return;
            }
            let read = reader.read(&mut buffer);
            let (state, changed) = &*seen;
            // A wait that failed has left it poisoned: the test has said so already.
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            match read {
                Ok(bytes) if bytes > 0 => {
                    state.process(&buffer[..bytes]);
                    entered.store(state.entered, Ordering::SeqCst);
                }
                Ok(_) | Err(_) => state.ended = true,
            }
            let ended = state.ended;
            drop(state);
            changed.notify_all();
            if ended {
                return;
            }
        }
    });
}
