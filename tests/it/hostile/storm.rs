//! Storms of connections on every port at one time: who has a place, and what is left of it afterwards.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use rl_console::{
    limits::Limits,
    station::{Config, Station},
    time::Clock,
};
use tempfile::TempDir;

use super::operator_bounds::{lists, stops_here};

/// How long it is waited for what must come.
const PATIENCE: Duration = Duration::from_secs(20);
/// Places of each port.
const PLACES: usize = 8;

/// A station in this process.
struct Target {
    station: Option<Station>,
    tcp: [SocketAddr; 3],
    folder: TempDir,
}

impl Target {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut limits = Limits::default();
        for port in ["mpp", "rmp", "macp", "metrics"] {
            limits.set(&format!("limits.{port}.connections_max"), PLACES as u64).unwrap();
        }
        limits.set("limits.rmp.leaving_max", PLACES as u64).unwrap();
        let any = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        let socket = Some(folder.path().join("rmp.sock"));
        let config = Config { limits, metrics: any, grpc: any, socket, ..Config::within(folder.path()) };
        let station = Station::start(config, Clock::start()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ready = runtime.block_on(station.ready()).unwrap();
        let tcp = [ready.mpp.unwrap(), ready.macp.unwrap(), ready.metrics.unwrap()];
        Self { station: Some(station), tcp, folder }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("rmp.sock")
    }

    /// Descriptors of the station's side: its listeners, and connections that are not closed.
    fn held(&self) -> [usize; 4] {
        let [mpp, macp, metrics] = self.tcp.map(|addr| held_of_tcp(addr.port()));
        [mpp, held_of_unix(&self.socket()), macp, metrics]
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(station) = self.station.take() {
            station.stop();
        }
    }
}

/// Sockets of a local port that somebody has a descriptor of.
fn held_of_tcp(port: u16) -> usize {
    let table = fs::read_to_string("/proc/self/net/tcp").unwrap();
    let local = format!(":{port:04X}");
    let is_held = |line: &&str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        fields[1].ends_with(&local) && fields[9] != "0"
    };
    table.lines().skip(1).filter(is_held).count()
}

/// Sockets of a path.
fn held_of_unix(path: &Path) -> usize {
    let table = fs::read_to_string("/proc/self/net/unix").unwrap();
    table.lines().filter(|line| line.ends_with(path.to_str().unwrap())).count()
}

#[track_caller]
fn until(what: &str, holds: impl Fn() -> bool) {
    let step = Duration::from_millis(10);
    let tries = PATIENCE.as_millis() / step.as_millis();
    let held = (0..tries).any(|_| {
        holds() || {
            std::thread::sleep(step);
            false
        }
    });
    assert!(held, "{what}");
}

/// Connections to every port that say nothing.
fn silent(target: &Target) -> (Vec<TcpStream>, Vec<UnixStream>) {
    let mut storm: (Vec<TcpStream>, Vec<UnixStream>) = Default::default();
    for _ in 0..200 {
        storm.0.extend(target.tcp.map(|addr| TcpStream::connect(addr).unwrap()));
        storm.1.push(UnixStream::connect(target.socket()).unwrap());
    }
    storm
}

#[test]
fn a_storm_of_silent_connections_leaves_no_descriptor_behind() {
    let mut target = Target::start();
    let before = target.held();
    assert_eq!(before, [1; 4], "the listeners");
    let storm = silent(&target);
    // All peers are there still: who made room is closed all the same, at the latest once it has lingered.
    until("places, and those of the operators' room and of those who leave", || {
        let held = target.held();
        held.iter().all(|held| *held <= 1 + 3 * PLACES)
    });
    lists(target.folder.path());
    drop(storm);
    until("as before", || target.held() == before);
    let _storm = silent(&target);
    stops_here(target.folder.path(), target.station.take().unwrap());
}
