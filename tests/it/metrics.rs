//! The metrics of a real station, read as Prometheus reads them.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
};

use serde_json::Value;

use crate::real::{Station, cli, json};

fn addr(station: &Station) -> SocketAddr {
    station.ready["metrics"].as_str().unwrap().parse().unwrap()
}

/// What a connection answers until its end.
fn ask(addr: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

fn metrics(addr: SocketAddr) -> String {
    ask(addr, &format!("GET /metrics HTTP/1.1\r\nHost: {addr}\r\n\r\n"))
}

fn invoke(data: &Path) {
    json(data, &["invoke", "heal_party"]);
}

#[test]
fn what_the_station_counts_is_read_over_http() {
    let data = tempfile::tempdir().unwrap();
    let station = Station::start_with(data.path(), &["--metrics", "0"]);
    let addr = addr(&station);
    assert!(addr.ip().is_loopback());
    for _ in 0..3 {
        invoke(data.path());
    }
    let text = metrics(addr);
    assert!(text.contains("\nrl_console_mpp_queue_pending_invocations{queue=\"default\"} 3\n"), "{text}");
    assert!(text.contains("\nrl_console_host_up{host=\"mpp\"} 1\n"), "{text}");
    let health = json(data.path(), &["ls", "health"]);
    let part = health.iter().find(|part| part["part"] == "metrics").unwrap();
    assert_eq!((&part["well"], &part["detail"]), (&true.into(), &format!("on http://{addr}/metrics").into()));
    station.kill();
}

#[test]
fn without_the_flag_there_is_no_endpoint() {
    let data = tempfile::tempdir().unwrap();
    let station = Station::start(data.path());
    assert_eq!(station.ready.as_object().unwrap().get("metrics"), None);
    assert!(json(data.path(), &["ls", "health"]).iter().all(|part| part["part"] != "metrics"));
    station.kill();
}

#[test]
fn clients_that_say_nothing_take_no_place_from_those_that_ask() {
    let data = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(data.path().join("home/config/rl-console")).unwrap();
    let config = "limits.metrics.connections_max = 4\n";
    std::fs::write(data.path().join("home/config/rl-console/config.toml"), config).unwrap();
    let station = Station::start_with(data.path(), &["--metrics", "127.0.0.1:0"]);
    let addr = addr(&station);
    let silent: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(addr).unwrap();
            stream.write_all(b"GET /metrics HTT").unwrap();
            stream
        })
        .collect();
    let text = metrics(addr);
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert!(text.contains("\nrl_console_metrics_cut_connections_total 17\n"), "{text}");
    for mut stream in silent.into_iter().take(17) {
        assert!(matches!(stream.read(&mut [0; 16]), Ok(0) | Err(_)), "the oldest are closed");
    }
    station.kill();
}

#[test]
fn an_address_in_use_is_told_and_the_station_goes_on() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap();
    let data = tempfile::tempdir().unwrap();
    let mut station = Station::start_with(data.path(), &["--metrics", &addr.to_string()]);
    assert_eq!(station.ready.as_object().unwrap().get("metrics"), None);
    let notice = station.event("notice");
    assert_eq!(notice["level"], "error");
    assert!(
        notice["text"].as_str().unwrap().starts_with(&format!("metrics not served: {addr} is in use")),
        "{notice}"
    );
    invoke(data.path());
    let output = cli(data.path(), &["--json", "ls", "health"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let health = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
    let row = health.iter().find(|row| row["part"] == "metrics").unwrap();
    assert_eq!((&row["well"], &row["status"]), (&false.into(), &"down".into()));
    assert_eq!(output.status.code(), Some(1), "a script sees by the exit code that something is down");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(
        (&error["error"]["code"], &error["error"]["message"]),
        (&"down".into(), &"down: metrics".into())
    );
    let others = json(data.path(), &["ls", "health", "--filter", "not part:metrics"]);
    assert!(others.len() > 4 && others.iter().all(|row| row["status"] != "down"), "{others:?}");
    let old = json(data.path(), &["ls", "health", "--filter", "part:recording well:yes"]);
    assert_eq!(old, json(data.path(), &["ls", "health", "--filter", "component:recording status:ok"]));
    assert_eq!(old.len(), 1, "an old filter is still read");
    let table = String::from_utf8(cli(data.path(), &["ls", "health"]).stdout).unwrap();
    let heads: Vec<_> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["component", "status", "figures", "detail"]);

    drop(taken);
    let notice = loop {
        let notice = station.event("notice");
        if notice["level"] == "info" {
            break notice;
        }
    };
    assert_eq!(notice["text"], format!("metrics served on http://{addr}/metrics"));
    assert!(metrics(addr).contains("\nrl_console_mpp_queue_pending_invocations{queue=\"default\"} 1\n"));
    station.kill();
}
