//! Attempts: a node is given to its agent, and answers, fails, or takes too long (rmp-v0 §9.1; ruling RMP 14).

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    io::{Output, Publish},
    run::{Flight, Run},
    shared::{Shared, TTL_MS},
    timers::Due,
};
use crate::{
    ids::TopicName,
    runs::{
        openings::Use,
        payload::{AgentAnswer, AgentRequest, AgentResponse, CancelNotice, HopMeta, Ports, ProgressReport, RequestNode, schema},
    },
    tap::entry::{
        runs::{EventKind, NodeState, Transition},
        station::Level,
    },
    time::Now,
};

/// The least time between two reports of progress of one attempt that are told; those between are left out.
const PROGRESS_EVERY: Duration = Duration::from_millis(50);

impl Run {
    /// A node has all that it needs.
    pub(super) fn on_ready(&mut self, to: &mut Shared, now: Now, place: u32) {
        if self.def(place).asks && !self.nodes[place as usize].is_approved {
            self.ask(to, now, place);
        } else {
            self.enqueue(to, now, place);
        }
    }

    /// Begins an attempt, or lets the node wait for a place.
    pub(super) fn enqueue(&mut self, to: &mut Shared, now: Now, place: u32) {
        if let Some(scope) = self.nodes[place as usize].inner {
            self.begin_nested(to, now, place, scope);
        } else if self.ready.is_empty() && to.queue.is_empty() && self.has_room(to) {
            self.begin(to, now, place);
        } else {
            self.moved(to, now, place, NodeState::Ready, "");
            self.ready.push_back(place);
            if !self.is_queued {
                self.is_queued = true;
                to.queue.push_back(self.run);
            }
        }
    }

    /// Whether one more attempt can be worked on.
    pub(super) fn has_room(&self, to: &Shared) -> bool {
        let limits = &to.settings.limits;
        !to.is_held && self.in_flight < limits.in_flight_run_max && to.in_flight < limits.in_flight_max
    }

    /// Begins the attempt of a node that waited longest for a place: whether there was one.
    pub(super) fn begin_next(&mut self, to: &mut Shared, now: Now) -> bool {
        while let Some(place) = self.ready.pop_front() {
            if self.nodes[place as usize].state == NodeState::Ready {
                self.begin(to, now, place);
                return true;
            }
        }
        false
    }

    fn begin_nested(&mut self, to: &mut Shared, now: Now, place: u32, scope: u32) {
        self.node(place).attempt += 1;
        let own = self.opening_of(scope).policy.timeout_ms;
        let timeout_ms = self.def(place).timeout_ms.into_iter().chain(own).min();
        self.node(place).timer = timeout_ms.map(|ms| to.timers.set(now.mono + Duration::from_millis(ms), Due::Attempt(self.run, place)));
        self.moved(to, now, place, NodeState::Running, "");
        self.open_scope(to, now, scope);
    }

    fn begin(&mut self, to: &mut Shared, now: Now, place: u32) {
        let Use::Agent(agent) = self.def(place).action.clone() else { return };
        let topic: Arc<str> = Arc::from(format!("rlp/runs/{}/agents/{agent}/{}", self.run, to.id()));
        let (reply_topic, ticket) = (TopicName::new(&topic), to.ticket());
        self.node(place).attempt += 1;
        let (attempt, inputs, def) = (self.nodes[place as usize].attempt, self.inputs(place), self.def(place));
        let request = AgentRequest {
            node: RequestNode {
                id: Arc::clone(&def.id),
                uses: def.action.to_string(),
                with: def.with.clone(),
                tags: def.tags.clone(),
                timeout_ms: def.timeout_ms,
                budget_tokens: def.budget_tokens,
            },
            inputs,
            trace_id: self.run,
            opening_id: self.opening,
            attempt,
            reply_topic: topic,
        };
        let timeout_ms = def.timeout_ms;
        self.moved(to, now, place, NodeState::Running, "");
        to.replies.insert(reply_topic.clone(), (self.run, place));
        to.reaches.insert(ticket, (self.run, place));
        to.outputs.push_back(Output::Listen { topic: reply_topic.clone() });
        let body = Bytes::from(request.encode());
        let frame_len = frame_len(&body);
        to.publish(Publish {
            topic: agent_topic(&agent),
            schema_id: schema::AGENT_REQUEST,
            trace: self.run,
            ttl_ms: TTL_MS,
            body,
            ticket: Some(ticket),
        });
        let run = self.run;
        let node = self.node(place);
        node.timer = timeout_ms.map(|ms| to.timers.set(now.mono + Duration::from_millis(ms), Due::Attempt(run, place)));
        node.flight = Some(Flight { agent, topic: reply_topic, ticket, frame_len, began: now.mono });
        node.progress_at = None;
        self.in_flight += 1;
        to.in_flight += 1;
        to.figures.attempts += 1;
        to.figures.retries += u64::from(attempt > 1);
    }

