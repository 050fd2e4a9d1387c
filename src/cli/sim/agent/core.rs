//! The agent's side of rmp-v0 §9.1 as a state machine.
//!
//! ```text
//! request ─▶ working ──progress … ──▶ over: Completed, Failed, or nothing
//!               └──cancel──▶ over: Failed, not retryable
//! ```

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

use super::{
    answer::{Answer, echo, item, progress},
    draw::Draws,
    event::Event,
    request::{CANCEL, Cancel, REQUEST, Request},
    script::{Rule, Script, Source, Then, drawn},
};
use crate::{
    ids::TraceId,
    rmp::{
        Registry,
        client::{Delivery, Message},
        json,
    },
    time::{Mono, Now},
};

/// Requests in work at one time; one more fails and may be tried again.
const JOBS_MAX: usize = 65_536;
/// Values of one body that are looked at.
const VALUES_MAX: u64 = 1_000_000;

/// One thing that the agent wants done, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Output {
    /// A message for a topic.
    Publish {
        /// The topic.
        topic: String,
        /// The message.
        message: Message,
    },
    /// Something to be told.
    Tell(Event),
}

/// A simulated agent.
#[derive(Debug)]
pub(crate) struct Agent {
    script: Script,
    registry: Registry,
    draws: Draws,
    jobs: BTreeMap<u64, Job>,
    /// When each job's next step is due.
    due: BTreeSet<(Mono, u64)>,
    next_job: u64,
    outputs: VecDeque<Output>,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    completed: u64,
    failed: u64,
    silent: u64,
    cancelled: u64,
}

/// A request in work.
#[derive(Debug)]
struct Job {
    request: Request,
    trace: TraceId,
    began: Mono,
    delay: Duration,
    progress: Vec<String>,
    said: usize,
    /// Nothing where the script has none.
    answer: Option<Answer>,
    tokens: Option<u64>,
}

impl Job {
    /// The moment of the next step: progress in equal steps, then the answer.
    fn due(&self) -> Mono {
        let steps = u32::try_from(self.progress.len()).unwrap_or(u32::MAX);
        let step = u32::try_from(self.said).unwrap_or(u32::MAX).saturating_add(1);
        if step > steps {
            self.began + self.delay
        } else {
            self.began + self.delay * step / (steps.saturating_add(1))
        }
    }
}

impl Agent {
    /// An agent that behaves as a script says.
    pub(crate) fn new(script: Script, registry: Registry, seed: u64) -> Self {
        let (jobs, due, outputs) = (BTreeMap::new(), BTreeSet::new(), VecDeque::new());
        Self {
            script,
            registry,
            draws: Draws::new(seed),
            jobs,
            due,
            next_job: 0,
            outputs,
            counts: Counts::default(),
        }
    }

    /// A message on its topic came.
    pub(crate) fn on_delivery(&mut self, now: Now, delivery: &Delivery) {
        let ignored =
            |of_type: &str, why: String| Output::Tell(Event::Ignored { of_type: of_type.to_owned(), why });
        let body = match delivery.body() {
            Ok(body) => body,
            Err(fault) => return self.outputs.push_back(ignored("?", fault.to_string())),
        };
        let trace = delivery.header().trace_id;
        let Some(payload) = body.payload_value(VALUES_MAX) else {
            return self.outputs.push_back(ignored(body.kind(), format!("more than {VALUES_MAX} values")));
        };
        let missing = |what: &str| format!("{what} is missing");
        match body.kind() {
            REQUEST => match Request::read(&payload) {
                Ok(request) => self.on_request(now, trace, request),
                Err(what) => self.outputs.push_back(ignored(REQUEST, missing(what))),
            },
            CANCEL => match Cancel::read(&payload) {
                Ok(cancel) => self.on_cancel(&cancel),
                Err(what) => self.outputs.push_back(ignored(CANCEL, missing(what))),
            },
            other => {
                self.outputs.push_back(ignored(other, "neither a request nor a cancel".to_owned()));
            }
        }
    }

    /// The moment of [`next_due`](Self::next_due) has come.
    pub(crate) fn on_timeout(&mut self, now: Now) {
        while let Some((due, id)) = self.due.first().copied().filter(|(due, _)| *due <= now.mono) {
            self.due.remove(&(due, id));
            self.step(id);
        }
    }

    /// The connection is gone: nobody waits for the answers any more.
    pub(crate) fn on_lost(&mut self) {
        self.jobs.clear();
        self.due.clear();
        self.outputs.clear();
    }

    /// When something is due next.
    pub(crate) fn next_due(&self) -> Option<Mono> {
        self.due.first().map(|(due, _)| *due)
    }

    /// The next thing to be done.
    pub(crate) fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// What it did in all.
    pub(crate) fn ended(&self) -> Event {
        let Counts { completed, failed, silent, cancelled } = self.counts;
        Event::Ended { completed, failed, silent, cancelled }
    }

