//! What a client of its own reads as the answer to a snippet's frames is, byte for byte, what was foreseen of
//! them and what the tap told.

use std::{collections::BTreeSet, io::Read as _, path::Path};

use prost::Message as _;
use rl_console::{
    ids::Seq,
    macp::proto::v1::{SendRequest, SendResponse, macp_runtime_service_client::MacpRuntimeServiceClient},
    port::{DoorSpec, JudgedRow, Operator as _, Page, PageBytes, Query, Stand, whole_frame, wire},
    rmp::{Dialect, json::unhex},
    station::OperatorClient,
    tap::entry::{Frame, Redaction},
};
use serde_json::Value;
use tokio::runtime::Runtime;
use tonic::transport::Endpoint;

use super::sent::{name, needs, of_link};
use crate::{
    real::{Adapter, Station, pair},
    rmp_bus::{Peer, frames},
    runs_cli::{output, rows},
};

/// A station, and an operator who looks into its tap.
struct Looked {
    folder: tempfile::TempDir,
    token: String,
    station: Station,
    runtime: Runtime,
    operator: OperatorClient,
}

impl Looked {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let token = pair(folder.path());
        let station = Station::start(folder.path());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let operator = runtime.block_on(OperatorClient::connect(folder.path())).unwrap();
        Self { folder, token, station, runtime, operator }
    }

    fn data(&self) -> &Path {
        self.folder.path()
    }

    /// The frames of a snippet as they were sent through its door, each with its bytes and what was foreseen;
    /// none where the tap has not all of one.
    fn sent(&self, row: &Value) -> Option<Vec<(Frame, Vec<u8>, Value)>> {
        let link = row["link"].as_str().unwrap();
        let args = ["--json", "inject", link, "--snippet", name(row), "--wait-ms", "5000"];
        let sent = rows(&output(self.data(), &args, "").stdout);
        sent.into_iter()
            .map(|sent| {
                let (frame, bytes) = self.captured(sent["seq"].as_u64()?)?;
                Some((frame, bytes, sent["foreseen"].clone()))
            })
            .collect()
    }

    /// A frame of the tap, whole and with nothing masked.
    fn captured(&self, seq: u64) -> Option<(Frame, Vec<u8>)> {
        let query = Query::Entries { before: Some(Seq(seq + 1)), after: Seq(seq - 1), limit: 1 };
        let Page::Entries(page) = self.runtime.block_on(self.operator.query(query)).unwrap() else {
            panic!("no entries")
        };
        let found = wire::entries(&page.entries.0).next().unwrap().unwrap();
        let frame = whole_frame(found.as_ref()).ok()?.clone();
        (frame.redaction == Redaction::None).then_some((frame, found.bytes))
    }

    /// What the core would make of it from a newcomer.
    fn judge(&self, door: DoorSpec, bytes: &[u8]) -> JudgedRow {
        let stand = Stand::New(door);
        let query = Query::Judge { stand, bytes: PageBytes(bytes.to_vec()) };
        match self.runtime.block_on(self.operator.query(query)).unwrap() {
            Page::Judged(row) => *row,
            other => panic!("{other:?}"),
        }
    }
}

fn foreseen(value: &Value) -> JudgedRow {
    serde_json::from_value(value.clone()).unwrap()
}

fn hex(answer: &rl_console::port::AnswerRow) -> Vec<u8> {
    unhex(&answer.hex).unwrap()
}

/// What the moment of an answer follows in its text.
const NOW: &[u8] = b"the time is ";

/// A frame of the bus without its moment, its trace and its number.
fn steady(wire: &[u8]) -> Vec<u8> {
    let mut wire = wire.to_vec();
    if let Some(at) = memchr::memmem::find(&wire, NOW) {
        let digits = wire[at + NOW.len()..].iter_mut().take_while(|byte| byte.is_ascii_digit());
        digits.for_each(|digit| *digit = b'0');
    }
    let ranges = [24..32, 40..56, 56..64];
    for range in ranges {
        wire[range].fill(0);
    }
    wire
}

#[test]
fn each_answer_of_the_bus_is_read_as_it_was_foreseen() {
    let looked = Looked::open();
    let path = looked.station.ready["rmp"].as_str().unwrap().to_owned();
    let mut codes = BTreeSet::new();
    for row in of_link(looked.data(), "rmp") {
        let is_own = matches!(row["door"].as_str(), Some("peer" | "none")) && !needs(&row, "full_bus");
        let Some(sent) = Some(&row).filter(|_| is_own).and_then(|row| looked.sent(row)) else { continue };
        let mut client = match row["door"].as_str() {
            Some("peer") => Peer::greeted(Path::new(&path), "agent", None),
            _ => Peer::connect(Path::new(&path)),
        };
        for (_, bytes, expected) in &sent {
            let expected = foreseen(expected);
            client.send(bytes);
            for answer in &expected.answers {
                let read = client.hear();
                if read.name() == "Welcome" {
                    // Its session has another number.
                    continue;
                }
                assert_eq!(steady(&read.wire), steady(&hex(answer)), "{}: {read:?}", name(&row));
            }
            if expected.ends.is_some() {
                assert!(client.try_hear().is_none(), "{} ends it", name(&row));
            }
            codes.extend(expected.code);
        }
    }
    // Before a hello the tap withholds what comes, so it is looked at here.
    let ping = frames::control(1, "Ping", Vec::new());
    let door = DoorSpec::Peer { dialect: Dialect::Frames, kind: None, client: String::new() };
    let expected = looked.judge(door, &ping);
    let mut client = Peer::connect(Path::new(&path));
    client.send(&ping);
    assert_eq!(steady(&client.hear().wire), steady(&hex(&expected.answers[0])));
    codes.extend(expected.code);
    let all = "BodyDecodeError BodyTooLarge BodyTypeMismatch Expired Forbidden InvalidExpiry \
               InvalidHeaderFlags InvalidMagic InvalidTopic InvalidTtl LengthMismatch NotSubscribed \
               TruncatedHeader Unauthorized UnknownSchema UnsupportedVersion";
    assert_eq!(codes.into_iter().collect::<Vec<_>>().join(" "), all);
}

