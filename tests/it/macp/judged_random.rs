//! Requests at random, judged by a runtime that is served: what is judged is what a client is told, and
//! judging changes neither the runtime nor its store, which it reads.

use std::{collections::BTreeMap, path::Path};

use bytes::Bytes;
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use prost::Message as _;
use rl_console::{
    judged::Certainty,
    limits,
    macp::{
        Rpc, Verdict,
        envelope::request,
        proto::v1::{
            CancelSessionRequest, ClientInfo, GetManifestRequest, GetSessionRequest, InitializeRequest,
            SessionStartPayload,
        },
    },
    tap::entry::Verdict as AnyVerdict,
};

use super::{
    judged::{both, judge, make},
    test_runtime::TestRuntime,
    test_station::envelope,
};

/// A call that concerns no session, with its request.
fn plain_request() -> impl Strategy<Value = (Rpc, Vec<u8>)> {
    let versions = vec(prop_oneof![Just("1.0".to_owned()), ".{0,4}"], 0..3);
    let initialize = (versions, prop::option::of(".{0,8}")).prop_map(|(versions, name)| {
        let client_info = name.map(|name| ClientInfo { name, ..ClientInfo::default() });
        let supported_protocol_versions = versions;
        let request = InitializeRequest { supported_protocol_versions, client_info, capabilities: None };
        (Rpc::Initialize, request.encode_to_vec())
    });
    let manifest =
        ".{0,8}".prop_map(|id| (Rpc::GetManifest, GetManifestRequest { agent_id: id }.encode_to_vec()));
    let empty = [Rpc::ListModes, Rpc::ListRoots, Rpc::WatchModeRegistry, Rpc::WatchRoots];
    let empty = prop::sample::select(empty.to_vec()).prop_map(|rpc| (rpc, Vec::new()));
    prop_oneof![2 => initialize, 1 => manifest, 1 => empty]
}

/// So many cases, whatever the environment asks for: each is a connection of its own.
#[test]
fn what_is_judged_of_a_call_about_no_session_is_what_its_client_gets_byte_for_byte() {
    let fixture = TestRuntime::open(limits::Macp::default());
    let change = prop::option::weighted(0.3, any::<(prop::sample::Index, u8)>());
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
    let played = TestRunner::new(config).run(&(plain_request(), change), |((rpc, mut bytes), change)| {
        if let Some((at, byte)) = change {
            bytes.insert(at.index(bytes.len() + 1), byte);
        }
        let judged = both(&fixture, rpc, &bytes);
        if let [foreseen] = &judged.answers[..] {
            let told = make(&fixture, rpc, bytes).unwrap();
            prop_assert_eq!(&told[..], &foreseen.bytes[..]);
        }
        Ok(())
    });
    played.unwrap();
}

/// A request of any call: of a session that is open, of some that are in the store alone, of none.
fn any_request(chance: &mut fastrand::Rng) -> (Rpc, Vec<u8>) {
    let session = ["open", "ended 0", "ended 1", "ended 2", "none", ""][chance.usize(..6)];
    let kind = ["SessionStart", "Proposal", "Vote", "Message", "Signal"][chance.usize(..5)];
    let id = ["start", "m1", "m2", ""][chance.usize(..4)];
    let rpc = *chance.choice(&Rpc::ALL).unwrap();
    let mut bytes = match rpc {
        Rpc::CancelSession => {
            CancelSessionRequest { session_id: session.to_owned(), reason: id.to_owned() }.encode_to_vec()
        }
        Rpc::GetSession => GetSessionRequest { session_id: session.to_owned() }.encode_to_vec(),
        _ => {
            let payload = if kind == "SessionStart" {
                SessionStartPayload { ttl_ms: 1_000, ..SessionStartPayload::default() }.encode_to_vec()
            } else {
                br#"{"proposal_id":"p","vote":"approve"}"#.to_vec()
            };
            request(envelope(session, kind, id, "a", payload)).encode_to_vec()
        }
    };
    if chance.u8(..8) == 0 && !bytes.is_empty() {
        let at = chance.usize(..bytes.len());
        bytes[at] ^= 1 << chance.u8(..8);
    }
    (rpc, bytes)
}

/// The rows of a station's database, table by table.
fn rows(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let database = rusqlite::Connection::open(folder.join("station.db")).unwrap();
    let all = |query: &str| -> Vec<Vec<rusqlite::types::Value>> {
        let mut query = database.prepare(query).unwrap();
        let columns = query.column_count();
        let rows = query.query_map([], |row| (0..columns).map(|at| row.get(at)).collect()).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let tables = all("SELECT name FROM sqlite_schema WHERE type = 'table'");
    let names = tables.into_iter().map(|row| match &row[..] {
        [rusqlite::types::Value::Text(name)] => name.clone(),
        other => panic!("{other:?}"),
    });
    let of = |name: String| {
        let rows = all(&format!("SELECT * FROM \"{name}\"")).iter().map(|row| format!("{row:?}")).collect();
        (name, rows)
    };
    names.map(of).collect()
}

/// The bytes of the runtime's log.
fn log(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = files.filter(|it| it.file_type().unwrap().is_file());
    let files = files.map(|it| (it.file_name().into_string().unwrap(), it.path()));
    let of_log = files.filter(|(name, _)| !name.starts_with("station.db"));
    of_log.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
}

#[test]
fn ten_thousand_judgements_that_read_the_store_change_nothing_in_it() {
    let limits = limits::Macp { closed_max: 0, closed_ms_max: 0, ..limits::Macp::default() };
    let fixture = TestRuntime::open(limits);
    for n in 0..3 {
        fixture.start(&format!("ended {n}")).unwrap();
        fixture.say(&format!("ended {n}"), "Message", "m1", "hello").unwrap();
        fixture.cancel(&format!("ended {n}")).unwrap();
    }
    fixture.start("open").unwrap();
    let look = |id: &str| GetSessionRequest { session_id: id.to_owned() }.encode_to_vec();
    // They leave memory soon after their end.
    let is_away = |n: u32| {
        fixture.no_store(true);
        let judged = judge(&fixture, Rpc::GetSession, &look(&format!("ended {n}")));
        fixture.no_store(false);
        judged.certainty == Certainty::AfterALook
    };
    let are_away = (0..1_500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        (0..3).all(is_away)
    });
    assert!(are_away, "they are in the store alone");
    fixture.runtime.block_on(fixture.handle.flush());
    let state = || {
        let handle = &fixture.handle;
        (format!("{:?} {:?}", handle.snapshot(), handle.clients()), fixture.metrics())
    };
    let folder = fixture.folder.path();
    let before = (state(), rows(folder), log(folder));
    let mut chance = fastrand::Rng::with_seed(23);
    let (mut found, mut duplicates) = (0, 0);
    for _ in 0..10_000 {
        let (rpc, bytes) = any_request(&mut chance);
        let about_ended = bytes.windows(6).any(|part| part == b"ended ");
        let judged = judge(&fixture, rpc, &Bytes::from(bytes));
        found += u64::from(about_ended && judged.certainty == Certainty::AsOfNow);
        duplicates += u64::from(judged.verdict == Ok(AnyVerdict::Macp(Verdict::Duplicate)) && about_ended);
    }
    assert!(found > 500 && duplicates > 100, "{found} {duplicates}");
    let after = (state(), rows(folder), log(folder));
    assert!(!before.1.is_empty() && !before.2.is_empty(), "{:?}", before.2.keys());
    assert_eq!(before.0, after.0);
    assert!(before.1 == after.1, "the rows of the store");
    assert!(before.2 == after.2, "the bytes of the log");
}