    fn on_request(&mut self, now: Now, trace: TraceId, request: Request) {
        let Request { node, attempt, reply_topic, .. } = request.clone();
        self.emit(Event::Request { node, attempt, trace_id: trace, reply_topic });
        let mut rng = self.draws.next(&request.node, request.attempt);
        let rule = self
            .script
            .rules
            .iter()
            .find(|rule| rule.fits(&request.node, request.attempt, &mut rng))
            .cloned();
        let rule = rule.unwrap_or_default();
        let delay = Duration::from_millis(rng.u64(rule.delay_ms.0..=rule.delay_ms.1));
        let answer = self.answer(&rule, &request, &mut rng);
        let Rule { progress, tokens, .. } = rule;
        let job = Job { request, trace, began: now.mono, delay, progress, said: 0, answer, tokens };
        if self.jobs.len() >= JOBS_MAX {
            let reason = format!("already processing {JOBS_MAX} requests");
            return self.finish(&Job { answer: Some(Answer::Failed { retryable: true, reason }), ..job });
        }
        let id = self.next_job;
        self.next_job += 1;
        self.due.insert((job.due(), id));
        self.jobs.insert(id, job);
        self.on_timeout(now);
    }

    fn answer(&self, rule: &Rule, request: &Request, rng: &mut fastrand::Rng) -> Option<Answer> {
        Some(match &rule.then {
            Then::Silent => return None,
            Then::Echo => echo(&self.registry, request),
            Then::Fail { retryable, reason } => {
                Answer::Failed { retryable: *retryable, reason: reason.clone() }
            }
            Then::Ports(ports) => {
                let mut made = Vec::new();
                for (port, items) in ports {
                    let mut values = Vec::new();
                    for one in items {
                        let value = match &one.source {
                            Source::Value(value) => Some(value.clone()),
                            Source::Schema(schema) => drawn(schema, rng),
                        };
                        // The forms of JSON that stand for other values hold here too.
                        let Some(value) = value.and_then(|value| json::parse(&value.to_string()).ok()) else {
                            let reason = format!("cannot generate a value of {}", one.of_type);
                            return Some(Answer::Failed { retryable: false, reason });
                        };
                        values.push(item(&self.registry, &one.of_type, value));
                    }
                    made.push((port.clone(), values));
                }
                Answer::Completed(made)
            }
        })
    }

    fn on_cancel(&mut self, cancel: &Cancel) {
        let meant: Vec<u64> =
            self.jobs.iter().filter(|(_, job)| cancel.is_of(&job.request)).map(|(id, _)| *id).collect();
        for id in meant {
            let Some(job) = self.jobs.remove(&id) else { continue };
            self.due.remove(&(job.due(), id));
            self.counts.cancelled += 1;
            self.emit(Event::Cancelled { node: job.request.node.clone(), attempt: job.request.attempt });
            let answer = Answer::Failed { retryable: false, reason: "cancelled".to_owned() };
            self.publish(&job, job.request.reply_topic.clone(), answer.message(job.trace, None));
        }
    }

    /// The next step of a job: a word on the way, or its end.
    fn step(&mut self, id: u64) {
        let Some(mut job) = self.jobs.remove(&id) else { return };
        let total = job.progress.len() as u64;
        let Some(message) = job.progress.get(job.said).cloned() else { return self.finish(&job) };
        job.said += 1;
        let done = job.said as u64;
        let topic = format!("{}/progress", job.request.reply_topic);
        self.publish(&job, topic, progress(job.trace, &message, done, total));
        let Request { node, attempt, .. } = job.request.clone();
        self.emit(Event::Progress { node, attempt, message, done, total });
        self.due.insert((job.due(), id));
        self.jobs.insert(id, job);
    }

    fn finish(&mut self, job: &Job) {
        let Request { node, attempt, reply_topic, .. } = job.request.clone();
        let Some(answer) = &job.answer else {
            self.counts.silent += 1;
            return self.emit(Event::Silent { node, attempt });
        };
        self.publish(job, reply_topic, answer.message(job.trace, job.tokens));
        match answer {
            Answer::Completed(ports) => {
                self.counts.completed += 1;
                self.emit(Event::Completed {
                    node,
                    attempt,
                    ports: ports.iter().map(|(port, _)| port.clone()).collect(),
                });
            }
            Answer::Failed { retryable, reason } => {
                self.counts.failed += 1;
                self.emit(Event::Failed { node, attempt, retryable: *retryable, reason: reason.clone() });
            }
        }
    }

    fn publish(&mut self, job: &Job, topic: String, message: Option<Message>) {
        match message {
            Some(message) => self.outputs.push_back(Output::Publish { topic, message }),
            None => self.emit(Event::Ignored {
                of_type: job.request.node.clone(),
                why: "cannot encode the answer".to_owned(),
            }),
        }
    }

    fn emit(&mut self, event: Event) {
        self.outputs.push_back(Output::Tell(event));
    }
}
