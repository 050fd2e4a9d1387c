//! The queue of what is to be kept: handed to the store in its order, held until it is durable, and offered
//! again when the store cannot write.
//!
//! ```text
//! persist ─flush→ offered ─Committed→ durable
//!                    │ CommitFailed          ▲
//!                    ▼                       │
//!                 refused ─after a pause→ offered again, with all that came behind it meanwhile
//! ```
//!
//! A run that cannot be recorded is not: it is rejected, and nothing of it is offered again. While the store
//! cannot write, events and artifacts that find no more room here are left out, and their run says how many;
//! ends of runs always have room. They are left out on a disk that is nearly full too.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use super::io::{Output, Publish};
use crate::{
    ids::{Ticket, TraceId},
    store::runs::RunOp,
    tap::entry::runs::RunState,
    time::Wall,
};

/// The pauses before what was refused is offered again: the first, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(5));
/// About the bytes that are offered again in one piece.
const REOFFER_BYTES_MAX: u64 = 4 << 20;

/// What waits for a commit.
#[derive(Clone, Debug)]
pub(super) enum AfterCommit {
    /// A run that may begin.
    Begin(TraceId),
    /// A message that may leave; it does also when the commit fails, for what it tells is so all the same.
    Send(Publish),
}

/// How a run ended, where that is not durable yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnsavedEnd {
    pub(super) state: RunState,
    pub(super) why: Option<String>,
    pub(super) at: Wall,
}

#[derive(Debug)]
struct Offered {
    ops: Arc<[RunOp]>,
    after: Vec<AfterCommit>,
    /// Where it belongs among what was refused.
    order: Ticket,
    bytes: u64,
}

/// The operations that are not durable yet.
#[derive(Debug, Default)]
pub(super) struct SaveQueue {
    /// What the next flush hands over, and what waits for it.
    ops: Vec<RunOp>,
    after: Vec<AfterCommit>,
    offered: BTreeMap<Ticket, Offered>,
    /// What the store refused and what came behind that, in order.
    refused: BTreeMap<Ticket, Arc<[RunOp]>>,
    refused_bytes: u64,
    offered_bytes: u64,
    /// The operation that is offered again now.
    reoffered: Option<Ticket>,
    pause: Option<Duration>,
    error: String,
}

impl SaveQueue {
    pub(super) fn persist(&mut self, op: RunOp) {
        self.ops.push(op);
    }

    /// Does this once all that is to be written by now is durable.
    pub(super) fn after(&mut self, after: AfterCommit) {
        self.after.push(after);
    }

    /// Whether the store refused something that is not durable yet.
    pub(super) fn is_failing(&self) -> bool {
        self.reoffered.is_some() || !self.refused.is_empty()
    }

    /// Whether something more may wait for a store that cannot write.
    pub(super) fn has_room(&self, bytes_max: u64) -> bool {
        !self.is_failing() || self.refused_bytes + self.offered_bytes <= bytes_max
    }

    /// Why the store could not write last.
    pub(super) fn error(&self) -> &str {
        &self.error
    }

    /// Why nothing more may wait.
    pub(super) fn set_error(&mut self, why: &str) {
        why.clone_into(&mut self.error);
    }

    /// Offers what is to be written. While the store cannot write it waits behind what was refused, and what
    /// waits for it does not.
    pub(super) fn flush(&mut self, ticket: impl FnOnce() -> Ticket, outputs: &mut VecDeque<Output>) {
        if self.ops.is_empty() {
            return;
        }
        let (ops, after) = (std::mem::take(&mut self.ops), std::mem::take(&mut self.after));
        let ticket = ticket();
        if !self.is_failing() {
            return self.offer(ticket, ticket, ops.into(), after, outputs);
        }
        self.refuse(ticket, ops.into());
        outputs.extend(after.into_iter().filter_map(|after| match after {
            AfterCommit::Send(publish) => Some(Output::Publish(publish)),
            AfterCommit::Begin(_) => None,
        }));
    }

    /// Offers the beginning of a run, whatever else waits: who submitted it waits too.
    pub(super) fn begin(
        &mut self,
        ticket: Ticket,
        run: TraceId,
        ops: Vec<RunOp>,
        outputs: &mut VecDeque<Output>,
    ) {
        self.offer(ticket, ticket, ops.into(), vec![AfterCommit::Begin(run)], outputs);
    }

