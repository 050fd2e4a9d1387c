//! A token of the station is shown to nobody, wherever a peer says it (DESIGN 4).

use std::{
    collections::HashSet,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpStream},
    os::unix::net::UnixStream,
    path::Path,
};

use prost_reflect::{DescriptorPool, DynamicMessage, Value as Field};
use rl_console::{
    ids::TraceId,
    limits,
    macp::proto::v1::{
        CancelSessionRequest, Envelope, InitializeRequest, SendRequest, SessionStartPayload,
        macp_runtime_service_client::MacpRuntimeServiceClient,
    },
    mpp::{self, manifest::Pack},
    port::{Command, Operator as _, Outcome, Page},
    recording::{RecordedItem, read},
    station::{
        Address, OperatorClient,
        bus::{TokenKind, token},
        pairing,
    },
    tap::{
        Draft, Tap,
        recorded::{DESCRIPTOR, ENTRY_MESSAGE, decode, encode},
    },
};
use serde_json::json;
use sha2::{Digest as _, Sha256};

mod questions;

use crate::{
    fixtures,
    real::{self, Station},
    rmp_bus::{Bus, Peer, frames},
};

use questions::{kind_of, questions};

const TOKEN: &str = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ";

/// Fields that hold one of a set of names.
const NAMES: [&str; 3] = ["refusal", "refused", "field"];

/// Puts the token into every text that is no address, no id and no name; how many there were.
fn say_token(value: &mut Field) -> usize {
    match value {
        Field::String(text) => {
            let has_form = text.parse::<SocketAddr>().is_ok() || text.parse::<TraceId>().is_ok();
            if !has_form {
                *text = format!("a {TOKEN}!");
            }
            usize::from(!has_form)
        }
        Field::Message(message) => {
            let texts = message.fields_mut().filter(|(field, _)| !NAMES.contains(&field.name()));
            texts.map(|(_, value)| say_token(value)).sum()
        }
        Field::List(values) => values.iter_mut().map(say_token).sum(),
        _ => 0,
    }
}

#[test]
fn a_token_in_any_text_of_any_entry_is_masked() {
    let pool = DescriptorPool::decode(DESCRIPTOR).unwrap();
    let form = pool.get_message_by_name(ENTRY_MESSAGE).unwrap();
    let tap = Tap::new(limits::Tap::default());
    tap.mask_token("operator", Sha256::digest(TOKEN).into());
    let mut reader = tap.reader().unwrap();
    let mut said = 0;
    for entry in fixtures::entries() {
        let recorded = encode(entry.as_ref());
        let mut message = Field::Message(DynamicMessage::decode(form.clone(), &recorded[..]).unwrap());
        said += say_token(&mut message);
        let Field::Message(message) = message else { unreachable!() };
        let poisoned = decode(&prost::Message::encode_to_vec(&message)).unwrap().entry;
        let rl_console::tap::entry::Entry { at, link, trace, cause, what, .. } = poisoned;
        tap.emit(Draft { at, link, trace, cause, what, bytes: format!("b\0{TOKEN}").as_bytes() });
    }
    assert!(said > 100, "{said}");
    let mut told = 0;
    while let Some(batch) = reader.read() {
        for entry in batch.iter() {
            told += 1;
            let shown = format!("{:?} {}", entry.entry, String::from_utf8_lossy(entry.bytes));
            assert!(!shown.contains(TOKEN), "{shown}");
            assert!(!format!("{:?}", encode(entry)).contains(&format!("{:?}", TOKEN.as_bytes())));
        }
    }
    assert_eq!(told, fixtures::entries().len());
}

