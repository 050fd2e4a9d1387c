//! What the program says to people: words and turns that no text has, each with what to say in its place.

use std::{fs, path::Path};

use super::source::{Text, texts};

/// Words and turns of no text for people, each with what to say in its place. They are found as whole words,
/// letters of either case alike.
const INSTEAD: &[(&str, &str)] = &[
    ("stands", "phase, state or is"),
    ("by now", "nothing, or `already`"),
    ("as yet", "yet"),
    ("anew", "again, or a verb with `re`"),
    ("in vain", "without effect"),
    ("is well", "ok"),
    ("nobody", "no one, none, or who is missing"),
    ("mended", "fixed, reloaded"),
    ("mend", "fix"),
    ("told", "reported, logged, sent"),
    ("tells", "shows, reports"),
    ("voices", "messages"),
    ("let go", "evicted, dropped"),
    ("goes by", "depends on, follows"),
    ("whoever", "any"),
    ("beside", "besides, next to"),
    ("kick", "disconnect"),
    ("kicked", "disconnected"),
    ("give work", "invoke"),
    ("given last", "last run"),
    ("read whole", "details"),
    ("stop time", "pause"),
    ("go live", "resume live"),
    ("begin again", "clear, restart"),
    ("begun", "started"),
    ("by hand", "manually"),
    ("no pull yet", "adapter not pulling"),
    ("waits for work", "idle"),
    ("left in applied", "orphaned"),
    ("left applied", "orphaned"),
    ("in force", "active"),
    ("any more", "no longer, before the verb"),
    ("no longer kept no", "no longer kept"),
    ("so long ago", "a duration, an offset"),
    ("forgets early", "evicting early"),
    ("read at a glance", "previewed"),
    ("joined as", "connected"),
    ("folding", "processing"),
    ("folded", "processed"),
    ("taken in", "processed"),
    ("given on", "delivered"),
    ("before its time", "now, early"),
    ("worked on", "running"),
    ("which is a no", "auto-rejected"),
    ("as shipped", "default"),
    ("is no number", "is not a number"),
    ("there is nothing to go on with", "none"),
    ("goes on", "continues, keeps running, stays open"),
    ("go on with", "open"),
    ("is wanted", "expected"),
    ("behind it", "after it"),
    ("other pack", "stale manifest"),
    ("telling:no", "events:hidden"),
    ("routine:no", "routine:hidden"),
    ("the show", "the station"),
    ("nr", "#"),
    ("amiss", "wrong, a problem"),
    ("a question", "a dialog, an approval"),
];

/// What is no text by itself, as a title, a label or a state, each with what to say in its place.
const LABELS: &[(&str, &str)] = &[
    ("whose", "culprit"),
    ("times", "count"),
    ("speaks", "protocol"),
    ("listens", "subscribed"),
    ("takes", "input"),
    ("gives", "output"),
    ("drains", "draining"),
    ("well", "ok"),
    ("seen", "acknowledge"),
    ("fly", "busy, in flight"),
];

/// The folders and files of `src` that texts are read of.
const FOLDERS: [&str; 23] = [
    "admission",
    "cli",
    "console",
    "dissect",
    "field",
    "filter",
    "judged",
    "limits",
    "macp",
    "plugin",
    "manual",
    "mplp",
    "mpp",
    "port",
    "private_files.rs",
    "recording",
    "registry.rs",
    "rmp",
    "runs",
    "schema.rs",
    "station",
    "store",
    "tap",
];

/// Texts that have such a word as a name which does not change: in the configuration, in JSON, in recordings.
const NAMES: &[(&str, &str)] = &[
    // Codes that scripts read, and the comment of units that are installed.
    ("tap/entry/mpp/fault.rs", "kicked"),
    ("tap/entry/rmp/close.rs", "kicked"),
    ("tap/entry/runs.rs", "told"),
    // What people can still write: names of earlier versions.
    ("console/input/action.rs", "kick"),
    ("console/input/pane_id.rs", "Voices"),
    ("console/input/pane_id.rs", "Other pack"),
    ("console/systems/bus/drops.rs", "whose"),
    ("console/systems/bus/drops.rs", "times"),
    ("console/systems/bus/peers.rs", "speaks"),
    ("console/systems/sessions/list.rs", "stands"),
    ("console/systems/station/violations.rs", "told"),
    ("console/systems/station/violations.rs", "times"),
    ("dissect/record.rs", "told"),
    ("port/drops.rs", "whose"),
    ("port/drops.rs", "times"),
    ("port/fields.rs", "well"),
    ("port/fields_runs.rs", "takes"),
    ("port/fields_bus.rs", "speaks"),
    ("port/violations.rs", "told"),
    ("port/violations.rs", "times"),
    ("tap/recorded/free_text.rs", "takes"),
];

