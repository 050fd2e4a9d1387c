//! What a decoder makes of bytes: a tree of named values, each with the range of the bytes that say it.

use std::{borrow::Cow, ops::Range};

use crate::{field::Class, ids::Seq};

/// A text: words of ours, or the place in the bytes where a peer wrote it, so that a tree copies nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Text {
    /// There is none.
    #[default]
    None,
    /// As the bytes of this range have it.
    Bytes(Range<u32>),
    /// Words of ours.
    Literal(Cow<'static, str>),
}

impl Text {
    /// Words of ours.
    pub(crate) fn literal(words: impl Into<Cow<'static, str>>) -> Self {
        Self::Literal(words.into())
    }

    /// The text, at most `bytes_max` bytes of it; what is not UTF-8 is replaced.
    pub(crate) fn read<'a>(&'a self, bytes: &'a [u8], bytes_max: usize) -> Cow<'a, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::Literal(words) => Cow::Borrowed(words),
            Self::Bytes(range) => {
                let read = slice(bytes, range);
                String::from_utf8_lossy(&read[..read.len().min(bytes_max)])
            }
        }
    }

    /// Its length in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Literal(words) => words.len(),
            Self::Bytes(range) => range.len(),
        }
    }
}

/// The bytes of a range, as far as they are there.
pub(crate) fn slice<'a>(bytes: &'a [u8], range: &Range<u32>) -> &'a [u8] {
    let end = usize::try_from(range.end).unwrap_or(usize::MAX).min(bytes.len());
    let start = usize::try_from(range.start).unwrap_or(usize::MAX).min(end);
    &bytes[start..end]
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Named values.
    Object,
    /// Values in an order.
    Array,
    Text,
    Number,
    Boolean,
    Null,
    /// Bytes that no decoder reads.
    Bytes,
    /// What should be there and is not.
    Missing,
    /// What does not belong there.
    Broken,
    /// Values that stand together without bytes of their own.
    Group,
}

impl Kind {
    /// Its name, as a sentence about a value has it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::Null => "null",
            Self::Bytes => "bytes",
            Self::Missing => "nothing",
            Self::Broken => "not a value",
            Self::Group => "several values",
        }
    }
}

/// What is said of a node that holds others which are not read.
pub(crate) const TOO_DEEP: &str = "nested too deeply to decode";

/// Something said of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// Never words of a peer.
    pub(crate) text: Cow<'static, str>,
    /// Whether it tells of a breach.
    pub(crate) is_wrong: bool,
    /// How many findings of a lifecycle object it tells of; 0 where it tells of something else.
    pub(crate) findings: usize,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) name: Text,
    pub(crate) value: Text,
    pub(crate) kind: Kind,
    /// Who may see it, its name included where [`hides_name`](Self::hides_name).
    pub(crate) class: Class,
    /// Whether its name is a peer's choice, too.
    pub(crate) hides_name: bool,
    /// All that says it, its key included; empty where nothing does.
    pub(crate) range: Range<u32>,
    pub(crate) note: Option<Note>,
    pub(crate) depth: u16,
    /// The place behind its last descendant.
    pub(crate) end: usize,
    /// The entry that it speaks of.
    pub(crate) target_seq: Option<Seq>,
}

impl Node {
    /// A value that anybody may see.
    pub(crate) fn new(name: Text, kind: Kind, range: Range<u32>) -> Self {
        Self {
            name,
            value: Text::None,
            kind,
            class: Class::Public,
            hides_name: false,
            range,
            note: None,
            depth: 0,
            end: 0,
            target_seq: None,
        }
    }

    /// A value in words of ours that no byte says.
    pub(crate) fn fact(name: &'static str, words: impl Into<Cow<'static, str>>) -> Self {
        Self { value: Text::literal(words), ..Self::new(Text::literal(name), Kind::Text, 0..0) }
    }

    /// This node, of a class.
    pub(crate) const fn with_class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }

    /// This node, with a remark.
    pub(crate) fn with_note(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.note = Some(Note { text: words.into(), is_wrong: false, findings: 0 });
        self
    }

    /// Says that it breaks something. What was said of a breach before stays.
    pub(crate) fn blame(&mut self, words: impl Into<Cow<'static, str>>) {
        if !self.note.as_ref().is_some_and(|note| note.is_wrong) {
            self.note = Some(Note { text: words.into(), is_wrong: true, findings: 0 });
        }
    }

    /// Says that it has so many findings. What was said of a breach before stays.
    pub(crate) fn blame_findings(&mut self, words: String, findings: usize) {
        self.blame(words);
        if let Some(note) = &mut self.note {
            note.findings = findings;
        }
    }
}

