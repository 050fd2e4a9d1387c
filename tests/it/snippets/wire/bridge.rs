//! Answers of the bridge.

use std::{collections::BTreeSet, io::Write as _};

use rl_console::port::DoorSpec;
use serde_json::Value;

use super::twins::{Looked, Sent, Twins, hex, written};
use crate::{
    real::{Adapter, json, plugins::until},
    snippets::sent::{name, needs, of_link, were_all_sent},
};

/// So that a line without its end is found in time.
const IMPATIENT: &str = "[limits.mpp]\nframe_ms_max = 300\n";

/// The line without an end: that may come still when it is judged, so that nothing is foreseen of it.
const SLOW: &str = "mpp/too-slow";

/// A line with a token is masked in the tap, and one before a hello withheld: it as its file has it.
fn spelled(looked: &Looked, row: &Value, at: usize) -> Vec<u8> {
    let mut body = written(looked, row, at)["body"].take();
    let members = body.as_object_mut().unwrap();
    members.entry("mpp").or_insert(2.into());
    format!("{body}\n").replace("$TOKEN", &looked.token).into_bytes()
}

/// The next line that is no heartbeat.
fn next(adapter: &mut Adapter) -> Option<String> {
    std::iter::from_fn(|| adapter.line()).find(|line| !line.contains(r#""type":"heartbeat""#))
}

fn ready(looked: &Looked) -> Adapter {
    Adapter::ready(looked.station.mpp, &looked.token)
}

/// What goes to the bridge is sent to the other one as well, and answered alike.
fn answered(twins: &Twins, row: &Value) -> Vec<Sent> {
    if needs(row, "row_waiting") {
        for looked in twins.both() {
            json(looked.data(), &["invoke", "give_item", "--params", r#"{"item_id":4,"count":1}"#]);
        }
    }
    let _adapters = needs(row, "adapter").then(|| twins.both().map(ready));
    let sent = twins.doors.sent(row, &[]);
    let plain = &twins.plain;
    let mut client = if row["door"] == "none" { Adapter::connect(plain.station.mpp) } else { ready(plain) };
    for (at, frame) in sent.iter().enumerate() {
        let bytes = frame.whole().map_or_else(|| spelled(plain, row, at), <[u8]>::to_vec);
        client.socket().write_all(&bytes).unwrap();
        for answer in &frame.answers {
            let read = next(&mut client).unwrap_or_else(|| panic!("{}: {:#}", name(row), frame.row));
            assert_eq!(read, String::from_utf8_lossy(answer), "{}", name(row));
        }
        let is_foreseen = frame.agrees(|answer| String::from_utf8_lossy(answer).into_owned());
        assert_eq!(is_foreseen, name(row) != SLOW, "{}: {:#}", name(row), frame.row);
    }
    if sent.last().unwrap().row["closed"].is_string() {
        assert_eq!(next(&mut client), None, "{} ends it", name(row));
    } else {
        // There is no such queue: nothing more has come but the answer to this.
        client.send(r#"{"mpp":2,"type":"pull","queue":"end"}"#).unwrap();
        let read = next(&mut client).unwrap();
        assert!(read.contains("UNKNOWN_QUEUE"), "{} has more: {read}", name(row));
    }
    sent
}

/// What goes to an adapter in the bridge's place is what the adapter reads.
fn delivered(twins: &Twins, row: &Value) -> Vec<Sent> {
    let mut adapter = ready(&twins.doors);
    let sent = twins.doors.sent(row, &[]);
    for frame in &sent {
        let is_heartbeat = name(row) == "mpp/heartbeat-to-adapter";
        let read = if is_heartbeat { adapter.line() } else { next(&mut adapter) }.unwrap();
        assert_eq!(Some(read.as_bytes()), frame.whole(), "{}: {:#}", name(row), frame.row);
        assert!(frame.agrees(<[u8]>::to_vec) && frame.answers.is_empty(), "{}: {:#}", name(row), frame.row);
    }
    sent
}

#[test]
fn each_answer_of_the_bridge_is_read_as_it_was_foreseen() {
    let shared = Twins::open("", true);
    let rows = of_link(shared.doors.data(), "mpp");
    let (mut read, mut codes) = (BTreeSet::new(), BTreeSet::new());
    for row in &rows {
        // What changes rows, or needs another station, has one of its own; what is slow has one that does not
        // wait, as other lines may take long on a busy machine.
        let is_slow = name(row) == SLOW;
        let own = needs(row, "unpaired") || needs(row, "row_waiting") || is_slow;
        let config = if is_slow { IMPATIENT } else { "" };
        let own = own.then(|| Twins::open(config, !needs(row, "unpaired")));
        let twins = own.as_ref().unwrap_or(&shared);
        let sent = if row["door"] == "to-adapter" { delivered(twins, row) } else { answered(twins, row) };
        codes.extend(sent.iter().filter_map(|frame| frame.row["code"].as_str()).map(ToOwned::to_owned));
        read.insert(name(row).to_owned());
        for looked in twins.both() {
            let gone = || json(looked.data(), &["ls", "adapters"]).is_empty().then_some(());
            until(|| format!("the adapter after {} stays", name(row)), gone);
        }
    }
    were_all_sent(&rows, &read, &[]);
    let all = "FRAME_TOO_LARGE INVALID_FRAME SCHEMA_VIOLATION UNEXPECTED_STATE_TRANSITION \
               UNKNOWN_INVOCATION_ID UNKNOWN_QUEUE already_connected invalid_token manifest_hash_mismatch \
               pack_id_mismatch unpaired unsupported_mpp_version";
    assert_eq!(codes.into_iter().collect::<Vec<_>>().join(" "), all);
}

/// A hello is judged before it is sent as well, by whoever writes one: its refusals with tokens of ours.
#[test]
fn each_refusal_of_a_hello_is_read_as_it_was_foreseen() {
    let looked = Looked::open("", true);
    let pack = rl_console::mpp::manifest::Pack::sample();
    let hello = |mpp: u8, pack_id: &str, hash: &str, token: &str| {
        format!(
            r#"{{"mpp":{mpp},"type":"hello","pack_id":"{pack_id}","manifest_hash":"{hash}","bridge_token":"{token}"}}"#
        )
    };
    let (id, hash, token) = (pack.id.as_str(), pack.hash.as_str(), looked.token.as_str());
    let adapter = ready(&looked);
    for (line, code) in [
        (hello(1, id, hash, token), "unsupported_mpp_version"),
        (hello(2, id, hash, "guessed"), "invalid_token"),
        (hello(2, "another", hash, token), "pack_id_mismatch"),
        (hello(2, id, "sha256:0", token), "manifest_hash_mismatch"),
        (hello(2, id, hash, token), "already_connected"),
    ] {
        let door = DoorSpec::Adapter { hello: false };
        let expected = looked.judge(door, format!("{line}\n").as_bytes());
        assert_eq!(expected.code.as_deref(), Some(code));
        let mut client = Adapter::connect(looked.station.mpp);
        client.send(&line).unwrap();
        let read: String = std::iter::from_fn(|| client.line()).collect();
        let answers: Vec<u8> = expected.answers.iter().flat_map(hex).collect();
        assert_eq!(read, String::from_utf8(answers).unwrap(), "{code}, and then its end");
    }
    drop(adapter);
}
