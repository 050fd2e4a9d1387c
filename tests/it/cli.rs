//! The real binary, for all that needs no station.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail that way")]

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

/// The binary with nothing of this process's environment, at home in a folder of its own.
pub(crate) fn rl_console(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rl-console"));
    command.args(args).env_clear().env("HOME", home).env("TZ", "UTC").current_dir(home).stdin(Stdio::null());
    command
}

pub(crate) fn output(home: &Path, args: &[&str]) -> Output {
    rl_console(home, args).output().unwrap()
}

pub(crate) fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) fn lines(bytes: &[u8]) -> Vec<Value> {
    text(bytes)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

/// The one error on stderr of a run that printed nothing on stdout.
fn error(output: &Output) -> Value {
    assert_eq!(text(&output.stdout), "");
    let mut errors = lines(&output.stderr);
    assert_eq!(errors.len(), 1);
    errors.remove(0)["error"].take()
}

const PACK: &str = r#"
[pack]
id = "com.example.mypack"
name = "My pack"
version = "1.0.0"
[queues.default]
[events.give_item]
queue = "default"
"#;

#[test]
fn a_pack_is_checked_and_hashed() {
    let home = home();
    fs::write(home.path().join("pack.toml"), PACK).unwrap();
    let checked = output(home.path(), &["pack", "check", "pack.toml", "--json"]);
    assert_eq!(checked.status.code(), Some(0));
    let declared = &lines(&checked.stdout)[0];
    assert_eq!(declared["pack_id"], "com.example.mypack");
    assert_eq!(declared["events"][0]["event"], "give_item");
    let hashed = output(home.path(), &["pack", "hash", "pack.toml"]);
    let hash = text(&hashed.stdout);
    assert_eq!(hash.trim(), declared["manifest_hash"].as_str().unwrap());
    assert!(hash.starts_with("sha256:") && hash.len() == 72);
    let in_force = output(home.path(), &["--pack", "pack.toml", "pack", "hash", "--json"]);
    assert_eq!(
        text(&in_force.stdout),
        format!("{{\"path\":\"pack.toml\",\"manifest_hash\":\"{}\"}}\n", hash.trim())
    );
    assert_eq!(output(home.path(), &["pack", "check"]).status.code(), Some(0));
}

#[test]
fn the_pack_in_force_is_listed() {
    let home = home();
    fs::write(home.path().join("pack.toml"), PACK).unwrap();
    let listed = output(home.path(), &["--pack", "pack.toml", "pack", "ls"]);
    assert_eq!(listed.status.code(), Some(0));
    let found = text(&listed.stdout);
    assert!(found.starts_with("queue ") && found.contains("\ngive_item  default"), "{found}");
    assert!(text(&listed.stderr).contains("pack.toml: com.example.mypack 1.0.0 (My pack)"));
    let rows = lines(&output(home.path(), &["--pack", "pack.toml", "pack", "ls", "--json"]).stdout);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0]["queue"], "default");
    assert_eq!((&rows[1]["event"], &rows[1]["queue"]), (&"give_item".into(), &"default".into()));
    fs::write(home.path().join("pack.toml"), "[pack]").unwrap();
    let broken = output(home.path(), &["--pack", "pack.toml", "pack", "ls"]);
    assert_eq!((broken.status.code(), text(&broken.stdout)), (Some(1), String::new()));
}

#[test]
fn a_bad_pack_is_told_line_by_line() {
    let home = home();
    fs::write(
        home.path().join("pack.toml"),
        PACK.replace("queue = \"default\"", "queue = \"defualt\"\nqueeu = 1"),
    )
    .unwrap();
    let checked = output(home.path(), &["pack", "check", "pack.toml"]);
    assert_eq!(checked.status.code(), Some(1));
    let found = text(&checked.stdout);
    assert!(
        found.lines().count() >= 2 && found.lines().all(|line| line.starts_with("pack.toml:")),
        "{found}"
    );
    assert!(text(&checked.stderr).starts_with("error: pack.toml has "));
    let checked = output(home.path(), &["pack", "check", "pack.toml", "--json"]);
    for finding in lines(&checked.stdout) {
        assert!(
            finding["line"].as_u64() >= Some(8)
                && finding["column"].is_u64()
                && finding["message"].is_string()
        );
    }
    assert_eq!(lines(&checked.stderr)[0]["error"]["code"], "bad_pack");
}

