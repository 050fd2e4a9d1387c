//! Manifests: what is read, and every fault and note at its place.

use proptest::prelude::*;
use semver::Version;

use super::{Checked, Manifest, Tier};
use crate::{limits, plugin::capability::Capability};

/// Every key of streamnook-host, plugin.toml.
const WHOLE: &str = r#"id = "community.example"
name = "Example"
version = "1.2.0"
author = "Somebody"
tier = "B"
description = "Follows the stream"
homepage = "https://example.org/plugin"
host_min = "7.8.0"

[runtime]
kind = "process"
entry = "bin/example"
args = ["--quiet", "a b"]
transport = "stdio"

[capabilities]
events = ["on_watch_tick", "on_panel_change"]
host_methods = ["log", "register_panel"]
credentials = ["twitch.android"]
ui = ["panel"]
network = "external"

[contributes]
actions = ["playback.resolve"]
status = ["example.state", "example.count"]
provides = ["example.data"]
"#;

/// What must be there.
const LEAST: &str = r#"id = "a.b"
name = "A"
version = "0.1.0"
author = "A"
tier = "A"
description = ""
host_min = "1.0.0"
[runtime]
kind = "process"
entry = "a"
"#;

fn parse(text: &str) -> Checked {
    Manifest::parse(text, &Version::new(7, 8, 6), &limits::Plugin::default())
}

fn faults(text: &str) -> Vec<String> {
    let checked = parse(text);
    assert_eq!(checked.manifest.is_none(), !checked.faults.is_empty());
    checked.faults.iter().map(|fault| format!("{} {fault}", fault.kind.code())).collect()
}

fn notes(text: &str) -> Vec<String> {
    let checked = parse(text);
    assert_eq!(checked.faults, [], "{text}");
    checked.notes.iter().map(|note| format!("{} {note}", note.kind.code())).collect()
}

/// The only fault of the whole manifest with `old` replaced.
fn fault(old: &str, new: &str) -> String {
    assert_eq!(WHOLE.matches(old).count(), 1, "{old}");
    let mut faults = faults(&WHOLE.replace(old, new));
    assert_eq!(faults.len(), 1, "{faults:#?}");
    faults.remove(0)
}

#[test]
fn every_key_of_the_table_is_read() {
    let checked = parse(WHOLE);
    assert_eq!((&checked.faults[..], &checked.notes[..]), (&[][..], &[][..]));
    let it = checked.manifest.unwrap();
    assert_eq!(
        (it.id.as_str(), &*it.name, it.version.to_string().as_str()),
        ("community.example", "Example", "1.2.0")
    );
    assert_eq!((&*it.author, it.tier, &*it.description), ("Somebody", Tier::B, "Follows the stream"));
    assert_eq!(
        (it.homepage.as_deref(), it.host_min.to_string().as_str()),
        (Some("https://example.org/plugin"), "7.8.0")
    );
    assert_eq!(&*it.entry, "bin/example");
    assert_eq!(it.args.iter().map(|it| &**it).collect::<Vec<_>>(), ["--quiet", "a b"]);
    let asks = ["on_watch_tick", "on_panel_change", "log", "register_panel", "twitch.android", "panel"];
    assert_eq!(it.asks.names().collect::<Vec<_>>(), asks);
    assert!(it.is_networked);
    assert_eq!(it.actions.iter().map(|it| &**it).collect::<Vec<_>>(), ["playback.resolve"]);
    assert_eq!(it.slots.iter().map(|it| &**it).collect::<Vec<_>>(), ["example.state", "example.count"]);
    assert_eq!(it.provides.iter().map(|it| &**it).collect::<Vec<_>>(), ["example.data"]);
    assert_eq!(it.entry_at, (12, 9));
}

#[test]
fn what_is_optional_has_the_defaults_of_the_ruling() {
    let checked = parse(LEAST);
    assert_eq!((&checked.faults[..], &checked.notes[..]), (&[][..], &[][..]));
    let it = checked.manifest.unwrap();
    assert!(it.asks.is_empty() && !it.is_networked && it.homepage.is_none() && it.args.is_empty());
    assert!(it.actions.is_empty() && it.slots.is_empty() && it.provides.is_empty());
    assert!(!parse(&format!("{LEAST}[capabilities]\nnetwork = \"none\"\n")).manifest.unwrap().is_networked);
}

