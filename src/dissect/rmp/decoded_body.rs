//! The body of an MPLP message in the JSON dialect, decoded: there it is a list of byte values, of which each
//! has its own place in the text.

use std::ops::Range;

use super::{body_text, frame::classify, msgpack};
use crate::{
    dissect::{
        decoder::Subject,
        mplp,
        tree::{Kind, Node, Text, Tree, TreeBuilder},
    },
    rmp::SchemaId,
    tap::entry::{Head, What},
};

/// Values of a body that are decoded.
const NODES_MAX: usize = 20_000;
/// Bytes of a name or text that are taken out of the body.
const TEXT_BYTES_MAX: usize = 65_536;

/// Adds the tree of a unit's body behind that of the unit, if it is a message of MPLP: each value with the
/// range of the numbers that say it.
pub(super) fn add(subject: &Subject, unit: Range<usize>, builder: &mut TreeBuilder) {
    let What::Frame(frame) = &subject.entry.what else { return };
    let is_of_mplp = matches!(&frame.head, Head::Rmp(head) if head.schema_id == Some(SchemaId::MPLP_EVENT.0));
    if !is_of_mplp || builder.is_full() || subject.cut_bytes() > 0 {
        return;
    }
    let Some(body) = body_text::message(&subject.bytes[unit]) else { return };
    let Some(places) = places(builder.tree(), &subject.bytes, body.len()) else { return };
    let mut inner = TreeBuilder::new(NODES_MAX);
    msgpack::read(&body, 0..body.len(), "body", false, &mut inner);
    let inner = inner.finish();
    let group = Node::new(Text::literal("decoded body"), Kind::Group, 0..0);
    if !builder.open(group) {
        return;
    }
    let first = builder.tree().nodes.len();
    copy(&inner, &body, &places, builder);
    builder.close();
    let tree = builder.tree();
    classify(&subject.bytes, first, false, tree);
    mplp::mark(subject, &body, &subject.bytes, first, tree);
}

/// Where each byte of the body stands in the text; nothing where they are not all there.
fn places(tree: &Tree, bytes: &[u8], count: usize) -> Option<Vec<Range<u32>>> {
    let unit = tree.nodes.iter().position(|node| node.name == Text::literal("unit"))?;
    let mut node = unit;
    for name in ["Publish", "message", "body"] {
        node = tree.children(node).find(|child| tree.nodes[*child].name.read(bytes, 16) == name)?;
    }
    let places: Vec<_> = tree.children(node).map(|child| tree.nodes[child].range.clone()).collect();
    (places.len() == count).then_some(places)
}

/// Copies nodes with their ranges in the text, and their names and values as texts of their own.
fn copy(from: &Tree, body: &[u8], places: &[Range<u32>], builder: &mut TreeBuilder) {
    let text = |text: &Text| match text {
        Text::Bytes(_) => Text::literal(text.read(body, TEXT_BYTES_MAX).into_owned()),
        other => other.clone(),
    };
    let mut ends = Vec::new();
    for (index, node) in from.nodes.iter().enumerate() {
        while ends.pop_if(|end| *end == index).is_some() {
            builder.close();
        }
        let copy = Node {
            name: text(&node.name),
            value: text(&node.value),
            range: range(&node.range, places),
            ..node.clone()
        };
        if node.end > index + 1 {
            if !builder.open(copy) {
                break;
            }
            ends.push(node.end);
        } else {
            builder.leaf(copy);
        }
    }
    for _ in ends {
        builder.close();
    }
}

/// The range of the numbers that say these bytes.
fn range(of: &Range<u32>, places: &[Range<u32>]) -> Range<u32> {
    let at = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    let first = places.get(at(of.start)).map_or(0, |place| place.start);
    let last = at(of.end).checked_sub(1).and_then(|last| places.get(last));
    first..last.map_or(first, |place| place.end.max(first))
}
