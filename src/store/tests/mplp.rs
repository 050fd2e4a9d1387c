//! Ratings of runs.

use super::{
    bytes::until_retired,
    kit::{HASH, Kit, ask, open, try_open},
    runs::{TRACEPARENT, begin, end, trace},
};
use crate::{
    limits,
    store::{
        mplp::{Rated, Rating},
        op::{Class, Done, Op},
        runs::{RunFilter, RunOp},
    },
    tap::entry::{mplp::RatingVerdict, runs::RunState},
    time::Wall,
};

fn rating(verdict: RatingVerdict, note: Option<&str>, at_ms: u64) -> Rating {
    Rating { verdict, note: note.map(str::to_owned), by: "operator".to_owned(), at_ms: Wall(at_ms) }
}

impl Kit {
    fn rate(&self, n: u128, rating: Rating) -> Rated {
        let op = Op::Rate { run: trace(n), rating };
        let Done::Rated(rated) = ask(|done| self.handle.commit(op, Class::Process, done)).unwrap() else {
            panic!("another answer")
        };
        rated
    }

    fn rating(&self, n: u128) -> Option<Rating> {
        ask(|done| self.handle.rating(trace(n), done)).unwrap()
    }

    fn with_runs(&self, ops: Vec<RunOp>) {
        ask(|done| self.handle.commit(Op::Runs(ops.into()), Class::Process, done)).unwrap();
    }
}

#[test]
fn the_last_rating_of_a_run_holds_also_for_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let last = rating(RatingVerdict::Approved, Some("it was right after all"), 9);
    {
        let kit = open(folder.path());
        kit.with_runs(vec![begin(1), begin(2), end(2, RunState::Succeeded)]);
        let first = rating(RatingVerdict::Rejected, None, 8);
        let kept = |before, note: Option<&str>| Rated::Kept { before, note: note.map(str::to_owned) };
        assert_eq!(kit.rate(2, first.clone()), kept(None, None));
        assert_eq!(kit.rating(2), Some(first));
        assert_eq!(kit.rate(2, last.clone()), kept(Some(RatingVerdict::Rejected), last.note.as_deref()));
        // An open run can be rated too.
        assert_eq!(kit.rate(1, last.clone()), kept(None, last.note.as_deref()));
    }
    let kit = open(folder.path());
    assert_eq!((kit.rating(2), kit.rating(1)), (Some(last.clone()), Some(last.clone())));
    let detail = ask(|done| kit.handle.run(trace(2), done)).unwrap().unwrap();
    assert_eq!((detail.rating, detail.traceparent.as_deref()), (Some(last), Some(TRACEPARENT)));
    kit.with_runs(vec![begin(3)]);
    let page = ask(|done| kit.handle.runs(RunFilter { limit: 9, ..RunFilter::default() }, done)).unwrap();
    let listed: Vec<_> = page.rows.iter().map(|row| (row.run, row.rated)).collect();
    let approved = Some(RatingVerdict::Approved);
    assert_eq!(listed, [(trace(3), None), (trace(2), approved), (trace(1), approved)]);
}

#[test]
fn a_rating_without_a_note_keeps_the_one_before_and_an_empty_note_takes_it_away() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.with_runs(vec![begin(1)]);
    kit.rate(1, rating(RatingVerdict::Approved, Some("fine"), 1));
    let again = kit.rate(1, rating(RatingVerdict::Rejected, None, 2));
    let before = Some(RatingVerdict::Approved);
    assert_eq!(again, Rated::Kept { before, note: Some("fine".to_owned()) });
    assert_eq!(kit.rating(1), Some(rating(RatingVerdict::Rejected, Some("fine"), 2)));
    kit.rate(1, rating(RatingVerdict::Rejected, Some(""), 3));
    assert_eq!(kit.rating(1), Some(rating(RatingVerdict::Rejected, None, 3)));
}

#[test]
fn a_run_that_is_not_stored_cannot_be_rated() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    assert_eq!(kit.rate(1, rating(RatingVerdict::Approved, None, 1)), Rated::NoSuchRun);
    assert_eq!(kit.rating(1), None);
    // Nor is it later, when there is a run of this name.
    kit.with_runs(vec![begin(1)]);
    assert_eq!(kit.rating(1), None);
}

#[test]
fn a_rating_counts_with_its_run_and_leaves_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Store { ended_runs_max: 2, ..limits::Store::default() };
    let bytes = |kit: &Kit| kit.handle.counters().retained[2].bytes;
    let counted = {
        let kit = try_open(folder.path(), HASH, limits).unwrap();
        kit.with_runs(vec![begin(1), end(1, RunState::Failed)]);
        let bare = bytes(&kit);
        // "approved" and "operator", and a note of 100 bytes; then "rejected", and the note taken away.
        kit.rate(1, rating(RatingVerdict::Approved, Some(&"n".repeat(100)), 1));
        assert_eq!(bytes(&kit), bare + 116);
        kit.rate(1, rating(RatingVerdict::Rejected, Some(""), 2));
        assert_eq!(bytes(&kit), bare + 16);
        // One that was rated before its end.
        kit.with_runs(vec![begin(3)]);
        kit.rate(3, rating(RatingVerdict::Approved, None, 3));
        kit.with_runs(vec![end(3, RunState::Failed)]);
        assert_eq!(bytes(&kit), 2 * (bare + 16));
        bytes(&kit)
    };
    let kit = try_open(folder.path(), HASH, limits).unwrap();
    assert_eq!(bytes(&kit), counted, "a start counts what there is");
    kit.with_runs(vec![begin(5), end(5, RunState::Failed)]);
    until_retired(&kit);
    let left = ask(|done| kit.handle.run(trace(1), done)).unwrap();
    assert_eq!((left.is_none(), kit.rating(1)), (true, None));
    assert_eq!(bytes(&kit), counted - 16, "the oldest went with its rating");
}
