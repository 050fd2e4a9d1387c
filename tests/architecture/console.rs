//! The console's floors (HOUSE): each folder imports only those above it in the list, what is a system's is
//! named by that system alone, and few files need each other in a circle.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{
    each_file,
    source::{Named, named, tokens},
};

/// The console's folders and files, floors upward.
const CONSOLE_FLOORS: [&str; 20] = [
    "draw",
    "worker",
    "form",
    "input",
    "settings",
    "model",
    "records",
    "copy",
    "ui",
    "inspect",
    "wire",
    "overlays",
    "trace",
    "workbench",
    "gate",
    "systems",
    "screen",
    "terminal",
    "app",
    "tests",
];

/// What may name every system: the list of them, and the console's tests.
const SYSTEMS_TABLE: &str = "console/systems/table.rs";

/// Circles of files that there may be: each by its first file, with how many they are.
const CIRCLES: [(&str, usize); 3] =
    [("console/model/alerts/kind.rs", 12), ("console/ui/act.rs", 14), ("console/workbench/bench.rs", 4)];

/// An import of the console's own: the file that names it, and the folder or file that is named.
struct Import {
    file: String,
    line: usize,
    /// Below `console`, its names.
    path: Vec<String>,
}

impl Import {
    fn folder(&self) -> &str {
        self.file.trim_start_matches("console/").trim_end_matches(".rs").split('/').next().unwrap_or_default()
    }
}

fn module_of(file: &str) -> Vec<String> {
    file.trim_end_matches(".rs").split('/').filter(|it| *it != "mod").map(str::to_owned).collect()
}

fn is_test(file: &str) -> bool {
    file.contains("/tests/") || file.ends_with("tests.rs")
}

/// The console's files with their text, without those of tests.
fn console_files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    each_file(&root.join("console"), &root, &mut |file, source| {
        if !is_test(file) {
            files.push((file.to_owned(), source.to_owned()));
        }
    });
    files
}

/// Every import of one part of the console from another.
fn imports(files: &[(String, String)]) -> Vec<Import> {
    let mut all = Vec::new();
    for (file, source) in files {
        for Named { path, line, is_test } in named(&module_of(file), &tokens(source)) {
            match path.as_slice() {
                [root, console, below @ ..] if root == "crate" && console == "console" && !is_test => {
                    all.push(Import { file: file.clone(), line, path: below.to_vec() });
                }
                _ => {}
            }
        }
    }
    all
}

fn floor(name: &str) -> Option<usize> {
    CONSOLE_FLOORS.iter().position(|it| *it == name)
}

/// The imports that run up, each with its place.
fn runs_up(imports: &[Import]) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for import in imports.iter().filter(|it| it.folder() != "mod") {
        let Some(to) = import.path.first().filter(|it| it.starts_with(char::is_lowercase)) else { continue };
        let (from, at) = (import.folder(), format!("{}:{}", import.file, import.line));
        match (floor(from), floor(to)) {
            (Some(here), Some(there)) if there <= here => {}
            (None, _) => found.push((from.to_owned(), "a floor of its own".to_owned(), at)),
            (Some(_), _) => found.push((from.to_owned(), to.clone(), at)),
        }
    }
    found
}

/// What names a system's own files from outside its folder.
fn names_a_system(imports: &[Import]) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for import in imports.iter().filter(|it| it.file != SYSTEMS_TABLE && !it.file.ends_with("/mod.rs")) {
        let [systems, system, ..] = import.path.as_slice() else { continue };
        if systems == "systems" && !import.file.starts_with(&format!("console/systems/{system}/")) {
            let at = format!("{}:{}", import.file, import.line);
            found.push((import.file.clone(), system.clone(), at));
        }
    }
    found
}

/// What is found, a line each.
fn told(found: &[(String, String, String)], what: &str) -> Vec<String> {
    found.iter().map(|(from, to, at)| format!("{at}: `{from}` {what} `{to}`")).collect()
}

#[test]
fn no_folder_of_the_console_imports_upward() {
    let found = told(&runs_up(&imports(&console_files())), "may not import");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn only_a_system_names_what_is_its_own() {
    let found = told(&names_a_system(&imports(&console_files())), "names the insides of");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// The file that defines what a path names, where one of these files does; a folder's face hands it on.
fn defined_in(
    path: &[String],
    files: &BTreeSet<String>,
    faces: &BTreeMap<(String, String), Vec<String>>,
) -> Option<String> {
    let mut path = path.to_vec();
    for _ in 0..8 {
        let known = (1..=path.len()).rev().find_map(|len| {
            let module = format!("console/{}", path[..len].join("/"));
            let (file, face) = (format!("{module}.rs"), format!("{module}/mod.rs"));
            [(file, true), (face, false)]
                .into_iter()
                .find(|(it, _)| files.contains(it))
                .map(|it| (it, len, module))
        });
        let ((file, is_file), len, module) = known?;
        let target = path.get(len).and_then(|name| faces.get(&(module, name.clone())));
        match target {
            Some(target) if !is_file => path = [target.as_slice(), &path[len + 1..]].concat(),
            _ => return Some(file),
        }
    }
    None
}

/// What each folder's face hands on: its module and the name, and the path below the console that it stands
/// for.
fn faces(files: &[(String, String)]) -> BTreeMap<(String, String), Vec<String>> {
    let mut faces = BTreeMap::new();
    for (file, source) in files.iter().filter(|(file, _)| file.ends_with("/mod.rs")) {
        let module = module_of(file);
        for Named { path, .. } in named(&module, &tokens(source)) {
            let below: Vec<String> = match path.first().map(String::as_str) {
                Some("crate") if path.get(1).is_some_and(|it| it == "console") => path[2..].to_vec(),
                Some("crate" | "std") | None => continue,
                Some(_) => [&module[1..], path.as_slice()].concat(),
            };
            if let Some(name) = path.last() {
                faces.insert((module.join("/"), name.clone()), below);
            }
        }
    }
    faces
}

/// Groups of files of which each needs all the others.
fn circles(arrows: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(file) = open.pop() {
            for next in arrows.get(file).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&String, BTreeSet<String>> =
        arrows.keys().map(|file| (file, reached(file))).collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    for (file, seen) in &reach {
        if seen.contains(*file) && !found.iter().flatten().any(|it| it == *file) {
            let back = |other: &&String| reach.get(other).is_some_and(|it| it.contains(*file));
            found.push(seen.iter().filter(back).cloned().collect());
        }
    }
    found
}

#[test]
fn few_files_need_each_other_in_a_circle() {
    let files = console_files();
    let names: BTreeSet<String> = files.iter().map(|(file, _)| file.clone()).collect();
    let faces = faces(&files);
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for import in imports(&files).iter().filter(|it| !it.file.ends_with("/mod.rs")) {
        let to = defined_in(&import.path, &names, &faces)
            .filter(|to| *to != import.file && !to.ends_with("/mod.rs"));
        arrows.entry(import.file.clone()).or_default().extend(to);
    }
    let found = circles(&arrows);
    let sizes: Vec<_> = found.iter().map(|circle| (circle[0].as_str(), circle.len())).collect();
    let listed = found.iter().map(|it| it.join(", ")).collect::<Vec<_>>().join("\n\n");
    assert_eq!(sizes, CIRCLES, "\n{listed}");
}
