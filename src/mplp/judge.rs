//! Judges one object: by its schema, then by the rules of its scope (`mplp-l1 §5`).

use std::{borrow::Cow, sync::OnceLock};

use serde_json::Value;

use crate::schema::{Documents, Schema, SchemaError};

use super::{
    catalog::SchemaId,
    finding::{Collector, Finding, Findings, Path, Stage, received},
    formats::FORMATS,
    rule::{Check, RecordContext, Scope},
    rules::RULES,
};

/// The family of events that carry those of `integration/`.
pub(super) const EXTERNAL_INTEGRATION: &str = "external_integration";

/// The keyword of the finding that a schema of ours is no schema.
const BROKEN_SCHEMA: &str = "$schema";

/// What is made of a schema at its first use, of each.
type OfEach<T> = [OnceLock<Result<T, SchemaError>>; SchemaId::ALL.len()];

static SCHEMAS: OfEach<Schema> = [const { OnceLock::new() }; SchemaId::ALL.len()];
static DOCUMENTS: OnceLock<Result<Documents, SchemaError>> = OnceLock::new();
static VALUES: OfEach<Value> = [const { OnceLock::new() }; SchemaId::ALL.len()];

/// Judges an object: at most `findings_max` findings, the first by their order. Outside of a record, by
/// [`RecordContext::default`], the rules of observability, integration and learning alone are applied.
#[must_use]
pub fn judge(schema: SchemaId, value: &Value, record: RecordContext<'_>, findings_max: usize) -> Findings {
    let mut collector = Collector::new(findings_max);
    judge_at(schema, value, &Path::of(schema.start()), 0, record, &mut collector);
    collector.into_findings()
}

/// Whether an object has no finding.
#[must_use]
pub fn is_clean(schema: SchemaId, value: &Value, record: RecordContext<'_>) -> bool {
    judge(schema, value, record, 0).is_clean()
}

/// Whether no rule that compares an object with others of its record is broken: what the pass over its bytes
/// does not see.
pub(super) fn agrees(schema: SchemaId, value: &Value, record: RecordContext<'_>) -> bool {
    let of_scope = RULES.iter().filter(|rule| Some(rule.scope) == Scope::of(schema));
    let mut is_broken = false;
    for rule in of_scope.filter(|rule| matches!(rule.check, Check::Eq(..))) {
        rule.apply(value, &Path::of(schema.start()), record, &mut |_, _| is_broken = true);
    }
    !is_broken
}

/// The compiled schema, made at its first use.
///
/// # Errors
/// The fault of an embedded schema: ours.
pub fn compiled(id: SchemaId) -> Result<&'static Schema, &'static SchemaError> {
    let schema = SCHEMAS[id.place()].get_or_init(|| {
        let documents = documents().as_ref().map_err(Clone::clone)?;
        documents.compile(document(id)?.clone())
    });
    schema.as_ref()
}

fn documents() -> &'static Result<Documents, SchemaError> {
    DOCUMENTS.get_or_init(|| {
        let all = SchemaId::ALL.into_iter().map(|id| document(id).cloned()).collect::<Result<Vec<_>, _>>()?;
        Documents::new(all, FORMATS)
    })
}

/// The schema as JSON, read at its first use.
///
/// # Errors
/// The fault of an embedded schema: ours.
pub(super) fn document(id: SchemaId) -> Result<&'static Value, SchemaError> {
    let value = VALUES[id.place()].get_or_init(|| {
        serde_json::from_str(id.text()).map_err(|error| SchemaError(format!("{}: {error}", id.path())))
    });
    value.as_ref().map_err(Clone::clone)
}

/// Whether anything is made of the schemas.
#[cfg(test)]
pub(super) fn is_used() -> bool {
    fn has<T>(all: &OfEach<T>) -> bool {
        all.iter().any(|it| it.get().is_some())
    }
    has(&SCHEMAS) || DOCUMENTS.get().is_some() || has(&VALUES)
}

/// Judges an object at a path; `place` is its own among the objects that are judged together.
pub(super) fn judge_at(
    id: SchemaId,
    value: &Value,
    at: &Path,
    place: usize,
    record: RecordContext<'_>,
    found: &mut Collector,
) {
    let finding = |path, rule, requires, value: Option<&Value>| {
        let schema = Cow::Borrowed(id.name());
        Finding { path, rule, requires, received: value.map(received), schema }
    };
    match compiled(id) {
        Ok(schema) if schema.is_valid(value) => {}
        Ok(schema) => schema.each_fault(value, |fault| {
            let path = at.then(fault.path);
            let rule = Cow::Owned(fault.keyword.into());
            found.add(place, Stage::Schema, finding(path, rule, fault.requires, fault.received));
        }),
        Err(error) => {
            let requires = format!("a schema that can be compiled: {error}");
            found.add(
                place,
                Stage::Schema,
                finding(at.clone(), Cow::Borrowed(BROKEN_SCHEMA), requires, None),
            );
        }
    }
    if let Some((own, payload)) = integration_event(id, value) {
        judge_at(own, payload, &at.member("payload"), place, record, found);
    }
    let Some(scope) = Scope::of(id) else { return };
    for rule in RULES.iter().filter(|rule| rule.scope == scope) {
        rule.apply(value, at, record, &mut |path, value| {
            let id = Cow::Borrowed(rule.id);
            found.add(place, Stage::Rules, finding(path, id, rule.check.requires(), value));
        });
    }
}

/// The event of `integration/` that is the payload of an event (the Facts), with its schema.
fn integration_event(id: SchemaId, event: &Value) -> Option<(SchemaId, &Value)> {
    let text = |name: &str| event.get(name).and_then(Value::as_str);
    if id != SchemaId::Event || text("event_family") != Some(EXTERNAL_INTEGRATION) {
        return None;
    }
    let own = match text("event_type")? {
        "tool_execution" => SchemaId::ToolEvent,
        "file_update" => SchemaId::FileUpdateEvent,
        "git_operation" => SchemaId::GitEvent,
        "ci_pipeline" => SchemaId::CiEvent,
        _ => return None,
    };
    event.get("payload").filter(|payload| payload.is_object()).map(|payload| (own, payload))
}

#[cfg(test)]
mod tests;
