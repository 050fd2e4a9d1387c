//! Python's `jsonschema` judges what is made of the schemas as we do.

use std::{env, fs, io::Write as _, path::PathBuf, process::Command};

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use rl_console::{
    mplp::{
        Path, RecordContext, SchemaId, detect, is_bundle, judge,
        lifecycle::{Item, learning},
        rule_named,
    },
    schema::PathStep,
};
use serde_json::{Value, json};

use super::{
    any::{change, changed},
    generate::{Case, cases},
    oracle::objects,
    runs,
};
use crate::{
    python::{ENVIRONMENT, Runner},
    real::Station,
    runs_cli::{Agent, GREETING, file, output, rows, run},
};

const RUNNER: Runner = Runner {
    script: "mplp/judge.py",
    pythons: || {
        let named = env::var_os("RL_CONSOLE_TESTS_JSONSCHEMA_PYTHON").map(PathBuf::from);
        named.into_iter().chain([PathBuf::from(ENVIRONMENT)]).collect()
    },
    modules: ("jsonschema, referencing", "jsonschema"),
    required_by: "RL_CONSOLE_TESTS_JSONSCHEMA",
};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/python/mplp/judge.py");
const SCHEMAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/mplp/schemas");

/// A path as a JSON pointer from the object, whose kind is its first step.
fn pointer(path: &Path) -> String {
    let steps = path.steps().iter().skip(1).map(|step| match step {
        PathStep::Index(index) => format!("/{index}"),
        PathStep::Name(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
    });
    steps.collect()
}

fn line<'a>(
    schema: SchemaId,
    object: &Value,
    findings: impl IntoIterator<Item = (&'a Path, &'a str)>,
) -> String {
    let finding = |(path, rule): (&Path, &str)| json!([pointer(path), rule]);
    let findings: Vec<Value> = findings.into_iter().map(finding).collect();
    let line = json!({
        "schema": schema.name(), "object": object, "clean": findings.is_empty(), "findings": findings
    });
    format!("{line}\n")
}

/// Of the objects that are made of the schemas each of so many.
fn lines_of_cases(each_of: usize) -> String {
    let line = |case: Case| {
        line(case.schema, &case.object, case.expected.iter().map(|(path, rule)| (path, rule.as_str())))
    };
    SchemaId::ALL.into_iter().flat_map(cases).step_by(each_of).map(line).collect()
}

/// An object, and what we find in it by its schema.
fn line_of(schema: SchemaId, object: &Value) -> String {
    let found = judge(schema, object, RecordContext::default(), usize::MAX);
    let by_schema = found.list.iter().filter(|it| rule_named(&it.rule).is_none());
    line(schema, object, by_schema.map(|it| (&it.path, &*it.rule)))
}

/// All objects, events and learning samples of simulated runs with sessions: as they are, which is clean, and
/// each with some parts changed at random.
fn lines_of_records() -> String {
    let mut runner = TestRunner::deterministic();
    let any_change = (any::<prop::sample::Index>(), change());
    let mut lines = String::new();
    for bundle in runs::records(0..6) {
        let samples = learning::samples(&bundle, None);
        for Item { schema, object, .. } in bundle.items().iter().chain(&samples) {
            lines += &line(*schema, object, []);
            for _ in 0..2 {
                let (at, change) = any_change.new_tree(&mut runner).unwrap().current();
                lines += &line_of(*schema, &changed(object, at, &change).1);
            }
        }
    }
    lines
}

/// What the real binary writes of a run, of a session and of itself.
fn lines_of_exports() -> String {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let _agent = Agent::start(data, "writer", "");
    let opening = file(data, "greeting.yaml", GREETING);
    let ran = run(data, &["submit", &opening, "--wait"], "").exits(0);
    let id = ran.rows[0]["run"].as_str().unwrap();
    run(data, &["session", "start", "s1", "--as", "alice", "--intent", "which map"], "").exits(0);
    run(data, &["session", "send", "s1", "--as", "bob", "propose", "p1", "the mine"], "").exits(0);
    let exports = [
        &["run", "export", id, "--mplp", "-", "--ndjson"][..],
        &["run", "export", id, "--learning", "-"],
        &["session", "export", "s1", "--mplp", "-"],
        &["mplp", "station", "--ndjson"],
    ];
    let mut lines = String::new();
    for args in exports {
        let printed = output(data, args, "");
        assert!(printed.status.success(), "{args:?}: {}", String::from_utf8_lossy(&printed.stderr));
        let values = rows(&printed.stdout);
        let judged: Vec<(SchemaId, &Value)> = match &values[..] {
            [bundle] if is_bundle(bundle) => objects(bundle).into_iter().map(|it| (it.1, it.2)).collect(),
            objects => objects.iter().map(|it| (detect(it).unwrap(), it)).collect(),
        };
        assert!(judged.len() >= 3, "{args:?}: {judged:?}");
        lines.extend(judged.into_iter().map(|(schema, object)| line(schema, object, [])));
    }
    lines
}

/// Has the second judge judge what is on lines as we did.
fn agrees(lines: impl FnOnce() -> String) {
    let Some(python) = RUNNER.python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("objects.ndjson");
    fs::write(&file, lines()).unwrap();
    if let Some(copy) = env::var_os("RL_CONSOLE_TESTS_MPLP_OBJECTS") {
        let mut copy = fs::OpenOptions::new().create(true).append(true).open(copy).unwrap();
        copy.write_all(&fs::read(&file).unwrap()).unwrap();
    }
    let output = Command::new(python).arg("-B").args([SCRIPT, SCHEMAS]).arg(&file).output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", text.chars().take(4_000).collect::<String>());
}

#[test]
fn a_second_judge_agrees_on_objects() {
    agrees(|| lines_of_cases(7));
}

#[test]
#[ignore = "seven times the test above"]
fn a_second_judge_agrees_on_every_object() {
    agrees(|| lines_of_cases(1));
}

#[test]
fn a_second_judge_agrees_on_records_and_on_what_is_changed_in_them() {
    agrees(lines_of_records);
}

#[test]
fn a_second_judge_finds_exports_clean() {
    agrees(lines_of_exports);
}
