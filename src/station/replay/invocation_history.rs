//! What the entries of a recording say of invocations.

use std::collections::BTreeMap;

use super::invocation_rows::{KnownRow, KnownRows};
use crate::{
    ids::{InvocationId, Seq},
    mpp::{
        self, FrameType, NewInvocation, Outcome,
        frame::{Inbound, Outbound, Phase, decode, decode_outbound},
    },
    port,
    schema::JsonText,
    store::invocations::Source,
    tap::{
        EntryRef,
        entry::{
            Direction, Door, Frame, Head, Transition as Any, Verdict, What,
            mpp::{FailedBy, RowState, Transition},
            station,
        },
    },
    time::{Mono, Wall},
};

/// Commands whose outcome may come; the oldest go first.
const COMMANDS_MAX: usize = 256;
/// How a command that is one of these begins, as JSON, and how its outcome does.
const ENQUEUES: &str = r#"{"mpp":{"enqueue""#;
const ENQUEUED: &str = r#"{"mpp":{"enqueued""#;
/// How the reason of a row begins that could not be read.
const DAMAGED: &str = "damaged: ";

/// What an adapter reported of an invocation with `applied`.
#[derive(Debug)]
struct Applied {
    seq: Seq,
    id: InvocationId,
    result: Option<JsonText>,
}

/// The rows so far, from entries in their order.
#[derive(Debug)]
pub(super) struct InvocationHistory {
    rows: KnownRows,
    /// Rows that operators had enqueued, by the entries of their commands.
    commands: BTreeMap<Seq, Vec<NewInvocation>>,
    applied: Option<Applied>,
    /// Whether entries were left out on purpose: none of those that were is of a row that is here.
    is_sparse: bool,
    /// Gaps in the entries.
    gaps: u64,
    next: Option<Seq>,
}

/// An entry, as a row follows it.
struct Cx<'a> {
    seq: Seq,
    at: Wall,
    cause: Option<Seq>,
    text: &'a str,
    entry: EntryRef<'a>,
}

impl InvocationHistory {
    pub(super) const fn new(rows: KnownRows, is_sparse: bool) -> Self {
        Self { is_sparse, rows, commands: BTreeMap::new(), applied: None, gaps: 0, next: None }
    }

    /// Takes in the rows of a state: those that are with the adapter, and those that ended last. It may be of
    /// later: what it has of behind `until` is left out.
    pub(super) fn observe(&mut self, state: &mpp::Snapshot, until: Mono) {
        let gaps = self.gaps;
        for ended in state.recent.iter().filter(|ended| ended.at.mono <= until) {
            self.rows.change(ended.id, |known| {
                if !known.row.state.is_terminal() {
                    (known.row.state, known.row.updated_at_ms) = (ended.state, ended.at.wall);
                }
                let row = &mut known.row;
                (row.queue, row.event) = (ended.queue.clone(), ended.event.clone());
                row.reason = row.reason.take().or_else(|| ended.reason.as_deref().map(str::to_owned));
                row.trace_id = ended.trace.unwrap_or(row.trace_id);
            });
        }
        for (id, live) in state.live.iter().filter(|(_, live)| live.since.mono <= until) {
            self.rows.change(*id, |known| {
                known.gaps = gaps;
                let row = &mut known.row;
                if row.state != live.state || row.updated_at_ms == Wall(0) {
                    (row.state, row.updated_at_ms) = (live.state, live.since.wall);
                }
                (row.queue, row.event) = (live.queue.clone(), live.event.clone());
                row.trace_id = live.trace.unwrap_or(row.trace_id);
            });
        }
    }

    /// Takes in the next entry.
    pub(super) fn take(&mut self, entry: EntryRef<'_>) {
        let of = entry.entry;
        let is_missing = !self.is_sparse && self.next.is_some_and(|next| next != of.seq);
        self.gaps += u64::from(is_missing || matches!(of.what, What::Loss { .. }));
        self.next = Some(of.seq.next());
        let has_text = matches!(of.what, What::Transition(Any::Mpp(_)));
        let text = if has_text { entry.text() } else { "".into() };
        let cx = Cx { seq: of.seq, at: of.at.wall, cause: of.cause, text: &text, entry };
        match &of.what {
            What::Frame(frame @ Frame { head: Head::Mpp(head), .. }) => {
                if let Some(id) = head.id {
                    self.on_frame(id, frame, head.kind, &cx);
                }
            }
            What::Transition(Any::Mpp(transition)) => {
                if let Some(id) = transition.invocation() {
                    self.on_transition(id, transition, &cx);
                }
            }
            What::Transition(Any::Station(transition)) => self.on_station(transition, &cx),
            _ => {}
        }
    }

