use std::os::unix::fs::PermissionsExt;

use super::kit::{HASH, PACK, ask, keyed, moved, open, row, rows, try_open};
use crate::{
    ids::{InvocationId, ManifestHash, PackId, QueueName, RefundId},
    limits,
    schema::JsonText,
    store::{
        InvocationFilter, Journal, RefundFilter, StoreError,
        invocations::{Changed, Enqueued, Move, NewRefund, QueueCounts, Row},
        op::{Class, Done, Migration, Op},
    },
    tap::entry::mpp::{Brake, RefundStatus, RowState},
    time::Wall,
};

#[test]
fn an_acknowledged_row_reads_back_as_it_came_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let mut first = keyed(1, "channel_points", "r-1");
    first.source.redemption = Some("r-1".to_owned());
    first.params = JsonText::parse(r#"{ "b": 1.00, "a": 12345678901234567890123 }"#).unwrap();
    assert_eq!(kit.enqueue(vec![first.clone()]), [Enqueued::Inserted]);
    let kit = kit.kill_and_reopen(folder.path());
    assert_eq!(kit.all(), [first]);
    assert_eq!(kit.opened.restored.next_id, InvocationId(2));
    assert_eq!(kit.opened.session_id.0, 2);
    assert!(kit.opened.notices.is_empty());
}

#[test]
fn journalled_moves_that_no_row_shows_yet_are_there_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(rows(1..=5));
    kit.handle.touch(|conn| conn.pragma_update(None, "query_only", true).unwrap());
    let result = JsonText::parse("[1]").unwrap();
    let applied = Move {
        id: InvocationId(2),
        state: RowState::Applied,
        result: Some(result.clone()),
        reason: None,
        at: Wall(9),
    };
    kit.journal.append(moved(1, RowState::Dispatched)).unwrap();
    kit.journal.append(Op::Move(applied)).unwrap();
    kit.journal.append(moved(2, RowState::Done)).unwrap();
    kit.journal
        .append(Op::SetBrake { queue: "default".into(), brake: Brake { held: true, draining: false } })
        .unwrap();
    kit.journal.commit().unwrap();
    let kit = kit.kill_and_reopen(folder.path());
    let restored = &kit.opened.restored;
    assert_eq!(restored.requeued, 1);
    assert_eq!(restored.counts.get("default"), Some(&QueueCounts { pending: 4, other_manifest: 0 }));
    assert_eq!(restored.brakes.get("default"), Some(&Brake { held: true, draining: false }));
    let second = kit.all().remove(1);
    assert_eq!((second.state, second.result), (RowState::Done, Some(result)));
}

#[test]
fn a_request_sees_every_move_that_was_journalled_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(vec![keyed(1, "bits", "k"), row(2)]);
    kit.journalled(moved(1, RowState::Applied));
    match kit.enqueue(vec![keyed(3, "bits", "k")]).remove(0) {
        Enqueued::Repeated(first) => {
            assert_eq!((first.id, first.state), (InvocationId(1), RowState::Applied));
        }
        other => unreachable!("{other:?}"),
    }
    kit.journalled(moved(2, RowState::Dispatched));
    assert!(kit.fetch(0, 64, true).rows.is_empty());
    assert_eq!(kit.states(), [(1, RowState::Applied), (2, RowState::Dispatched)]);
}

#[test]
fn a_key_is_unique_within_its_source_alone_even_within_one_enqueue() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let answers = kit.enqueue(vec![
        keyed(1, "bits", "k"),
        keyed(2, "bits", "k"),
        keyed(3, "channel_points", "k"),
        row(4),
        row(5),
    ]);
    let repeated =
        |answer: &Enqueued| matches!(answer, Enqueued::Repeated(first) if first.id == InvocationId(1));
    assert_eq!(answers.iter().map(repeated).collect::<Vec<_>>(), [false, true, false, false, false]);
    assert_eq!(kit.all().len(), 4);
}

#[test]
fn an_id_is_never_given_again_even_if_its_row_was_a_repeat_or_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.enqueue(vec![keyed(1, "bits", "k")]);
    kit.enqueue(vec![keyed(9, "bits", "k")]);
    let kit = kit.kill_and_reopen(folder.path());
    assert_eq!(kit.opened.restored.next_id, InvocationId(10));
}

