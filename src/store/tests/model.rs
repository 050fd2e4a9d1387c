//! The store against a map in memory, killed or closed at any point.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::kit::{HASH, Kit, ask, keyed, moved, row, try_open};
use crate::{
    ids::InvocationId,
    limits,
    store::{
        invocations::{Changed, Enqueued},
        op::{Class, Done, Op},
    },
    tap::entry::mpp::RowState,
    time::Wall,
};

#[derive(Clone, Debug)]
enum Step {
    Enqueue { keys: Vec<Option<u8>> },
    Journal { moves: Vec<(prop::sample::Index, RowState)> },
    Power { row: prop::sample::Index, state: RowState },
    Change { row: prop::sample::Index, from: RowState, to: RowState },
    Fetch { after: prop::sample::Index },
    Flush,
    Kill,
    Close,
}

fn state() -> impl Strategy<Value = RowState> {
    prop::sample::select(RowState::ALL.to_vec())
}

fn step() -> impl Strategy<Value = Step> {
    let index = || any::<prop::sample::Index>();
    prop_oneof![
        3 => prop::collection::vec(prop::option::of(0_u8..6), 1..4).prop_map(|keys| Step::Enqueue { keys }),
        6 => prop::collection::vec((index(), state()), 1..6).prop_map(|moves| Step::Journal { moves }),
        1 => (index(), state()).prop_map(|(row, state)| Step::Power { row, state }),
        2 => (index(), state(), state()).prop_map(|(row, from, to)| Step::Change { row, from, to }),
        2 => index().prop_map(|after| Step::Fetch { after }),
        1 => Just(Step::Flush),
        2 => Just(Step::Kill),
        1 => Just(Step::Close),
    ]
}

/// What the store should hold.
#[derive(Default)]
struct Model {
    rows: BTreeMap<u64, (RowState, Option<String>)>,
    next_id: u64,
}

impl Model {
    fn pick(&self, index: prop::sample::Index) -> Option<u64> {
        (!self.rows.is_empty()).then(|| *index.get(&self.rows.keys().copied().collect::<Vec<_>>()))
    }

    fn set(&mut self, id: u64, state: RowState) {
        self.rows.get_mut(&id).unwrap().0 = state;
    }

    fn states(&self) -> Vec<(u64, RowState)> {
        self.rows.iter().map(|(id, (state, _))| (*id, *state)).collect()
    }

    fn enqueue(&mut self, kit: &Kit, keys: Vec<Option<u8>>) {
        let mut expected = Vec::new();
        let mut rows = Vec::new();
        for key in keys {
            self.next_id += 1;
            let id = self.next_id;
            let key = key.map(|key| key.to_string());
            let first = key.as_ref().and_then(|key| {
                self.rows.iter().find(|(_, (_, has))| has.as_ref() == Some(key)).map(|(id, _)| *id)
            });
            rows.push(key.as_ref().map_or_else(|| row(id), |key| keyed(id, "bits", key)));
            expected.push(first.map(|first| (first, self.rows[&first].0)));
            if first.is_none() {
                self.rows.insert(id, (RowState::Pending, key));
            }
        }
        let answers = kit.enqueue(rows).into_iter().map(|answer| match answer {
            Enqueued::Inserted | Enqueued::NotThere => None,
            Enqueued::Repeated(first) => Some((first.id.0, first.state)),
        });
        assert_eq!(answers.collect::<Vec<_>>(), expected);
    }

    fn change(&mut self, kit: &Kit, id: u64, from: RowState, to: RowState) {
        let is = self.rows[&id].0;
        let op =
            Op::Change { ids: vec![InvocationId(id)], from, to, reason: None, refund: false, at: Wall(1) };
        match ask(|done| kit.handle.commit(op, Class::Process, done)).unwrap() {
            Done::Changed(changed) => match &changed[0] {
                Changed::Changed { before, .. } => assert_eq!((before.state, is), (from, from)),
                Changed::NotThere { state } => assert_eq!(*state, is),
                Changed::NoSuchRow => unreachable!(),
            },
            other => unreachable!("{other:?}"),
        }
        if is == from {
            self.set(id, to);
        }
    }

    fn reopened(&mut self, kit: &Kit) {
        let requeued = self.rows.values().filter(|(state, _)| *state == RowState::Dispatched).count();
        assert_eq!(kit.opened.restored.requeued, u64::try_from(requeued).unwrap());
        for (state, _) in self.rows.values_mut() {
            if *state == RowState::Dispatched {
                *state = RowState::Pending;
            }
        }
        let pending = self.rows.values().filter(|(state, _)| *state == RowState::Pending).count();
        let counted = kit.opened.restored.counts.get("default").map_or(0, |counts| counts.pending);
        assert_eq!(counted, u64::try_from(pending).unwrap());
        assert_eq!(kit.opened.restored.next_id.0, self.next_id + 1);
        assert!(kit.opened.notices.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn holds_what_a_map_would_through_kills_and_closes(steps in prop::collection::vec(step(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let limits = limits::Store { journal_segment_bytes_max: 256, ..limits::Store::default() };
        let reopen = || try_open(folder.path(), HASH, limits).unwrap();
        let mut kit = reopen();
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Enqueue { keys } => model.enqueue(&kit, keys),
                Step::Journal { moves } => {
                    for (index, state) in moves {
                        if let Some(id) = model.pick(index) {
                            kit.journal.append(moved(id, state)).unwrap();
                            model.set(id, state);
                        }
                    }
                    kit.journal.commit().unwrap();
                }
                Step::Power { row, state } => {
                    if let Some(id) = model.pick(row) {
                        kit.commit(moved(id, state)).unwrap();
                        model.set(id, state);
                    }
                }
                Step::Change { row, from, to } => {
                    if let Some(id) = model.pick(row) {
                        model.change(&kit, id, from, to);
                    }
                }
                Step::Fetch { after } => {
                    let after = model.pick(after).unwrap_or(0);
                    let fetched: Vec<_> =
                        kit.fetch(after, 64, true).rows.iter().map(|row| row.id.0).collect();
                    let pending = model
                        .states()
                        .into_iter()
                        .filter(|(id, state)| *id > after && *state == RowState::Pending);
                    prop_assert_eq!(fetched, pending.map(|(id, _)| id).take(64).collect::<Vec<_>>());
                }
                Step::Flush => prop_assert_eq!(kit.states(), model.states()),
                Step::Kill => {
                    kit.store.kill();
                    kit = reopen();
                    model.reopened(&kit);
                }
                Step::Close => {
                    kit.store.close().unwrap();
                    kit = reopen();
                    model.reopened(&kit);
                }
            }
        }
        prop_assert_eq!(kit.states(), model.states());
    }
}
