//! Messages of a plugin, next to a twin of it without a gate.
#![cfg(target_os = "linux")]

use proptest::{prelude::*, test_runner::TestRunner};
use rl_console::{
    ids::PluginId,
    port::{
        Arm, Command, DoorSpec, GateCommand, InterceptedRow, Operator as _, Outcome, Page, PageBytes,
        PortError, Query, Way, WorkbenchCommand, WorkbenchError, WorkbenchOutcome,
    },
    recording::{RecordedItem, read},
    station::OperatorClient,
    tap::entry::Link,
};
use serde_json::{Value, json};

use super::{
    meddler::{Heard, Meddler, Sight},
    order::config,
    runtime,
};
use crate::{
    real::plugins::{PluginStation, script, until},
    rmp_bus::{Peer, frames},
};

const ID: &str = "com.example.talkative";

/// Actions that it is asked for.
const CALLS: u64 = 6;

/// With each answer it writes some lines of its log first.
const TALKATIVE: &str = r#"
say() { send "{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{\"level\":\"info\",\"message\":\"$1\"}}"; }
up
calls=0
while :; do
  recv
  id=$(printf '%s' "$body" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $body in
    *client.echo*)
      calls=$((calls+1))
      for line in 1 2 3 4 5; do say "line $calls.$line"; done
      send "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"answer\":$calls}}" ;;
    *'"ping"'*) send "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}" ;;
  esac
done"#;

const MESSAGES: Sight = Sight {
    link: Link::Plugin,
    read: |bytes| {
        let body = &bytes[bytes.iter().position(|byte| *byte == b'{')?..];
        let message: Value = serde_json::from_slice(body).unwrap();
        let says = [&message["params"]["message"], &message["result"]["answer"]];
        says.into_iter().find(|it| !it.is_null()).map(|it| (ID.to_owned(), it.to_string()))
    },
    edited: |way, bytes| {
        let text = std::str::from_utf8(bytes).unwrap();
        let is_log = way == Way::In && text.contains("\"line ");
        // As long as it was: the header stays right.
        is_log.then(|| text.replace("\"line ", "\"edit ").into_bytes())
    },
    may_drop: |_| true,
    filters: &[
        "link:plugin",
        "link:plugin method:log",
        "link:plugin verdict:ok",
        "link:plugin method:invoke_action",
    ],
};

/// Asks it for so many actions; the answers, and what the host got, held at random where there is a seed.
fn play(seed: Option<u64>, twin: &Heard) -> (Vec<Value>, Heard, Heard) {
    let it = PluginStation::start();
    it.serve_file(ID, ("main", &script(TALKATIVE)), &[], None);
    it.when_up(ID);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operator = runtime.block_on(OperatorClient::connect(it.folder.path())).unwrap();
    let record = |command| drop(runtime.block_on(operator.command(command)).unwrap());
    let file = it.folder.path().join("played.mcap");
    record(Command::RecordStart { path: Some(file.clone()), preroll_s: Some(0), whole: false });
    let work = || -> Vec<Value> {
        let call = |_| it.invoke(ID, "client.echo", json!({})).unwrap();
        (0..CALLS).map(call).collect()
    };
    let mut expected = twin.clone();
    let answers = match seed {
        None => work(),
        Some(seed) => std::thread::scope(|scope| {
            let mut meddler = Meddler::new(&runtime, &operator, &MESSAGES, seed);
            let working = scope.spawn(work);
            meddler.until(|| working.is_finished());
            assert!(meddler.decided > 0, "seed {seed}: {} frames were held", meddler.decided);
            expected = meddler.changed(expected.clone(), &[Way::In]);
            working.join().unwrap()
        }),
    };
    record(Command::RecordStop);
    let entries: Vec<_> = read(&file)
        .unwrap()
        .filter_map(|item| match item.unwrap() {
            RecordedItem::Entry(entry) => Some(entry),
            RecordedItem::Snapshot { .. } => None,
        })
        .collect();
    (answers, MESSAGES.heard(&entries), expected)
}

#[test]
fn the_host_gets_the_messages_of_a_plugin_in_their_order_whatever_is_held() {
    let (answers, twin, _) = play(None, &Heard::new());
    let expected: Vec<Value> = (1..=CALLS).map(|n| json!({ "answer": n })).collect();
    assert_eq!(answers, expected);
    assert_eq!(twin[ID].len(), 36, "{twin:?}");
    let played = TestRunner::new(config(3)).run(&any::<u64>(), |seed| {
        let (answers, heard, changed) = play(Some(seed), &twin);
        prop_assert_eq!(&answers, &expected);
        prop_assert_eq!(heard, changed);
        Ok(())
    });
    played.unwrap();
}

/// A line of the plugin's log as it would write it.
fn log_frame(text: &str) -> PageBytes {
    let params = json!({ "level": "info", "message": text });
    let body = json!({ "jsonrpc": "2.0", "method": "log", "params": params }).to_string();
    PageBytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
}