#[test]
fn an_operation_that_fails_takes_nothing_else_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.enqueue(vec![row(1)]);
    assert!(kit.commit(Op::Enqueue { rows: vec![row(2), row(1)], lookups: Vec::new() }).is_err());
    kit.enqueue(vec![row(3)]);
    assert_eq!(kit.states(), [(1, RowState::Pending), (3, RowState::Pending)]);
    assert_eq!(kit.handle.counters().failing, None);
}

#[test]
fn a_change_touches_only_rows_in_its_state_and_records_refunds() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    let mut paid = row(1);
    paid.source.kind = "bits".to_owned();
    kit.enqueue(vec![paid.clone(), row(2)]);
    kit.journalled(moved(2, RowState::Applied));
    let op = Op::Change {
        ids: vec![InvocationId(1), InvocationId(2), InvocationId(3)],
        from: RowState::Pending,
        to: RowState::Failed,
        reason: Some("cancelled: no".to_owned()),
        refund: true,
        at: Wall(7),
    };
    let refund = Some((RefundId(1), RefundStatus::Skipped));
    let expected = vec![
        Changed::Changed { before: Box::new(paid), refund },
        Changed::NotThere { state: RowState::Applied },
        Changed::NoSuchRow,
    ];
    assert_eq!(kit.commit(op).unwrap(), Done::Changed(expected));
    let first = kit.all().remove(0);
    assert_eq!(
        (first.state, first.reason.as_deref(), first.updated_at_ms, first.refund),
        (RowState::Failed, Some("cancelled: no"), Wall(7), Some(RefundStatus::Skipped))
    );
}

#[test]
fn rows_are_read_by_their_ids_with_what_was_journalled_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(vec![row(1), row(2), Row { requeued_from: Some(InvocationId(1)), ..row(3) }]);
    kit.journalled(moved(1, RowState::Done));
    let ids = [3, 77, 1].map(InvocationId).to_vec();
    let found = ask(|done| kit.handle.fetch_invocations(ids, done)).unwrap();
    let about = |row: &Option<Row>| row.as_ref().map(|row| (row.id.0, row.state, row.requeued_from));
    assert_eq!(
        found.iter().map(about).collect::<Vec<_>>(),
        [Some((3, RowState::Pending, Some(InvocationId(1)))), None, Some((1, RowState::Done, None))]
    );
    let kit = kit.kill_and_reopen(folder.path());
    assert_eq!(kit.all()[2].requeued_from, Some(InvocationId(1)));
}

#[test]
fn refunds_are_numbered_and_paged_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.enqueue(rows(1..=3));
    for id in 1..=3 {
        let status = if id == 2 { RefundStatus::Requested } else { RefundStatus::Manual };
        let refund =
            NewRefund { invocation_id: InvocationId(id), source: row(id).source, status, at: Wall(id) };
        let Op::Move(moved) = moved(id, RowState::Refunded) else { unreachable!() };
        assert_eq!(kit.commit(Op::Refund { moved, refund }).unwrap(), Done::Refunded(RefundId(id), status));
    }
    let page = |filter| ask(|done| kit.handle.refunds(filter, done)).unwrap();
    let two = page(RefundFilter { limit: 2, ..RefundFilter::default() });
    assert_eq!((two.rows.iter().map(|refund| refund.id.0).collect::<Vec<_>>(), two.more), (vec![3, 2], true));
    let rest = page(RefundFilter { beyond: Some(RefundId(2)), limit: 2, ..RefundFilter::default() });
    assert_eq!((rest.rows.len(), rest.more), (1, false));
    let newer = page(RefundFilter {
        beyond: Some(RefundId(1)),
        oldest_first: true,
        limit: 1,
        ..RefundFilter::default()
    });
    assert_eq!((newer.rows[0].id, newer.more), (RefundId(2), true));
    let requested =
        page(RefundFilter { status: Some(RefundStatus::Requested), limit: 9, ..RefundFilter::default() });
    assert_eq!(requested.rows.iter().map(|refund| refund.invocation_id.0).collect::<Vec<_>>(), [2]);
}