#[test]
fn every_missing_key_is_named_at_its_table() {
    assert_eq!(
        faults(""),
        [
            "missing 1:1: `id` is missing (such as id = \"community.example\")",
            "missing 1:1: `name` is missing (such as name = \"Example\")",
            "missing 1:1: `version` is missing (such as version = \"1.0.0\")",
            "missing 1:1: `author` is missing (such as author = \"Example\")",
            "missing 1:1: `tier` is missing (such as tier = \"A\")",
            "missing 1:1: `description` is missing (such as description = \"What it does\")",
            "missing 1:1: `host_min` is missing (such as host_min = \"7.8.0\")",
            "missing 1:1: `runtime` is missing (add [runtime] with kind and entry)",
        ]
    );
    let runtime = LEAST.replace("kind = \"process\"\nentry = \"a\"\n", "");
    assert_eq!(
        faults(&runtime),
        [
            "missing 8:2: `runtime.kind` is missing (such as kind = \"process\")",
            "missing 8:2: `runtime.entry` is missing (such as entry = \"bin/plugin\")",
        ]
    );
}

#[test]
fn each_fault_of_the_head_is_at_its_value() {
    assert_eq!(
        fault("community.example", "Example"),
        "id 1:6: `id` is \"Example\" (reverse DNS of at most 64 characters: small letters and digits, then \
         parts of small letters, digits and - after dots, as in community.example)"
    );
    assert_eq!(fault("\"Example\"", "\" \""), "empty 2:8: `name` is empty (such as name = \"Example\")");
    let forty = format!("\"{}\"", "é".repeat(40));
    assert!(parse(&WHOLE.replace("\"Example\"", &forty)).manifest.is_some());
    let more = format!("\"{}\"", "é".repeat(41));
    assert_eq!(
        fault("\"Example\"", &more),
        "too_long 2:8: `name` has 41 characters, at most 40 are permitted (shorten it)"
    );
    assert_eq!(
        fault("\"1.2.0\"", "\"1.2\""),
        "version 3:11: `version` is \"1.2\": unexpected end of input while parsing minor version number (a \
         semantic version such as 1.2.0)"
    );
    assert_eq!(fault("\"Somebody\"", "\"\""), "empty 4:10: `author` is empty (such as author = \"Example\")");
    assert_eq!(fault("\"B\"", "\"D\""), "tier 5:8: `tier` is \"D\" (use \"A\", \"B\" or \"C\")");
    assert_eq!(fault("\"B\"", "\"b\""), "tier 5:8: `tier` is \"b\" (use \"A\", \"B\" or \"C\")");
    assert!(parse(&WHOLE.replace("Follows the stream", &"a".repeat(200))).manifest.is_some());
    assert_eq!(
        fault("Follows the stream", &"a".repeat(201)),
        "too_long 6:15: `description` has 201 characters, at most 200 are permitted (shorten it)"
    );
    assert_eq!(
        fault("https://example", "http://example"),
        "homepage 7:12: `homepage` is \"http://example.org/plugin\", no https URL (such as \
         https://example.org, or leave it out)"
    );
    assert_eq!(
        fault("\"7.8.0\"", "\"7\""),
        "version 8:12: `host_min` is \"7\": unexpected end of input while parsing major version number (a \
         semantic version such as 1.2.0)"
    );
}

#[test]
fn a_plugin_that_needs_a_newer_host_is_refused_with_the_key_to_set() {
    assert_eq!(
        fault("\"7.8.0\"", "\"7.8.7\""),
        "newer_host 8:12: `host_min` is 7.8.7: the plugin needs a newer host than 7.8.6 (if the plugin works \
         here, set plugins.host_version to 7.8.7 or later)"
    );
    for fine in ["7.8.6", "7.8.6+build.9", "7.8.6-rc.1", "0.0.1"] {
        assert!(parse(&WHOLE.replace("7.8.0", fine)).manifest.is_some(), "{fine}");
    }
    assert!(fault("\"7.8.0\"", "\"7.9.0-rc.1\"").starts_with("newer_host"));
}

