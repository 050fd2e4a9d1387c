//! What one transaction takes of what waits for the writer: of each system a bounded number of bytes, in its
//! order, so that big writes of one do not delay another's commit.

use std::collections::VecDeque;

use super::{
    macp::MacpOp,
    op::Op,
    runs::RunOp,
    submission::{Item, Request},
};

/// Bytes of one system's operations in one transaction, past which it takes no further one of that system.
const SYSTEM_BYTES_MAX: usize = 1 << 20;

/// What a row costs beside its texts and values.
const ROW_BYTES: usize = 256;

/// Whose an item is. Only the order within a system matters to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Bridge,
    Runs,
    Sessions,
    Plugins,
    /// What is to see all that was asked for before it, whoever asked.
    All,
}

/// Takes a batch off what waits; the bytes that it writes, about.
pub(super) fn take(waiting: &mut VecDeque<Item>, into: &mut Vec<Item>) -> usize {
    if let Some(bytes) = take_long(waiting, into) {
        return bytes;
    }
    let mut bytes = [0_usize; 4];
    let mut is_full = [false; 4];
    let mut left = VecDeque::new();
    for item in waiting.drain(..) {
        let (system, item_bytes) = weigh(&item);
        let place = match system {
            System::Bridge => 0,
            System::Runs => 1,
            System::Sessions => 2,
            System::Plugins => 3,
            System::All => {
                if is_full.contains(&true) {
                    // What comes behind it need not wait with it.
                    left.push_back(item);
                } else {
                    into.push(item);
                }
                continue;
            }
        };
        let sum = bytes[place].saturating_add(item_bytes);
        is_full[place] |= sum > SYSTEM_BYTES_MAX;
        if is_full[place] {
            left.push_back(item);
        } else {
            bytes[place] = sum;
            into.push(item);
        }
    }
    *waiting = left;
    bytes.iter().sum()
}

/// Takes the item that waits longest, where it alone is more than a system's bytes: no other's commit waits
/// within its transaction, and the next one is that of the other systems.
fn take_long(waiting: &mut VecDeque<Item>, into: &mut Vec<Item>) -> Option<usize> {
    let (system, bytes) = waiting.front().map(weigh).filter(|(_, bytes)| *bytes > SYSTEM_BYTES_MAX)?;
    into.extend(waiting.pop_front());
    let is_later = |item: &Item| [system, System::All].contains(&weigh(item).0);
    let (later, others): (Vec<_>, Vec<_>) = waiting.drain(..).partition(is_later);
    waiting.extend(others.into_iter().chain(later));
    Some(bytes)
}

fn weigh(item: &Item) -> (System, usize) {
    match item {
        Item::Fold(ops) => (System::Bridge, ops.len() * ROW_BYTES),
        Item::Request(Request::Commit { op, .. }) => weigh_op(op),
        Item::Request(
            Request::Fetch { .. } | Request::FetchInvocations { .. } | Request::FetchOthers { .. },
        ) => (System::Bridge, 0),
        Item::Request(Request::Flush { .. } | Request::Backup { .. }) => (System::All, 0),
        #[cfg(test)]
        Item::Request(Request::Touch { .. }) => (System::All, 0),
    }
}

fn weigh_op(op: &Op) -> (System, usize) {
    let rows = |rows: usize| rows * ROW_BYTES;
    match op {
        Op::Enqueue { rows: enqueued, .. } => {
            let texts: u64 = enqueued.iter().map(super::invocations::Row::bytes).sum();
            (
                System::Bridge,
                rows(enqueued.len()).saturating_add(usize::try_from(texts).unwrap_or(usize::MAX)),
            )
        }
        Op::Change { ids, .. } => (System::Bridge, rows(ids.len())),
        Op::Migrate { rows: migrated, .. } => (System::Bridge, rows(migrated.len())),
        Op::Move(_) | Op::Refund { .. } | Op::WriteState { .. } | Op::SetBrake { .. } => {
            (System::Bridge, rows(1))
        }
        Op::Alerts(alerts) => (System::Bridge, rows(alerts.len())),
        Op::Trigger { name, spec } => {
            (System::Bridge, ROW_BYTES + name.len() + spec.as_ref().map_or(0, String::len))
        }
        Op::InjectedTraces(traces) => (System::Bridge, rows(traces.len())),
        Op::Plugins(ops) => (System::Plugins, ops.iter().map(|op| ROW_BYTES + op.bytes()).sum()),
        Op::Runs(ops) => (System::Runs, ops.iter().map(weigh_run).sum()),
        Op::Rate { rating, .. } => {
            (System::Runs, ROW_BYTES + rating.note.as_ref().map_or(0, String::len) + rating.by.len())
        }
        Op::Macp(op) => (System::Sessions, weigh_macp(op)),
    }
}

