//! Bounds in bytes of what is kept.

use bytes::Bytes;
use uuid::Uuid;

use super::kit::{HASH, Kit, ask, moved, open, row, try_open};
use crate::{
    ids::{InvocationId, OpeningId, TraceId},
    limits,
    schema::JsonText,
    store::{
        RefundFilter,
        invocations::NewRefund,
        macp::{MacpOp, push},
        op::{Class, Op},
        runs::{AnswerRow, ArtifactRow, NewRun, RunFilter, RunOp},
    },
    tap::entry::{
        mpp::{RefundStatus, RowState},
        runs::{AskerKind, RunState},
    },
    time::Wall,
};

/// Asks until retention has come to its end: between two requests the writer deletes a slice, if one is due.
pub(super) fn until_retired(kit: &Kit) {
    let retired = || {
        kit.flush();
        kit.handle.counters().retired_rows
    };
    let mut last = retired();
    loop {
        let now = retired();
        if now == last {
            return;
        }
        last = now;
    }
}

fn long(id: u64) -> crate::store::invocations::Row {
    let params = JsonText::parse(&format!(r#"{{"x":"{}"}}"#, "x".repeat(1_000))).unwrap();
    crate::store::invocations::Row { params, ..row(id) }
}

#[test]
fn ended_rows_of_too_many_bytes_go_the_oldest_first_and_pending_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Store { ended_rows_bytes_max: 65_536, ..limits::Store::default() };
    let mut kit = try_open(folder.path(), HASH, limits).unwrap();
    kit.enqueue((1..=200).map(long).collect());
    let pending = 200 * long(1).bytes();
    for id in 2..=199 {
        kit.journal.append(moved(id, RowState::Done)).unwrap();
    }
    kit.journal.commit().unwrap();
    until_retired(&kit);
    let left = kit.states();
    let ended = left.len() as u64 - 2;
    assert!(ended * long(1).bytes() <= 65_536, "{ended}");
    assert!((ended + 17) * long(1).bytes() > 65_536, "no more went than a slice: {ended}");
    assert_eq!((left[0], left.last().unwrap().0), ((1, RowState::Pending), 200));
    assert!(left[1].0 > 100, "the oldest went");
    // A start counts what there is.
    kit.store.close().unwrap();
    let kit = try_open(folder.path(), HASH, limits).unwrap();
    assert_eq!(kit.opened.restored.pending_bytes, pending / 100);
    let before = kit.states().len();
    kit.flush();
    assert_eq!(kit.states().len(), before);
}

#[test]
fn refunds_runs_and_answers_go_by_their_bytes_too() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Store {
        refund_bytes_max: 65_536,
        ended_runs_bytes_max: 65_536,
        control_answers_bytes_max: 65_536,
        ..limits::Store::default()
    };
    let kit = try_open(folder.path(), HASH, limits).unwrap();
    kit.enqueue(vec![row(1)]);
    for n in 1..=100_u64 {
        let source = crate::store::invocations::Source { user: Some("u".repeat(1_000)), ..row(1).source };
        let refund =
            NewRefund { invocation_id: InvocationId(1), source, status: RefundStatus::Manual, at: Wall(1) };
        let Op::Move(moved) = moved(1, RowState::Refunded) else { unreachable!() };
        kit.commit(Op::Refund { moved, refund }).unwrap();
        let run = TraceId(Uuid::from_u128(n.into()));
        let begin = NewRun {
            run,
            opening: OpeningId(Uuid::from_u128(1)),
            name: "o".to_owned(),
            by: AskerKind::Cue,
            client: "c".to_owned(),
            nodes: 1,
            yaml: "y".repeat(1_000),
            plan: JsonText::parse("{}").unwrap(),
            traceparent: None,
            at: Wall(1),
        };
        let artifact = ArtifactRow {
            number: 1,
            node: "a".to_owned(),
            port: "out".to_owned(),
            kind: "k".to_owned(),
            schema_id: 5,
            value: Bytes::from(vec![0xc0; 3_000]),
            at: Wall(1),
        };
        let body = Bytes::from(vec![0xc0; 1_000]);
        let answer = AnswerRow { request: run, variant: "RunSubmit".to_owned(), body, at: Wall(1) };
        let mut ops =
            vec![RunOp::Begin(Box::new(begin)), RunOp::Artifact { run, artifact }, RunOp::Answer(answer)];
        // One goes on, and stays whatever it has.
        if n > 1 {
            let state = RunState::Succeeded;
            ops.push(RunOp::End {
                run,
                state,
                why: None,
                tokens: 0,
                done: 1,
                artifacts_missing: 0,
                at: Wall(1),
            });
        }
        ask(|done| kit.handle.commit(Op::Runs(ops.into()), Class::Process, done)).unwrap();
    }
    until_retired(&kit);
    let filter = || RefundFilter { limit: 1_000, ..RefundFilter::default() };
    let refunds = ask(|done| kit.handle.refunds(filter(), done)).unwrap().rows;
    assert!((48..=65).contains(&refunds.len()) && refunds[0].id.0 == 100, "{}", refunds.len());
    let runs = ask(|done| {
        kit.handle.runs(RunFilter { limit: 1_000, oldest_first: true, ..RunFilter::default() }, done)
    });
    let runs = runs.unwrap().rows;
    let kept = kit.handle.counters().retained.map(|it| it.bytes);
    assert!(kept[1..4].iter().all(|bytes| (49_152..=65_536).contains(bytes)), "{kept:?}");
    assert_eq!((runs[0].number, runs.last().unwrap().number), (1, 100), "the open one stays");
    assert_eq!(runs.len() - 1, 65_536 / 4_022, "of those that ended what fits");
    let answers = ask(|done| kit.handle.restored_runs(1_000, 1 << 20, 9, done)).unwrap().answers;
    assert!((48..=65).contains(&answers.len()), "{}", answers.len());
}

#[test]
fn the_bytes_of_the_logs_of_sessions_are_counted_over_starts() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let mut bytes = Vec::new();
    push(&mut bytes, 1, &[7; 1_000]);
    push(&mut bytes, 2, &[7; 2_000]);
    let commit = |op| ask(|done| kit.handle.commit(Op::Macp(op), Class::Process, done)).unwrap();
    commit(MacpOp::Segment { number: 1, at: Wall(5), bytes: bytes.into() });
    assert_eq!(kit.handle.counters().session_log_bytes(), 0, "what is not sorted is about to be");
    commit(MacpOp::Sort { through: 1 });
    let sorted = kit.handle.counters().session_log_bytes();
    assert!((3_000..3_100).contains(&sorted), "{sorted}");
    let kit = kit.kill_and_reopen(folder.path());
    assert_eq!(kit.handle.counters().session_log_bytes(), sorted);
}
