//! What a run comes with and what a person says of it, over the real binary: trace contexts and ratings
//! (rulings MPLP 4 and 18).

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    real::Station,
    runs_cli::{Agent, GREETING, file, output, run},
};

const WRITER: &str = "[[rule]]\nnode = \"draft\"\nprogress = [\"writing\"]\ntokens = 7\n";

/// Of a later version, with what this one does not know.
const HEADER: &str = "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more";

/// A run that ended, by its id.
fn greeted(data: &Path, with: &[&str]) -> String {
    let opening = file(data, "greeting.yaml", GREETING);
    let ran = run(data, &[&["submit", &opening, "--wait"], with].concat(), "").exits(0);
    ran.rows[0]["run"].as_str().unwrap().to_owned()
}

fn samples(data: &Path, id: &str) -> Vec<Value> {
    let printed = output(data, &["run", "export", id, "--learning", "-"], "");
    assert!(printed.status.success());
    String::from_utf8(printed.stdout).unwrap().lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

fn labels(data: &Path, id: &str) -> Vec<String> {
    // The flat sample has it with its metadata.
    let label = |sample: &Value| {
        let label = |part: &str| sample[part]["human_feedback_label"].as_str().map(str::to_owned);
        label("meta").or_else(|| label("metadata")).unwrap()
    };
    samples(data, id).iter().map(label).collect()
}

#[test]
fn a_rating_is_there_after_a_kill_and_labels_the_samples() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    let agent = Agent::start(data, "writer", WRITER);
    let id = greeted(data, &[]);
    let unrated = labels(data, &id);
    assert!(!unrated.is_empty() && unrated.iter().all(|label| label == "not_reviewed"), "{unrated:?}");
    let first = run(data, &["run", "rate", &id, "rejected"], "").exits(0);
    assert_eq!(first.rows, [json!({ "run": id, "verdict": "rejected" })]);
    let tail = &id[id.len() - 12..];
    let last = run(data, &["run", "rate", tail, "approved", "--note", "right after all"], "").exits(0);
    assert_eq!(last.rows, [json!({ "run": id, "verdict": "approved", "before": "rejected" })]);
    drop(agent);
    station.kill();
    let _station = Station::start(data);
    let rated = labels(data, &id);
    assert_eq!(rated.len(), unrated.len());
    assert!(rated.iter().all(|label| label == "approved"), "{rated:?}");
    let shown = run(data, &["run", "show", &id], "").exits(0);
    let rating = &shown.rows[0]["rating"];
    assert_eq!((&rating["verdict"], &rating["note"]), (&json!("approved"), &json!("right after all")));
    let listed = |filter| run(data, &["ls", "runs", "--filter", filter], "").exits(0).rows;
    assert_eq!(
        (&listed("rating:approved")[0]["rated"], listed("rating:rejected").len()),
        (&json!("approved"), 0)
    );
    let again = run(data, &["run", "rate", &id, "rejected"], "").exits(0);
    let kept = json!({ "run": id, "verdict": "rejected", "before": "approved", "keeps_note": true });
    assert_eq!(again.rows, [kept]);
    let emptied = run(data, &["run", "rate", &id, "rejected", "--note", ""], "").exits(0);
    assert_eq!(emptied.rows, [json!({ "run": id, "verdict": "rejected", "before": "rejected" })]);
    assert!(rating["by"].is_string() && rating["at_ms"].is_u64(), "{rating}");
}

#[test]
fn what_cannot_be_rated_is_refused_as_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let nobody = "trace:0191d3c2-7a41-7f00-8000-00000000a41f";
    run(data, &["run", "rate", nobody, "approved"], "").exits(3);
    let _station = Station::start(data);
    let unknown = run(data, &["run", "rate", nobody, "approved"], "").exits(1);
    assert_eq!(unknown.error["code"], "unknown_run");
    run(data, &["run", "rate", nobody, "not_reviewed"], "").exits(2);
    run(data, &["run", "rate", nobody, "approved", "--note", &"n".repeat(4_097)], "").exits(2);
}

#[test]
fn a_trace_context_is_in_the_record_also_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let opening = file(data, "greeting.yaml", GREETING);
    let zeros = "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01";
    run(data, &["submit", &opening, "--traceparent", zeros], "").exits(2);
    let station = Station::start(data);
    let agent = Agent::start(data, "writer", WRITER);
    let id = greeted(data, &["--traceparent", HEADER]);
    drop(agent);
    station.kill();
    let _station = Station::start(data);
    let path = data.join("record.json");
    run(data, &["run", "export", &id, "--mplp", path.to_str().unwrap()], "").exits(0);
    let record: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let span = &record["trace"]["root_span"];
    assert_eq!(span["attributes"]["traceparent"], HEADER);
    assert_eq!(span["attributes"]["artifacts_missing"], 0);
    // Ruling 4: the trace of the record, and the last 16 digits of its root span.
    let bare = |id: &Value| id.as_str().unwrap().replace('-', "");
    let expected = format!("00-{}-{}-01", bare(&span["trace_id"]), &bare(&span["span_id"])[16..]);
    let shown = run(data, &["run", "show", &id, "--traceparent"], "").exits(0);
    assert_eq!(shown.rows, [json!({ "traceparent": expected })]);
    let shown = run(data, &["run", "show", &id], "").exits(0);
    assert_eq!(shown.rows[0]["traceparent"], HEADER);
}
