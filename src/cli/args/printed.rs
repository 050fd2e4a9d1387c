//! Every command that a text of this program names is one of its grammar.

use std::{ffi::OsString, fs, path::Path};

use clap::error::ErrorKind;
use regex::Regex;

use super::Cli;

/// The sample of a part that a text fills in: of one command always the same one.
const STAND_INS: [&str; 6] = [
    "x",
    "5",
    "mpp",
    "trace:0191d3c2-7a41-7f00-8000-00000000a41f",
    "action:0191d3c2-7a41-7f00-8000-00000000a41f",
    "x=1",
];

fn texts(folder: &Path, all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            all.push((path.display().to_string(), lines.collect::<Vec<_>>().join("\n")));
        }
    }
}

fn is_understood(command: &str) -> bool {
    let words: Vec<OsString> = shlex::split(command).unwrap().into_iter().map(OsString::from).collect();
    match Cli::read(&words) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::DisplayHelp,
    }
}

#[test]
fn every_command_in_a_text_is_one_of_the_grammar() {
    let mut all = Vec::new();
    texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    let broken = Regex::new(r"\\\n\s*").unwrap();
    let between = Regex::new("`(rl-console [^`\"]*)`").unwrap();
    let filled_in = Regex::new(r"\{[^}]*\}|\b[A-Z]{2,}(?:\.mcap)?\b").unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for (file, text) in all.iter().filter(|(file, _)| !file.contains("tests")) {
        for found in between.captures_iter(&broken.replace_all(text, "")) {
            let command = &found[1];
            // A text around a command that is given to it.
            if command.starts_with("rl-console {") {
                continue;
            }
            count += 1;
            let is_one = STAND_INS.iter().any(|it| is_understood(&filled_in.replace_all(command, *it)));
            wrong.extend((!is_one).then(|| format!("{file}: `{command}`")));
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(count > 60, "{count} were found");
}
