//! A frame that ended the adapter is found, mended and sent again; one is made, sent twice on purpose, and
//! seen for what it is; one is typed by its bytes; and one is saved, and sent again and again.

use std::{process::Stdio, time::Duration};

use rl_console::time::Clock;

use super::SimAdapter;
use crate::{
    real::{Adapter, json, screen::Terminal},
    runs_cli::{output, run},
    terminal::{console, mpp_addr},
};

/// Opens the workbench with a shipped snippet.
fn with_snippet(terminal: &mut Terminal, name: &str, verdict: &str) {
    terminal.keys("i");
    terminal.wait("the verdict", |screen| screen.contains("Workbench") && screen.contains("pull: accepted"));
    terminal.keys("\x0f");
    terminal.wait("the snippets", |screen| screen.contains("shipped  "));
    terminal.keys(name);
    let of_name = format!("shipped  {name} ");
    terminal.wait("the snippet alone", |screen| screen.contains("Frames (") && screen.contains(&of_name));
    terminal.keys("\r");
    terminal.shows(verdict);
}

#[test]
fn a_frame_is_made_sent_twice_and_the_second_ends_its_connection_as_foreseen() {
    let (_folder, _, mut terminal) = console(160, 50);
    terminal.keys("i");
    terminal.wait("the verdict", |screen| screen.contains("Workbench") && screen.contains("pull: accepted"));
    terminal.keys("\x13");
    let first = terminal.shows("equal to what was foreseen");
    assert!(first.contains("●──▸ pull: default"), "{first}");
    // A pull is parked there now, and the next one is foreseen as what it is.
    terminal.wait("the next verdict", |screen| screen.contains("pull: refused INVALID_FRAME"));
    terminal.keys("\x13");
    let second = terminal.wait("the end", |screen| screen.contains("closed: INVALID_FRAME"));
    assert!(second.contains("◂──● protocol_error"), "{second}");
}

#[test]
fn the_frame_that_ended_the_adapter_is_mended_and_sent_again() {
    let (folder, token, mut terminal) = console(160, 50);
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"nope"}"#).unwrap();
    assert_eq!(adapter.receive().unwrap()["type"], "protocol_error");
    assert!(adapter.receive().is_none());
    drop(adapter);
    terminal.keys("8");
    terminal.shows("▸ Wire");
    terminal.keys("/link:mpp dir:in verdict:fault");
    terminal.shows("verdict:fault");
    terminal.keys("\r");
    terminal.wait("the frame", |screen| screen.contains("✗ pull"));
    terminal.keys("e");
    let opened = terminal.shows("Workbench: made of");
    assert!(opened.contains("\"queue\": \"nope\""), "{opened}");
    // The fifth line names the queue.
    terminal.keys("\x1b[B\x1b[B\x1b[B\x1b[B\x1b[F");
    terminal.keys(&"\x7f".repeat("nope\"".len()));
    terminal.keys("default\"");
    terminal.wait("the verdict", |screen| screen.contains("pull: accepted"));
    terminal.keys("\x13");
    let sent = terminal.shows("equal to what was foreseen");
    assert!(sent.contains("●──▸ pull: default"), "{sent}");
}

#[test]
fn applied_is_said_twice_on_purpose_and_the_adapter_suffers_as_foreseen() {
    let (folder, token, mut terminal) = console(160, 50);
    let mut sim = crate::real::command(folder.path());
    sim.args(["sim", "adapter", "--addr", &mpp_addr(folder.path()).to_string(), "--latency", "1"])
        .env("RL_CONSOLE_BRIDGE_TOKEN", &token)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _sim = SimAdapter(sim.spawn().unwrap());
    terminal.wait("the adapter", |screen| screen.contains("MPP ●"));
    json(folder.path(), &["invoke", "heal_party", "--wait", "done"]);
    terminal.keys("8");
    terminal.shows("▸ Wire");
    terminal.keys("/link:mpp kind:applied");
    terminal.shows("kind:applied");
    terminal.keys("\r");
    terminal.wait("its applied", |screen| screen.contains("✓ applied"));
    terminal.keys("g");
    terminal.keys("e");
    terminal.shows("Workbench: made of");
    terminal.shows("door in the adapter's place");
    terminal.shows("applied: refused UNEXPECTED_STATE_TRANSITION");
    terminal.keys("\x13");
    let asked = terminal.shows("y send");
    assert!(asked.contains("It would end the connection"), "{asked}");
    terminal.keys("y");
    let sent = terminal.shows("equal to what was foreseen");
    assert!(sent.contains("closed: UNEXPECTED_STATE_TRANSITION"), "{sent}");
    assert!(sent.contains("◂──● protocol_error"), "who suffers is the adapter: {sent}");
    terminal.keys("\x1b");
    terminal.shows("MPP ◐ no adapter");
}