#[test]
fn each_answer_of_the_bridge_is_read_as_it_was_foreseen() {
    let looked = Looked::open();
    let mut codes = BTreeSet::new();
    for row in of_link(looked.data(), "mpp") {
        let is_own = matches!(row["door"].as_str(), Some("adapter" | "none"))
            && !["adapter", "row_waiting", "unpaired"].iter().any(|stage| needs(&row, stage))
            && name(&row) != "mpp/too-slow";
        let Some(sent) = Some(&row).filter(|_| is_own).and_then(|row| looked.sent(row)) else { continue };
        let mut client = match row["door"].as_str() {
            Some("adapter") => Adapter::ready(looked.station.mpp, &looked.token),
            _ => Adapter::connect(looked.station.mpp),
        };
        for (_, bytes, expected) in &sent {
            let expected = foreseen(expected);
            std::io::Write::write_all(&mut client.socket(), bytes).unwrap();
            for answer in &expected.answers {
                let mut read = vec![0; hex(answer).len()];
                let whole = client.socket().read_exact(&mut read);
                assert!(whole.is_ok(), "{}: {whole:?} {}", name(&row), String::from_utf8_lossy(&read));
                assert_eq!(String::from_utf8(read), String::from_utf8(hex(answer)), "{}", name(&row));
            }
            if expected.ends.is_some() {
                assert!(client.receive().is_none(), "{} ends it", name(&row));
            }
            codes.extend(expected.code);
        }
        drop(client);
        let gone = || crate::real::json(looked.data(), &["ls", "adapters"]).is_empty().then_some(());
        crate::real::plugins::until(|| format!("the adapter after {} stays", name(&row)), gone);
    }
    let all = "FRAME_TOO_LARGE INVALID_FRAME SCHEMA_VIOLATION UNKNOWN_INVOCATION_ID UNKNOWN_QUEUE";
    assert_eq!(codes.into_iter().collect::<Vec<_>>().join(" "), all);
}

/// A hello is masked in the tap: its refusals are looked at here, with tokens that are told.
#[test]
fn each_refusal_of_a_hello_is_read_as_it_was_foreseen() {
    let looked = Looked::open();
    let pack = rl_console::mpp::manifest::Pack::sample();
    let hello = |mpp: u8, pack_id: &str, hash: &str, token: &str| {
        format!(
            r#"{{"mpp":{mpp},"type":"hello","pack_id":"{pack_id}","manifest_hash":"{hash}","bridge_token":"{token}"}}"#
        )
    };
    let (id, hash, token) = (pack.id.as_str(), pack.hash.as_str(), looked.token.as_str());
    let adapter = Adapter::ready(looked.station.mpp, token);
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
        let mut read = String::new();
        client.socket().read_to_string(&mut read).unwrap();
        let answers: Vec<u8> = expected.answers.iter().flat_map(hex).collect();
        assert_eq!(read, String::from_utf8(answers).unwrap(), "{code}, and then its end");
    }
    drop(adapter);
}

#[test]
fn each_acknowledgement_of_the_runtime_is_read_as_it_was_foreseen() {
    let looked = Looked::open();
    let url = format!("http://{}", looked.station.ready["macp"].as_str().unwrap());
    let channel = looked.runtime.block_on(Endpoint::new(url).unwrap().connect()).unwrap();
    let mut client = MacpRuntimeServiceClient::new(channel);
    let mut codes = BTreeSet::new();
    for row in of_link(looked.data(), "macp") {
        for (frame, bytes, _) in looked.sent(&row).unwrap_or_default() {
            let door = DoorSpec::of_captured(&frame, "test").0;
            let DoorSpec::Call { rpc } = &door else { panic!("a call") };
            let Some(request) = SendRequest::decode(&*bytes).ok().filter(|_| rpc.name() == "Send") else {
                continue;
            };
            // It was sent before: what is foreseen is of the second time.
            let expected = looked.judge(door, &bytes);
            let read = looked.runtime.block_on(client.send(request));
            match read {
                Ok(read) => {
                    let mut read = read.into_inner();
                    let mut answer = SendResponse::decode(&*hex(&expected.answers[0])).unwrap();
                    for ack in [&mut read, &mut answer].map(|it| it.ack.as_mut().unwrap()) {
                        ack.accepted_at_unix_ms = 0;
                    }
                    assert_eq!(read, answer, "{}", name(&row));
                }
                Err(status) => assert!(expected.ends.is_some(), "{}: {status}, {expected:?}", name(&row)),
            }
            codes.extend(expected.code);
        }
    }
    let all = "DuplicateSession InvalidEnvelope InvalidMacpVersion InvalidPayload InvalidTtl \
               SessionNotOpen UnknownMode UnknownSession";
    assert_eq!(codes.into_iter().collect::<Vec<_>>().join(" "), all);
}
