//! Runs, what they told and kept, and what the control plane answered.

use bytes::Bytes;
use uuid::Uuid;

use super::kit::{HASH, Kit, ask, open, try_open};
use crate::{
    ids::{OpeningId, TraceId},
    limits,
    schema::JsonText,
    store::{
        op::{Class, CommitError, Op},
        runs::{AnswerRow, ArtifactRow, EventRow, NewRun, RestoredRuns, RunFilter, RunOp, RunRow},
    },
    tap::entry::{
        runs::{AskerKind, EventKind, RunState},
        station::Level,
    },
    time::Wall,
};

pub(super) const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

pub(super) fn trace(n: u128) -> TraceId {
    TraceId(Uuid::from_u128(n))
}

pub(super) fn begin(n: u128) -> RunOp {
    RunOp::Begin(Box::new(NewRun {
        run: trace(n),
        opening: OpeningId(Uuid::from_u128(n + 1_000)),
        name: format!("opening {}", n % 2),
        by: AskerKind::Cue,
        client: "cue".to_owned(),
        nodes: 3,
        yaml: "version: 0\n".to_owned(),
        plan: JsonText::parse(r#"{"nodes":[]}"#).unwrap(),
        traceparent: n.is_multiple_of(2).then(|| Box::from(TRACEPARENT)),
        at: Wall(1_000 + u64::try_from(n).unwrap()),
    }))
}

fn event(number: u64) -> EventRow {
    EventRow {
        number,
        kind: EventKind::Log,
        level: number.is_multiple_of(2).then_some(Level::Warn),
        message: format!("event {number}"),
        meta: JsonText::parse(r#"{"ts_ms":5}"#).unwrap(),
        at: Wall(5),
    }
}

fn event_op(n: u128, number: u64) -> RunOp {
    RunOp::Event { run: trace(n), event: event(number) }
}

fn artifact_op(n: u128, number: u64) -> RunOp {
    let artifact = ArtifactRow {
        number,
        node: "a/b".to_owned(),
        port: "out".to_owned(),
        kind: "artifact.generic.v1".to_owned(),
        schema_id: 5,
        value: Bytes::from_static(&[0xa1, b'x']),
        at: Wall(6),
    };
    RunOp::Artifact { run: trace(n), artifact }
}

pub(super) fn end(n: u128, state: RunState) -> RunOp {
    let why = Some("because".to_owned());
    RunOp::End { run: trace(n), state, why, tokens: 7, done: 2, artifacts_missing: 3, at: Wall(9) }
}

fn answer(n: u128, variant: &str, body: &'static [u8]) -> RunOp {
    RunOp::Answer(AnswerRow {
        request: trace(n),
        variant: variant.to_owned(),
        body: Bytes::from_static(body),
        at: Wall(2),
    })
}

impl Kit {
    fn runs(&self, ops: Vec<RunOp>) -> Result<(), CommitError> {
        ask(|done| self.handle.commit(Op::Runs(ops.into()), Class::Process, done)).map(|_| ())
    }

    fn page(&self, filter: RunFilter) -> (Vec<TraceId>, bool) {
        let rows = ask(|done| self.handle.runs(filter, done)).unwrap();
        (rows.rows.iter().map(|row| row.run).collect(), rows.more)
    }

    fn row(&self, n: u128) -> Option<RunRow> {
        ask(|done| self.handle.run(trace(n), done)).unwrap().map(|detail| detail.row)
    }

    fn events(&self, n: u128, after: u64, limit: u64) -> (Vec<u64>, bool) {
        let rows = ask(|done| self.handle.run_events(trace(n), after, limit, done)).unwrap();
        (rows.rows.iter().map(|row| row.number).collect(), rows.more)
    }

    fn restored(&self) -> RestoredRuns {
        ask(|done| self.handle.restored_runs(100, 1_000, 100, done)).unwrap()
    }
}

#[test]
fn a_run_is_read_back_with_all_that_it_told_and_kept_also_by_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    {
        let kit = open(folder.path());
        kit.runs(vec![begin(1), event_op(1, 1), event_op(1, 2), artifact_op(1, 1)]).unwrap();
        kit.runs(vec![event_op(1, 3), end(1, RunState::Failed)]).unwrap();
    }
    let kit = open(folder.path());
    let detail = ask(|done| kit.handle.run(trace(1), done)).unwrap().unwrap();
    assert_eq!((detail.yaml.as_str(), detail.plan.as_str()), ("version: 0\n", r#"{"nodes":[]}"#));
    assert_eq!((detail.traceparent, detail.artifacts_missing, detail.rating), (None, 3, None));
    let row = detail.row;
    assert_eq!(
        (row.state, row.why.as_deref(), row.tokens, row.ended_at),
        (RunState::Failed, Some("because"), 7, Some(Wall(9)))
    );
    assert_eq!(
        (row.events, row.artifacts, row.nodes, row.by, row.name.as_str()),
        (3, 1, 3, AskerKind::Cue, "opening 1")
    );
    let events = ask(|done| kit.handle.run_events(trace(1), 0, 10, done)).unwrap();
    assert_eq!(events.rows, [event(1), event(2), event(3)]);
    assert_eq!(kit.events(1, 1, 1), (vec![2], true));
    let artifacts = ask(|done| kit.handle.run_artifacts(trace(1), 0, 10, done)).unwrap().rows;
    assert_eq!(
        (artifacts.len(), artifacts[0].node.as_str(), artifacts[0].value.as_ref()),
        (1, "a/b", &[0xa1, b'x'][..])
    );
    assert_eq!(kit.row(2), None);
}

#[test]
fn what_a_run_used_is_kept_while_it_goes_on_and_left_as_it_was_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let spent = |n, tokens| RunOp::Spent { run: trace(n), tokens };
    kit.runs(vec![begin(1), begin(2), spent(1, 120), spent(1, 360), end(2, RunState::Failed), spent(2, 9)])
        .unwrap();
    assert_eq!([1, 2].map(|n| kit.row(n).unwrap().tokens), [360, 7]);
    assert_eq!(kit.restored().open[0].row.tokens, 360, "the next start begins with it");
}

#[test]
fn how_many_nodes_are_done_is_kept_while_a_run_goes_on_and_left_as_it_was_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let done = |n, nodes| RunOp::Done { run: trace(n), nodes };
    kit.runs(vec![
        begin(1),
        begin(2),
        begin(3),
        done(1, 3),
        done(1, 1),
        done(2, 1),
        end(2, RunState::Failed),
        done(2, 3),
    ])
    .unwrap();
    assert_eq!([1, 2, 3].map(|n| kit.row(n).unwrap().done), [1, 2, 0]);
    assert_eq!(kit.restored().open[0].row.done, 1, "the next start begins with it");
}

#[test]
fn what_was_told_twice_is_there_once_and_a_run_ends_once() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.runs(vec![
        begin(1),
        event_op(1, 1),
        event_op(1, 1),
        artifact_op(1, 1),
        artifact_op(1, 1),
        end(1, RunState::Succeeded),
        end(1, RunState::Failed),
    ])
    .unwrap();
    let row = kit.row(1).unwrap();
    assert_eq!((row.events, row.artifacts, row.state), (1, 1, RunState::Succeeded));
    assert!(kit.runs(vec![event_op(1, 2), begin(1)]).is_err(), "a name is given once");
    assert_eq!(kit.row(1).unwrap().events, 1, "and nothing of a refused operation stays");
    kit.runs(vec![event_op(7, 1)]).unwrap();
    assert_eq!(kit.events(7, 0, 10), (vec![], false), "of a run that is not there nothing is kept");
}

