//! Attempts: a node is given to its agent, and answers, fails, or takes too long (rmp-v0 §9.1; ruling RMP
//! 14).

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    io::{Output, Publish},
    run::{Flight, ProgressThrottle, Run},
    shared::{Shared, TTL_MS},
    timers::Due,
};
use crate::{
    ids::TopicName,
    runs::{
        openings::Use,
        payload::{
            AgentAnswer, AgentRequest, AgentResponse, Amount, CancelNotice, HopMeta, NotAnAnswer,
            ParsedAnswer, Ports, ProgressReport, RequestNode, schema,
        },
    },
    store::runs::RunOp,
    tap::entry::{
        runs::{EventKind, NodeState, Transition},
        station::Level,
    },
    time::Now,
};

/// The least time between two reports of progress of one attempt that are told; of those between, the last is
/// told after it.
const PROGRESS_EVERY: Duration = Duration::from_millis(50);

impl Run {
    /// A node has all that it needs.
    pub(super) fn on_ready(&mut self, to: &mut Shared, now: Now, position: u32) {
        if self.def(position).asks && !self.nodes[position as usize].is_approved {
            self.ask(to, now, position);
        } else {
            self.enqueue(to, now, position);
        }
    }

    /// Begins an attempt, or lets the node wait for a place.
    pub(super) fn enqueue(&mut self, to: &mut Shared, now: Now, position: u32) {
        if let Some(scope) = self.nodes[position as usize].inner {
            self.begin_nested(to, now, position, scope);
        } else if self.ready.is_empty() && to.queue.is_empty() && self.has_room(to) {
            self.begin(to, now, position);
        } else {
            self.set_node_state(to, now, position, NodeState::Ready, "");
            self.ready.push_back(position);
            if !self.is_queued {
                self.is_queued = true;
                to.queue.push_back(self.run);
            }
        }
    }

    /// Whether one more attempt can be worked on.
    pub(super) fn has_room(&self, to: &Shared) -> bool {
        let limits = &to.settings.limits;
        !to.is_held
            && self.in_flight < limits.in_flight_run_max
            && to.in_flight < limits.in_flight_max
            && to.has_room_to_offer()
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

    fn begin_nested(&mut self, to: &mut Shared, now: Now, position: u32, scope: u32) {
        self.node(position).attempt += 1;
        let own = self.opening_of(scope).policy.timeout_ms;
        let timeout_ms = self.def(position).timeout_ms.into_iter().chain(own).min();
        self.node(position).timer = timeout_ms
            .map(|ms| to.timers.set(now.mono + Duration::from_millis(ms), Due::Attempt(self.run, position)));
        self.set_node_state(to, now, position, NodeState::Running, "");
        self.open_scope(to, now, scope);
    }

    fn begin(&mut self, to: &mut Shared, now: Now, position: u32) {
        let Use::Agent(agent) = self.def(position).action.clone() else { return };
        let reply_topic = TopicName::new(&format!("rlp/runs/{}/agents/{agent}/{}", self.run, to.id()));
        self.node(position).attempt += 1;
        // While others wait for its agent, its request is written once it has its turn.
        let crowded = to.backlogs.of(&agent).map(|crowd| crowd.why.clone());
        let offered = match crowded {
            Some(why) => Err(why),
            None => match self.request(to, position, &reply_topic) {
                Ok(body) => Ok(body),
                Err(too_long) => return self.fail_too_long(to, now, position, too_long),
            },
        };
        self.set_node_state(to, now, position, NodeState::Running, "");
        to.replies.insert(reply_topic.clone(), (self.run, position));
        to.outputs.push_back(Output::Listen { topic: reply_topic.clone() });
        let (run, timeout_ms) = (self.run, self.def(position).timeout_ms);
        let node = self.node(position);
        node.timer = timeout_ms
            .map(|ms| to.timers.set(now.mono + Duration::from_millis(ms), Due::Attempt(run, position)));
        node.flight = Some(Flight {
            agent,
            topic: reply_topic,
            ticket: None,
            frame_len: 0,
            began: now.mono,
            peers: Vec::new(),
            msg_id: None,
            refused: None,
            abandoned: None,
            retry_timer: None,
        });
        node.progress = ProgressThrottle::default();
        to.metrics.attempts += 1;
        to.metrics.retries += u64::from(node.attempt > 1);
        self.in_flight += 1;
        to.in_flight += 1;
        match offered {
            Ok(body) => self.offer(to, position, body),
            Err(why) => self.wait_for_room(to, now, position, why),
        }
    }

    /// The body of the request of an attempt.
    ///
    /// # Errors
    /// How long it is, where no message holds it.
    pub(super) fn request(
        &self,
        to: &Shared,
        position: u32,
        reply_topic: &TopicName,
    ) -> Result<Bytes, TooLong> {
        let bytes_max = to.settings.body_bytes_max;
        let inputs = self.inputs(position, bytes_max).map_err(|bytes| TooLong { bytes, is_whole: false })?;
        let def = self.def(position);
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
            attempt: self.nodes[position as usize].attempt,
            reply_topic: Arc::from(reply_topic.as_str()),
        };
        let body = Bytes::from(request.encode());
        if body.len() as u64 > bytes_max {
            Err(TooLong { bytes: body.len() as u64, is_whole: true })
        } else {
            Ok(body)
        }
    }

