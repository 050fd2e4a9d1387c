//! What is known of invocations by entries that are made by hand.

use std::sync::Arc;

use super::{
    invocation_history::InvocationHistory,
    invocation_rows::{KnownRows, RowBounds},
};
use crate::{
    ids::{InvocationId, Seq, TraceId},
    mpp::{self, FrameType},
    port::InvocationRow,
    schema::JsonText,
    store::invocations::Source,
    tap::{
        EntryRef,
        entry::{
            Direction, Door, Entry, Frame, FrameOrigin, Head, Link, Redaction, Transition as Any, Verdict,
            What,
            mpp::{FailedBy, RefundStatus, RowState, Transition},
            station::{self, OperatedBy},
        },
    },
    time::{Mono, Now},
};

/// Entries one after the other, and what becomes of rows by them.
struct TestHistory {
    history: InvocationHistory,
    seq: u64,
}

impl TestHistory {
    fn new() -> Self {
        let bounds = RowBounds { beyond: None, oldest_first: true, rows_max: 9, bytes_max: 1 << 20 };
        Self { history: InvocationHistory::new(KnownRows::new(bounds), false), seq: 0 }
    }

    fn take(&mut self, cause: Option<u64>, what: What, bytes: &str) -> u64 {
        self.seq += 1;
        let trace = Some(TraceId(uuid::Uuid::from_u128(7)));
        let (seq, at, cause) = (Seq(self.seq), Now::at_ms(self.seq), cause.map(Seq));
        let entry = Entry { seq, at, link: Link::Mpp, trace, cause, what };
        self.history.take(EntryRef { entry: &entry, bytes: bytes.as_bytes() });
        self.seq
    }

    fn moves(&mut self, cause: Option<u64>, transition: Transition, text: &str) {
        self.take(cause, What::Transition(Any::Mpp(transition)), text);
    }

    fn operates(&mut self, command: &str) -> u64 {
        let command = Some(Arc::from(command));
        let operated = station::Transition::Operated { by: None, command };
        self.take(None, What::Transition(Any::Station(operated)), "")
    }

    fn answers(&mut self, command: u64, outcome: &str) {
        let ended = station::Transition::OperationEnded { outcome: outcome.into() };
        self.take(Some(command), What::Transition(Any::Station(ended)), "");
    }

    fn enqueues(&mut self, id: u64, command: Option<u64>, from: Option<u64>) {
        let (id, requeued_from) = (InvocationId(id), from.map(InvocationId));
        let (queue, event) = ("default".into(), "heal".into());
        self.moves(command, Transition::Enqueued { id, queue, event, requeued_from }, "");
    }

    fn frame(&mut self, id: u64, direction: Direction, line: &str, door: Option<Door>) -> u64 {
        let is_outbound = direction == Direction::Outbound;
        let kind = Some(if is_outbound { FrameType::Invocation } else { FrameType::Applied });
        let by = OperatedBy::own_console();
        let origin = door.map(|door| Arc::new(FrameOrigin { by, door, number: 1, of: None }));
        let frame = Frame {
            direction,
            peer: "127.0.0.1:1".into(),
            head: Head::Mpp(mpp::Head { kind, id: Some(InvocationId(id)), ..mpp::Head::default() }),
            verdict: if is_outbound { Verdict::Sent } else { Verdict::Mpp(mpp::Verdict::Accepted) },
            wire_bytes: u32::try_from(line.len()).unwrap(),
            redaction: Redaction::None,
            origin,
        };
        self.take(None, What::Frame(frame), line)
    }

    fn sends(&mut self, id: u64, params: &str, door: Option<Door>) {
        let line = format!(
            r#"{{"mpp":2,"type":"invocation","id":{id},"queue":"default","event":"heal","params":{params}}}"#
        );
        self.frame(id, Direction::Outbound, &line, door);
    }

    fn rows(self, state: &mpp::Snapshot) -> Vec<InvocationRow> {
        self.history.finish(state, Mono(u64::MAX)).0.into_iter().map(|known| known.row).collect()
    }

    fn all(self) -> Vec<InvocationRow> {
        self.rows(&mpp::Snapshot::default())
    }
}

fn source(kind: &str, user: Option<&str>, redemption: Option<&str>) -> Source {
    let text = |text: Option<&str>| text.map(str::to_owned);
    Source { kind: kind.to_owned(), user: text(user), redemption: text(redemption) }
}

