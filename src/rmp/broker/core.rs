//! The state of the bus and the one way in: what happened goes in, what is to be done comes out.

use std::{collections::VecDeque, sync::Arc};

use super::{
    admission::table_bounds,
    io::{Deadline, Input, Output, STATION},
    session::{Phase, RefusalDetail},
    settings::Settings,
    station_delivery::InboxCapacity,
    topics::{Sessions, Topics},
    visible_topics::VisibleTopics,
    waiting::Waiting,
    wall::WallClock,
};
use crate::{
    admission::Table,
    ids::{ConnectionId, TraceId},
    rmp::{
        Error,
        dedupe::Dedupe,
        outbox::Budget,
        routes::Routes,
        snapshot::{DropSpan, DropView, Listener, Totals},
    },
    tap::entry::rmp::{CloseCause, Dialect, Head, Refusal, Transition},
    time::{Mono, Now},
};

/// The broker.
#[derive(Debug)]
pub struct Broker {
    pub(super) settings: Settings,
    pub(super) wall: WallClock,
    pub(super) listener: Listener,
    pub(super) sessions: Sessions,
    /// The places of sessions that are not closed.
    pub(super) table: Table,
    pub(super) routes: Routes,
    pub(super) topics: Topics,
    pub(super) visible: VisibleTopics,
    pub(super) dedupe: Dedupe,
    pub(super) budget: Budget,
    pub(super) outputs: VecDeque<Output>,
    /// Sessions that have something new to write.
    pub(super) waiting: Waiting,
    /// Sessions whose figures may have changed since they were told.
    pub(super) dirty: Vec<ConnectionId>,
    /// Topics whose drops were not told yet.
    pub(super) suppressed_topics: Vec<super::session::TopicRef>,
    /// What the last delivery or write lost, until it is told.
    pub(super) losses: Vec<super::drops::Loss>,
    /// Who of those that may answer has the station's own message that was published last.
    pub(super) responders: super::delivery_report::ResponderTally,
    pub(super) agent_names: super::delivery_report::AgentNames,
    pub(super) tick_at: Deadline,
    /// Sessions that were given what the station asks, by when that is to have left.
    pub(super) watched: VecDeque<(Mono, ConnectionId)>,
    pub(super) next_msg_id: u64,
    /// The connection that was opened last.
    pub(super) newest: ConnectionId,
    /// Subscriptions that the tap's entries reach.
    pub(super) tap_readers: u64,
    /// Subscriptions that were looked at for a message, once each time.
    pub(super) planned: u64,
    /// What the station has room for of the messages that it takes itself.
    pub(super) inbox_capacity: InboxCapacity,
    /// As it was told.
    pub(super) totals: Totals,
    pub(super) drops: VecDeque<DropView>,
    pub(super) recent_drops: VecDeque<DropSpan>,
    pub(super) forgot_at: Option<Now>,
    pub(super) forgot_lost_at: Option<Now>,
}

impl Broker {
    /// A broker without connections.
    #[must_use]
    pub fn new(settings: Settings, now: Now) -> Self {
        let limits = settings.limits;
        Self {
            wall: WallClock::new(now, limits.ttl_ms_max),
            listener: Listener::Starting,
            sessions: Sessions::default(),
            table: Table::new(table_bounds(&limits), settings.tally.clone()),
            routes: Routes::new(&limits),
            topics: Topics::new(limits.topics_max),
            visible: VisibleTopics::new(limits.shown_topics_max),
            dedupe: Dedupe::new(&limits),
            budget: Budget::new(&limits),
            outputs: VecDeque::new(),
            waiting: Waiting::default(),
            dirty: Vec::new(),
            suppressed_topics: Vec::new(),
            losses: Vec::new(),
            responders: super::delivery_report::ResponderTally::default(),
            agent_names: super::delivery_report::AgentNames::default(),
            tick_at: None,
            watched: VecDeque::new(),
            // Never what a client counts from, and after a restart beyond what was sent before (ruling RMP
            // 7).
            next_msg_id: now.wall.0.saturating_mul(1_000),
            newest: STATION,
            tap_readers: 0,
            planned: 0,
            inbox_capacity: InboxCapacity::default(),
            totals: Totals::default(),
            drops: VecDeque::new(),
            recent_drops: VecDeque::new(),
            forgot_at: None,
            forgot_lost_at: None,
            settings,
        }
    }