/// What is wrong with the texts of a file.
fn faults(file: &str, source: &str) -> Vec<String> {
    texts(source).into_iter().flat_map(|text| faults_of(file, &text)).collect()
}

fn faults_of(file: &str, Text { text, line }: &Text) -> Vec<String> {
    if NAMES.contains(&(file, text.as_str())) {
        return Vec::new();
    }
    // The comment of units that are installed: with another one, all would be reported as changed.
    if file == "cli/service/unit.rs" && text.starts_with("# Printed by") {
        return Vec::new();
    }
    let lower = without_places(text).to_lowercase();
    let labels = LABELS.iter().filter(|(label, _)| lower == *label);
    let found = INSTEAD.iter().filter(|(turn, _)| has_words(&lower, turn)).chain(labels);
    found.map(|(turn, say)| format!("src/{file}:{line}: `{turn}` in {text:?}: say {say}")).collect()
}

/// A text of a format without the names of what is put in.
fn without_places(text: &str) -> String {
    let (mut kept, mut depth) = (String::with_capacity(text.len()), 0_usize);
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

/// Whether a text has these words, whole.
fn has_words(text: &str, words: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(words)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + words.len()..].starts_with(is_part))
}

/// The docs of items in `src/cli/args`, which are the help of subcommands and flags.
fn help_faults(file: &str, source: &str) -> Vec<String> {
    let docs = source.lines().enumerate().filter_map(|(at, line)| {
        let text = line.trim_start().strip_prefix("/// ")?;
        Some(Text { text: text.to_owned(), line: at + 1 })
    });
    docs.flat_map(|text| faults_of(file, &text)).collect()
}

/// The prose of a page of the manual: what lies between fences or in backquotes is none.
fn page_faults(file: &str, page: &str) -> Vec<String> {
    let mut in_fence = false;
    let prose = page.lines().enumerate().filter_map(|(at, line)| {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
            return None;
        }
        let words: Vec<&str> = line.split('`').step_by(2).collect();
        (!in_fence).then(|| Text { text: words.join(" "), line: at + 1 })
    });
    prose.collect::<Vec<_>>().iter().flat_map(|text| faults_of(file, text)).collect()
}

#[test]
fn texts_for_people_are_plain() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut files) = (Vec::new(), 0);
    super::each_file(&src, &src, &mut |file, source| {
        let top = file.split('/').next().unwrap_or_default();
        let is_test = file.contains("/tests/") || file.ends_with("tests.rs");
        if FOLDERS.contains(&top) && !is_test {
            files += 1;
            found.extend(faults(file, source));
        }
        if FOLDERS.contains(&"cli") && file.starts_with("cli/args/") && !is_test {
            found.extend(help_faults(file, source));
        }
    });
    if FOLDERS.contains(&"cli") {
        for entry in fs::read_dir(src.join("cli/help")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == "md") {
                let file = path.strip_prefix(&src).unwrap().to_str().unwrap().to_owned();
                found.extend(page_faults(&file, &fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(files > 100, "src was not found");
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
}

#[test]
fn finds_words_in_texts_alone() {
    let said = |source: &str| faults("console/x.rs", source);
    assert_eq!(
        said("fn f() -> &'static str {\n    \"the store is well\"\n}"),
        ["src/console/x.rs:2: `is well` in \"the store is well\": say ok"]
    );
    assert_eq!(
        said("/* nobody */ // nobody\nlet nobody = 'n'; const A: &str = r#\"Nobody is here\"#;").len(),
        1
    );
    assert_eq!(said("let a = \"is \\\n     well\";").len(), 1, "a text over two lines is one");
    for fine in [
        "let a = \"standstill, retold, kickoff, by_now\";",
        "x.expect(\"told\"); #[expect(clippy::x, reason = \"nobody\")] fn f() {}",
        "#[cfg(test)]\nmod tests {\n    const A: &str = \"nobody\";\n}",
        "#[cfg(test)]\nfn f() { \"nobody\" }\nconst B: &str = \"all\";",
        "#[path = \"told\"] mod x; assert!(ok, \"told\"); assert_eq!(a, b, \"{}: told\", c);",
    ] {
        assert_eq!(said(fine), [""; 0], "{fine}");
    }
    assert_eq!(help_faults("cli/args/x.rs", "/// What it told.\n// told\nfn told() {}").len(), 1);
    assert_eq!(page_faults("cli/help/x.md", "It told `told`.\n```\ntold\n```\n").len(), 1);
}
