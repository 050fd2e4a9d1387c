//! Those that need a store that cannot write: their end is another one than was foreseen, which says that it
//! may be.
#![cfg(target_os = "linux")]

use std::path::Path;

use serde_json::{Value, json};

use super::sent::{name, needs, of_link, send};
use crate::real::{Station, json as printed};

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