    /// Takes one thing that happened. Drain [`poll_output`](Self::poll_output) before the next.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        self.handle_input(now, input);
        self.enforce_bounds(now);
        self.arm(now);
    }

    fn handle_input(&mut self, now: Now, input: Input<'_>) {
        self.check_clock(now);
        match input {
            Input::Listening { path } => {
                let path: Arc<str> = Arc::from(path);
                self.listener = Listener::Listening(Arc::clone(&path));
                self.emit_transition(Transition::Listening { path }, None, None);
            }
            Input::NotListening { why } => {
                self.listener = Listener::Down(Arc::from(why));
                self.emit_transition(Transition::NotListening, Some(Arc::from(why)), None);
            }
            Input::Opened { session, peer, origin } => self.on_opened(now, session, peer, origin),
            Input::ForeignUser { session, peer } => {
                self.emit_transition(Transition::Connected { session, peer }, None, None);
                let cause = CloseCause::Refused(Refusal::Unauthorized);
                self.emit_transition(Transition::Disconnected { session, cause }, None, None);
            }
            Input::Frame { session, frame } => self.on_frame(now, session, frame),
            Input::Unit { session, unit } => self.on_unit(now, session, unit),
            Input::Broken { session, dialect, error } => self.on_broken(now, session, dialect, &error),
            Input::TurnedAway { session, dialect, why } => self.on_turned_away(now, session, dialect, why),
            Input::Closed { session, cause } => {
                self.close(session, cause);
            }
            Input::Timeout => self.on_timeout(now),
        }
    }

    /// Tells of a wall clock that was set; what the station publishes each second sees to it that it is
    /// looked at (ruling RMP 18).
    pub(super) fn check_clock(&mut self, now: Now) {
        if let Some(by_ms) = self.wall.check(now) {
            self.emit_transition(Transition::ClockJumped { by_ms }, None, None);
        }
    }

    /// The next thing to be done, in order.
    #[inline]
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// A session that has something to write which it had not when it was named last; operators' first.
    pub fn poll_waiting(&mut self) -> Option<ConnectionId> {
        let id = self.waiting.pop()?;
        if let Some(session) = self.sessions.get_mut(id) {
            session.is_waiting = false;
        }
        Some(id)
    }

    /// When to hand in [`Input::Timeout`] next.
    #[must_use]
    pub fn timeout(&self) -> Deadline {
        let watched = self.watched.front().map(|(at, _)| *at);
        self.tick_at.into_iter().chain(self.table.deadline()).chain(watched).min()
    }

    /// Subscriptions that the tap's entries reach.
    #[must_use]
    pub fn tap_readers(&self) -> u64 {
        self.tap_readers
    }

    /// Subscriptions that messages were for, those of one message after those of another: what reading from a
    /// connection has cost.
    #[must_use]
    pub fn planned(&self) -> u64 {
        self.planned
    }

    /// Whether a session is an operator's.
    #[must_use]
    pub fn is_operator(&self, session: ConnectionId) -> bool {
        self.sessions.get(session).is_some_and(|session| session.is_open() && session.kind().is_operator())
    }

    /// Whether the next frame of a session is the message of the `Publish` that came last.
    #[must_use]
    pub fn awaits_message(&self, session: ConnectionId) -> bool {
        self.sessions.get(session).is_some_and(|session| session.pending.is_some())
    }

    pub(super) fn emit_transition(
        &mut self,
        transition: Transition,
        text: Option<Arc<str>>,
        trace: Option<TraceId>,
    ) {
        self.outputs.push_back(Output::Transition { transition, text, trace });
    }

    fn on_broken(&mut self, now: Now, id: ConnectionId, dialect: Dialect, error: &Error) {
        let Some(session) = self.sessions.get(id).filter(|session| !session.is_closed()) else { return };
        let now_ms = self.wall.now_ms(now);
        let decided = match dialect {
            Dialect::Frames => self.decide_broken(now_ms, session, session.pending.as_ref(), error),
            Dialect::Json => Self::decide_broken_unit(error),
        };
        self.apply(now, id, decided);
    }

    /// We end a connection.
    pub(super) fn end(&mut self, id: ConnectionId, cause: CloseCause) {
        if self.close(id, cause) {
            self.outputs.push_back(Output::Close { session: id, cause });
        }
    }

    /// A connection is over: nothing more is taken from it or queued for it. False if it was before.
    pub(super) fn close(&mut self, id: ConnectionId, cause: CloseCause) -> bool {
        let Some(session) = self.sessions.get_mut(id).filter(|session| !session.is_closed()) else {
            return false;
        };
        session.phase = Phase::Closed(session.greeting().cloned());
        session.pending = None;
        session.sub_indexes.clear();
        let mut readers = 0;
        for sub in session.subs.drain() {
            session.outbox.close(sub.slot);
            self.dedupe.close_subscriber(sub.seen);
            readers += u64::from(sub.reads_tap);
        }
        self.tap_readers -= readers;
        self.routes.remove_all(id);
        self.table.close(id);
        self.emit_transition(Transition::Disconnected { session: id, cause }, None, None);
        true
    }

    /// Ends a connection that an operator wants gone, and tells it so. False if there is none.
    pub fn kick(&mut self, now: Now, session: ConnectionId) -> bool {
        let is_there = self.sessions.get(session).is_some_and(|session| !session.is_closed());
        if is_there {
            self.send_final_error(
                now,
                session,
                &RefusalDetail::new(
                    Refusal::Forbidden,
                    &"an operator ended this session; it may connect again",
                ),
            );
        }
        self.end(session, CloseCause::Kicked);
        is_there
    }

    /// Tells every session that the bus goes down; the caller closes them.
    pub fn shut_down(&mut self, now: Now) {
        let open: Vec<_> =
            self.sessions.iter().filter(|session| session.is_open()).map(|session| session.id).collect();
        let why = RefusalDetail::new(Refusal::Busy, &"the bus is stopping until the next start");
        for session in open {
            self.send_final_error(now, session, &why);
        }
    }

    /// Tells a session why it is about to be closed. The JSON dialect answers requests alone, and has no form
    /// for it.
    pub(super) fn send_final_error(&mut self, now: Now, session: ConnectionId, why: &RefusalDetail) {
        if self.sessions.get(session).is_some_and(|session| session.dialect() == Dialect::Frames) {
            self.answer_error(now, session, 0, why, None);
        }
    }

    /// Forgets a closed connection whose socket is gone, and tells what did not leave: units and their bytes.
    pub fn forget(&mut self, session: ConnectionId) -> (u64, u64) {
        let Some(mut session) = self.sessions.remove(session) else { return (0, 0) };
        let left = (session.outbox.units(), session.outbox.bytes() + session.outbox.answer_bytes());
        session.outbox.clear(&mut self.budget);
        self.budget.set_connections(self.sessions.len());
        left
    }

    pub(super) fn msg_id(&mut self) -> u64 {
        self.next_msg_id += 1;
        self.next_msg_id
    }

    /// Tells what was made of a frame that is refused, and the peer why.
    #[expect(clippy::too_many_arguments, reason = "each is another thing to tell")]
    pub(super) fn refuse(
        &mut self,
        now: Now,
        id: ConnectionId,
        head: Head,
        re: u64,
        refused: &RefusalDetail,
        trace: Option<TraceId>,
        redaction: crate::tap::entry::Redaction,
    ) {
        self.record_refusal(id, head, refused.refusal, trace, redaction);
        self.answer_error(now, id, re, refused, trace);
    }

    /// Counts a refused frame and tells of it.
    pub(super) fn record_refusal(
        &mut self,
        id: ConnectionId,
        head: Head,
        refusal: Refusal,
        trace: Option<TraceId>,
        redaction: crate::tap::entry::Redaction,
    ) {
        self.totals.refused += 1;
        if let Some(session) = self.sessions.get_mut(id) {
            session.refused += 1;
        }
        self.touch(id);
        let verdict = crate::tap::entry::rmp::Verdict::Refused(refusal);
        self.outputs.push_back(Output::Received { session: id, head, verdict, redaction, trace });
    }

    /// The figures of a session may have changed.
    pub(super) fn touch(&mut self, id: ConnectionId) {
        if let Some(session) = self.sessions.get_mut(id).filter(|session| !session.is_dirty) {
            session.is_dirty = true;
            self.dirty.push(id);
        }
    }

    /// What a peer is told of a code, without more to say.
    pub(super) fn fault(error: &Error) -> RefusalDetail {
        RefusalDetail {
            error: Some(error.clone()),
            ..RefusalDetail::new(Refusal::Fault(error.code()), error)
        }
    }
}
