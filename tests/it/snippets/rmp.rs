//! Those of the bus, with other flags.

use serde_json::Value;

use crate::{real::Station, runs_cli::output};

#[test]
fn what_is_not_staged_is_not_sent_and_a_flag_goes_before_the_snippet() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let run = |args: &[&str]| crate::runs_cli::run(data, &[&["inject"], args].concat(), "");
    let not_staged = run(&["rmp", "--snippet", "busy"]).exits(5);
    assert_eq!((not_staged.rows.len(), &not_staged.error["code"]), (1, &Value::from("not_staged")));
    let message = not_staged.error["message"].as_str().unwrap();
    let start = "frame 2 not sent: accepted is foreseen, not what the snippet shows, which needs a limit";
    assert!(message.starts_with(start), "{message}");
    assert_eq!(run(&["rmp", "--snippet", "busy", "--expect", "accepted"]).exits(0).rows.len(), 2);
    let printed = output(data, &["inject", "rmp", "--snippet", "busy", "--yes"], "");
    let warned = String::from_utf8_lossy(&printed.stderr);
    let start = "warning: it did not end as the snippet shows, which needs a limit";
    assert!(printed.status.success() && warned.starts_with(start), "{warned}");
    let expected = ["rmp", "--snippet", "rmp/unsubscribe", "--set", "control.Unsubscribe.sub=9"];
    let row = run(&[&expected[..], &["--expect", "NotSubscribed"]].concat()).exits(0).rows.pop().unwrap();
    assert_eq!((&row["code"], &row["frame"]), (&Value::from("NotSubscribed"), &Value::from(2)));
    let twice = run(&["rmp", "--snippet", "ping", "--count", "2"]).exits(0);
    assert_eq!(twice.rows.len(), 2);
    run(&["rmp", "--snippet", "ping", "--break", "magic"]).exits(1);
    let gone = run(&["rmp", "--snippet", "welcome", "--to", "99"]).exits(1);
    assert_eq!((gone.rows.len(), &gone.error["code"]), (0, &Value::from("peer_gone")));
    run(&["rmp", "--snippet", "pull"]).exits(2);
    run(&["rmp", "--snippet", "welcome"]).exits(2);
}
