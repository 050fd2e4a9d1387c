//! Which schema an object is of, by its bytes (ruling MPLP 11).

use std::sync::OnceLock;

use crate::mplp::{
    SchemaId,
    detect::{DECIDING, Decides},
};

use super::{json::Cursor, names::Names};

/// Made at the first use.
static NAMES: OnceLock<Option<Names>> = OnceLock::new();

/// The schema of the first member that decides. It is right if the text is JSON; nothing where none decides,
/// or a name has an escape.
pub(super) fn sniff(text: &str) -> Option<SchemaId> {
    let mut cursor = Cursor::new(text, 1);
    match cursor.peek()? {
        b'"' => Some(SchemaId::Identifiers),
        b'{' => sniff_members(&mut cursor),
        _ => None,
    }
}

fn sniff_members(cursor: &mut Cursor<'_>) -> Option<SchemaId> {
    let deciding = deciding()?;
    let (mut first, mut schema) = (DECIDING.len(), None);
    let mut is_more = cursor.open(b'}')?;
    while is_more {
        let name = cursor.name()?;
        let byte = cursor.peek()?;
        let place = deciding.find(name).filter(|place| *place < first);
        if let Some((place, (_, decides))) = place.and_then(|it| Some((it, DECIDING.get(it)?))) {
            let text = match decides {
                Decides::ByFamily | Decides::BySampleFamily if byte == b'"' => {
                    Some(cursor.clone().string().filter(|it| it.is_whole)?)
                }
                _ => None,
            };
            (first, schema) = (place, Some(decides.schema(text.map(|it| it.beginning))));
            if first == 0 {
                break;
            }
        }
        cursor.pass()?;
        is_more = cursor.more(b'}')?;
    }
    schema
}

fn deciding() -> Option<&'static Names> {
    NAMES.get_or_init(|| Names::new(DECIDING.iter().map(|(name, _)| *name))).as_ref()
}

/// Whether anything is made.
#[cfg(test)]
pub(super) fn is_used() -> bool {
    NAMES.get().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mplp::detect::detect;

    #[test]
    fn the_kind_of_bytes_is_that_of_the_value() {
        let texts = [
            "\"x\"",
            "{}",
            "[]",
            "1",
            r#"{"context_id":{"root":1},"plan_id":[{}]}"#,
            r#"{"steps":[],"event_family":"graph_update"}"#,
            r#"{"event_family":7,"sa_id":1}"#,
            r#" { "sample_family" : "delta_impact" , "context_id" : null } "#,
            r#"{"sample_id":"a\"","sample_family":"x"}"#,
            r#"{"a":"}","b":[[{"steps":1}]],"role_id":-1.5}"#,
        ];
        for text in texts {
            assert_eq!(sniff(text), detect(&serde_json::from_str(text).unwrap()), "{text}");
        }
        assert_eq!(sniff(r#"{"event_family":"graph\u005fupdate"}"#), None);
        assert_eq!(sniff(r#"{"\u0061":1,"steps":[]}"#), None);
    }
}
