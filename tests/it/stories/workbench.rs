//! A frame that ended the adapter is found, mended and sent again; and one is made, sent twice on purpose,
//! and seen for what it is.

use crate::{
    real::Adapter,
    terminal::{console, mpp_addr},
};

#[test]
fn a_frame_is_made_sent_twice_and_the_second_ends_its_connection_as_foreseen() {
    let (_folder, _, mut terminal) = console(160, 50);
    terminal.keys("i");
    terminal.wait("the verdict", |screen| screen.contains("Workbench") && screen.contains("pull: accepted"));
    terminal.keys("\x13");
    let first = terminal.shows("equal to what was foreseen");
    assert!(first.contains("in pull: default"), "{first}");
    // A pull is parked there now, and the next one is foreseen as what it is.
    terminal.wait("the next verdict", |screen| screen.contains("pull: refused INVALID_FRAME"));
    terminal.keys("\x13");
    let second = terminal.wait("the end", |screen| screen.contains("closed: INVALID_FRAME"));
    assert!(second.contains("out protocol_error"), "{second}");
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
    assert!(sent.contains("in pull: default"), "{sent}");
}
