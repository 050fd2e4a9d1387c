//! `plugin check --run`: it names the clause that each misbehaviour of `sim plugin` breaks.

use std::{
    collections::BTreeMap,
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

/// A behaviour of `sim plugin`, and the clauses that it breaks.
type Broken = (&'static [&'static str], &'static [&'static str]);

const HANDSHAKES: &[&str] = &["handshake_full", "handshake_partial", "handshake_empty"];
const DEAF: &[&str] = &["ping", "unknown_method", "large_frame", "shutdown", "exit"];

/// Processes that end, or leave others.
const PROCESSES: &[Broken] = &[
    (&["--crash-after", "0.2"], &["handshake_partial", "handshake_empty", "runs"]),
    (&["--exit-code", "7"], &["exit"]),
    (&["--close-stdout"], &["runs"]),
    (&["--ignore-exit"], &["exit"]),
    (&["--ignore-shutdown"], &["shutdown"]),
];
const FORKS: &[Broken] = &[(&["--fork", "--seed", "5"], &["processes"])];
const FAILED_HANDSHAKES: &[Broken] = &[(&["--refuse"], HANDSHAKES), (&["--slow-start", "60000"], HANDSHAKES)];
const SILENT: &[Broken] = &[(&["--hang-pings"], &["ping"]), (&["--stop-reading"], DEAF)];
const CREDENTIALS: &[Broken] = &[(&["--ask-credential"], &["credential"])];
const FLOODS: &[Broken] = &[
    (&["--flood", "logs"], &["rate"]),
    (&["--flood", "requests"], &["rate"]),
    (&["--flood", "frames"], &["rate", "methods"]),
];
const BAD_FRAMES: &[Broken] = &[
    (&["--bad-frame", "no_length"], &["stdout"]),
    (&["--bad-frame", "two_lengths"], &["stdout"]),
    (&["--bad-frame", "length_not_decimal"], &["stdout"]),
    (&["--bad-frame", "no_colon"], &["stdout"]),
    (&["--bad-frame", "headers_too_long"], &["stdout"]),
    (&["--bad-frame", "body_too_long"], &["stdout"]),
    (&["--bad-frame", "end_in_frame"], &["stdout", "runs", "handshake_partial", "handshake_empty"]),
];

#[track_caller]
fn all_named(broken: &[Broken]) {
    for (behaviour, clauses) in broken {
        names(behaviour, clauses);
    }
}

#[test]
fn a_process_that_ends_or_leaves_others_is_named() {
    all_named(PROCESSES);
    #[cfg(target_os = "linux")]
    all_named(FORKS);
}

#[test]
fn a_handshake_that_fails_is_named() {
    all_named(FAILED_HANDSHAKES);
}

#[test]
fn what_is_not_answered_or_read_is_named() {
    all_named(SILENT);
}

#[test]
fn a_token_that_is_repeated_is_named() {
    all_named(CREDENTIALS);
}

#[test]
fn each_flood_is_named() {
    all_named(FLOODS);
}

#[test]
fn each_frame_that_cannot_be_read_is_named() {
    all_named(BAD_FRAMES);
}

/// The flags that help has of a subcommand, each with the values that it takes, if these are named.
fn flags(words: &[&str]) -> BTreeMap<String, Vec<String>> {
    let home = tempdir().unwrap();
    let help = String::from_utf8(cli(home.path(), &[words, &["--help"]].concat()).stdout).unwrap();
    let (mut flags, mut last) = (BTreeMap::new(), String::new());
    for line in help.lines().map(str::trim_start) {
        if let Some(flag) = line.split_whitespace().find(|word| word.starts_with("--"))
            && line.starts_with('-')
            && !line.starts_with("- ")
        {
            flag.clone_into(&mut last);
            flags.insert(last.clone(), Vec::new());
        } else if let Some((value, _)) = line.strip_prefix("- ").and_then(|line| line.split_once(':')) {
            flags.get_mut(&last).unwrap().push(value.to_owned());
        }
    }
    flags
}

#[test]
fn each_misbehaviour_of_a_simulated_plugin_has_its_clause() {
    let of_all = flags(&["keys"]);
    let mut misbehaviours = Vec::new();
    for (flag, values) in flags(&["sim", "plugin"]) {
        if of_all.contains_key(&flag) || ["--into", "--id", "--seed"].contains(&flag.as_str()) {
            continue;
        }
        match values.as_slice() {
            [] => misbehaviours.push(flag),
            values => misbehaviours.extend(values.iter().map(|value| format!("{flag} {value}"))),
        }
    }
    let groups = [PROCESSES, FORKS, FAILED_HANDSHAKES, SILENT, CREDENTIALS, FLOODS, BAD_FRAMES];
    let checked = groups.into_iter().flatten().map(|(behaviour, clauses)| {
        assert!(!clauses.is_empty(), "{behaviour:?}");
        let has_names = ["--flood", "--bad-frame"].contains(&behaviour[0]);
        if has_names { behaviour.join(" ") } else { behaviour[0].to_owned() }
    });
    let mut checked: Vec<String> = checked.collect();
    checked.sort_unstable();
    misbehaviours.sort_unstable();
    assert_eq!(checked, misbehaviours);
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
