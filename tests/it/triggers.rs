//! Triggers: what the station does by itself when something happens.

use rl_console::{
    mpp::{self, NewInvocation},
    port::{Command, Operator as _, Outcome},
    station::OperatorClient,
};
use serde_json::Value;

use crate::{
    real::{Station, cli, json, plugins::until, screen::Terminal},
    recording_station::{configured, files, mark, marks, recorded},
    runs_cli::run,
};

const CONFIG: &str = r#"
[[triggers]]
name = "boss"
when = "topic:game/boss"
mark = true
alert = true
clip = { before_s = 30 }
run = ["hold", "boss"]
cooldown_s = 60
"#;

fn row(data: &std::path::Path, name: &str) -> Value {
    json(data, &["trigger", "ls"]).into_iter().find(|row| row["name"] == name).unwrap_or(Value::Null)
}

#[test]
fn what_is_looked_for_is_marked_saved_and_alerted_and_a_command_runs() {
    let folder = configured(CONFIG);
    let data = folder.path();
    let _station = Station::start(data);
    run(data, &["publish", "game/boss", "--type", "observation.note.v1", "--body", r#"{"hp":1}"#], "")
        .exits(0);
    run(data, &["publish", "game/boss", "--type", "observation.note.v1", "--body", r#"{"hp":2}"#], "")
        .exits(0);
    until(|| format!("{:#}", row(data, "boss")), || (row(data, "boss")["coalesced"] == 1).then_some(()));
    let boss = row(data, "boss");
    assert_eq!((&boss["fired"], &boss["is_configured"]), (&1.into(), &true.into()), "{boss:#}");
    let clip = until(
        || format!("{:?}", files(data)),
        || {
            files(data)
                .into_iter()
                .find(|path| rl_console::recording::index(path).is_ok_and(|it| it.is_finished()))
        },
    );
    assert!(clip.to_str().unwrap().ends_with("-clip.mcap"));
    assert_eq!(marks(&clip), ["trigger boss"]);
    let is_held =
        || json(data, &["ls", "queues"]).iter().any(|row| row["queue"] == "boss" && row["held"] == true);
    until(|| "the command has not run".to_owned(), || is_held().then_some(()));
    let since = data.join("since.mcap");
    json(data, &["clip", "60", since.to_str().unwrap()]);
    let lines = cli(data, &["replay", since.to_str().unwrap(), "--plain"]).stdout;
    let lines = String::from_utf8(lines).unwrap();
    assert!(lines.lines().any(|line| line.contains("trigger:boss") && line.contains("hold")), "{lines}");
    let alerts = || json(data, &["ls", "alerts"]).into_iter().find(|row| row["alert"] == "trigger");
    let alert = until(|| "no alert".to_owned(), alerts);
    assert!(alert["text"].as_str().unwrap().starts_with("trigger boss: "), "{alert:#}");
    let refused = run(data, &["trigger", "rm", "boss"], "").exits(1);
    assert!(refused.error["message"].as_str().unwrap().contains("the configuration has `boss`"));
}

#[test]
fn a_command_of_a_trigger_that_fails_is_told() {
    let folder = configured(
        "[[triggers]]\nname = \"a\"\nwhen = \"topic:a/b\"\nrun = [\"trigger\", \"rm\", \"none\"]\n",
    );
    let data = folder.path();
    let _station = Station::start(data);
    run(data, &["publish", "a/b", "--type", "observation.note.v1", "--body", r#"{"n":1}"#], "").exits(0);
    let clip = data.join("since.mcap");
    let lines = || {
        let _ = std::fs::remove_file(&clip);
        json(data, &["clip", "60", clip.to_str().unwrap()]);
        String::from_utf8(cli(data, &["replay", clip.to_str().unwrap(), "--plain"]).stdout).unwrap()
    };
    let failed = "trigger a: `trigger rm none` failed: exit status: 1";
    until(lines, || lines().contains(failed).then_some(()));
}

/// What comes at once is more than the ring has: the thread that looks loses some of it.
#[test]
fn what_is_lost_before_it_was_looked_at_is_counted_and_what_comes_after_it_fires() {
    const ROWS: u64 = 10_000;
    let config = "
[limits.tap]
ring_entries_max = 1024
ring_bytes_max = 1048576
[limits.mpp]
command_rows_max = 10000
[[triggers]]
name = \"rows\"
when = \"kind:enqueued\"
mark = true
cooldown_s = 3600
[[triggers]]
name = \"after\"
when = \"topic:a/b\"
mark = true
";
    let folder = configured(config);
    let data = folder.path();
    let _station = Station::start(data);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operator = runtime.block_on(OperatorClient::connect(data)).unwrap();
    let mut given = 0;
    let is_lost = || {
        let rows = (0..ROWS).map(|_| NewInvocation::new("heal_party")).collect();
        let done = runtime.block_on(operator.command(Command::Mpp(mpp::Command::Enqueue { rows }))).unwrap();
        let Outcome::Mpp(mpp::Outcome::Enqueued(rows)) = done else { panic!("{done:?}") };
        given += rows.iter().filter(|row| row.is_ok()).count() as u64;
        let missed = row(data, "rows")["missed"].as_u64().unwrap();
        (missed > 0).then_some(())
    };
    until(|| format!("{:#}", row(data, "rows")), is_lost);
    assert_eq!(row(data, "after")["fired"], 0);
    run(data, &["publish", "a/b", "--type", "observation.note.v1", "--body", r#"{"n":1}"#], "").exits(0);
    until(|| format!("{:#}", row(data, "after")), || (row(data, "after")["fired"] == 1).then_some(()));
    let [rows, after] = ["rows", "after"].map(|name| row(data, name));
    assert_eq!(rows["missed"], after["missed"], "both were there");
    let [fired, coalesced, missed] =
        ["fired", "coalesced", "missed"].map(|name| rows[name].as_u64().unwrap());
    let looked_at = fired + coalesced;
    assert!(looked_at < given && looked_at + missed >= given, "{given}: {rows:#}");
    let listed = String::from_utf8(cli(data, &["trigger", "ls"]).stdout).unwrap();
    assert!(listed.lines().any(|line| line.contains(&missed.to_string())), "{listed}");
}

#[test]
fn an_alert_of_a_trigger_rings_at_a_console_and_a_mark_does_not() {
    let config = "
[[triggers]]
name = \"quiet\"
when = \"topic:a/quiet\"
mark = true
[[triggers]]
name = \"loud\"
when = \"topic:a/loud\"
alert = true
";
    let folder = configured(config);
    let data = folder.path();
    let _station = Station::start(data);
    let mut terminal = Terminal::start(data, 160, 50, &["attach"]);
    terminal.shows("LIVE");
    let fire = |name: &str| {
        let topic = format!("a/{name}");
        run(data, &["publish", &topic, "--type", "observation.note.v1", "--body", r#"{"n":1}"#], "").exits(0);
        until(|| format!("{:#}", row(data, name)), || (row(data, name)["fired"] == 1).then_some(()));
    };
    fire("quiet");
    // What comes behind it is on the screen once it would be.
    mark(data, "later");
    terminal.keys("9");
    let screen = terminal.shows("mark: later");
    assert!(screen.contains("mark: trigger quiet") && !screen.contains("1 alert"), "{screen}");
    assert!(!terminal.has_written(b"\x07"), "a mark does not ring");
    fire("loud");
    let screen = terminal.shows("1 alert");
    assert!(!screen.contains("2 alerts"), "{screen}");
    terminal.writes(b"\x07");
}

#[test]
fn the_palette_adds_one_for_a_filter_and_removes_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut terminal = Terminal::start(data, 160, 50, &["--port", "0"]);
    terminal.shows("LIVE");
    terminal.keys(":trigger topic:game/boss\r");
    terminal.shows("trigger topic-game-boss added");
    let added = row(data, "topic-game-boss");
    assert_eq!((&added["when"], &added["mark"]), (&"topic:game/boss".into(), &true.into()), "{added:#}");
    assert_eq!((&added["alert"], &added["is_configured"]), (&true.into(), &false.into()), "{added:#}");
    terminal.keys(":trigger topic:game/boss\r");
    terminal.shows("there is a trigger `topic-game-boss` already");
    terminal.keys(":trigger rm topic-game-boss\r");
    terminal.shows("trigger topic-game-boss removed");
    assert!(json(data, &["trigger", "ls"]).is_empty());
}

#[test]
fn one_that_is_added_outlives_a_restart_until_it_is_removed() {
    let folder = configured("");
    let data = folder.path();
    let station = Station::start(data);
    assert!(json(data, &["trigger", "ls"]).is_empty());
    let said = |args: &[&str]| {
        let output = cli(data, args);
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    assert!(said(&["trigger", "ls"])[1].starts_with("no triggers: "), "{:?}", said(&["trigger", "ls"]));
    let once = ["--cooldown", "0", "--per-hour", "1"];
    json(data, &[&["trigger", "add", "noted", "--when", "topic:a/b", "--mark"], &once[..]].concat());
    run(data, &["trigger", "add", "noted", "--when", "topic:a/b", "--mark"], "").exits(1);
    for wrong in [&["--when", "topic:("][..], &["--when", "topic:a"], &["--mark"]] {
        run(data, &[&["trigger", "add", "wrong"], wrong].concat(), "").exits(2);
    }
    for (what, why) in [
        (&["--run", "nosuch"][..], "unrecognized subcommand 'nosuch'"),
        (&["--run", "hold", "--nosuch"], "--nosuch"),
        (&["--clip", "0"], "at least 1 s"),
    ] {
        let add = [&["trigger", "add", "wrong", "--when", "topic:a/b"], what].concat();
        let message = run(data, &add, "").exits(2).error["message"].to_string();
        assert!(message.contains(why) && message.contains("`wrong`"), "{message}");
    }
    assert!(station.terminate().success());
    let station = Station::start(data);
    let path = recorded(data, "night.mcap", &[], || {
        run(data, &["publish", "a/b", "--type", "observation.note.v1", "--body", r#"{"n":1}"#], "").exits(0);
        until(|| format!("{:#}", row(data, "noted")), || (row(data, "noted")["fired"] == 1).then_some(()));
    });
    assert_eq!(marks(&path), ["trigger noted"]);
    let [listed, _] = said(&["trigger", "ls"]);
    let noted = listed.lines().find(|line| line.starts_with("noted ")).unwrap();
    let rests = noted.split_whitespace().any(|word| word.len() == 8 && word.matches(':').count() == 2);
    assert!(listed.starts_with("trigger ") && rests && noted.ends_with("  added"), "{listed}");
    assert!(row(data, "noted")["rests_until_ms"].is_u64(), "{:#}", row(data, "noted"));
    let file = path.to_str().unwrap();
    let tried = json(data, &["trigger", "test", file, "--when", "topic:a/b", "--cooldown", "0"]);
    assert!(!tried.is_empty() && tried[0]["trigger"] == "when" && tried[0]["at_ms"].is_u64(), "{tried:?}");
    let of = |when: &str| said(&[&["trigger", "test", file, "--when", when], &once[..]].concat());
    assert_eq!(of("neverthere"), [String::new(), "when: nothing matches\n".to_owned()]);
    let [fires, summary] = of("link:rmp");
    let limits = " more found within its cooldown of 0 s, or above 1 an hour\n";
    assert!(summary.starts_with("when: fires 1 time, ") && summary.ends_with(limits), "{summary}");
    assert_eq!(fires.lines().count(), 1, "{fires}");
    // Those that were added are the station's.
    let added = json(data, &["trigger", "test", file]);
    assert!(added.len() == 1 && added[0]["trigger"] == "noted", "{added:?}");
    json(data, &["trigger", "rm", "noted"]);
    run(data, &["trigger", "test", file], "").exits(2);
    run(data, &["trigger", "rm", "noted"], "").exits(1);
    assert!(station.terminate().success());
    let [_, alone] = said(&["trigger", "test", file]);
    assert!(alone.contains("only the triggers of the configuration are tried"), "{alone}");
    let _station = Station::start(data);
    assert!(json(data, &["trigger", "ls"]).is_empty(), "it is gone for good");
}

#[test]
fn one_that_the_store_does_not_keep_is_not_looked_for() {
    let folder = configured("");
    let data = folder.path();
    let _station = Station::start_with(data, &["--rehearsal"]);
    json(data, &["gate", "arm", "topic:a/b", "--in", "--then", "fail-store=30000ms", "--max", "1"]);
    run(data, &["publish", "a/b", "--type", "observation.note.v1", "--body", r#"{"n":1}"#], "").exits(0);
    let add = ["trigger", "add", "noted", "--when", "topic:a/b", "--mark"];
    run(data, &add, "").exits(1);
    assert!(json(data, &["trigger", "ls"]).is_empty());
    json(data, &["gate", "disarm"]);
    until(|| "the store fails still".to_owned(), || (run(data, &add, "").code == Some(0)).then_some(()));
    assert_eq!(row(data, "noted")["fired"], 0);
}

#[test]
fn a_trigger_that_is_wrong_is_named_with_its_line() {
    for (config, why) in [
        ("[[triggers]]\nname = \"a\"\nwhen = \"topic:x\"\n", "does nothing"),
        ("[[triggers]]\nname = \"a\"\nwhen = \"topic:(\"\nmark = true\n", "cannot be read"),
        ("[[triggers]]\nname = \"a\"\nwhen = \"topic:x\"\nmarks = true\n", "marks"),
        ("[[triggers]]\nname = \"a\"\nwhen = \"topic:x\"\nclip = { before_s = 0 }\n", "at least 1 s"),
        (
            "[[triggers]]\nname = \"a\"\nwhen = \"topic:x\"\nrun = [\"nosuch\"]\n",
            "`a`: run: unrecognized subcommand 'nosuch'",
        ),
    ] {
        let folder = configured(config);
        let shown = cli(folder.path(), &["config", "show"]);
        let stderr = String::from_utf8_lossy(&shown.stderr).into_owned();
        assert!(
            !shown.status.success() && stderr.contains(why) && stderr.contains("config.toml:"),
            "{stderr}"
        );
    }
}
