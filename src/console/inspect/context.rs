//! The context of an entry beside what its bytes say: the verdict, the clause that was broken and what to
//! do, where it comes from, what caused it and what it caused.

use crate::{
    console::model::EntryBuffer,
    dissect::{
        decoder::{Subject, decoder_of},
        describe,
        tree::{Kind, Node, Text, Tree, TreeBuilder},
    },
    ids::Seq,
    tap::entry::{Direction, Redaction, What},
    words::counted,
};

/// Effects that are listed.
const EFFECTS_MAX: usize = 1_000;

/// The entries around one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Context {
    /// Whether the entry itself is kept still.
    pub(crate) is_kept: bool,
    /// What caused it: nothing when it had a cause that is not kept any more.
    pub(crate) cause: Option<String>,
    /// What it caused, in order.
    pub(crate) effects: Vec<(Seq, String)>,
    /// Effects beyond those that are listed.
    pub(crate) more: u64,
    /// The index up to which effects were looked for.
    scanned: Option<u64>,
}

impl Context {
    /// Looks at what came since the last time; whether something is different.
    pub(crate) fn follow(&mut self, subject: &Subject, kept: &EntryBuffer) -> bool {
        let before = (self.is_kept, self.cause.is_some(), self.effects.len(), self.more);
        let index = kept.index_of(subject.seq());
        self.is_kept = index.is_some();
        let from =
            self.scanned.unwrap_or_else(|| index.map_or(kept.first(), |index| index + 1)).max(kept.first());
        for (_, found) in kept.range(from..kept.end()) {
            if found.entry.cause != Some(subject.seq()) {
                continue;
            }
            if self.effects.len() < EFFECTS_MAX {
                self.effects.push((found.entry.seq, describe(found.entry)));
            } else {
                self.more += 1;
            }
        }
        let is_first = self.scanned.replace(kept.end()).is_none();
        self.cause = subject.entry.cause.and_then(|cause| kept.at(cause)).map(|found| describe(found.entry));
        is_first || before != (self.is_kept, self.cause.is_some(), self.effects.len(), self.more)
    }

    /// The account of an entry as a tree; `until` is the moment at which time is stopped.
    pub(crate) fn tree(&self, subject: &Subject, time: String, until: Option<Seq>) -> Tree {
        let entry = &subject.entry;
        let mut builder = TreeBuilder::new(2 * EFFECTS_MAX);
        builder.open(Node::new(Text::literal("entry"), Kind::Group, 0..0));
        let number = Node::fact("number", entry.seq.to_string());
        builder.leaf(if self.is_kept { number } else { number.with_note("no longer kept; this is a copy") });
        builder.leaf(Node::fact("at", time));
        builder.leaf(Node::fact("link", entry.link.name()));
        if let What::Frame(frame) = &entry.what {
            let way = match frame.direction {
                Direction::Inbound => "in, from",
                Direction::Outbound => "out, to",
            };
            builder.leaf(Node::fact("direction", format!("{way} {}", frame.peer)));
            if let Some(origin) = &frame.origin {
                builder.leaf(Node { target_seq: origin.of, ..Node::fact("origin", origin.words()) });
            }
        }
        builder.leaf(Node::fact("decoded as", decoder_of(subject).name()));
        builder.leaf(Node::fact("bytes", length(subject)));
        builder.leaf(Node::fact(
            "trace",
            entry.trace.map_or_else(|| "none".to_owned(), |trace| trace.to_string()),
        ));
        if let Some(cause) = entry.cause {
            let mut node = Node {
                target_seq: Some(cause),
                ..Node::fact("caused by", self.cause.clone().unwrap_or_else(|| format!("entry {cause}")))
            };
            if self.cause.is_none() {
                node = node.with_note("no longer kept");
            }
            builder.leaf(node);
        } else {
            builder.leaf(Node::fact("caused by", "none recorded"));
        }
        builder.open(Node {
            value: Text::literal(self.count(until)),
            ..Node::new(Text::literal("caused"), Kind::Group, 0..0)
        });
        for (seq, words) in &self.effects {
            let mut node = Node {
                target_seq: Some(*seq),
                ..Node::new(Text::literal(seq.to_string()), Kind::Text, 0..0)
            };
            node.value = Text::literal(words.clone());
            if until.is_some_and(|until| *seq > until) {
                node = node.with_note("after the time shown");
            }
            builder.leaf(node);
        }
        if self.more > 0 {
            builder.leaf(Node::fact("", format!("and {} more", self.more)));
        }
        builder.finish()
    }

    fn count(&self, until: Option<Seq>) -> String {
        let all = self.effects.len() as u64 + self.more;
        let later = until.map_or(0, |until| self.effects.iter().filter(|(seq, _)| *seq > until).count());
        match (all, later) {
            (0, _) => "none kept".to_owned(),
            (all, 0) => counted(all, "entry"),
            (all, later) => {
                format!("{}, {later} of them after the time shown", counted(all, "entry"))
            }
        }
    }
}

fn length(subject: &Subject) -> String {
    let kept = subject.bytes.len();
    match subject.frame() {
        Some(frame) if frame.redaction == Redaction::Withheld => {
            format!("{} on the wire, withheld", frame.wire_bytes)
        }
        Some(frame) if subject.cut_bytes() > 0 => {
            format!("{} on the wire, {kept} of them kept", frame.wire_bytes)
        }
        Some(_) => format!("{kept} on the wire"),
        None if kept == 0 => "none".to_owned(),
        None => format!("{kept} of text attached"),
    }
}
