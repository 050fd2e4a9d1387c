//! Whom a request reached: an agent took it, or nobody did, and why; and what follows when those that took it leave (rmp-v0 §9.1).

use std::time::Duration;

use super::{
    attempt::agent_topic,
    io::{Publish, Reach},
    run::{Flight, Run},
    shared::{Shared, TTL_MS},
    timers::Due,
};
use crate::{
    ids::ConnectionId,
    runs::payload::schema,
    tap::entry::{runs::EventKind, station::Level},
    time::Now,
};

impl Run {
    /// Publishes the request of an attempt.
    pub(super) fn offer(&mut self, to: &mut Shared, place: u32) {
        let (run, ticket) = (self.run, to.ticket());
        let Some(Flight { agent, ticket: own, body, .. }) = &mut self.node(place).flight else { return };
        *own = ticket;
        to.reaches.insert(ticket, (run, place));
        let (topic, body) = (agent_topic(agent), body.clone());
        to.publish(Publish { topic, schema_id: schema::AGENT_REQUEST, trace: run, ttl_ms: TTL_MS, body, ticket: Some(ticket) });
    }

    /// The bus took the request of an attempt, or never will.
    pub(super) fn on_reached(&mut self, to: &mut Shared, now: Now, place: u32, reach: Reach) {
        let Some(flight) = &mut self.node(place).flight else { return };
        let agent = flight.agent.clone();
        match reach {
            Reach::Took(peers) => {
                (flight.peers, flight.refused) = (peers, None);
                flight.body.clear();
            }
            Reach::Nobody { agents, more } => {
                let mut why = format!("nobody answers on agent/{agent}: start the agent, or correct the node's `use`");
                if !agents.is_empty() {
                    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                    why = format!("{why} (there are {}{more})", agents.join(", "));
                }
                self.fail_unanswered(to, now, place, &why);
            }
            Reach::TooLong => {
                let bytes = flight.frame_len;
                let why = format!("agent/{agent} cannot take its request: with {bytes} bytes it fits no unit (limits.rmp.body_bytes_max)");
                self.land(to, now, place, false);
                self.fail_attempt(to, now, place, false, &why);
            }
            Reach::Full => {
                let why = format!("agent/{agent} takes nothing: its queue on the bus is full (limits.rmp.queue_bytes_max)");
                self.offer_later(to, now, place, why);
            }
            Reach::Down => self.offer_later(to, now, place, "the bus is down: `rl-console restart rmp` starts it again".to_owned()),
        }
    }

    /// The request found no room: it is offered again after a pause, for a while.
    fn offer_later(&mut self, to: &mut Shared, now: Now, place: u32, why: String) {
        let limits = &to.settings.limits;
        let (pause, within) = (Duration::from_millis(limits.absent_pause_ms), Duration::from_millis(limits.offer_ms_max));
        let run = self.run;
        let Some(flight) = &mut self.node(place).flight else { return };
        let since = flight.refused.as_ref().map_or(now.mono, |(since, _)| *since);
        if now.mono.since(since) >= within {
            return self.fail_unanswered(to, now, place, &why);
        }
        let is_first = flight.refused.is_none();
        let says = format!("{why}; it is asked again for {} ms", limits.offer_ms_max);
        flight.refused = Some((since, why));
        flight.again = Some(to.timers.set(now.mono + pause, Due::Offer(run, place)));
        if is_first {
            self.event(to, now, Some(place), (EventKind::Log, Some(Level::Warn)), &says);
        }
    }

    /// The pause of a request that found no room is over.
    pub(super) fn on_offer(&mut self, to: &mut Shared, place: u32) {
        if let Some(flight) = &mut self.node(place).flight {
            flight.again = None;
            self.offer(to, place);
        }
    }

    /// A session is over. An attempt that nobody else has is not awaited any more.
    pub(super) fn on_left(&mut self, to: &mut Shared, now: Now, place: u32, peer: ConnectionId) {
        let Some(flight) = &mut self.node(place).flight else { return };
        let before = flight.peers.len();
        flight.peers.retain(|other| *other != peer);
        if before == 0 || !flight.peers.is_empty() {
            return;
        }
        let why = format!("agent/{} left before it answered", flight.agent);
        self.event(to, now, Some(place), (EventKind::Log, Some(Level::Warn)), &why);
        self.fail_unanswered(to, now, place, &why);
    }

    /// The bus is gone, and everybody with it.
    pub(super) fn on_bus_down(&mut self, to: &mut Shared, now: Now, place: u32) {
        let Some(flight) = &self.node(place).flight else { return };
        if !flight.peers.is_empty() {
            let why = format!("the bus went down before agent/{} answered", flight.agent);
            self.fail_unanswered(to, now, place, &why);
        }
    }

    /// An attempt that nobody works on fails. The next one leaves the agent a while to come.
    fn fail_unanswered(&mut self, to: &mut Shared, now: Now, place: u32, why: &str) {
        self.land(to, now, place, false);
        let pause = Duration::from_millis(to.settings.limits.absent_pause_ms);
        self.fail_attempt_and_wait(to, now, place, true, why, pause);
    }
}
