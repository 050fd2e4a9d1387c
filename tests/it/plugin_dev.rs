//! `plugin dev`: a folder is served as it lies, and nothing is left of it behind Ctrl-C.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::Stdio,
    time::Duration,
};

use crate::{
    plugin_check::simulated,
    plugin_verbs::{Stage, interrupt, until},
    real,
};

const ID: &str = "sim.plugin";
/// Longer than files are looked at anew.
const LOOKS: Duration = Duration::from_millis(1_300);

#[test]
fn a_folder_is_served_restarted_at_a_change_and_gone_at_ctrl_c() {
    let stage = Stage::open();
    let source = stage.folder.path().join("source");
    simulated(&source, &[]);
    for folder in [".git", "node_modules", "target"] {
        fs::create_dir(source.join(folder)).unwrap();
    }
    let mut child = real::command(stage.folder.path())
        .args(["plugin", "dev", source.to_str().unwrap(), "--grant", "log,on_settings_change"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let pid = || stage.json(&["plugin", "show"]).first().and_then(|row| row["pid"].as_u64());
    until("it is up", || pid().is_some());
    let first = pid();
    let shown = stage.show(ID);
    assert_eq!(shown["granted"], serde_json::json!(["on_settings_change", "log"]));
    assert_eq!(shown["folder"].as_str(), fs::canonicalize(&source).unwrap().to_str());
    stage.json(&["plugin", "event", ID, "on_settings_change", r#"{"n":1}"#]);
    // The test's runner ends one that never comes.
    while !lines.next().unwrap().unwrap().contains(r#"on_settings_change {"n":1}"#) {}

    for folder in [".git", "node_modules", "target"] {
        fs::write(source.join(folder).join("file"), "1").unwrap();
    }
    std::thread::sleep(LOOKS);
    assert_eq!(pid(), first, "these do not count");
    fs::write(source.join("other.txt"), "1").unwrap();
    until("it is restarted", || pid().is_some_and(|pid| Some(pid) != first));
    let guard = pid().unwrap();
    assert_eq!(interrupt(&mut child), Some(0));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said.matches("a file changed: restarting").count(), 1, "{said}");
    until("it is gone", || stage.json(&["plugin", "show"]).is_empty());
    until("its process is gone", || !Path::new(&format!("/proc/{guard}")).exists());
    assert!(source.join("plugin.toml").exists(), "the folder is as it lay");
}
