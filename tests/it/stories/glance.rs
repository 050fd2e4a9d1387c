//! What is wrong, at a glance.

use std::net::TcpListener;

use serde_json::Value;

use crate::{
    real::{Adapter, cli, json, pair, screen::Terminal},
    terminal::mpp_addr,
};

#[test]
fn what_is_wrong_at_a_glance() {
    let folder = tempfile::tempdir().unwrap();
    let token = pair(folder.path());
    let occupied = TcpListener::bind("127.0.0.1:0").unwrap();
    let grpc = occupied.local_addr().unwrap().to_string();
    let terminal = Terminal::start(folder.path(), 160, 50, &["--port", "0", "--grpc", &grpc]);
    terminal.wait("what is missing and what is down", |screen| {
        screen.contains("MPP ◐ no adapter")
            && screen.contains("MACP ○ port taken")
            && screen.contains("STORE ● ok")
    });
    // A script is told the same, by its exit code too.
    let listed = cli(folder.path(), &["--json", "ls", "health"]);
    assert_eq!(listed.status.code(), Some(1));
    let text = String::from_utf8(listed.stdout).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let row = |component: &str| rows.iter().find(|row| row["part"] == component).unwrap();
    let of =
        |component| (row(component)["status"].as_str().unwrap(), row(component)["figures"].as_str().unwrap());
    assert_eq!(of("macp"), ("down", "port taken"));
    assert_eq!(of("mpp"), ("degraded", "no adapter · 2 queues, 0 in flight"));
    assert!(row("macp")["detail"].as_str().unwrap().contains(&grpc), "{}", row("macp"));

    let _adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    terminal.wait("the bridge is well", |screen| screen.contains("MPP ●"));
    json(folder.path(), &["hold", "default"]);
    terminal.wait("the reason for its sign", |screen| screen.contains("MPP ◐ 1 held"));
    let row = json(folder.path(), &["ls", "health", "--filter", "status:degraded component:mpp"]).remove(0);
    assert_eq!(row["figures"], "1 held · 2 queues, 0 in flight");
    json(folder.path(), &["resume", "default"]);
    terminal.wait("the bridge is well again", |screen| screen.contains("MPP ●"));
}
