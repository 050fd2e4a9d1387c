//! The store of a process that is killed at any instant.
#![cfg(test)]

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::sync_channel,
};

use rl_console::{
    ids::{InvocationId, ManifestHash, PackId, QueueName, TraceId},
    limits,
    schema::JsonText,
    store::{
        Answer, InvocationFilter, OpenedStore, Store,
        invocations::{Enqueued, Move, Row, Source},
        macp::MacpOp,
        op::{Class, CommitError, Done, Op},
    },
    tap::entry::mpp::RowState,
    time::{Clock, Wall},
};

/// Names the data folder to the child.
const CHILD_DATA: &str = "RL_CONSOLE_TEST_STORE_CHILD";
/// Small enough that every life of the child sees segments begin and end.
const LIMITS: fn() -> limits::Store =
    || limits::Store { journal_segment_bytes_max: 65_536, ..limits::Store::default() };

fn open(data: &Path) -> (Store, OpenedStore) {
    Store::open(data, &PackId::new("dev.test"), &ManifestHash::new("sha256:aa"), LIMITS(), Clock::start())
        .unwrap()
}

fn ask<T: Send + 'static>(put: impl FnOnce(Answer<T>) -> Result<(), CommitError>) -> T {
    let (tell, told) = sync_channel(1);
    put(Box::new(move |answer| tell.send(answer).unwrap())).unwrap();
    told.recv().unwrap().unwrap()
}

fn row(id: InvocationId) -> Row {
    Row {
        damage: None,
        refund: None,
        requeued_from: None,
        id,
        queue: QueueName::new("default"),
        event: "heal".into(),
        state: RowState::Pending,
        params: JsonText::parse("{}").unwrap(),
        result: None,
        reason: None,
        source: Source { kind: "channel_points".to_owned(), redemption: None, user: None },
        key: Some(format!("key-{id}")),
        trace_id: TraceId(uuid::Uuid::from_u128(id.0.into())),
        pack_id: PackId::new("dev.test"),
        manifest_hash: ManifestHash::new("sha256:aa"),
        enqueued_at_ms: Wall(id.0),
        updated_at_ms: Wall(id.0),
    }
}

/// Says on stdout what was acknowledged, after it was.
fn say(id: InvocationId, state: RowState) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nacked {id} {}", state.name()).unwrap();
    out.flush().unwrap();
}

#[test]
#[ignore = "run as a child by the test that kills it"]
fn child_that_works_until_it_is_killed() {
    let Some(data) = std::env::var_os(CHILD_DATA) else { return };
    let (mut store, opened) = open(Path::new(&data));
    let mut journal = store.journal().unwrap();
    let handle = store.handle();
    let mut id = opened.restored.next_id;
    loop {
        let ids: Vec<_> = (0..5).map(|more| InvocationId(id.0 + more)).collect();
        let rows = ids.iter().map(|id| row(*id)).collect();
        let done = ask(|done| handle.commit(Op::Enqueue { rows, lookups: Vec::new() }, Class::Power, done));
        assert_eq!(done, Done::Enqueued(vec![Enqueued::Inserted; 5]));
        for id in &ids {
            say(*id, RowState::Pending);
        }
        for state in [RowState::Dispatched, RowState::Applied, RowState::Done] {
            for id in &ids[..4] {
                journal
                    .append(Op::Move(Move { id: *id, state, result: None, reason: None, at: Wall(1) }))
                    .unwrap();
            }
            journal.commit().unwrap();
            for id in &ids[..4] {
                say(*id, state);
            }
        }
        id = InvocationId(id.0 + 5);
    }
}

