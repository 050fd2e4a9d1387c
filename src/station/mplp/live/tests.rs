//! Runs as the engine tells them, and their sessions as the port has them.

use serde_json::{Value, json};

use super::{
    super::{RunTranslation, SessionTranslation},
    *,
};
use crate::{
    ids::OpeningId,
    macp::{Ending, Mode, SessionState},
    mplp::{RecordContext, SchemaId, is_clean, lifecycle::Origin},
    port::{LogKind, RunDetail, RunRow},
    runs::{
        Asker, AskerKind, Plan, RunState,
        openings::{Map, NoLibrary, Opening},
    },
    schema::JsonText,
    store::runs::EventRow,
    tap::entry::{runs::EventKind, station::Level},
    time::Wall,
};

const AT: u64 = 1_790_000_000_000;
const YAML: &str = "version: 0\nname: two\ngoals: [say hello]\npolicy: {timeout_ms: 9000}\nnodes:\n  - {id: a, use: 'agent:x'}\n  - {id: b, use: 'agent:x'}\nedges:\n  - {from: a.out, to: b.in}\n";

/// An item by the name of its schema.
type Named = (String, Value);

fn run(n: u128) -> TraceId {
    TraceId(uuid::Uuid::from_u128(n))
}

fn settings() -> RecordSettings {
    RecordSettings { environment: "test".into(), created_by: "rl-console/0.0.0".into() }
}

fn live() -> Live {
    Live::new(settings(), &limits::Limits::default(), Arc::default(), Arc::default())
}

fn begun(n: u128) -> RunBegun {
    let limits = limits::Runs::default();
    let opening = Opening::load(YAML, None, &Map::new(), &NoLibrary, &limits).unwrap();
    RunBegun {
        run: run(n),
        opening: OpeningId(uuid::Uuid::from_u128(7)),
        name: "two".into(),
        by: Asker { kind: AskerKind::Agent, client: "tester".into() },
        yaml: YAML.into(),
        plan: Plan::from(&opening),
        traceparent: None,
        at: Wall(AT),
    }
}

/// What the run tells: two nodes that complete, each by one attempt.
fn rows() -> Vec<EventRow> {
    let mut rows = Vec::new();
    let mut tell = |kind, message: &str, meta: Value| {
        let number = rows.len() as u64 + 1;
        let (level, meta) = (Some(Level::Info), JsonText::from_value(&meta));
        rows.push(EventRow { number, kind, level, message: message.to_owned(), meta, at: Wall(AT + number) });
    };
    tell(EventKind::Plan, "two: 2 nodes, 1 edge", json!({}));
    tell(EventKind::Status, "the run is running", json!({ "state": "running" }));
    for node in ["a", "b"] {
        let span = format!("{node}#1");
        for state in ["running", "completed"] {
            let meta = json!({ "node_id": node, "span_id": span, "state": state });
            tell(EventKind::Status, &format!("{node} is {state}"), meta);
        }
    }
    let last = json!({ "state": "succeeded", "success": true });
    tell(EventKind::Status, "the run succeeded", last);
    rows
}

fn ended(n: u128) -> RunEnded {
    RunEnded {
        run: run(n),
        state: RunState::Succeeded,
        why: None,
        tokens: 12,
        events_missing: 0,
        artifacts_missing: 0,
        at: Wall(AT + 7),
    }
}

fn event(n: u128, event: EventRow) -> RunFeed {
    RunFeed::Event { run: run(n), event, is_kept: true }
}

/// What the store has of the run.
fn detail(n: u128) -> RunDetail {
    let begun = begun(n);
    RunDetail {
        row: RunRow {
            number: 1,
            run: run(n),
            opening: begun.opening,
            name: "two".to_owned(),
            state: RunState::Succeeded,
            why: None,
            by: AskerKind::Agent,
            client: "tester".to_owned(),
            nodes: 2,
            done: 2,
            tokens: 12,
            events: 7,
            artifacts: 0,
            submitted_at_ms: Wall(AT),
            ended_at_ms: Some(Wall(AT + 7)),
            asks: 0,
            rated: None,
        },
        yaml: YAML.to_owned(),
        plan: JsonText::from_value(&serde_json::to_value(&begun.plan).unwrap()),
        traceparent: None,
        artifacts_missing: 0,
        rating: None,
    }
}

