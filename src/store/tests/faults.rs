use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::kit::{HASH, Kit, ask, moved, open, row, rows, try_open};
use crate::{
    ids::InvocationId,
    limits,
    store::{
        Journal, StoreError,
        append::Medium,
        journal::Begin,
        op::{CommitError, Op},
    },
    tap::entry::mpp::RowState,
};

/// Has every write of rows fail, or work again.
fn refuse_writes(kit: &Kit, refuse: bool) {
    kit.handle.touch(move |conn| conn.pragma_update(None, "query_only", refuse).unwrap());
}

#[test]
fn a_database_of_a_later_program_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).store.close().unwrap();
    let file = folder.path().join("station.db");
    rusqlite::Connection::open(&file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&file).unwrap();
    match try_open(folder.path(), HASH, limits::Store::default()) {
        Err(error @ StoreError::NewerSchema { found: 99, known: 13, .. }) => {
            assert!(
                error.to_string().contains("schema 99; this rl-console supports schemas up to 13"),
                "{error}"
            );
        }
        other => unreachable!("{:?}", other.err()),
    }
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn another_programs_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    rusqlite::Connection::open(folder.path().join("station.db"))
        .unwrap()
        .execute_batch("CREATE TABLE theirs (x)")
        .unwrap();
    assert!(matches!(
        try_open(folder.path(), HASH, limits::Store::default()),
        Err(StoreError::NotAStore { .. })
    ));
}

#[test]
fn what_cannot_be_folded_is_kept_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(rows(1..=4));
    refuse_writes(&kit, true);
    kit.journalled(moved(1, RowState::Done));
    let refused = kit.commit(Op::Enqueue { rows: vec![row(5)], lookups: Vec::new() }).unwrap_err();
    assert!(matches!(refused, CommitError::Failed(_)), "{refused}");
    assert!(kit.handle.counters().failing.is_some());
    assert!(ask(|done| kit.handle.flush(done)).is_err());
    // What needs no write is still answered, a settled read is not.
    assert_eq!(kit.fetch(1, 64, false).rows.len(), 3);
    let settled = ask(|done| kit.handle.fetch("default".into(), InvocationId(0), 9, true, done));
    assert!(settled.is_err());
    kit.journalled(moved(1, RowState::Failed));
    kit.journalled(moved(2, RowState::Applied));
    refuse_writes(&kit, false);
    assert_eq!(
        kit.states(),
        [(1, RowState::Failed), (2, RowState::Applied), (3, RowState::Pending), (4, RowState::Pending)]
    );
    assert_eq!(kit.handle.counters().failing, None);
    assert_eq!(kit.handle.counters().unfolded_rows, 0);
    kit.enqueue(vec![row(5)]);
}

#[test]
fn the_journal_stops_when_too_many_rows_wait_for_the_database_and_goes_on_after() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Store { unfolded_rows_max: 1_024, ..limits::Store::default() };
    let mut kit = try_open(folder.path(), HASH, limits).unwrap();
    kit.enqueue(rows(1..=2_000));
    refuse_writes(&kit, true);
    let mut accepted = 0;
    for id in 1..=2_000 {
        kit.journal.append(moved(id, RowState::Done)).unwrap();
        if kit.journal.commit().is_err() {
            break;
        }
        accepted = id;
    }
    assert_eq!(accepted, 1_024);
    assert!(ask(|done| kit.handle.flush(done)).is_err());
    kit.journal.append(moved(1_025, RowState::Done)).unwrap();
    assert!(matches!(kit.journal.commit(), Err(CommitError::Failed(_))));
    refuse_writes(&kit, false);
    kit.flush();
    kit.journalled(moved(1_025, RowState::Done));
    let kit = kit.kill_and_reopen(folder.path());
    let done = kit.states().iter().filter(|(_, state)| *state == RowState::Done).count();
    assert_eq!(done, 1_025);
}

