//! A database that is lost, or its log: what is set aside, and what goes on.

use std::{collections::BTreeMap, fs, io, path::Path, sync::Arc};

use super::kit::{HASH, PACK, moved, open, row, rows};
use crate::{
    ids::{InvocationId, ManifestHash, PackId},
    limits,
    store::{Lock, Store, log_damage::copy_aside, lost_database::tests::interrupted, op::Op},
    tap::entry::mpp::RowState,
    time::{Clock, Wall},
};

#[test]
fn a_damaged_database_is_set_aside_and_ids_go_on_where_they_can_be_read() {
    for (offset, bytes) in [(0, 100), (8192, 4096)] {
        let folder = tempfile::tempdir().unwrap();
        let kit = open(folder.path());
        kit.enqueue(rows(1..=500));
        kit.store.close().unwrap();
        let file = folder.path().join("station.db");
        let mut damaged = fs::read(&file).unwrap();
        // Page 3 is the root of `manifests` or beyond; page 1 holds the header.
        damaged[offset..offset + bytes].fill(0xa5);
        fs::write(&file, &damaged).unwrap();
        let kit = open(folder.path());
        assert_eq!(kit.opened.notices.len(), 1, "{:?}", kit.opened.notices);
        assert!(kit.opened.notices[0].contains("ids continue at "), "{:?}", kit.opened.notices);
        assert!(kit.all().is_empty());
        assert_eq!(set_aside(folder.path())["station.db"], damaged);
        assert!(kit.opened.restored.next_id.0 > 500 && kit.opened.session_id.0 == 2);
        kit.enqueue(vec![row(kit.opened.restored.next_id.0)]);
    }
}

