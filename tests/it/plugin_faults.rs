//! One fixture for each fault and each note of a manifest: a kind without one does not compile.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use rl_console::{
    limits,
    plugin::manifest::{Fault, FaultKind, Manifest, Note, NoteKind, load},
};
use semver::Version;

const WHOLE: &str = r#"id = "a.b"
name = "A"
version = "0.1.0"
author = "B"
tier = "C"
description = "D"
homepage = "https://example.org"
host_min = "1.0.0"
[runtime]
kind = "process"
entry = "run"
transport = "stdio"
[capabilities]
events = ["on_watch_tick"]
network = "none"
[contributes]
actions = ["a.act"]
"#;

/// How to come by a fault.
enum Case {
    /// This of the text is replaced.
    Text(&'static str, &'static str),
    /// The folder is changed so.
    Folder(fn(&Path)),
    /// This command replaces the entry.
    Command(&'static str),
}

macro_rules! cases {
    ($Kind:ident { $($variant:ident => $case:expr),* $(,)? }) => {{
        fn _exhaustive(kind: &$Kind) {
            match kind { $( $Kind::$variant { .. } => {} )* }
        }
        fn name(kind: &$Kind) -> &'static str {
            match kind { $( $Kind::$variant { .. } => stringify!($variant), )* }
        }
        let cases: Vec<(&'static str, Case)> = vec![ $( (stringify!($variant), $case) ),* ];
        (cases, name as fn(&$Kind) -> &'static str)
    }};
}

fn write(folder: &Path, name: &str, bytes: &[u8], mode: u32) {
    fs::write(folder.join(name), bytes).unwrap();
    fs::set_permissions(folder.join(name), Permissions::from_mode(mode)).unwrap();
}

/// What is found in a folder with a program and the manifest, changed as the case says.
fn found(case: &Case) -> (Vec<Fault>, Vec<Note>) {
    let folder = tempfile::tempdir().unwrap();
    let text = match case {
        Case::Text(old, new) => WHOLE.replacen(old, new, 1),
        _ => WHOLE.to_owned(),
    };
    write(folder.path(), "plugin.toml", text.as_bytes(), 0o644);
    write(folder.path(), "run", b"#!/bin/sh\n", 0o755);
    if let Case::Folder(change) = case {
        change(folder.path());
    }
    let command = if let Case::Command(line) = case { Some(*line) } else { None };
    let checked = load(folder.path(), command, &Version::new(7, 8, 6), &limits::Plugin::default()).checked;
    (checked.faults, checked.notes)
}

#[test]
fn each_fault_of_a_manifest_has_its_case_place_and_remedy() {
    let (cases, name) = cases!(FaultKind {
        Unreadable => Case::Folder(|folder| fs::remove_file(folder.join("plugin.toml")).unwrap()),
        TooLarge => Case::Folder(|folder| write(folder, "plugin.toml", &[b'#'; 65_537], 0o644)),
        NotUtf8 => Case::Folder(|folder| write(folder, "plugin.toml", b"id = \"\xff\"", 0o644)),
        Syntax => Case::Text("[contributes]\n", "[contributes]\nx\n"),
        Missing => Case::Text("name = \"A\"\n", ""),
        WrongType => Case::Text("\"A\"", "7"),
        Empty => Case::Text("\"A\"", "\" \""),
        TooLong => Case::Text("\"A\"", "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\""),
        Nul => Case::Text("\"run\"", "\"run\\u0000\""),
        Id => Case::Text("a.b", "A"),
        Version => Case::Text("0.1.0", "0.1"),
        Tier => Case::Text("\"C\"", "\"D\""),
        Homepage => Case::Text("https:", "http:"),
        NewerHost => Case::Text("1.0.0", "8.0.0"),
        Wasm => Case::Text("\"process\"", "\"wasm\""),
        Ui => Case::Text("\"process\"", "\"ui\""),
        RuntimeKind => Case::Text("\"process\"", "\"thread\""),
        Socket => Case::Text("\"stdio\"", "\"socket\""),
        Transport => Case::Text("\"stdio\"", "\"tcp\""),
        EntryAbsolute => Case::Text("\"run\"", "\"/run\""),
        EntryParent => Case::Text("\"run\"", "\"../run\""),
        CapabilityKey => Case::Text("events = ", "event = "),
        Capability => Case::Text("on_watch_tick", "on_rain"),
        Network => Case::Text("\"none\"", "\"all\""),
        Namespace => Case::Text("a.act", "act"),
        EntryMissing => Case::Folder(|folder| fs::remove_file(folder.join("run")).unwrap()),
        EntryLeaves => Case::Folder(|folder| {
            fs::remove_file(folder.join("run")).unwrap();
            symlink("/bin/sh", folder.join("run")).unwrap();
        }),
        EntryNotAFile => Case::Folder(|folder| {
            fs::remove_file(folder.join("run")).unwrap();
            fs::create_dir(folder.join("run")).unwrap();
        }),
        EntryNotExecutable => Case::Folder(|folder| write(folder, "run", b"", 0o644)),
        Command => Case::Command("node 'main.js"),
    });
    for (expected, case) in &cases {
        let (faults, _) = found(case);
        let kinds: Vec<_> = faults.iter().map(|fault| name(&fault.kind)).collect();
        assert_eq!(kinds, [*expected]);
        assert!(faults[0].line >= 1 && faults[0].column >= 1 && !faults[0].remedy().is_empty());
    }
    assert_eq!(found(&Case::Text("", "")).0, [], "and without one there is none");
}

#[test]
fn each_note_of_a_manifest_has_its_case() {
    let (cases, name) = cases!(NoteKind {
        UnknownKey => Case::Text("[runtime]\n", "[runtime]\nshell = \"sh\"\n"),
        UiEntry => Case::Text("host_min", "ui_entry = \"page.html\"\nhost_min"),
        NeedsPanel => Case::Text("on_watch_tick", "on_panel_change"),
        Repeated => Case::Text("\"on_watch_tick\"", "\"on_watch_tick\", \"on_watch_tick\""),
    });
    for (expected, case) in &cases {
        let (faults, notes) = found(case);
        assert_eq!(faults, [], "{expected}");
        assert!(notes.iter().any(|note| name(&note.kind) == *expected), "{expected}: {notes:?}");
    }
}

#[test]
fn a_manifest_that_is_cut_off_anywhere_or_has_a_byte_changed_is_judged() {
    let parse = |text: &str| Manifest::parse(text, &Version::new(7, 8, 6), &limits::Plugin::default());
    for at in 0..WHOLE.len() {
        let checked = parse(&WHOLE[..at]);
        assert_eq!(checked.manifest.is_none(), !checked.faults.is_empty());
        for byte in [b'"', b'\n', b'=', b'['] {
            let mut bytes = WHOLE.as_bytes().to_vec();
            bytes[at] = byte;
            let checked = parse(std::str::from_utf8(&bytes).unwrap());
            assert_eq!(checked.manifest.is_none(), !checked.faults.is_empty());
        }
    }
}
