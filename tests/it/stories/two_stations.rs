//! Two stations on one machine: what is meant for one reaches no other.

use std::{
    io::{ErrorKind, Read as _},
    net::TcpListener,
    os::unix::net::UnixListener,
    path::Path,
    process::Stdio,
    time::Duration,
};

use tempfile::tempdir;

use crate::{
    real::{Station, cli, command, json, pair, screen::Terminal},
    terminal::{console, mpp_addr},
};

/// What a subcommand says on stderr, and its exit code; it must fail.
fn refusal(data: &Path, token: &str, args: &[&str]) -> (Option<i32>, String) {
    let mut command = command(data);
    command.env("RL_CONSOLE_BRIDGE_TOKEN", token);
    let output = command.args(args).stdin(Stdio::null()).output().unwrap();
    assert!(!output.status.success(), "{args:?}");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{what}");
}

#[test]
fn two_stations_on_one_machine() {
    let (friday, token, friday_screen) = console(120, 40);
    let saturday = tempdir().unwrap();
    let saturday_token = pair(saturday.path());
    let saturday_screen = Terminal::start(saturday.path(), 120, 40, &["--port", "0"]);
    let saturday_addr = mpp_addr(saturday.path());
    mpp_addr(friday.path());
    until("the address is recorded", || friday.path().join("mpp.addr").exists());
    // Neither address is named: the folder's own is found, and nobody else's.
    let mut adapter = command(friday.path())
        .args(["sim", "adapter"])
        .env("RL_CONSOLE_BRIDGE_TOKEN", &token)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    friday_screen.wait("its adapter is there", |screen| screen.contains("MPP ●"));
    json(friday.path(), &["invoke", "heal_party", "--wait", "done"]);
    adapter.kill().unwrap();
    adapter.wait().unwrap();
    assert!(json(saturday.path(), &["ls", "invocations"]).is_empty());
    saturday_screen.wait("no adapter came", |screen| !screen.contains("MPP ●"));
    // The token of one is refused by the other, whose tokens it is not advised to replace.
    let (_, said) = refusal(friday.path(), &token, &["sim", "adapter", "--addr", &saturday_addr.to_string()]);
    assert!(said.contains("invalid_token") && said.contains("another station"), "{said}");
    assert!(!said.contains("rotate"), "{said}");
    let (_, said) = refusal(saturday.path(), &token, &["sim", "adapter"]);
    assert!(said.contains("pair --rotate`"), "it is known to be ours\n{said}");
    assert_ne!(token, saturday_token);
    // Nor is the operator's shown where another socket is named.
    let socket = saturday.path().join("rmp.sock");
    let (code, said) = refusal(friday.path(), "", &["--socket", socket.to_str().unwrap(), "ls", "queues"]);
    assert!(code == Some(1) && said.contains("no token was sent to it"), "{said}");
}

#[test]
fn what_a_dead_station_left_leads_to_no_other() {
    let friday = tempdir().unwrap();
    let token = pair(friday.path());
    let station = Station::start(friday.path());
    let (mpp, data) = (station.mpp, friday.path());
    until("the address is recorded", || data.join("mpp.addr").exists());
    drop(station);
    assert!(data.join("mpp.addr").exists() && data.join("rmp.sock").exists(), "it was killed");
    std::fs::remove_file(data.join("rmp.sock")).unwrap();
    // Somebody else of this user listens there now.
    let bus = UnixListener::bind(data.join("rmp.sock")).unwrap();
    let bridge = TcpListener::bind(mpp).unwrap();
    bus.set_nonblocking(true).unwrap();
    bridge.set_nonblocking(true).unwrap();
    for args in [
        ["ls", "queues"].as_slice(),
        &["tail", "a", "--as", "tui"],
        &["sim", "adapter"],
        &["session", "start", "--as", "alice"],
    ] {
        let (code, said) = refusal(data, &token, args);
        assert_eq!(code, Some(3), "{args:?}: {said}");
    }
    assert_eq!(bridge.accept().map(|_| ()).unwrap_err().kind(), ErrorKind::WouldBlock, "nobody called");
    while let Ok((mut called, _)) = bus.accept() {
        let mut said = Vec::new();
        called.read_to_end(&mut said).unwrap();
        assert!(said.is_empty(), "a token was shown: {said:?}");
    }
    // What runs next takes the note away until it listens itself.
    let blocked = cli(data, &["--json", "ls", "health"]);
    assert_eq!(blocked.status.code(), Some(3));
}