    /// The rows, and the last one that was looked at where there was no room for all. `state` is the one
    /// behind the last entry. Left out are rows of which it is not known what became of them: that were
    /// dispatched and are with no adapter, and that had not ended when entries were lost.
    pub(super) fn finish(
        mut self,
        state: &mpp::Snapshot,
        until: Mono,
    ) -> (Vec<KnownRow>, Option<InvocationId>) {
        self.observe(state, until);
        let gaps = self.gaps;
        let (mut rows, last) = self.rows.finish();
        rows.retain(|known| match known.row.state {
            RowState::Done | RowState::Failed | RowState::Refunded => true,
            RowState::Pending | RowState::Applied => known.gaps == gaps,
            RowState::Dispatched => state.live.contains_key(&known.row.id),
        });
        (rows, last)
    }

    fn on_frame(&mut self, id: InvocationId, frame: &Frame, kind: Option<FrameType>, cx: &Cx<'_>) {
        let is_inbound = frame.direction == Direction::Inbound;
        match kind {
            Some(FrameType::Invocation) if !is_inbound && !is_forged(frame) => {
                self.rows.change_known(id, |known| fill_params(known, params_of(cx.entry.bytes)));
            }
            Some(FrameType::Applied)
                if is_inbound && frame.verdict == Verdict::Mpp(mpp::Verdict::Accepted) =>
            {
                let decoded = decode(cx.entry.bytes, Phase::Later);
                let result = match decoded {
                    Ok(Inbound::Applied { result, .. }) => result.map(JsonText::from_raw),
                    _ => None,
                };
                self.applied = Some(Applied { seq: cx.seq, id, result });
            }
            _ => {}
        }
    }

    fn on_transition(&mut self, id: InvocationId, transition: &Transition, cx: &Cx<'_>) {
        match transition {
            Transition::Enqueued { .. } => self.on_enqueued(id, transition, cx),
            Transition::Dispatched { queue, event, .. } => {
                self.change(id, cx, RowState::Dispatched, |row| {
                    (row.queue, row.event) = (queue.clone(), event.clone());
                });
            }
            Transition::Applied { queue, .. } => {
                let applied = self.applied.take().filter(|it| it.id == id && cx.cause == Some(it.seq));
                self.change(id, cx, RowState::Applied, |row| {
                    row.queue = queue.clone();
                    row.result = applied.and_then(|it| it.result).or(row.result.take());
                });
            }
            Transition::Done { queue, event, .. } => self.change(id, cx, RowState::Done, |row| {
                (row.queue, row.event) = (queue.clone(), event.clone());
            }),
            Transition::Failed { queue, event, by, .. } => {
                let damage = cx.text.strip_prefix(DAMAGED).filter(|_| *by == FailedBy::Damage);
                self.change(id, cx, RowState::Failed, |row| {
                    (row.queue, row.event) = (queue.clone(), event.clone());
                    (row.reason, row.damage) = (Some(cx.text.to_owned()), damage.map(str::to_owned));
                });
            }
            Transition::Refunded { queue, event, .. } => self.change(id, cx, RowState::Refunded, |row| {
                (row.queue, row.event) = (queue.clone(), event.clone());
                row.reason = Some(cx.text.to_owned());
            }),
            Transition::Requeued { queue, .. } => {
                self.change(id, cx, RowState::Pending, |row| row.queue = queue.clone());
            }
            Transition::OtherCancelled { queue, .. } => self.change(id, cx, RowState::Failed, |row| {
                (row.queue, row.reason) = (queue.clone(), Some(cx.text.to_owned()));
            }),
            Transition::RefundRecorded { status, .. } => {
                self.rows.change_known(id, |known| known.row.refund = Some(*status));
            }
            // Receipt changes no state, and what is orphaned stays applied.
            _ => {}
        }
    }

