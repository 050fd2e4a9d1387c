//! Pack manifests: what is read, and every fault at its place (ruling MPP 15).

use std::{fs, path::Path};

use proptest::prelude::*;
use rl_console::{
    ids::{EventName, QueueName, StateKey},
    mpp::{
        ReadyAfter,
        manifest::{self, Pack, Writer},
    },
    schema::JsonText,
};

fn parse(text: &str) -> Result<Pack, Vec<String>> {
    Pack::parse(text.as_bytes(), &mut |path| match path {
        "good.json" => Ok(br#"{"type": "integer"}"#.to_vec()),
        "bad.json" => Ok(br#"{"type": 7}"#.to_vec()),
        "broken.json" => Ok(b"{\n  \"type\" 7}".to_vec()),
        _ => Err(format!("cannot read {path}: no such file")),
    })
    .map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

fn faults(text: &str) -> Vec<String> {
    parse(text).unwrap_err()
}

/// Three lines that are right.
const HEAD: &str = "pack = { id = \"com.example.x\", name = \"X\", version = \"1\" }\n[queues.default]\n\n";

#[test]
fn the_sample_pack_has_what_the_tour_needs() {
    let pack = Pack::sample();
    assert!(pack.is_sample && pack.facts().is_sample);
    let queues: Vec<_> = pack.queues.iter().map(|(name, queue)| (name.as_str(), queue.ready_after)).collect();
    assert_eq!(queues, [("boss", ReadyAfter::Done), ("default", ReadyAfter::Applied)]);
    assert_eq!(pack.events.len(), 5);
    assert!(pack.events.values().all(|event| event.schema.is_some() && event.title.is_some()));
    assert_eq!(pack.state.len(), 3);
    assert!(pack.state.values().any(|decl| decl.writer == Writer::Adapter && decl.persist));
    assert!(pack.state.values().any(|decl| decl.writer == Writer::Platform));
    let give_item = EventName::new("give_item");
    assert_eq!(
        pack.check_params(&give_item, &JsonText::parse(r#"{"item_id": 4, "count": 1}"#).unwrap()),
        Ok(())
    );
    let finding =
        pack.check_params(&give_item, &JsonText::parse(r#"{"item_id": "four"}"#).unwrap()).unwrap_err();
    assert!(finding.ends_with("at /item_id"), "{finding}");
}

#[test]
fn the_hash_is_over_the_exact_bytes() {
    let text = format!("{HEAD}# é\r\n");
    let pack = parse(&text).unwrap();
    let hex = pack.hash.as_str().strip_prefix("sha256:").unwrap();
    assert!(
        hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    );
    assert_ne!(parse(&format!("{text}\n")).unwrap().hash, pack.hash);
    // `printf 'pack = …' | sha256sum` over the same bytes.
    let known = parse("pack={id=\"a.b\",name=\"n\",version=\"1\"}\n[queues.q]\n").unwrap();
    assert_eq!(
        known.hash.as_str(),
        "sha256:0c538cebc2f74108ff5b156dc6e820bdef2a8b9b8c43a8872bd6bf4efe6288a5"
    );
}

#[test]
fn everything_that_may_be_left_out_has_its_default() {
    let pack =
        parse(&format!("{HEAD}[events.e]\nqueue = \"default\"\n[state.k]\nwriter = \"adapter\"\n")).unwrap();
    assert_eq!(pack.queues[&QueueName::new("default")].ready_after, ReadyAfter::Applied);
    let event = &pack.events[&EventName::new("e")];
    assert!(event.title.is_none() && event.schema.is_none());
    let decl = &pack.state[&StateKey::new("k")];
    assert!(!decl.persist && decl.schema.is_none() && decl.writer == Writer::Adapter);
    assert!(!pack.is_sample);
}

#[test]
fn schemas_come_inline_or_from_a_file_beside_the_manifest() {
    let text = format!(
        "{HEAD}[state]\na = {{ writer = \"adapter\", schema = \"good.json\" }}\nb = {{ writer = \"adapter\", schema = {{ maximum = 0x10, multipleOf = 0.5 }} }}\n"
    );
    let pack = parse(&text).unwrap();
    let check = |key: &str, value| pack.state[&StateKey::new(key)].check(value);
    assert!(check("a", "3").is_ok() && check("a", "\"x\"").is_err());
    assert!(
        check("b", "16").is_ok()
            && check("b", "15.5").is_ok()
            && check("b", "16.5").is_err()
            && check("b", "15.3").is_err()
    );
}

#[test]
fn params_are_objects_even_without_a_schema() {
    let pack = parse(&format!("{HEAD}[events.e]\nqueue = \"default\"\n")).unwrap();
    let check = |json: &str| pack.check_params(&EventName::new("e"), &JsonText::parse(json).unwrap());
    assert!(check("{}").is_ok() && check(r#"{"x": 1e999}"#).is_ok());
    assert_eq!(check("[]"), Err("not an object at /".to_owned()));
    let unknown = pack.check_params(&EventName::new("nope"), &JsonText::parse("{}").unwrap());
    assert_eq!(unknown, Err("the pack has no event `nope`".to_owned()));
}

#[test]
fn json_that_cannot_be_judged_does_not_pass_a_schema() {
    let pack = parse(&format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = {{}}\n")).unwrap();
    let decl = &pack.state[&StateKey::new("k")];
    assert!(decl.check("1e999").is_err());
    assert!(decl.check(&format!("{}{}", "[".repeat(30_000), "]".repeat(30_000))).is_err());
    assert!(decl.check("null").is_ok());
}

#[test]
fn a_misspelt_event_finds_its_nearest() {
    let pack = Pack::sample();
    assert_eq!(pack.nearest_event("give_itm"), Some(&EventName::new("give_item")));
    assert_eq!(pack.nearest_event("zzzzzz"), None);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of faults")]
fn each_fault_is_told_with_its_place() {
    let q = "[queues.default]\n";
    let cases: &[(String, &[&str])] = &[
        (
            String::new(),
            &[
                "1:1: `pack` is missing (start with [pack] and its id, name and version)",
                "1:1: the pack is empty (start with [queues.default] and an event for it)",
            ],
        ),
        (
            "pack = 1\n[queues.a]".to_owned(),
            &["1:1: `pack` must be a table, not integer (write it as [pack])"],
        ),
        (
            format!("[pack]\n{q}"),
            &[
                "1:2: `pack.id` is missing (such as id = \"com.example.mypack\")",
                "1:2: `pack.name` is missing (such as name = \"My pack\")",
                "1:2: `pack.version` is missing (such as version = \"1.0.0\")",
            ],
        ),
        (
            format!("[pack]\nid = \"a.b\"\nname = \"é\" # é\nversion = 1.0\n{q}"),
            &["4:11: `pack.version` must be a string, not float (quote it)"],
        ),
        (
            format!("[pack]\nid = \"mypack\"\nname = \" \"\nversion = \"1\"\n{q}"),
            &[
                "2:6: `pack.id` is \"mypack\" (reverse DNS: letters, digits, - and _ joined by dots, as in com.example.mypack)",
                "3:8: `pack.name` is empty",
            ],
        ),
        (
            format!("{HEAD}[queues.a]\nready_afer = \"done\"\n"),
            &["5:1: unknown key `queues.a.ready_afer` (did you mean `ready_after`?)"],
        ),
        (
            format!("{HEAD}[queues.a]\nready_after = \"dune\"\n"),
            &["5:15: `queues.a.ready_after` is \"dune\" (did you mean `done`?)"],
        ),
        (
            format!("{HEAD}[queues.a]\nready_after = \"later\"\n"),
            &["5:15: `queues.a.ready_after` is \"later\" (use one of `applied`, `done`)"],
        ),
        (
            format!("{HEAD}[queues.a]\nready_after = true\n"),
            &["5:15: `queues.a.ready_after` must be a string, not boolean (quote it)"],
        ),
        (format!("{HEAD}[queues.{}]\n", "q".repeat(65)), &["4:9: queue name of 65 bytes (use at most 64)"]),
        (format!("{HEAD}[queues.\"\"]\n"), &["4:9: an empty name in `queues`"]),
        (format!("{HEAD}[queue.a]\n"), &["4:2: unknown key `queue` (did you mean `queues`?)"]),
        (
            format!("{HEAD}[events]\na = 3\n"),
            &["5:1: `events.a` must be a table, not integer (write it as [events.a])"],
        ),
        (
            format!("{HEAD}[events.a]\n"),
            &["4:9: `events.a.queue` is missing (choose one of the pack's queues)"],
        ),
        (
            format!("{HEAD}[events.a]\nqueue = \"defualt\"\n"),
            &["5:9: unknown queue `defualt` (did you mean `default`?)"],
        ),
        (
            format!("{HEAD}[events.a]\nqueue = \"boss\"\n"),
            &["5:9: unknown queue `boss` (declare it as [queues.boss])"],
        ),
        (
            format!("{HEAD}[events.a]\nqueue = \"default\"\ntitel = \"x\"\n"),
            &["6:1: unknown key `events.a.titel` (did you mean `title`?)"],
        ),
        (
            format!("{HEAD}[state.k]\npersist = \"yes\"\n"),
            &[
                "4:8: `state.k.writer` is missing (\"adapter\" or \"platform\")",
                "5:11: `state.k.persist` must be true or false, not string",
            ],
        ),
        (
            format!("{HEAD}[state.k]\nwriter = \"adaptor\"\n"),
            &["5:10: `state.k.writer` is \"adaptor\" (did you mean `adapter`?)"],
        ),
        (
            format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = 7\n"),
            &["6:10: `state.k.schema`: it must be an inline table or a path, not integer"],
        ),
        (
            format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = \"none.json\"\n"),
            &["6:10: `state.k.schema`: cannot read none.json: no such file"],
        ),
        (
            format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = \"../x.json\"\n"),
            &["6:10: `state.k.schema`: a path must be relative and stay in the manifest's folder"],
        ),
        (
            format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = \"/etc/x.json\"\n"),
            &["6:10: `state.k.schema`: a path must be relative and stay in the manifest's folder"],
        ),
        (
            format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = \"broken.json\"\n"),
            &["6:10: `state.k.schema`: broken.json is not JSON: expected `:` at line 2 column 10"],
        ),
        (
            format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = {{ const = 1979-05-27 }}\n"),
            &["6:10: `state.k.schema`: dates are not valid in a JSON Schema; quote it"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(faults(text), *expected, "{text}");
    }
}

#[test]
fn a_schema_that_is_none_is_a_fault_where_it_is_named() {
    for schema in [
        "{ type = 7 }",
        "{ type = \"strin\" }",
        "\"bad.json\"",
        "{ pattern = \"(\" }",
        "{ \"$ref\" = \"https://example.com/x.json\" }",
        "{ maximum = inf }",
    ] {
        let found = faults(&format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = {schema}\n"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("6:10: `state.k.schema`: "), "{found:?}");
    }
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_their_places() {
    let text = "[pack]\nid = \"x\"\nname = \"n\"\nversion = \"1\"\n[state.k]\nwriter = \"me\"\n[events.a]\nqueue = \"q\"\n[events.b]\ncolour = 1\n";
    let places: Vec<_> =
        faults(text).iter().map(|fault| fault.split(": ").next().unwrap().to_owned()).collect();
    assert_eq!(places, ["2:6", "6:10", "8:9", "9:9", "10:1"]);
}

#[test]
fn a_file_that_is_no_toml_tells_every_broken_line_and_invents_nothing() {
    let text = "[pack]\nid = \"a.b\nname = \"n\"\nversion = = 1\n[queues.default]\nready_after = \"nope\"\n[events.a]\nqueue = \"default\"\n";
    let found = faults(text);
    assert!(found.iter().any(|fault| fault.starts_with("2:")), "{found:?}");
    assert!(found.iter().any(|fault| fault.starts_with("4:")), "{found:?}");
    assert!(found.iter().any(|fault| fault.starts_with("6:15: `queues.default.ready_after`")), "{found:?}");
    assert!(!found.iter().any(|fault| fault.contains("is missing")), "{found:?}");
}

#[test]
fn a_key_twice_is_a_fault() {
    let found = faults(&format!("{HEAD}[state.k]\nwriter = \"adapter\"\nwriter = \"platform\"\n"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("6:1: "), "{found:?}");
}

#[test]
fn bytes_that_are_no_utf8_are_a_fault_at_their_place() {
    let errors = Pack::parse(b"[pack]\n# \xc3\xa9 \xff\n", &mut |_| Err(String::new())).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].to_string(), "2:5: the text is not UTF-8 (save the file as UTF-8)");
}

#[test]
fn each_schema_file_is_asked_for_once() {
    let mut asked = 0;
    let text = format!(
        "{HEAD}[state]\na = {{ writer = \"adapter\", schema = \"s.json\" }}\nb = {{ writer = \"adapter\", schema = \"s.json\" }}\n"
    );
    Pack::parse(text.as_bytes(), &mut |_| {
        asked += 1;
        Ok(b"{}".to_vec())
    })
    .unwrap();
    assert_eq!(asked, 1);
}

#[test]
fn nesting_and_references_without_end_do_not_overflow() {
    for text in [
        format!("a = {}", "[".repeat(500_000)),
        format!("{} = 1", "a.".repeat(400_000)),
        format!("a = {}", "{a=".repeat(300_000)),
        format!("[{}a]", "a.".repeat(400_000)),
    ] {
        assert!(!faults(&text).is_empty());
    }
}

#[test]
fn a_schema_that_refers_to_itself_judges_and_ends() {
    let selves = [
        "{ \"$ref\" = \"#\" }",
        "{ not = { \"$ref\" = \"#\" } }",
        "{ \"$dynamicRef\" = \"#\" }",
        "{ items = { \"$ref\" = \"#\" } }",
    ];
    for schema in selves {
        let pack = parse(&format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = {schema}\n")).unwrap();
        let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
        let verdicts = ["3", &deep].map(|value| pack.state[&StateKey::new("k")].check(value).is_ok());
        assert_eq!(verdicts, [!schema.contains("not"); 2], "{schema}");
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_manifest_is_read_with_the_schemas_beside_it() {
    let folder = folder();
    write(
        folder.path(),
        "pack.toml",
        &format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = \"schemas/k.json\"\n"),
    );
    write(folder.path(), "schemas/k.json", "{\"type\": \"string\"}");
    let pack = manifest::load(&folder.path().join("pack.toml")).unwrap();
    assert!(pack.state[&StateKey::new("k")].check("1").is_err());
}

#[test]
fn what_cannot_be_read_is_one_fault_that_says_so() {
    let folder = folder();
    let missing = folder.path().join("pack.toml");
    let errors = manifest::check(&missing).unwrap_err();
    assert!(errors[0].at(&missing).contains("pack.toml:1:1: cannot read "), "{errors:?}");
    assert!(manifest::check(folder.path()).unwrap_err()[0].message.ends_with("is not a file"));
    write(folder.path(), "large.toml", &"#".repeat(1_048_577));
    assert!(
        manifest::check(&folder.path().join("large.toml")).unwrap_err()[0]
            .message
            .contains("more than 1048576 bytes")
    );
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_followed() {
    let folder = folder();
    write(folder.path(), "outside.json", "{}");
    write(
        folder.path(),
        "pack/pack.toml",
        &format!("{HEAD}[state.k]\nwriter = \"adapter\"\nschema = \"link.json\"\n"),
    );
    std::os::unix::fs::symlink("../outside.json", folder.path().join("pack/link.json")).unwrap();
    let errors = manifest::load(&folder.path().join("pack/pack.toml")).unwrap_err();
    assert!(errors[0].message.contains("is outside of the manifest's folder"), "{errors:?}");
}

proptest! {
    #[test]
    fn mutated_manifests_never_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut text = Pack::SAMPLE_TOML.to_vec();
        for (at, byte) in flips {
            let at = at.index(text.len());
            text[at] = byte;
        }
        if is_cut {
            text.truncate(cut.index(text.len()));
        }
        if let Err(errors) = Pack::parse(&text, &mut |_| Err("none".to_owned())) {
            prop_assert!(!errors.is_empty());
            let lines = text.split(|byte| *byte == b'\n').count();
            prop_assert!(
                errors.iter().all(|error| error.line >= 1 && error.line <= lines && error.column >= 1)
            );
            prop_assert!(errors.is_sorted_by_key(|error| (error.line, error.column)));
        }
    }

    #[test]
    fn random_text_never_panics(text in ".{0,200}") {
        prop_assert!(parse(&text).is_err());
    }
}