/// The names and objects that left, in order; each run has its own.
fn taken(live: &mut Live) -> Vec<Named> {
    live.close_all();
    let mut all = Vec::new();
    while let Some(batch) = live.poll(Mono(0)) {
        let body = rmpv::decode::read_value(&mut batch.body.as_slice()).unwrap();
        let mut body: Value = rmpv::ext::from_value(body).unwrap();
        let Value::Array(items) = body["payload"]["items"].take() else { panic!("no items") };
        let item = |item: Value| (item["schema"].as_str().unwrap().to_owned(), item["object"].clone());
        all.extend(items.into_iter().map(item));
    }
    all
}

fn is_event(item: &Named) -> bool {
    item.1.get("event_type").is_some()
}

fn exported(translation: RunTranslation, n: u128) -> (Vec<Named>, Vec<Named>) {
    let bundle = translation.finish(&detail(n));
    let items = bundle.items().iter().map(|item| (item.schema.name().to_owned(), item.object.clone()));
    items.partition(is_event)
}

#[test]
fn what_left_is_what_an_export_has() {
    let mut live = live();
    live.take(Mono(0), RunFeed::Begun(Box::new(begun(1))));
    let first = taken(&mut live);
    let names: Vec<&str> = first.iter().map(|item| item.0.as_str()).take(5).collect();
    assert_eq!(names, ["context", "plan", "trace", "core", "network"]);
    let (mut events, objects): (Vec<_>, Vec<_>) = first.into_iter().partition(is_event);
    assert_eq!(objects[0].1["constraints"], json!({ "timeout_ms": 9_000 }));
    assert_eq!(objects[0].1["summary"], "say hello");
    for row in rows() {
        live.take(Mono(0), event(1, row));
    }
    let between = taken(&mut live);
    assert!(between.iter().all(is_event), "events alone");
    events.extend(between);
    live.take(Mono(0), RunFeed::Ended(ended(1)));
    let last = taken(&mut live);
    let (tail, objects): (Vec<_>, Vec<_>) = last.iter().cloned().partition(is_event);
    assert!(is_event(&last[0]) && !is_event(last.last().unwrap()));
    events.extend(tail);
    let mut translation = RunTranslation::new(&detail(1), &limits::Runs::default(), &settings());
    for row in rows() {
        translation.event(row.into());
    }
    assert_eq!((events, objects), exported(translation, 1));
    let record = RecordContext { profile: Some(Profile::Sa), bundle: None };
    for (name, object) in &last {
        assert!(is_clean(SchemaId::named(name).unwrap(), object, record), "{object:#}");
    }
    assert!(live.poll_withheld().is_none() && live.open.is_empty());
    let counted = live.counts.counted();
    assert_eq!((counted.open, counted.objects), (0, 2 * 9));
}

#[test]
fn half_a_record_is_not_told() {
    let mut live = live();
    live.take(Mono(0), event(1, rows().remove(0)));
    live.take(Mono(0), RunFeed::Ended(ended(1)));
    assert!(taken(&mut live).is_empty());
    live.take(Mono(0), RunFeed::Begun(Box::new(begun(1))));
    assert_eq!(live.counts.counted().open, 1);
    taken(&mut live);
    live.take(Mono(0), RunFeed::Started);
    live.take(Mono(0), RunFeed::Ended(ended(1)));
    assert!(taken(&mut live).is_empty());
    assert_eq!(live.counts.counted().open, 0);
}