    /// A row has this state from now on, unless it has ended.
    fn change(
        &mut self,
        id: InvocationId,
        cx: &Cx<'_>,
        state: RowState,
        change: impl FnOnce(&mut port::InvocationRow),
    ) {
        let gaps = self.gaps;
        self.rows.change(id, |known| {
            if known.row.state.is_terminal() {
                return;
            }
            known.gaps = gaps;
            (known.row.state, known.row.updated_at_ms) = (state, cx.at);
            known.row.trace_id = cx.entry.entry.trace.unwrap_or(known.row.trace_id);
            change(&mut known.row);
        });
    }

    fn on_enqueued(&mut self, id: InvocationId, transition: &Transition, cx: &Cx<'_>) {
        let Transition::Enqueued { queue, event, requeued_from, .. } = transition else { return };
        let (gaps, is_new) = (self.gaps, self.rows.get(id).is_none());
        let origin = requeued_from.and_then(|origin| self.rows.get(origin)).map(|origin| {
            let Source { kind, user, .. } = origin.row.source.clone();
            (origin.row.params.clone(), Source { kind, user, redemption: None })
        });
        self.rows.change(id, |known| {
            let row = &mut known.row;
            (row.queue, row.event) = (queue.clone(), event.clone());
            (row.enqueued_at_ms, row.requeued_from) = (cx.at, *requeued_from);
            row.trace_id = cx.entry.entry.trace.unwrap_or(row.trace_id);
            if is_new {
                row.updated_at_ms = cx.at;
                known.gaps = gaps;
            }
            if let Some((params, source)) = origin {
                fill_params(known, Some(params));
                known.row.source = source;
            }
        });
        // Of several rows only the outcome says which became which.
        if let Some([new]) = cx.cause.and_then(|cause| self.commands.get(&cause)).map(Vec::as_slice) {
            self.rows.change_known(id, |known| fill(known, new));
        }
    }

    fn on_station(&mut self, transition: &station::Transition, cx: &Cx<'_>) {
        match transition {
            station::Transition::Operated { command: Some(command), .. } if command.starts_with(ENQUEUES) => {
                if let Ok(port::Command::Mpp(mpp::Command::Enqueue { rows })) = serde_json::from_str(command)
                {
                    if self.commands.len() >= COMMANDS_MAX {
                        self.commands.pop_first();
                    }
                    self.commands.insert(cx.seq, rows);
                }
            }
            station::Transition::OperationEnded { outcome } => {
                let Some(asked) = cx.cause.and_then(|cause| self.commands.remove(&cause)) else { return };
                if outcome.starts_with(ENQUEUED)
                    && let Ok(port::Outcome::Mpp(Outcome::Enqueued(rows))) = serde_json::from_str(outcome)
                {
                    self.on_outcome(&asked, &rows);
                }
            }
            _ => {}
        }
    }

    /// Which rows became of those that were asked for.
    fn on_outcome(&mut self, asked: &[NewInvocation], rows: &[Result<mpp::EnqueuedRow, mpp::Refusal>]) {
        if asked.len() != rows.len() {
            return;
        }
        for (new, row) in asked.iter().zip(rows) {
            if let Ok(row) = row
                && !row.repeated
            {
                self.rows.change_known(row.id, |known| fill(known, new));
            }
        }
    }
}

/// Whether a frame to the adapter is none of the bridge's own.
fn is_forged(frame: &Frame) -> bool {
    frame.origin.as_ref().is_some_and(|origin| matches!(origin.door, Door::AsStation | Door::Gate))
}

/// The params of an invocation's frame, where it is whole.
fn params_of(bytes: &[u8]) -> Option<JsonText> {
    match decode_outbound(bytes) {
        Ok(Outbound::Invocation { params, .. }) => Some(JsonText::from_raw(params)),
        _ => None,
    }
}

/// What was asked for says what goes with a row.
fn fill(known: &mut KnownRow, new: &NewInvocation) {
    let nothing = || JsonText::parse("{}").ok();
    fill_params(known, new.params.clone().or_else(nothing));
    known.row.source = new.source();
}

/// Params are objects: null says that they are not known.
fn fill_params(known: &mut KnownRow, params: Option<JsonText>) {
    if known.row.params == JsonText::null() {
        known.row.params = params.unwrap_or_else(JsonText::null);
    }
}
