//! `mplp` over the real binary, without a station or a data folder: what is judged, what is found, where, and
//! the exit code (mplp-l1 §5; rulings MPLP 10 to 12).

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Output, Stdio},
    sync::mpsc,
    time::Duration,
};

use rl_console::mplp::{RULES, SchemaId};
use serde_json::{Value, json};

use crate::cli::{home, lines, text};

const ID: &str = "9b2f4c7e-1d3a-4f60-8a5b-0c1d2e3f4a5b";

fn run(home: &Path, args: &[&str], stdin: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rl-console"));
    command.args(args).env_clear().env("HOME", home).env("TZ", "UTC").current_dir(home);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // One that does not read to the end hangs up: its answer says why.
    let feed = std::thread::spawn(move || drop(input.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap();
    output
}

/// The rows and the exit code of `mplp validate --json`.
fn validated(home: &Path, args: &[&str], stdin: &[u8]) -> (Vec<Value>, i32) {
    let output = run(home, &[&["mplp", "validate", "--json"], args].concat(), stdin);
    (lines(&output.stdout), output.status.code().unwrap())
}

fn meta() -> Value {
    json!({"protocol_version": "1.0.0", "schema_version": "2.0.0"})
}

fn role(name: impl Into<Value>) -> Value {
    json!({"meta": meta(), "role_id": ID, "name": name.into()})
}

fn context() -> Value {
    json!({
        "meta": meta(), "context_id": ID, "title": "a night", "status": "active",
        "root": {"domain": "stream", "environment": "live"},
    })
}

fn write(folder: &Path, name: &str, value: &Value) {
    fs::write(folder.join(name), serde_json::to_string_pretty(value).unwrap()).unwrap();
}

#[test]
fn an_object_is_judged_wherever_it_comes_from() {
    let home = home();
    write(home.path(), "role.json", &role("writer"));
    let clean = |file: &str| json!({"file": file, "valid": true, "schema": "role", "objects": 1, "broken": 0, "not_judged": 0});
    assert_eq!(validated(home.path(), &["role.json"], b""), (vec![clean("role.json")], 0));
    let bytes = role("writer").to_string();
    assert_eq!(validated(home.path(), &["-"], bytes.as_bytes()), (vec![clean("stdin")], 0));
    let people = run(home.path(), &["mplp", "validate", "role.json", "role.json"], b"");
    assert_eq!(text(&people.stdout), "role.json: role OK\nrole.json: role OK\n");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "nothing is made");
}

#[test]
fn a_finding_says_where_what_is_required_and_what_came() {
    let home = home();
    write(home.path(), "role.json", &role(7));
    let (rows, exit) = validated(home.path(), &["role.json"], b"");
    let finding = json!({
        "file": "role.json", "schema": "role", "path": "$.role.name", "rule": "type",
        "requires": "type string", "received": "7",
    });
    assert_eq!((&rows[0], rows.len(), exit), (&finding, 2, 1));
    assert_eq!((&rows[1]["valid"], &rows[1]["broken"]), (&json!(false), &json!(1)));
    let people = run(home.path(), &["mplp", "validate", "role.json"], b"");
    let said = text(&people.stdout);
    assert!(said.starts_with("role.json: $.role.name: type: requires type string, received 7\n"), "{said}");
    assert!(text(&people.stderr).contains("1 of 1 judged objects is not valid"), "{}", text(&people.stderr));
    let error = run(home.path(), &["mplp", "validate", "role.json", "--json"], b"");
    assert_eq!(lines(&error.stderr)[0]["error"]["code"], "findings");
}

#[test]
fn findings_are_cut_where_it_is_asked_for() {
    let home = home();
    let (rows, exit) = validated(home.path(), &["-", "--findings-max", "1"], br#"{"role_id": 1}"#);
    assert_eq!((rows.len(), exit), (3, 1), "{rows:?}");
    assert_eq!(rows[1], json!({"file": "stdin", "more": true}));
    let (rows, _) = validated(home.path(), &["-"], br#"{"role_id": 1}"#);
    assert!(rows.iter().all(|row| row.get("more").is_none()));
}

#[test]
fn a_schema_that_is_named_goes_before_what_members_show() {
    let home = home();
    let bytes = role("writer").to_string();
    for name in ["plan", "mplp-plan.schema.json"] {
        let (rows, exit) = validated(home.path(), &["-", "--schema", name], bytes.as_bytes());
        assert_eq!(exit, 1);
        assert!(rows.iter().all(|row| row["schema"] == "plan"), "{rows:?}");
    }
    for args in [["--schema", "plam"], ["--profile", "one"], ["--findings-max", "0"]] {
        let output = run(home.path(), &[&["mplp", "validate", "-"][..], &args].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn what_cannot_be_judged_exits_2_and_says_why() {
    let home = home();
    fs::write(home.path().join("empty.json"), " \n").unwrap();
    fs::create_dir(home.path().join("folder")).unwrap();
    let cases: [(&[&str], &[u8], &str); 8] = [
        (&["absent.json"], b"", "No such file"),
        (&["empty.json"], b"", "contains no object"),
        (&["folder"], b"", "contains no object"),
        (&["-"], b"", "contains no object"),
        (&["-"], b"{\"a\":", "not valid JSON"),
        (&["-"], b"\xff\xfe\x00garbage", "not valid JSON"),
        (&["-"], b"{\"colour\": \"red\"}", "not an object of any schema"),
        (&["-"], &b"[".repeat(100), "more than 64 levels"),
    ];
    for (args, stdin, why) in cases {
        let (rows, exit) = validated(home.path(), args, stdin);
        assert_eq!((rows.len(), exit), (1, 2), "{args:?} {rows:?}");
        assert!(rows[0]["error"].as_str().unwrap().contains(why), "{args:?} {rows:?}");
        assert!(!rows[0]["hint"].as_str().unwrap().is_empty());
    }
    write(home.path(), "role.json", &role(7));
    let (rows, exit) = validated(home.path(), &["role.json", "absent.json"], b"");
    assert_eq!((rows.len(), exit), (3, 2), "what can be judged is: {rows:?}");
}

#[test]
fn a_limit_of_the_configuration_bounds_what_is_read() {
    let home = home();
    let config = home.path().join(".config/rl-console");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[limits.mplp]\nobject_bytes_max = 1024\n").unwrap();
    let long = role("x".repeat(2_000)).to_string();
    let (rows, exit) = validated(home.path(), &["-"], long.as_bytes());
    assert_eq!(exit, 2);
    assert_eq!(rows[0]["hint"], "`limits.mplp.object_bytes_max` is the limit");
}

#[test]
fn lines_are_judged_one_by_one_with_their_numbers() {
    let home = home();
    let stream = format!("{}\n\n{}\n{{\"role_id\":\n{}", role("a"), role(7), role("b"));
    fs::write(home.path().join("x.ndjson"), &stream).unwrap();
    let of_file = validated(home.path(), &["x.ndjson"], b"");
    let (rows, exit) = &of_file;
    assert_eq!((rows.len(), *exit), (3, 2), "{rows:?}");
    assert_eq!((&rows[0]["line"], &rows[0]["path"]), (&json!(3), &json!("$.role.name")));
    assert_eq!(rows[1]["line"], 4);
    assert!(rows[1]["error"].as_str().unwrap().ends_with("at column 11"), "{rows:?}");
    let summary = json!({
        "file": "x.ndjson", "valid": false, "schema": "ndjson", "objects": 3, "broken": 1, "not_judged": 1,
    });
    assert_eq!(rows[2], summary);
    let (of_stdin, _) = validated(home.path(), &["-"], stream.as_bytes());
    assert_eq!(of_stdin.len(), 3);
    assert!(of_stdin.iter().zip(rows).all(|(one, other)| one["line"] == other["line"]));
    // The first line may be the broken one.
    let (rows, _) = validated(home.path(), &["-"], format!("{{\n{stream}").as_bytes());
    assert_eq!(rows[0]["line"], 1);
}

#[test]
fn a_stream_that_goes_on_is_judged_line_by_line_as_it_comes() {
    let home = home();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rl-console"));
    command.args(["mplp", "validate", "-"]).env_clear().env("HOME", home.path()).current_dir(home.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (told, printed) = mpsc::sync_channel(16);
    let reader = std::thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).all(|line| told.send(line).is_ok())
    });
    let next = || printed.recv_timeout(Duration::from_secs(60));
    // What it is shows with the second line.
    write!(input, "{}\n{}\n", role(7), role("b")).unwrap();
    let first = next();
    writeln!(input, "{}", role("c")).unwrap();
    writeln!(input, "{}", role(8)).unwrap();
    let fourth = next();
    drop(input);
    let end = next();
    let exit = child.wait().unwrap();
    reader.join().unwrap();
    assert_eq!(
        (first.unwrap().as_str(), fourth.unwrap().as_str()),
        (
            "stdin:1: $.role.name: type: requires type string, received 7",
            "stdin:4: $.role.name: type: requires type string, received 8"
        )
    );
    assert_eq!((end.unwrap().as_str(), exit.code()), ("stdin: 4 objects, 2 not valid", Some(1)));
}

#[test]
fn a_folder_is_one_bundle_whose_findings_name_their_files() {
    let home = home();
    let night = home.path().join("night");
    fs::create_dir_all(night.join("below")).unwrap();
    write(&night, "a-context.json", &context());
    write(&night, "b-role.json", &role("writer"));
    fs::write(night.join("c-roles.ndjson"), format!("{}\n{}\n", role("x"), role(7))).unwrap();
    fs::write(night.join("notes.txt"), "not read").unwrap();
    fs::write(night.join("below/d.json"), "not read").unwrap();
    let (rows, exit) = validated(home.path(), &["night"], b"");
    assert_eq!((rows.len(), exit), (2, 1), "{rows:?}");
    let finding = (&rows[0]["file"], &rows[0]["line"], &rows[0]["path"]);
    assert_eq!(finding, (&json!("night/c-roles.ndjson"), &json!(2), &json!("$.roles[2].name")));
    assert_eq!((&rows[1]["schema"], &rows[1]["objects"]), (&json!("bundle"), &json!(4)));
    fs::remove_file(night.join("c-roles.ndjson")).unwrap();
    let (rows, exit) = validated(home.path(), &["night"], b"");
    assert_eq!((&rows[0]["valid"], rows.len(), exit), (&json!(true), 1, 0), "{rows:?}");
    fs::remove_file(night.join("a-context.json")).unwrap();
    let (rows, exit) = validated(home.path(), &["night"], b"");
    assert_eq!((&rows[0]["path"], exit), (&json!("$.context"), 1), "{rows:?}");
}

#[test]
fn files_with_a_profile_are_one_bundle_and_rules_compare_them() {
    let home = home();
    let other = ID.replace("9b2f", "0000");
    let step = json!({"step_id": ID, "description": "draft", "status": "pending", "agent_role": "agent:a"});
    let plan = json!({
        "meta": meta(), "plan_id": ID, "context_id": other, "title": "t", "objective": "o",
        "status": "draft", "steps": [step],
    });
    write(home.path(), "context.json", &context());
    write(home.path(), "plan.json", &plan);
    let (alone, exit) = validated(home.path(), &["context.json", "plan.json"], b"");
    assert_eq!((alone.len(), exit), (2, 0), "{alone:?}");
    let (rows, exit) = validated(home.path(), &["context.json", "plan.json", "--profile", "sa"], b"");
    assert_eq!((rows.len(), exit), (2, 1), "{rows:?}");
    let finding = (&rows[0]["file"], &rows[0]["rule"], &rows[0]["path"]);
    assert_eq!(
        finding,
        (&json!("plan.json"), &json!("sa_plan_context_binding"), &json!("$.plan.context_id"))
    );
    let (rows, exit) = validated(home.path(), &["context.json", "context.json", "--profile", "sa"], b"");
    assert_eq!((&rows[0]["error"], exit), (&json!("a second context in one bundle"), 2));
}

#[test]
fn a_bundle_is_judged_as_one() {
    let home = home();
    let mut bundle = json!({"mplp": "1.0.0", "context": context(), "roles": [role("a"), role("b")]});
    write(home.path(), "bundle.json", &bundle);
    let (rows, exit) = validated(home.path(), &["bundle.json"], b"");
    assert_eq!((&rows[0]["schema"], &rows[0]["objects"], exit), (&json!("bundle"), &json!(3), 0), "{rows:?}");
    bundle["roles"][1]["role_id"] = json!("x");
    write(home.path(), "bundle.json", &bundle);
    let (rows, exit) = validated(home.path(), &["bundle.json"], b"");
    assert_eq!((&rows[0]["path"], exit), (&json!("$.roles[1].role_id"), 1), "{rows:?}");
}

#[test]
fn schemas_and_rules_are_listed_and_printed_as_they_are() {
    let home = home();
    let listed = lines(&run(home.path(), &["mplp", "schemas", "--json"], b"").stdout);
    assert_eq!(listed.len(), SchemaId::ALL.len());
    for (row, id) in listed.iter().zip(SchemaId::ALL) {
        assert_eq!((&row["schema"], &row["file"]), (&json!(id.name()), &json!(id.path())));
        let is_said = |name: &str| row[name].as_str().is_some_and(|text| !text.is_empty());
        assert!(is_said("title") && is_said("id"), "{row}");
    }
    for id in [SchemaId::Plan, SchemaId::Metadata] {
        for name in [id.name(), id.path()] {
            let printed = run(home.path(), &["mplp", "schema", name], b"");
            assert_eq!((text(&printed.stdout), printed.status.code()), (id.text().to_owned(), Some(0)));
        }
    }
    assert_eq!(run(home.path(), &["mplp", "schema", "plam"], b"").status.code(), Some(2));
    let rules = lines(&run(home.path(), &["mplp", "invariants", "--json"], b"").stdout);
    let ids: Vec<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, RULES.iter().map(|rule| rule.id.to_owned()).collect::<Vec<_>>());
    let table = text(&run(home.path(), &["mplp", "invariants"], b"").stdout);
    assert_eq!(table.lines().count(), RULES.len() + 1);
}

#[test]
fn texts_of_others_steer_no_terminal() {
    let home = home();
    let object = role(json!(["\u{1b}[2J\u{202e}"])).to_string();
    let output = run(home.path(), &["mplp", "validate", "-"], object.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert!(!text(&output.stdout).contains(['\u{1b}', '\u{202e}']), "{}", text(&output.stdout));
}
