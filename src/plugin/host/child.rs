//! The tasks of one process: they read and write its pipes, and wait for its end.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use bytes::BufMut as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::Notify,
    task::AbortHandle,
    time::timeout,
};

use super::{
    gated::{Behind, Goes},
    outbox::Outbox,
    process::{Ending, GuardProcess, Process},
    shared::Host,
};
use crate::{
    gate::{Held, Release, Stopped},
    ids::PluginId,
    plugin::{
        ExitStatus, Level, LogSource,
        framing::{Broken, Framer},
        session::{Permit, ReadBudget},
        supervisor::{ProcessInput, SpawnFault},
    },
    time::Mono,
};

/// How long what a process left in its pipes is read, after it is gone.
const LEFT_MAX: Duration = Duration::from_secs(1);

/// How often a guard is asked to end its plugin, and how many times before it is ended itself.
const KILL_EVERY: Duration = Duration::from_secs(1);
const KILLS_MAX: u32 = 6;

/// Bytes of stderr that are read at one time.
const STDERR_BYTES: usize = 16_384;
/// A read of this much says that the plugin writes faster than it is read.
const BUSY_BYTES: usize = 16_384;

/// What the tasks of a process share with the host.
#[derive(Debug, Default)]
pub(super) struct Child {
    pub(super) outbox: RefCell<Outbox>,
    /// Told when frames wait, or the process is gone.
    pub(super) queued: Notify,
    /// Told when answers have room again.
    pub(super) room: Notify,
    /// Told when the process is to be ended.
    pub(super) kill: Notify,
    /// Told when the process is gone.
    ended: Notify,
    is_ended: Cell<bool>,
    /// Whether it has written anything.
    has_read: Cell<bool>,
    /// Whether more than one turn's bytes were there to be read.
    pub(super) is_busy: Cell<bool>,
    /// Whether the gate holds a frame that came, or was put there as if it had.
    pub(super) is_frame_held: Cell<bool>,
    /// Told when a frame that was put there is let go.
    pub(super) released: Notify,
    /// What waits behind a frame that the gate holds.
    pub(super) behind: RefCell<Behind>,
}

impl Child {
    /// Waits until the process is gone.
    pub(super) async fn ended(&self) {
        if !self.is_ended.get() {
            self.ended.notified().await;
        }
    }

    /// How a frame leaves the gate; as it was, once the process is gone.
    pub(super) async fn released(&self, held: Held) -> Release {
        tokio::select! {
            biased;
            release = held => release,
            () = self.ended() => Release::as_it_was(),
        }
    }

    fn end(&self) {
        self.is_ended.set(true);
        self.ended.notify_waiters();
        self.queued.notify_one();
        self.room.notify_one();
    }
}

/// A process, as its tasks name it.
#[derive(Clone)]
pub(super) struct Tasks {
    pub(super) host: Rc<RefCell<Host>>,
    pub(super) child: Rc<Child>,
    pub(super) plugin: PluginId,
    pub(super) number: u64,
}

impl Tasks {
    fn input(&self, what: ProcessInput) {
        self.host.borrow_mut().process_input(&self.plugin, self.number, what);
    }

    /// Says that its guard is there.
    pub(super) fn spawned(&self, pid: u32) {
        self.input(ProcessInput::Spawned { pid });
    }

    /// Says that there is no process.
    pub(super) fn not_spawned(&self, fault: SpawnFault) {
        self.host.borrow_mut().on_gone(&self.plugin, self.number, false);
        self.input(ProcessInput::SpawnFailed(fault));
    }