    /// An attempt is not worked on any more; its agent is told where it does not know.
    pub(super) fn land(&mut self, to: &mut Shared, place: u32, tells_agent: bool) -> Option<Flight> {
        let run = self.run;
        to.timers.clear(&mut self.node(place).timer);
        let flight = self.node(place).flight.take()?;
        self.in_flight = self.in_flight.saturating_sub(1);
        to.in_flight = to.in_flight.saturating_sub(1);
        to.replies.remove(&flight.topic);
        to.reaches.remove(&flight.ticket);
        if tells_agent {
            let notice = CancelNotice {
                trace_id: run,
                node_id: Arc::clone(&self.def(place).id),
                attempt: self.nodes[place as usize].attempt,
                reply_topic: Arc::from(flight.topic.as_str()),
            };
            let (topic, body) = (agent_topic(&flight.agent), Bytes::from(notice.encode()));
            to.publish(Publish { topic, schema_id: schema::INTENT, trace: run, ttl_ms: TTL_MS, body, ticket: None });
        }
        to.outputs.push_back(Output::Unlisten { topic: flight.topic.clone() });
        Some(flight)
    }

    /// Nobody heard the request.
    pub(super) fn on_unheard(&mut self, to: &mut Shared, now: Now, place: u32) {
        if let Some(flight) = self.land(to, place, false) {
            let agent = &flight.agent;
            let why = format!("nobody answers on agent/{agent}: start the agent, or correct the node's `use`");
            self.fail_attempt(to, now, place, true, &why);
        }
    }

    /// The agent answered.
    pub(super) fn on_answer(&mut self, to: &mut Shared, now: Now, place: u32, body: &[u8]) {
        let Some(flight) = self.land(to, place, false) else { return };
        let latency_ms = u64::try_from(now.mono.since(flight.began).as_millis()).unwrap_or(u64::MAX);
        let says = format!("agent/{} answered in {latency_ms} ms", flight.agent);
        let hop =
            HopMeta { agent: format!("agent/{}", flight.agent), request_frame_len: flight.frame_len, answer_frame_len: frame_len(body) };
        self.event_with(to, now, Some(place), (EventKind::Trace, Some(Level::Info)), &says, |meta| {
            (meta.latency_ms, meta.hop) = (Some(latency_ms), Some(hop));
        });
        let answer = match AgentAnswer::decode(body) {
            Ok(answer) => answer,
            Err(fault) => return self.fail_attempt(to, now, place, true, &format!("its answer cannot be read: {fault}")),
        };
        if let Some(tokens) = answer.tokens
            && self.spend(to, now, place, tokens)
        {
            return;
        }
        match answer.response {
            AgentResponse::Completed { ports } => self.complete(to, now, place, ports, body.len() as u64),
            AgentResponse::Failed { retryable, reason } => self.fail_attempt(to, now, place, retryable, &reason),
        }
    }

    /// The agent said how far it is.
    pub(super) fn on_progress(&mut self, to: &mut Shared, now: Now, place: u32, body: &[u8]) {
        let Ok(ProgressReport { message, done, total }) = ProgressReport::decode(body) else { return };
        let is_too_soon = self.nodes[place as usize].progress_at.is_some_and(|at| now.mono.since(at) < PROGRESS_EVERY);
        if is_too_soon {
            return;
        }
        self.node(place).progress_at = Some(now.mono);
        to.tell(Transition::Progressed { run: self.run, node: self.node_ref(place), done, total }, &message);
        self.event_with(to, now, Some(place), (EventKind::Progress, Some(Level::Info)), &message, |meta| {
            (meta.done, meta.total) = (done, total);
        });
    }

