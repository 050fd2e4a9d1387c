//! Those that need a store that cannot write: their end is another one than was foreseen, which says that it
//! may be.
#![cfg(target_os = "linux")]

use serde_json::{Value, json};

use super::sent::{name, needs, of_link, send};
use crate::real::{
    json as printed,
    plugins::{PluginStation, script},
};

const ID: &str = "com.example.failing";
const MUTE: &str = "up\nwhile :; do recv; done";
const CREDENTIAL: &str = "[plugins.twitch_android]\ncommand = \"echo a-token\"\n";

/// Sends it while the store fails.
fn ends_as_it_says(station: &PluginStation, row: &Value, flags: &[&str]) {
    let data = station.folder.path();
    let filter = format!("link:{}", row["link"].as_str().unwrap());
    let armed =
        printed(data, &["gate", "arm", &filter, "--in", "--then", "fail-store=30000ms", "--max", "1"]);
    let sent = send(data, row, flags);
    for part in ["verdict", "code"] {
        assert_eq!(sent[part], row["expect"][part], "{}, {part}: {sent:#}", name(row));
    }
    let foreseen = &sent["foreseen"];
    assert_eq!(foreseen["verdict"], "accepted", "{}: {sent:#}", name(row));
    let doubts = foreseen["doubts"].as_array().unwrap();
    assert!(doubts.contains(&json!("commit")), "{}: {sent:#}", name(row));
    printed(data, &["gate", "disarm", &armed[0]["rule"].to_string()]);
}

#[test]
fn what_needs_a_failing_store_ends_as_its_snippet_says() {
    let station = PluginStation::with(CREDENTIAL, &["--rehearsal"]);
    station.serve_file(ID, ("main", &script(MUTE)), &[], None);
    station.when_up(ID);
    let rows = of_link(station.folder.path(), "plugin");
    let staged: Vec<&Value> = rows.iter().filter(|row| needs(row, "failing_store")).collect();
    let [row] = &staged[..] else { panic!("{staged:?}") };
    ends_as_it_says(&station, row, &["--from", ID]);
}