#[test]
fn pages_go_by_state_name_and_time_in_either_direction() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.runs((1..=5).map(begin).collect()).unwrap();
    kit.runs(vec![end(2, RunState::Cancelled), end(3, RunState::Succeeded)]).unwrap();
    let all = RunFilter { limit: 3, ..RunFilter::default() };
    assert_eq!(kit.page(all.clone()), (vec![trace(5), trace(4), trace(3)], true));
    assert_eq!(kit.page(RunFilter { beyond: Some(3), ..all.clone() }), (vec![trace(2), trace(1)], false));
    assert_eq!(
        kit.page(RunFilter { oldest_first: true, beyond: Some(3), ..all.clone() }),
        (vec![trace(4), trace(5)], false)
    );
    assert_eq!(
        kit.page(RunFilter { state: Some(RunState::Cancelled), ..all.clone() }),
        (vec![trace(2)], false)
    );
    assert_eq!(
        kit.page(RunFilter { name: Some("opening 0".to_owned()), ..all.clone() }),
        (vec![trace(4), trace(2)], false)
    );
    assert_eq!(kit.page(RunFilter { since: Some(Wall(1_005)), ..all }), (vec![trace(5)], false));
}

#[test]
fn open_runs_and_answers_are_what_the_control_plane_starts_from() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.runs(vec![
        begin(1),
        begin(2),
        end(1, RunState::Failed),
        answer(1, "RunSubmit", b"a"),
        answer(1, "RunSubmit", b"b"),
    ])
    .unwrap();
    kit.runs(vec![answer(1, "RunCancel", b"c")]).unwrap();
    let left = kit.restored();
    assert_eq!(left.open.iter().map(|open| open.row.run).collect::<Vec<_>>(), [trace(2)]);
    let answers: Vec<_> = left.answers.iter().map(|row| (row.variant.as_str(), row.body.as_ref())).collect();
    assert_eq!(answers, [("RunSubmit", &b"a"[..]), ("RunCancel", b"c")], "the first answer stays");
}