/// Runs the child until it has acknowledged so much, and kills it; what it acknowledged last of each row.
fn acknowledged_until_killed(data: &Path, lines: usize, acked: &mut BTreeMap<u64, RowState>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::child_that_works_until_it_is_killed", "--ignored", "--nocapture"])
        .env(CHILD_DATA, data)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut take = |line: String| {
        let mut words = line.split(' ');
        if let (Some("acked"), Some(id), Some(state)) = (words.next(), words.next(), words.next()) {
            acked.insert(id.parse().unwrap(), RowState::from_name(state).unwrap());
        }
    };
    for _ in 0..lines {
        take(out.next().unwrap().unwrap());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it said before it died counts as acknowledged, but for a line cut short.
    for line in out
        .map_while(Result::ok)
        .filter(|line| RowState::ALL.iter().any(|state| line.ends_with(state.name())))
    {
        take(line);
    }
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill_at_any_instant() {
    let folder = tempfile::tempdir().unwrap();
    let mut acked = BTreeMap::new();
    for lines in [9, 30, 61, 133, 250, 17, 402, 77, 680, 5] {
        acknowledged_until_killed(folder.path(), lines, &mut acked);
        let (store, opened) = open(folder.path());
        let mut rows = BTreeMap::new();
        let mut beyond = None;
        loop {
            let filter =
                InvocationFilter { beyond, oldest_first: true, limit: 100, ..InvocationFilter::default() };
            let page = ask(|done| store.handle().invocations(filter, done));
            beyond = page.rows.last().map(|row| row.id);
            rows.extend(page.rows.into_iter().map(|row| (row.id.0, row.state)));
            if !page.more {
                break;
            }
        }
        for (id, state) in &acked {
            let is = rows.get(id);
            assert!(
                is.is_some_and(|is| is_at_or_past(*is, *state)),
                "{id} was acknowledged as {state:?} and is {is:?}"
            );
        }
        assert!(!rows.values().any(|state| *state == RowState::Dispatched));
        let pending = rows.values().filter(|state| **state == RowState::Pending).count();
        let counted = opened.restored.counts.get("default").map_or(0, |counts| counts.pending);
        assert_eq!(counted, u64::try_from(pending).unwrap());
        assert!(rows.keys().all(|id| InvocationId(*id) < opened.restored.next_id));
        store.close().unwrap();
        // A restart makes what was dispatched pending; from there on nothing of this life moves any more.
        acked = rows;
    }
    assert!(acked.len() > 100, "only {} rows were ever acknowledged", acked.len());
}

/// Whether a row that was acknowledged in `acked` may be found in `is` after a restart.
fn is_at_or_past(is: RowState, acked: RowState) -> bool {
    match acked {
        RowState::Pending | RowState::Dispatched => is != RowState::Dispatched,
        _ => is >= acked && is <= RowState::Done,
    }
}

/// How long an enqueue takes while another system writes what it can, 64 pieces of 1 MiB in wait at any time.
#[test]
#[ignore = "a measurement, by hand and without other load"]
fn big_writes_of_one_system_beside_the_commits_of_another() {
    use std::{
        sync::atomic::{AtomicBool, Ordering},
        time::Duration,
    };
    const WAITING: usize = 64;
    let folder = tempfile::tempdir().unwrap();
    let (store, opened) = open(folder.path());
    let handle = store.handle();
    let clock = Clock::start();
    let first = opened.restored.next_id.0;
    let enqueues = |from: u64, count: u64| {
        let mut took: Vec<Duration> = (from..from + count)
            .map(|id| {
                let started = clock.now().mono;
                let rows = vec![row(InvocationId(id))];
                ask(|done| handle.commit(Op::Enqueue { rows, lookups: Vec::new() }, Class::Power, done));
                let took = clock.now().mono.since(started);
                std::thread::sleep(Duration::from_millis(2));
                took
            })
            .collect();
        took.sort();
        (took[took.len() / 2], took[took.len() * 99 / 100], took[took.len() - 1])
    };
    let alone = enqueues(first, 500);
    let is_over = AtomicBool::new(false);
    let (beside, pieces) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let (tell, told) = sync_channel(2 * WAITING);
            let mut number = 0;
            while !is_over.load(Ordering::Relaxed) {
                number += 1;
                let bytes = vec![7; 1 << 20].into();
                let op = Op::Macp(MacpOp::Segment { number, at: Wall(1), bytes });
                let tell = tell.clone();
                handle
                    .commit(op, Class::Process, Box::new(move |done| tell.send(done.is_ok()).unwrap()))
                    .unwrap();
                if number > WAITING as u64 {
                    assert!(told.recv().unwrap());
                }
            }
            // What still waits is answered into the channel's room.
            std::mem::forget(told);
            number
        });
        let beside = enqueues(first + 500, 500);
        is_over.store(true, Ordering::Relaxed);
        (beside, writer.join().unwrap())
    });
    eprintln!("alone (p50, p99, max): {alone:?}; beside {pieces} pieces of 1 MiB: {beside:?}");
}