#[test]
fn a_byte_of_a_header_is_mended_by_its_digits_until_it_is_accepted() {
    let (_folder, _, mut terminal) = console(160, 50);
    with_snippet(&mut terminal, "rmp/ping", "Ping: accepted");
    terminal.keys("\x1b[17~");
    terminal.shows("Break the frame");
    terminal.keys("\x1b[B\x1b[B\r");
    terminal.shows("broken: magic");
    terminal.shows(r#"byte 4: 52 4d 50 30 "RMP0" expected"#);
    terminal.keys("\t\x1b[H");
    terminal.keys(&"\x1b[C".repeat(14));
    terminal.keys("30");
    terminal.shows("Ping: accepted");
    terminal.keys("\x13");
    let sent = terminal.shows("equal to what was foreseen");
    assert!(sent.contains("●──▸ Ping: ") && sent.contains("◂──● Pong: "), "{sent}");
}

#[test]
fn a_header_is_typed_byte_by_byte_and_its_bytes_are_awaited_until_it_has_a_verdict() {
    const HEADER: std::ops::Range<usize> = 4..68;
    let (folder, _, mut terminal) = console(160, 50);
    let ping = r#"{"control":{"Ping":{}}}"#;
    let made = output(folder.path(), &["encode", "--dialect", "session"], ping);
    let digits = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let byte = |at: usize| &digits[at * 2..at * 2 + 2];
    let bytes = digits.len() / 2;
    assert!(bytes > HEADER.end && byte(4) == "52", "{digits}");
    with_snippet(&mut terminal, "rmp/ping", "Ping: accepted");
    // It has other ids, and is as long.
    terminal.keys("\t\x1b[F");
    terminal.keys(&"\x7f".repeat(bytes));
    (0..HEADER.start).for_each(|at| terminal.keys(byte(at)));
    terminal.shows(&format!("awaits {} bytes more", bytes - HEADER.start));
    for at in HEADER {
        terminal.keys(byte(at));
        let awaited = terminal.shows(&format!("awaits {} bytes more", bytes - at - 1));
        assert!(!awaited.contains("Ping: accepted"), "{awaited}");
    }
    (HEADER.end..bytes).for_each(|at| terminal.keys(byte(at)));
    terminal.shows("Ping: accepted");
    terminal.keys("\x13");
    let sent = terminal.shows("equal to what was foreseen");
    assert!(sent.contains("●──▸ Ping: ") && sent.contains("◂──● Pong: "), "{sent}");
}

#[test]
fn a_snippet_of_ones_own_is_saved_and_sent_again_and_again_ten_a_second() {
    let (folder, _, mut terminal) = console(160, 50);
    with_snippet(&mut terminal, "mpp/heartbeat", "heartbeat: accepted");
    terminal.keys("\x1b[12~");
    terminal.shows("Save as a snippet");
    terminal.keys("pulse\r");
    terminal.shows("snippet saved");
    terminal.keys("\x1b");
    terminal.wait("the workbench is closed", |screen| !screen.contains("heartbeat: accepted"));
    let clock = Clock::start();
    let began = clock.mono();
    let args = ["inject", "mpp", "--snippet", "pulse", "--count", "100", "--rate", "10"];
    let sent = run(folder.path(), &args, "").exits(0).rows;
    let took = clock.mono().since(began);
    assert_eq!(sent.len(), 100);
    assert!(sent.iter().all(|row| row["verdict"] == "accepted"), "{sent:?}");
    assert!(took >= Duration::from_millis(9_880), "{took:?}");
    terminal.keys("8");
    terminal.shows("▸ Wire");
    terminal.keys("/link:mpp dir:in kind:heartbeat");
    terminal.shows("kind:heartbeat");
    terminal.keys("\r");
    let seen = terminal.wait("frames that were injected", |screen| screen.matches('¶').count() >= 10);
    assert!(seen.contains("heartbeat"), "{seen}");
}