#[test]
fn what_cannot_run_here_is_refused_with_that_reason() {
    assert_eq!(
        fault("\"process\"", "\"wasm\""),
        "wasm 11:8: `runtime.kind` is \"wasm\", which is reserved: it cannot run (a plugin runs here as a \
         process: kind = \"process\")"
    );
    let ui = "ui 11:8: `runtime.kind` is \"ui\", an in-app page, which has no meaning in a terminal (use it \
              in the StreamNook app; here a plugin runs as a process)";
    assert_eq!(fault("\"process\"", "\"ui\""), ui);
    assert_eq!(fault("\"process\"\nentry = \"bin/example\"", "\"ui\""), ui, "its entry is not missed");
    assert_eq!(
        fault("\"process\"", "\"proces\""),
        "runtime_kind 11:8: `runtime.kind` is \"proces\" (use \"process\")"
    );
    assert_eq!(
        fault("\"stdio\"", "\"socket\""),
        "socket 14:13: `runtime.transport` is \"socket\", which is reserved: it cannot run (use \"stdio\", \
         or leave it out)"
    );
    assert_eq!(
        fault("\"stdio\"", "\"tcp\""),
        "transport 14:13: `runtime.transport` is \"tcp\" (use \"stdio\", or leave it out)"
    );
}

#[test]
fn an_entry_outside_the_folder_is_refused() {
    assert_eq!(
        fault("bin/example", "/bin/example"),
        "entry_absolute 12:9: `runtime.entry` is \"/bin/example\", an absolute path (a path inside the \
         plugin's folder, such as bin/plugin)"
    );
    assert_eq!(
        fault("bin/example", "bin/../../example"),
        "entry_parent 12:9: `runtime.entry` is \"bin/../../example\", with `..` (a path inside the plugin's \
         folder, such as bin/plugin)"
    );
    assert_eq!(
        fault("bin/example", ""),
        "empty 12:9: `runtime.entry` is empty (such as entry = \"bin/plugin\")"
    );
    assert_eq!(
        fault("bin/example", "bin\\u0000"),
        "nul 12:9: `runtime.entry` has a NUL character (remove the NUL character)"
    );
    assert_eq!(
        fault("a b", "\\u0000"),
        "nul 13:20: `runtime.args` has a NUL character (remove the NUL character)"
    );
}

#[test]
fn unknown_strings_and_keys_of_the_capabilities_refuse() {
    assert_eq!(
        fault("\"on_watch_tick\"", "\"on_watch_tik\""),
        "capability 17:11: unknown \"on_watch_tik\" in `capabilities.events` (did you mean `on_watch_tick`?)"
    );
    assert_eq!(
        fault("\"log\"", "\"on_watch_tick\""),
        "capability 18:17: unknown \"on_watch_tick\" in `capabilities.host_methods` (it belongs in \
         capabilities.events)"
    );
    assert_eq!(
        fault("\"log\"", "\"get_credential\""),
        "capability 18:17: unknown \"get_credential\" in `capabilities.host_methods` (leave it out: the \
         kinds in capabilities.credentials permit it)"
    );
    assert_eq!(
        fault("\"log\"", "\"set_status\""),
        "capability 18:17: unknown \"set_status\" in `capabilities.host_methods` (leave it out: the slots in \
         contributes.status permit it)"
    );
    assert_eq!(
        fault("[\"twitch.android\"]", "[\"github\"]"),
        "capability 19:16: unknown \"github\" in `capabilities.credentials` (use one of `twitch.android`)"
    );
    assert_eq!(
        fault("[\"panel\"]", "[\"panel\", \"page\"]"),
        "capability 20:16: unknown \"page\" in `capabilities.ui` (did you mean `panel`?)"
    );
    assert_eq!(
        fault("network = ", "event = []\nnetwork = "),
        "capability_key 21:1: unknown key \"event\" in `capabilities` (did you mean `events`?)"
    );
    assert_eq!(
        fault("network = ", "ui_entry = 1\nnetwork = "),
        "capability_key 21:1: unknown key \"ui_entry\" in `capabilities` (use one of `events`, \
         `host_methods`, `credentials`, `ui`, `network`)"
    );
    assert_eq!(
        fault("\"external\"", "\"extern\""),
        "network 21:11: `capabilities.network` is \"extern\" (did you mean `external`?)"
    );
}

