//! Openings as files: every feature of the language in `tests/openings/good`, every fault in
//! `tests/openings/bad`, each with what is read or said beside it as `.txt`. Files begin with what they need:
//! `# limit KEY VALUE`, `# params JSON`. `INSTA_UPDATE=always` writes the texts anew.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use rl_console::{
    limits::Limits,
    runs::{
        Plan,
        openings::{FaultCause, Faults, Library, Map, Opening, drawing},
    },
};

/// The folder `tests/openings/library`, with paths told from there.
struct OpeningFiles;

impl Library for OpeningFiles {
    fn read(&self, name: &str, _: Option<&Path>) -> Result<(String, PathBuf), String> {
        let path = PathBuf::from(format!("{name}.yaml"));
        let text =
            fs::read_to_string(folder("library").join(&path)).map_err(|_| "no such file".to_owned())?;
        Ok((text, path))
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/openings").join(name)
}

fn load(text: &str) -> Result<Opening, Faults> {
    let mut limits = Limits::default();
    let mut params = Map::new();
    for line in text.lines() {
        if let Some((key, value)) = line.strip_prefix("# limit ").and_then(|it| it.split_once(' ')) {
            limits.set(key, value.parse().unwrap()).unwrap();
        } else if let Some(json) = line.strip_prefix("# params ") {
            params = serde_json::from_str(json).unwrap();
        }
    }
    Opening::load(text, None, &params, &OpeningFiles, &limits.runs)
}

/// The manual's examples of openings.
fn manual_openings() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/help/openings.md");
    let text = fs::read_to_string(page).unwrap();
    let blocks = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let unindented = |block: &str| {
        let indent = block.len() - block.trim_start_matches(' ').len();
        block.lines().map(|line| line.get(indent..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
    };
    blocks.map(unindented).filter(|block| block.starts_with("version: 0")).collect()
}

#[test]
fn the_openings_of_the_manual_are_valid() {
    let all = manual_openings();
    assert_eq!(all.len(), 2);
    for text in all {
        load(&text).unwrap_or_else(|faults| panic!("{faults}: {text}"));
    }
}

/// Compares what each file of a folder gives with the text beside it.
fn each_file(name: &str, says: impl Fn(&Path, &str) -> String) {
    let is_updating = std::env::var("INSTA_UPDATE").is_ok_and(|it| it == "always");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder(name)).unwrap().map(|it| it.unwrap().path()).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "yaml"));
    paths.sort();
    assert!(paths.len() > 5);
    for path in paths {
        let said = says(&path, &fs::read_to_string(&path).unwrap());
        let beside = path.with_extension("txt");
        if is_updating {
            fs::write(&beside, &said).unwrap();
        }
        assert_eq!(said, fs::read_to_string(&beside).unwrap_or_default(), "{}", path.display());
    }
}

#[test]
fn every_fault_is_said_in_its_words_at_its_place() {
    each_file("bad", |path, text| {
        let faults = load(text).expect_err(&path.display().to_string());
        let mut said = String::new();
        for fault in faults.list() {
            let _ = writeln!(said, "{fault} [{}]", fault.wrong.code());
        }
        if faults.more() > 0 {
            let _ = writeln!(said, "and {} more", faults.more());
        }
        said
    });
}

#[test]
fn every_code_of_a_fault_has_its_file() {
    let mut codes: BTreeSet<&str> = FaultCause::codes().collect();
    assert_eq!(codes.len(), FaultCause::codes().count(), "two faults with one code");
    for path in fs::read_dir(folder("bad")).unwrap().map(|it| it.unwrap().path()) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let code = name.split('-').next().unwrap();
        let said = fs::read_to_string(path.with_extension("txt")).unwrap_or_default();
        if said.contains(&format!("[{code}]")) {
            codes.remove(code);
        }
    }
    assert!(codes.is_empty(), "no file in tests/openings/bad for {codes:?}");
}

#[test]
fn every_feature_reads_as_it_is_written() {
    each_file("good", |path, text| {
        let opening = load(text).unwrap_or_else(|faults| panic!("{}: {faults}", path.display()));
        let plan = Plan::from(&opening);
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
        format!(
            "{opening:#?}\n\n{}\n{}\n{json}\n",
            drawing::text(&opening.name, &plan),
            drawing::mermaid(&plan)
        )
    });
}

#[test]
fn faults_as_json_have_their_place_code_and_fix() {
    let faults = load("version: 0\nname: a\nnods: []\nedges: []\n").unwrap_err();
    let json = serde_json::to_value(faults.list()).unwrap();
    let expected = serde_json::json!([
        {"line": 1, "column": 1, "code": "missing_key", "message": "missing key `nodes` in an opening", "fix": "list the steps under `nodes`"},
        {"line": 3, "column": 1, "code": "unknown_key", "message": "unknown key `nods` in an opening", "fix": "did you mean `nodes`?"},
    ]);
    assert_eq!(json, expected);
}
