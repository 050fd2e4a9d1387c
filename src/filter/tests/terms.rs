//! A filter from a cell.

use super::sample::{NOW_MS, Sample, filter, finds, now, sample, spec, specs};
use crate::{
    field::{Record, Value},
    filter::{Filter, GRAMMAR},
    time::Wall,
};

#[test]
fn a_term_finds_the_record_that_it_was_made_from() {
    let odd = Sample {
        name: Some("a \"quoted\" \\ line\nnone".to_owned()),
        state: Some("none"),
        at: Some(NOW_MS - 77),
        ..Sample::default()
    };
    for record in [sample(), odd, Sample { name: Some("none".to_owned()), ..Sample::default() }] {
        for (field, spec) in specs().iter().enumerate() {
            let term = Filter::term(spec, &record.value(field, now()));
            assert!(filter(&term).admits(&record, now()), "{term}");
        }
    }
    assert!(!filter(&Filter::term(spec("at"), &Value::Time(Wall(NOW_MS)))).admits(&sample(), now()));
}

#[test]
fn a_term_is_written_as_a_person_would() {
    let term = |name: &str, value: Value<'_>| Filter::term(spec(name), &value);
    assert_eq!(term("name", Value::text("boss")), "name=boss");
    assert_eq!(term("name", Value::text("two words")), "name=\"two words\"");
    assert_eq!(term("name", Value::text("")), "name=\"\"");
    assert_eq!(term("state", Value::text("pending")), "state:pending");
    assert_eq!(term("state", Value::text("none")), "state:\"none\"");
    assert_eq!(term("id", Value::Serial(17)), "id=17");
    assert_eq!(term("age", Value::Duration(1_500)), "age=1500ms");
    assert_eq!(term("count", Value::None), "count:none");
    assert_eq!(term("at", Value::Time(Wall(NOW_MS))), "at=2026-11-21T18:05:06.500Z");
}

#[test]
fn a_long_text_is_found_by_its_beginning() {
    let record = Sample { name: Some("ü\"".repeat(600)), ..Sample::default() };
    let term = Filter::term(spec("name"), &record.value(0, now()));
    assert!(term.starts_with("name:\"ü") && filter(&term).admits(&record, now()), "{term}");
}

#[test]
fn a_term_joins_what_is_there() {
    assert_eq!(Filter::and("", "id=1"), "id=1");
    assert_eq!(Filter::and(" boss ", "id=1"), "boss id=1");
    assert_eq!(Filter::and("boss or x", "id=1"), "(boss or x) id=1");
    assert_eq!(Filter::and("(boss or x)", "id=1"), "(boss or x) id=1");
    assert_eq!(Filter::and("boss id=1", "id=1"), "boss id=1");
    assert_eq!(Filter::and("boss or id=1", "id=1"), "(boss or id=1) id=1");
    assert_eq!(Filter::and("\"boss", "id=1"), "id=1");
}

#[test]
fn a_term_is_taken_off_where_it_is_among_those_that_must_all_fit() {
    for (text, rest) in [
        ("id=1", ""),
        (" boss id=1 ", "boss"),
        ("id=1 boss", "boss"),
        ("boss and id=1", "boss"),
        ("id=1 and boss", "boss"),
        ("a and id=1 and b", "a and b"),
        ("(boss or x) id=1", "(boss or x)"),
    ] {
        assert!(Filter::has_term(text, "id=1"), "{text}");
        assert_eq!(Filter::without(text, "id=1"), rest, "{text}");
    }
    for text in ["", "boss", "boss or id=1", "(boss id=1)", "not id=1", "id=12", "\"id=1"] {
        assert!(!Filter::has_term(text, "id=1"), "{text}");
        assert_eq!(Filter::without(text, "id=1"), text);
    }
}

#[test]
fn the_short_grammar_reads() {
    use crate::field::{Spec, fields};
    struct GrammarRow;
    fields! {
        GrammarRow {
            "queue", Text, Public, "" => |_, _| Value::None;
            "state", State(&["pending"]), Public, "" => |_, _| Value::None;
            "trace", Id, Public, "" => |_, _| Value::None;
            "age", Duration, Public, "" => |_, _| Value::None;
            "bytes", Bytes, Public, "" => |_, _| Value::None;
            "pending", Number, Public, "" => |_, _| Value::None;
            "id", Serial, Public, "" => |_, _| Value::None;
            "at", Time, Public, "" => |_, _| Value::None;
            "topic", Topic, Public, "" => |_, _| Value::None;
            "reason", Text, Public, "" => |_, _| Value::None;
            "user", Text, Public, "" => |_, _| Value::None;
        }
    }
    let specs: &'static [Spec] = GrammarRow.specs();
    for (text, _) in GRAMMAR {
        for part in text.split("  ") {
            assert!(Filter::parse(part, specs).is_ok(), "{part}");
        }
    }
    assert!(finds("boss"));
}

#[test]
fn the_manual_shows_every_form() {
    let page = include_str!("../../cli/help/filter.md");
    for form in GRAMMAR.iter().flat_map(|(forms, _)| forms.split("  ")) {
        assert!(page.contains(&format!("`{form}`")), "{form}");
    }
}
