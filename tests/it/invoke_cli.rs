//! What is enqueued from a shell: one redemption is one invocation, and params are judged before they are
//! sent; times and rows as lists show them.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::real::{command, test_station::TestStation};

fn said(fixture: &TestStation, args: &[&str]) -> (Option<i32>, Vec<Value>, Vec<Value>) {
    let output =
        command(fixture.folder.path()).arg("--json").args(args).stdin(Stdio::null()).output().unwrap();
    let lines = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    (output.status.code(), lines(output.stdout), lines(output.stderr))
}

#[test]
fn what_happened_to_redemption_r_1() {
    let fixture = TestStation::open();
    let invoke = |event: &str, params: &str| {
        said(&fixture, &["invoke", event, "--params", params, "--redemption", "r-1", "--source", "bits"])
    };
    let (code, rows, _) = invoke("give_item", r#"{"item_id":4,"count":1}"#);
    assert_eq!((code, &rows[0]["id"], rows[0].get("repeated")), (Some(0), &json!(1), None));
    let (code, rows, errors) = invoke("give_item", r#"{ "count": 1, "item_id": 4 }"#);
    assert_eq!(
        (code, &rows[0]["id"], &rows[0]["repeated"]),
        (Some(0), &json!(1), &json!(true)),
        "{errors:?}"
    );
    for (event, params) in [("give_item", r#"{"item_id":5,"count":1}"#), ("heal_party", "{}")] {
        let (code, rows, errors) = invoke(event, params);
        let error = &errors[0]["error"];
        assert_eq!((code, rows.len(), &error["code"]), (Some(1), 0, &json!("key_conflict")), "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("invocation 1") && message.contains("r-1"), "{message}");
        assert!(message.contains(r#"give_item {"item_id":4,"count":1}"#), "{message}");
        assert!(message.contains(&format!("{event} {params}")), "{message}");
    }
    // What it is refused for otherwise does not hide that it is there, or that it is another.
    fixture.json(&["drain"]);
    assert_eq!(invoke("give_item", r#"{"item_id":4,"count":1}"#).1[0]["repeated"], json!(true));
    let (code, _, errors) = invoke("heal_party", "{}");
    assert_eq!((code, &errors[0]["error"]["code"]), (Some(1), &json!("key_conflict")));
    assert_eq!(fixture.json(&["ls", "invocations"]).len(), 1);
}

#[test]
fn params_that_will_fail_are_warned_of_and_refused_where_they_are_checked() {
    let fixture = TestStation::open();
    let unfit = ["invoke", "give_item", "--params", r#"{"item_id":"x"}"#];
    let (code, rows, warnings) = said(&fixture, &unfit);
    assert_eq!((code, rows.len(), warnings.len()), (Some(0), 1, 1), "{warnings:?}");
    let warning = &warnings[0]["warning"];
    assert_eq!(warning["code"], json!("params_invalid"));
    assert!(warning["message"].as_str().unwrap().contains("item_id"), "{warning}");
    assert!(warning["hint"].as_str().unwrap().contains("--check"), "{warning}");
    let (code, rows, errors) = said(&fixture, &[&unfit[..], &["--check"]].concat());
    assert_eq!((code, rows.len(), &errors[0]["error"]["code"]), (Some(1), 0, &json!("params_invalid")));
    let (code, rows, errors) = said(&fixture, &["invoke", "heal_party", "--check"]);
    assert_eq!((code, rows.len(), errors.len()), (Some(0), 1, 0), "{errors:?}");
    let file = fixture.folder.path().join("rows");
    std::fs::write(&file, "{\"event\":\"heal_party\"}\n{\"event\":\"give_item\",\"params\":{}}\n").unwrap();
    let (code, rows, errors) = said(&fixture, &["invoke", "--from", file.to_str().unwrap(), "--check"]);
    assert_eq!((code, rows.len()), (Some(1), 1), "the line that fits is enqueued: {errors:?}");
    assert_eq!(fixture.json(&["ls", "invocations"]).len(), 3);
}

#[test]
fn a_list_says_in_which_zone_its_times_are_and_how_many_rows_there_are() {
    let fixture = TestStation::open();
    for _ in 0..3 {
        fixture.json(&["invoke", "heal_party"]);
    }
    let listed = |zone: &str| {
        let mut command = command(fixture.folder.path());
        let output = command.env("TZ", zone).args(["ls", "invocations", "--limit", "2"]).output().unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let hour = |text: &str| {
        let row = text.lines().nth(1).unwrap();
        let at = row.find(':').unwrap();
        row[at - 2..at].parse::<u32>().unwrap()
    };
    let [here, note] = listed("UTC");
    assert!(here.contains("enqueued (UTC)") && note.trim() == "2 of 3 (--limit)", "{here}{note}");
    let [there, _] = listed("Asia/Tokyo");
    assert!(there.contains("enqueued (JST)"), "{there}");
    assert!((hour(&here) + 9) % 24 == hour(&there) || hour(&here) == 59, "{here}{there}");
    // A trace is found by the digits that the list shows.
    let row = &fixture.json(&["ls", "invocations"])[0];
    let short = row["trace_id"].as_str().unwrap();
    let short = &short[short.len() - 4..];
    let output = command(fixture.folder.path()).args(["trace", short]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("unknown") && !text.contains("no run whose"), "{text}");
}

#[test]
fn cancelling_a_session_that_has_expired_changes_nothing() {
    let fixture = TestStation::open();
    fixture.json(&["session", "start", "map-of-friday", "--as", "alice", "--ttl", "0.2"]);
    for _ in 0..400 {
        if fixture.json(&["ls", "sessions"])[0]["state"] == json!("expired") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    let log = || fixture.json(&["session", "show", "map-of-friday", "--log"]);
    let before = log();
    let expired = |log: &[Value]| log.iter().filter(|record| record["kind"] == json!("ttl_expired")).count();
    assert_eq!(expired(&before), 1, "{before:?}");
    // By the end of its id, as a screen shows it.
    let answered = fixture.json(&["session", "cancel", "iday", "--reason", "late"]);
    assert_eq!(
        (&answered[0]["ok"], &answered[0]["session_state"], &answered[0]["session_id"]),
        (&json!(true), &json!("expired"), &json!("map-of-friday"))
    );
    assert_eq!(log(), before);
}
