//! What turns bytes into a tree.

use std::sync::Arc;

use super::{
    table::of_head,
    transitions::TransitionDecoder,
    tree::{Kind, Node, Text, Tree, TreeBuilder},
};
use crate::{
    field::Class,
    ids::Seq,
    tap::{
        EntryRef,
        entry::{Entry, Frame, Redaction, What},
    },
};

/// An entry with its bytes, held for as long as it is looked at, whatever the console still keeps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Subject {
    pub(crate) entry: Entry,
    pub(crate) bytes: Arc<[u8]>,
}

impl Subject {
    /// A copy of an entry.
    pub(crate) fn of(entry: EntryRef<'_>) -> Self {
        Self { entry: entry.entry.clone(), bytes: entry.bytes.into() }
    }

    /// It as the tap has it.
    pub(crate) fn entry_ref(&self) -> EntryRef<'_> {
        EntryRef { entry: &self.entry, bytes: &self.bytes }
    }

    /// Its place in the tap.
    pub(crate) const fn seq(&self) -> Seq {
        self.entry.seq
    }

    /// The frame, if it is one.
    pub(crate) const fn frame(&self) -> Option<&Frame> {
        match &self.entry.what {
            What::Frame(frame) => Some(frame),
            _ => None,
        }
    }

    /// How many bytes of the frame were not kept.
    pub(crate) fn cut_bytes(&self) -> usize {
        self.frame().map_or(0, |frame| match frame.redaction {
            Redaction::Withheld => 0,
            Redaction::None | Redaction::Masked(_) => {
                usize::try_from(frame.wire_bytes).unwrap_or(usize::MAX).saturating_sub(self.bytes.len())
            }
        })
    }
}

/// Reads the bytes of one protocol's entries. It never fails: what it cannot read becomes a node that says
/// so, and every byte that is not mere punctuation lies in the range of a node.
pub(crate) trait Decoder: Sync {
    /// What it reads, in a word or two.
    fn name(&self) -> &'static str;

    /// Reads a subject's bytes into nodes, each with the range and the class of its bytes.
    fn decode(&self, subject: &Subject, grower: &mut TreeBuilder);
}

/// The decoder of an entry.
pub(crate) fn decoder_of(subject: &Subject) -> &'static dyn Decoder {
    match subject.frame() {
        Some(Frame { redaction: Redaction::Withheld, .. }) => &Plain,
        Some(frame) => of_head(&frame.head).decoder(),
        None => &TransitionDecoder,
    }
}

/// Reads a subject, up to a number of nodes.
pub(crate) fn decode(subject: &Subject, nodes_max: usize) -> Tree {
    let mut builder = TreeBuilder::new(nodes_max);
    decoder_of(subject).decode(subject, &mut builder);
    let mut tree = builder.finish();
    mark_redacted(&mut tree, subject);
    tree
}

/// Nodes in which something was overwritten are secret, whatever they are.
fn mark_redacted(tree: &mut Tree, subject: &Subject) {
    let Some(Frame { redaction: Redaction::Masked(ranges), .. }) = subject.frame() else { return };
    for (index, node) in tree.nodes.iter_mut().enumerate() {
        let is_leaf = node.end == index + 1;
        if is_leaf && ranges.iter().any(|range| range.start < node.range.end && node.range.start < range.end)
        {
            node.class = Class::Secret;
            if node.note.is_none() {
                *node = node.clone().with_note("masked: contains a secret");
            }
        }
    }
}

/// Bytes that no other decoder reads.
pub(crate) struct Plain;

impl Decoder for Plain {
    fn name(&self) -> &'static str {
        "bytes"
    }

    fn decode(&self, subject: &Subject, builder: &mut TreeBuilder) {
        let all = 0..u32::try_from(subject.bytes.len()).unwrap_or(u32::MAX);
        let is_withheld = subject.frame().is_some_and(|frame| frame.redaction == Redaction::Withheld);
        let mut node =
            Node { value: Text::Bytes(all.clone()), ..Node::new(Text::literal("bytes"), Kind::Bytes, all) };
        // The note that stands for withheld bytes is the station's own.
        node.class = if is_withheld { Class::Public } else { Class::Payload };
        if is_withheld {
            node = node.with_note("withheld: it may contain a token; this is its length and SHA-256");
        }
        builder.leaf(node);
    }
}
