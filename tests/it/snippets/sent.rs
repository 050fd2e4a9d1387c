//! Sends a snippet and checks it: what was foreseen of it is what became of it, and what it shows.

use std::{collections::BTreeSet, path::Path};

use serde_json::Value;

use crate::{real::json, runs_cli::output};

/// The shipped snippets of a link, as `snippet ls --json` prints them.
pub(super) fn of_link(data: &Path, link: &str) -> Vec<Value> {
    let all = json(data, &["snippet", "ls"]);
    all.into_iter().filter(|row| row["link"] == link).collect()
}

/// Whether it needs this to be there.
pub(crate) fn needs(row: &Value, stage: &str) -> bool {
    row["stage"].as_array().unwrap().iter().any(|it| it == stage)
}

/// The name of a row.
pub(crate) fn name(row: &Value) -> &str {
    row["snippet"].as_str().unwrap()
}

/// Sends it, with these flags more: the last row that is printed.
#[track_caller]
pub(crate) fn send(data: &Path, row: &Value, flags: &[&str]) -> Value {
    let (link, name) = (row["link"].as_str().unwrap(), name(row));
    let args = ["--json", "inject", link, "--snippet", name, "--wait-ms", "5000", "--yes"];
    let printed = output(data, &[&args, flags].concat(), "");
    let stderr = String::from_utf8_lossy(&printed.stderr);
    assert!(!stderr.contains("not_staged"), "{name}: {stderr}");
    let rows = crate::runs_cli::rows(&printed.stdout);
    rows.into_iter().next_back().unwrap_or_else(|| panic!("{name}: {stderr}"))
}

fn kinds(answers: &Value) -> Vec<&str> {
    answers.as_array().into_iter().flatten().map(|answer| answer["kind"].as_str().unwrap()).collect()
}

/// What was foreseen, what became of it and what the snippet shows are one.
#[track_caller]
pub(super) fn agrees(row: &Value, sent: &Value) {
    let (name, expect, foreseen) = (name(row), &row["expect"], &sent["foreseen"]);
    for part in ["verdict", "code", "clause"] {
        assert_eq!(sent[part], expect[part], "{name}, {part}: {sent:#}");
        // Of what has no end in time nothing is said before.
        if foreseen["verdict"] != "pending" {
            assert_eq!(foreseen[part], sent[part], "{name}, foreseen {part}: {sent:#}");
        }
    }
    if foreseen["verdict"] != "pending" {
        assert_eq!(sent["different"], Value::Null, "{name}: {sent:#}");
    }
    let certainty = expect["certainty"].as_str().unwrap_or("certain");
    assert_eq!(foreseen["certainty"], certainty, "{name}: {sent:#}");
    let answered = kinds(&sent["answers"]);
    if let Some(answer) = expect["answer"].as_str() {
        assert_eq!(answered.first(), Some(&answer), "{name}: {sent:#}");
    }
    let is_told_before = matches!(foreseen["certainty"].as_str(), Some("certain" | "as_of_now"));
    // The status of a call that ends is no answer of its own.
    let is_status = row["link"] == "macp" && foreseen["ends"].is_string();
    if is_told_before && foreseen["verdict"] != "pending" && !is_status {
        let mut told_before = kinds(&foreseen["answers"]);
        // What the control plane publishes goes to those who subscribed to it.
        told_before.retain(|kind| *kind != "Publish");
        assert_eq!(told_before, answered, "{name}: {sent:#}");
    }
}

/// Sends and checks it.
#[track_caller]
pub(super) fn check(data: &Path, row: &Value, flags: &[&str]) {
    agrees(row, &send(data, row, flags));
}

/// Every snippet of the link was sent, but for those that are named with the reason why not.
#[track_caller]
pub(super) fn were_all_sent(rows: &[Value], sent: &BTreeSet<String>, skipped: &[(&str, &str)]) {
    let all: BTreeSet<String> = rows.iter().map(|row| name(row).to_owned()).collect();
    let skipped = skipped.iter().map(|(name, _)| (*name).to_owned());
    let done: BTreeSet<String> = sent.iter().cloned().chain(skipped).collect();
    assert_eq!(all, done);
}
