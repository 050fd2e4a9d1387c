//! Each verb of `plugin`, with its exit code and its lines of JSON, on simulated plugins.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail that way")]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::{plugin_check::simulated, real};

/// Looks in a minute, which is long enough for the slowest machine.
const LOOKS_MAX: usize = 1_200;
const TOKEN: &str = "dG9rZW4tb2YtdGhlLXZlcmJz";
const ID: &str = "sim.plugin";

/// Waits until something holds.
#[track_caller]
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let mut looks = 0;
    while !holds() {
        looks += 1;
        assert!(looks < LOOKS_MAX, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Asks a process to end as Ctrl-C does, and gives its exit code.
pub(crate) fn interrupt(child: &mut Child) -> Option<i32> {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    child.wait().unwrap().code()
}

pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    _station: real::Station,
}

impl Stage {
    pub(crate) fn open() -> Self {
        Self::configured("")
    }

    fn configured(config: &str) -> Self {
        let folder = tempdir().unwrap();
        let of = folder.path().join("home/config/rl-console");
        fs::create_dir_all(&of).unwrap();
        fs::write(of.join("config.toml"), config).unwrap();
        let station = real::Station::start(folder.path());
        Self { folder, _station: station }
    }

    pub(crate) fn json(&self, args: &[&str]) -> Vec<Value> {
        real::json(self.folder.path(), args)
    }

    /// The exit code, the error's code, and what else was said.
    fn refused(&self, args: &[&str]) -> (i32, String, String) {
        let output = real::cli(self.folder.path(), &[&["--json"], args].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let error: Value = serde_json::from_str(said.lines().last().unwrap_or_default())
            .unwrap_or_else(|_| panic!("{args:?}: {said}"));
        (output.status.code().unwrap(), error["error"]["code"].as_str().unwrap().to_owned(), said)
    }

    pub(crate) fn show(&self, id: &str) -> Value {
        self.json(&["plugin", "show", id]).remove(0)
    }

    /// Waits until a plugin is up with its panel.
    pub(crate) fn until_up(&self, id: &str) {
        until("it is up", || {
            let shown = self.show(id);
            shown["state"] == "up" && !shown["panel"].is_null()
        });
    }

    /// Writes a simulated plugin.
    fn source(&self, name: &str, behaviour: &[&str]) -> PathBuf {
        let into = self.folder.path().join(name);
        simulated(&into, behaviour);
        into
    }

    fn install(&self, source: &Path, flags: &[&str]) -> Value {
        let source = source.to_str().unwrap();
        self.json(&[&["plugin", "install", source, "--yes"], flags].concat()).remove(0)
    }

    fn audit(&self, id: &str) -> Vec<Value> {
        self.json(&["plugin", "audit", id])
    }
}

/// The newer version of a simulated plugin, which asks for one capability less or more.
fn change(source: &Path, from: &str, to: &str) {
    let manifest = source.join("plugin.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(manifest, text.replace(from, to)).unwrap();
}

#[test]
fn an_update_asks_for_what_is_new_alone_and_keeps_data_values_and_grants() {
    let stage = Stage::open();
    let source = stage.source("source", &[]);
    change(&source, "\"get_followed_live\", ", "");
    stage.install(&source, &["--grant", "log,register_panel,get_panel_values,panel,on_panel_change"]);
    stage.until_up(ID);
    stage.json(&["plugin", "set", ID, "volume", "75"]);
    let data = stage.folder.path().join("plugins").join(ID).join("data");
    fs::write(data.join("kept"), "kept").unwrap();

    change(&source, "1.0.0", "1.1.0");
    change(&source, "\"set_upstream\", ", "\"get_followed_live\", \"set_upstream\", ");
    let folder = source.to_str().unwrap();
    let (exit, code, said) = stage.refused(&["plugin", "install", folder]);
    assert_eq!((exit, code.as_str()), (1, "declined"));
    assert!(said.contains("will also be able to:"), "{said}");
    let updated = stage.install(&source, &["--grant", "get_followed_live"]);
    assert_eq!(updated, json!({ "plugin": ID, "version": "1.1.0", "replaced": "1.0.0" }));
    stage.until_up(ID);
    let shown = stage.show(ID);
    assert_eq!(shown["values"]["volume"], 75);
    assert_eq!(fs::read_to_string(data.join("kept")).unwrap(), "kept");
    let mut granted: Vec<&str> =
        shown["granted"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    granted.sort_unstable();
    let all = ["get_followed_live", "get_panel_values", "log", "on_panel_change", "panel", "register_panel"];
    assert_eq!(granted, all);

    stage.json(&["plugin", "set", ID, "volume", "--default"]);
    assert_eq!(stage.show(ID)["values"]["volume"], 50, "its default holds again");
    stage.json(&["plugin", "set", ID, "volume", "25"]);
    assert_eq!(stage.json(&["plugin", "remove", ID]), [json!({ "plugin": ID, "done": "removed" })]);
    assert!(data.join("kept").exists(), "data stays");
    stage.install(&source, &[]);
    stage.until_up(ID);
    assert_eq!(stage.show(ID)["values"]["volume"], 25, "values stay");
    stage.json(&["plugin", "remove", ID, "--purge"]);
    assert!(!data.exists());
}

#[test]
fn the_audit_says_who_installed_enabled_disabled_and_set_a_value_which_is_not_in_it() {
    let stage = Stage::open();
    stage.install(&stage.source("source", &[]), &[]);
    stage.until_up(ID);
    stage.json(&["plugin", "set", ID, "greeting", "private-words"]);
    assert_eq!(stage.json(&["plugin", "disable", ID]), [json!({ "plugin": ID, "done": "disabled" })]);
    until("it is disabled", || stage.show(ID)["state"] == "disabled");
    assert_eq!(stage.json(&["plugin", "enable", ID]), [json!({ "plugin": ID, "done": "enabled" })]);
    let audit = stage.audit(ID);
    for (what, text) in
        [("installed", "1.0.0"), ("value_set", "greeting"), ("disabled", "by_operator"), ("enabled", "")]
    {
        let row =
            audit.iter().find(|row| row["what"] == what).unwrap_or_else(|| panic!("{what}: {audit:#?}"));
        assert_eq!((&row["text"], &row["by"]), (&json!(text), &json!("operator")), "{row}");
        assert!(row["at_ms"].as_u64().unwrap() > 0);
    }
    assert!(!format!("{audit:?}").contains("private-words"));
    let table = real::cli(stage.folder.path(), &["plugin", "audit", ID]);
    let table = String::from_utf8(table.stdout).unwrap();
    let heads: Vec<_> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["#", "at", "(UTC)", "what", "by", "text"]);
}

#[test]
fn a_credential_is_allowed_for_good_or_denied_by_hand() {
    let stage = Stage::configured(&format!("[plugins.twitch_android]\ncommand = \"printf {TOKEN}\"\n"));
    for id in ["sim.allowed", "sim.denied"] {
        let source = stage.source(id, &["--id", id, "--ask-credential"]);
        stage.install(&source, &[]);
        until("it asks", || stage.show(id)["asking"] == "twitch.android");
    }
    let allowed = stage.json(&["plugin", "allow", "sim.allowed", "--always"]);
    assert_eq!(allowed, [json!({ "plugin": "sim.allowed", "done": "allowed" })]);
    let denied = stage.json(&["plugin", "deny", "sim.denied"]);
    assert_eq!(denied, [json!({ "plugin": "sim.denied", "done": "denied" })]);
    let has = |id: &str, what: &str| {
        let all = stage.audit(id);
        assert!(!format!("{all:?}").contains(TOKEN));
        all.iter().any(|row| row["what"] == what && row["text"] == "twitch.android")
    };
    until("it was handed over", || has("sim.allowed", "handed"));
    assert!(has("sim.allowed", "allowed_always") && has("sim.denied", "denied"));
    assert_eq!(stage.refused(&["plugin", "allow", "sim.denied"]).0, 1, "it does not ask");
}

#[test]
fn a_log_is_followed_until_ctrl_c() {
    let stage = Stage::open();
    stage.install(&stage.source("source", &[]), &[]);
    stage.until_up(ID);
    let mut child = real::command(stage.folder.path())
        .args(["--json", "plugin", "logs", ID, "-f", "--lines", "1"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["plugin"], ID);
    let sent = stage.json(&["plugin", "event", ID, "on_settings_change", r#"{"n":17}"#]);
    assert_eq!(sent, [json!({ "plugin": ID, "done": "sent" })]);
    // The test's runner ends one that never comes.
    while !next()["line"].as_str().unwrap().contains(r#"on_settings_change {"n":17}"#) {}
    assert_eq!(interrupt(&mut child), Some(0));
}

#[test]
fn what_cannot_be_done_has_an_exit_code_and_says_why() {
    let stage = Stage::open();
    stage.install(&stage.source("source", &[]), &[]);
    stage.until_up(ID);
    for verb in ["enable", "disable", "restart", "remove", "allow", "deny", "show", "logs"] {
        let (exit, code, _) = stage.refused(&["plugin", verb, "not.there"]);
        assert_eq!((exit, code.as_str()), (1, "unknown_plugin"), "{verb}");
    }
    assert_eq!(stage.json(&["plugin", "audit", "not.there"]), Vec::<Value>::new());
    let refusals: [(&[&str], i32, &str); 8] = [
        (&["plugin", "grant", "not.there", "log"], 1, "unknown_plugin"),
        (&["plugin", "grant", ID, "wings"], 1, "unknown_capability"),
        (&["plugin", "set", ID, "pitch", "1"], 1, "unknown_key"),
        (&["plugin", "set", ID, "volume", "loud"], 2, "usage"),
        (&["plugin", "event", ID, "on_watch_tick", "[]"], 2, "usage"),
        (&["plugin", "invoke", "sim.none"], 1, "unknown_action"),
        (&["plugin", "invoke", "sim.echo", "--args", "1"], 2, "usage"),
        (&["plugin", "install", "/nonexistent", "--yes"], 1, "not_a_plugin"),
    ];
    for (args, exit, code) in refusals {
        let (found, of, said) = stage.refused(args);
        assert_eq!((found, of.as_str()), (exit, code), "{args:?}: {said}");
    }
    let echoed = stage.json(&["plugin", "invoke", "sim.echo", "--args", r#"{"a":1}"#, "--plugin", ID]);
    assert_eq!(echoed, [json!({ "plugin": ID, "result": { "a": 1 } })]);
}
