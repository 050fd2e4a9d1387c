//! `plugin check --run`: it names the clause that each misbehaviour of `sim plugin` breaks.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::tempdir;

use crate::real::cli;

/// Long enough for a busy machine, and short enough to wait for what does not come.
const PATIENCE_MS: &str = "3000";

/// Writes the folder of a simulated plugin.
pub(crate) fn simulated(into: &Path, behaviour: &[&str]) {
    let args = [&["sim", "plugin", "--into", into.to_str().unwrap()], behaviour].concat();
    let output = cli(into, &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The exit code, and each clause with its result.
fn check(folder: &Path) -> (i32, Vec<Value>) {
    let folder = folder.to_str().unwrap();
    let home = tempdir().unwrap();
    let args = ["--json", "plugin", "check", folder, "--run", "--patience", PATIENCE_MS];
    let output = cli(home.path(), &args);
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!rows.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap(), rows)
}

fn of_result<'a>(rows: &'a [Value], result: &str) -> Vec<&'a str> {
    let of = rows.iter().filter(|row| row["result"] == result);
    of.map(|row| row["clause"].as_str().unwrap()).collect()
}

#[track_caller]
fn names(behaviour: &[&str], clauses: &[&str]) {
    let folder = tempdir().unwrap();
    simulated(folder.path(), behaviour);
    let (code, rows) = check(folder.path());
    let failed = of_result(&rows, "failed");
    for clause in clauses {
        assert!(failed.contains(clause), "{behaviour:?} breaks {clause}: {rows:#?}");
    }
    let allowed = |clause: &&str| clauses.contains(clause);
    assert!(failed.iter().all(allowed), "{behaviour:?} breaks {clauses:?} alone: {rows:#?}");
    assert_eq!(code, 1);
}

#[test]
fn a_plugin_that_keeps_the_specification_is_found_to() {
    for behaviour in [&[][..], &["--seed", "3"]] {
        let folder = tempdir().unwrap();
        simulated(folder.path(), behaviour);
        let (code, rows) = check(folder.path());
        assert_eq!((code, of_result(&rows, "ok").len()), (0, rows.len()), "{rows:#?}");
    }
}

#[test]
fn a_process_that_ends_or_leaves_others_is_named() {
    names(&["--crash-after", "0.2"], &["handshake_partial", "handshake_empty", "runs"]);
    names(&["--exit-code", "7"], &["exit"]);
    names(&["--close-stdout"], &["runs"]);
    names(&["--ignore-exit"], &["exit"]);
    names(&["--ignore-shutdown"], &["shutdown"]);
    #[cfg(target_os = "linux")]
    names(&["--fork", "--seed", "5"], &["processes"]);
}

#[test]
fn a_handshake_that_fails_is_named() {
    let all = ["handshake_full", "handshake_partial", "handshake_empty"];
    names(&["--refuse"], &all);
    names(&["--slow-start", "60000"], &all);
}

#[test]
fn what_is_not_answered_or_read_is_named() {
    names(&["--hang-pings"], &["ping"]);
    names(&["--stop-reading"], &["ping", "unknown_method", "large_frame", "shutdown", "exit"]);
}

#[test]
fn a_token_that_is_repeated_is_named() {
    names(&["--ask-credential"], &["credential"]);
}

#[test]
fn each_flood_is_named() {
    names(&["--flood", "logs"], &["rate"]);
    names(&["--flood", "requests"], &["rate"]);
    names(&["--flood", "frames"], &["rate", "methods"]);
}

#[test]
fn each_frame_that_cannot_be_read_is_named() {
    for kind in
        ["no_length", "two_lengths", "length_not_decimal", "no_colon", "headers_too_long", "body_too_long"]
    {
        names(&["--bad-frame", kind], &["stdout"]);
    }
    names(&["--bad-frame", "end_in_frame"], &["stdout", "runs", "handshake_partial", "handshake_empty"]);
}

/// The folder of the plugin in Python; nothing, with the reason printed, where there is no Python.
pub(crate) fn python(into: &Path) -> bool {
    let asked = Command::new("python3").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !asked.is_ok_and(|status| status.success()) {
        let required = std::env::var_os("RL_CONSOLE_TESTS_PYTHON").is_some_and(|value| value == "required");
        assert!(!required, "there is no python3, and RL_CONSOLE_TESTS_PYTHON requires it");
        std::io::stderr().write_all(b"skipped: there is no python3\n").unwrap();
        return false;
    }
    let manifest = "id = \"test.python\"\nname = \"Python\"\nversion = \"0.1.0\"\nauthor = \"Test\"\n\
        tier = \"A\"\ndescription = \"\"\nhost_min = \"7.0.0\"\n[runtime]\nkind = \"process\"\n\
        entry = \"plugin.py\"\n[capabilities]\nevents = [\"on_stream_start\", \"on_stream_stop\", \
        \"on_channel_change\", \"on_watch_tick\", \"on_followed_live\", \"on_chat_message\", \
        \"on_settings_change\", \"on_panel_change\"]\nhost_methods = [\"get_followed_live\", \
        \"set_upstream\", \"notify\", \"log\", \"register_panel\", \"get_panel_values\"]\n\
        credentials = [\"twitch.android\"]\nui = [\"panel\"]\n[contributes]\n\
        actions = [\"python.seen\", \"python.fail\"]\nstatus = [\"python.state\"]\n";
    fs::write(into.join("plugin.toml"), manifest).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/python/plugin.py");
    fs::copy(script, into.join("plugin.py")).unwrap();
    fs::set_permissions(into.join("plugin.py"), fs::Permissions::from_mode(0o755)).unwrap();
    true
}

#[test]
fn a_plugin_in_python_keeps_the_specification() {
    let folder = tempdir().unwrap();
    if python(folder.path()) {
        let (code, rows) = check(folder.path());
        assert_eq!((code, of_result(&rows, "ok").len()), (0, rows.len()), "{rows:#?}");
    }
}