/// An adapter that says the tokens in all that it may say.
fn say_on_mpp(addr: SocketAddr, bridge_token: &str, token: &str) {
    let pack = Pack::sample();
    let mut stream = TcpStream::connect(addr).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let hello = format!(
        r#"{{"mpp":2,"type":"hello","pack_id":"{}","manifest_hash":"{}","bridge_token":"{bridge_token}","x":"{token}","{token}":1}}"#,
        pack.id, pack.hash
    );
    writeln!(stream, "{hello}").unwrap();
    assert!(lines.next().unwrap().unwrap().contains(r#""ok":true"#));
    for frame in [
        r#""type":"log","level":"info","message":"my token is: TOKEN\nTOKEN""#,
        r#""type":"log","level":"TOKEN","message":"x""#,
        r#""type":"TOKEN""#,
        r#""TOKEN":1"#,
    ] {
        writeln!(stream, "{{\"mpp\":2,{}}}", frame.replace("TOKEN", token)).unwrap();
    }
    // Refused frames close the connection.
    for line in lines {
        if line.is_err() {
            break;
        }
    }
    for frame in [
        r#""type":"pull","queue":"TOKEN""#,
        r#""type":"state_write","key":"TOKEN","value":"TOKEN""#,
        r#""type":"failed","id":1,"reason":"TOKEN","refund":false"#,
        r#""type":"protocol_error","code":"TOKEN","message":"TOKEN""#,
    ] {
        let mut stream = TcpStream::connect(addr).unwrap();
        writeln!(stream, "{hello}").unwrap();
        writeln!(stream, "{{\"mpp\":2,{}}}", frame.replace("TOKEN", token)).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        BufReader::new(stream).lines().for_each(drop);
    }
    let mut stranger = TcpStream::connect(addr).unwrap();
    writeln!(stranger, "{token}").unwrap();
    stranger.shutdown(std::net::Shutdown::Write).unwrap();
    BufReader::new(stranger).lines().for_each(drop);
}

/// An agent that says the token in all that it may say on the bus, runs included.
fn say_on_bus(path: &Path, number: u8, token: &str) {
    let _named = Peer::greeted_as(path, token, "agent", None);
    let mut peer = Peer::greeted(path, "agent", None);
    for (name, field) in [("Subscribe", "topic"), ("Publish", "topic"), ("Other", "x")] {
        let fields = vec![("sub", 3.into()), ("ack", true.into()), (field, token.into())];
        peer.say(name, fields);
    }
    peer.send(&frames::message(1, token));
    for topic in ["chat", token] {
        peer.publish(topic, true, &frames::message(2, token));
        let header =
            frames::Header { schema_id: 1, created_at_ms: 1, ttl_ms: u64::MAX - 2, trace_id: 5, msg_id: 3 };
        let body = frames::body(&format!("observation.{token}.v1"), frames::map(vec![(token, 1.into())]));
        peer.publish(topic, true, &frames::frame(header, &body));
    }
    let yaml = format!(
        "runloop: 0\nname: {token}\nnodes:\n  - id: {token}\n    use: agent:{token}\n    with: {{{token}: {token}}}\nsuccess: {{all_of: []}}\n"
    );
    // One that is refused, and one that asks a person.
    let valid = format!(
        "# {token}\nversion: 0\nname: asks\nnodes: [{{id: a, use: agent:echo, with: {{text: \"{token}\", require_human_confirm: true}}}}]\nedges: []\n"
    );
    for (at, yaml) in [(7, yaml), (8, valid)] {
        let id = u64::from(number) * 16 + at;
        let request = frames::map(vec![(
            "RunSubmit",
            frames::map(vec![
                ("request_id", rmpv::Value::Binary(u128::from(id).to_be_bytes().to_vec())),
                ("opening_yaml", yaml.as_str().into()),
                ("meta", frames::map(vec![(token, token.into())])),
            ]),
        )]);
        let header = frames::Header {
            schema_id: 2001,
            created_at_ms: 1,
            ttl_ms: u64::MAX - 2,
            trace_id: u128::from(id),
            msg_id: id,
        };
        let body = frames::body("intent.ctrl.request.v1", request);
        peer.publish("rlp/ctrl", true, &frames::frame(header, &body));
    }
    say_as_json(path, token);
    peer.say("Ping", Vec::new());
    loop {
        let frame = peer.hear();
        if frame.schema_id() == 9 && frame.name() == "Pong" {
            break;
        }
    }
}

/// A tool that says the token in all that JSON has, a message's bytes as numbers too.
fn say_as_json(path: &Path, token: &str) {
    let mut stream = UnixStream::connect(path).unwrap();
    let message = frames::message(1, token);
    let body = &message[68..];
    let header = json!({
        "header_version": 0, "header_len": 64, "flags": 0, "schema_id": 1, "body_len": body.len(),
        "created_at_ms": 1, "ttl_ms": u64::MAX - 2, "trace_id": 5, "msg_id": 1,
    });
    let message = json!({ "header": header, "body": body });
    let units = [
        json!({ "Hello": { "kind": "Agent" } }),
        json!({ "Subscribe": { "id": 1, "topic": token, "sub_id": 1 } }),
        json!({ "Subscribe": { "id": 2, "topic": "chat", "sub_id": 2 } }),
        json!({ "Publish": { "id": 3, "topic": "chat", "message": message } }),
        json!({ token: { "x": token.as_bytes() } }),
    ];
    for unit in units {
        let unit = unit.to_string();
        stream.write_all(&u32::try_from(unit.len()).unwrap().to_be_bytes()).unwrap();
        stream.write_all(unit.as_bytes()).unwrap();
    }
    // It is answered, and closed for what it said last.
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    drop(std::io::copy(&mut stream, &mut std::io::sink()));
}

/// An agent that says the token in all that it may say to the runtime.
async fn say_on_macp(addr: SocketAddr, token: &str) {
    let endpoint = tonic::transport::Endpoint::new(format!("http://{addr}")).unwrap();
    let mut client = MacpRuntimeServiceClient::new(endpoint.connect().await.unwrap());
    let mut introduction = InitializeRequest {
        supported_protocol_versions: vec!["1.0".to_owned(), token.to_owned()],
        ..InitializeRequest::default()
    };
    token.clone_into(&mut introduction.client_info.get_or_insert_default().name);
    client.initialize(introduction).await.unwrap();
    let start = SessionStartPayload {
        participants: vec![token.to_owned()],
        intent: token.to_owned(),
        ..SessionStartPayload::default()
    };
    let said = |message_type: &str, payload: String| (message_type.to_owned(), payload.into_bytes());
    let messages = [
        ("SessionStart".to_owned(), prost::Message::encode_to_vec(&start)),
        said("Proposal", format!(r#"{{"proposal_id":"{token}","option":"{token}"}}"#)),
        said(
            "Evaluation",
            format!(
                r#"{{"proposal_id":"{token}","recommendation":"{token}","confidence":1.0,"reason":"{token}"}}"#
            ),
        ),
        said("Vote", format!(r#"{{"proposal_id":"{token}","vote":"{token}"}}"#)),
        said(token, token.to_owned()),
    ];
    for (message_type, payload) in messages {
        let envelope = Envelope {
            macp_version: "1.0".to_owned(),
            message_type: message_type.clone(),
            message_id: if message_type == "Vote" {
                token.to_owned()
            } else {
                format!("{token}.{message_type}")
            },
            session_id: token.to_owned(),
            sender: token.to_owned(),
            payload: payload.into(),
            ..Envelope::default()
        };
        client.send(SendRequest { envelope: Some(envelope) }).await.unwrap();
    }
    let cancel = CancelSessionRequest { session_id: token.to_owned(), reason: token.to_owned() };
    client.cancel_session(cancel).await.unwrap();
}

/// Whether bytes hold any of the tokens, or half of one, as text or as numbers.
fn shows(bytes: &[u8], tokens: &[String]) -> bool {
    tokens.iter().any(|token| {
        let half = &token.as_bytes()[..22];
        let numbers = half.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        [half, numbers.as_bytes()].iter().any(|said| memchr::memmem::find(bytes, said).is_some())
    })
}

/// Asks all that may be asked, as a viewer.
async fn ask_as_viewer(bus: &Bus, tokens: &[String]) {
    let port = bus.station.as_ref().unwrap().port();
    let Page::Runs { rows, .. } =
        port.query(serde_json::from_value(json!({ "runs": { "limit": 999 } })).unwrap()).await.unwrap()
    else {
        unreachable!()
    };
    let runs: Vec<TraceId> = rows.iter().map(|row| row.run).collect();
    assert_eq!(runs.len(), tokens.len());
    let traces = [5, 7, 8].map(|number| TraceId(uuid::Uuid::from_u128(number)));
    let (questions, kinds) = questions(tokens, &runs, &[&traces, &runs[..]].concat());
    assert_eq!(questions.iter().map(kind_of).max(), Some(kinds));
    let address = Address::of_data(bus.folder.path()).unwrap();
    let address = address.with_token_of(&bus.folder.path().join(TokenKind::Viewer.file())).unwrap();
    let viewer = OperatorClient::connect_to(&address, &limits::Limits::default()).await.unwrap();
    let (mut masked, mut refused) = (HashSet::new(), Vec::new());
    for question in questions {
        let kind = kind_of(&question);
        match viewer.query(question.clone()).await {
            Ok(page) => {
                let shown = match page {
                    Page::Entries(page) => String::from_utf8_lossy(&page.entries.0).into_owned(),
                    Page::Keyframe(page) => page
                        .map_or_else(String::new, |page| String::from_utf8_lossy(&page.part.0).into_owned()),
                    page => format!("{page:?}"),
                };
                assert!(!shows(shown.as_bytes(), tokens), "{shown}");
                if shown.contains(&"*".repeat(43)) {
                    masked.insert(kind);
                }
            }
            Err(error) => {
                let shown = format!("{error:?} {error}");
                assert!(!shows(shown.as_bytes(), tokens), "{shown}");
                refused.push(shown);
            }
        }
    }
    assert!(masked.len() >= 6, "{masked:?} {refused:?}");
}

#[test]
fn a_token_said_on_any_link_reaches_no_reader_no_viewer_and_no_recording() {
    let bus = Bus::open();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let station = bus.station.as_ref().unwrap();
    let (port, addrs) = (station.port(), runtime.block_on(station.ready()).unwrap());
    let bridge_token = pairing::pair(bus.folder.path(), false).unwrap();
    let command = |command| runtime.block_on(port.command(command)).unwrap();
    command(Command::Mpp(mpp::Command::Pair { token_sha256: bridge_token.sha256() }));
    let mut tokens: Vec<String> = TokenKind::ALL.map(|kind| bus.token(kind)).into();
    tokens.push(bridge_token.reveal().to_owned());

    let mut reader = port.entries().unwrap();
    let mut viewer = Peer::greeted(&bus.path(), "viewer", Some(&bus.token(TokenKind::Viewer)));
    viewer.subscribe(1, "**");
    // In the snapshot that it begins with.
    let _named = Peer::greeted_as(&bus.path(), &tokens[0], "agent", None);
    let Outcome::Recording { path } =
        command(Command::RecordStart { path: None, preroll_s: Some(0), whole: false })
    else {
        unreachable!()
    };
    for (number, token) in (1..).zip(&tokens) {
        say_on_mpp(*addrs.mpp.as_ref().unwrap(), bridge_token.reveal(), token);
        say_on_bus(&bus.path(), number, token);
        runtime.block_on(say_on_macp(*addrs.macp.as_ref().unwrap(), token));
    }
    runtime.block_on(ask_as_viewer(&bus, &tokens));
    // Behind all that was said.
    bus.agent().publish("the/end", true, &frames::message(1, "over"));

    let (mut said, mut is_over) = (0, false);
    while !is_over {
        runtime.block_on(reader.ready());
        while let Some(batch) = reader.read() {
            assert_eq!(batch.lost, 0);
            for entry in batch.iter() {
                let shown = format!("{:?} {}", entry.entry, entry.text());
                assert!(!shows(shown.as_bytes(), &tokens) && !shows(entry.bytes, &tokens), "{shown}");
                said += usize::from(shown.contains(&"*".repeat(43)));
                is_over |= shown.contains("the/end") && shown.contains("over");
            }
        }
    }
    assert!(said > 100, "{said}");
    command(Command::RecordStop);
    for recorded in read(&path).unwrap() {
        let bytes = match recorded.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => bytes,
            RecordedItem::Entry(entry) => encode(entry.as_ref()),
        };
        assert!(!shows(&bytes, &tokens));
    }
    let (mut topics, mut is_over) = (0, false);
    while !is_over {
        let deliver = viewer.hear();
        if deliver.name() != "Deliver" {
            continue;
        }
        let (topic, frame) = (deliver.text("topic"), viewer.hear());
        if topic == "rlp/sys/tap" {
            assert!(!shows(&frame.wire, &tokens));
            is_over = memchr::memmem::find(&frame.wire, b"the/end").is_some();
            topics += 1;
        }
    }
    assert!(topics > 0);
}

#[test]
fn a_token_said_on_any_link_is_not_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let bridge_token = real::pair(&data);
    let all = ["sh", "-c", "RL_CONSOLE_LOG=trace exec \"$0\" \"$@\""];
    let station = Station::start_by(&data, &all, &[]);
    let mut tokens: Vec<String> = TokenKind::ALL.map(|kind| token(&data, kind).unwrap()).into();
    tokens.push(bridge_token.clone());
    let macp = station.ready["macp"].as_str().unwrap().parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (number, token) in (1..).zip(&tokens) {
        say_on_mpp(station.mpp, &bridge_token, token);
        say_on_bus(&data.join("rmp.sock"), number, token);
        runtime.block_on(say_on_macp(macp, token));
    }
    station.terminate();
    let mut bytes = 0;
    for file in std::fs::read_dir(data.join("home/state/rl-console/log")).unwrap() {
        let log = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!shows(&log, &tokens), "{}", String::from_utf8_lossy(&log));
        bytes += log.len();
    }
    assert!(bytes > 0);
}
