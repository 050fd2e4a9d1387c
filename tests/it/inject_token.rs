//! The token that the station lends to a connection of the workbench's own is nowhere to be read.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use rl_console::{
    port::{Command, Operator as _},
    recording::{RecordedItem, read},
    station::OperatorClient,
    tap::{
        entry::{Redaction, What},
        recorded::OwnedEntry,
    },
};
use serde_json::json;

use crate::{runs_cli::run, terminal::console};

/// Characters of a token that is lent: 32 random bytes in base64.
const TOKEN_LEN: usize = 43;

/// Whatever looks like one: as many characters of its alphabet, with digits and letters of both cases.
pub(crate) fn tokens_in(bytes: &[u8]) -> BTreeSet<String> {
    let is_of_it = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    bytes
        .split(|byte| !is_of_it(byte))
        .filter(|run| run.len() == TOKEN_LEN)
        .filter(|run| {
            let has = |is: fn(&u8) -> bool| run.iter().any(is);
            has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
        })
        .map(|run| String::from_utf8_lossy(run).into_owned())
        .collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            files(&entry.path(), found);
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
}

/// What looks like a token in the files of a folder.
fn tokens_of(folder: &Path) -> BTreeSet<String> {
    let mut found = Vec::new();
    files(folder, &mut found);
    // One that is gone meanwhile was a temporary one.
    found.iter().filter_map(|path| std::fs::read(path).ok()).flat_map(|bytes| tokens_in(&bytes)).collect()
}

fn entries_of(file: &Path) -> Vec<OwnedEntry> {
    let entry = |item| match item {
        RecordedItem::Entry(entry) => Some(entry),
        RecordedItem::Snapshot { .. } => None,
    };
    read(file).unwrap().filter_map(|item| entry(item.unwrap())).collect()
}

/// How many bytes of a hello are masked.
fn masked(entry: &OwnedEntry) -> Option<usize> {
    let What::Frame(frame) = &entry.entry.what else { return None };
    frame.origin.as_ref()?;
    let Redaction::Masked(ranges) = &frame.redaction else { return None };
    Some(ranges.iter().map(|range| usize::try_from(range.end - range.start).unwrap()).sum())
}

#[test]
fn the_token_of_a_connection_of_its_own_is_on_no_screen_and_in_no_file_entry_or_recording() {
    let (folder, _, mut terminal) = console(160, 50);
    let data = folder.path();
    let before = tokens_of(data);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operate = |command| {
        runtime.block_on(async {
            let operator = OperatorClient::connect(data).await.unwrap();
            operator.command(command).await.unwrap();
        });
    };
    let file = data.join("lent.mcap");
    operate(Command::RecordStart { path: Some(file.clone()), preroll_s: Some(0), whole: false });
    terminal.record_frames();
    // From the screen, where the station says the hello.
    terminal.keys("i");
    terminal.wait("the verdict", |screen| screen.contains("Workbench") && screen.contains("pull: accepted"));
    terminal.keys("\x13");
    terminal.shows("equal to what was foreseen");
    // That closes its connection as well.
    terminal.keys("\x03");
    terminal.wait("the workbench is closed", |screen| !screen.contains("Workbench"));
    // And from the command line, in a hello that is made, and in what follows it.
    let pack = rl_console::mpp::manifest::Pack::sample();
    let hello = json!({"body": {
        "type": "hello", "pack_id": pack.id, "manifest_hash": pack.hash, "bridge_token": "$TOKEN",
    }});
    let adapter_gone = || run(data, &["ls", "adapters"], "").rows.is_empty().then_some(());
    crate::real::plugins::until(|| "the adapter of the screen stays".to_owned(), adapter_gone);
    let ran = run(data, &["inject", "mpp"], &hello.to_string()).exits(0);
    let shown = serde_json::to_vec(&ran.rows).unwrap();
    // The hellos, as they are looked at.
    terminal.keys("8");
    terminal.shows("▸ Wire");
    terminal.keys("/link:mpp kind:hello\r");
    terminal.wait("the hellos", |screen| screen.matches("✓¶hello ").count() == 2);
    terminal.keys("g\r");
    let inspected = terminal.wait("the hello", |screen| screen.contains("bridge_token"));
    assert!(inspected.contains("bridge_token  ▒▒▒"), "{inspected}");
    let (frames, raw) = terminal.recorded_frames();
    operate(Command::RecordStop);
    let entries = entries_of(&file);
    let hellos: Vec<usize> = entries.iter().filter_map(masked).collect();
    assert_eq!(hellos, [TOKEN_LEN, TOKEN_LEN], "both were lent one, of this length");
    terminal.keys("\x1b");
    terminal.shows("▸ Wire");
    terminal.keys("q");
    assert!(terminal.ended().success());

    let mut found = tokens_of(data);
    found.extend(tokens_in(&raw));
    found.extend(tokens_in(frames.join("\n").as_bytes()));
    found.extend(tokens_in(&shown));
    for entry in &entries {
        found.extend(tokens_in(&entry.bytes));
        found.extend(tokens_in(format!("{:?}", entry.entry).as_bytes()));
    }
    let leaked: Vec<&String> = found.difference(&before).collect();
    assert!(leaked.is_empty(), "{leaked:?}");
}

#[test]
fn what_looks_like_a_token_is_found() {
    let token = "aB3_".repeat(10) + "x-9";
    assert_eq!(tokens_in(format!("{{\"bridge_token\":\"{token}\"}}").as_bytes()), BTreeSet::from([token]));
    assert_eq!(tokens_in("ab".repeat(32).as_bytes()), BTreeSet::new(), "a hash is none");
}