/// Values in the order in which they stand, each before those within it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// How many values were left out at least: there were more than `limits.console.inspect_nodes_max`.
    pub(crate) is_cut: bool,
}

impl Tree {
    /// Whether a node holds others.
    pub(crate) fn is_folder(&self, index: usize) -> bool {
        self.nodes.get(index).is_some_and(|node| node.end > index + 1)
    }

    /// How much is wrong with what a node holds.
    pub(crate) fn wrong_within(&self, index: usize) -> usize {
        let end = self.nodes.get(index).map_or(0, |node| node.end);
        let notes =
            self.nodes.get(index + 1..end).unwrap_or_default().iter().filter_map(|it| it.note.as_ref());
        notes.filter(|note| note.is_wrong).map(|note| note.findings.max(1)).sum()
    }

    /// The findings of the lifecycle objects in it.
    pub(crate) fn findings(&self) -> usize {
        self.nodes.iter().filter_map(|node| node.note.as_ref()).map(|note| note.findings).sum()
    }

    /// The nodes right below one, in order.
    pub(crate) fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes.get(index).map_or(0, |node| node.end);
        std::iter::successors(Some(index + 1), |at| self.nodes.get(*at).map(|node| node.end))
            .take_while(move |at| *at < end)
    }

    /// The node that holds this one.
    pub(crate) fn parent(&self, index: usize) -> Option<usize> {
        let depth = self.nodes.get(index)?.depth;
        (0..index).rev().find(|at| self.nodes[*at].depth < depth)
    }

    /// The smallest node whose range has this byte.
    pub(crate) fn innermost(&self, byte: u32) -> Option<usize> {
        let mut found = None;
        let (mut at, mut end) = (0, self.nodes.len());
        while at < end {
            let node = &self.nodes[at];
            if node.kind == Kind::Group {
                at += 1;
            } else if node.range.contains(&byte) {
                found = Some(at);
                (at, end) = (at + 1, node.end);
            } else {
                at = node.end.max(at + 1);
            }
        }
        found
    }

    /// The class of a byte: that of the smallest node that has it.
    pub(crate) fn class_of(&self, byte: u32) -> Option<Class> {
        self.innermost(byte).map(|index| self.nodes[index].class)
    }

    /// Gives a node and all within it a class; their names are then hidden, too.
    pub(crate) fn classify(&mut self, index: usize, class: Class) {
        let end = self.nodes.get(index).map_or(index, |node| node.end);
        for (at, node) in self.nodes.iter_mut().enumerate().take(end).skip(index) {
            if node.class != Class::Secret {
                node.class = class;
            }
            node.hides_name |= at > index && class != Class::Public;
        }
    }
}

/// Grows a tree, up to a number of nodes.
#[derive(Debug)]
pub(crate) struct TreeBuilder {
    tree: Tree,
    open: Vec<usize>,
    nodes_max: usize,
}

impl TreeBuilder {
    /// Nothing yet.
    pub(crate) const fn new(nodes_max: usize) -> Self {
        Self { tree: Tree { nodes: Vec::new(), is_cut: false }, open: Vec::new(), nodes_max }
    }

    /// Whether nothing more is taken.
    pub(crate) const fn is_full(&self) -> bool {
        self.tree.is_cut
    }

    /// How many nodes are open.
    pub(crate) const fn depth(&self) -> usize {
        self.open.len()
    }

    /// Adds a value below what is open; its place, unless there are too many.
    pub(crate) fn leaf(&mut self, node: Node) -> Option<usize> {
        if self.tree.nodes.len() >= self.nodes_max {
            self.tree.is_cut = true;
            return None;
        }
        let index = self.tree.nodes.len();
        let depth = u16::try_from(self.open.len()).unwrap_or(u16::MAX);
        self.tree.nodes.push(Node { depth, end: index + 1, ..node });
        Some(index)
    }

    /// Adds a value that holds the following ones until it is closed. What is too much is not opened.
    pub(crate) fn open(&mut self, node: Node) -> bool {
        let index = self.leaf(node);
        self.open.extend(index);
        index.is_some()
    }

    /// Closes what was opened last.
    pub(crate) fn close(&mut self) {
        let end = self.tree.nodes.len();
        if let Some(index) = self.open.pop() {
            self.tree.nodes[index].end = end;
        }
    }

    /// The node that was opened last.
    pub(crate) fn last_open(&mut self) -> Option<&mut Node> {
        let index = *self.open.last()?;
        self.tree.nodes.get_mut(index)
    }

    /// The tree, everything closed.
    pub(crate) fn finish(mut self) -> Tree {
        while !self.open.is_empty() {
            self.close();
        }
        self.tree
    }

    /// The tree so far, to be annotated.
    pub(crate) const fn tree(&mut self) -> &mut Tree {
        &mut self.tree
    }
}
