//! Any text as a plugin's manifest.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rl_console::{
    limits,
    plugin::manifest::{Manifest, Note},
};
use semver::Version;

fuzz_target!(|text: &str| {
    let limits = limits::Plugin::default();
    let checked = Manifest::parse(text, &Version::new(7, 8, 6), &limits);
    assert_eq!(checked.manifest.is_some(), checked.faults.is_empty());
    let lines: Vec<usize> = text.split('\n').map(|line| line.chars().count()).collect();
    let is_inside = |line: usize, column: usize| {
        line.checked_sub(1).and_then(|at| lines.get(at)).is_some_and(|last| (1..=last + 1).contains(&column))
    };
    for fault in &checked.faults {
        assert!(is_inside(fault.line, fault.column), "{fault}");
        assert!(!fault.remedy().is_empty());
    }
    let is_well = |note: &Note| is_inside(note.line, note.column) && !note.to_string().is_empty();
    assert!(checked.notes.iter().all(is_well));
    if let Some(manifest) = checked.manifest {
        assert!(manifest.about(None, None, &limits).slots.len() <= manifest.slots.len());
    }
});