#[test]
fn an_id_of_what_it_contributes_has_a_namespace() {
    for (old, list) in
        [("playback.resolve", "actions"), ("example.count", "status"), ("example.data", "provides")]
    {
        assert!(fault(old, "resolve").contains(&format!(
            ": \"resolve\" in `contributes.{list}` is not feature.name (put a feature and a dot before the \
             name, as in playback.resolve)"
        )));
    }
}

#[test]
fn a_value_of_another_type_is_named_with_both() {
    assert_eq!(
        fault("\"Example\"", "7"),
        "wrong_type 2:8: `name` must be a string, not integer (such as name = \"Example\")"
    );
    assert_eq!(
        fault("[\"--quiet\", \"a b\"]", "\"--quiet\""),
        "wrong_type 13:8: `runtime.args` must be a list of strings, not string (such as args = \
         [\"--verbose\"])"
    );
    assert_eq!(
        fault("\"log\"", "1"),
        "wrong_type 18:17: `capabilities.host_methods` must be a list of strings, not integer (such as \
         host_methods = [\"log\"])"
    );
    let head = &WHOLE[..WHOLE.find("[runtime]").unwrap()];
    assert_eq!(
        faults(&format!("{head}runtime = 1\ncapabilities = []\ncontributes = \"\"\n")),
        [
            "wrong_type 10:1: `runtime` must be a table, not integer (write it as [runtime])",
            "wrong_type 11:1: `capabilities` must be a table, not array (write it as [capabilities])",
            "wrong_type 12:1: `contributes` must be a table, not string (write it as [contributes])",
        ]
    );
}

#[test]
fn all_faults_are_found_at_once_in_the_order_of_their_places() {
    let text = WHOLE
        .replace("community.example", "x")
        .replace("\"B\"", "\"Z\"")
        .replace("bin/example", "../x")
        .replace("\"log\"", "\"logs\"")
        .replace("playback.resolve", "resolve");
    let lines: Vec<_> = parse(&text).faults.iter().map(|fault| (fault.line, fault.kind.code())).collect();
    assert_eq!(lines, [(1, "id"), (5, "tier"), (12, "entry_parent"), (18, "capability"), (24, "namespace")]);
}

#[test]
fn a_text_that_is_no_toml_is_named_where_it_breaks_and_nothing_is_missed() {
    let broken = faults("id = \"a.b\"\nname = \ntier = \"X\"\n");
    assert!(broken[0].starts_with("syntax 2:"), "{broken:?}");
    assert!(broken[0].ends_with("(correct the TOML at this place)"), "{broken:?}");
    assert_eq!(broken[1..], ["tier 3:8: `tier` is \"X\" (use \"A\", \"B\" or \"C\")"]);
}

#[test]
fn a_text_over_the_limit_is_not_parsed() {
    let most = limits::Plugin::default().manifest_bytes_max;
    let mut text = WHOLE.to_owned();
    text.push_str(&"#".repeat(usize::try_from(most).unwrap() - text.len()));
    assert!(parse(&text).manifest.is_some());
    text.push('#');
    assert_eq!(
        faults(&text),
        ["too_large 1:1: plugin.toml has more than 65536 bytes (shorten it, or raise \
          limits.plugin.manifest_bytes_max)"]
    );
}