    /// Serves a process until it is gone, and what it wrote was read.
    pub(super) async fn serve(self, process: Process) {
        let Process { stdin, stdout, stderr, guard } = process;
        let reader = tokio::task::spawn_local(self.clone().read(stdout));
        let log = tokio::task::spawn_local(self.clone().read_stderr(stderr));
        // Its end closes stdin, which is to be after that of the process.
        let writer = tokio::task::spawn_local(self.clone().write(stdin));
        let ending = self.wait(guard).await;
        self.child.end();
        let ends = [reader.abort_handle(), log.abort_handle(), writer.abort_handle()];
        let _ = timeout(LEFT_MAX, async {
            let _ = reader.await;
            let _ = log.await;
        })
        .await;
        // What a process that was left holds open is not read any more.
        ends.iter().for_each(AbortHandle::abort);
        let is_survived = matches!(ending, Ending::Remaining | Ending::GuardKilled(_));
        self.host.borrow_mut().on_gone(&self.plugin, self.number, is_survived);
        let (queued, behind) = (self.child.outbox.borrow().left(), self.child.behind.borrow().left());
        self.host.borrow().on_unsent((queued.0 + behind.0, queued.1 + behind.1));
        self.input(match ending {
            // What wrote something was executed.
            Ending::NotExecuted(fault) if !self.child.has_read.get() => {
                let why = format!("the entry was not executed: {fault}");
                ProcessInput::SpawnFailed(SpawnFault { is_entry: fault.is_entry(), why })
            }
            ending => ProcessInput::Exited(self.status(ending)),
        });
    }

    async fn wait(&self, mut guard: GuardProcess) -> Ending {
        let mut kills = 0;
        loop {
            tokio::select! {
                ending = guard.wait() => return ending,
                () = self.child.kill.notified(), if kills == 0 => kills = 1,
                () = tokio::time::sleep(KILL_EVERY), if kills > 0 => kills += 1,
            }
            // A plugin may stop its guard again and again.
            if kills > KILLS_MAX { guard.kill_all() } else { guard.kill_tree() }
        }
    }

    fn status(&self, ending: Ending) -> ExitStatus {
        let left = match ending {
            Ending::Remaining => "some of its processes were still there 5 s after they were killed",
            Ending::GuardKilled(_) => "its guard was killed: what it started may still run",
            Ending::Plugin(_) | Ending::NotExecuted(_) => return ending.status(),
        };
        self.host.borrow_mut().log(&self.plugin, Level::Error, LogSource::Host, left);
        match ending {
            Ending::GuardKilled(signal) => ExitStatus::Signal(signal),
            ending => ending.status(),
        }
    }

    /// Reads frames, as far as they may be read.
    async fn read(self, mut stdout: ChildStdout) {
        let mut framer = Framer::new();
        let limits = self.host.borrow().limits();
        let mut left = usize::try_from(limits.left_bytes_max).unwrap_or(usize::MAX);
        let mut is_held = false;
        loop {
            let permit = match self.take_frames(&mut framer).await {
                Ok(permit) => permit,
                Err(broken) => return self.input(ProcessInput::Broken(broken)),
            };
            let is_ended = self.child.is_ended.get();
            let most = match permit {
                _ if is_ended && left == 0 => return,
                _ if is_ended => left,
                Permit::Read(most) => most,
                permit => {
                    is_held = true;
                    self.hold(permit).await;
                    continue;
                }
            };
            if std::mem::take(&mut is_held) {
                self.input(ProcessInput::Resumed);
            }
            let mut buffer = framer.buffer().limit(most);
            // An error is an end as well.
            let read = stdout.read_buf(&mut buffer).await.unwrap_or_default();
            if read == 0 {
                return self.input(match framer.end() {
                    Ok(()) => ProcessInput::StdoutClosed,
                    Err(broken) => ProcessInput::Broken(broken),
                });
            }
            self.child.has_read.set(true);
            if self.child.is_ended.get() {
                left = left.saturating_sub(read);
            }
            self.child.is_busy.set(read >= most.min(BUSY_BYTES));
            self.input(ProcessInput::Read { bytes: read as u64 });
            // The others have their turn.
            tokio::task::yield_now().await;
            self.child.is_busy.set(false);
        }
    }

