//! Agents, viewers and cues can neither judge, nor inject, nor use the gate: each way is refused, and nothing
//! happens.

use std::path::Path;

use rl_console::{
    limits::Limits,
    port::{
        Arm, Command, DoorSpec, GateCommand, Operator, Outcome, Page, PageBytes, PortError, Query, Stand,
        WorkbenchCommand, WorkbenchOutcome,
    },
    rmp::{Dialect, Kind},
    station::{
        Address, OperatorClient,
        bus::{TokenKind, token},
    },
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::{
    real::{Adapter, Station, json as printed, pair, plugins::until},
    rmp_bus::{Peer, frames},
};

const PULL: &[u8] = b"{\"mpp\":2,\"type\":\"pull\",\"queue\":\"default\"}\n";

/// A station with an adapter, a rule that holds a frame of it, and a connection of the workbench's.
struct Busy {
    folder: tempfile::TempDir,
    station: Station,
    runtime: Runtime,
    operator: OperatorClient,
    door: u64,
    _adapter: Adapter,
}

impl Busy {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paired = pair(folder.path());
        let station = Station::start(folder.path());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let operator = runtime.block_on(OperatorClient::connect(folder.path())).unwrap();
        let mut adapter = Adapter::ready(station.mpp, &paired);
        let opened = runtime.block_on(operator.command(Command::Workbench(open(peer())))).unwrap();
        let Outcome::Workbench(WorkbenchOutcome::Opened { door, .. }) = opened else { panic!("{opened:?}") };
        let rule = Arm { filter: "link:mpp kind:pull".to_owned(), ..Arm::default() };
        runtime.block_on(operator.command(Command::Gate(GateCommand::Arm(rule)))).unwrap();
        adapter.send(std::str::from_utf8(PULL).unwrap().trim_end()).unwrap();
        let it = Self { folder, station, runtime, operator, door, _adapter: adapter };
        until(|| "no frame is held".to_owned(), || Some(it.state()).filter(|it| it["held"][0].is_object()));
        it
    }

    fn data(&self) -> &Path {
        self.folder.path()
    }

    /// All that could be changed by what is refused.
    fn state(&self) -> Value {
        let ls = |list: &str| {
            let mut rows = printed(self.data(), &["ls", list]);
            for row in rows.iter_mut().filter_map(Value::as_object_mut) {
                // Time alone changes these.
                row.retain(|name, _| !name.ends_with("_ms"));
            }
            rows
        };
        let doors: Vec<Value> = ls("peers").into_iter().filter(|row| row["client"] == "made").collect();
        // What is counted of them is who asks.
        let is_there = |row: &Value| json!([row["session"], row["kind"]]);
        json!({
            "held": ls("intercepted"), "rules": ls("gate-rules"), "queues": ls("queues"),
            "adapters": ls("adapters").len(), "doors": doors.iter().map(is_there).collect::<Vec<_>>(),
        })
    }

    /// Every way to judge, inject or use the gate.
    fn questions(&self) -> Vec<Result<Command, Query>> {
        let bytes = || PageBytes(PULL.to_vec());
        let (door, pieces) = (self.door, vec![bytes()]);
        let send = WorkbenchCommand::Send {
            door,
            pieces,
            of: None,
            wait_ms: 100,
            answers: None,
            foreseen: Vec::new(),
        };
        let all = WorkbenchCommand::SendAll { door, frames: vec![bytes()], wait_ms: 100, answers: None };
        let doors = [peer(), DoorSpec::Adapter { hello: true }, DoorSpec::AsAdapter, DoorSpec::ToAdapter];
        let workbench = doors.into_iter().map(open).chain([send, all, WorkbenchCommand::Close { door }]);
        let arm = Arm { filter: "link:rmp".to_owned(), ..Arm::default() };
        let gate = [
            GateCommand::Arm(arm),
            GateCommand::Pass { frames: vec![1] },
            GateCommand::Pass { frames: Vec::new() },
            GateCommand::Drop { frames: vec![1] },
            GateCommand::Edit { frame: 1, bytes: bytes(), keeps: false },
            GateCommand::Disarm { rule: None },
        ];
        let queries = [
            Query::Judge { stand: Stand::New(DoorSpec::AsAdapter), bytes: bytes() },
            Query::Judge { stand: Stand::Door(door), bytes: bytes() },
            Query::InterceptedFrame { frame: 1 },
            Query::Intercepted,
        ];
        let commands = workbench.map(Command::Workbench).chain(gate.into_iter().map(Command::Gate));
        commands.map(Ok).chain(queries.into_iter().map(Err)).collect()
    }
}

fn peer() -> DoorSpec {
    DoorSpec::Peer { dialect: Dialect::Frames, kind: Some(Kind::Agent), client: "made".to_owned() }
}

const fn open(door: DoorSpec) -> WorkbenchCommand {
    WorkbenchCommand::Open { door }
}

#[test]
fn viewers_and_cues_are_refused_each_way_and_nothing_happens() {
    let busy = Busy::open();
    let before = busy.state();
    for (kind, name) in [(TokenKind::Viewer, "viewer"), (TokenKind::Cue, "cue")] {
        let mut address = Address::of_data(busy.data()).unwrap();
        address.token = Some(token(busy.data(), kind).unwrap());
        let client = busy.runtime.block_on(OperatorClient::connect_to(&address, &Limits::default())).unwrap();
        for question in busy.questions() {
            let shown = format!("{name}: {question:?}");
            let answer = match question {
                Ok(command) => busy.runtime.block_on(client.command(command)).map(|it| format!("{it:?}")),
                Err(query) => busy.runtime.block_on(client.query(query)).map(|it| format!("{it:?}")),
            };
            match answer {
                Err(PortError::Forbidden { kind, .. }) => assert_eq!(kind, name, "{shown}"),
                other => panic!("{shown}: {other:?}"),
            }
        }
    }
    assert_eq!(busy.state(), before);
    // To the operator the same is no secret.
    let held = busy.runtime.block_on(busy.operator.query(Query::InterceptedFrame { frame: 1 })).unwrap();
    assert!(matches!(held, Page::InterceptedFrame(held) if held.bytes.0 == PULL));
}

#[test]
fn an_agent_is_refused_each_way_and_nothing_happens() {
    let busy = Busy::open();
    let before = busy.state();
    let path = Path::new(busy.station.ready["rmp"].as_str().unwrap()).to_owned();
    let mut agent = Peer::greeted(&path, "agent", None);
    for (number, question) in (1..).zip(busy.questions()) {
        let asked = match &question {
            Ok(command) => json!({ "command": command }),
            Err(query) => json!({ "query": query }),
        };
        let payload = vec![("v", 1.into()), ("json", asked.to_string().into())];
        let body = frames::body("intent.operator.request.v1", frames::map(payload));
        let header = frames::Header {
            schema_id: 0x80,
            created_at_ms: 1,
            ttl_ms: u64::MAX - 2,
            trace_id: 3,
            msg_id: number,
        };
        let id = agent.publish("rlp/operator", true, &frames::frame(header, &body));
        assert_eq!(agent.hear().error(), (id, "Forbidden".to_owned()), "{question:?}");
    }
    // Nor does it become an operator by saying so: without a token it is an agent.
    for kind in ["tui", "ui", "viewer", "cue"] {
        let mut liar = Peer::connect(&path);
        liar.say("Hello", vec![("v", 1.into()), ("client", "liar".into()), ("kind", kind.into())]);
        assert_eq!(liar.hear().text("kind"), "agent", "{kind}");
    }
    assert_eq!(busy.state(), before);
}