/// What a killed store leaves: rows in the write-ahead log alone, moves in the journal.
fn killed(folder: &Path) {
    // As it is on disk while the store is open: its end, however hard, would fold the log.
    let other = tempfile::tempdir().unwrap();
    let kit = open(other.path());
    kit.enqueue(rows(1..=8));
    kit.store.close().unwrap();
    let mut kit = open(other.path());
    kit.enqueue(rows(9..=9));
    kit.journalled(moved(7, RowState::Dispatched));
    for entry in fs::read_dir(other.path()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    assert!(fs::metadata(folder.join("station.db-wal")).unwrap().len() > 0);
    fs::write(folder.join("sessions-3.log"), b"RLSESSN\x01").unwrap();
}

/// What was set aside, by the files' names: all in one folder, and nothing beside it.
fn set_aside(data: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = |folder: &Path| -> Vec<_> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let aside: Vec<_> = names(data).into_iter().filter(|name| name.contains("bad-")).collect();
    let [aside] = &aside[..] else { unreachable!("{aside:?}") };
    assert!(aside.strip_prefix("bad-").unwrap().parse::<u64>().is_ok(), "{aside}");
    let folder = data.join(aside);
    names(&folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

fn files(data: &Path) -> BTreeMap<String, Vec<u8>> {
    let of =
        |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    fs::read_dir(data).unwrap().map(|entry| of(entry.unwrap())).collect()
}

#[test]
fn an_emptied_database_is_set_aside_with_all_that_it_left_and_told() {
    for is_gone in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        killed(folder.path());
        let at = |name: &str| folder.path().join(name);
        let wal = fs::read(at("station.db-wal")).unwrap();
        if is_gone {
            fs::remove_file(at("station.db")).unwrap();
        } else {
            fs::write(at("station.db"), b"").unwrap();
        }
        let kit = open(folder.path());
        let [notice] = &kit.opened.notices[..] else { unreachable!("{:?}", kit.opened.notices) };
        assert!(notice.contains("/bad-") && notice.contains("station.db-wal"), "{notice}");
        assert!(notice.contains(if is_gone { "was missing" } else { "was empty" }), "{notice}");
        assert!(kit.all().is_empty());
        let aside = set_aside(folder.path());
        let expected = ["journal-1.log", "sessions-3.log", "station.db", "station.db-shm", "station.db-wal"];
        assert_eq!(aside.keys().collect::<Vec<_>>(), expected);
        assert_eq!(aside["station.db-wal"], wal, "nothing of it is lost");
        kit.store.close().unwrap();
        assert!(open(folder.path()).opened.notices.is_empty(), "it is told once");
    }
}

#[test]
fn ids_that_were_given_are_not_given_again_where_the_database_and_its_journal_say_none() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.enqueue(rows(1..=9));
    kit.store.close().unwrap();
    let kit = open(folder.path());
    let other = tempfile::tempdir().unwrap();
    for name in ["station.db-wal", "station.marks"] {
        fs::copy(folder.path().join(name), other.path().join(name)).unwrap();
    }
    fs::write(other.path().join("station.db"), b"").unwrap();
    drop(kit);
    let kit = open(other.path());
    let next = kit.opened.restored.next_id.0;
    assert!(next > 9 && kit.opened.session_id.0 == 3, "{:?}", kit.opened);
    assert!(kit.opened.notices[0].contains(&format!("ids continue at {next}")), "{:?}", kit.opened.notices);
    // Those that were marked and not given are not skipped by a start as any other.
    kit.enqueue(rows(next..=next));
    assert_eq!(kit.kill_and_reopen(other.path()).opened.restored.next_id.0, next + 1);
    // Without any word of them that is said.
    let folder = tempfile::tempdir().unwrap();
    killed(folder.path());
    fs::write(folder.path().join("station.db"), b"").unwrap();
    fs::remove_file(folder.path().join("station.marks")).unwrap();
    let kit = open(folder.path());
    assert_eq!(kit.opened.restored.next_id, InvocationId(8), "the journal names 7");
    assert!(kit.opened.notices[0].contains("no record of the used ids"), "{:?}", kit.opened.notices);
}

#[test]
fn an_id_that_cannot_be_marked_is_not_given() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let marks = folder.path().join("station.marks");
    fs::remove_file(&marks).unwrap();
    fs::create_dir(&marks).unwrap();
    kit.enqueue(rows(1..=2));
    let far = || Op::Enqueue { rows: vec![row(100_000)], lookups: Vec::new() };
    let refused = kit.commit(far()).unwrap_err();
    assert!(refused.to_string().contains("recording the used ids"), "{refused}");
    fs::remove_dir(&marks).unwrap();
    assert!(kit.commit(far()).is_ok());
}

#[test]
fn setting_aside_goes_on_where_it_was_interrupted() {
    for is_damaged in [false, true] {
        let mut step = 0;
        loop {
            let folder = tempfile::tempdir().unwrap();
            killed(folder.path());
            let database = folder.path().join("station.db");
            let mut bytes = fs::read(&database).unwrap();
            if is_damaged {
                bytes[..100].fill(0xa5);
            } else {
                bytes.clear();
            }
            fs::write(&database, &bytes).unwrap();
            let mut before = files(folder.path());
            let steps = interrupted(folder.path(), step);
            let kit = open(folder.path());
            let [notice] = &kit.opened.notices[..] else { unreachable!("{:?}", kit.opened.notices) };
            assert!(notice.contains("/bad-") && notice.contains("restore a backup"), "{notice}");
            assert!(kit.all().is_empty() && kit.opened.restored.next_id.0 > 9, "step {step}");
            let aside = set_aside(folder.path());
            before.retain(|name, _| {
                name.starts_with("station.db") || (!is_damaged && !name.starts_with("station."))
            });
            // What is only an index is made again by whoever looks.
            before.remove("station.db-shm");
            assert!(
                before.iter().all(|(name, bytes)| aside[name] == *bytes),
                "step {step}: {:?}",
                aside.keys()
            );
            kit.store.close().unwrap();
            assert!(open(folder.path()).opened.notices.is_empty(), "it is told once");
            step += 1;
            if step > steps {
                break;
            }
        }
    }
}

