//! `snippet ls`, `snippet show` and `snippet check`, and snippets of the user's own.

use std::{fs, path::Path, time::Duration};

use rl_console::time::Clock;

use crate::{real::Station, runs_cli::run};

const OWN: &str = "\
about = 'three signs of life'
link = 'mpp'
door = 'adapter'
json = [
  '{\"body\":{\"type\":\"heartbeat\"}}',
  '{\"body\":{\"type\":\"heartbeat\"}}',
  '{\"body\":{\"type\":\"heartbeat\"}}',
]
[expect]
verdict = 'accepted'
";

const PULSE: &str = "\
about = 'a sign of life'
link = 'mpp'
door = 'adapter'
json = '{\"body\":{\"type\":\"heartbeat\"}}'
[expect]
verdict = 'accepted'
";

fn own(data: &Path, name: &str, text: &str) -> String {
    let path = data.join("home/config/rl-console/snippets").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_snippet_is_listed_shown_by_its_name_or_its_error_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let listed = run(data, &["snippet", "ls"], "").exits(0).rows;
    assert!(listed.len() > 150 && listed.iter().all(|row| row.get("path").is_none()), "{}", listed.len());
    let printed = crate::real::cli(data, &["snippet", "ls"]);
    let printed = String::from_utf8_lossy(&printed.stdout);
    let line = |name: &str| printed.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(line("snippet ").contains("needs"), "{printed}");
    assert!(line("macp/unavailable ").contains("new_session, failing_store"), "{printed}");
    let shown = run(data, &["snippet", "show", "-32004"], "").exits(0).rows;
    assert_eq!(shown[0]["snippet"], "plugin/shutting-down");
    let of_workbench = run(data, &["snippet", "show", "mid_frame"], "").exits(2).error;
    let hint = of_workbench["hint"].as_str().unwrap();
    assert!(hint.ends_with(" help frames` explains it"), "{hint}");
    let shown = run(data, &["snippet", "show", "UNKNOWN_INVOCATION_ID"], "").exits(0).rows;
    assert_eq!((shown.len(), &shown[0]["snippet"]), (1, &"mpp/not-dispatched-here".into()));
    assert!(shown[0]["toml"].as_str().unwrap().contains("\"id\":999"), "{shown:?}");
    let unknown = run(data, &["snippet", "show", "pul"], "").exits(2).error;
    assert_eq!(
        (&unknown["code"], &unknown["hint"]),
        (&"unknown_snippet".into(), &"did you mean pull?".into())
    );
    let none = run(data, &["snippet", "show", "RateLimited"], "").exits(2).error;
    assert!(none["message"].as_str().unwrap().contains("ruling MACP 8"), "{none}");

    own(data, "mpp/alive.toml", OWN);
    own(data, "pull.toml", &OWN.replace("three signs of life", "my own pull"));
    let listed = run(data, &["snippet", "ls"], "").exits(0).rows;
    let about = |name: &str| &listed.iter().find(|row| row["snippet"] == name).unwrap()["about"];
    assert_eq!(
        (about("mpp/alive"), about("mpp/pull")),
        (&"three signs of life".into(), &"my own pull".into())
    );
    let checked = run(data, &["snippet", "check"], "").exits(0).rows;
    assert_eq!((checked.len(), &checked[0]["frames"]), (2, &3.into()));
    let wrong = own(data, "wrong.toml", &OWN.replace("{\"type\":\"heartbeat\"}}',\n]", "{]}}',\n]"));
    let refused = run(data, &["snippet", "check", &wrong], "").exits(6).error;
    assert_eq!(refused["code"], "bad_snippet");
    assert!(refused["message"].as_str().unwrap().starts_with(&format!("{wrong}, line 7: ")), "{refused}");
    run(data, &["snippet", "check"], "").exits(6);
    let encoded = own(data, "encoded.toml", &OWN.replace("{\"body\"", "{\"bdy\""));
    let refused = run(data, &["snippet", "check", &encoded], "").exits(6).error;
    assert!(refused["message"].as_str().unwrap().contains("the JSON of frame 1"), "{refused}");
}

#[test]
fn a_snippet_of_ones_own_is_sent_as_often_as_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    own(data, "alive.toml", OWN);
    let sent = run(data, &["inject", "mpp", "--snippet", "alive", "--count", "3"], "").exits(0).rows;
    assert_eq!(sent.len(), 9);
    assert!(sent.iter().all(|row| row["verdict"] == "accepted"), "{sent:?}");
}

#[test]
fn a_snippet_of_ones_own_is_sent_at_the_rate_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    own(data, "pulse.toml", PULSE);
    let clock = Clock::start();
    let began = clock.mono();
    let args = ["inject", "mpp", "--snippet", "pulse", "--count", "100", "--rate", "50"];
    let sent = run(data, &args, "").exits(0).rows;
    let took = clock.mono().since(began);
    assert_eq!(sent.len(), 100);
    assert!(sent.iter().all(|row| row["verdict"] == "accepted"), "{sent:?}");
    assert!(took >= Duration::from_millis(1_980), "{took:?}");
}
