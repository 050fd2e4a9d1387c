//! Doors over the end of their host, of their session, and of the station's own console, in a whole station.

use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    macp::Rpc,
    mpp::host::Request as BridgeRequest,
    port::{
        Command, DoorSpec, Operator, Outcome, Page, PageBytes, PortError, Query, SentFrame, Stand,
        WorkbenchCommand, WorkbenchError, WorkbenchOutcome,
    },
    rmp::{Dialect, Kind, host::Request as BusRequest},
    station::{Config, OperatorClient, Station, bridge::tests::until},
    tap::entry::{Link, station},
    time::Clock,
};

struct TestStation {
    runtime: Runtime,
    folder: TempDir,
    station: Station,
}

impl TestStation {
    fn open() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let station = Station::start(Config::within(folder.path()), Clock::start()).unwrap();
        runtime.block_on(station.ready()).unwrap();
        Self { runtime, folder, station }
    }

    fn command(
        &self,
        operator: &dyn Operator,
        command: WorkbenchCommand,
    ) -> Result<WorkbenchOutcome, PortError> {
        match self.runtime.block_on(operator.command(Command::Workbench(command)))? {
            Outcome::Workbench(outcome) => Ok(outcome),
            other => panic!("{other:?}"),
        }
    }

    /// From the station's own console.
    fn open_door(&self, door: DoorSpec) -> u64 {
        self.open_by(&*self.station.port(), door)
    }

    #[expect(clippy::needless_pass_by_value, reason = "as the command takes it")]
    fn open_by(&self, operator: &dyn Operator, door: DoorSpec) -> u64 {
        for tries in 0.. {
            match self.command(operator, WorkbenchCommand::Open { door: door.clone() }) {
                Ok(WorkbenchOutcome::Opened { door: number, .. }) => return number,
                // A host that was just started may not listen yet.
                Err(PortError::HostDown { .. }) if tries < 2_000 => {
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                other => panic!("{other:?}"),
            }
        }
        unreachable!("it is tried until it opens")
    }

    fn send(&self, door: u64, bytes: &[u8]) -> Result<SentFrame, PortError> {
        let pieces = vec![PageBytes(bytes.to_vec())];
        let send = WorkbenchCommand::Send {
            door,
            pieces,
            of: None,
            wait_ms: 2_000,
            answers: None,
            foreseen: Vec::new(),
        };
        match self.command(&*self.station.port(), send)? {
            WorkbenchOutcome::Sent(became) => Ok(became),
            other => panic!("{other:?}"),
        }
    }

    fn judge(&self, door: u64, bytes: &[u8]) -> Result<String, PortError> {
        let query = Query::Judge { stand: Stand::Door(door), bytes: PageBytes(bytes.to_vec()) };
        match self.runtime.block_on(self.station.port().query(query))? {
            Page::Judged(row) => Ok(row.verdict),
            other => panic!("{other:?}"),
        }
    }

    /// A fault of ours ends a host.
    fn fail(&self, link: Link) {
        let mut reader = self.station.port().entries().unwrap();
        let inner = &self.station.inner;
        match link {
            Link::Mpp => {
                let running = self.runtime.block_on(inner.running()).unwrap();
                let fault = BridgeRequest::Look(Box::new(|_| std::panic::panic_any("on purpose")));
                self.runtime.block_on(running.mpp.send(fault)).ok().unwrap();
            }
            Link::Rmp => inner.hosts.bus.ask(BusRequest::Break).unwrap(),
            Link::Macp => {
                inner.hosts.sessions.handle().unwrap().fail();
                // The next call finds it.
                let open = WorkbenchCommand::Open { door: DoorSpec::Call { rpc: Rpc::Initialize } };
                if let Ok(WorkbenchOutcome::Opened { door, .. }) = self.command(&*self.station.port(), open) {
                    let _ = self.send(door, b"");
                }
            }
            other => panic!("{other:?}"),
        }
        until(&self.runtime, &mut reader, |it| *it == station::Transition::HostDown { link });
    }

    fn restart(&self, link: Link) {
        let restarted = self.runtime.block_on(self.station.port().command(Command::Restart { link }));
        assert_eq!(restarted, Ok(Outcome::Restarted { link }));
    }
}

