//! Answers of the coordination runtime, and the statuses that its calls end with.

use std::{collections::BTreeSet, net::SocketAddr};

use prost::Message as _;
use rl_console::{
    macp::{
        Rpc,
        proto::v1::{CancelSessionResponse, GetSessionResponse, SendResponse, StreamSessionResponse},
    },
    port::{DoorSpec, Present},
};
use serde_json::Value;

use super::twins::{Sent, Twins};
use crate::{
    macp::raw,
    snippets::sent::{name, needs, of_link, were_all_sent},
};

fn rpc(sent: &Sent) -> Rpc {
    let DoorSpec::Call { rpc } = DoorSpec::of_captured(&sent.frame, "test", Present::default()).0 else {
        panic!("a call")
    };
    rpc
}

/// A request as long as it was sent, of which the tap has the beginning where it is too long: such a one ends
/// in one letter, again and again, and is judged by its length.
fn request(sent: &Sent) -> Vec<u8> {
    let mut bytes = sent.kept.clone();
    let last = bytes.last().copied().unwrap_or_default();
    bytes.resize(usize::try_from(sent.row["bytes"].as_u64().unwrap()).unwrap(), last);
    bytes
}

/// An answer without its moments.
fn steady(rpc: Rpc, answer: &[u8]) -> Vec<u8> {
    match rpc {
        Rpc::Send => {
            let mut answer = SendResponse::decode(answer).unwrap();
            answer.ack.as_mut().unwrap().accepted_at_unix_ms = 0;
            answer.encode_to_vec()
        }
        Rpc::StreamSession => {
            let mut answer = StreamSessionResponse::decode(answer).unwrap();
            answer.envelope.as_mut().unwrap().timestamp_unix_ms = 0;
            answer.encode_to_vec()
        }
        Rpc::GetSession => {
            let mut answer = GetSessionResponse::decode(answer).unwrap();
            let session = answer.metadata.as_mut().unwrap();
            session.expires_at_unix_ms -= session.started_at_unix_ms;
            session.started_at_unix_ms = 0;
            answer.encode_to_vec()
        }
        Rpc::CancelSession => {
            let mut answer = CancelSessionResponse::decode(answer).unwrap();
            answer.ack.as_mut().unwrap().accepted_at_unix_ms = 0;
            answer.encode_to_vec()
        }
        _ => answer.to_vec(),
    }
}

/// What goes to the runtime is sent to the other one as well, and answered alike.
fn answered(twins: &Twins, row: &Value) -> Vec<Sent> {
    let addr: SocketAddr = twins.plain.station.ready["macp"].as_str().unwrap().parse().unwrap();
    let sent = twins.doors.sent(row, &[]);
    for frame in &sent {
        let rpc = rpc(frame);
        let read = twins.plain.runtime.block_on(raw::call(addr, rpc, request(frame)));
        match (read, &frame.foreseen.ends) {
            (Ok(answer), None) => {
                let [found] = &frame.answers[..] else { panic!("{}: {:#}", name(row), frame.row) };
                assert_eq!(steady(rpc, &answer), steady(rpc, found), "{}: {:#}", name(row), frame.row);
                assert!(frame.agrees(|answer| steady(rpc, answer)), "{} is foreseen", name(row));
            }
            (Err(status), Some(ends)) => {
                let code = format!("{:?}", status.code()).to_uppercase();
                let (foreseen, why) = ends.split_once(": ").unwrap();
                assert_eq!((code, status.message()), (foreseen.replace('_', ""), why), "{}", name(row));
                // A status has no bytes in the tap, but its name.
                assert!(frame.answers.iter().all(Vec::is_empty), "{}: {:#}", name(row), frame.row);
                assert_eq!(frame.row["code"], foreseen, "{}: {:#}", name(row), frame.row);
            }
            (read, _) => panic!("{}: {read:?}, {:#}", name(row), frame.row),
        }
    }
    sent
}

#[test]
fn each_answer_of_the_runtime_is_read_as_it_was_foreseen() {
    let twins = Twins::open("", true);
    let rows = of_link(twins.doors.data(), "macp");
    let (mut read, mut codes) = (BTreeSet::new(), BTreeSet::new());
    // What needs a session comes after the one that begins it.
    let (later, first): (Vec<_>, Vec<_>) = rows.iter().partition(|row| needs(row, "session"));
    let rows_that_are_foreseen = first.into_iter().chain(later).filter(|row| !needs(row, "failing_store"));
    for row in rows_that_are_foreseen {
        codes.extend(answered(&twins, row).into_iter().filter_map(|frame| frame.foreseen.code));
        read.insert(name(row).to_owned());
    }
    were_all_sent(&rows, &read, &[("macp/unavailable", "that the store fails is not foreseen")]);
    let all = "DuplicateSession INTERNAL INVALID_ARGUMENT InvalidEnvelope InvalidMacpVersion InvalidPayload \
               InvalidTtl NOT_FOUND PayloadTooLarge RESOURCE_EXHAUSTED SessionNotOpen TtlExpired \
               UNIMPLEMENTED UnknownMode UnknownSession";
    assert_eq!(codes.into_iter().collect::<Vec<_>>().join(" "), all);
}
