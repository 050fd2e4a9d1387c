//! Frames, texts and snapshots: nothing is left of what a rule names, and all can be read as before.

use proptest::prelude::*;
use prost::Message as _;
use rmpv::Value;

use super::{
    encoding::Encoding,
    known::Known,
    quotes::{self, Within},
    redactor::Redactor,
    rule::{RULES_MAX, RedactRules},
};
use crate::{
    ids::{PluginId, Seq},
    macp, mpp, plugin, rmp,
    tap::{
        EntryRef,
        entry::{
            Direction, Entry, Frame, Head, Link, Redaction, Transition, Verdict, What,
            gate::{Intercepted, Passed, Passing},
            station,
        },
        recorded::{self, OwnedEntry, wire},
    },
    time::Now,
};

const USER: &str = "alice_77";

pub(super) fn redactor(rules: &[&str]) -> Redactor {
    let rules: Vec<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
    Redactor::new(RedactRules::parse(&rules).unwrap())
}

pub(super) fn entry(link: Link, what: What, bytes: &[u8]) -> OwnedEntry {
    let entry = Entry { seq: Seq(7), at: Now::at_ms(3), link, trace: None, cause: None, what };
    OwnedEntry { entry, bytes: bytes.to_vec() }
}

pub(super) fn frame(head: Head, wire_bytes: usize) -> Frame {
    Frame {
        direction: Direction::Outbound,
        peer: "127.0.0.1:5".into(),
        head,
        verdict: Verdict::Sent,
        wire_bytes: u32::try_from(wire_bytes).unwrap(),
        redaction: Redaction::None,
        origin: None,
    }
}

pub(super) fn give_item_head() -> Head {
    let (kind, event) = (Some(mpp::FrameType::Invocation), Some("give_item".into()));
    Head::Mpp(mpp::Head { kind, event, ..mpp::Head::default() })
}

pub(super) fn of_mpp(line: &str) -> OwnedEntry {
    entry(Link::Mpp, What::Frame(frame(give_item_head(), line.len())), line.as_bytes())
}

pub(super) fn message(topic: &str, schema_id: Option<u16>, bytes: &[u8]) -> OwnedEntry {
    let head = rmp::Head { topic: Some(topic.into()), schema_id, ..rmp::Head::default() };
    entry(Link::Rmp, What::Frame(frame(Head::Rmp(head), bytes.len())), bytes)
}

pub(super) fn station_says(text: &str) -> OwnedEntry {
    let transition = station::Transition::Notice { level: station::Level::Info };
    entry(Link::Station, What::Transition(Transition::Station(transition)), text.as_bytes())
}

/// A unit of the bus with this body.
pub(super) fn unit(body: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    let body: Value = serde_json::from_str(body).unwrap();
    rmpv::encode::write_value(&mut packed, &body).unwrap();
    let len = u32::try_from(64 + packed.len()).unwrap();
    let mut unit = [&len.to_be_bytes()[..], &[0; 64]].concat();
    unit[20..24].copy_from_slice(&u32::try_from(packed.len()).unwrap().to_be_bytes());
    unit.extend(packed);
    unit
}

/// A control frame of the bus.
pub(super) fn control(body: &str) -> Vec<u8> {
    let mut unit = unit(body);
    unit[16..18].copy_from_slice(&rmp::SchemaId::CONTROL.0.to_be_bytes());
    unit
}

pub(super) fn body_of(unit: &[u8]) -> Value {
    rmpv::decode::read_value(&mut &unit[68..]).unwrap()
}

/// What a recording has of entries, each read again.
pub(super) fn recorded(redactor: &mut Redactor, entries: &[OwnedEntry]) -> Vec<OwnedEntry> {
    let refs: Vec<EntryRef<'_>> = entries.iter().map(OwnedEntry::as_ref).collect();
    let all = redactor.entries(&refs);
    let read: Vec<_> = all.iter().map(|bytes| recorded::decode(bytes).unwrap()).collect();
    for (before, after) in entries.iter().zip(&read) {
        assert_eq!(before.bytes.len(), after.bytes.len());
    }
    read
}

