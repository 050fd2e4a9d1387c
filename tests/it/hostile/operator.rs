//! What the operator can do, and sees, while a port is under attack.

use std::{
    io::Write as _,
    net::{SocketAddr, TcpStream},
    path::Path,
};

use rl_console::station::bus::{TokenKind, token};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::Value;

use super::operator_bounds::{ls, stops, stops_by_force};
use crate::{
    real::{Station, cli, json},
    rmp_bus::{Peer, frames},
};

/// A station whose bus has 8 places, which one process may take, and room for few operators.
fn station(data: &Path, operators: u64) -> Station {
    let folder = data.join("home/config/rl-console");
    std::fs::create_dir_all(&folder).unwrap();
    let bounds = format!(
        "[limits.rmp]\nconnections_max = 8\npeer_connections_max = 8\noperator_connections_max = {operators}\n"
    );
    std::fs::write(folder.join("config.toml"), bounds).unwrap();
    Station::start(data)
}

/// How many say nothing at a port, as the operator sees it.
fn silent(data: &Path, link: &str) -> usize {
    let mut rows = json(data, &["ls", "clients"]);
    rows.retain(|row| row["link"] == link && row["silent_ms"].is_u64() && row["connected_at_ms"].is_u64());
    rows.len()
}

/// Agents that take all places and do nothing.
fn idle(station: &Station) -> Vec<Peer> {
    let path = station.ready["rmp"].as_str().unwrap();
    (0..8).map(|_| Peer::greeted(Path::new(path), "agent", None)).collect()
}

fn health(data: &Path, part: &str) -> Value {
    // The exit code is 1 where something is down.
    ls(data, &["health"]).1.into_iter().find(|row| row["part"] == part).unwrap()
}

#[test]
fn with_all_places_taken_the_operator_asks_and_is_told_what_to_do_and_ends_the_station() {
    let data = tempfile::tempdir().unwrap();
    let mut station = station(data.path(), 8);
    let _idle = idle(&station);
    let path = station.ready["rmp"].as_str().unwrap().to_owned();
    for _ in 0..6 {
        let mut one_more = Peer::connect(Path::new(&path));
        let fields = vec![("v", 1.into()), ("client", "test".into()), ("kind", "agent".into())];
        one_more.send(&frames::control(1, "Hello", fields));
        assert_eq!(one_more.hear().error().1, "Busy");
    }
    let notice = station.event("notice");
    let text = notice["text"].as_str().unwrap();
    assert!(text.contains("reject") && text.contains("limits.rmp.connections_max"), "{notice}");
    let row = health(data.path(), "rmp");
    let detail = row["detail"].as_str().unwrap();
    assert_eq!((&row["well"], &row["status"]), (&true.into(), &"degraded".into()), "{row}");
    assert!(
        detail.contains("6 connections rejected recently: too many connections, and no operator token"),
        "{row}"
    );
    assert!(detail.contains("stop the client that holds too many connections (`ls clients`"), "{row}");
    let ours = format!("most are from uid {} pid {}", rustix::process::getuid().as_raw(), std::process::id());
    assert!(detail.contains(&ours) && text.contains(&ours), "{row} {notice}");
    assert_eq!(health(data.path(), "mpp")["part"], "mpp");
    stops(data.path());
}

#[test]
fn who_says_nothing_at_a_port_is_named_with_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("home/config/rl-console");
    std::fs::create_dir_all(&folder).unwrap();
    let bounds = ["mpp", "macp", "metrics"].map(|port| format!("[limits.{port}]\nconnections_max = 8\n"));
    std::fs::write(folder.join("config.toml"), bounds.concat()).unwrap();
    let station = Station::start_with(data.path(), &["--metrics", "127.0.0.1:0"]);
    for (part, link) in [("mpp", "mpp"), ("macp", "macp"), ("metrics", "station")] {
        let addr: SocketAddr = station.ready[part].as_str().unwrap().parse().unwrap();
        let _silent: Vec<TcpStream> = (0..24).map(|_| TcpStream::connect(addr).unwrap()).collect();
        let row = (0..100)
            .map(|_| health(data.path(), part))
            .find(|row| row["detail"].as_str().unwrap().contains("rejected recently"));
        let row = row.unwrap_or_else(|| panic!("{part}"));
        assert_eq!(silent(data.path(), link), 8, "{part}");
        let detail = row["detail"].as_str().unwrap();
        assert!(detail.contains("most are from 127.0.0.1; ") && detail.contains("`ls clients`"), "{row}");
    }
}