#[test]
fn a_new_database_beside_one_that_was_set_aside_stays_where_a_start_was_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    killed(folder.path());
    fs::write(folder.path().join("station.db"), b"").unwrap();
    interrupted(folder.path(), usize::MAX);
    // As a start leaves it that ends before the folder has its name.
    let other = tempfile::tempdir().unwrap();
    let kit = open(other.path());
    kit.enqueue(rows(1..=3));
    kit.store.close().unwrap();
    fs::copy(other.path().join("station.db"), folder.path().join("station.db")).unwrap();
    let kit = open(folder.path());
    assert_eq!((kit.all().len(), kit.opened.notices.len()), (3, 1));
    assert!(set_aside(folder.path()).contains_key("station.db-wal"));
}

#[test]
fn each_file_that_a_database_leaves_is_a_witness_and_a_new_folder_has_none() {
    for (name, is_damage) in [
        ("station.db-wal", true),
        ("station.db-shm", true),
        ("journal-4.log", true),
        ("sessions-1.log", true),
        ("station.db-journal", false),
        ("journal-4.log.bad-1", false),
        ("token", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("station.db"), b"").unwrap();
        fs::write(folder.path().join(name), b"").unwrap();
        assert_eq!(open(folder.path()).opened.notices.len(), usize::from(is_damage), "{name}");
    }
}

/// Opens a killed store of which the log was changed.
fn with_log(change: impl FnOnce(&Path, Vec<u8>)) -> (tempfile::TempDir, super::kit::Kit) {
    let folder = tempfile::tempdir().unwrap();
    killed(folder.path());
    fs::remove_file(folder.path().join("sessions-3.log")).unwrap();
    let log = folder.path().join("station.db-wal");
    let bytes = fs::read(&log).unwrap();
    change(&log, bytes);
    let kit = open(folder.path());
    (folder, kit)
}

#[test]
fn a_log_that_is_whole_is_no_damage_whatever_lies_behind_its_end() {
    for tail in [vec![], vec![0; 5_000], vec![0xff; 5_000]] {
        let (_folder, kit) = with_log(|log, bytes| fs::write(log, [bytes, tail].concat()).unwrap());
        assert_eq!((kit.all().len(), &kit.opened.notices[..]), (9, &[][..]));
    }
}

#[test]
fn a_log_with_less_than_was_committed_is_kept_and_told_and_no_id_comes_again() {
    let changes: [fn(&Path, Vec<u8>); 6] = [
        |log, bytes| fs::write(log, &bytes[..bytes.len() - 4_120]).unwrap(),
        |log, bytes| fs::write(log, &bytes[..20]).unwrap(),
        |log, _| fs::write(log, b"").unwrap(),
        |log, bytes| fs::write(log, vec![0; bytes.len()]).unwrap(),
        |log, mut bytes| {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            fs::write(log, bytes).unwrap();
        },
        |log, _| fs::remove_file(log).unwrap(),
    ];
    for (case, change) in changes.into_iter().enumerate() {
        let mut damaged = None;
        let (folder, kit) = with_log(|log, bytes| {
            change(log, bytes);
            damaged = fs::read(log).ok();
        });
        let [notice] = &kit.opened.notices[..] else { unreachable!("{case}: {:?}", kit.opened.notices) };
        assert!(
            notice.contains("station.db-wal was damaged") && notice.contains("restore a backup"),
            "{notice}"
        );
        assert_eq!(kit.all().len(), 8, "case {case}: what the database has is there");
        assert!(kit.opened.restored.next_id.0 > 9, "case {case}");
        let aside = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let aside = aside.filter(|path| path.to_str().unwrap().contains("station.db-wal.bad-"));
        assert_eq!(aside.map(|path| fs::read(path).unwrap()).next(), damaged, "case {case}");
        kit.store.close().unwrap();
        assert!(open(folder.path()).opened.notices.is_empty(), "it is told once");
    }
}

