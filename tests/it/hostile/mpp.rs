//! Attacks on the bridge's port (mpp-v2, framing and hello; rulings MPP 2 and 4).

use std::{
    io::{Read as _, Write as _},
    net::{IpAddr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket},
    time::Duration,
};

use rl_console::{
    limits::{self, Limits},
    mpp::manifest::Pack,
    station::{Config, Station},
    time::Clock,
};
use tempfile::TempDir;

use super::operator_bounds::stops_here;
use crate::real::{Adapter, pair};

/// A station in this process, for its bridge.
struct Bridge {
    station: Option<Station>,
    addr: SocketAddr,
    token: String,
    folder: TempDir,
}

impl Bridge {
    fn with(mpp: limits::Mpp) -> Self {
        Self::bound(mpp, IpAddr::from([127, 0, 0, 1]))
    }

    fn bound(mpp: limits::Mpp, bind: IpAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let token = pair(folder.path());
        let limits = Limits { mpp, ..Limits::default() };
        let station =
            Station::start(Config { limits, bind, ..Config::within(folder.path()) }, Clock::start()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let addr = runtime.block_on(station.ready()).unwrap().mpp.unwrap();
        Self { station: Some(station), addr, token, folder }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.addr).unwrap()
    }

    /// An operator is answered, and ends the station, while the attackers are there.
    #[track_caller]
    fn operated(mut self) {
        stops_here(self.folder.path(), self.station.take().unwrap());
    }

    fn hello(&self) -> String {
        let (pack, token) = (Pack::sample(), &self.token);
        let (id, hash) = (&pack.id, &pack.hash);
        format!(
            r#"{{"mpp":2,"type":"hello","pack_id":"{id}","manifest_hash":"{hash}","bridge_token":"{token}"}}"#
        )
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        if let Some(station) = self.station.take() {
            station.stop();
        }
    }
}

/// All that a peer is told until its connection ends.
fn told(mut stream: &TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn connections_that_say_nothing_make_room() {
    let bridge = Bridge::with(limits::Mpp { connections_max: 4, ..limits::Mpp::default() });
    let silent: Vec<_> = (0..50).map(|_| bridge.connect()).collect();
    let mut adapter = Adapter::ready(bridge.addr, &bridge.token);
    let more: Vec<_> = (0..50).map(|_| bridge.connect()).collect();
    // The adapter and the last three are left: nobody comes who could take the place of its last word.
    for stream in silent.iter().chain(&more[..47]) {
        assert!(matches!((&*stream).read(&mut [0; 8]), Ok(0) | Err(_)), "without a word");
    }
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"nowhere"}"#).unwrap();
    assert_eq!(adapter.receive().unwrap()["code"], "UNKNOWN_QUEUE", "it was there all the time");
    bridge.operated();
}

#[test]
fn an_adapter_whose_hello_has_come_does_not_make_room_before_it_is_read() {
    let bridge = Bridge::with(limits::Mpp { connections_max: 4, ..limits::Mpp::default() });
    for _ in 0..20 {
        let mut coming = Adapter::connect(bridge.addr);
        coming.send(&bridge.hello()).unwrap();
        let crowd: Vec<_> = (0..16).map(|_| bridge.connect()).collect();
        let ack = coming.receive().expect("an answer");
        assert_eq!(ack["ok"], true, "{ack}");
        drop((coming, crowd));
    }
    bridge.operated();
}