#[test]
fn other_unknown_keys_are_noted_with_the_one_that_is_meant() {
    let text =
        LEAST.replace("[runtime]", "licence = \"MIT\"\nhome_page = 1\nui_entry = \"x\"\n[runtime]\nuser = 1");
    assert_eq!(
        notes(&format!("{text}ui_entry = \"x.html\"\n[contributes]\nslots = []\naction = []\n[extra]\n")),
        [
            "unknown_key 8:1: unknown key \"licence\": ignored",
            "unknown_key 9:1: unknown key \"home_page\": ignored (did you mean `homepage`?)",
            "ui_entry 10:1: `ui_entry` is a page of the StreamNook app: only the process runs here",
            "unknown_key 12:1: unknown key \"runtime.user\": ignored",
            "ui_entry 15:1: `ui_entry` is a page of the StreamNook app: only the process runs here",
            "unknown_key 17:1: unknown key \"contributes.slots\": ignored",
            "unknown_key 18:1: unknown key \"contributes.action\": ignored (did you mean `actions`?)",
            "unknown_key 19:2: unknown key \"extra\": ignored",
        ]
    );
}

#[test]
fn what_has_no_effect_is_noted() {
    assert_eq!(
        notes(&WHOLE.replace("ui = [\"panel\"]", "ui = []")),
        [
            "needs_panel 17:28: `on_panel_change` has no effect without \"panel\" in `capabilities.ui`",
            "needs_panel 18:24: `register_panel` has no effect without \"panel\" in `capabilities.ui`",
        ]
    );
    let twice = WHOLE.replace("[\"log\",", "[\"log\", \"log\",").replace("example.count", "example.state");
    assert_eq!(
        notes(&twice),
        [
            "repeated 18:24: \"log\" is in `capabilities.host_methods` twice",
            "repeated 25:28: \"example.state\" is in `contributes.status` twice",
        ]
    );
    assert_eq!(parse(&twice).manifest.unwrap().slots.len(), 1);
}

#[test]
fn what_is_shown_is_cut_and_has_the_folder_and_the_command() {
    let manifest = parse(&WHOLE.replace("Somebody", &"s".repeat(2_000))).manifest.unwrap();
    let about = manifest.about(Some("/plugins/a"), Some("node main.js"), &limits::Plugin::default());
    assert_eq!((&*about.name, &*about.version), ("Example", "1.2.0"));
    assert!(about.author.len() <= 1_024 && about.author.ends_with('…'));
    assert_eq!(
        (about.folder.as_deref(), about.command.as_deref()),
        (Some("/plugins/a"), Some("node main.js"))
    );
    assert_eq!(about.asks.len(), 6);
    assert!(about.is_networked);
    let few = limits::Plugin { shown_names_max: 1, ..limits::Plugin::default() };
    assert_eq!(manifest.about(None, None, &few).slots.len(), 1);
    assert!(
        manifest
            .granted(Capability::ALL.into_iter().collect())
            .allows(crate::plugin::capability::Method::SetStatus)
    );
}

/// Every fault and note lies inside the text, and all are in order.
fn in_the_text(text: &str) {
    let checked = parse(text);
    assert_eq!(checked.manifest.is_some(), checked.faults.is_empty());
    let inside = |line: usize, column: usize| {
        let found = text.split('\n').nth(line - 1).expect("a line of the text");
        assert!((1..=found.chars().count() + 1).contains(&column), "{line}:{column} in {text:?}");
    };
    checked.faults.iter().for_each(|it| inside(it.line, it.column));
    checked.notes.iter().for_each(|it| inside(it.line, it.column));
    assert!(checked.faults.is_sorted_by_key(|it| (it.line, it.column)));
    assert!(checked.notes.is_sorted_by_key(|it| (it.line, it.column)));
}

proptest! {
    #[test]
    fn any_text_is_judged_with_places_inside_it(text in "\\PC{0,200}|(?s).{0,200}") {
        in_the_text(&text);
    }

    #[test]
    fn a_mutated_manifest_is_judged_with_places_inside_it(
        edits in proptest::collection::vec(
            (0..WHOLE.len(), 0..12_usize, "[\\[\\]{}\"'=.,#\n\r a-zé0-9\0]{0,6}"),
            1..6,
        ),
    ) {
        let mut text = WHOLE.to_owned();
        for (at, len, new) in edits {
            let at = at.min(text.len());
            let end = (at + len).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, &new);
            }
        }
        in_the_text(&text);
    }

    #[test]
    fn a_manifest_that_is_cut_off_is_judged(at in 0..WHOLE.len()) {
        in_the_text(&WHOLE[..at]);
    }
}