fn weigh_run(op: &RunOp) -> usize {
    ROW_BYTES
        + match op {
            RunOp::Begin(run) => run.yaml.len() + run.plan.as_str().len(),
            RunOp::Event { event, .. } => event.message.len() + event.meta.as_str().len(),
            RunOp::Artifact { artifact, .. } => artifact.value.len(),
            RunOp::Answer(answer) => answer.body.len(),
            RunOp::Spent { .. } | RunOp::Done { .. } | RunOp::End { .. } => 0,
        }
}

fn weigh_macp(op: &MacpOp) -> usize {
    match op {
        MacpOp::Segment { bytes, .. } => bytes.len(),
        MacpOp::Seen(parts) => parts.iter().map(|part| part.items.len()).sum(),
        MacpOp::Sessions(rows) => rows.len() * 2 * ROW_BYTES,
        MacpOp::Noticed(sessions) => sessions.len() * ROW_BYTES,
        MacpOp::Damaged(sessions) => sessions.len() * ROW_BYTES,
        // A slice of its own.
        MacpOp::Sort { .. } | MacpOp::Retire { .. } => SYSTEM_BYTES_MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        store::{
            op::Class,
            pending_writes::{JournalPosition, JournalledOp},
            record::Record,
            tests::kit::row,
        },
        tap::entry::mpp::Brake,
        time::Wall,
    };

    fn commit(op: Op) -> Item {
        Item::Request(Request::Commit { op, class: Class::Power, done: Box::new(|_| {}) })
    }

    fn segment(number: u64, bytes: usize) -> Item {
        commit(Op::Macp(MacpOp::Segment { number, at: Wall(0), bytes: vec![0; bytes].into() }))
    }

    fn enqueue(id: u64) -> Item {
        commit(Op::Enqueue { rows: vec![row(id)], lookups: Vec::new() })
    }

    fn fold(seq: u64) -> Item {
        let record = Record::SetBrake { queue: "default".into(), brake: Brake::default() };
        Item::Fold(vec![JournalledOp { position: Some(JournalPosition { segment: 1, seq }), record }])
    }

    /// Items in short: what they are, and their numbers.
    fn name(item: &Item) -> String {
        match item {
            Item::Request(Request::Commit { op: Op::Macp(MacpOp::Segment { number, .. }), .. }) => {
                format!("s{number}")
            }
            Item::Request(Request::Commit { op: Op::Enqueue { rows, .. }, .. }) => format!("e{}", rows[0].id),
            Item::Request(Request::Flush { .. }) => "flush".to_owned(),
            Item::Fold(ops) => format!("f{}", ops[0].position.unwrap().seq),
            Item::Request(_) => unreachable!(),
        }
    }

    fn batches(items: Vec<Item>) -> Vec<String> {
        let mut waiting = VecDeque::from(items);
        let mut batches = Vec::new();
        while !waiting.is_empty() {
            let mut batch = Vec::new();
            take(&mut waiting, &mut batch);
            batches.push(batch.iter().map(name).collect::<Vec<_>>().join(" "));
        }
        batches
    }

    #[test]
    fn a_small_commit_does_not_wait_behind_the_big_ones_of_another_system() {
        let half = SYSTEM_BYTES_MAX / 2;
        let flush = || Item::Request(Request::Flush { done: Box::new(|_| {}) });
        let items = vec![
            segment(1, half),
            segment(2, half),
            segment(3, half),
            segment(4, 3 * SYSTEM_BYTES_MAX),
            fold(1),
            enqueue(1),
            segment(5, 10),
            flush(),
            enqueue(2),
            fold(2),
        ];
        assert_eq!(batches(items), ["s1 s2 f1 e1 e2 f2", "s3", "s4", "s5 flush"]);
    }

    #[test]
    fn what_is_long_goes_alone_and_others_go_between() {
        let long = 4 * SYSTEM_BYTES_MAX;
        let flush = || Item::Request(Request::Flush { done: Box::new(|_| {}) });
        let items = vec![
            segment(1, long),
            segment(2, long),
            enqueue(1),
            flush(),
            segment(3, long),
            segment(4, 10),
            fold(1),
        ];
        assert_eq!(batches(items), ["s1", "e1 f1", "s2", "flush", "s3", "s4"]);
    }

    #[test]
    fn what_is_small_goes_at_once_in_its_order() {
        let items = vec![enqueue(1), segment(1, 10), fold(1), enqueue(2), segment(2, 10)];
        assert_eq!(batches(items), ["e1 s1 f1 e2 s2"]);
    }

    #[test]
    fn a_system_that_is_full_keeps_its_own_order() {
        let items =
            vec![segment(1, SYSTEM_BYTES_MAX), segment(2, SYSTEM_BYTES_MAX), segment(3, 1), enqueue(1)];
        assert_eq!(batches(items), ["s1 e1", "s2", "s3"]);
    }
}
