//! Which bytes of a frame a value of its JSON stands for, and the other way round.

use std::{ops::Range, sync::Arc};

use super::{Format, RmpUnits};
use crate::{
    dissect::{
        decoder::{Subject, decode},
        json_tree,
        tree::{Kind, Tree},
    },
    ids::{Peer, PluginId, Seq},
    macp, mpp, plugin, rmp,
    tap::entry::{Direction, Entry, Frame, Head, Link, Redaction, Verdict, What},
    time::Now,
};

/// Values of a frame that are looked through; those behind them have no place.
const NODES_MAX: usize = 4_096;
/// Bytes of a name that are compared.
const NAME_BYTES_MAX: usize = 128;

/// A value: its name, its bytes with its key, and what holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    name: Box<str>,
    range: Range<usize>,
    parent: Option<usize>,
}

/// The values of a frame, on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    json: Arc<[Place]>,
    bytes: Arc<[Place]>,
}

/// A value on both sides: where its JSON is in the text, and where in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) json: Range<usize>,
    pub(crate) bytes: Range<usize>,
}

impl Places {
    /// Those of a JSON and of the bytes that were made of it.
    pub(crate) fn new(format: Format, text: &str, wire: &[u8]) -> Self {
        let subject = subject(format, wire);
        let bytes = places(&decode(&subject, NODES_MAX), wire);
        Self { json: places(&json_tree(text, NODES_MAX), text.as_bytes()), bytes }
    }

    /// The value at a place of the text, or the smallest around it that is in the bytes, too.
    pub(crate) fn at_json(&self, at: usize) -> Option<Spot> {
        let found = innermost(&self.json, at)?;
        std::iter::successors(Some(found), |at| self.json.get(*at)?.parent).find_map(|index| {
            let other = counterpart(&self.json, index, &self.bytes)?;
            Some(Spot {
                json: self.json.get(index)?.range.clone(),
                bytes: self.bytes.get(other)?.range.clone(),
            })
        })
    }

    /// The value of a byte, or the smallest around it that is in the text, too.
    pub(crate) fn at_byte(&self, at: usize) -> Option<Spot> {
        let found = innermost(&self.bytes, at)?;
        std::iter::successors(Some(found), |at| self.bytes.get(*at)?.parent).find_map(|index| {
            let other = counterpart(&self.bytes, index, &self.json)?;
            Some(Spot {
                json: self.json.get(other)?.range.clone(),
                bytes: self.bytes.get(index)?.range.clone(),
            })
        })
    }

    /// Where the value of these names is in the text, the innermost name last.
    pub(crate) fn named(&self, names: &[String]) -> Option<Range<usize>> {
        // What is in the bytes alone is within what is in both.
        (1..=names.len()).rev().find_map(|depth| {
            let inner: Vec<&str> = names.get(..depth)?.iter().rev().map(String::as_str).collect();
            let found = best(&inner, &self.json)?;
            Some(self.json.get(found)?.range.clone())
        })
    }
}

/// The names of a node and of what holds it, the outermost first.
pub(crate) fn names_of(tree: &Tree, bytes: &[u8], index: usize) -> Vec<String> {
    let places = places(tree, bytes);
    let mut names: Vec<String> = path(&places, index).map(str::to_owned).collect();
    names.reverse();
    names
}

/// A frame that nobody judged.
pub(super) fn subject(format: Format, wire: &[u8]) -> Subject {
    let (link, head, verdict) = match format {
        Format::Mpp => (Link::Mpp, Head::Mpp(mpp::Head::default()), Verdict::Mpp(mpp::Verdict::Accepted)),
        Format::Rmp(units) => {
            let kind = (units != RmpUnits::Frames).then_some(rmp::FrameKind::Ping);
            let head = rmp::Head { kind, ..rmp::Head::default() };
            (Link::Rmp, Head::Rmp(head), Verdict::Rmp(rmp::Verdict::Accepted))
        }
        Format::Macp(rpc) => {
            (Link::Macp, Head::Macp(macp::Head::new(rpc)), Verdict::Macp(macp::Verdict::Accepted))
        }
        Format::Plugin => (
            Link::Plugin,
            Head::Plugin(plugin::Head::new(PluginId::new("workbench"))),
            Verdict::Plugin(plugin::Verdict::Accepted),
        ),
    };
    let frame = Frame {
        direction: Direction::Inbound,
        peer: Peer::new("workbench"),
        head,
        verdict,
        wire_bytes: u32::try_from(wire.len()).unwrap_or(u32::MAX),
        redaction: Redaction::None,
        origin: None,
    };
    let what = What::Frame(frame);
    let entry = Entry { seq: Seq(0), at: Now::default(), link, trace: None, cause: None, what };
    Subject { entry, bytes: wire.into() }
}