#[test]
fn rows_of_another_manifest_wait_apart_until_they_are_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let mut foreign = row(4);
    foreign.pack_id = PackId::new("dev.other");
    kit.enqueue(vec![row(1), row(2), row(3), foreign]);
    kit.store.close().unwrap();
    let kit = try_open(folder.path(), "sha256:bb", limits::Store::default()).unwrap();
    assert_eq!(
        kit.opened.restored.counts.get("default"),
        Some(&QueueCounts { pending: 0, other_manifest: 4 })
    );
    assert!(kit.fetch(0, 64, true).rows.is_empty());
    let others = ask(|done| kit.handle.fetch_others(InvocationId(0), 2, done)).unwrap();
    assert_eq!(
        (others.rows.iter().map(|(_, row)| row.id.0).collect::<Vec<_>>(), others.more),
        (vec![1, 2], true)
    );
    let rows = vec![
        Migration { id: InvocationId(1), fails: None },
        Migration { id: InvocationId(2), fails: Some("unknown_queue: x".to_owned()) },
        Migration { id: InvocationId(77), fails: None },
    ];
    let op = Op::Migrate { rows, manifest_hash: ManifestHash::new("sha256:bb"), at: Wall(3) };
    assert_eq!(
        ask(|done| kit.handle.commit(op, Class::Process, done)).unwrap(),
        Done::Migrated { moved: 1, failed: 1 }
    );
    assert_eq!(kit.fetch(0, 64, false).rows.iter().map(|row| row.id.0).collect::<Vec<_>>(), [1]);
    let left = ask(|done| kit.handle.fetch_others(InvocationId(0), 9, done)).unwrap();
    assert_eq!((left.rows.iter().map(|(_, row)| row.id.0).collect::<Vec<_>>(), left.more), (vec![3], false));
}

#[test]
fn a_fetch_goes_on_where_the_last_one_ended() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let mut aside = row(3);
    aside.queue = QueueName::new("other");
    let mut all = rows(1..=2);
    all.push(aside);
    all.extend(rows(4..=6));
    kit.enqueue(all);
    let first = kit.fetch(0, 3, true);
    assert_eq!(
        (first.rows.iter().map(|row| row.id.0).collect::<Vec<_>>(), first.more),
        (vec![1, 2, 4], true)
    );
    let second = kit.fetch(4, 3, false);
    assert_eq!(
        (second.rows.iter().map(|row| row.id.0).collect::<Vec<_>>(), second.more),
        (vec![5, 6], false)
    );
}

#[test]
fn invocations_are_paged_by_state_and_queue_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    let mut all = rows(1..=9);
    all[8].queue = QueueName::new("other");
    all[6].manifest_hash = ManifestHash::new("sha256:old");
    kit.enqueue(all);
    for (id, state) in
        [(1, RowState::Done), (2, RowState::Failed), (3, RowState::Applied), (4, RowState::Done)]
    {
        kit.journalled(moved(id, state));
    }
    let ids = |state, queue: Option<&str>, beyond: Option<u64>, oldest_first| {
        let queue = queue.map(QueueName::new);
        let filter = InvocationFilter {
            state,
            queue,
            beyond: beyond.map(InvocationId),
            oldest_first,
            limit: 3,
            ..InvocationFilter::default()
        };
        kit.rows(filter).into_iter().map(|row| row.id.0).collect::<Vec<_>>()
    };
    assert_eq!(ids(None, None, None, false), [9, 8, 7]);
    assert_eq!(ids(None, None, Some(7), false), [6, 5, 4]);
    assert_eq!(ids(None, None, None, true), [1, 2, 3]);
    assert_eq!(ids(Some(RowState::Pending), None, None, false), [9, 8, 7]);
    assert_eq!(ids(Some(RowState::Pending), Some("default"), None, false), [8, 7, 6]);
    assert_eq!(ids(Some(RowState::Pending), Some("default"), Some(6), true), [7, 8]);
    assert_eq!(ids(Some(RowState::Done), None, None, false), [4, 1]);
    assert_eq!(ids(Some(RowState::Failed), Some("default"), None, true), [2]);
    assert_eq!(ids(Some(RowState::Failed), Some("other"), None, true), [0; 0]);
    let of_others = |state, beyond: Option<u64>, hash: &str| {
        let not_of = Some((PackId::new(PACK), ManifestHash::new(hash)));
        let beyond = beyond.map(InvocationId);
        let filter = InvocationFilter {
            state,
            beyond,
            oldest_first: true,
            not_of,
            limit: 3,
            ..InvocationFilter::default()
        };
        kit.rows(filter).into_iter().map(|row| row.id.0).collect::<Vec<_>>()
    };
    assert_eq!(of_others(Some(RowState::Pending), None, HASH), [7]);
    assert_eq!(of_others(Some(RowState::Pending), None, "sha256:old"), [5, 6, 8]);
    assert_eq!(of_others(Some(RowState::Pending), Some(6), "sha256:old"), [8, 9]);
    assert_eq!(of_others(None, None, HASH), [7], "of any state");
    assert_eq!(of_others(None, None, "sha256:old"), [1, 2, 3]);
    assert_eq!(of_others(Some(RowState::Pending), None, "sha256:never seen"), [5, 6, 7]);
    let left = ask(|done| kit.handle.left_applied(10, done)).unwrap();
    assert_eq!(left.iter().map(|row| row.id.0).collect::<Vec<_>>(), [3]);
    assert_eq!(ask(|done| kit.handle.invocation(InvocationId(10), done)).unwrap(), None);
}

