//! The files that list the systems: those that `src/lib.rs` names under "Adding a system", and no others.

use std::{collections::BTreeSet, fs, path::Path};

/// What a file calls the systems, one of these ways at least: by links, by modules, by folders, by views.
const NAMES: [&[&str]; 5] = [
    &["Mpp", "Rmp", "Runs", "Macp", "Plugin"],
    &["mpp", "rmp", "runs", "macp", "plugin", "mplp"],
    &["bridge", "bus", "runs", "sessions", "plugins", "mplp"],
    &["Bridge", "Bus", "Runs", "Sessions", "Plugins"],
    &["ViewBridge", "ViewBus", "ViewRuns", "ViewSessions", "ViewPlugins"],
];

/// How many files are edited for every further system, at most.
const FILES_MAX: usize = 14;

/// The files that the docs list under a heading, in lines such as "1. `file`: what for".
fn listed(docs: &str, heading: &str) -> Vec<String> {
    let of = |line: &str| {
        let (_, item) = line.strip_prefix("//! ")?.split_once(' ')?;
        let (files, _) = item.strip_prefix('`')?.split_once("`: ")?;
        Some(files.split("`, `").map(str::to_owned).collect::<Vec<_>>())
    };
    let section = docs.lines().skip_while(|line| *line != format!("//! ## {heading}")).skip(1);
    section.take_while(|line| !line.starts_with("//! #")).filter_map(of).flatten().collect()
}

/// Whether a file names every system, its comments and tests aside.
fn names_all(source: &str) -> bool {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter_map(|line| line.split("//").next());
    let words: BTreeSet<&str> = lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric())).collect();
    NAMES.iter().any(|names| names.iter().all(|name| words.contains(name)))
}

#[test]
fn the_docs_name_the_files_that_list_the_systems() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let docs = fs::read_to_string(root.join("lib.rs")).unwrap();
    let (every, some) = (listed(&docs, "Every system"), listed(&docs, "A system that has it"));
    let mut faults = Vec::new();
    if every.is_empty() || every.len() > FILES_MAX {
        faults.push(format!("{} files are listed for every system, not 1 to {FILES_MAX}", every.len()));
    }
    for file in every.iter().chain(&some) {
        match fs::read_to_string(root.join(file)) {
            Err(error) => faults.push(format!("{file}: lib.rs names it: {error}")),
            Ok(source) if every.contains(file) && !names_all(&source) => {
                faults.push(format!("{file}: does not name every system: strike it from lib.rs"));
            }
            Ok(_) => {}
        }
    }
    super::each_file(&root, &root, &mut |file, source| {
        let is_listed = every.iter().chain(&some).any(|it| it == file);
        let is_of_modules = file.ends_with("mod.rs") || file == "lib.rs";
        let is_test = file.contains("/tests/") || file.ends_with("tests.rs");
        if !is_listed && !is_of_modules && !is_test && names_all(source) {
            faults.push(format!("{file}: names every system: make it from a table, or list it in lib.rs"));
        }
    });
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn a_list_of_files_is_read_from_the_docs() {
    let docs = "//! ## One\n//!\n//! 1. `a.rs`: its `b`: c\n//!    and on\n//! - `d.rs`, `e/f.rs`: g\n//! ## Two\n//! - `h.rs`: i";
    assert_eq!(listed(docs, "One"), ["a.rs", "d.rs", "e/f.rs"]);
    assert_eq!(listed(docs, "Two"), ["h.rs"]);
    assert!(names_all("x(Link::Mpp | Link::Rmp)\nRuns, Macp, Plugin // all"));
    assert!(!names_all("mpp, rmp, runs // macp"));
}