#[test]
fn an_open_run_is_left_with_the_number_of_its_last_event_and_answers_within_their_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.runs(vec![begin(1), begin(2), event_op(1, 1), event_op(1, 7)]).unwrap();
    let left: Vec<_> = kit.restored().open.iter().map(|open| (open.row.events, open.last_event)).collect();
    assert_eq!(left, [(2, 7), (0, 0)], "the last number is no count");
    let later = EventRow { at: Wall(3_001), ..event(8) };
    kit.runs(vec![RunOp::Event { run: trace(1), event: later }]).unwrap();
    let kit = kit.kill_and_reopen(folder.path());
    let lived = |kit: &Kit| -> Vec<u64> {
        kit.restored().open.iter().map(|open| open.last_at.0 - open.row.submitted_at.0).collect()
    };
    assert_eq!(lived(&kit), [2_000, 0], "as far as the store knows");
    drop(kit);
    let kit = open(folder.path());
    assert!(lived(&kit).iter().all(|ms| *ms > 1_000_000_000_000), "until it was closed: {:?}", lived(&kit));
    kit.runs(vec![
        answer(1, "RunSubmit", &[1; 400]),
        answer(2, "RunSubmit", &[2; 400]),
        answer(3, "RunSubmit", &[3; 400]),
    ])
    .unwrap();
    let answers: Vec<_> = kit.restored().answers.iter().map(|answer| answer.request).collect();
    assert_eq!(answers, [trace(2), trace(3)], "the newest");
    let asked = |answers_max, bytes_max| {
        ask(|done| kit.handle.restored_runs(answers_max, bytes_max, 0, done)).unwrap().has_more_answers
    };
    assert_eq!([asked(100, 1_000), asked(3, 10_000), asked(4, 10_000)], [true, true, false]);
    let answered = |n, variant| ask(|done| kit.handle.control_answer(trace(n), variant, done)).unwrap();
    assert_eq!(answered(1, "RunSubmit").as_deref(), Some(&[1; 400][..]), "an older one is found by itself");
    assert_eq!((answered(1, "RunCancel"), answered(4, "RunSubmit")), (None, None));
}

#[test]
fn ended_runs_and_answers_go_by_their_limits_the_oldest_first_and_open_runs_stay() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Store { ended_runs_max: 3, control_answers_max: 4, ..limits::Store::default() };
    let kit = try_open(folder.path(), HASH, limits).unwrap();
    kit.runs(vec![begin(100)]).unwrap();
    for n in 1..=6 {
        let mut ops = vec![begin(n)];
        ops.extend((1..=600).map(|number| event_op(n, number)));
        ops.extend([artifact_op(n, 1), end(n, RunState::Succeeded), answer(n, "RunSubmit", b"a")]);
        kit.runs(ops).unwrap();
    }
    // Slices are cut between requests, a few rows each: ask until nothing more is over.
    for _ in 0..1_000 {
        ask(|done| kit.handle.flush(done)).unwrap();
        if kit.row(3).is_none() && kit.restored().answers.len() == 4 {
            break;
        }
    }
    assert_eq!([1, 2, 3, 4].map(|n| kit.row(n).is_some()), [false, false, false, true]);
    assert!(kit.row(100).is_some());
    assert_eq!(kit.events(1, 0, 10).0, Vec::<u64>::new());
    let answers: Vec<_> = kit.restored().answers.iter().map(|row| row.request).collect();
    assert_eq!(answers, [trace(3), trace(4), trace(5), trace(6)]);
}
