//! Frames that the gate stops: before the supervisor takes them, and before they are written to a plugin.
//!
//! A plugin whose frame is held is not read. What is to be written behind a held frame waits here, and
//! counts for the supervisor as what was not taken yet. A frame that carries a credential, and the
//! handshake, are never held.

use std::{cell::RefCell, collections::VecDeque, rc::Rc, sync::Arc};

use bytes::Bytes;

use super::{child::Child, shared::Host};
use crate::{
    gate::{Look, Notice, Offer, Release, Stopped, Taken, Waits},
    ids::{Peer, PluginId, Seq, TraceId},
    plugin::{
        Head, Stand,
        framing::{Frame, Framer},
        session::Lane,
        supervisor::{Input, ProcessInput, Supervisor},
    },
    tap::{
        Draft, Tap,
        entry::{Direction, FrameOrigin, Head as AnyHead, Link, Verdict, What, gate::Passing},
    },
    time::Now,
};

/// What waits to be written behind a frame that the gate holds.
#[derive(Debug, Default)]
pub(super) struct Behind {
    is_held: bool,
    frames: VecDeque<Outgoing>,
}

/// A frame that is to be written.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) frame: Bytes,
    pub(super) lane: Lane,
    pub(super) head: Head,
    pub(super) trace: Option<TraceId>,
    pub(super) cause: Option<Seq>,
    /// Who made it by hand, and how.
    pub(super) origin: Option<Arc<FrameOrigin>>,
}

/// What becomes of a frame that a plugin wrote.
pub(super) enum Goes {
    /// It was handed in, or dropped.
    On,
    /// It waits.
    Held(Stopped<FrameOfPlugin>),
}

/// A frame of a plugin, and who made it by hand, and how.
pub(super) type FrameOfPlugin = (Frame, Option<Arc<FrameOrigin>>);

/// What the supervisor says of a frame.
struct AtSupervisor<'a> {
    core: &'a Supervisor,
    tap: &'a Tap,
    now: Now,
    stand: Stand,
    bytes: &'a [u8],
    head: Head,
}

impl Look for AtSupervisor<'_> {
    fn head(&self) -> Option<AnyHead> {
        matches!(self.stand, Stand::To(_)).then(|| AnyHead::Plugin(self.head.clone()))
    }

    fn judged(&self) -> (AnyHead, Verdict) {
        match self.core.judge(self.now, &self.stand, self.bytes) {
            Ok(judged) => (judged.head, judged.verdict.unwrap_or(Verdict::Sent)),
            Err(_) => (AnyHead::Plugin(self.head.clone()), Verdict::Sent),
        }
    }

    /// A credential is neither held nor shown.
    fn is_secret(&self) -> bool {
        self.tap.finds_token(Link::Plugin, self.bytes)
    }
}

impl Host {
    fn ask_gate(
        &self,
        now: Now,
        plugin: &PluginId,
        direction: Direction,
        bytes: &[u8],
        head: Head,
    ) -> Option<Box<Taken>> {
        if !self.gate.is_armed(Link::Plugin, direction) || !self.core.is_greeted(plugin) {
            return None;
        }
        let stand = match direction {
            Direction::Inbound => Stand::From(plugin.clone()),
            Direction::Outbound => Stand::To(plugin.clone()),
        };
        let peer = Peer::new(plugin.as_str());
        let look = AtSupervisor { core: &self.core, tap: &self.tap, now, stand, bytes, head };
        let origin = self.origin(direction);
        let offer = Offer { link: Link::Plugin, direction, peer: &peer, bytes, origin };
        self.gate.offer(now, &offer, &look).taken()
    }

