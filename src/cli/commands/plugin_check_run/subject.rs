//! One process of the plugin, with its pipes.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::mpsc,
    time::sleep,
};

use super::{
    seen::Seen,
    serve::{self, TOKEN},
};
use crate::{
    plugin::{
        capability::Granted,
        framing::{Frame, Framer},
        host::process::{Ending, GuardProcess, Launch, Process, SpawnError},
        panel::Schema,
        rpc::{self, Message, PluginError, RawJson},
    },
    time::Clock,
};

/// Writes that wait for the plugin.
const WRITES_MAX: usize = 4_096;
/// Writes of those that may be answers; requests have the rest.
const ANSWERS_MAX: usize = 512;
/// Frames that are handled before the other tasks have their turn.
const FRAMES_A_TURN: usize = 64;
/// Bytes of stderr that are kept.
const STDERR_BYTES_MAX: usize = 1 << 20;

/// What came on stderr.
#[derive(Debug, Default)]
pub(super) struct Stderr {
    pub(super) bytes: u64,
    kept: Vec<u8>,
}

impl Stderr {
    pub(super) fn has(&self, text: &str) -> bool {
        memchr::memmem::find(&self.kept, text.as_bytes()).is_some()
    }
}

/// One process of the plugin.
pub(super) struct Subject {
    pub(super) granted: Granted,
    pub(super) seen: Seen,
    pub(super) panel: Option<Schema>,
    pub(super) clock: Clock,
    pub(super) guard: GuardProcess,
    pub(super) ending: Option<Ending>,
    pub(super) is_stdout_closed: bool,
    pub(super) answers: HashMap<u64, Result<RawJson, PluginError>>,
    pub(super) stderr: Arc<Mutex<Stderr>>,
    /// Writes that were not taken.
    pub(super) waiting: Arc<AtomicUsize>,
    writes: mpsc::Sender<Vec<u8>>,
    stdout: ChildStdout,
    framer: Framer,
    last_id: u64,
}

/// What came of waiting.
enum Came {
    Bytes(usize),
    Ended(Ending),
    Nothing,
}

impl Subject {
    /// Starts the plugin. Needs a runtime.
    pub(super) fn start(launch: &Launch, granted: Granted, clock: Clock) -> Result<Self, SpawnError> {
        let Process { stdin, stdout, stderr, guard } = Process::spawn(launch)?;
        let (writes, queue) = mpsc::channel(WRITES_MAX);
        let (waiting, kept) = (Arc::default(), Arc::default());
        tokio::spawn(write(stdin, queue, Arc::clone(&waiting)));
        tokio::spawn(read_stderr(stderr, Arc::clone(&kept)));
        Ok(Self {
            granted,
            seen: Seen::default(),
            panel: None,
            clock,
            guard,
            ending: None,
            is_stdout_closed: false,
            answers: HashMap::new(),
            stderr: kept,
            waiting,
            writes,
            stdout,
            framer: Framer::new(),
            last_id: 0,
        })
    }

    /// The id of the next request.
    pub(super) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Queues one write; it is lost where too many wait.
    pub(super) fn write(&self, bytes: Vec<u8>) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if self.writes.try_send(bytes).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Queues an answer; of a flood of requests not all are answered.
    pub(super) fn write_answer(&self, bytes: Vec<u8>) {
        if self.writes.capacity() > WRITES_MAX - ANSWERS_MAX {
            self.write(bytes);
        }
    }

    /// Whether nothing can come any more.
    pub(super) fn is_over(&self) -> bool {
        self.ending.is_some() || self.is_stdout_closed || self.seen.broken.is_some()
    }