    /// A request that no message holds is not sent.
    pub(super) fn fail_too_long(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: u32,
        TooLong { bytes, is_whole }: TooLong,
    ) {
        let bytes_max = to.settings.body_bytes_max;
        let least = if is_whole { "" } else { "at least " };
        let why = format!(
            "its request has {least}{bytes} bytes, but a message is limited to {bytes_max} \
             (limits.rmp.body_bytes_max): reduce its inputs"
        );
        self.fail_attempt(to, now, position, false, &why);
    }

    /// An attempt is not worked on any more; its agent is told where it does not know.
    pub(super) fn end_flight(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: u32,
        tells_agent: bool,
    ) -> Option<Flight> {
        let run = self.run;
        to.timers.clear(&mut self.node(position).timer);
        self.emit_progress(to, now, position);
        let mut flight = self.node(position).flight.take()?;
        to.timers.clear(&mut flight.retry_timer);
        self.in_flight = self.in_flight.saturating_sub(1);
        to.in_flight = to.in_flight.saturating_sub(1);
        to.replies.remove(&flight.topic);
        to.backlogs.leave(&flight.agent, (run, position));
        // Whom it did not reach yet, nothing is to be taken back from.
        if tells_agent && flight.refused.is_none() {
            let notice = CancelNotice {
                trace_id: run,
                node_id: Arc::clone(&self.def(position).id),
                attempt: self.nodes[position as usize].attempt,
                reply_topic: Arc::from(flight.topic.as_str()),
            };
            let (topic, body) = (agent_topic(&flight.agent), Bytes::from(notice.encode()));
            to.publish(Publish {
                topic,
                schema_id: schema::INTENT,
                trace: run,
                ttl_ms: TTL_MS,
                body,
                ticket: None,
            });
        }
        to.outputs.push_back(Output::Unlisten { topic: flight.topic.clone() });
        Some(flight)
    }

    /// Something came on the reply topic of an attempt.
    pub(super) fn on_answer(&mut self, to: &mut Shared, now: Now, position: u32, body: &[u8]) {
        let answered = AgentAnswer::read(body);
        if let Err(NotAnAnswer::Foreign { kind }) = &answered {
            let node = &self.nodes[position as usize].id;
            let says = format!(
                "ignored a message on the reply topic of {node}: it is {kind}, not an answer; further ones \
                 are only counted"
            );
            return self.ignore(to, now, position, &says);
        }
        let Some(flight) = self.end_flight(to, now, position, false) else { return };
        let latency_ms = u64::try_from(now.mono.since(flight.began).as_millis()).unwrap_or(u64::MAX);
        let says = format!("agent/{} answered in {latency_ms} ms", flight.agent);
        let hop = HopMeta {
            agent: format!("agent/{}", flight.agent),
            request_frame_len: flight.frame_len,
            answer_frame_len: frame_len(body),
        };
        self.event_with(to, now, Some(position), (EventKind::Trace, Some(Level::Info)), &says, |meta| {
            (meta.latency_ms, meta.hop) = (Some(latency_ms), Some(hop));
        });
        let ParsedAnswer { answer: AgentAnswer { response, tokens }, tokens_fault, bytes } = answered
            .unwrap_or_else(|fault| {
                // What the agent was to do it may have done: it is not asked for it again, and what it used
                // is used.
                let response =
                    AgentResponse::Failed { retryable: false, reason: format!("invalid answer: {fault}") };
                ParsedAnswer {
                    answer: AgentAnswer { response, tokens: AgentAnswer::tokens_of(body) },
                    tokens_fault: None,
                    bytes: 0,
                }
            });
        if let Some(fault) = tokens_fault {
            let says = format!("{}: tokens not counted: {fault}", self.nodes[position as usize].id);
            self.event(to, now, Some(position), (EventKind::Log, Some(Level::Warn)), &says);
        }
        let spent = tokens.and_then(|tokens| self.spend(to, position, tokens));
        match (spent, response) {
            (Some((Some(at), why)), _) if at == position => self.fail_attempt(to, now, at, false, &why),
            (None, AgentResponse::Completed { ports }) => self.complete(to, now, position, ports, bytes),
            (None, AgentResponse::Failed { retryable, reason }) => {
                self.fail_attempt(to, now, position, retryable, &reason);
            }
            // What it did is done, and there is nothing left for more.
            (Some((at, why)), response) => {
                match response {
                    AgentResponse::Completed { ports } => self.complete(to, now, position, ports, bytes),
                    AgentResponse::Failed { reason, .. } => {
                        self.fail_attempt(to, now, position, false, &reason);
                    }
                }
                match at {
                    Some(at) => self.fail_attempt(to, now, at, false, &why),
                    None => self.fail(to, now, &why),
                }
            }
        }
    }