    /// A frame came: it is handed in, unless the gate stops it.
    pub(super) fn take_frame(&mut self, plugin: &PluginId, process: u64, frame: Frame) -> Goes {
        let now = self.clock.now();
        let head = Head::new(plugin.clone());
        let Some(taken) = self.ask_gate(now, plugin, Direction::Inbound, frame.wire(), head) else {
            self.frame(plugin, process, frame);
            return Goes::On;
        };
        let (notice, waits) = taken.tell(|what| self.tell(what, frame.wire(), None, None));
        let frame = (frame, self.origin(Direction::Inbound));
        match waits {
            Waits::Held(waiting) => Goes::Held(Stopped { held: waiting, notice, frame }),
            Waits::Not(release) => {
                self.pass_frame(plugin, process, notice, frame, release);
                Goes::On
            }
        }
    }

    /// A frame that was stopped goes on.
    pub(super) fn pass_frame(
        &mut self,
        plugin: &PluginId,
        process: u64,
        notice: Notice,
        (frame, made): FrameOfPlugin,
        release: Release,
    ) {
        let (seq, origin) = self.tell_passed(notice, &release, None);
        self.putting = origin.or(made).map(|origin| (Direction::Inbound, origin));
        self.passed = Some(seq);
        match release.how {
            Passing::Dropped => {}
            Passing::Cut => self.process_input(plugin, process, ProcessInput::StdoutClosed),
            Passing::Duplicated => {
                self.frame(plugin, process, frame.clone());
                self.frame(plugin, process, frame);
            }
            Passing::AsItWas | Passing::Edited | Passing::TimedOut | Passing::Delayed => {
                match release.bytes {
                    Some(changed) => self.hand_in_changed(plugin, process, &changed),
                    None => self.frame(plugin, process, frame),
                }
            }
        }
        (self.passed, self.putting) = (None, None);
    }

    fn hand_in_changed(&mut self, plugin: &PluginId, process: u64, changed: &[u8]) {
        let mut framer = Framer::new();
        framer.push(changed);
        match framer.poll_frame() {
            Ok(Some(frame)) => self.frame(plugin, process, frame),
            Ok(None) => {}
            Err(broken) => self.process_input(plugin, process, ProcessInput::Broken(broken)),
        }
    }

