//! Those that need a store that cannot write: their end is another one than was foreseen, which says that it
//! may be.
#![cfg(target_os = "linux")]

use std::path::Path;

use serde_json::{Value, json};

use super::sent::{name, needs, of_link, send};
use crate::{
    real::{Station, json as printed},
    runs_cli::run,
};

/// Sends it while the store fails.
fn ends_as_it_says(data: &Path, row: &Value, flags: &[&str]) {
    let filter = format!("link:{}", row["link"].as_str().unwrap());
    printed(data, &["gate", "arm", &filter, "--in", "--then", "fail-store=30000ms", "--max", "1"]);
    let sent = send(data, row, flags);
    for part in ["verdict", "code", "clause"] {
        assert_eq!(sent[part], row["expect"][part], "{}, {part}: {sent:#}", name(row));
    }
    let foreseen = &sent["foreseen"];
    assert_eq!(foreseen["certainty"], row["expect"]["certainty"], "{}: {sent:#}", name(row));
    assert_eq!(foreseen["verdict"], "accepted", "{}: {sent:#}", name(row));
    let doubts = foreseen["doubts"].as_array().unwrap();
    assert!(doubts.contains(&json!("commit")), "{}: {sent:#}", name(row));
}

#[test]
fn what_needs_a_failing_store_ends_as_its_snippet_says() {
    let folder = tempfile::tempdir().unwrap();
    let _station = Station::start_with(folder.path(), &["--rehearsal"]);
    let rows = of_link(folder.path(), "macp");
    let staged: Vec<&Value> = rows.iter().filter(|row| needs(row, "failing_store")).collect();
    let [row] = &staged[..] else { panic!("{staged:?}") };
    ends_as_it_says(folder.path(), row, &[]);
}

#[test]
fn what_needs_a_failing_store_is_not_sent_to_a_live_station() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let args = ["inject", "macp", "--snippet", "unavailable"];
    let not_sent = run(data, &args, "").exits(5);
    assert_eq!((not_sent.rows.len(), &not_sent.error["code"]), (0, &json!("not_staged")));
    assert!(printed(data, &["ls", "sessions"]).is_empty(), "it was sent");
    let sent = run(data, &[&args[..], &["--yes"]].concat(), "").exits(0).rows;
    assert_eq!(sent[0]["verdict"], "accepted");
}
