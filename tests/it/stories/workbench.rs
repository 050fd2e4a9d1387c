//! A frame that ended the adapter is found, mended and sent again; and one is made, sent twice on purpose,
//! and seen for what it is.

use std::process::Stdio;

use super::SimAdapter;
use crate::{
    real::{Adapter, json},
    terminal::{console, mpp_addr},
};

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
fn a_header_is_typed_byte_by_byte_until_it_is_accepted() {
    let (_folder, _, mut terminal) = console(160, 50);
    terminal.keys("i");
    terminal.wait("the verdict", |screen| screen.contains("Workbench") && screen.contains("pull: accepted"));
    terminal.keys("\x0f");
    terminal.wait("the snippets", |screen| screen.contains("shipped  "));
    terminal.keys("rmp/ping");
    terminal.shows("Frames (1 of ");
    terminal.keys("\r");
    terminal.shows("Ping: accepted");
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