fn no_workbench(door: u64, why: &str) -> PortError {
    PortError::Workbench(WorkbenchError::NoWorkbench { door, why: Some(why.to_owned()) })
}

fn frames(kind: Kind) -> DoorSpec {
    DoorSpec::Peer { dialect: Dialect::Frames, kind: Some(kind), client: "made".to_owned() }
}

fn ping() -> Vec<u8> {
    use crate::rmp::control::{self, FromClient};
    let mut wire = Vec::new();
    let trace = crate::ids::TraceId(uuid::Uuid::from_u128(7));
    let now_ms = Clock::start().now().wall.0;
    control::append(&mut wire, &control::header(now_ms, trace, 3), &FromClient::Ping {});
    wire
}

#[test]
fn a_door_ends_with_its_host_and_says_so_and_a_new_one_opens_at_the_next() {
    let fixture = TestStation::open();
    let ping = ping();
    let cases: [(Link, DoorSpec, &[u8]); 3] = [
        (Link::Mpp, DoorSpec::Adapter { hello: false }, b"{\"mpp\":2,\"type\":\"heartbeat\"}\n"),
        (Link::Rmp, frames(Kind::Agent), &ping),
        (Link::Macp, DoorSpec::Call { rpc: Rpc::Initialize }, b""),
    ];
    for (link, spec, bytes) in cases {
        let [before, unused] = [0; 2].map(|_| fixture.open_door(spec.clone()));
        fixture.fail(link);
        let down = no_workbench(before, &format!("{} is down", link.title()));
        assert_eq!(fixture.send(before, bytes), Err(down.clone()), "{link:?}");
        assert_eq!(fixture.judge(before, bytes), Err(down), "{link:?}");
        fixture.restart(link);
        let gone = fixture.send(unused, bytes).unwrap_err();
        let PortError::Workbench(WorkbenchError::NoWorkbench { why: Some(why), .. }) = gone else {
            panic!("{link:?}: {gone:?}")
        };
        // It may have been closed while the host was down.
        let title = link.title();
        assert!([format!("{title} is down"), format!("{title} was restarted")].contains(&why), "{why}");
        let next = fixture.open_door(spec);
        let sent = fixture.send(next, bytes).unwrap();
        assert!(sent.own().is_some(), "{link:?}: {sent:?}");
    }
    fixture.station.stop();
}

#[test]
fn a_door_of_an_attached_operator_ends_with_its_session_and_one_of_the_own_console_stays() {
    let fixture = TestStation::open();
    let connect = || fixture.runtime.block_on(OperatorClient::connect(fixture.folder.path())).unwrap();
    let (first, second) = (connect(), connect());
    let own = fixture.open_door(frames(Kind::Agent));
    let closes = fixture.open_by(&first, frames(Kind::Agent));
    let stays = fixture.open_by(&second, frames(Kind::Agent));
    let mut reader = fixture.station.port().entries().unwrap();
    drop(first);
    let ended = no_workbench(closes, "closed with the session that opened it");
    let ping = ping();
    loop {
        if let Err(gone) = fixture.judge(closes, &ping) {
            break assert_eq!(gone, ended);
        }
        fixture.runtime.block_on(reader.ready());
        while reader.read().is_some() {}
    }
    for door in [own, stays] {
        assert_eq!(fixture.judge(door, &ping).unwrap(), "accepted", "door {door}");
    }
    // The bus is down, and so are all of its sessions; their doors to other hosts close too.
    let third = connect();
    let elsewhere = fixture.open_by(&third, DoorSpec::Call { rpc: Rpc::Initialize });
    let own = fixture.open_door(DoorSpec::Call { rpc: Rpc::Initialize });
    fixture.fail(Link::Rmp);
    let ended = no_workbench(elsewhere, "closed with the session that opened it");
    assert_eq!(fixture.judge(elsewhere, b""), Err(ended));
    assert!(fixture.judge(own, b"").is_ok());
    fixture.station.stop();
}