    /// Waits until more may be read.
    async fn hold(&self, permit: Permit) {
        self.input(ProcessInput::Held);
        let Permit::At(at) = permit else { return self.child.room.notified().await };
        self.wait_until(at).await;
    }

    /// Waits until then, or until the process is gone.
    async fn wait_until(&self, at: Mono) {
        let wait = self.host.borrow().until(at);
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = self.child.ended.notified() => {}
        }
    }

    /// Hands in the frames that were read, as far as they may be taken; what may be read then.
    async fn take_frames(&self, framer: &mut Framer) -> Result<Permit, Broken> {
        loop {
            self.wait_for_put().await;
            let Stopped { held, notice, frame } = {
                let mut host = self.host.borrow_mut();
                let permit = host.permit(&self.plugin, self.number);
                if !self.child.is_ended.get() && !matches!(permit, Permit::Read(_)) {
                    return Ok(permit);
                }
                let Some(frame) = framer.poll_frame()? else { return Ok(permit) };
                match host.take_frame(&self.plugin, self.number, frame) {
                    Goes::On => continue,
                    Goes::Held(held) => held,
                }
            };
            self.child.is_frame_held.set(true);
            self.input(ProcessInput::Held);
            let release = self.child.released(held).await;
            self.child.is_frame_held.set(false);
            self.input(ProcessInput::Resumed);
            self.host.borrow_mut().pass_frame(&self.plugin, self.number, notice, frame, release);
        }
    }

    /// Waits while the gate holds a frame that was put in front of what the plugin writes next.
    async fn wait_for_put(&self) {
        if !self.child.is_frame_held.get() {
            return;
        }
        self.input(ProcessInput::Held);
        while self.child.is_frame_held.get() {
            self.child.released.notified().await;
        }
        self.input(ProcessInput::Resumed);
    }

    /// Reads stderr, as far as its own budget permits: what is over it waits in the pipe.
    async fn read_stderr(self, mut stderr: ChildStderr) {
        let mut buffer = vec![0; STDERR_BYTES];
        let limits = self.host.borrow().limits();
        let mut budget = ReadBudget::new(self.host.borrow().now().mono, &limits);
        let mut left = usize::try_from(limits.left_bytes_max).unwrap_or(usize::MAX);
        loop {
            let permit = budget.permit(self.host.borrow().now().mono);
            let most = match permit {
                _ if self.child.is_ended.get() => left,
                Permit::At(at) => {
                    self.wait_until(at).await;
                    continue;
                }
                Permit::Read(most) => most,
                Permit::Full => break,
            };
            let most = most.min(buffer.len());
            // None may be left to read.
            let Ok(read @ 1..) = stderr.read(&mut buffer[..most]).await else { break };
            budget.on_bytes(self.host.borrow().now().mono, read as u64);
            if self.child.is_ended.get() {
                left = left.saturating_sub(read);
            }
            self.host.borrow_mut().stderr(&self.plugin, &buffer[..read]);
            tokio::task::yield_now().await;
        }
        self.host.borrow_mut().stderr_ended(&self.plugin);
    }

    /// Writes what waits, as fast as it is taken.
    async fn write(self, mut stdin: ChildStdin) {
        loop {
            let next = self.child.outbox.borrow_mut().next();
            let Some(next) = next else {
                self.child.queued.notified().await;
                continue;
            };
            match stdin.write(&next).await {
                Ok(written) if written > 0 => self.on_written(written),
                // Nobody reads any more: its end comes.
                Ok(_) | Err(_) => std::future::pending().await,
            }
        }
    }

    fn on_written(&self, bytes: usize) {
        let of = self.child.outbox.borrow_mut().on_taken(bytes);
        for (lane, taken) in of {
            if taken.bytes > 0 {
                let super::outbox::Taken { messages, bytes } = taken;
                self.input(ProcessInput::Taken { lane, messages, bytes });
            }
        }
        self.child.room.notify_one();
    }
}
