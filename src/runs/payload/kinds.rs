//! Types of values on ports, and the schemas that belong to them (Runloop facts, Schema registry; ruling RMP
//! 12).

use crate::registry::{Registry, SchemaId, is_type};

/// Bytes of a type.
const KIND_BYTES_MAX: usize = 255;

/// The schema of a type. What was given beside the type counts only where the registry has no such id itself,
/// and no id for that type alone: such a one is registered locally. Nothing where the type is none, or of no
/// family and nothing else tells.
pub(super) fn schema_of(kind: &str, given: Option<u16>) -> Option<u16> {
    if kind.len() > KIND_BYTES_MAX || !is_type(kind) {
        return None;
    }
    let own = Registry::default().id_of(kind);
    let is_fixed = own.is_some_and(|id| !id.is_generic());
    let given = given.map(SchemaId).filter(|id| !is_fixed && !id.is_taken());
    given.or(own).map(|id| id.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_decides_and_an_id_of_ones_own_stays() {
        for (kind, given, schema) in [
            ("artifact.draft.email.v1", Some(209), Some(221)),
            ("artifact.draft.email.v1", Some(5_000), Some(221)),
            ("artifact.note.v1", Some(221), Some(5)),
            ("artifact.note.v1", Some(1), Some(5)),
            ("artifact.note.v1", Some(5_000), Some(5_000)),
            ("artifact.note.v1", None, Some(5)),
            ("mine.note.v1", Some(300), Some(300)),
            ("mine.note.v1", Some(221), None),
            ("mine.note.v1", None, None),
            ("critique.review.v1", Some(7_777), Some(231)),
            ("observation.a.b.c.v12", None, Some(1)),
            ("intent.tool_call.v1", Some(2), Some(3)),
            ("observation.run.event.v1", None, Some(8)),
            ("artifact.generic.v1", Some(5_000), Some(5_000)),
            ("artifact.note of the day/ñ.v1", None, Some(5)),
            ("mine.note.v1", Some(0), None),
        ] {
            assert_eq!(schema_of(kind, given), schema, "{kind} {given:?}");
        }
    }

    #[test]
    fn every_type_that_the_bus_takes_under_an_id_of_its_own_has_that_id_on_a_port() {
        for schema in Registry::default().schemas() {
            assert_eq!(schema_of(schema.canonical, None), Some(schema.id.0), "{}", schema.canonical);
        }
    }

    #[test]
    fn a_type_is_a_family_a_kind_and_a_version() {
        for kind in
            ["nonsense", "", "artifact.v1", "artifact.note", "artifact..v1", "artifact.note.v", ".a.v1"]
        {
            assert_eq!(schema_of(kind, Some(5_000)), None, "{kind}");
        }
        assert_eq!(schema_of(&format!("artifact.{}.v1", "x".repeat(300)), None), None);
    }
}