/// The names of the copies of a log, whole and not.
fn copies(data: &Path) -> Vec<String> {
    files(data).into_keys().filter(|name| name.starts_with("station.db-wal.")).collect()
}

#[test]
fn a_log_that_cannot_be_copied_stays_and_the_next_start_takes_what_is_whole_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let kit = open(other.path());
    for id in 1..=9 {
        kit.enqueue(rows(id..=id));
    }
    for name in ["station.db", "station.db-wal", "station.db-shm", "station.marks"] {
        fs::copy(other.path().join(name), folder.path().join(name)).unwrap();
    }
    drop(kit);
    let log = folder.path().join("station.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&log, &bytes).unwrap();
    // The disk is full while it is copied; then a start dies within the copy, and one behind it.
    let full = |_: &Path| Err(io::ErrorKind::StorageFull.into());
    assert!(copy_aside(&log, Wall(1), full).is_err());
    assert_eq!((copies(folder.path()), fs::read(&log).unwrap()), (vec![], bytes.clone()));
    let partial = folder.path().join("station.db-wal.bad-1.0123.partial");
    fs::write(&partial, "half").unwrap();
    copy_aside(&log, Wall(1), |copy| fs::copy(&log, copy).map(drop)).unwrap();
    assert_eq!(
        (copies(folder.path()), fs::read(&log).unwrap()),
        (vec!["station.db-wal.bad-1".to_owned()], bytes)
    );
    let kit = open(folder.path());
    let [notice] = &kit.opened.notices[..] else { unreachable!("{:?}", kit.opened.notices) };
    assert!(notice.contains("restore a backup"), "{notice}");
    let ids: Vec<u64> = kit.states().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, (1..=8).collect::<Vec<_>>(), "what is whole in it was taken");
}

#[test]
fn a_damaged_log_of_which_the_database_has_all_loses_nothing() {
    let other = tempfile::tempdir().unwrap();
    let kit = open(other.path());
    kit.enqueue(rows(1..=9));
    kit.flush();
    kit.handle.touch(|conn| conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap());
    kit.flush();
    let folder = tempfile::tempdir().unwrap();
    for name in ["station.db", "station.db-wal", "station.db-shm", "station.marks"] {
        fs::copy(other.path().join(name), folder.path().join(name)).unwrap();
    }
    let log = folder.path().join("station.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    bytes[32 + 24 + 100] ^= 1;
    fs::write(&log, bytes).unwrap();
    assert!(crate::store::damage_of_log(folder.path()).unwrap().is_some());
    let kit = open(folder.path());
    let [notice] = &kit.opened.notices[..] else { unreachable!("{:?}", kit.opened.notices) };
    assert!(notice.contains("no data is lost, the database contains it"), "{notice}");
    assert_eq!((kit.all().len(), kit.opened.restored.next_id.0), (9, 10));
}

#[test]
fn a_log_that_the_end_of_a_store_deletes_is_not_missed_by_those_that_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let lock = Arc::new(Lock::take(folder.path()).unwrap());
    let watch = lock.watch();
    let lost = || {
        watch.look();
        watch.lost()
    };
    for _ in 0..2 {
        let (pack, hash) = (PackId::new(PACK), ManifestHash::new(HASH));
        let (lock, limits) = (Arc::clone(&lock), limits::Store::default());
        let (store, _) =
            Store::open_locked(lock, folder.path(), &pack, &hash, limits, Clock::start()).unwrap();
        assert!(folder.path().join("station.db-wal").exists());
        assert_eq!(lost(), None);
        store.close().unwrap();
        assert!(!folder.path().join("station.db-wal").exists());
        assert_eq!(lost(), None, "others write on, while the bridge restarts say");
    }
}