#[test]
fn an_event_that_is_not_kept_is_told_and_not_held() {
    let mut live = live();
    live.take(Mono(0), RunFeed::Begun(Box::new(begun(1))));
    taken(&mut live);
    for row in rows() {
        live.take(Mono(0), RunFeed::Event { run: run(1), event: row, is_kept: false });
    }
    assert!(taken(&mut live).iter().any(|item| item.1["event_type"] == "step_completed"));
    live.take(Mono(0), RunFeed::Ended(RunEnded { events_missing: 7, ..ended(1) }));
    let last = taken(&mut live);
    let trace = &last.iter().find(|item| item.0 == "trace").unwrap().1;
    assert_eq!(trace["events"].as_array().unwrap().len(), 1, "that it was accepted");
    assert_eq!(trace["root_span"]["attributes"]["events_missing"], 7);
    assert_eq!(trace["meta"]["tags"], json!(["run", "incomplete"]));
    assert_eq!(trace["segments"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_not_clean_is_withheld_and_told() {
    let mut live = live();
    live.take(Mono(0), RunFeed::Begun(Box::new(begun(1))));
    let good = taken(&mut live).len();
    let broken = Item::new(SchemaId::Plan, json!({ "steps": 1 }), Origin::End);
    live.send(Mono(0), run(1), Profile::Sa, &RecordOf::Run(run(1)), std::slice::from_ref(&broken));
    live.send(Mono(0), run(1), Profile::Sa, &RecordOf::Session("s".into()), &[broken]);
    assert!(taken(&mut live).is_empty() && good > 0);
    let (told, text) = live.poll_withheld().unwrap();
    let Transition::Withheld { record, schema, rule, path, findings } = told else { panic!("{told:?}") };
    assert_eq!((record, &*schema, &*path), (RecordRef::run(run(1)), "plan", "$.plan.context_id"));
    assert!(&*rule == "required" && findings > 4 && !text.is_empty(), "{rule} {findings} {text}");
    let (told, _) = live.poll_withheld().unwrap();
    assert!(matches!(told, Transition::Withheld { record, .. } if record == RecordRef::session("s")));
    assert!(live.poll_withheld().is_none());
    let counted = live.counts.counted().findings;
    assert_eq!(counted.iter().sum::<u64>(), 2 * u64::from(findings), "of both: {counted:?}");
    assert!(counted[5] > 0 && counted[0] > 0, "by the schema and by the rules of one agent: {counted:?}");
}

fn session(number: u64, ending: Option<Ending>, listed: &[&str]) -> SessionDetail {
    SessionDetail {
        row: SessionRow {
            number,
            session: format!("s{number}"),
            mode: Mode::Decision,
            mode_name: Mode::Decision.name().to_owned(),
            state: ending.map_or(SessionState::Open, Ending::state),
            ending,
            why: None,
            phase: None,
            round: None,
            by: "alice".to_owned(),
            intent: "which map?".to_owned(),
            participants: listed.len() as u64,
            messages: 3,
            started_at_ms: Wall(AT + 3),
            expires_at_ms: Wall(AT + 60_000),
            ended_at_ms: ending.map(|_| Wall(AT + 6)),
            trace_id: Some(run(1)),
        },
        mode_version: String::new(),
        configuration_version: String::new(),
        policy_version: String::new(),
        listed: listed.iter().map(|&name| name.to_owned()).collect(),
        resolution: None,
        progress: JsonText::from_value(&Value::Null),
        traceparent: None,
    }
}

fn log() -> Vec<SessionLogRow> {
    let row = |number, kind, message: Option<(&str, &str)>, payload| SessionLogRow {
        number,
        at_ms: Wall(AT + 2 + number),
        kind,
        message_type: message.map(|it| it.1.to_owned()),
        message_id: message.map(|_| format!("m{number}")),
        sender: message.map(|it| it.0.to_owned()),
        timestamp_ms: None,
        payload: JsonText::from_value(&payload),
    };
    let incoming =
        |number, sender, kind, payload| row(number, LogKind::Incoming, Some((sender, kind)), payload);
    vec![
        incoming(1, "alice", "SessionStart", json!({ "intent": "which map?" })),
        incoming(2, "alice", "Proposal", json!({ "proposal_id": "p", "option": "north" })),
        incoming(3, "bob", "Vote", json!({ "proposal_id": "p", "vote": "approve" })),
        incoming(4, "alice", "Commitment", json!({ "action": "play north" })),
        row(5, LogKind::Resolution, None, json!({ "action": "play north" })),
    ]
}

#[test]
fn sessions_are_told_as_they_go_on_and_are_in_the_record_in_the_order_of_their_start() {
    let mut live = live();
    live.take(Mono(0), RunFeed::Begun(Box::new(begun(1))));
    let mut told: Vec<_> = taken(&mut live).into_iter().filter(is_event).collect();
    // Nobody is listed in the first: whether two take part is not known before the second has said something.
    let (first, second) = (session(4, None, &[]), session(9, None, &["alice", "bob"]));
    assert!(live.wants_session(run(1), 9) && !live.wants_session(run(2), 9));
    live.begin_session(run(1), &second);
    live.begin_session(run(1), &first);
    assert!(!live.session_log(run(1), 4, &log()[..2]) && !live.session_log(run(1), 9, &log()[..3]));
    assert_eq!((live.session_read(run(1), 4), live.session_read(run(1), 9)), (Some(2), Some(3)));
    live.tell_session(Mono(0), run(1), 9);
    live.tell_session(Mono(0), run(1), 4);
    let so_far = taken(&mut live);
    assert!(so_far.iter().any(|item| item.1["event_type"] == "MAPSessionStarted"));
    assert!(so_far.iter().all(|item| item.1["event_type"] != "session_added"), "the first comes first");
    told.extend(so_far);
    assert!(live.session_log(run(1), 4, &log()[2..]) && live.session_log(run(1), 9, &log()[3..]));
    for detail in [session(4, Some(Ending::Resolved), &[]), session(9, Some(Ending::Resolved), &[])] {
        live.end_session(run(1), &detail.row);
        live.tell_session(Mono(0), run(1), detail.row.number);
    }
    told.extend(taken(&mut live));
    for row in rows() {
        live.take(Mono(0), event(1, row));
    }
    told.extend(taken(&mut live));
    live.take(Mono(0), RunFeed::Ended(ended(1)));
    let (tail, objects): (Vec<_>, Vec<_>) = taken(&mut live).into_iter().partition(is_event);
    told.extend(tail);
    assert!(live.poll_withheld().is_none());
    let (events, expected) = export_with_sessions();
    assert_eq!(objects, expected);
    let sorted = |mut events: Vec<Named>| {
        events.sort_by_key(|item| item.1["event_id"].to_string());
        events
    };
    assert_eq!(sorted(told), sorted(events));
}

/// The run's events and objects, as the store has it and both sessions.
fn export_with_sessions() -> (Vec<Named>, Vec<Named>) {
    let (mut record, _) =
        RunRecord::begin(super::super::run::beginning_told(begun(1), &limits::Runs::default()), &settings());
    for (number, listed) in [(4, &[][..]), (9, &["alice", "bob"][..])] {
        let detail = session(number, Some(Ending::Resolved), listed);
        let mut translation = SessionTranslation::new(&detail, 512, &settings());
        for row in &log() {
            translation.log(row);
        }
        record.add_session(translation.items_for_run(&detail.row));
    }
    for row in &rows() {
        record.read(row);
    }
    let bundle = record.into_bundle(Some(&end_told(ended(1))));
    let items = bundle.items().iter().map(|item| (item.schema.name().to_owned(), item.object.clone()));
    items.partition(is_event)
}

#[test]
fn messages_without_room_are_counted_and_the_session_goes_on() {
    let turns = |room| {
        let mut session = LiveSession::new(&session(9, None, &["alice", "bob"]), 1_024, &settings());
        assert!(!session.log(&log()[..3], room));
        let events = session.poll_events();
        let is_turn = |item: &&Item| item.object["event_type"] == "MAPTurnDispatched";
        (session.bytes(), events.iter().filter(is_turn).count(), session.read())
    };
    let (all, count, read) = turns(u64::MAX);
    assert_eq!((count, read), (2, 3));
    let (held, count, read) = turns(all - 1);
    assert!(held > 0 && held < all, "{held} of {all}");
    assert_eq!((count, read), (1, 3));
    assert_eq!(turns(0), (0, 0, 3));
}
