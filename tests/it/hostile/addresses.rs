//! Sessions of an address that is not loopback: all of its connections share them.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use bytes::Bytes;
use rl_console::macp::proto::v1::SendRequest;
use tokio::runtime::Runtime;
use tonic::{Code, Status, transport::Endpoint};

use super::operator_bounds::{lists, stops};
use crate::{
    macp::test_station::{Client, envelope},
    real::{Station, json},
};

/// An address of this machine that is not loopback, if it has one. No packet is sent.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then_some(own)
}

fn connect(runtime: &Runtime, ip: IpAddr, port: u16) -> Client {
    let endpoint = Endpoint::new(format!("http://{}", SocketAddr::new(ip, port))).unwrap();
    Client::new(runtime.block_on(endpoint.connect()).unwrap())
}

fn begin(runtime: &Runtime, client: &Client, session: &str) -> Result<bool, Status> {
    let envelope = Some(envelope(session, "SessionStart", "start", "a", Bytes::new()));
    let sent = runtime.block_on(client.clone().send(SendRequest { envelope }))?;
    Ok(sent.into_inner().ack.unwrap().ok)
}

#[test]
fn connections_of_one_address_share_its_sessions_and_are_cancelled_together() {
    let Some(own) = own_address() else {
        eprintln!("skipped: this machine has no address but loopback");
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("home/config/rl-console");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "[limits.macp]\npeer_sessions_max = 4\n").unwrap();
    let station = Station::start_with(data.path(), &["--grpc", "0.0.0.0:0"]);
    let port = station.ready["macp"].as_str().unwrap().parse::<SocketAddr>().unwrap().port();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let both = [connect(&runtime, own, port), connect(&runtime, own, port)];
    for n in 0..4 {
        assert!(begin(&runtime, &both[n % 2], &format!("s{n}")).unwrap());
    }
    for client in &both {
        let declined = begin(&runtime, client, "s4").unwrap_err();
        assert_eq!(declined.code(), Code::ResourceExhausted);
        assert!(declined.message().contains("limits.macp.peer_sessions_max"), "{declined:?}");
    }
    lists(data.path());
    let local = [(); 2].map(|()| connect(&runtime, [127, 0, 0, 1].into(), port));
    for (n, client) in local.iter().enumerate() {
        for more in 0..4 {
            assert!(begin(&runtime, client, &format!("l{n}-{more}")).unwrap(), "each of these has its own");
        }
    }
    let cancelled = json(data.path(), &["session", "cancel", "--by", &own.to_string()]);
    assert_eq!(cancelled[0]["sessions"], 4, "{cancelled:?}");
    assert!(begin(&runtime, &both[1], "s4").unwrap());
    stops(data.path());
}
