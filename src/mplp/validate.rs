//! Judges bytes: first the pass that knows what is certainly clean, then the parser and the judge.

use serde_json::Value;

use super::{
    bundle::{is_bundle, judge_bundle},
    catalog::SchemaId,
    detect::detect,
    finding::Findings,
    judge::judge,
    rule::{Profile, RecordContext},
    scan::{is_clean, is_clean_of_some_schema},
};

/// What one object may be to be judged, and how much is said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputLimits {
    /// Bytes of its JSON, at most.
    pub bytes_max: usize,
    /// Levels of arrays and objects, at most. The parser takes 127 at most.
    pub depth_max: usize,
    /// Findings, at most.
    pub findings_max: usize,
}

/// What was found in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What it was judged by.
    pub schema: SchemaId,
    /// What is wrong with it.
    pub findings: Findings,
}

/// What was found in a bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedBundle {
    /// The bundle.
    pub bundle: Value,
    /// What is wrong with it.
    pub findings: Findings,
}

/// Levels of a bundle around those of an object in it: its own, and a list.
const BUNDLE_LEVELS: usize = 2;

/// Why bytes were not judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotJudged {
    /// They are not one JSON value.
    #[error("not valid JSON: {0}")]
    NotJson(String),
    /// No schema was named, and what decides (ruling MPLP 11) is not there.
    #[error("not an object of any schema; name one to judge it by")]
    NotKnown,
    /// They are more than the limit.
    #[error("an object of more than {bytes_max} bytes")]
    TooLong {
        /// The limit.
        bytes_max: usize,
    },
    /// They are nested deeper than the limit.
    #[error("an object of more than {depth_max} levels")]
    TooDeep {
        /// The limit.
        depth_max: usize,
    },
}

/// Judges the bytes of one object by the schema that is named, or by the one that it is of. Nothing is made
/// of what is certainly clean.
///
/// # Errors
/// What is no JSON, of no schema, or over a limit.
pub fn validate(
    bytes: &[u8],
    schema: Option<SchemaId>,
    record: RecordContext<'_>,
    limits: InputLimits,
) -> Result<Judged, NotJudged> {
    let InputLimits { bytes_max, depth_max, findings_max } = limits;
    if bytes.len() > bytes_max {
        return Err(NotJudged::TooLong { bytes_max });
    }
    // What is compared with other objects is left to the judge.
    if record.bundle.is_none() {
        let clean = match schema {
            Some(id) => is_clean(id, bytes, record.profile, depth_max).then_some(id),
            None => is_clean_of_some_schema(bytes, record.profile, depth_max),
        };
        if let Some(schema) = clean {
            return Ok(Judged { schema, findings: Findings::default() });
        }
    }
    let value = read(bytes, limits)?;
    let schema = schema.or_else(|| detect(&value)).ok_or(NotJudged::NotKnown)?;
    Ok(Judged { schema, findings: judge(schema, &value, record, findings_max) })
}

/// Judges the bytes of a bundle by `profile`, else by the one that it claims. An object in it may have as
/// many levels as `limits` says.
///
/// # Errors
/// What is no JSON, no bundle, or over a limit.
pub fn validate_bundle(
    bytes: &[u8],
    profile: Option<Profile>,
    limits: InputLimits,
) -> Result<JudgedBundle, NotJudged> {
    let depth_max = limits.depth_max.saturating_add(BUNDLE_LEVELS);
    let value = read(bytes, InputLimits { depth_max, ..limits })?;
    if !is_bundle(&value) {
        return Err(NotJudged::NotKnown);
    }
    Ok(JudgedBundle { findings: judge_bundle(&value, profile, limits.findings_max), bundle: value })
}

/// Reads one JSON value.
///
/// # Errors
/// What is no JSON, or over a limit.
pub fn read(bytes: &[u8], limits: InputLimits) -> Result<Value, NotJudged> {
    let InputLimits { bytes_max, depth_max, .. } = limits;
    if bytes.len() > bytes_max {
        return Err(NotJudged::TooLong { bytes_max });
    }
    if is_deeper(bytes, depth_max) {
        return Err(NotJudged::TooDeep { depth_max });
    }
    serde_json::from_slice(bytes).map_err(|error| NotJudged::NotJson(error.to_string()))
}

