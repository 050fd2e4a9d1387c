//! A run is looked at as a record: from an event of the record to that of the run, and to a file; and a
//! broken message from the Journal to its field. On a small and on a large screen, on air and off.

use crate::{
    real::{cli, json, screen::Terminal},
    runs_cli::{Agent, GREETING, file, run},
    terminal::console,
};

/// What hides a payload on air.
const MASK: &str = "▒▒▒";
/// What the run is for, and what the broken object has: of others, and so not for viewers.
const GOAL: &str = "greet LVIEWER";
const RECEIVED: &str = "LVIEWER";

/// From now on every frame is of a screen that is on air.
fn go_on_air(terminal: &mut Terminal) {
    terminal.keys("O");
    terminal.shows("ON AIR");
    terminal.record_frames();
}

fn assert_never_shown(terminal: &Terminal, text: &str) {
    let (frames, _) = terminal.recorded_frames();
    let shown = frames.iter().find(|frame| frame.contains("ON AIR") && frame.contains(text));
    assert!(shown.is_none(), "shown on air\n{}", shown.unwrap());
    assert!(frames.iter().any(|frame| frame.contains(MASK)), "nothing is masked");
}

/// The line of a member of an object that is unfolded.
fn member<'a>(screen: &'a str, name: &str) -> Option<&'a str> {
    screen.lines().find(|line| line.split_whitespace().any(|word| word == name))
}

/// To the chip of the first pane that a small screen has no room for: it follows those of seven systems. The
/// keys are taken in their order, however late they are.
const TO_FIRST_HIDDEN_PANE: &str = "\x1b[Z\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C";

fn a_run_is_read_as_a_record(columns: u16, rows: u16) {
    let (folder, _, mut terminal) = console(columns, rows);
    let _agent = Agent::start(folder.path(), "writer", "");
    let text = GREETING.replace("params:", &format!("goals: [{GOAL}]\nparams:"));
    let opening = file(folder.path(), "greeting.yaml", &text);
    let submitted = run(folder.path(), &["submit", &opening, "--wait"], "").exits(0);
    let name = submitted.rows[0]["run"].as_str().unwrap().to_owned();
    terminal.keys("4");
    terminal.shows("[4 Runs]");
    terminal.wait("the run", |screen| screen.contains("greeting"));
    // On a large screen it is there without being asked for, folded: what it has is one look away.
    if columns < 160 {
        terminal.keys(TO_FIRST_HIDDEN_PANE);
        terminal.shows("enter show the pane");
        terminal.keys("\r");
    }
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
    terminal.shows(".mplp.json");
    let path = folder.path().join("record.json");
    terminal.keys(&"\x7f".repeat(".mplp.json".len() + "greeting-0000-181302".len()));
    terminal.keys(&format!("{}\r", path.display()));
    terminal.shows("exit 0");
    let judged = cli(folder.path(), &["mplp", "validate", path.to_str().unwrap()]);
    assert_eq!(judged.status.code(), Some(0), "{judged:?}");
    // Apart from the key that follows: together they are the start of a function key.
    terminal.wait_stable("\x1b");
    unfold_on_and_off_air(&mut terminal);
}

/// What the opening's author wrote is read off air and on no frame on air.
fn unfold_on_and_off_air(terminal: &mut Terminal) {
    terminal.shows("▸ context");
    terminal.wait_stable("g");
    terminal.wait_stable("\x1b[C");
    terminal.wait("the context", |screen| {
        screen.contains("▾ context") && member(screen, "summary").is_some_and(|line| line.contains(GOAL))
    });
    go_on_air(terminal);
    let masked = |screen: &str| member(screen, "summary").is_some_and(|line| line.contains(MASK));
    terminal.wait("it masked", masked);
    // Folded and unfolded again it is masked too; its id is for everybody.
    terminal.wait_stable("\x1b[D");
    terminal.shows("▸ context");
    terminal.wait_stable("\x1b[C");
    let screen = terminal.wait("it masked", masked);
    let id = member(&screen, "context_id").unwrap();
    assert!(!id.contains(MASK), "{id}");
    assert_never_shown(terminal, GOAL);
}

#[test]
fn a_run_is_read_as_a_record_and_written_for_others() {
    a_run_is_read_as_a_record(160, 50);
}

#[test]
fn a_run_is_read_as_a_record_on_a_small_screen() {
    a_run_is_read_as_a_record(80, 24);
}

/// From the finding to its details, to the frame and back; what came is shown as this.
fn follow(terminal: &mut Terminal, received: &str) {
    // What is wrong, and from there the message that has it.
    terminal.wait_stable("g\r");
    let details = terminal.wait("its details", |screen| {
        member(screen, "received").is_some_and(|line| line.contains(received)) && screen.contains("span_id")
    });
    assert!(details.contains("trace-base"), "{details}");
    assert!(details.contains("enter show entry"), "{details}");
    terminal.keys("\r");
    // The inspector is at the field, and marks it.
    terminal.wait("the frame", |screen| {
        // On air the name of the field is masked too: any name may be the publisher's own.
        let is_field = |line: &str| line.contains("pattern: requires") && line.contains(received);
        screen.contains("accepted, delivered to")
            && screen.lines().any(|line| line.contains('✗') && is_field(line))
            && (received == MASK || member(screen, "span_id").is_some_and(is_field))
    });
    terminal.wait_stable("\x1b");
    terminal.shows("▸ pattern");
    terminal.wait_stable("\x1b");
    terminal.wait("the finding", |screen| screen.contains("▸ Findings") && !screen.contains("▸ pattern"));
}

fn a_broken_message_is_found(columns: u16, rows: u16) {
    let (folder, _, mut terminal) = console(columns, rows);
    let id = "5a0e8400-e29b-41d4-a716-446655440000";
    let object = format!(r#"{{"trace_id":"{id}","span_id":"{RECEIVED}"}}"#);
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
    follow(&mut terminal, RECEIVED);
    go_on_air(&mut terminal);
    follow(&mut terminal, MASK);
    assert_never_shown(&terminal, RECEIVED);
}

#[test]
fn a_broken_message_is_found_and_followed_to_its_field() {
    a_broken_message_is_found(80, 24);
}

#[test]
fn a_broken_message_is_found_on_a_large_screen() {
    a_broken_message_is_found(160, 50);
}