#[test]
fn state_values_and_brakes_come_back_for_their_pack() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    let write = |pack: &str, value: &str| Op::WriteState {
        pack_id: PackId::new(pack),
        key: "resets".into(),
        value: JsonText::parse(value).unwrap(),
        scope: Some("trainer:42".to_owned()),
        at: Wall(1),
    };
    kit.handle.write_behind(write(PACK, "1")).unwrap();
    kit.handle.write_behind(write("dev.other", "7")).unwrap();
    kit.journalled(write(PACK, "null"));
    let brake = |held| Op::SetBrake { queue: "default".into(), brake: Brake { held, draining: false } };
    kit.journalled(brake(true));
    kit.journalled(brake(false));
    kit.flush();
    let kit = kit.kill_and_reopen(folder.path());
    let state = &kit.opened.restored.state;
    assert_eq!(
        state.iter().map(|row| (row.key.as_str(), row.value.as_str())).collect::<Vec<_>>(),
        [("resets", "null")]
    );
    assert!(kit.opened.restored.brakes.is_empty());
    assert!(kit.handle.write_behind(Op::Enqueue { rows: Vec::new(), lookups: Vec::new() }).is_err());
    assert!(!Journal::takes(&Op::Enqueue { rows: Vec::new(), lookups: Vec::new() }));
}

#[test]
fn rows_left_in_applied_come_back_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(rows(1..=2));
    kit.journalled(moved(2, RowState::Applied));
    let kit = kit.kill_and_reopen(folder.path());
    assert_eq!(kit.opened.restored.left_applied.iter().map(|row| row.id.0).collect::<Vec<_>>(), [2]);
    assert_eq!(kit.opened.restored.requeued, 0);
}

#[test]
fn a_second_opener_is_told_who_has_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    match try_open(folder.path(), HASH, limits::Store::default()) {
        Err(error @ StoreError::Held { by_pid: Some(pid), .. }) => {
            assert_eq!(pid, std::process::id());
            assert!(error.to_string().contains(&format!("process {pid}")));
        }
        other => unreachable!("{:?}", other.err()),
    }
    kit.store.close().unwrap();
    open(folder.path()).store.close().unwrap();
}

#[test]
fn nobody_else_can_read_what_it_makes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut kit = open(&data);
    kit.enqueue(rows(1..=1));
    kit.journalled(moved(1, RowState::Applied));
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    let files: Vec<_> = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn a_close_folds_the_journal_and_leaves_none() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(rows(1..=3));
    kit.journalled(moved(1, RowState::Done));
    kit.store.close().unwrap();
    assert!(kit.journal.append(moved(2, RowState::Done)).and_then(|()| kit.journal.commit()).is_err());
    assert!(kit.handle.flush(Box::new(|_| {})).is_err());
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["station.db", "station.lock", "station.marks"]);
    assert_eq!(open(folder.path()).states()[0], (1, RowState::Done));
}