#[test]
fn a_line_that_does_not_become_whole_in_time_is_an_invalid_frame() {
    let bridge = Bridge::with(limits::Mpp { frame_ms_max: 200, ..limits::Mpp::default() });
    for begun in [&b"{"[..], br#"{"mpp":2,"type":"hello","bridge_token":"secret"#, &vec![b'x'; 30_000]] {
        let mut slow = bridge.connect();
        slow.write_all(begun).unwrap();
        let told = told(&slow);
        let error: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(
            (&error["type"], &error["code"]),
            (&"protocol_error".into(), &"INVALID_FRAME".into()),
            "{told}"
        );
    }
    let mut adapter = Adapter::ready(bridge.addr, &bridge.token);
    adapter.socket().write_all(br#"{"mpp":2,"type":"log","level":"info","message":"#).unwrap();
    let error = adapter.receive().unwrap();
    assert_eq!(error["code"], "INVALID_FRAME", "{error}");
    assert_eq!(adapter.receive(), None);
    bridge.operated();
}

#[test]
fn of_what_is_being_received_the_longest_line_ends_when_it_is_too_much() {
    let limits = limits::Mpp { receiving_bytes_max: 65_536, ..limits::Mpp::default() };
    let bridge = Bridge::with(limits);
    let mut senders: Vec<_> = (0..3).map(|_| bridge.connect()).collect();
    for sender in &mut senders {
        sender.write_all(&vec![b'x'; 30_000]).unwrap();
        sender.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    }
    let is_ended = |stream: &TcpStream| matches!((&*stream).read(&mut [0; 8]), Ok(0));
    let ended = (0..1_000).find_map(|_| senders.iter().position(is_ended));
    let ended = ended.expect("one is closed without a frame");
    assert_eq!((0..3).filter(|at| *at == ended || is_ended(&senders[*at])).count(), 1, "two fit");
    Adapter::ready(bridge.addr, &bridge.token);
    bridge.operated();
}

/// An address of this machine that is not loopback, of each family, where there is one.
fn own_addrs() -> Vec<IpAddr> {
    // Nothing is sent: it is asked by which address one would leave.
    let leaves = |to: &str| {
        let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
        socket.connect(to).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let v4 = ["192.0.2.1:9", "10.0.0.1:9"].into_iter().find_map(leaves);
    // The fourth field is the scope, which is 0 of those that hold everywhere.
    let table = std::fs::read_to_string("/proc/self/net/if_inet6").unwrap_or_default();
    let global = |line: &str| {
        let (addr, rest) = line.split_at_checked(32)?;
        let bits = u128::from_str_radix(addr, 16).ok()?;
        (rest.split_ascii_whitespace().nth(2) == Some("00")).then_some(Ipv6Addr::from_bits(bits).into())
    };
    let v6 = table.lines().find_map(global);
    v4.into_iter().chain(v6).filter(|addr: &IpAddr| !addr.is_loopback()).collect()
}

#[test]
fn an_address_has_its_share_whatever_comes_from_it() {
    let addrs = own_addrs();
    if addrs.is_empty() {
        eprintln!("skipped: this machine has no address but loopback");
    }
    for addr in addrs {
        let any = if addr.is_ipv4() { IpAddr::from([0; 4]) } else { Ipv6Addr::UNSPECIFIED.into() };
        let limits = limits::Mpp { connections_max: 8, peer_connections_max: 1, ..limits::Mpp::default() };
        let bridge = Bridge::bound(limits, any);
        let from_afar = SocketAddr::new(addr, bridge.addr.port());
        let mut adapter = Adapter::ready(from_afar, &bridge.token);
        let refused: Vec<_> = (0..3).map(|_| TcpStream::connect(from_afar).unwrap()).collect();
        for stream in &refused {
            assert_eq!(told(stream), "", "it has its share: {addr}");
        }
        let here = if addr.is_ipv4() { "127.0.0.1" } else { "::1" };
        let here = TcpStream::connect((here, bridge.addr.port())).unwrap();
        here.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let left = (&here).read(&mut [0; 8]).unwrap_err().kind();
        assert_eq!(left, std::io::ErrorKind::WouldBlock, "another's place is its own");
        adapter.send(r#"{"mpp":2,"type":"pull","queue":"nowhere"}"#).unwrap();
        assert_eq!(adapter.receive().unwrap()["code"], "UNKNOWN_QUEUE", "it was there all the time");
        bridge.operated();
    }
}

#[test]
fn who_is_told_why_it_goes_hears_it_however_many_newcomers_come() {
    let bridge = Bridge::with(limits::Mpp { connections_max: 4, ..limits::Mpp::default() });
    for _ in 0..20 {
        let mut refused = bridge.connect();
        refused.write_all(b"no frame\n").unwrap();
        let crowd: Vec<_> = (0..32).map(|_| bridge.connect()).collect();
        let told = told(&refused);
        assert!(told.contains("INVALID_FRAME"), "{told}");
        drop(crowd);
    }
    bridge.operated();
}