#[test]
fn a_frame_in_a_plugins_place_waits_at_the_gate_and_overtakes_no_held_frame() {
    let it = PluginStation::start();
    it.serve_file(ID, ("main", &script(TALKATIVE)), &[], None);
    it.when_up(ID);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operator = runtime.block_on(OperatorClient::connect(it.folder.path())).unwrap();
    let command = |command| runtime.block_on(operator.command(command));
    let held = || -> Vec<InterceptedRow> {
        match runtime.block_on(operator.query(Query::Intercepted)) {
            Ok(Page::Intercepted(rows)) => rows,
            other => panic!("{other:?}"),
        }
    };
    let arm = Arm { filter: "link:plugin method:log".to_owned(), way: Some(Way::In), ..Arm::default() };
    command(Command::Gate(GateCommand::Arm(arm))).unwrap();
    let open = WorkbenchCommand::Open { door: DoorSpec::AsPlugin { plugin: PluginId::new(ID) } };
    let Ok(Outcome::Workbench(WorkbenchOutcome::Opened { door, .. })) = command(Command::Workbench(open))
    else {
        panic!("it opens")
    };
    let send = |text: &str| {
        let pieces = vec![log_frame(text)];
        let send = WorkbenchCommand::Send {
            door,
            pieces,
            of: None,
            wait_ms: 200,
            answers: None,
            foreseen: Vec::new(),
        };
        command(Command::Workbench(send))
    };
    send("the first").unwrap();
    let first = held().pop().expect("it is held");
    let refused = send("the second").unwrap_err();
    assert!(matches!(refused, PortError::Workbench(WorkbenchError::MidFrame { .. })), "{refused:?}");
    assert!(!it.log(ID).contains("the first"));
    command(Command::Gate(GateCommand::Pass { frames: vec![first.frame] })).unwrap();
    until(|| it.log(ID), || it.log(ID).contains("the first").then_some(()));
    send("the third").unwrap();
    let third = held().pop().expect("it is held");
    command(Command::Gate(GateCommand::Drop { frames: vec![third.frame] })).unwrap();
    until(|| format!("{:?}", held()), || held().is_empty().then_some(()));
    assert!(!it.log(ID).contains("the third"));
}

/// How often each neighbour does its work.
const TIMES: u64 = 30;

const NEIGHBOUR: &str = "com.example.neighbour";

#[test]
fn whoever_is_next_to_a_held_frame_of_a_plugin_works_on() {
    // Nothing passes because its time is up.
    let it = PluginStation::configured("[limits.gate]\nhold_ms_max = 600000\n");
    for id in [ID, NEIGHBOUR] {
        it.serve_file(id, ("main", &script(TALKATIVE)), &[], None);
        it.when_up(id);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operator = runtime.block_on(OperatorClient::connect(it.folder.path())).unwrap();
    let gate = |command| drop(runtime.block_on(operator.command(Command::Gate(command))).unwrap());
    let held = || -> Vec<u64> {
        match runtime.block_on(operator.query(Query::Intercepted)) {
            Ok(Page::Intercepted(rows)) => rows.into_iter().map(|row| row.frame).collect(),
            other => panic!("{other:?}"),
        }
    };
    let filter = format!("link:plugin plugin:{ID} method:log");
    gate(GateCommand::Arm(Arm { filter, way: Some(Way::In), ..Arm::default() }));
    let ready = &it.station.as_ref().unwrap().ready;
    let path = std::path::PathBuf::from(ready["rmp"].as_str().unwrap());
    let agent = || Peer::greeted(&path, "agent", None);
    let (mut publisher, mut subscriber) = (agent(), agent());
    subscriber.subscribe(7, "b");
    let mut client = runtime::connected(&runtime, ready["macp"].as_str().unwrap());
    // A client of its own: it waits for the answer meanwhile.
    let invoke = ["plugin", "invoke", "client.echo", "--plugin", ID, "--timeout", "600"];
    std::thread::scope(|scope| {
        let folder = it.folder.path();
        let calling = scope.spawn(|| crate::real::json(folder, &invoke));
        let first = until(|| "nothing is held".to_owned(), || Some(held()).filter(|held| held.len() == 1));
        for n in 1..=TIMES {
            assert_eq!(it.invoke(NEIGHBOUR, "client.echo", json!({})), Ok(json!({ "answer": n })));
            publisher.publish("b", true, &frames::message(n, "x"));
            assert_eq!(publisher.hear().name(), "Ok");
            assert_eq!(subscriber.delivered().2.msg_id(), n);
            runtime::started(&runtime, &mut client, &format!("s{n}"));
        }
        assert_eq!(held(), first, "that one is held still, and none behind it");
        assert!(!calling.is_finished() && !it.log(ID).contains("line 1.1"));
        gate(GateCommand::Disarm { rule: None });
        calling.join().unwrap();
    });
    until(|| it.log(ID), || it.log(ID).contains("line 1.5").then_some(()));
    assert!(held().is_empty());
}