    /// Reads until it is so, or the time is over, or nothing can come; whether it is so.
    pub(super) async fn until(&mut self, within: Duration, is_so: impl Fn(&Self) -> bool) -> bool {
        let deadline = self.clock.mono() + within;
        loop {
            let has_more = self.take_frames();
            if is_so(self) {
                return true;
            }
            let reads = !self.is_stdout_closed && self.seen.broken.is_none();
            let wait = self.clock.until(deadline);
            if wait.is_zero() || (!reads && self.ending.is_some()) {
                return false;
            }
            if has_more {
                tokio::task::yield_now().await;
                continue;
            }
            match self.wait(reads, wait).await {
                Came::Bytes(0) => {
                    self.is_stdout_closed = true;
                    if let Err(broken) = self.framer.end() {
                        self.seen.broken.get_or_insert(broken);
                    }
                }
                Came::Ended(ending) => self.ending = Some(ending),
                Came::Bytes(_) | Came::Nothing => {}
            }
        }
    }

    async fn wait(&mut self, reads: bool, most: Duration) -> Came {
        let Self { framer, stdout, guard, ending, .. } = self;
        let mut buffer = framer.buffer();
        tokio::select! {
            read = stdout.read_buf(&mut buffer), if reads => Came::Bytes(read.unwrap_or(0)),
            ending = guard.wait(), if ending.is_none() => Came::Ended(ending),
            // Whether something was taken is looked at now and then.
            () = sleep(most.min(Duration::from_millis(20))) => Came::Nothing,
        }
    }

    /// Handles frames that are here; whether there may be more of them.
    fn take_frames(&mut self) -> bool {
        for _ in 0..FRAMES_A_TURN {
            match self.framer.poll_frame() {
                Ok(Some(frame)) => self.frame(&frame),
                Ok(None) => return false,
                Err(broken) => {
                    self.seen.broken.get_or_insert(broken);
                    return false;
                }
            }
        }
        true
    }

    fn frame(&mut self, frame: &Frame) {
        let body = frame.body();
        if frame.has_bare_lf() {
            self.seen.envelopes.add("a header line ends with LF instead of CRLF");
        }
        if memchr::memmem::find(&body, TOKEN.as_bytes()).is_some() {
            self.seen.token.add("it repeated the token in a message");
        }
        let incoming = rpc::read(&body);
        for lint in incoming.lints {
            self.seen.envelopes.add(lint.text());
        }
        match incoming.message {
            Err(refused) => self.seen.envelopes.add(refused.what),
            Ok(Message::Request { id, method, params }) => {
                self.seen.on_call(self.clock.mono());
                serve::call(self, Some(&id), &method, &params);
            }
            Ok(Message::Notification { method, params }) => {
                self.seen.on_call(self.clock.mono());
                serve::call(self, None, &method, &params);
            }
            Ok(Message::Answer { id, outcome, .. }) => {
                match id.filter(|id| (1..=self.last_id).contains(id)) {
                    Some(id) if self.answers.insert(id, outcome).is_none() => {}
                    _ => {
                        self.seen.unmatched += 1;
                        self.seen.envelopes.add("an answer to no open request");
                    }
                }
            }
        }
    }

    /// Ends the process and all that it started.
    pub(super) async fn end(&mut self) {
        self.guard.kill_tree();
        self.guard.wait().await;
    }
}

async fn write(mut stdin: ChildStdin, mut queue: mpsc::Receiver<Vec<u8>>, waiting: Arc<AtomicUsize>) {
    while let Some(bytes) = queue.recv().await {
        // A single byte is to be read alone.
        if bytes.len() == 1 {
            sleep(Duration::from_millis(1)).await;
        }
        if stdin.write_all(&bytes).await.is_err() {
            break;
        }
        waiting.fetch_sub(1, Ordering::Relaxed);
    }
    // Closing it ends the process.
    while queue.recv().await.is_some() {}
}

async fn read_stderr(mut stderr: ChildStderr, kept: Arc<Mutex<Stderr>>) {
    let mut buffer = vec![0; 4_096];
    while let Ok(read) = stderr.read(&mut buffer).await {
        if read == 0 {
            return;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += read as u64;
        if kept.kept.len() < STDERR_BYTES_MAX {
            kept.kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        }
    }
}