#[test]
fn what_a_command_says_goes_with_the_row_that_became_of_it() {
    let mut it = TestHistory::new();
    let one = it.operates(
        r#"{"mpp":{"enqueue":{"rows":[{"event":"heal","params":{"a": 1},"source":"bits","user":"alice","redemption":"r"}]}}}"#,
    );
    it.enqueues(1, Some(one), None);
    let three = it.operates(
        r#"{"mpp":{"enqueue":{"rows":[{"event":"none"},{"event":"heal","params":{"b":2}},{"event":"heal","key":"k"}]}}}"#,
    );
    it.enqueues(2, Some(three), None);
    it.enqueues(3, Some(three), None);
    let trace = "trace:00000000-0000-0000-0000-000000000007";
    let row = |id: u64, more: &str| {
        format!(
            r#"{{"Ok":{{"id":{id},"queue":"default","event":"heal","state":"pending","trace_id":"{trace}"{more}}}}}"#
        )
    };
    let refused = r#"{"Err":{"refusal":"unknown_event","event":"none","nearest":null}}"#;
    let rows = [refused.to_owned(), row(3, ""), row(1, r#","repeated":true"#)];
    it.answers(three, &format!(r#"{{"mpp":{{"enqueued":[{}]}}}}"#, rows.join(",")));
    it.enqueues(4, None, None);
    let rows = it.all();
    let found = |id: usize| (rows[id - 1].params.as_str(), rows[id - 1].source.clone());
    assert_eq!(found(1), (r#"{"a": 1}"#, source("bits", Some("alice"), Some("r"))));
    assert_eq!(found(2), ("null", source("", None, None)), "which it was is not known");
    assert_eq!(found(3), (r#"{"b":2}"#, source("manual", None, None)));
    assert_eq!(found(4), ("null", source("", None, None)));
    assert!(rows.iter().all(|row| row.state == RowState::Pending && row.trace_id.0.as_u128() == 7));
}

#[test]
fn a_row_goes_its_way_with_what_frames_and_reasons_say() {
    let (queue, event) = (|| "default".into(), || "heal".into());
    let mut it = TestHistory::new();
    let command =
        it.operates(r#"{"mpp":{"enqueue":{"rows":[{"event":"heal","source":"bits","user":"bob"}]}}}"#);
    it.enqueues(1, Some(command), None);
    it.enqueues(2, None, None);
    for id in [1, 2].map(InvocationId) {
        it.moves(None, Transition::Dispatched { id, queue: queue(), event: event() }, "");
    }
    it.sends(2, r#"{"as":"the station"}"#, Some(Door::AsStation));
    it.sends(2, r#"{"c":3}"#, None);
    let line = r#"{"mpp":2,"type":"applied","id":2,"result":{"hp":9}}"#;
    let applied = it.frame(2, Direction::Inbound, line, None);
    it.moves(Some(applied), Transition::Applied { id: InvocationId(2), queue: queue(), cleared: true }, "");
    let by = FailedBy::Adapter;
    let failed =
        |id, from| Transition::Failed { id, queue: queue(), event: event(), from, cleared: true, by };
    it.moves(None, failed(InvocationId(2), RowState::Applied), "no room");
    it.moves(None, Transition::Refunded { id: InvocationId(1), queue: queue(), event: event() }, "late");
    let (refund, status) = (crate::ids::RefundId(1), RefundStatus::Skipped);
    it.moves(None, Transition::RefundRecorded { refund, id: InvocationId(1), status }, "");
    it.enqueues(3, None, Some(1));
    // What has ended stays as it is.
    it.moves(None, Transition::Dispatched { id: InvocationId(1), queue: queue(), event: event() }, "");
    let rows = it.all();
    let found = |id: usize| {
        let row: &InvocationRow = &rows[id - 1];
        (row.state, row.params.as_str(), row.reason.as_deref(), row.refund)
    };
    assert_eq!(found(1), (RowState::Refunded, "{}", Some("late"), Some(RefundStatus::Skipped)));
    assert_eq!(found(2), (RowState::Failed, r#"{"c":3}"#, Some("no room"), None));
    assert_eq!(rows[1].result.as_ref().map(JsonText::as_str), Some(r#"{"hp":9}"#));
    assert_eq!(found(3), (RowState::Pending, "{}", None, None));
    assert_eq!(
        (rows[2].source.clone(), rows[2].requeued_from),
        (source("bits", Some("bob"), None), Some(InvocationId(1)))
    );
}

#[test]
fn what_had_not_ended_before_a_loss_is_left_out_until_something_is_known_of_it() {
    let (queue, event) = (|| "default".into(), || "heal".into());
    let mut it = TestHistory::new();
    (1..=3).for_each(|id| it.enqueues(id, None, None));
    it.moves(
        None,
        Transition::Done {
            id: InvocationId(1),
            queue: queue(),
            event: event(),
            cleared: true,
            settled: false,
        },
        "",
    );
    it.take(None, What::Loss { count: 5 }, "");
    it.moves(None, Transition::Dispatched { id: InvocationId(3), queue: queue(), event: event() }, "");
    it.moves(None, Transition::Requeued { id: InvocationId(3), queue: queue() }, "");
    it.enqueues(4, None, None);
    it.moves(None, Transition::Dispatched { id: InvocationId(4), queue: queue(), event: event() }, "");
    let ids: Vec<u64> = it.all().iter().map(|row| row.id.0).collect();
    assert_eq!(ids, [1, 3], "of the second nothing is known, and the fourth is with no adapter");
}
