//! A change of any byte of a frame shows in its tree.

use proptest::prelude::*;

use super::{
    super::places::subject,
    frames::{changed, frame},
};
use crate::dissect::{
    decoder::decode,
    frame_json::{Format, RmpUnits},
    tree::{Kind, Node, TOO_DEEP, Tree},
};

const NODES_MAX: usize = 20_000;

fn tree(format: Format, wire: &[u8]) -> Tree {
    decode(&subject(format, wire), NODES_MAX)
}

/// What is drawn of each node, and which bytes it has.
fn drawn(format: Format, wire: &[u8]) -> Vec<String> {
    let tree = tree(format, wire);
    let of = |(index, node): (usize, &Node)| {
        // Of what holds others, how many.
        let value = if tree.is_folder(index) && matches!(node.kind, Kind::Object | Kind::Array) {
            tree.children(index).count().to_string()
        } else {
            node.value.read(wire, usize::MAX).into_owned()
        };
        let note = node.note.as_ref().map_or("", |note| &*note.text);
        let name = node.name.read(wire, usize::MAX);
        format!("{} {:?} {name:?} {value:?} {:?} {note}", node.depth, node.kind, node.range)
    };
    tree.nodes.iter().enumerate().map(of).collect()
}

/// Whether a node says that this byte of it is not read, or not shown.
fn is_said_unread(format: Format, wire: &[u8], at: u32) -> bool {
    let tree = tree(format, wire);
    let says = |node: &Node| {
        let (name, value) = (node.name.read(wire, usize::MAX), node.value.read(wire, usize::MAX));
        let is_in_part = |text: &str| text.ends_with('…') || text.ends_with(" more");
        // A key that is no text is named by its bytes.
        let is_shown_in_part = (node.kind == Kind::Bytes && is_in_part(&value)) || is_in_part(&name);
        let is_noted = node.note.as_ref().is_some_and(|note| note.is_wrong || note.text == TOO_DEEP);
        node.kind == Kind::Broken || is_shown_in_part || is_noted
    };
    tree.is_cut || tree.nodes.iter().any(|node| node.range.contains(&at) && says(node))
}

fn shows(format: Format, wire: &[u8], changed: &[u8]) -> bool {
    let at = wire.iter().zip(changed).position(|(one, other)| one != other).unwrap();
    drawn(format, wire) != drawn(format, changed)
        || is_said_unread(format, changed, u32::try_from(at).unwrap())
}

#[test]
fn values_that_are_written_in_another_way_differ() {
    const FRAMES: Format = Format::Rmp(RmpUnits::Frames);
    let frame = |body: &[u8]| {
        let body_len = u8::try_from(body.len()).unwrap();
        let mut wire = vec![0; 68];
        (wire[3], wire[23]) = (64 + body_len, body_len);
        [&wire, body].concat()
    };
    let nan = [&[0xcb][..], &f64::NAN.to_be_bytes()].concat();
    let other_nan = [&nan[..8], &[1]].concat();
    for (one, other) in [
        (&b"\xcc\x05"[..], &b"\xd0\x05"[..]),
        (b"\xca\0\0\0\0", b"\xce\0\0\0\0"),
        (b"\xcf\0\0\0\0\0\0\0\x01", b"\xd3\0\0\0\0\0\0\0\x01"),
        (&nan, &other_nan),
        (b"\x81\xcc\x05\xc0", b"\x81\xd0\x05\xc0"),
        (b"\x81\xa1\xff\xc0", b"\x81\xa1\xfe\xc0"),
    ] {
        assert!(shows(FRAMES, &frame(one), &frame(other)), "{one:x?} {other:x?}");
    }
    // A header that is short, and one that is of something else.
    for (one, other) in [
        (&b"\0\0\0\x02[]"[..], &b"\0\0\0\x02\0]"[..]),
        (b"\0\0\0\x04\xff\xff\xff\xff", b"\0\0\0\x04\xff\xfe\xff\xff"),
    ] {
        assert!(shows(FRAMES, one, other), "{other:x?}");
    }
    for (one, other) in [
        ("Content-Length: 2\r\n\r\n{}", "Content-Length: 2 \n\r\n{}"),
        ("Content-Length: 2\r\n\r\n{}", "Content-Length: 2\n\n\r\n{}"),
        ("Content-Length: 2\r\n\r\n{}", "Content-Length: 2\r\n\n\n{}"),
        ("Content-Length: 2 \r\n\r\n{}", "Content-Length: 2\t\r\n\r\n{}"),
    ] {
        assert!(shows(Format::Plugin, one.as_bytes(), other.as_bytes()), "{other:?}");
    }
    let (line, other) = ("{\"mpp\":2}\n", "{\"mpp\":2} ");
    assert!(shows(Format::Mpp, line.as_bytes(), other.as_bytes()));
    let initialize = Format::Macp(crate::macp::Rpc::Initialize);
    let (one, other) = (b"\x1a\x04\x0a\x02\x08\x01", b"\x1a\x04\x0a\x02\x08\x02");
    assert!(shows(initialize, one, other));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_change_of_a_byte_shows(
        (format, wire) in frame(),
        at in any::<prop::sample::Index>(),
        byte: u8,
        bit in prop::option::of(0..8_u8),
    ) {
        let byte = bit.filter(|_| !wire.is_empty()).map_or(byte, |bit| wire[at.index(wire.len())] ^ 1 << bit);
        let changed = changed(&wire, at, byte)?;
        let (one, other) = (wire.escape_ascii(), changed.escape_ascii());
        prop_assert!(shows(format, &wire, &changed), "{format:?}\n{one}\n{other}");
    }
}
