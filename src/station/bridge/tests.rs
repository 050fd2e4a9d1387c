//! The bridge fails, and is started again, in a whole station.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    admission::{Origin, TurnedAway},
    ids::InvocationId,
    limits::Limits,
    mpp::{self, NewInvocation, host::Request, manifest::Pack},
    port::{Command, HostState, InvocationRow, Operator, Outcome, Page, PortError, Query},
    station::{Config, OperatorClient, Station, pairing},
    tap::{
        Reader,
        entry::{Link, Transition, What, mpp::RowState, station},
    },
    time::{Clock, Mono},
};

const PATIENCE: Duration = Duration::from_secs(60);

/// Reads on until the station tells of something.
pub(in crate::station) fn until(
    runtime: &tokio::runtime::Runtime,
    reader: &mut Reader,
    wanted: impl Fn(&station::Transition) -> bool,
) {
    let come = async {
        loop {
            while let Some(batch) = reader.read() {
                if batch.iter().any(|item| {
                    matches!(&item.entry.what, What::Transition(Transition::Station(it)) if wanted(it))
                }) {
                    return;
                }
            }
            reader.ready().await;
        }
    };
    runtime.block_on(async { tokio::time::timeout(PATIENCE, come).await }).unwrap();
}

/// A paired station that a test can break.
struct TestStation {
    runtime: tokio::runtime::Runtime,
    folder: TempDir,
    token: String,
    station: Station,
    addr: SocketAddr,
}

impl TestStation {
    fn open() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let token = pairing::pair(folder.path(), false).unwrap().reveal().to_owned();
        Self::start(runtime, folder, token)
    }

    /// Ends it and starts it again, once its folder is as wanted.
    fn restarted(self, meanwhile: impl FnOnce(&std::path::Path)) -> Self {
        let Self { runtime, folder, token, station, .. } = self;
        station.stop();
        meanwhile(folder.path());
        Self::start(runtime, folder, token)
    }

    fn start(runtime: tokio::runtime::Runtime, folder: TempDir, token: String) -> Self {
        let config = Config::within(folder.path());
        let station = Station::start(config, Clock::start()).unwrap();
        let addr = runtime.block_on(station.ready()).unwrap().mpp.unwrap();
        Self { runtime, folder, token, station, addr }
    }

    fn command(&self, command: Command) -> Result<Outcome, PortError> {
        self.runtime
            .block_on(async { OperatorClient::connect(self.folder.path()).await?.command(command).await })
    }

    fn invoke(&self) -> InvocationId {
        let row = NewInvocation::new("heal_party");
        match self.command(Command::Mpp(mpp::Command::Enqueue { rows: vec![row] })).unwrap() {
            Outcome::Mpp(mpp::Outcome::Enqueued(rows)) => rows[0].as_ref().unwrap().id,
            other => unreachable!("{other:?}"),
        }
    }

    fn rows(&self) -> Vec<InvocationRow> {
        let query = Query::Invocations {
            state: None,
            queue: None,
            other_manifest: false,
            beyond: None,
            oldest_first: true,
            filter: None,
            limit: 100,
        };
        let page = self
            .runtime
            .block_on(async { OperatorClient::connect(self.folder.path()).await?.query(query).await });
        let Page::Invocations { rows, .. } = page.unwrap() else { unreachable!() };
        rows
    }

    fn snapshot(&self) -> crate::port::Snapshot {
        self.runtime.block_on(self.station.port().snapshot()).unwrap()
    }

    fn reader(&self) -> Reader {
        self.station.port().entries().unwrap()
    }

    /// The bridge's thread panics, between two events of its loop.
    fn break_bridge(&self, reader: &mut Reader) {
        let running = self.runtime.block_on(self.station.inner.running()).unwrap();
        let fault = Request::Look(Box::new(|_| std::panic::panic_any("on purpose")));
        self.runtime.block_on(running.mpp.send(fault)).ok().unwrap();
        self.until(reader, |transition| {
            matches!(transition, station::Transition::HostDown { link: Link::Mpp })
        });
    }

    fn until(&self, reader: &mut Reader, wanted: impl Fn(&station::Transition) -> bool) {
        until(&self.runtime, reader, wanted);
    }

    /// As adapters do: a bridge that has just begun may not have its port yet.
    fn connect(&self) -> TcpStream {
        let until = std::time::Duration::from_millis(20);
        for _ in 0..PATIENCE.as_millis() / until.as_millis() {
            match TcpStream::connect(self.addr) {
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                    std::thread::sleep(until);
                }
                connected => return connected.unwrap(),
            }
        }
        panic!("nothing listens on {}", self.addr)
    }

    fn adapter(&self) -> Adapter {
        let pack = Pack::sample();
        let stream = self.connect();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut adapter = Adapter(BufReader::new(stream));
        let hello = format!(
            r#"{{"mpp":2,"type":"hello","pack_id":"{}","manifest_hash":"{}","bridge_token":"{}"}}"#,
            pack.id, pack.hash, self.token
        );
        adapter.send(&hello);
        assert_eq!(adapter.receive().unwrap()["ok"], true);
        adapter
    }
}

