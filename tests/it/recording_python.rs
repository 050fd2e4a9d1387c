//! Recordings as an independent reader finds them: Python's MCAP library, which knows nothing of rl-console.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use rl_console::{
    limits,
    recording::{Attachment, RecordedItem, Recorder, Sources, read, repair},
    tap::Tap,
};
use serde_json::Value;

use crate::{
    fixtures,
    python::{ENVIRONMENT, Runner},
    real::cli,
    recording::{file, ready_snapshots, sources, stop},
    recording_other_tools::{BAD, screens},
    tap::{draft, notice},
};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/python/recording/read.py");

const RUNNER: Runner = Runner {
    script: "recording/read.py",
    pythons: || vec![PathBuf::from(ENVIRONMENT)],
    modules: ("mcap_protobuf", "mcap-protobuf-support"),
    required_by: "RL_CONSOLE_TESTS_MCAP",
};

/// What the script prints.
fn asked(python: &Path, args: &[&Path], what: &str) -> String {
    let output = Command::new(python).arg("-B").arg(SCRIPT).arg(what).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn checked(python: &Path, path: &Path) -> Value {
    serde_json::from_str(&asked(python, &[path], "check")).unwrap()
}

/// A recording of everything that an entry can say, some of it often.
fn everything(path: &Path) -> Vec<u64> {
    let tap = Tap::new(limits::Tap::default());
    let attachments = vec![Attachment::text("config.toml", "application/toml", "x = 1\n".to_owned())];
    let sources = Sources { attachments, ..sources(tap.reader().unwrap(), ready_snapshots()) };
    let limits = limits::Recording { chunk_bytes_max: 65_536, ..limits::Recording::default() };
    let recorder = Recorder::start(path, sources, limits, Box::new(|_| {})).unwrap();
    let mut seqs = Vec::new();
    for (n, what) in fixtures::whats().into_iter().enumerate() {
        seqs.push(tap.emit(draft(what, format!("text {n}").as_bytes())).0);
    }
    for n in 0..2_000 {
        seqs.push(tap.emit(notice(&format!("a notice of some length, number {n}"))).0);
    }
    assert_eq!(stop(recorder).why, None);
    seqs
}

/// What is in a recording, in its order.
fn items(path: &Path) -> Vec<RecordedItem> {
    read(path).unwrap().map(Result::unwrap).collect()
}

#[test]
fn every_message_decodes_by_the_file_s_own_schema_in_the_tap_s_order() {
    let Some(python) = RUNNER.python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let seqs = everything(&path);
    let found = checked(&python, &path);
    assert_eq!(found["seqs"].as_array().unwrap().iter().filter_map(Value::as_u64).collect::<Vec<_>>(), seqs);
    // One begins it, and one is behind the loss.
    assert_eq!((&found["rises"], &found["snapshots"]), (&true.into(), &2.into()));
    assert_eq!(found["attachments"], serde_json::json!(["config.toml"]));
    assert_eq!(found["metadata"], serde_json::json!(["rl-console", "tally"]));
    for topic in ["mpp", "commands", "marks", "snapshot"] {
        assert!(found["topics"][topic].as_u64().is_some_and(|count| count > 0), "{topic}: {found:#}");
    }
    assert_eq!(found["from_middle"], found["later_than_middle"], "it seeks by the index");
}

#[test]
fn a_file_that_is_written_anew_in_the_order_of_log_time_reads_alike() {
    let Some(python) = RUNNER.python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (path, anew) = (file(&folder), folder.path().join("anew.mcap"));
    everything(&path);
    asked(&python, &[&path, &anew], "rewrite");
    assert_eq!(items(&anew), items(&path));
}

#[test]
fn a_file_that_is_written_anew_replays_on_the_same_screens() {
    let Some(python) = RUNNER.python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let sample = Path::new(BAD);
    let drawn = screens(data, sample);
    for what in ["rewrite", "bare", "lz4"] {
        let anew = data.join(what).join("bad.mcap");
        std::fs::create_dir_all(anew.parent().unwrap()).unwrap();
        asked(&python, &[sample, &anew], what);
        assert_eq!(screens(data, &anew), drawn, "{what}");
        let of_items = |path| read(path).unwrap().filter_map(Result::ok).collect::<Vec<_>>();
        assert_eq!(of_items(&anew), of_items(sample), "{what}");
        let verified = cli(data, &["recording", "verify", anew.to_str().unwrap()]);
        assert_eq!(verified.status.success(), what != "bare", "{what}: {verified:?}");
    }
}

#[test]
fn a_cut_file_that_was_repaired_is_whole_to_others() {
    let Some(python) = RUNNER.python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (path, cut) = (file(&folder), folder.path().join("cut.mcap"));
    everything(&path);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let whole = folder.path().join("whole.mcap");
    let repaired = repair(&cut, &whole).unwrap();
    let found = checked(&python, &whole);
    assert_eq!((&found["counted"], &found["rises"]), (&repaired.messages.into(), &true.into()));
    assert_eq!(found["from_middle"], found["later_than_middle"], "it seeks");
}
