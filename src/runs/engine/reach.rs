//! Whom a request reached: an agent took it, or nobody did, and why; and what follows when those that took it
//! leave, or never read it (rmp-v0 §4, §9.1).

use std::time::Duration;

use bytes::Bytes;

use super::{
    attempt::{agent_topic, frame_len},
    io::{Publish, Reach},
    run::{Flight, Run},
    shared::{Offered, Shared, TTL_MS},
    timers::Due,
};
use crate::{
    ids::{ConnectionId, Ticket},
    runs::payload::schema,
    tap::entry::{runs::EventKind, station::Level},
    time::Now,
};

impl Run {
    /// Publishes the request of an attempt.
    pub(super) fn offer(&mut self, to: &mut Shared, position: u32, body: Bytes) {
        let (run, ticket, bytes) = (self.run, to.ticket(), body.len() as u64);
        let Some(flight) = &mut self.node(position).flight else { return };
        (flight.ticket, flight.frame_len) = (Some(ticket), frame_len(&body));
        to.offered_bytes += bytes;
        to.reaches.insert(ticket, Offered { run, position, bytes });
        let topic = agent_topic(&flight.agent);
        to.publish(Publish {
            topic,
            schema_id: schema::AGENT_REQUEST,
            trace: run,
            ttl_ms: TTL_MS,
            body,
            ticket: Some(ticket),
        });
    }

    /// The bus took what was offered by this ticket, or never will.
    pub(super) fn on_reached(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: u32,
        ticket: Ticket,
        reach: Reach,
    ) {
        let me = (self.run, position);
        let Some(flight) = self.node(position).flight.as_mut().filter(|flight| flight.ticket == Some(ticket))
        else {
            return;
        };
        flight.ticket = None;
        let agent = flight.agent.clone();
        match reach {
            Reach::Taken { peers, msg_id } => {
                (flight.peers, flight.msg_id, flight.refused) = (peers, Some(msg_id), None);
                to.backlogs.took(now.mono, &agent);
                to.backlogs.leave(&agent, me);
            }
            Reach::Nobody { agents, more } => {
                let mut why = format!(
                    "no agent subscribed to agent/{agent}: start the agent, or correct the node's `use`"
                );
                if !agents.is_empty() {
                    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                    why = format!("{why} (connected agents: {}{more})", agents.join(", "));
                }
                self.fail_unanswered(to, now, position, &why);
            }
            Reach::TooLong => {
                let bytes = flight.frame_len;
                let why = format!(
                    "the request for agent/{agent} is too large: {bytes} bytes do not fit a message \
                     (limits.rmp.body_bytes_max)"
                );
                self.end_flight(to, now, position, false);
                self.fail_attempt(to, now, position, false, &why);
            }
            Reach::Full => {
                let why = format!(
                    "agent/{agent} is not reading: its queue on the bus is full (limits.rmp.queue_bytes_max)"
                );
                self.wait_for_room(to, now, position, why);
            }
            Reach::Down => self.wait_for_room(
                to,
                now,
                position,
                "the bus is down: restart it with `rl-console host restart rmp`".to_owned(),
            ),
        }
    }

    /// A request finds no room: it waits for its turn. The first of those that wait is offered again after a
    /// pause, as long as its agent took something not too long ago.
    pub(super) fn wait_for_room(&mut self, to: &mut Shared, now: Now, position: u32, why: String) {
        let limits = &to.settings.limits;
        let (pause, within) =
            (Duration::from_millis(limits.absent_pause_ms), Duration::from_millis(limits.offer_ms_max));
        let run = self.run;
        let Some(flight) = &mut self.node(position).flight else { return };
        let (is_first, since) = to.backlogs.join(now.mono, &flight.agent, (run, position), &why);
        if is_first && now.mono.since(since) >= within {
            return self.fail_unanswered(to, now, position, &why);
        }
        let is_new = flight.refused.is_none();
        let says = format!("{why}; retrying for {} ms", limits.offer_ms_max);
        flight.refused = Some(why);
        if is_first {
            flight.retry_timer = Some(to.timers.set(now.mono + pause, Due::Offer(run, position)));
        }
        if is_new {
            self.event(to, now, Some(position), (EventKind::Log, Some(Level::Warn)), &says);
        }
    }