#[test]
fn a_lent_token_is_accepted_beside_that_of_the_pairing() {
    let fixture = TestStation::open();
    let running = fixture.runtime.block_on(fixture.station.inner.running()).unwrap();
    let (pack, token) = (Pack::sample(), "lent-for-one-hello");
    let hello = format!(
        r#"{{"mpp":2,"type":"hello","pack_id":"{}","manifest_hash":"{}","bridge_token":"{token}"}}"#,
        pack.id, pack.hash
    );
    let stream = fixture.connect();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let to = stream.local_addr().unwrap();
    let (answer, lent) = tokio::sync::oneshot::channel();
    let token_sha256 = mpp::TokenHash::of(token);
    running.ask(mpp::host::Request::Lend { token_sha256, to, until: Mono(u64::MAX), answer }).unwrap();
    fixture.runtime.block_on(lent).unwrap().unwrap();
    let mut adapter = Adapter(BufReader::new(stream));
    adapter.send(&hello);
    assert_eq!(adapter.receive().unwrap()["ok"], true);
    let judge = || {
        let (line, now) = (format!("{hello}\n"), fixture.station.inner.clock.now());
        let judge = move |bridge: &mpp::Bridge| bridge.judge(now, &mpp::Stand::Newcomer, line.as_bytes());
        let judged = running.with_bridge(judge);
        fixture.runtime.block_on(judged).unwrap()
    };
    let reason = mpp::Fault::Hello(mpp::HelloReason::InvalidToken);
    assert_eq!(judge().verdict, Ok(crate::tap::entry::Verdict::Mpp(mpp::Verdict::Refused(reason))));
    let mut second = Adapter(BufReader::new(fixture.connect()));
    second.send(&hello);
    assert_eq!(second.receive().unwrap()["reason"], "invalid_token", "once");
}

struct Adapter(BufReader<TcpStream>);

impl Adapter {
    fn send(&mut self, line: &str) {
        self.0.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        matches!(self.0.read_line(&mut line), Ok(1..)).then(|| serde_json::from_str(&line).unwrap())
    }

    fn pull(&mut self) -> Value {
        self.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#);
        self.receive().unwrap()
    }
}

