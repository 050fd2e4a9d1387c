//! Where what is asked of a value comes from: a place of a schema, or a rule on its way to what it looks at.

use serde_json::Value;

use crate::mplp::{SchemaId, judge::document, rule::Rule};

/// How many references lead from one place to the next, at most.
const REFERENCES_MAX: usize = 16;

/// One thing that asks something of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A place of a schema; references within are to its document.
    Schema(SchemaId, &'static Value),
    /// A rule, and the way that is left to what it looks at.
    Rule(&'static Rule, &'static str),
    /// A text that must not be at the end of this way: a rule has it as its condition.
    Not(&'static str, &'static str),
}

/// What tells one source from another: the address of a place, or an id or a text and the way that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum SourceKey {
    Schema(usize),
    Rule(&'static str, &'static str),
    Not(&'static str, &'static str),
}

/// The next step of a rule's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It is at its end.
    End,
    /// To every item.
    Items(&'static str),
    /// To a member.
    Member(&'static str, &'static str),
}

impl Way {
    /// The first step of a way, and what is left of it.
    pub(super) fn of(path: &'static str) -> Self {
        if let Some(rest) = path.strip_prefix("[*]") {
            return Self::Items(rest);
        }
        let path = path.strip_prefix('.').unwrap_or(path);
        let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
        if name.is_empty() { Self::End } else { Self::Member(name, rest) }
    }
}

impl Source {
    pub(super) fn key(&self) -> SourceKey {
        match *self {
            Self::Schema(_, at) => SourceKey::Schema(std::ptr::from_ref(at).addr()),
            Self::Rule(rule, rest) => SourceKey::Rule(rule.id, rest),
            Self::Not(text, rest) => SourceKey::Not(text, rest),
        }
    }

    /// Whether a rule is broken where the next member of its way is missing.
    pub(super) fn needs_all(&self) -> bool {
        match self {
            Self::Rule(rule, rest) => !rule.condition.is_present && !rest.contains("[*]"),
            _ => false,
        }
    }
}

/// A place of a schema with all that it refers to and extends; nothing where one is not there.
pub(super) fn places(id: SchemaId, at: &'static Value) -> Option<Vec<(SchemaId, &'static Value)>> {
    let (mut found, mut left) = (Vec::new(), vec![(id, at, REFERENCES_MAX)]);
    while let Some((id, at, more)) = left.pop() {
        // Draft-07 ignores what is beside a reference.
        if let Some(reference) = at.get("$ref") {
            let (id, at) = resolve(id, reference.as_str()?)?;
            left.push((id, at, more.checked_sub(1)?));
            continue;
        }
        found.push((id, at));
        for part in at.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            left.push((id, part, more.checked_sub(1)?));
        }
    }
    Some(found)
}

fn resolve(id: SchemaId, reference: &str) -> Option<(SchemaId, &'static Value)> {
    let (document_id, pointer) = reference.split_once('#').unwrap_or((reference, ""));
    let id = if document_id.is_empty() { id } else { by_document_id(document_id)? };
    Some((id, document(id).ok()?.pointer(pointer)?))
}

/// The schema of a `$id`. They end as the paths do.
fn by_document_id(document_id: &str) -> Option<SchemaId> {
    let is_it = |it: &SchemaId| {
        document(*it).is_ok_and(|it| it.get("$id").and_then(Value::as_str) == Some(document_id))
    };
    SchemaId::ALL.into_iter().filter(|it| document_id.ends_with(it.path())).find(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_taken_step_by_step() {
        assert_eq!(Way::of("steps[*].step_id"), Way::Member("steps", "[*].step_id"));
        assert_eq!(Way::of("[*].step_id"), Way::Items(".step_id"));
        assert_eq!(Way::of(".step_id"), Way::Member("step_id", ""));
        assert_eq!(Way::of(""), Way::End);
    }

    #[test]
    fn every_reference_of_the_schemas_is_found() {
        fn references(id: SchemaId, value: &'static Value, count: &mut usize) {
            if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
                assert!(resolve(id, reference).is_some(), "{id}: {reference}");
                *count += 1;
            }
            let parts = value.as_object().into_iter().flat_map(|it| it.values());
            parts.chain(value.as_array().into_iter().flatten()).for_each(|it| references(id, it, count));
        }
        let mut count = 0;
        for id in SchemaId::ALL {
            references(id, document(id).unwrap(), &mut count);
        }
        assert!(count > 80, "{count}");
    }
}