pub(super) fn shows(bytes: &[u8], text: &str) -> bool {
    memchr::memmem::find(bytes, text.as_bytes()).is_some()
}

#[track_caller]
pub(super) fn hides(all: &[OwnedEntry], text: &str) {
    for one in all {
        let encoded = recorded::encode(one.as_ref());
        assert!(!shows(&encoded, text), "{one:?} {}", String::from_utf8_lossy(&one.bytes));
    }
}

pub(super) fn text(of: &OwnedEntry) -> String {
    String::from_utf8_lossy(&of.bytes).into_owned()
}

#[test]
fn the_param_of_an_invocation_is_masked_and_all_that_quotes_it() {
    let line = r#"{"mpp":2,"type":"invocation","id":1,"queue":"default","event":"give_item","params":{"count":1,"user":"alice_77"}}"#;
    let applied = r#"{"mpp":2,"type":"applied","id":1,"result":{"for":"al\u0069ce_77"}}"#;
    let command =
        r#"{"mpp":{"enqueue":{"rows":[{"event":"give_item","params":{"user":"bob_1"},"user":"carol"}]}}}"#;
    let operated = station::Transition::Operated { by: None, command: Some(command.into()) };
    let operated = entry(Link::Station, What::Transition(Transition::Station(operated)), b"enqueue");
    let all = [
        station_says("alice_77 asks, bob_1 too"),
        operated,
        of_mpp(line),
        of_mpp(applied),
        station_says(r#"{"params":{"user":"dave_2"},"note":"alice_77 \"alice_77\""}"#),
        station_says(r#"{"event":"boss","params":{"user":"erin_3"}}"#),
    ];
    let read = recorded(&mut redactor(&["event:give_item $.user"]), &all);
    for name in [USER, "bob_1", "carol", "dave_2", "al\\u0069ce"] {
        hides(&read, name);
    }
    assert_eq!(text(&read[2]), line.replace(USER, "********"));
    assert_eq!(text(&read[0]), "******** asks, ***** too");
    assert_eq!(text(&read[5]), text(&all[5]), "of another event");
    assert!(serde_json::from_str::<serde_json::Value>(&text(&read[3])).is_ok());
    let What::Frame(Frame { redaction: Redaction::Masked(ranges), .. }) = &read[2].entry.what else {
        panic!()
    };
    assert_eq!(ranges.iter().map(|it| &line[it.start as usize..it.end as usize]).collect::<Vec<_>>(), [USER]);
}

#[test]
fn frames_that_no_rule_is_for_are_as_they_were() {
    let line =
        r#"{"mpp":2,"type":"invocation","event":"give_item","params":{"user":"alice_77","seat":70000}}"#;
    for rules in [&["event:boss $.user"][..], &["link:rmp $.params.user"], &["event:give_item $.other"]] {
        let read = recorded(&mut redactor(rules), &[of_mpp(line)]);
        assert_eq!(read, [of_mpp(line)], "{rules:?}");
    }
}

#[test]
fn the_protocols_own_members_stay_and_the_rest_can_be_masked_whole() {
    let line = r#"{"mpp":2,"type":"invocation","id":41,"event":"give_item","params":{"user":"alice_77","seat":70000}}"#;
    let read = recorded(&mut redactor(&["kind:invocation $"]), &[of_mpp(line)]);
    let masked = r#"{"mpp":2,"type":"invocation","id":41,"event":"give_item","params":{"****":"********","****":10000}}"#;
    assert_eq!(text(&read[0]), masked);
    let read = recorded(&mut redactor(&["kind:invocation $.id"]), &[of_mpp(line)]);
    assert_eq!(text(&read[0]), line);
}

#[test]
fn a_message_of_the_bus_is_masked_in_either_dialect_and_behind_its_announcement() {
    let body = r#"{"type":"observation.note.v1","payload":{"key":"alice_77","list":[{"x":70000},{"x":true}]},"meta":null}"#;
    let announced =
        control(r#"{"type":"intent.control.v1","payload":{"Publish":{"topic":"agent/a","ack":true}}}"#);
    let both = [announced.clone(), unit(body)].concat();
    let numbers: Vec<String> = unit(body)[68..].iter().map(ToString::to_string).collect();
    let json = format!(
        r#"{{"Publish":{{"id":1,"topic":"agent/a","message":{{"header":{{}},"body":[{}]}}}}}}"#,
        numbers.join(",")
    );
    let json = [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat();
    let all = [
        message("agent/a", None, &unit(body)),
        message("agent/a", None, &both),
        message("agent/a", None, &json),
    ];
    let read =
        recorded(&mut redactor(&["topic:agent/** $.payload.key", "topic:agent/* $.payload.list[*].x"]), &all);
    hides(&read, USER);
    let masked = r#"{"type":"observation.note.v1","payload":{"key":"********","list":[{"x":0},{"x":false}]},"meta":null}"#;
    let masked = crate::rmp::json::parse(masked).unwrap();
    assert_eq!(body_of(&read[0].bytes), masked);
    assert_eq!(
        (&read[1].bytes[..announced.len()], body_of(&read[1].bytes[announced.len()..])),
        (&announced[..], masked)
    );
    let found = crate::dissect::rmp::body_text::message(&read[2].bytes).unwrap().into_owned();
    let found = rmpv::decode::read_value(&mut &*found).unwrap();
    assert_eq!(found["type"], Value::from("observation.note.v1"));
    assert!(!found.to_string().contains(USER) && !found.to_string().contains("70000"), "{found}");
    let other = message("b/a", None, &unit(body));
    let read = recorded(&mut redactor(&["topic:agent/** $.payload.key"]), std::slice::from_ref(&other));
    assert_eq!(read, [other]);
}

#[test]
fn what_operators_ask_and_are_answered_gives_nothing_away() {
    let question = |json: &str| {
        let json = serde_json::to_string(json).unwrap();
        unit(&format!(r#"{{"type":"intent.operator.request.v1","payload":{{"v":1,"json":{json}}}}}"#))
    };
    let enqueue = question(
        r#"{"command":{"mpp":{"enqueue":{"rows":[{"event":"give_item","params":{"user":"alice_77"}}]}}}}"#,
    );
    let inject = question(r#"{"command":{"workbench":{"send":{"bytes":"YWxpY2VfNzc="}}}}"#);
    let answer = unit(
        r#"{"type":"toolresult.operator.response.v1","payload":{"v":1,"part":1,"parts":2,"json":"ce_77\"}"}}"#,
    );
    let (asks, answers) = (Some(rmp::SchemaId::OPERATOR_REQ.0), Some(rmp::SchemaId::OPERATOR_RESP.0));
    let all = [
        message("rlp/operator", asks, &enqueue),
        message("rlp/operator", asks, &inject),
        message("rlp/operator", answers, &answer),
    ];
    let read = recorded(&mut redactor(&["event:give_item $.user"]), &all);
    hides(&read, USER);
    hides(&read, "YWxpY2Vf");
    hides(&read, "ce_77");
    let payload = |of: &OwnedEntry| body_of(&of.bytes)["payload"]["json"].as_str().unwrap().to_owned();
    assert!(payload(&read[0]).contains(r#""params":{"user":"********"}"#), "{}", payload(&read[0]));
    assert!(payload(&read[2]).bytes().all(|byte| byte == b'*'));
}

#[test]
fn the_plan_of_a_run_that_invokes_the_event_is_masked_whole() {
    let plan = "nodes:\n  - id: give\n    use: invoke:give_item\n    with: {user: alice_77}\n";
    let submit = serde_json::to_string(plan).unwrap();
    let submit = unit(&format!(r#"{{"type":"intent.run.submit.v1","payload":{{"yaml":{submit}}}}}"#));
    let all = [station_says(plan), message("rlp/ctrl", None, &submit)];
    let read = recorded(&mut redactor(&["event:give_item $.user"]), &all);
    hides(&read, USER);
    assert_eq!(text(&read[0]), "*".repeat(plan.len()));
    assert_eq!(body_of(&read[1].bytes)["type"].as_str(), Some("intent.run.submit.v1"));
}

fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(content.len()).unwrap()][..], content].concat()
}

#[test]
fn a_call_of_a_session_keeps_its_envelope() {
    let payload = br#"{"proposal_id":"p-1","vote":"yes","voter":"alice_77"}"#;
    let texts = ["1.0", "decision", "Vote", "m-1", "s-17", "ann"];
    let fields = texts.iter().zip(1..).flat_map(|(text, number)| field(number, text.as_bytes()));
    let bytes = field(1, &fields.chain(field(8, payload)).collect::<Vec<u8>>());
    let call = |what: fn(Frame) -> What| {
        let head = macp::Head { message_type: Some("Vote".into()), ..macp::Head::new(macp::Rpc::Send) };
        let frame = Frame { direction: Direction::Inbound, ..frame(Head::Macp(head), bytes.len()) };
        entry(Link::Macp, what(frame), &bytes)
    };
    let held = |frame| What::Intercepted(Box::new(Intercepted { number: 3, rule: 1, hold_ms: None, frame }));
    let passed = What::Passed(Passed { number: 3, how: Passing::Edited, by: None });
    let lost = What::Passed(Passed { number: 4, how: Passing::Edited, by: None });
    let all =
        [call(What::Frame), call(held), entry(Link::Macp, passed, &bytes), entry(Link::Macp, lost, &bytes)];
    for rule in ["link:macp $.voter", "kind:send $.envelope.payload.voter", "type:Vote $.payload.voter"] {
        let mut redactor = redactor(&[rule]);
        let read = recorded(&mut redactor, &all[..1]);
        hides(&read, USER);
        let masked = String::from_utf8_lossy(&bytes).replace(USER, "********");
        assert_eq!(text(&read[0]), masked, "{rule}");
    }
    let read = recorded(&mut redactor(&["link:macp $.voter"]), &all);
    hides(&read, USER);
    assert_eq!(read[0].bytes, read[1].bytes);
    assert_eq!(read[0].bytes, read[2].bytes);
    assert!(read[3].bytes.iter().all(|byte| *byte == b'*'), "a frame of which nothing is known");
}

#[test]
fn a_message_of_a_plugin_keeps_its_headers() {
    let body =
        r#"{"jsonrpc":"2.0","method":"on_chat_message","params":{"user":{"login":"alice_77"},"text":"hi"}}"#;
    let bytes = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let mut head = plugin::Head::new(PluginId::new("hello"));
    head.method = Some("on_chat_message".into());
    let of = entry(Link::Plugin, What::Frame(frame(Head::Plugin(head), bytes.len())), bytes.as_bytes());
    for rule in
        ["method:on_chat_message $.user.login", "link:plugin $.params.user", "link:plugin $.params.*.login"]
    {
        let read = recorded(&mut redactor(&[rule]), std::slice::from_ref(&of));
        hides(&read, USER);
        assert!(text(&read[0]).starts_with("Content-Length: ") && text(&read[0]).contains(r#""text":"hi""#));
    }
}

#[test]
fn what_the_tap_cut_is_masked_to_its_end_unless_the_value_is_whole() {
    let whole = r#"{"mpp":2,"type":"invocation","event":"give_item","params":{"user":"alice_77","z":"and more of it"}}"#;
    let other =
        r#"{"mpp":2,"type":"invocation","event":"give_item","params":{"a":"something","user":"alice_77"}}"#;
    let cut = |line: &str, len: usize| {
        entry(Link::Mpp, What::Frame(frame(give_item_head(), line.len())), &line.as_bytes()[..len])
    };
    let at = whole.find("more").unwrap();
    let read = recorded(&mut redactor(&["event:give_item $.user"]), &[cut(whole, at)]);
    assert_eq!(text(&read[0]), whole[..at].replace(USER, "********"));
    let at = other.find("ce_77").unwrap();
    let read = recorded(&mut redactor(&["event:give_item $.user"]), &[cut(other, at)]);
    hides(&read, "ali");
    hides(&read, "something");
    assert!(
        text(&read[0]).starts_with(r#"{"mpp":2,"type":"invocation","event":"give_item","#),
        "{}",
        text(&read[0])
    );
    let body = r#"{"type":"a.b.v1","payload":{"a":"something","key":"alice_77"}}"#;
    let bytes = unit(body);
    for len in 69..bytes.len() - 1 {
        let head = rmp::Head { topic: Some("agent/a".into()), ..rmp::Head::default() };
        let of = entry(Link::Rmp, What::Frame(frame(Head::Rmp(head), bytes.len())), &bytes[..len]);
        let read = recorded(&mut redactor(&["topic:agent/** $.payload.key"]), &[of]);
        hides(&read, "ali");
        assert_eq!(read[0].bytes[..68], bytes[..68]);
    }
}

#[test]
fn a_snapshot_gives_nothing_away_of_what_is_known_or_named_in_it() {
    let log = |text: &str| wire::LogView { text: text.to_owned(), ..wire::LogView::default() };
    let ended =
        wire::EndedView { reason: Some("no such user: alice_77".to_owned()), ..wire::EndedView::default() };
    let takes = r#"{"event":"give_item","with":{"user":"bob_1","count":2}}"#.to_owned();
    let ask = wire::AskView { takes, summary: "give it to bob_1?".to_owned(), ..wire::AskView::default() };
    let snapshot = wire::Snapshot {
        mpp: Some(wire::MppView {
            logs: vec![log("gave alice_77 a sword"), log("plain")],
            recent: vec![ended],
            ..wire::MppView::default()
        }),
        runs: Some(wire::RunsView { asks: vec![ask], ..wire::RunsView::default() }),
        ..wire::Snapshot::default()
    };
    let mut redactor = redactor(&["event:give_item $.user"]);
    let line = r#"{"mpp":2,"type":"invocation","event":"give_item","params":{"user":"alice_77"}}"#;
    redactor.learn(&[of_mpp(line).as_ref()]);
    let mut bytes = snapshot.encode_to_vec();
    redactor.snapshot(&mut bytes);
    assert!(!shows(&bytes, USER) && !shows(&bytes, "bob_1"));
    let read = wire::Snapshot::decode(&*bytes).unwrap();
    let (mpp, runs) = (read.mpp.unwrap(), read.runs.unwrap());
    assert_eq!((mpp.logs[0].text.as_str(), mpp.logs[1].text.as_str()), ("gave ******** a sword", "plain"));
    assert_eq!(mpp.recent[0].reason.as_deref(), Some("no such user: ********"));
    assert_eq!(runs.asks[0].summary, "give it to *****?");
    assert!(runs.asks[0].takes.contains(r#""count":2"#), "{}", runs.asks[0].takes);
    let mut text = b"reported by alice_77".to_vec();
    redactor.text(&mut text);
    assert_eq!(text, b"reported by ********");
}

#[test]
fn what_is_withheld_and_what_is_broken_stays_what_it_was_or_is_masked() {
    let mut of = of_mpp(r#"{"withheld":{"bytes":3,"sha256":"alice_77"}}"#);
    if let What::Frame(frame) = &mut of.entry.what {
        frame.redaction = Redaction::Withheld;
    }
    let read = recorded(&mut redactor(&["link:mpp $"]), std::slice::from_ref(&of));
    assert_eq!(read, [of]);
    let read = recorded(&mut redactor(&["link:mpp $.user"]), &[of_mpp("alice_77 is no JSON")]);
    hides(&read, USER);
}

fn json_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "\\PC{0,12}|[a-z_0-9\"\\\\\n]{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map("[a-z]{1,6}|\\PC{0,6}", inner, 0..6)
                .prop_map(|it| serde_json::Value::Object(it.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn masked_frames_are_read_as_before_and_have_nothing_of_the_value(
        user in "[a-z]{6,9}_[0-9]{2}",
        other in json_value(),
        path in "\\$(\\.[a-z]{1,4}|\\[\\*\\]|\\[0\\]){0,3}",
    ) {
        let params = serde_json::json!({"user": user, "other": other, "again": format!("\"{user}\" said {user}")});
        let line = serde_json::json!({"mpp": 2, "type": "invocation", "event": "give_item", "params": params}).to_string();
        let body = serde_json::json!({"type": "a.b.v1", "payload": params}).to_string();
        let mut redactor = redactor(&["event:give_item $.user", "topic:agent/* $.payload.user", &format!("link:mpp {path}")]);
        let all = [of_mpp(&line), message("agent/x", None, &unit(&body)), station_says(&format!("for {user}"))];
        let read = recorded(&mut redactor, &all);
        hides(&read, &user);
        let masked: serde_json::Value = serde_json::from_slice(&read[0].bytes).unwrap();
        prop_assert_eq!(&masked["event"], "give_item");
        prop_assert_eq!(&body_of(&read[1].bytes)["type"], &Value::from("a.b.v1"));
    }

    #[test]
    fn whatever_is_masked_in_json_and_msgpack_remains_that(value in json_value(), quoted in "[a-z]{3,8}") {
        let mut known = Known::default();
        known.learn(&quoted);
        let mut json = value.to_string().into_bytes();
        quotes::in_json(&mut json, &known, Within::AllBut(&[]));
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok());
        Encoding::Json.mask(&mut json, &mut known);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok(), "{}", String::from_utf8_lossy(&json));
        let mut packed = rmp_serde::to_vec(&value).unwrap();
        quotes::in_body(&mut packed, &known);
        Encoding::MsgPack.mask(&mut packed, &mut known);
        let mut rest = &*packed;
        prop_assert!(rmpv::decode::read_value(&mut rest).is_ok() && rest.is_empty());
    }

    #[test]
    fn any_bytes_are_masked_at_equal_length(
        bytes in prop::collection::vec(any::<u8>(), 0..256),
        cut in 0..64_usize,
    ) {
        let mut redactor = redactor(&["link:mpp $.a", "link:rmp $.payload[0]", "link:macp $.x", "link:plugin $"]);
        let wire_bytes = bytes.len() + cut;
        let heads = [
            (Link::Mpp, give_item_head()),
            (Link::Rmp, Head::Rmp(rmp::Head::default())),
            (Link::Macp, Head::Macp(macp::Head::new(macp::Rpc::Send))),
            (Link::Plugin, Head::Plugin(plugin::Head::new(PluginId::new("p")))),
        ];
        let all = heads.map(|(link, head)| entry(link, What::Frame(frame(head, wire_bytes)), &bytes));
        recorded(&mut redactor, &all);
        recorded(&mut redactor, &[station_says(&String::from_utf8_lossy(&bytes))]);
        redactor.snapshot(&mut bytes.clone());
    }
}

#[test]
fn one_who_is_called_as_the_protocol_s_words_are_makes_no_frame_unreadable() {
    let line =
        r#"{"mpp":2,"type":"invocation","event":"give_item","params":{"user":"params","for":"params"}}"#;
    let read = recorded(&mut redactor(&["event:give_item $.user"]), &[of_mpp(line)]);
    let masked = line.replace(r#":"params""#, r#":"******""#);
    assert_eq!(text(&read[0]), masked);
}

#[test]
fn all_rules_count() {
    let texts: Vec<String> = (0..RULES_MAX).map(|n| format!("event:give_item $.v{n}")).collect();
    let mut redactor = Redactor::new(RedactRules::parse(&texts).unwrap());
    let line = r#"{"mpp":2,"type":"invocation","event":"give_item","params":{"v0":"zero","v63":"last"}}"#;
    let read = recorded(&mut redactor, &[of_mpp(line)]);
    assert!(!text(&read[0]).contains("zero") && !text(&read[0]).contains("last"), "{}", text(&read[0]));
}
