//! What holds after every step, and at the end.

use std::{collections::BTreeSet, time::Duration};

use rl_console::{
    ids::InvocationId,
    mpp::{Command, Outcome, Settlement},
    store::{invocations::Row, op::Op},
    tap::entry::mpp::{RowState, Transition},
};

use crate::harness::Request;

use super::{act::*, schedule::Schedule};

impl Schedule {
    pub(super) fn check(&mut self) {
        for (transition, _, _) in &self.world.transition_log {
            match transition {
                Transition::Requeued { id, queue } => {
                    self.again.insert(*id, self.times[id]);
                    self.in_flight.remove(queue);
                }
                Transition::Orphaned { id, queue } if self.in_flight.get(queue) == Some(id) => {
                    self.in_flight.remove(queue);
                }
                _ => {}
            }
        }
        self.world.transition_log.clear();
        let dirty = self.world.bridge.dirty();
        let state = |row: &Row| dirty.get(&row.id).map_or(row.state, |dirty| dirty.state);
        let cancelling: BTreeSet<InvocationId> = self
            .world
            .store
            .waiting
            .iter()
            .filter_map(|request| match request {
                Request::Persist { op: Op::Change { ids, from: RowState::Pending, .. }, .. } => {
                    Some(ids.clone())
                }
                _ => None,
            })
            .flatten()
            .collect();
        let ours = |row: &&Row| row.manifest_hash == self.world.pack.hash;
        for (queue, id) in &self.world.dispatched[self.seen..] {
            let (queue, id) = (queue.clone(), *id);
            assert_eq!(self.in_flight.insert(queue.clone(), id), None, "one in flight on {queue}");
            if let Some(cleared) = self.cleared.get(&queue) {
                let committed = self.world.row(*cleared).state;
                assert!(
                    !matches!(committed, RowState::Pending | RowState::Dispatched),
                    "{id} left before {cleared} was durable: {committed:?}"
                );
            }
            let mut older =
                self.world.store.rows.values().filter(ours).filter(|row| row.queue == queue && row.id < id);
            let older = older.find(|row| state(row) == RowState::Pending && !cancelling.contains(&row.id));
            assert_eq!(older.map(|row| row.id), None, "{id} is not the oldest of {queue}");
            let times = self.times.entry(id).or_default();
            *times += 1;
            assert!(
                *times == 1 || self.again.get(&id) == Some(&(*times - 1)),
                "{id} was sent again without a requeue"
            );
        }
        self.seen = self.world.dispatched.len();
        let snapshot = self.world.bridge.snapshot();
        for (name, queue) in &snapshot.queues {
            let rows = || {
                self.world
                    .store
                    .rows
                    .values()
                    .filter(|row| row.queue == *name && state(row) == RowState::Pending)
            };
            assert_eq!(queue.pending, rows().filter(ours).count() as u64, "pending of {name}");
            assert_eq!(
                queue.other_manifest,
                rows().filter(|row| !ours(row)).count() as u64,
                "other manifest of {name}"
            );
            assert_eq!(queue.in_flight, self.in_flight.get(name).copied(), "in flight of {name}");
        }
        assert!(snapshot.recent.len() <= 3 && snapshot.logs.len() <= 3);
    }

    /// The store is well, an adapter does its work: everything ends.
    pub(super) fn finish(&mut self) {
        for _ in 0..20 {
            while self.world.answer_next(true) {
                self.check();
            }
            self.world.pass(Duration::from_secs(5));
            self.check();
        }
        self.world.prompt = true;
        self.world.ask(Command::Resume { queue: None }).unwrap();
        self.check();
        assert!(
            self.commands.iter().all(|request| self.world.answers.contains_key(request)),
            "every command is answered"
        );
        let _ = self.world.ask(Command::Kick);
        self.check();
        let conn = self.world.connect();
        self.check();
        for queue in QUEUES {
            let pull = format!(r#"{{"mpp":2,"type":"pull","queue":"{queue}"}}"#);
            loop {
                self.line(conn, &pull);
                self.check();
                let Some(id) = self.in_flight.get(queue).copied() else { break };
                for kind in ["applied", "done"] {
                    self.line(conn, &format!(r#"{{"mpp":2,"type":"{kind}","id":{id}}}"#));
                    self.check();
                }
            }
        }
        assert!(self.world.bridge.dirty().is_empty());
        for row in self.world.store.rows.values() {
            let legal = row.state.is_terminal()
                || row.state == RowState::Applied
                || row.manifest_hash != self.world.pack.hash;
            assert!(legal, "{} is {:?}", row.id, row.state);
        }
        let left: Vec<InvocationId> = self
            .world
            .store
            .rows
            .values()
            .filter(|row| row.state == RowState::Applied)
            .map(|row| row.id)
            .collect();
        for id in left {
            assert_eq!(
                self.world.ask(Command::Settle { id, to: Settlement::Done }),
                Ok(Outcome::Settled { id, state: RowState::Done })
            );
        }
        assert!(self.world.bridge.snapshot().live.is_empty());
    }
}