#[test]
fn every_value_is_shown_with_its_origin() {
    let home = home();
    let config = home.path().join(".config/rl-console/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[mpp]\nbroadcaster_login = \"streamer_login\"\nport = 1\n").unwrap();
    let mut command = rl_console(home.path(), &["config", "show", "--origin", "--json", "--bind", "::1"]);
    let shown = command.env("RL_CONSOLE_MPP_PORT", "7000").output().unwrap();
    let rows = lines(&shown.stdout);
    let row = |key: &str| {
        text(serde_json::to_string(rows.iter().find(|row| row["key"] == key).unwrap()).unwrap().as_bytes())
    };
    let file = config.display();
    assert_eq!(
        row("mpp.broadcaster_login"),
        format!(r#"{{"key":"mpp.broadcaster_login","origin":"{file}:2","value":"streamer_login"}}"#)
    );
    assert_eq!(row("mpp.port"), r#"{"key":"mpp.port","origin":"env RL_CONSOLE_MPP_PORT","value":7000}"#);
    assert_eq!(row("mpp.bind"), r#"{"key":"mpp.bind","origin":"flag --bind","value":"::1"}"#);
    assert_eq!(row("mpp.pack"), r#"{"key":"mpp.pack","origin":"default","value":null}"#);
    assert!(text(&shown.stdout).starts_with(r#"{"key":"data","value":""#));
    assert!(rows.iter().any(|row| row["key"] == "limits.mpp.connections_max"));
}

#[test]
fn the_keys_in_force_are_printed_for_people_and_scripts() {
    let home = home();
    let config = home.path().join(".config/rl-console/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[console.keys]\nhold-all = [\"f7\", \"ctrl-x\"]\n").unwrap();
    let shown = output(home.path(), &["keys", "--json"]);
    let rows = lines(&shown.stdout);
    let row = |action: &str| rows.iter().find(|row| row["action"] == action).unwrap();
    assert_eq!(
        (&row("hold-all")["keys"], &row("hold-all")["own"]),
        (&serde_json::json!(["f7", "ctrl-x"]), &true.into())
    );
    assert_eq!(
        (&row("quit")["keys"], &row("quit")["own"]),
        (&serde_json::json!(["q", "ctrl-c"]), &false.into())
    );
    assert!(row("settle")["places"].as_array().unwrap().contains(&"In flight".into()));
    let told = text(&output(home.path(), &["keys"]).stdout);
    assert!(
        told.lines().any(|line| line.starts_with("f7 ctrl-x ")
            && line.contains("hold-all")
            && line.contains("yours")),
        "{told}"
    );
    let filter = "[console.filters.broken]\nkey = \"f6\"\npane = \"recent\"\nfilter = \"state:failed\"\n";
    fs::write(&config, filter).unwrap();
    let shown = output(home.path(), &["keys", "--json"]);
    let rows = lines(&shown.stdout);
    let row = rows.iter().find(|row| row["action"] == "broken").unwrap();
    assert_eq!(
        (&row["keys"], &row["own"], &row["filter"], &row["about"]),
        (
            &serde_json::json!(["f6"]),
            &true.into(),
            &true.into(),
            &"Open Recent with the filter state:failed".into()
        )
    );
    assert!(rows.iter().all(|row| row["action"] == "broken" || row["filter"].is_null()));
    let told = text(&output(home.path(), &["keys"]).stdout);
    let line = told.lines().find(|line| line.contains("broken")).unwrap();
    assert!(line.starts_with("f6 ") && line.contains("yours"), "{told}");
    fs::write(&config, "[console.keys]\nhold-all = \"K\"\nhelp = []\n").unwrap();
    let refused = output(home.path(), &["keys", "--json"]);
    assert_eq!(refused.status.code(), Some(2));
    let error = error(&refused);
    assert_eq!(error["findings"].as_array().map(Vec::len), Some(2));
    assert_eq!(error["findings"][1]["place"], format!("{}:2:12", config.display()));
    let message = error["findings"][1]["message"].as_str().unwrap();
    assert!(
        message.starts_with("`K` is both `hold-all` and `disconnect` in Queues and ")
            && message.ends_with(" more places"),
        "{message}"
    );
}

#[test]
fn an_unknown_key_is_an_error_at_its_place() {
    let home = home();
    let config = home.path().join(".config/rl-console/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[mpp]\nprot = 1\n").unwrap();
    let shown = output(home.path(), &["--json", "ls", "queues"]);
    assert_eq!(shown.status.code(), Some(2));
    let error = error(&shown);
    assert_eq!(error["message"], format!("{}:2:1: unknown key `mpp.prot`", config.display()));
    assert_eq!((&error["code"], &error["hint"]), (&"config".into(), &"did you mean `mpp.port`?".into()));
    let doctor =
        output(home.path(), &["doctor", "--json", "--data", "d", "--port", "0", "--grpc", "127.0.0.1:0"]);
    assert_eq!(doctor.status.code(), Some(1));
    let failed: Vec<Value> = lines(&doctor.stdout).into_iter().filter(|check| check["ok"] == false).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["check"], "config");
}

#[test]
fn a_misuse_is_an_object_where_json_was_asked_for() {
    let home = home();
    for args in [
        &["ls", "queue", "--json"][..],
        &["--json", "invoke"],
        &["settle", "x", "done", "--json"],
        &["--json", "--prot", "1"],
        &["--json", "cancel"],
    ] {
        let misused = output(home.path(), args);
        assert_eq!(misused.status.code(), Some(2), "{args:?}");
        let error = error(&misused);
        assert_eq!(error["code"], "usage", "{args:?}");
        assert!(
            error["message"].as_str().is_some_and(|message| !message.is_empty() && !message.contains('\n')),
            "{args:?}"
        );
        assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{args:?}");
    }
    let misused = output(home.path(), &["ls", "queue"]);
    assert_eq!(misused.status.code(), Some(2));
    assert!(text(&misused.stderr).starts_with("error: unrecognized subcommand 'queue'"));
}

#[test]
fn without_a_station_the_exit_code_is_three() {
    let home = home();
    fs::write(home.path().join("rows"), "{\"event\":\"a\"}\n").unwrap();
    for args in [
        &["ls", "queues"][..],
        &["ls", "health"],
        &["invoke", "give_item"],
        &["invoke", "--from", "rows"],
        &["cancel", "invocation", "1"],
        &["settle", "1", "done"],
        &["hold"],
        &["resume", "default"],
        &["drain"],
        &["kick", "adapter"],
        &["record", "out.mcap"],
        &["backup", "copy.db"],
        &["pack", "migrate"],
    ] {
        let asked = rl_console(home.path(), args).arg("--json").output().unwrap();
        assert_eq!(asked.status.code(), Some(3), "{args:?}");
        let error = error(&asked);
        assert_eq!(error["code"], "no_station", "{args:?}");
        assert!(error["message"].as_str().unwrap().contains(".local/share/rl-console"), "{args:?}");
    }
}

#[test]
fn the_console_needs_a_terminal() {
    let home = home();
    let tried = output(home.path(), &[]);
    assert_eq!(tried.status.code(), Some(1));
    assert!(text(&tried.stderr).contains("rl-console serve"));
    assert!(!home.path().join(".local").exists());
    assert_eq!(output(home.path(), &["--json"]).status.code(), Some(2));
    assert_eq!(output(home.path(), &["--record", "a.mcap", "ls", "queues"]).status.code(), Some(2));
}

#[test]
fn a_simulated_adapter_takes_its_token_from_no_argument() {
    let home = home();
    let untold = output(home.path(), &["sim", "adapter", "--json"]);
    assert_eq!(untold.status.code(), Some(2));
    assert!(error(&untold)["hint"].as_str().unwrap().contains("RL_CONSOLE_BRIDGE_TOKEN"));
    // A port that was free a moment ago: nothing listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let addr = format!("127.0.0.1:{port}");
    let tried = rl_console(home.path(), &["sim", "adapter", "--addr", &addr, "--json"])
        .env("RL_CONSOLE_BRIDGE_TOKEN", "secret")
        .output()
        .unwrap();
    assert_eq!(tried.status.code(), Some(3));
    assert_eq!(lines(&tried.stderr)[0]["error"]["code"], "unreachable");
    assert!(!text(&tried.stdout).contains("secret"));
}

#[test]
fn what_a_console_begins_with_is_judged_before_it_is_opened() {
    let home = home();
    let refused = |args: &[&str]| {
        let ran = output(home.path(), &[args, &["--json"]].concat());
        // Whether there is a terminal is judged apart, and not for scripts.
        let ran =
            if text(&ran.stderr).contains("no --json output") { output(home.path(), args) } else { ran };
        (ran.status.code(), text(&ran.stderr))
    };
    for (args, wanted) in [
        (&["--view", "brigde"][..], "did you mean bridge?"),
        (
            &["--view", "wire", "--filter", "nofield:x"],
            "invalid filter for Wire, the first pane of Wire: there is no field `nofield`",
        ),
        (&["attach", "--view", "x"], "invalid value 'x'"),
        (&["--view", "wire", "pair"], "go with the console, `attach` and `replay`"),
        (&["--theme", "mono", "--plain"], "go with the console, `attach` and `replay`"),
    ] {
        let (code, said) = refused(args);
        assert!(code == Some(2) && said.contains(wanted), "{args:?}: {code:?} {said}");
    }
    // `ls` has a filter of its own.
    let (code, said) = refused(&["ls", "queues", "--filter", "queue:boss"]);
    assert!(code == Some(3) && said.contains("no station is running"), "{said}");
}

#[test]
fn every_key_is_listed_whatever_the_files_hold() {
    let home = home();
    let config = home.path().join(".config/rl-console/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[mpp\n").unwrap();
    let broken = output(home.path(), &["config", "show", "--json"]);
    assert_eq!(broken.status.code(), Some(2));
    assert!(error(&broken)["hint"].as_str().unwrap().contains("config show --defaults`"));
    let rows = lines(&output(home.path(), &["config", "show", "--defaults", "--json"]).stdout);
    let theme = rows.iter().find(|row| row["key"] == "console.theme").unwrap();
    assert_eq!((&theme["value"], &theme["doc"]), (&"midnight".into(), &theme["doc"]));
    assert!(theme["doc"].as_str().unwrap().starts_with("the console's theme"), "{theme}");
    fs::write(&config, "[foo]\n[console]\nascii = \"yes\"\nmouse = 1\n").unwrap();
    let broken = output(home.path(), &["config", "show", "--json"]);
    assert_eq!(broken.status.code(), Some(2));
    let error = error(&broken);
    assert!(error["message"].as_str().unwrap().starts_with("the configuration has 3 errors"), "{error}");
    assert_eq!(error["findings"].as_array().unwrap().len(), 3);
}

#[test]
fn themes_are_listed_and_checked() {
    let home = home();
    let folder = home.path().join(".config/rl-console/themes");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mine.toml"), "base = \"daylight\"\n").unwrap();
    let rows = lines(&output(home.path(), &["config", "themes", "--json"]).stdout);
    let names: Vec<&str> = rows.iter().map(|row| row["theme"].as_str().unwrap()).collect();
    assert_eq!(names, ["midnight", "daylight", "high-contrast", "colour-blind-safe", "mono", "mine"]);
    assert_eq!(
        (&rows[0]["in_force"], &rows[0]["from"], &rows[5]["in_force"]),
        (&true.into(), &"shipped".into(), &false.into())
    );
    fs::write(folder.join("mine.toml"), "base = \"daylight\"\n[roles]\nwran = {}\n").unwrap();
    let checked = output(home.path(), &["config", "themes", "--json"]);
    assert_eq!(checked.status.code(), Some(2));
    let error = lines(&checked.stderr).remove(0)["error"].take();
    assert!(
        error["message"].as_str().unwrap().ends_with("mine.toml:3:1: there is no role `wran`"),
        "{error}"
    );
    assert!(error["hint"].as_str().unwrap().starts_with("did you mean `warn`?"), "{error}");
}

#[test]
fn a_variable_that_sets_nothing_is_told_to_people_once() {
    let home = home();
    let show = |args: &[&str]| {
        text(&rl_console(home.path(), args).env("RL_CONSOLE_PROT", "1").output().unwrap().stderr)
    };
    assert_eq!(
        show(&["config", "show"]),
        "warning: unknown variable RL_CONSOLE_PROT; did you mean RL_CONSOLE_PORT?\n"
    );
    assert_eq!(show(&["config", "show", "--json"]), "");
}

#[test]
fn a_file_that_cannot_be_read_says_to_check_the_path() {
    let home = home();
    for args in [
        &["sim", "adapter", "--token-file", "nofile", "--json"][..],
        &["invoke", "--from", "nofile", "--json"],
    ] {
        let asked = output(home.path(), args);
        assert_eq!(asked.status.code(), Some(1), "{args:?}");
        assert_eq!(error(&asked)["hint"], "check the path", "{args:?}");
    }
    let hashed = text(&output(home.path(), &["pack", "hash", "nope.toml"]).stderr);
    assert!(hashed.starts_with("error: nope.toml:1:1: ") && hashed.contains("No such file"), "{hashed}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = home();
    let mut child = rl_console(home.path(), &["config", "show"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), text(&ended.stderr)), (Some(0), String::new()));
}

#[test]
fn doctor_finds_nothing_wrong_with_a_fresh_home() {
    let home = home();
    let ports = ["--port", "0", "--grpc", "127.0.0.1:0"];
    let doctor = output(home.path(), &[&["doctor", "--json"], &ports[..]].concat());
    let checks = lines(&doctor.stdout);
    assert!(checks.iter().all(|check| check["ok"] == true), "{checks:?}");
    let names: Vec<&str> = checks.iter().map(|check| check["check"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "config", "data", "disk", "database", "bus", "station", "port", "grpc", "plugins", "guard",
            "pack", "terminal"
        ]
    );
    let told = rl_console(home.path(), &[&["doctor"], &ports[..]].concat())
        .env("RL_CONSOLE_PROT", "1")
        .output()
        .unwrap();
    assert_eq!(told.status.code(), Some(1));
    assert!(text(&told.stdout).starts_with("✗ config"));
}