#[test]
fn a_full_database_refuses_new_rows_and_takes_them_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(rows(1..=100));
    kit.handle.touch(|conn| {
        let pages: i64 = conn.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        conn.query_row(&format!("PRAGMA max_page_count = {}", pages + 2), [], |_| Ok(())).unwrap();
    });
    let mut accepted = 100;
    let refused = loop {
        match kit.commit(Op::Enqueue { rows: rows(accepted + 1..=accepted + 50), lookups: Vec::new() }) {
            Ok(_) => accepted += 50,
            Err(error) => break error,
        }
    };
    assert!(refused.to_string().contains("full"), "{refused}");
    kit.journalled(moved(1, RowState::Done));
    kit.handle.touch(|conn| conn.query_row("PRAGMA max_page_count = 1000000", [], |_| Ok(())).unwrap());
    kit.enqueue(rows(accepted + 1..=accepted + 50));
    let kit = kit.kill_and_reopen(folder.path());
    let states = kit.states();
    assert_eq!(u64::try_from(states.len()).unwrap(), accepted + 50);
    assert_eq!(states[0], (1, RowState::Done));
}

#[test]
fn a_close_that_cannot_fold_says_so_and_the_next_start_has_it_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(rows(1..=2));
    refuse_writes(&kit, true);
    kit.journalled(moved(1, RowState::Done));
    assert!(matches!(kit.store.close(), Err(StoreError::Unfolded(_))));
    assert_eq!(open(folder.path()).states(), [(1, RowState::Done), (2, RowState::Pending)]);
}

/// A disk with room for so many bytes; a write that does not fit is made in part.
struct Small {
    file: fs::File,
    room: Arc<AtomicU64>,
    cuts: bool,
}

impl Medium for Small {
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<usize> {
        let room = usize::try_from(self.room.load(Ordering::SeqCst)).unwrap();
        let fits = bytes.len().min(room);
        if fits == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room.fetch_sub(u64::try_from(fits).unwrap(), Ordering::SeqCst);
        std::os::unix::fs::FileExt::write_at(&self.file, &bytes[..fits], at)
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        if self.cuts || self.room.load(Ordering::SeqCst) > 0 {
            self.file.set_len(bytes)
        } else {
            Err(io::Error::other("no"))
        }
    }
}

fn small_journal(kit: &Kit, data: &Path, room: &Arc<AtomicU64>, cuts: bool) -> Journal {
    let room = Arc::clone(room);
    let make = Box::new(move |path: &Path| {
        let file = fs::File::create(path)?;
        Ok(Box::new(Small { file, room: Arc::clone(&room), cuts }) as Box<dyn Medium>)
    });
    let begin = Begin { segment: 1, seq: 1, segment_bytes_max: 1 << 20, unfolded_rows_max: 1 << 16 };
    debug_assert!(data.exists());
    Journal::new(data, make, begin, Arc::clone(&kit.handle.submission), Arc::clone(&kit.handle.shared))
}

#[test]
fn a_journal_on_a_full_disk_takes_back_what_it_could_not_write() {
    for cuts in [true, false] {
        for room in (u64::from(cuts)..150).step_by(2) {
            let folder = tempfile::tempdir().unwrap();
            let mut kit = open(folder.path());
            kit.enqueue(rows(1..=9));
            let bytes = Arc::new(AtomicU64::new(room));
            kit.journal = small_journal(&kit, folder.path(), &bytes, cuts);
            let mut expected = vec![RowState::Pending; 9];
            for (id, states) in (1..=6).zip(expected.iter_mut()) {
                kit.journal.append(moved(id, RowState::Applied)).unwrap();
                kit.journal.append(moved(id, RowState::Done)).unwrap();
                match kit.journal.commit() {
                    Ok(()) => *states = RowState::Done,
                    Err(error) => assert!(matches!(error, CommitError::Failed(_)), "{error}"),
                }
                assert_eq!(kit.journal.waiting(), 0);
            }
            assert!(kit.handle.counters().failing.is_some());
            bytes.store(10_000, Ordering::SeqCst);
            kit.journalled(moved(7, RowState::Failed));
            expected[6] = RowState::Failed;
            assert_eq!(kit.handle.counters().failing, None);
            let kit = kit.kill_and_reopen(folder.path());
            let states: Vec<_> = kit.states().into_iter().map(|(_, state)| state).collect();
            assert_eq!(states, expected, "room for {room} bytes");
            assert!(kit.opened.notices.is_empty(), "{:?}", kit.opened.notices);
        }
    }
}
