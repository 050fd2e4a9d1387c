//! Types of values on ports, and the schemas that belong to them (Runloop facts, Schema registry; ruling RMP 12).

/// Bytes of a type.
const KIND_BYTES_MAX: usize = 255;

/// The schema of a type. What was given beside the type counts only where it is outside the registry's own ids: such a one is registered
/// locally. Nothing where the type is none, or of no family and nothing else tells.
pub(super) fn schema_of(kind: &str, given: Option<u16>) -> Option<u16> {
    if !is_type(kind) {
        return None;
    }
    let own = || fixed(kind).or_else(|| family(kind));
    match given.filter(|id| !is_registered(*id)) {
        Some(id) if fixed(kind).is_none() => Some(id),
        _ => own(),
    }
}

/// `family.kind.vN`; the kind may hold dots.
fn is_type(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let labels: Vec<&str> = text.split('.').collect();
    let [family, kind @ .., version] = &labels[..] else { return false };
    let is_version = version.strip_prefix('v').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    text.len() <= KIND_BYTES_MAX && is_word(family) && !kind.is_empty() && kind.iter().all(|word| is_word(word)) && is_version
}

/// Whether an id is one of the registry's table or of the station's own.
fn is_registered(id: u16) -> bool {
    matches!(id, 0..=10 | 100..=111 | 0x80..=0x83 | 200..=201 | 210..=211 | 220..=221 | 230..=231 | 240..=241)
        || matches!(id, 2001..=2002 | 3001..=3007 | 4000..=4001)
}

/// The schema that fixes a whole type.
fn fixed(kind: &str) -> Option<u16> {
    Some(match kind {
        "intent.tool_call.v1" => 3,
        "intent.contacts.resolve.v1" => 200,
        "toolresult.contacts.resolved.v1" => 201,
        "intent.context.gather.v1" => 210,
        "observation.context.bundle.v1" => 211,
        "intent.draft.write.v1" => 220,
        "artifact.draft.email.v1" => 221,
        "intent.review.draft.v1" => 230,
        "critique.review.v1" => 231,
        "intent.send.mail.v1" => 240,
        "toolresult.mail.result.v1" => 241,
        _ => return None,
    })
}

/// The generic schema of a type's family.
fn family(kind: &str) -> Option<u16> {
    Some(match kind.split('.').next()? {
        "observation" => 1,
        "intent" => 2,
        "toolresult" => 4,
        "artifact" => 5,
        "critique" => 6,
        "statedelta" => 7,
        "error" => 10,
        _ => return None,
    })
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
        ] {
            assert_eq!(schema_of(kind, given), schema, "{kind} {given:?}");
        }
    }

    #[test]
    fn a_type_is_a_family_a_kind_and_a_version() {
        for kind in ["nonsense", "", "artifact.v1", "artifact.note", "artifact..v1", "artifact.note.v", "artifact.no te.v1", ".a.v1"] {
            assert_eq!(schema_of(kind, Some(5_000)), None, "{kind}");
        }
        assert_eq!(schema_of(&format!("artifact.{}.v1", "x".repeat(300)), None), None);
    }
}
