//! What an edit changed of a frame, to be changed of others like it.

use bytes::Bytes;

use super::{
    codec::{Unit, UnitJson},
    edit::OF_DECODE,
    format::{Format, Setup, codec},
    json::Json,
};
use crate::{dissect::rmp::frame_json::Fill, time::Wall};

/// Changes that are kept at most.
const CHANGES_MAX: usize = 256;

/// Members whose values differ, by unit and path, with the new value; nothing where it is taken out.
#[derive(Clone, Debug)]
pub(crate) struct Changes(Vec<Change>);

#[derive(Clone, Debug)]
struct Change {
    unit: usize,
    path: Vec<String>,
    value: Option<Json>,
}

impl Changes {
    /// What differs between the units of two frames, each as JSON.
    ///
    /// # Errors
    /// Why the changes cannot be made of another frame.
    pub(crate) fn between(
        format: Format,
        setup: Setup<'_>,
        before: &[u8],
        after: &[u8],
    ) -> Result<Self, String> {
        let none = || "the frame cannot be read as JSON".to_owned();
        let (before, after) =
            (units(format, setup, before).ok_or_else(none)?, units(format, setup, after).ok_or_else(none)?);
        if before.len() != after.len() {
            return Err("it is another number of frames".to_owned());
        }
        let mut changes = Vec::new();
        for (unit, (before, after)) in before.iter().zip(&after).enumerate() {
            differences(before, after, &mut Vec::new(), &mut |path, value| {
                changes.push(Change { unit, path: path.to_vec(), value: value.cloned() });
            });
        }
        match changes.len() {
            0 => Err("its JSON is the same".to_owned()),
            1..=CHANGES_MAX => Ok(Self(changes)),
            _ => Err(format!("more than {CHANGES_MAX} values differ")),
        }
    }

    /// Another frame with these changes; nothing where it is not like the one that was edited.
    pub(crate) fn apply(&self, format: Format, setup: Setup<'_>, bytes: &[u8], now: Wall) -> Option<Vec<u8>> {
        let mut units = units(format, setup, bytes)?;
        for Change { unit, path, value } in &self.0 {
            set(units.get_mut(*unit)?, path, value.as_ref())?;
        }
        let codec = codec(format, setup);
        let mut wire = Vec::with_capacity(bytes.len());
        for unit in &units {
            wire.extend(codec.encode(&unit.to_text(), &Fill::at(now, 0)).ok()?.wire);
        }
        Some(wire)
    }
}

/// The units of some bytes, each with the JSON that is encoded to it again; nothing where they are not all of
/// them whole.
pub(crate) fn parts(format: Format, setup: Setup<'_>, bytes: &[u8]) -> Option<Vec<(Bytes, String)>> {
    let units = whole(format, setup, bytes)?;
    units.into_iter().map(|unit| Some((unit.wire.clone(), plain(&unit)?.to_text()))).collect()
}

fn units(format: Format, setup: Setup<'_>, bytes: &[u8]) -> Option<Vec<Json>> {
    whole(format, setup, bytes)?.iter().map(plain).collect()
}

fn whole(format: Format, setup: Setup<'_>, bytes: &[u8]) -> Option<Vec<Unit>> {
    let codec = codec(format, setup);
    let mut decoder = codec.decoder();
    decoder.push(bytes);
    let mut units: Vec<Unit> = std::iter::from_fn(|| decoder.next()).collect();
    if matches!(format, Format::Macp(_)) {
        // Nothing in a request says where it ends.
        units.extend(decoder.finish());
    }
    let taken: usize = units.iter().map(|unit| unit.wire.len()).sum();
    (taken == bytes.len()).then_some(units)
}

/// A unit without what is counted anew.
fn plain(unit: &Unit) -> Option<Json> {
    let mut frame = Json::read(&serde_json::to_string(&UnitJson(1, unit)).ok()?).ok()?;
    for name in OF_DECODE {
        frame.remove(name);
    }
    if let Some(header) = frame.member_mut("header") {
        header.remove("body_len");
        header.remove("Content-Length");
        if matches!(header, Json::Object(members) if members.is_empty()) {
            frame.remove("header");
        }
    }
    Some(frame)
}

fn differences(
    before: &Json,
    after: &Json,
    path: &mut Vec<String>,
    found: &mut dyn FnMut(&[String], Option<&Json>),
) {
    match (before, after) {
        (Json::Object(old), Json::Object(new)) => {
            for (name, _) in old.iter().filter(|(name, _)| after.member(name).is_none()) {
                path.push(name.clone());
                found(path, None);
                path.pop();
            }
            for (name, value) in new {
                path.push(name.clone());
                match before.member(name) {
                    Some(old) => differences(old, value, path, found),
                    None => found(path, Some(value)),
                }
                path.pop();
            }
        }
        _ if before == after => {}
        _ => found(path, Some(after)),
    }
}

/// Sets a member, or takes it out; nothing where there is no object that would have it.
fn set(frame: &mut Json, path: &[String], value: Option<&Json>) -> Option<()> {
    let Some((name, above)) = path.split_last() else {
        *frame = value?.clone();
        return Some(());
    };
    let mut at = frame;
    for name in above {
        at = at.member_mut(name)?;
    }
    match (value, at.member_mut(name)) {
        (Some(value), Some(member)) => *member = value.clone(),
        (Some(value), None) => at.fill(name, value.clone()),
        (None, _) => drop(at.remove(name)?),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{limits::Limits, rmp::Registry};

    #[test]
    fn an_edit_of_one_frame_is_made_of_another_like_it() {
        let (registry, limits) = (Registry::default(), Limits::default());
        let setup = Setup { registry: &registry, limits: &limits, now_ms: None };
        let line = |id: u64, reason: &str| {
            format!("{{\"mpp\":2,\"type\":\"failed\",\"id\":{id},\"reason\":\"{reason}\"}}\n").into_bytes()
        };
        let changes = |before: &[u8], after: &[u8]| Changes::between(Format::Mpp, setup, before, after);
        let kept = changes(&line(46, "busy"), &line(46, "gone")).unwrap();
        let made = kept.apply(Format::Mpp, setup, &line(47, "busy"), Wall(1)).unwrap();
        assert_eq!(String::from_utf8(made).unwrap(), String::from_utf8(line(47, "gone")).unwrap());
        assert!(kept.apply(Format::Mpp, setup, b"{", Wall(1)).is_none(), "it is no frame");
        assert!(changes(&line(46, "busy"), &line(46, "busy")).is_err());
        assert!(changes(&line(46, "busy"), b"garbage").is_err());
    }

    #[test]
    fn an_edit_of_a_call_is_made_of_another_one() {
        let (registry, limits) = (Registry::default(), Limits::default());
        let setup = Setup { registry: &registry, limits: &limits, now_ms: None };
        let format = Format::Macp(crate::macp::Rpc::Send);
        let call = |id: &str, sender: &str| {
            let envelope = format!(
                r#"{{"body":{{"envelope":{{"message_type":"Signal","message_id":"{id}","sender":"{sender}"}}}}}}"#
            );
            codec(format, setup).encode(&envelope, &Fill::at(Wall(1), 1)).unwrap().wire
        };
        let kept = Changes::between(format, setup, &call("m1", "alice"), &call("m1", "bob")).unwrap();
        let made = kept.apply(format, setup, &call("m2", "alice"), Wall(1)).unwrap();
        assert_eq!(made, call("m2", "bob"));
        assert_eq!(parts(format, setup, &made).unwrap().len(), 1);
    }
}