    /// An attempt took too long, or a nested opening did.
    pub(super) fn on_timeout(&mut self, to: &mut Shared, now: Now, place: u32) {
        self.node(place).timer = None;
        let inner = self.nodes[place as usize].inner;
        let own = inner.and_then(|scope| self.opening_of(scope).policy.timeout_ms);
        let ms = self.def(place).timeout_ms.into_iter().chain(own).min().unwrap_or(0);
        to.figures.timeouts += 1;
        self.land(to, place, true);
        self.fail_attempt(to, now, place, true, &format!("timed out after {ms} ms"));
    }

    /// Counts tokens: whether a budget is spent, and what followed from that is done.
    fn spend(&mut self, to: &mut Shared, now: Now, place: u32, tokens: u64) -> bool {
        self.tokens = self.tokens.saturating_add(tokens);
        to.figures.tokens = to.figures.tokens.saturating_add(tokens);
        to.tell(Transition::Spent { run: self.run, tokens: self.tokens }, "");
        // From the node outwards, so that the outermost that is overdrawn has the last word.
        let mut overdrawn = None;
        let mut at = Some(place);
        while let Some(place) = at {
            let budget = self.def(place).budget_tokens;
            let node = self.node(place);
            node.tokens = node.tokens.saturating_add(tokens);
            if let Some(budget) = budget.filter(|budget| node.tokens > *budget) {
                overdrawn = Some((Some(place), node.tokens, budget));
            }
            let scope = node.scope;
            let of = &mut self.scopes[scope as usize];
            of.tokens = of.tokens.saturating_add(tokens);
            if let Some(budget) = of.opening.policy.budget_tokens.filter(|budget| of.tokens > *budget) {
                overdrawn = Some((of.parent, of.tokens, budget));
            }
            at = of.parent;
        }
        match overdrawn {
            Some((Some(at), used, budget)) => {
                self.fail_attempt(to, now, at, false, &format!("it used {used} tokens, and its budget is {budget}"));
                true
            }
            Some((None, used, budget)) => {
                self.fail(to, now, &format!("it used {used} tokens, and its budget is {budget}"));
                true
            }
            None => false,
        }
    }

    /// A node gives what its ports hold. `bytes` is what that takes beside what is there already.
    pub(super) fn complete(&mut self, to: &mut Shared, now: Now, place: u32, ports: Ports, bytes: u64) {
        to.timers.clear(&mut self.node(place).timer);
        let bytes_max = to.settings.limits.port_values_bytes_max;
        if self.port_bytes.saturating_add(bytes) > bytes_max {
            let why = format!("with its values the ports of the run hold over {bytes_max} bytes (limits.runs.port_values_bytes_max)");
            self.fail_attempt(to, now, place, false, &why);
            return;
        }
        self.port_bytes += bytes;
        let node = self.node(place);
        (node.outputs, node.output_bytes) = (ports, bytes);
        self.end_node(to, now, place, NodeState::Completed, "");
        self.save(to, now, place);
    }

    /// An attempt failed: there is another, or the node has failed.
    pub(super) fn fail_attempt(&mut self, to: &mut Shared, now: Now, place: u32, retryable: bool, why: &str) {
        if let Some(scope) = self.nodes[place as usize].inner {
            self.close_scope(to, now, scope);
        }
        self.land(to, place, true);
        let (retry, attempt) = (self.def(place).retry, self.nodes[place as usize].attempt);
        if !retryable || attempt >= retry.max_attempts {
            self.give_not_ok(place);
            self.end_node(to, now, place, NodeState::Failed, why);
            return;
        }
        self.moved(to, now, place, NodeState::Retrying, why);
        let at = now.mono + Duration::from_millis(retry.backoff_ms);
        self.node(place).timer = Some(to.timers.set(at, Due::Backoff(self.run, place)));
    }

    /// The time between two attempts is over.
    pub(super) fn on_backoff(&mut self, to: &mut Shared, now: Now, place: u32) {
        self.node(place).timer = None;
        self.enqueue(to, now, place);
    }
}

/// The length of the frame that a body goes in (rmp-v0 §3).
fn frame_len(body: &[u8]) -> u64 {
    const HEADER_BYTES: u64 = 64;
    HEADER_BYTES + body.len() as u64
}

fn agent_topic(agent: &str) -> TopicName {
    TopicName::new(&format!("agent/{agent}"))
}