    /// A frame is to be written: it waits where the gate holds it, or one before it.
    pub(super) fn send(&mut self, now: Now, plugin: &PluginId, process: u64, out: Outgoing) {
        let child = self.children.get(plugin).filter(|(number, _)| *number == process);
        let Some(child) = child.map(|(_, child)| Rc::clone(child)) else {
            self.emit_frame(now, Direction::Outbound, out.head, None, out.trace, &out.frame);
            return;
        };
        if child.behind.borrow().is_held {
            child.behind.borrow_mut().frames.push_back(out);
            return;
        }
        let taken = self.ask_gate(now, plugin, Direction::Outbound, &out.frame, out.head.clone());
        let Some(taken) = taken else { return self.write_out(now, &child, out, true) };
        let (notice, waits) = taken.tell(|what| self.tell(what, &out.frame, out.cause, out.trace));
        match waits {
            Waits::Held(held) => {
                child.behind.borrow_mut().is_held = true;
                let (own, plugin) = (self.own.clone(), plugin.clone());
                tokio::task::spawn_local(async move {
                    let release = tokio::select! {
                        biased;
                        release = held => release,
                        // It reads nothing more: what waits is not sent.
                        () = child.ended() => {
                            if let Some(host) = own.upgrade() {
                                host.borrow().tell_passed(notice, &Release::dropped(), out.trace);
                            }
                            return;
                        }
                    };
                    if let Some(host) = own.upgrade() {
                        release_out(&host, &plugin, process, &child, notice, out, release);
                    }
                });
            }
            Waits::Not(release) => self.pass_out(now, plugin, process, &child, notice, out, release),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what is let go, where it goes and how")]
    fn pass_out(
        &mut self,
        now: Now,
        plugin: &PluginId,
        process: u64,
        child: &Child,
        notice: Notice,
        out: Outgoing,
        release: Release,
    ) {
        let (seq, origin) = self.tell_passed(notice, &release, out.trace);
        let cause = self.cause.replace(seq);
        let origin = origin.or_else(|| out.origin.clone());
        let out = Outgoing { cause: Some(seq), origin, ..out };
        let (lane, bytes) = (out.lane, out.frame.len() as u64);
        let mut is_counted = false;
        match release.how {
            Passing::Dropped => {}
            Passing::Cut => {
                let half = out.frame.slice(..out.frame.len() / 2);
                child.outbox.borrow_mut().push(half, None);
                child.queued.notify_one();
                child.kill.notify_one();
            }
            Passing::Duplicated => {
                is_counted = true;
                self.write_out(now, child, out.clone(), true);
                self.write_out(now, child, out, false);
            }
            Passing::AsItWas | Passing::Edited | Passing::TimedOut | Passing::Delayed => {
                is_counted = release.bytes.is_none();
                let out = match release.bytes {
                    Some(frame) => {
                        Outgoing { head: self.head_of(now, plugin, &frame, out.head), frame, ..out }
                    }
                    None => out,
                };
                self.write_out(now, child, out, is_counted);
            }
        }
        if !is_counted {
            // What was queued is not to be taken any more. What comes of it is told with what comes of this.
            let what = ProcessInput::Taken { lane, messages: 1, bytes };
            self.core.handle(now, Input::Process { plugin: plugin.clone(), process, what });
        }
        self.cause = cause;
    }

    /// What a changed frame is.
    fn head_of(&self, now: Now, plugin: &PluginId, frame: &[u8], before: Head) -> Head {
        let judged = self.core.judge(now, &Stand::To(plugin.clone()), frame);
        match judged.map(|judged| judged.head) {
            Ok(AnyHead::Plugin(head)) => head,
            Ok(_) | Err(_) => before,
        }
    }

    /// Tells of a frame and queues it; what is not counted takes no room in its lane.
    fn write_out(&mut self, now: Now, child: &Child, out: Outgoing, is_counted: bool) {
        let Outgoing { frame, lane, head, trace, cause, origin } = out;
        let before = (self.cause, self.putting.take());
        (self.cause, self.putting) = (cause, origin.map(|origin| (Direction::Outbound, origin)));
        self.emit_frame(now, Direction::Outbound, head, None, trace, &frame);
        (self.cause, self.putting) = before;
        child.outbox.borrow_mut().push(frame, is_counted.then_some(lane));
        child.queued.notify_one();
    }

    fn tell_passed(
        &self,
        notice: Notice,
        release: &Release,
        trace: Option<TraceId>,
    ) -> (Seq, Option<Arc<FrameOrigin>>) {
        let changed = release.bytes.as_deref().unwrap_or_default();
        let seq = self.tell(notice.passed(release), changed, Some(notice.seq), trace);
        (seq, notice.origin(release).map(Arc::new))
    }

    fn tell(&self, what: What, bytes: &[u8], cause: Option<Seq>, trace: Option<TraceId>) -> Seq {
        let draft = Draft { at: self.clock.now(), link: Link::Plugin, trace, cause, what, bytes };
        let mut state = self.shared.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.last_seq = self.tap.emit(draft);
        state.last_seq
    }
}

/// A held frame is written, and what waits behind it.
fn release_out(
    host: &Rc<RefCell<Host>>,
    plugin: &PluginId,
    process: u64,
    child: &Child,
    notice: Notice,
    out: Outgoing,
    release: Release,
) {
    let mut host = host.borrow_mut();
    let now = host.clock.now();
    child.behind.borrow_mut().is_held = false;
    host.pass_out(now, plugin, process, child, notice, out, release);
    loop {
        let next = {
            let mut behind = child.behind.borrow_mut();
            if behind.is_held { None } else { behind.frames.pop_front() }
        };
        let Some(next) = next else { break };
        host.send(now, plugin, process, next);
    }
}

impl Behind {
    /// Frames and bytes that wait.
    pub(super) fn left(&self) -> (u64, u64) {
        (self.frames.len() as u64, self.frames.iter().map(|out| out.frame.len() as u64).sum())
    }
}