#[test]
fn a_bridge_that_failed_is_started_again_with_all_that_was_accepted() {
    let fixture = TestStation::open();
    let mut reader = fixture.reader();
    let mut adapter = fixture.adapter();
    let (done, flying, waiting) = (fixture.invoke(), fixture.invoke(), fixture.invoke());
    assert_eq!(adapter.pull()["id"], done.0);
    adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{done},"result":null}}"#));
    adapter.send(&format!(r#"{{"mpp":2,"type":"done","id":{done}}}"#));
    assert_eq!(adapter.pull()["id"], flying.0);
    fixture.command(Command::Mpp(mpp::Command::Hold { queue: Some("boss".into()) })).unwrap();
    let before = fixture.snapshot();
    fixture.break_bridge(&mut reader);
    assert!(adapter.receive().is_none(), "its connection is closed");
    assert!(matches!(fixture.command(Command::Mpp(mpp::Command::Kick)), Err(PortError::HostDown { .. })));

    assert_eq!(
        fixture.command(Command::Restart { link: Link::Mpp }),
        Ok(Outcome::Restarted { link: Link::Mpp })
    );
    fixture.until(&mut reader, |transition| {
        matches!(transition, station::Transition::HostUp { link: Link::Mpp })
    });
    let states: Vec<_> = fixture.rows().into_iter().map(|row| (row.id, row.state)).collect();
    assert_eq!(states, [(done, RowState::Done), (flying, RowState::Pending), (waiting, RowState::Pending)]);
    let after = fixture.snapshot();
    assert_eq!(after.station.hosts[Link::Mpp.index()], HostState::Up);
    assert!(after.mpp.queues["boss"].brake.held && after.mpp.adapter.is_none() && after.mpp.paired);
    assert_eq!(after.mpp.queues["default"].pending, 2);
    assert!(
        after.as_of.0[Link::Mpp.index()] >= before.as_of.0[Link::Mpp.index()],
        "what the old bridge said is not folded onto it"
    );

    let mut adapter = fixture.adapter();
    assert_eq!(adapter.pull()["id"], flying.0, "what was in flight is first again");
    let later = fixture.invoke();
    assert!(later > waiting, "no id is given twice");
    fixture.station.stop();
}

#[test]
fn a_bridge_that_fails_again_and_again_is_started_as_often() {
    let fixture = TestStation::open();
    let mut reader = fixture.reader();
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(fixture.invoke());
        fixture.break_bridge(&mut reader);
        fixture.command(Command::Restart { link: Link::Mpp }).unwrap();
    }
    assert_eq!(fixture.rows().into_iter().map(|row| row.id).collect::<Vec<_>>(), ids);
    fixture.adapter();
    fixture.station.stop();
}

#[test]
fn who_is_turned_away_is_said_while_there_is_no_bridge() {
    let fixture = TestStation::open();
    let mut reader = fixture.reader();
    fixture.break_bridge(&mut reader);
    let inner = &fixture.station.inner;
    let parts = inner.parts.upgrade().unwrap();
    let lock = std::sync::Arc::clone(&parts.lock().unwrap().as_ref().unwrap().foundation.lock);
    let restarted =
        fixture.runtime.block_on(fixture.station.port().command(Command::Restart { link: Link::Mpp }));
    assert!(matches!(restarted, Err(PortError::HostDown { .. })), "its store is held: {restarted:?}");
    inner.admission.metrics.count(TurnedAway::TableFull, Origin::Unknown);
    fixture.until(&mut reader, |transition| {
        matches!(transition, station::Transition::TurnedAway { why: TurnedAway::TableFull, count: 1, .. })
    });
    drop((lock, parts));
    fixture.station.stop();
}

#[test]
fn a_bridge_that_is_up_is_left_alone_and_of_two_restarts_one_does_it() {
    let fixture = TestStation::open();
    let mut reader = fixture.reader();
    let up = PortError::HostUp { link: Link::Mpp };
    assert_eq!(fixture.command(Command::Restart { link: Link::Mpp }), Err(up.clone()));
    fixture.break_bridge(&mut reader);
    let port = fixture.station.port();
    let restart = || port.command(Command::Restart { link: Link::Mpp });
    let (one, two) = fixture.runtime.block_on(async { tokio::join!(restart(), restart()) });
    let mut both = [one, two];
    both.sort_by_key(Result::is_err);
    assert_eq!(both, [Ok(Outcome::Restarted { link: Link::Mpp }), Err(up)]);
    fixture.adapter();
    fixture.station.stop();
}

#[test]
fn a_station_whose_bridge_is_down_stops_in_order() {
    let fixture = TestStation::open();
    let mut reader = fixture.reader();
    let id = fixture.invoke();
    fixture.break_bridge(&mut reader);
    let TestStation { folder, station, .. } = fixture;
    station.stop();
    let pack = Pack::sample();
    let (store, opened) = crate::store::Store::open(
        folder.path(),
        &pack.id,
        &pack.hash,
        Limits::default().store,
        Clock::start(),
    )
    .unwrap();
    assert!(opened.notices.is_empty(), "{:?}", opened.notices);
    assert!(opened.restored.next_id > id);
    store.close().unwrap();
}