#[test]
fn segments_whose_records_are_in_their_tables_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Store { journal_segment_bytes_max: 65_536, ..limits::Store::default() };
    let mut kit = try_open(folder.path(), HASH, limits).unwrap();
    kit.enqueue(rows(1..=10));
    let segments = || {
        std::fs::read_dir(folder.path()).unwrap().filter(|entry| is_segment(entry.as_ref().unwrap())).count()
    };
    for round in 0..500_u64 {
        for id in 1..=10 {
            kit.journal.append(moved(id, RowState::ALL[usize::try_from(round % 3).unwrap()])).unwrap();
        }
        kit.journal.commit().unwrap();
    }
    kit.flush();
    assert_eq!(segments(), 1);
    let bytes: u64 = kit.handle.counters().journal_bytes;
    assert!(bytes <= 65_536, "{bytes}");
    let kit = kit.kill_and_reopen(folder.path());
    assert_eq!(segments(), 0);
    assert_eq!(kit.all().len(), 10);
}

fn is_segment(entry: &std::fs::DirEntry) -> bool {
    entry.file_name().to_str().unwrap().starts_with("journal-")
}

#[test]
fn a_backup_opens_as_a_store_and_has_what_was_journalled_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(rows(1..=3));
    kit.journalled(moved(2, RowState::Done));
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("station.db");
    let bytes = ask(|done| kit.handle.backup(&path, done)).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), bytes);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let refused = ask(|done| kit.handle.backup(&path, done)).unwrap_err();
    assert!(refused.to_string().contains("station.db"), "{refused}");
    let mut copy = open(other.path());
    assert_eq!(copy.states(), kit.states());
    copy.journalled(moved(1, RowState::Done));
    let copy = copy.kill_and_reopen(other.path());
    assert_eq!(copy.states()[0], (1, RowState::Done));
}

#[test]
fn retention_deletes_the_oldest_ended_rows_and_refunds_alone() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Store { ended_rows_max: 1_000, refund_rows_max: 1_000, ..limits::Store::default() };
    let mut kit = try_open(folder.path(), HASH, limits).unwrap();
    kit.enqueue(rows(1..=2_000));
    for id in 3..=1_990 {
        let state = if id % 2 == 0 { RowState::Done } else { RowState::Failed };
        kit.journal.append(moved(id, state)).unwrap();
    }
    kit.journal.commit().unwrap();
    for id in 1..=1_010 {
        let refund = NewRefund {
            invocation_id: InvocationId(id),
            source: row(id).source,
            status: RefundStatus::Manual,
            at: Wall(1),
        };
        let Op::Move(moved) = moved(1_991, RowState::Refunded) else { unreachable!() };
        kit.handle
            .commit(Op::Refund { moved, refund }, Class::Process, Box::new(|done| drop(done.unwrap())))
            .unwrap();
    }
    // Each flush gives the writer a turn in which it may delete a slice.
    while kit.handle.counters().retired_rows < 989 + 10 {
        kit.flush();
    }
    let left = kit.states();
    assert_eq!(left.len(), 1_000 + 11);
    assert_eq!(left[..3], [(1, RowState::Pending), (2, RowState::Pending), (992, RowState::Done)]);
    let refunds =
        ask(|done| kit.handle.refunds(RefundFilter { limit: 10_000, ..RefundFilter::default() }, done))
            .unwrap();
    assert_eq!((refunds.rows.len(), refunds.rows[0].id), (1_000, RefundId(1_010)));
    let kit = kit.kill_and_reopen(folder.path());
    assert_eq!(kit.opened.restored.next_id, InvocationId(2_001));
    assert_eq!(kit.states().len(), 1_011);
}

#[test]
fn a_key_is_looked_up_without_recording_anything() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let first = keyed(1, "bits", "r-1");
    let lookups =
        |keys: &[&str]| keys.iter().map(|key| (first.source.kind.clone(), (*key).to_owned())).collect();
    let op = Op::Enqueue { rows: vec![first.clone()], lookups: lookups(&["r-1", "r-2"]) };
    let Done::Enqueued(done) = kit.commit(op).unwrap() else { unreachable!() };
    let repeated = Enqueued::Repeated(Box::new(first.clone()));
    assert_eq!(done, [Enqueued::Inserted, repeated.clone(), Enqueued::NotThere]);
    let op = Op::Enqueue { rows: Vec::new(), lookups: lookups(&["r-2", "r-1"]) };
    assert_eq!(kit.commit(op), Ok(Done::Enqueued(vec![Enqueued::NotThere, repeated])));
}