    fn offer(
        &mut self,
        ticket: Ticket,
        order: Ticket,
        ops: Arc<[RunOp]>,
        after: Vec<AfterCommit>,
        outputs: &mut VecDeque<Output>,
    ) {
        let bytes = ops.iter().map(bytes).sum();
        self.offered_bytes += bytes;
        self.offered.insert(ticket, Offered { ops: Arc::clone(&ops), after, order, bytes });
        outputs.push_back(Output::Persist { ticket, ops });
    }

    fn refuse(&mut self, order: Ticket, ops: Arc<[RunOp]>) {
        self.refused_bytes += ops.iter().map(bytes).sum::<u64>();
        self.refused.insert(order, ops);
    }

    /// What was offered is durable; what waited for that.
    pub(super) fn on_committed(&mut self, ticket: Ticket) -> Vec<AfterCommit> {
        let Some(Offered { after, bytes, .. }) = self.offered.remove(&ticket) else { return Vec::new() };
        self.offered_bytes -= bytes;
        if self.reoffered == Some(ticket) {
            (self.reoffered, self.pause) = (None, None);
        }
        after
    }

    /// What was offered was refused; what waited for it, and after which pause it is to be offered again.
    pub(super) fn on_failed(&mut self, ticket: Ticket, error: &str) -> (Vec<AfterCommit>, Option<Duration>) {
        let Some(Offered { ops, after, order: place, bytes }) = self.offered.remove(&ticket) else {
            return (Vec::new(), None);
        };
        self.offered_bytes -= bytes;
        error.clone_into(&mut self.error);
        if after.iter().any(|after| matches!(after, AfterCommit::Begin(_))) {
            return (after, None);
        }
        self.refuse(place, ops);
        // What was refused while the pause runs, or while a part is offered again, waits for that.
        let is_first = self.pause.is_none() || self.reoffered == Some(ticket);
        if self.reoffered == Some(ticket) {
            self.reoffered = None;
        }
        if !is_first {
            return (after, None);
        }
        let pause = self.pause.map_or(PAUSES.0, |pause| pause.saturating_mul(2).min(PAUSES.1));
        self.pause = Some(pause);
        (after, Some(pause))
    }

    /// Offers a part of what was refused again, the oldest first.
    pub(super) fn reoffer(&mut self, ticket: impl FnOnce() -> Ticket, outputs: &mut VecDeque<Output>) {
        if self.reoffered.is_some() {
            return;
        }
        let Some(place) = self.refused.keys().next().copied() else { return };
        let (mut part, mut part_bytes) = (Vec::new(), 0);
        while part_bytes < REOFFER_BYTES_MAX
            && let Some((_, ops)) = self.refused.pop_first()
        {
            part_bytes += ops.iter().map(bytes).sum::<u64>();
            part.extend_from_slice(&ops);
        }
        self.refused_bytes -= part_bytes;
        let ticket = ticket();
        self.reoffered = Some(ticket);
        self.offer(ticket, place, part.into(), Vec::new(), outputs);
    }

    /// How a run ended, where that is not durable yet.
    pub(super) fn ended(&self, run: TraceId) -> Option<UnsavedEnd> {
        let offered = self.offered.values().map(|offered| &offered.ops);
        offered.chain(self.refused.values()).flat_map(|ops| ops.iter()).find_map(|op| match op {
            RunOp::End { run: of, state, why, at, .. } if *of == run => {
                Some(UnsavedEnd { state: *state, why: why.clone(), at: *at })
            }
            _ => None,
        })
    }
}

/// About the bytes that something takes while it waits.
fn bytes(op: &RunOp) -> u64 {
    const SELF_BYTES: u64 = 256;
    let own = match op {
        RunOp::Begin(run) => run.yaml.len() + run.plan.as_str().len(),
        RunOp::Event { event, .. } => event.message.len() + event.meta.as_str().len(),
        RunOp::Artifact { artifact, .. } => artifact.value.len() + artifact.kind.len(),
        RunOp::Spent { .. } | RunOp::Done { .. } => 0,
        RunOp::End { why, .. } => why.as_ref().map_or(0, String::len),
        RunOp::Answer(answer) => answer.body.len(),
    };
    SELF_BYTES + own as u64
}
