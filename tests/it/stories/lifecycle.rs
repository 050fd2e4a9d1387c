//! A run is looked at as a record: from an event of the record to that of the run, and to a file.

use crate::{
    real::{cli, json},
    runs_cli::{Agent, GREETING, file, run},
    terminal::console,
};

#[test]
fn a_run_is_read_as_a_record_and_written_for_others() {
    let (folder, _, mut terminal) = console(160, 50);
    let _agent = Agent::start(folder.path(), "writer", "");
    let opening = file(folder.path(), "greeting.yaml", GREETING);
    let submitted = run(folder.path(), &["submit", &opening, "--wait"], "").exits(0);
    let name = submitted.rows[0]["run"].as_str().unwrap().to_owned();
    terminal.keys("4");
    // It is on the screen without being asked for, folded: what it has is one look away.
    let screen = terminal.wait("the record", |screen| {
        screen.contains("Lifecycle greeting") && screen.contains("items") && screen.contains("▸ events")
    });
    assert!(screen.contains("no findings"), "it is clean\n{screen}");
    terminal.tab_to("▸ Lifecycle greeting");
    // What was made of a certain event of the run, and that event.
    terminal.keys("/number:2");
    terminal.shows("number:2");
    terminal.keys("\r");
    terminal.wait("the parts", |screen| screen.contains("-event "));
    terminal.keys("g\r");
    terminal.wait("the event of the run", |screen| screen.contains("▸ Run events greeting"));
    let told = json(folder.path(), &["run", "events", &name]);
    let message = told[1]["message"].as_str().unwrap();
    let shown = terminal.text();
    assert!(shown.contains(message.split(' ').next().unwrap()), "{message}\n{shown}");
    // Back, and written by the command that the palette holds ready.
    terminal.keys("\x7f");
    terminal.shows("▸ Lifecycle greeting");
    terminal.keys("\x1b");
    terminal.wait("all of it", |screen| screen.contains("▸ context") && screen.contains("▸ events"));
    terminal.keys("w");
    let screen = terminal.shows(".mplp.json");
    assert!(screen.contains("run export"), "{screen}");
    let path = folder.path().join("record.json");
    terminal.keys(&"\x7f".repeat(".mplp.json".len() + "greeting-0000-181302".len()));
    terminal.keys(&format!("{}\r", path.display()));
    terminal.shows("exit 0");
    let judged = cli(folder.path(), &["mplp", "validate", path.to_str().unwrap()]);
    assert_eq!(judged.status.code(), Some(0), "{judged:?}");
    // Apart from the key that follows: together they are the start of a function key.
    terminal.wait_stable("\x1b");
    // On air, what the agent said is on no part of it.
    terminal.keys("O");
    terminal.shows("on air");
    let screen = terminal.text();
    assert!(screen.contains("▸ context") && !screen.contains("hello bob"), "{screen}");
}

#[test]
fn a_broken_message_is_found_and_followed_to_its_field() {
    let (folder, _, mut terminal) = console(80, 24);
    let id = "5a0e8400-e29b-41d4-a716-446655440000";
    let object = format!(r#"{{"trace_id":"{id}","span_id":"KIM"}}"#);
    let payload = format!(r#"{{"v":1,"items":[{{"schema":"trace-base","object":{object}}}]}}"#);
    let published = ["publish", "plans", "--type", "observation.mplp.event.v1", "--body", &payload];
    terminal.keys("9");
    terminal.shows("Violations");
    assert!(!terminal.text().contains("Findings"), "{}", terminal.text());
    // It is taken as any other, and what is wrong with it is told.
    run(folder.path(), &published, "").exits(0);
    terminal.shows("Findings");
    terminal.tab_to("▸ Findings");
    terminal.wait("the finding", |screen| screen.contains("▸ Findings") && screen.contains("pattern"));
    // What is wrong, and from there the message that has it.
    terminal.wait_stable("g\r");
    let details = terminal.wait("its details", |screen| screen.contains("span_id") && screen.contains("KIM"));
    assert!(details.contains("trace-base"), "{details}");
    assert!(details.contains("enter show entry"), "{details}");
    terminal.keys("\r");
    // The inspector is at the field, and marks it.
    terminal.wait("the frame", |screen| {
        let field = screen.lines().find(|line| line.contains("✗") && line.contains("span_id"));
        screen.contains("accepted, delivered to")
            && field.is_some_and(|line| line.contains("KIM  pattern: requires"))
    });
    terminal.wait_stable("\x1b");
    terminal.shows("▸ pattern");
    terminal.wait_stable("\x1b");
    terminal.wait("the finding", |screen| screen.contains("▸ Findings") && !screen.contains("▸ pattern"));
}