#[test]
fn where_not_even_an_operator_has_a_place_force_ends_the_station() {
    let data = tempfile::tempdir().unwrap();
    let station = station(data.path(), 1);
    let _idle = idle(&station);
    let shown = token(data.path(), TokenKind::Operator).unwrap();
    let path = station.ready["rmp"].as_str().unwrap().to_owned();
    let _operator = Peer::greeted(Path::new(&path), "tui", Some(&shown));
    let refused = cli(data.path(), &["stop", "--yes"]);
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("limits.rmp.connections_max") && said.contains("stop --force"), "{said}");
    stops_by_force(data.path());
}

#[test]
fn with_the_places_of_every_port_taken_the_operator_ends_the_station() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("home/config/rl-console");
    std::fs::create_dir_all(&folder).unwrap();
    let bounds = ["mpp", "rmp", "macp", "metrics"]
        .map(|port| format!("[limits.{port}]\nconnections_max = 8\npeer_connections_max = 8\n"));
    std::fs::write(folder.join("config.toml"), bounds.concat()).unwrap();
    let station = Station::start_with(data.path(), &["--metrics", "127.0.0.1:0"]);
    let _agents = idle(&station);
    let taken: Vec<TcpStream> = ["mpp", "macp", "metrics"]
        .into_iter()
        .flat_map(|port| {
            let addr: SocketAddr = station.ready[port].as_str().unwrap().parse().unwrap();
            (0..8).map(move |_| TcpStream::connect(addr).unwrap())
        })
        .collect();
    for part in ["mpp", "rmp", "macp", "metrics"] {
        assert_eq!(health(data.path(), part)["part"], part);
    }
    stops(data.path());
    drop(taken);
}

/// The limit is lowered while the station runs, so that its tables are not cut to it.
#[test]
fn where_the_limit_of_open_files_is_reached_operators_are_accepted_and_work_is_kept() {
    const FILES_MAX: u64 = 64;
    let data = tempfile::tempdir().unwrap();
    let station = Station::start(data.path());
    let pid = Pid::from_raw(i32::try_from(station.pid()).unwrap());
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    prlimit(pid, Resource::Nofile, Rlimit { current: Some(FILES_MAX), maximum }).unwrap();
    let path = station.ready["rmp"].as_str().unwrap().to_owned();
    let mut agents: Vec<Peer> = (0..FILES_MAX).map(|_| Peer::connect(Path::new(&path))).collect();
    for agent in &mut agents {
        let fields = vec![("v", 1.into()), ("client", "test".into()), ("kind", "agent".into())];
        // It may have been turned away already.
        let _ = agent.stream.write_all(&frames::control(1, "Hello", fields));
    }
    assert_eq!(agents.last_mut().unwrap().hear().error().1, "Busy", "what is left is for operators");
    let row = health(data.path(), "rmp");
    assert_eq!((&row["well"], &row["status"]), (&false.into(), &"down".into()), "no agent gets in: {row}");
    assert!(row["detail"].as_str().unwrap().contains("ulimit -n"), "{row}");
    let row = health(data.path(), "macp");
    assert_eq!(row["status"], "ok", "nobody came: {row}");
    let addr: SocketAddr = station.ready["macp"].as_str().unwrap().parse().unwrap();
    let _newcomer = TcpStream::connect(addr).unwrap();
    let row = (0..100).map(|_| health(data.path(), "macp")).find(|row| row["status"] == "down");
    let detail = row.unwrap()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("cannot accept connections") && detail.contains("ulimit -n"), "{detail}");
    assert!(cli(data.path(), &["invoke", "heal_party"]).status.success());
    stops(data.path());
}