    /// Leaves out what is of no use. The first is told of, the others with the end of the run.
    fn ignore(&mut self, to: &mut Shared, now: Now, position: u32, says: &str) {
        self.foreign += 1;
        if self.foreign == 1 {
            self.event(to, now, Some(position), (EventKind::Log, Some(Level::Warn)), says);
        }
    }

    /// The agent said how far it is.
    pub(super) fn on_progress(&mut self, to: &mut Shared, now: Now, position: u32, body: &[u8]) {
        let report = match ProgressReport::decode(body) {
            Ok(report) => report,
            Err(fault) => {
                let says = format!(
                    "ignored progress from {}: {fault}; further ones are only counted",
                    self.nodes[position as usize].id
                );
                return self.ignore(to, now, position, &says);
            }
        };
        let run = self.run;
        let progress = &mut self.node(position).progress;
        progress.next = Some(report);
        let due = progress.at.map(|at| at + PROGRESS_EVERY).filter(|due| *due > now.mono);
        match due {
            None => self.emit_progress(to, now, position),
            Some(_) if progress.timer.is_some() => {}
            Some(due) => progress.timer = Some(to.timers.set(due, Due::Progress(run, position))),
        }
    }

    /// Tells what an agent said last of its progress, where that was not told yet.
    pub(super) fn emit_progress(&mut self, to: &mut Shared, now: Now, position: u32) {
        let progress = &mut self.node(position).progress;
        to.timers.clear(&mut progress.timer);
        let Some(ProgressReport { message, done, total }) = progress.next.take() else { return };
        progress.at = Some(now.mono);
        let amount = |it: Option<Amount>| it.map(Amount::as_f64);
        let (run, node) = (self.run, self.node_ref(position));
        let message = if message.is_empty() { progress_text(&node.id, done, total) } else { message };
        to.emit_transition(
            Transition::Progressed { run, node, done: amount(done), total: amount(total) },
            &message,
        );
        self.event_with(
            to,
            now,
            Some(position),
            (EventKind::Progress, Some(Level::Info)),
            &message,
            |meta| {
                (meta.done, meta.total) = (done, total);
            },
        );
    }

    /// An attempt took too long, or a nested opening did.
    pub(super) fn on_timeout(&mut self, to: &mut Shared, now: Now, position: u32) {
        self.node(position).timer = None;
        let inner = self.nodes[position as usize].inner;
        let own = inner.and_then(|scope| self.opening_of(scope).policy.timeout_ms);
        let ms = self.def(position).timeout_ms.into_iter().chain(own).min().unwrap_or(0);
        to.metrics.timeouts += 1;
        let flight = self.end_flight(to, now, position, true);
        let refused =
            flight.and_then(|flight| flight.refused).map_or_else(String::new, |why| format!(": {why}"));
        self.fail_attempt(to, now, position, true, &format!("timed out after {ms} ms{refused}"));
    }