    /// A request that found no room has its turn, or the pause after its last one is over.
    pub(super) fn on_offer(&mut self, to: &mut Shared, now: Now, position: u32) {
        let run = self.run;
        let pause = Duration::from_millis(to.settings.limits.absent_pause_ms);
        let Some(flight) = self.node(position).flight.as_mut().filter(|flight| flight.ticket.is_none())
        else {
            return;
        };
        to.timers.clear(&mut flight.retry_timer);
        if !to.has_room_to_offer() {
            flight.retry_timer = Some(to.timers.set(now.mono + pause, Due::Offer(run, position)));
            return;
        }
        let topic = flight.topic.clone();
        match self.request(to, position, &topic) {
            Ok(body) => self.offer(to, position, body),
            Err(too_long) => {
                self.end_flight(to, now, position, false);
                self.fail_too_long(to, now, position, too_long);
            }
        }
    }

    /// A session is over. An attempt that nobody else has is awaited for a while only: its agent may answer
    /// on another connection.
    pub(super) fn on_session_over(&mut self, to: &mut Shared, now: Now, position: u32, peer: ConnectionId) {
        if self.is_last(position, peer) {
            let why = format!("agent/{} disconnected before it answered", self.agent(position));
            self.await_late(to, now, position, why);
        }
    }

    /// The bus is gone, and everybody with it.
    pub(super) fn on_bus_down(&mut self, to: &mut Shared, now: Now, position: u32) {
        let Some(flight) = &mut self.node(position).flight else { return };
        if !std::mem::take(&mut flight.peers).is_empty() {
            let why = format!("the bus went down before agent/{} answered", flight.agent);
            self.await_late(to, now, position, why);
        }
    }

    /// A request expired in the queue of a session that took it. An attempt that nobody else has is in
    /// nobody's hands.
    pub(super) fn on_unread(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: u32,
        (peer, msg_id): (ConnectionId, u64),
    ) {
        let is_it =
            self.nodes[position as usize].flight.as_ref().is_some_and(|flight| flight.msg_id == Some(msg_id));
        if is_it && self.is_last(position, peer) {
            let why = format!("agent/{} did not read its request within {TTL_MS} ms", self.agent(position));
            self.fail_unanswered(to, now, position, &why);
        }
    }

    /// Takes a session off those that have a request: whether it was the last.
    fn is_last(&mut self, position: u32, peer: ConnectionId) -> bool {
        let Some(Flight { peers, .. }) = &mut self.node(position).flight else { return false };
        let before = peers.len();
        peers.retain(|other| *other != peer);
        before > 0 && peers.is_empty()
    }

    fn agent(&self, position: u32) -> &str {
        self.nodes[position as usize].flight.as_ref().map_or("", |flight| &flight.agent)
    }

    /// Nobody is there any more that has the request: its answer is awaited for a while.
    fn await_late(&mut self, to: &mut Shared, now: Now, position: u32, why: String) {
        let (run, left_ms) = (self.run, to.settings.limits.left_ms_max);
        let warns = (EventKind::Log, Some(Level::Warn));
        if left_ms == 0 {
            self.event(to, now, Some(position), warns, &why);
            return self.fail_unanswered(to, now, position, &why);
        }
        self.event(
            to,
            now,
            Some(position),
            warns,
            &format!("{why}: waiting {left_ms} ms more for an answer"),
        );
        let Some(flight) = &mut self.node(position).flight else { return };
        flight.abandoned = Some(why);
        flight.retry_timer =
            Some(to.timers.set(now.mono + Duration::from_millis(left_ms), Due::LateAnswer(run, position)));
    }

    /// The while in which an agent that left could have answered is over.
    pub(super) fn on_late_timeout(&mut self, to: &mut Shared, now: Now, position: u32) {
        let Some(flight) = &mut self.node(position).flight else { return };
        flight.retry_timer = None;
        if let Some(why) = flight.abandoned.take() {
            self.fail_unanswered(to, now, position, &why);
        }
    }

    /// An attempt that nobody works on fails. The next one leaves the agent a while to come.
    fn fail_unanswered(&mut self, to: &mut Shared, now: Now, position: u32, why: &str) {
        self.end_flight(to, now, position, false);
        let pause = Duration::from_millis(to.settings.limits.absent_pause_ms);
        self.fail_attempt_and_wait(to, now, position, true, why, pause);
    }
}