/// Whether brackets outside of texts are nested deeper.
fn is_deeper(bytes: &[u8], depth_max: usize) -> bool {
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    bytes.iter().any(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => depth += 1,
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > depth_max
    })
}

/// Whether anything is made of the schemas and rules in this process: all of it is made at its first use.
#[cfg(test)]
pub(crate) fn is_used() -> bool {
    super::judge::is_used() || super::scan::is_used()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: InputLimits = InputLimits { bytes_max: 1_000, depth_max: 64, findings_max: 9 };
    const ID: &str = "5a0e8400-e29b-41d4-a716-446655440000";

    fn judged(text: &str, schema: Option<SchemaId>) -> Result<Judged, NotJudged> {
        validate(text.as_bytes(), schema, RecordContext::default(), LIMITS)
    }

    #[test]
    fn an_object_is_judged_by_what_is_named_or_by_what_it_is() {
        let text = format!(r#"{{"trace_id":"{ID}","span_id":"{ID}"}}"#);
        let clean = Judged { schema: SchemaId::TraceBase, findings: Findings::default() };
        assert_eq!(judged(&text, None), Ok(clean));
        let by_role = judged(&text, Some(SchemaId::Role)).unwrap();
        assert_eq!((by_role.schema, by_role.findings.list.len()), (SchemaId::Role, 5));
        assert_eq!(judged(&text.replace("5a", "5A"), None).unwrap().findings.list.len(), 2);
        assert_eq!(judged(&text.replace("_id", "_no"), None), Err(NotJudged::NotKnown));
    }

    #[test]
    fn nothing_is_allocated_for_what_is_clean() {
        let meta = r#"{"protocol_version":"1.0.0","schema_version":"2.0.0","tags":["a","b"]}"#;
        let role = format!(r#"{{"meta":{meta},"role_id":"{ID}","name":"a","capabilities":["x"]}}"#);
        assert_eq!(judged(&role, None).unwrap().schema, SchemaId::Role);
        let info = allocation_counter::measure(|| assert!(judged(&role, None).unwrap().findings.is_clean()));
        assert_eq!(info.count_total, 0);
    }

    #[test]
    fn a_bundle_may_be_deeper_than_its_objects_by_its_own_levels() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        let bundle = |levels| format!(r#"{{"context":{{}},"roles":[{{"x":{}}}]}}"#, deep(levels));
        let judged = |levels| validate_bundle(bundle(levels).as_bytes(), None, LIMITS);
        assert!(!judged(63).unwrap().findings.is_clean());
        assert_eq!(judged(64).unwrap_err(), NotJudged::TooDeep { depth_max: 66 });
        assert_eq!(validate_bundle(b"{}", None, LIMITS).unwrap_err(), NotJudged::NotKnown);
    }

    #[test]
    fn what_cannot_be_judged_is_said() {
        assert_eq!(judged("{}", None), Err(NotJudged::NotKnown));
        assert_eq!(judged(&" ".repeat(1_001), None), Err(NotJudged::TooLong { bytes_max: 1_000 }));
        let nested = |levels: usize| "[".repeat(levels) + "\"[[[\\\"[\"" + &"]".repeat(levels);
        assert!(judged(&nested(64), Some(SchemaId::CommonTypes)).unwrap().findings.is_clean());
        assert_eq!(judged(&nested(65), None), Err(NotJudged::TooDeep { depth_max: 64 }));
        assert!(matches!(judged("{\"a\":}", None), Err(NotJudged::NotJson(it)) if it.contains("column 6")));
        assert!(matches!(judged("{} {}", None), Err(NotJudged::NotJson(_))));
        let bytes = validate(b"\"\xff\"", None, RecordContext::default(), LIMITS);
        assert!(matches!(bytes, Err(NotJudged::NotJson(_))));
    }
}
