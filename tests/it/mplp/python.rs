//! Python's `jsonschema` judges what is made of the schemas as we do.

use std::{env, fs, path::PathBuf, process::Command};

use rl_console::mplp::{Path, SchemaId};
use rl_console::schema::PathStep;
use serde_json::{Value, json};

use super::generate::cases;

/// Where `.ci/run` puts what `requirements.txt` names.
const ENVIRONMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/python/bin/python");

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

fn lines() -> String {
    let cases = SchemaId::ALL.into_iter().flat_map(cases);
    let lines = cases.map(|case| {
        let finding = |(path, rule): &(Path, String)| json!([pointer(path), rule]);
        let findings: Vec<Value> = case.expected.iter().map(finding).collect();
        let line = json!({
            "schema": case.schema.name(), "object": case.object, "clean": case.expected.is_empty(), "findings": findings
        });
        format!("{line}\n")
    });
    lines.collect()
}

#[test]
fn a_second_judge_agrees_on_every_object() {
    let named = env::var_os("RL_CONSOLE_TESTS_JSONSCHEMA_PYTHON").map(PathBuf::from);
    let pythons = named.into_iter().chain([ENVIRONMENT, "python3"].map(PathBuf::from));
    let has_module = |python: &PathBuf| {
        let asked = Command::new(python).args(["-c", "import jsonschema, referencing"]).output();
        asked.is_ok_and(|output| output.status.success())
    };
    let found = pythons.into_iter().find(has_module);
    let is_required = env::var_os("RL_CONSOLE_TESTS_JSONSCHEMA").is_some_and(|it| it == "required");
    assert!(found.is_some() || !is_required, "there is no Python with jsonschema");
    let Some(python) = found else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("objects.ndjson");
    fs::write(&file, lines()).unwrap();
    if let Some(copy) = env::var_os("RL_CONSOLE_TESTS_MPLP_OBJECTS") {
        fs::copy(&file, copy).unwrap();
    }
    let output = Command::new(python).arg("-B").args([SCRIPT, SCHEMAS]).arg(&file).output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", text.chars().take(4_000).collect::<String>());
}
