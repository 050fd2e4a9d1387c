//! Copying in a real terminal.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::{
    real::{Adapter, json},
    terminal::{console, mpp_addr},
};

/// What was put into the clipboard last.
fn clipboard(raw: &[u8]) -> Option<Vec<u8>> {
    let start = memchr::memmem::rfind(raw, b"\x1b]52;c;")? + 7;
    let end = start + memchr::memchr(0x07, &raw[start..])?;
    STANDARD.decode(&raw[start..end]).ok()
}

#[test]
fn copy_it_for_a_bug_report() {
    let (folder, token, mut terminal) = console(160, 50);
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    json(folder.path(), &["invoke", "give_item", "--params", r#"{"item_id":4}"#, "--user", "ann o'neil"]);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
    let id = adapter.receive().unwrap()["id"].as_u64().unwrap();
    // An answer that breaks a clause: this is the frame that its author wants to see.
    let odd = format!(r#"{{"mpp":2, "type":"done", "id":{id}, "note":"żółw"}}"#);
    adapter.send(&odd).unwrap();
    assert!((0..64).any(|_| adapter.receive().is_none()), "the bridge closes");
    terminal.keys("9");
    terminal.shows("[9 Journal]");
    terminal.shows("UNEXPECTED_STATE");
    terminal.keys("\t");
    terminal.wait("the faults have the focus", |screen| screen.contains("▸ Violations"));
    terminal.keys("Y");
    terminal.shows("Copy as");
    terminal.keys("f");
    terminal.shows("(frame)");
    assert_eq!(
        clipboard(&terminal.recorded_frames().1).unwrap(),
        format!("{odd}\n").as_bytes(),
        "byte by byte, its end too"
    );
    // The work itself, as every subcommand prints it, and the line that gives it again.
    terminal.keys("2");
    terminal.shows("[2 Bridge]");
    terminal.keys("\t\t\t\t");
    terminal.wait("the history", |screen| screen.contains("▸ History") && screen.contains("give_item"));
    terminal.keys("Y");
    terminal.shows("Copy as");
    terminal.keys("j");
    terminal.shows("(JSON)");
    let copied: serde_json::Value =
        serde_json::from_slice(&clipboard(&terminal.recorded_frames().1).unwrap()).unwrap();
    assert_eq!((&copied["id"], &copied["params"]), (&id.into(), &serde_json::json!({"item_id": 4})));
    terminal.keys("Y");
    terminal.shows("Copy as");
    terminal.keys("a");
    terminal.shows("(command to invoke again)");
    let line = String::from_utf8(clipboard(&terminal.recorded_frames().1).unwrap()).unwrap();
    let words = shlex::split(&line).unwrap();
    let at = words.iter().position(|word| word == "invoke").unwrap();
    assert_eq!(words[at..], ["invoke", "give_item", "--params", r#"{"item_id":4}"#, "--user", "ann o'neil"]);
    let rest: Vec<&str> = words[at..].iter().map(String::as_str).collect();
    assert_eq!(json(folder.path(), &rest).len(), 1, "it runs as it was copied");
}
