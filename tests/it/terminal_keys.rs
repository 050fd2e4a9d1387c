//! Keys of one's own and the palette, in a real pseudo-terminal.

use std::{fs, path::Path};

use tempfile::tempdir;

use crate::real::{cli, json, pair, screen::Terminal};

fn configure(data: &Path, text: &str) {
    let folder = data.join("home/config/rl-console");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

fn console(data: &Path) -> Terminal {
    let terminal = Terminal::start(data, 120, 30, &["--port", "0"]);
    terminal.stable_text();
    terminal
}

#[test]
fn rebind_a_key() {
    const F7: &str = "\x1b[18~";
    let folder = tempdir().unwrap();
    let data = folder.path();
    pair(data);
    configure(data, "[console.keys]\nhold-all = \"K\"\n");
    let mut refused = Terminal::start(data, 120, 30, &["--port", "0"]);
    assert_eq!(refused.ended().exit_code(), 2);
    refused.shows("`K` is both `hold-all` and `disconnect` in Queues");
    refused.shows("config.toml:2:12");
    configure(data, "[console.keys]\nhold-all = [\"f7\", \"ctrl-b\"]\n");
    let mut terminal = console(data);
    terminal.shows("f7 hold all");
    terminal.keys("\x18");
    terminal.keys(F7);
    terminal.shows("ALL HELD");
    terminal.keys("\x02");
    terminal.shows("everything is already held; U resumes it");
    terminal.keys("U");
    terminal.shows("Resume everything?");
    terminal.keys("y");
    terminal.wait("resumed", |screen| !screen.contains("ALL HELD"));
    terminal.keys("?");
    terminal.wait("help", |screen| screen.contains("Keys of") && screen.contains("f7  ctrl-b"));
    terminal.keys("?");
    terminal.shows("find:");
    terminal.keys("f7");
    terminal.shows("console.keys.hold-all (custom)");
    terminal.keys("\x03");
    terminal.wait("help again", |screen| !screen.contains("find:"));
    terminal.keys("qq");
    assert!(terminal.ended().success());
    terminal.assert_restored();
    assert!(String::from_utf8(cli(data, &["keys"]).stdout).unwrap().contains("f7 ctrl-b"));
}

#[test]
fn the_palette_runs_subcommands_of_this_station_and_remembers_them() {
    let folder = tempdir().unwrap();
    let data = folder.path();
    pair(data);
    let mut terminal = console(data);
    json(data, &["invoke", "heal_party"]);
    terminal.keys(":");
    terminal.shows("Command, in");
    terminal.keys("cancel invocation 1 --refund\r");
    terminal.shows("✓ exit 0");
    assert_eq!(json(data, &["ls", "invocations"])[0]["state"], "failed");
    terminal.keys("\x1b");
    terminal.wait("the output is gone", |screen| !screen.contains("exit 0"));
    terminal.keys(":settle 99 done\r");
    terminal.shows("✗ exit 1");
    terminal.keys("\x1b");
    terminal.wait("the output is gone", |screen| !screen.contains("exit 1"));
    terminal.keys(":pair --rotate\r");
    terminal
        .wait("why not", |screen| screen.contains("it prints the token") && screen.contains("pair --rotate"));
    terminal.keys("\x1b");
    terminal.wait("that is gone", |screen| !screen.contains("it prints the token"));
    terminal.keys(":");
    terminal.shows("Command, in");
    terminal.keys("quit\r");
    assert!(terminal.ended().success());
    terminal.assert_restored();
    let mut terminal = console(data);
    terminal.keys(":");
    terminal.shows("Command, in");
    terminal.keys("\x1b[A\x1b[A\x1b[A");
    terminal.shows(": settle 99 done");
    terminal.keys("\x1b");
}

#[test]
fn order_and_columns_are_found_again_at_the_next_start() {
    let folder = tempdir().unwrap();
    let data = folder.path();
    pair(data);
    let mut terminal = console(data);
    terminal.shows("done/m");
    terminal.keys("o");
    terminal
        .wait("the columns", |screen| screen.contains("Columns of Queues") && screen.contains("description"));
    // The second field goes, and the first is what the pane is sorted by, the other way round.
    terminal.keys("ssj ");
    terminal.wait("they are chosen", |screen| screen.contains("queue▾") && !screen.contains("releases on"));
    terminal.keys("q");
    terminal.wait("the list is closed", |screen| !screen.contains("Columns of"));
    terminal.keys("q");
    assert!(terminal.ended().success());
    // What is kept is of this data folder alone.
    let folders = data.join("home/state/rl-console/folders");
    let own = fs::read_dir(folders).unwrap().next().unwrap().unwrap().path();
    let file = own.join("layout.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("[panes.queues]") && !text.contains("ready"), "{text}");
    let mut terminal = console(data);
    terminal.wait("as it was", |screen| screen.contains("queue▾") && !screen.contains("releases on"));
    terminal.keys("oRqq");
    assert!(terminal.ended().success());
    assert_eq!(fs::read_to_string(&file).unwrap(), "version = 1\n\n[panes]\n");
    // What is no layout is told, and written anew with the next change.
    fs::write(&file, "version = 3\n").unwrap();
    let mut terminal = console(data);
    terminal.wait("why not", |screen| screen.contains("layout.toml: it has version 3"));
    terminal.keys("q");
    assert!(terminal.ended().success());
}