#[test]
fn a_row_that_is_refused_is_said_so_in_the_log() {
    let fixture = TestStation::open();
    let mut reader = fixture.reader();
    let rows = ["heal_party", "nonsense"].map(NewInvocation::new).into();
    fixture.command(Command::Mpp(mpp::Command::Enqueue { rows })).unwrap();
    fixture.until(&mut reader, |transition| {
        matches!(transition, station::Transition::Notice { level: station::Level::Warn })
    });
    fixture.station.stop();
}

#[test]
fn on_a_full_disk_the_station_starts_without_its_store_and_opens_it_once_there_is_room() {
    let fixture = TestStation::open();
    let id = fixture.invoke();
    // As /dev/full; SQLite follows no links to it.
    let full = |path: &std::path::Path| {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let device = rustix::fs::makedev(1, 7);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::CharacterDevice, mode, device)
    };
    if full(&fixture.folder.path().join("try")).is_err() {
        eprintln!("skipped: this user makes no devices");
        return;
    }
    let probe = fixture.folder.path().join("station.probe");
    // Neither the write-ahead log nor the probe can be written.
    let fixture = fixture.restarted(|data| {
        let log = data.join("station.db-wal");
        // It is there still where a reader ended behind the writer.
        while log.exists() {
            let database = rusqlite::Connection::open(data.join("station.db")).unwrap();
            database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        }
        full(&log).unwrap();
        std::fs::create_dir(&probe).unwrap();
    });
    let mut reader = fixture.reader();
    let failing = fixture.snapshot().mpp.commits_failing.unwrap();
    assert!(failing.contains("is full") && failing.contains("free disk space"), "{failing}");
    fixture.adapter();
    let row = NewInvocation::new("heal_party");
    let refused = fixture.command(Command::Mpp(mpp::Command::Enqueue { rows: vec![row] }));
    assert!(matches!(&refused, Err(error) if error.to_string().contains("is full")), "{refused:?}");

    std::fs::remove_dir(&probe).unwrap();
    fixture.until(&mut reader, |transition| {
        matches!(transition, station::Transition::HostUp { link: Link::Mpp })
    });
    let rows = fixture.rows();
    assert_eq!(rows.iter().map(|row| (row.id, row.state)).collect::<Vec<_>>(), [(id, RowState::Pending)]);
    assert!(fixture.invoke() > id);
    let after = fixture.snapshot();
    assert_eq!(after.mpp.commits_failing, None);
    assert_eq!(after.station.hosts[Link::Mpp.index()], HostState::Up);
    assert_eq!(after.station.hosts[Link::Runs.index()], HostState::Up, "it needs the store to start");
    assert_eq!(fixture.adapter().pull()["id"], id.0);
    fixture.station.stop();
}

#[test]
fn a_token_that_was_asked_for_is_masked_only_while_it_may_come_into_force() {
    let fixture = TestStation::open();
    let (port, tap) = (fixture.station.port(), &fixture.station.inner.tap);
    let folder = tempfile::tempdir().unwrap();
    let fresh = || pairing::pair(folder.path(), true).unwrap();
    let ask = |token: &pairing::Token| {
        port.command(Command::Mpp(mpp::Command::Pair { token_sha256: token.sha256() }))
    };
    let is_masked = |token: &pairing::Token| tap.text_without_tokens(token.reveal()) != token.reveal();
    let (first, second) = (fresh(), fresh());
    // Nobody waits for the answer any more, and the token comes into force.
    fixture.runtime.block_on(async {
        let mut asked = ask(&first);
        std::future::poll_fn(|cx| std::task::Poll::Ready(asked.as_mut().poll(cx).is_pending())).await;
    });
    fixture.runtime.block_on(ask(&second)).unwrap();
    assert!(is_masked(&second));
    assert!(!is_masked(&first), "it is in force no more");
    // Without a bridge it never comes into force.
    let third = fresh();
    fixture.break_bridge(&mut fixture.reader());
    fixture.runtime.block_on(ask(&third)).unwrap_err();
    assert!(!is_masked(&third));
}
