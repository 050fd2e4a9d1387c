//! Each schema judges what is made of it as its text says.

use std::collections::{BTreeMap, BTreeSet};

use rl_console::mplp::{Path, RecordContext, SchemaId, judge, rule_named};

use super::generate::{Case, cases};

/// The constraints of its schema that an object breaks, by the judge.
fn broken(case: &Case) -> BTreeSet<(Path, String)> {
    let findings = judge(case.schema, &case.object, RecordContext::default(), usize::MAX).list;
    let of_schema = findings.into_iter().filter(|it| rule_named(&it.rule).is_none());
    of_schema.map(|it| (it.path, it.rule.into_owned())).collect()
}

#[test]
fn every_constraint_is_broken_alone_at_its_path() {
    let mut by_keyword: BTreeMap<String, usize> = BTreeMap::new();
    for id in SchemaId::ALL {
        let cases = cases(id);
        assert!(cases.len() >= 2, "{id}");
        for case in cases {
            assert_eq!(broken(&case), case.expected, "{id}: {}: {}", case.about, case.object);
            case.expected.iter().for_each(|it| *by_keyword.entry(it.1.clone()).or_default() += 1);
        }
    }
    let keywords: Vec<&str> = by_keyword.keys().map(String::as_str).collect();
    assert_eq!(
        keywords,
        [
            "additionalProperties",
            "anyOf",
            "const",
            "enum",
            "format",
            "maximum",
            "minItems",
            "minLength",
            "minimum",
            "pattern",
            "required",
            "type",
            "uniqueItems"
        ]
    );
}

#[test]
fn minimal_and_full_objects_break_no_rule_either() {
    for case in SchemaId::ALL.into_iter().flat_map(cases).filter(|it| !it.about.contains(" at ")) {
        let found = judge(case.schema, &case.object, RecordContext::default(), 9);
        assert!(found.is_clean(), "{}: {}: {found:?}", case.schema, case.about);
    }
}