    /// Counts tokens. Where a budget is spent by them, whose it is, none for the run's own, and why that one
    /// fails.
    fn spend(&mut self, to: &mut Shared, position: u32, tokens: u64) -> Option<(Option<u32>, String)> {
        self.tokens = self.tokens.saturating_add(tokens);
        to.metrics.tokens = to.metrics.tokens.saturating_add(tokens);
        to.emit_transition(Transition::Spent { run: self.run, tokens: self.tokens }, "");
        to.persist(RunOp::Spent { run: self.run, tokens: self.tokens });
        // From the node outwards, so that the outermost that is overdrawn has the last word.
        let mut overdrawn = None;
        let mut at = Some(position);
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
        overdrawn
            .map(|(at, used, budget)| (at, format!("it used {used} tokens, over its budget of {budget}")))
    }

    /// A node gives what its ports hold. `bytes` is what that takes beside what is there already.
    pub(super) fn complete(&mut self, to: &mut Shared, now: Now, position: u32, ports: Ports, bytes: u64) {
        to.timers.clear(&mut self.node(position).timer);
        if !self.fits(to, now, position, bytes) {
            return;
        }
        self.port_bytes += bytes;
        to.port_bytes += bytes;
        let node = self.node(position);
        (node.outputs, node.output_bytes) = (ports, bytes);
        self.end_node(to, now, position, NodeState::Completed, "");
        self.save(to, now, position);
    }

    /// Whether the ports of the run, and those of all runs, hold so many bytes more; else the node that gives
    /// them fails.
    pub(super) fn fits(&mut self, to: &mut Shared, now: Now, position: u32, bytes: u64) -> bool {
        let (run_max, all_max) =
            (to.settings.limits.port_values_bytes_max, to.settings.limits.all_port_values_bytes_max);
        let why = if self.port_bytes.saturating_add(bytes) > run_max {
            format!(
                "its values exceed {run_max} bytes for the ports of a run \
                 (limits.runs.port_values_bytes_max)"
            )
        } else if to.port_bytes.saturating_add(bytes) > all_max {
            format!(
                "its values exceed {all_max} bytes for the ports of all runs \
                 (limits.runs.all_port_values_bytes_max)"
            )
        } else {
            return true;
        };
        self.fail_attempt(to, now, position, false, &why);
        false
    }

    /// An attempt failed: there is another, or the node has failed.
    pub(super) fn fail_attempt(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: u32,
        retryable: bool,
        why: &str,
    ) {
        self.fail_attempt_and_wait(to, now, position, retryable, why, Duration::ZERO);
    }

    /// An attempt failed; before another one, at least `pause` passes.
    pub(super) fn fail_attempt_and_wait(
        &mut self,
        to: &mut Shared,
        now: Now,
        position: u32,
        retryable: bool,
        why: &str,
        pause: Duration,
    ) {
        if let Some(scope) = self.nodes[position as usize].inner {
            self.close_scope(to, now, scope, &format!("{} ended: {why}", self.nodes[position as usize].id));
        }
        self.end_flight(to, now, position, true);
        let (retry, attempt) = (self.def(position).retry, self.nodes[position as usize].attempt);
        if !retryable || attempt >= retry.max_attempts {
            self.set_not_ok(position);
            self.end_node(to, now, position, NodeState::Failed, why);
            return;
        }
        self.set_node_state(to, now, position, NodeState::Retrying, why);
        let at = now.mono + Duration::from_millis(retry.backoff_ms).max(pause);
        self.node(position).timer = Some(to.timers.set(at, Due::Backoff(self.run, position)));
    }

    /// The time between two attempts is over.
    pub(super) fn on_backoff(&mut self, to: &mut Shared, now: Now, position: u32) {
        self.node(position).timer = None;
        self.enqueue(to, now, position);
    }
}

/// How long a request is that no message holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLong {
    bytes: u64,
    /// Whether those are all bytes of it; else it has at least so many.
    is_whole: bool,
}

/// The length of the frame that a body goes in (rmp-v0 §3).
pub(super) fn frame_len(body: &[u8]) -> u64 {
    const HEADER_BYTES: u64 = 64;
    HEADER_BYTES + body.len() as u64
}

/// What an agent says of its progress without a message.
fn progress_text(node: &str, done: Option<Amount>, total: Option<Amount>) -> String {
    match (done, total) {
        (Some(done), Some(total)) => format!("{node}: {done} of {total}"),
        (Some(done), None) => format!("{node}: {done} done"),
        _ => format!("{node} is running"),
    }
}

pub(super) fn agent_topic(agent: &str) -> TopicName {
    TopicName::new(&format!("agent/{agent}"))
}