fn places(tree: &Tree, bytes: &[u8]) -> Arc<[Place]> {
    let whole = |offset: u32| usize::try_from(offset).unwrap_or(usize::MAX);
    // What holds the node that is looked at, with how many of its values were seen.
    let mut holders: Vec<(usize, usize)> = Vec::new();
    let mut places = Vec::with_capacity(tree.nodes.len());
    for (index, node) in tree.nodes.iter().enumerate() {
        while holders.last().is_some_and(|(at, _)| tree.nodes.get(*at).is_none_or(|it| it.end <= index)) {
            holders.pop();
        }
        let parent = holders.last().map(|(at, _)| *at);
        let is_item = parent.is_some_and(|at| tree.nodes.get(at).is_some_and(|it| it.kind == Kind::Array));
        let name: Box<str> = if is_item {
            holders.last().map_or(0, |(_, seen)| *seen).to_string().into()
        } else {
            node.name.read(bytes, NAME_BYTES_MAX).trim_matches('"').into()
        };
        if let Some((_, seen)) = holders.last_mut() {
            *seen += 1;
        }
        places.push(Place { name, range: whole(node.range.start)..whole(node.range.end), parent });
        holders.push((index, 0));
    }
    places.into()
}

/// The smallest value that has this place.
fn innermost(places: &[Place], at: usize) -> Option<usize> {
    let has = |place: &Place| place.range.contains(&at);
    places.iter().enumerate().filter(|(_, place)| has(place)).map(|(index, _)| index).next_back()
}

/// The name of a value, then those of what holds it.
fn path(places: &[Place], index: usize) -> impl Iterator<Item = &str> {
    std::iter::successors(places.get(index), |place| places.get(place.parent?)).map(|place| &*place.name)
}

/// The same value among others.
fn counterpart(from: &[Place], index: usize, among: &[Place]) -> Option<usize> {
    let names: Vec<&str> = path(from, index).collect();
    best(&names, among)
}

/// The value that shares most names with these, the innermost first. Of several the last one is it: a message
/// is behind the frame that announces it.
fn best(names: &[&str], among: &[Place]) -> Option<usize> {
    let shared = |index: usize| {
        path(among, index).zip(names).take_while(|(one, other)| one.eq_ignore_ascii_case(other)).count()
    };
    let scores = (0..among.len()).map(|index| (shared(index), index));
    scores.filter(|(shared, _)| *shared > 0).max().map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dissect::frame_json::{Fill, Setup, codec},
        limits::Limits,
        macp::Rpc,
        rmp::Registry,
        time::Wall,
    };

    fn of(format: Format, text: &str, topic: Option<&str>) -> (Places, Vec<u8>) {
        let (registry, limits) = (Registry::default(), Limits::default());
        let setup = Setup { registry: &registry, limits: &limits, now_ms: None };
        let fill = Fill::at(Wall(1), 1);
        let before = topic.map_or_else(Vec::new, |topic| fill.publish(topic));
        let wire = [before, codec(format, setup).encode(text, &fill).unwrap().wire].concat();
        (Places::new(format, text, &wire), wire)
    }

    fn bytes_at<'a>(places: &Places, wire: &'a [u8], text: &str, part: &str) -> &'a [u8] {
        let spot = places.at_json(text.find(part).unwrap()).unwrap();
        let json = &text[spot.json.clone()];
        assert!(json.contains(part), "{part} is not in {json}");
        // Back from the bytes it is the same value.
        let back = places.at_byte(spot.bytes.start).unwrap();
        assert_eq!(back.json, spot.json, "{part}");
        &wire[spot.bytes]
    }

    #[test]
    fn a_member_of_a_line_is_its_bytes_and_back() {
        let text = r#"{"body": {"type": "pull", "queue": "default", "list": [1, {"type": 7}]}}"#;
        let (places, wire) = of(Format::Mpp, text, None);
        assert_eq!(bytes_at(&places, &wire, text, "\"default\""), br#""queue":"default""#);
        assert_eq!(bytes_at(&places, &wire, text, "7"), br#""type":7"#);
        assert_eq!(places.named(&["line".to_owned(), "queue".to_owned()]), Some(26..44));
        // What only the bytes have is within what both have.
        let mpp = wire.windows(3).position(|it| it == b"mpp").unwrap();
        assert!(places.at_byte(mpp).is_none_or(|spot| spot.bytes.len() > 10));
    }

    #[test]
    fn a_field_of_a_message_behind_its_announcement_is_the_message_s() {
        let text = r#"{"body":{"type":"observation.greeting.v1","payload":{"text":"hello"}}}"#;
        let (places, wire) = of(Format::Rmp(RmpUnits::Frames), text, Some("a/b"));
        assert!(bytes_at(&places, &wire, text, "\"hello\"").ends_with(b"hello"));
        let whole = bytes_at(&places, &wire, text, "\"body\"");
        assert!(wire.ends_with(whole) && whole.len() < wire.len() / 2, "not that of the announcement");
    }

    #[test]
    fn fields_of_calls_and_of_plugins_messages_are_found_too() {
        let text = r#"{"body":{"session_id":"s-1","reason":"enough"}}"#;
        let (places, wire) = of(Format::Macp(Rpc::CancelSession), text, None);
        assert!(bytes_at(&places, &wire, text, "\"enough\"").ends_with(b"enough"));
        let text = r#"{"body":{"id":1,"method":"notify","params":{"level":"info"}}}"#;
        let (places, wire) = of(Format::Plugin, text, None);
        assert_eq!(bytes_at(&places, &wire, text, "\"info\""), br#""level":"info""#);
    }
}
