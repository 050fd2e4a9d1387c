//! Reads MPP frames: JSON held against the table of the frame's type (mpp-v2, frames), with what the bridge
//! found wrong at its field.

use std::collections::BTreeMap;

use super::fields::{ENVELOPE, Expected, Field, Requirement, Visibility, fields, persisted, unquoted};
use crate::{
    dissect::{
        decoder::{Decoder, Subject},
        json,
        tree::{Kind, Node, Text, Tree, TreeBuilder},
    },
    field::Class,
    tap::entry::{
        Verdict, mpp,
        mpp::{ErrorCode, Fault, FrameType, HelloReason, Violation},
    },
};

/// One JSON object a line.
pub(crate) struct MppFrame;

impl Decoder for MppFrame {
    fn name(&self) -> &'static str {
        "MPP v2, JSON"
    }

    fn decode(&self, subject: &Subject, builder: &mut TreeBuilder) {
        json::read(&subject.bytes, "frame", builder);
        let mut frame = FrameAnnotator { subject, tree: builder.tree() };
        frame.annotate();
        if frame.tree.is_cut
            && let Some(root) = frame.tree.nodes.first_mut()
        {
            // It has bytes that no node tells of.
            root.class = Class::Payload;
        }
        frame.blame();
        frame.blame_end();
        frame.note_truncation();
    }
}

struct FrameAnnotator<'a> {
    subject: &'a Subject,
    tree: &'a mut Tree,
}

/// The names of fields are short: what is longer is none.
const NAME_BYTES_MAX: usize = 64;
/// As much of a value as tells what it is.
const VALUE_BYTES_MAX: usize = 128;

impl FrameAnnotator<'_> {
    /// The frame was taken, or is ours: names in it are names that both sides know.
    fn is_accepted(&self) -> bool {
        let verdict = self.subject.frame().map(|frame| &frame.verdict);
        matches!(verdict, Some(Verdict::Sent | Verdict::Mpp(mpp::Verdict::Accepted)))
    }

    fn name(&self, index: usize) -> String {
        unescaped(self.tree.nodes[index].name.read(&self.subject.bytes, NAME_BYTES_MAX + 1).into_owned())
    }

    fn value(&self, index: usize) -> String {
        self.tree.nodes[index].value.read(&self.subject.bytes, VALUE_BYTES_MAX).into_owned()
    }

    /// A value as the bridge reads it: without escapes.
    fn text(&self, index: usize) -> String {
        unescaped(self.value(index))
    }

    /// The members of an object by name. Where a key is given twice, the last one counts.
    fn members(&self, of: usize) -> BTreeMap<String, usize> {
        let members = self.tree.children(of).filter(|index| !is_ours(&self.tree.nodes[*index].name));
        members.map(|index| (self.name(index), index)).collect()
    }

    /// A line that ends with another blank than LF does not end.
    fn blame_end(&mut self) {
        let is_other_blank = |last: &u8| last.is_ascii_whitespace() && *last != b'\n';
        if self.subject.bytes.last().is_some_and(is_other_blank)
            && self.subject.cut_bytes() == 0
            && let Some(root) = self.tree.nodes.first_mut()
        {
            root.blame("the line does not end with LF");
        }
    }

    fn annotate(&mut self) {
        // Until it is known for something else, all may be anything.
        for root in roots(self.tree) {
            self.tree.classify(root, Class::Payload);
        }
        if self.tree.nodes.first().is_none_or(|node| node.kind != Kind::Object) {
            if let Some(node) = self.tree.nodes.first_mut() {
                node.blame("a frame must be one JSON object");
            }
            return;
        }
        // What stands between the members is punctuation.
        self.tree.nodes[0].class = Class::Public;
        let members = self.members(0);
        let kind = members.get("type").and_then(|index| FrameType::from_name(unquoted(&self.text(*index))));
        let own = kind.map_or(&[][..], fields);
        let is_ok = members.get("ok").map(|index| self.value(*index) == "true");
        let missing = self.check_fields(0, &members, &[ENVELOPE, own], is_ok);
        if let Some(kind) = kind {
            self.tree.nodes[0].name = Text::literal(kind.name());
            for name in ["pack_id", "broadcaster_login", "queue"] {
                if !own.iter().any(|field| field.name == name)
                    && let Some(index) = members.get(name)
                {
                    self.tree.nodes[*index].note = None;
                    self.add_note(
                        *index,
                        "ignored: the handshake and the invocation define it (mpp-v2, identity)",
                    );
                }
            }
            if let Some(rows) = members.get("persisted").filter(|_| kind == FrameType::HelloAck) {
                self.annotate_rows(*rows);
            }
        }
        for field in missing {
            self.add_missing(0, field);
        }
    }

    /// Rows of `persisted[]`.
    fn annotate_rows(&mut self, rows: usize) {
        let rows: Vec<_> = self.tree.children(rows).collect();
        for row in rows {
            let members = self.members(row);
            let node = &mut self.tree.nodes[row];
            if node.kind != Kind::Object {
                node.blame(Expected::Object.describe());
                continue;
            }
            (node.class, node.hides_name) = (Class::Public, false);
            if let Some(field) = self.check_fields(row, &members, &[persisted()], None).first() {
                self.tree.nodes[row].blame(format!("required field `{}` is missing", field.name));
            }
        }
    }

    /// Holds the members of an object against tables of fields; the fields that are missing.
    fn check_fields(
        &mut self,
        object: usize,
        members: &BTreeMap<String, usize>,
        tables: &[&'static [Field]],
        is_ok: Option<bool>,
    ) -> Vec<&'static Field> {
        let all = || tables.iter().flat_map(|table| table.iter());
        let places: Vec<_> =
            self.tree.children(object).filter(|index| !is_ours(&self.tree.nodes[*index].name)).collect();
        for index in places {
            let name = self.name(index);
            let Some(field) = all().find(|field| field.name == name) else {
                self.tree.nodes[index].hides_name = true;
                self.add_note(index, "not a field of this frame; ignored");
                continue;
            };
            if members.get(&name) != Some(&index) {
                self.add_note(index, "repeated later; the last one counts");
            }
            self.check_field(index, field);
        }
        let is_needed = |field: &&Field| match field.requirement {
            Requirement::Always => true,
            Requirement::Never => false,
            Requirement::Accepted => is_ok == Some(true),
            Requirement::Refused => is_ok == Some(false),
        };
        all().filter(is_needed).filter(|field| !members.contains_key(field.name)).collect()
    }

    /// Says what a field is, and whether its value is that.
    fn check_field(&mut self, index: usize, field: &Field) {
        let (kind, text) = (self.tree.nodes[index].kind, self.text(index));
        let fits = field.expected.matches(kind, &text);
        let class = match field.visibility {
            Visibility::Secret => Class::Secret,
            Visibility::Public if fits => Class::Public,
            Visibility::Name if fits && self.is_accepted() => Class::Public,
            Visibility::Name if fits && is_protocol_word(field, unquoted(&text)) => Class::Public,
            Visibility::Login => Class::Login,
            Visibility::Payload | Visibility::Public | Visibility::Name => Class::Payload,
        };
        // Members of a value are the value's; those of rows are told apart below.
        self.tree.classify(index, class);
        self.tree.nodes[index].hides_name = false;
        if field.expected == Expected::Rows && fits {
            let rows: Vec<_> = self.tree.children(index).collect();
            for row in rows {
                self.tree.classify(row, Class::Payload);
            }
        }
        if fits {
            self.add_note(index, field.about);
        } else {
            self.tree.nodes[index].blame(field.expected.describe());
        }
    }

    /// Says something of a node of which nothing was said.
    fn add_note(&mut self, index: usize, words: &'static str) {
        let node = &mut self.tree.nodes[index];
        if node.note.is_none() {
            *node = node.clone().with_note(words);
        }
    }

    /// Adds a field of the frame that should be there, behind the others.
    fn add_missing(&mut self, object: usize, field: &Field) {
        let (at, depth, end) = {
            let node = &self.tree.nodes[object];
            (node.end, node.depth + 1, node.range.end)
        };
        // Nodes behind it, which no object holds, move by one.
        self.tree.nodes.iter_mut().skip(at).for_each(|node| node.end += 1);
        let mut node =
            Node { depth, end: at + 1, ..Node::new(Text::literal(field.name), Kind::Missing, end..end) };
        node.blame("required, missing");
        self.tree.nodes[object].end += 1;
        self.tree.nodes.insert(at, node);
    }

    /// Puts what the bridge found wrong to the field that it found it at.
    fn blame(&mut self) {
        let fault = match self.subject.frame().map(|frame| &frame.verdict) {
            Some(Verdict::Mpp(mpp::Verdict::Refused(fault))) => *fault,
            _ => return,
        };
        let (name, words) = match fault {
            Fault::Hello(reason) => {
                let name = match reason {
                    HelloReason::UnsupportedMppVersion => "mpp",
                    HelloReason::InvalidToken => "bridge_token",
                    HelloReason::PackIdMismatch => "pack_id",
                    HelloReason::ManifestHashMismatch => "manifest_hash",
                    HelloReason::Unpaired | HelloReason::AlreadyConnected => "type",
                };
                (name, format!("refused: {}", reason.code()))
            }
            Fault::ByAdapter => ("type", "the adapter gave up".to_owned()),
            Fault::Protocol { violation, .. } => (fault_field(violation), violation.to_string()),
        };
        let is_object = self.tree.nodes.first().is_some_and(|node| node.kind == Kind::Object);
        let members = if is_object { self.members(0) } else { BTreeMap::new() };
        let place = members.get(name).copied().unwrap_or(0);
        if let Some(node) = self.tree.nodes.get_mut(place) {
            node.blame(words);
        }
    }

    fn note_truncation(&mut self) {
        let cut = self.subject.cut_bytes();
        if cut > 0
            && let Some(node) = self.tree.nodes.first_mut()
        {
            let words = format!("cut: {cut} more bytes were not kept (limits.tap.frame_bytes_max)");
            node.note = Some(crate::dissect::tree::Note { text: words.into(), is_wrong: true, findings: 0 });
        }
    }
}

/// A JSON text without escapes, its quotes kept.
fn unescaped(text: String) -> String {
    if !text.contains('\\') {
        return text;
    }
    let inner = unquoted(&text);
    let read = serde_json::from_str::<String>(&format!("\"{inner}\""));
    match (read, inner.len() == text.len()) {
        (Ok(read), true) => read,
        (Ok(read), false) => format!("\"{read}\""),
        (Err(_), _) => text,
    }
}

fn is_ours(name: &Text) -> bool {
    matches!(name, Text::Literal(_) | Text::None)
}

fn roots(tree: &Tree) -> Vec<usize> {
    (0..tree.nodes.len()).filter(|index| tree.nodes[*index].depth == 0).collect()
}

/// Whether a name is a word of the protocol, which anybody may see whatever became of the frame.
fn is_protocol_word(field: &Field, text: &str) -> bool {
    match field.name {
        "code" => ErrorCode::ALL.iter().any(|code| code.code() == text),
        "reason" => HelloReason::ALL.iter().any(|reason| reason.code() == text),
        "level" => true,
        _ => false,
    }
}

/// The field that a violation is found at.
pub(in crate::dissect) const fn fault_field(violation: Violation) -> &'static str {
    match violation {
        Violation::Missing(name) | Violation::Mistyped(name) => name,
        Violation::Version => "mpp",
        Violation::AlreadyParked | Violation::StillInFlight | Violation::NoSuchQueue => "queue",
        Violation::NotDispatchedHere
        | Violation::AlreadyEnded
        | Violation::NotApplied
        | Violation::AlreadyApplied => "id",
        Violation::RefundAfterApplied => "refund",
        Violation::UndeclaredKey | Violation::NotTheWriter => "key",
        Violation::StateSchema | Violation::StateTooLarge => "value",
        Violation::NoType
        | Violation::UnknownType
        | Violation::HelloFirst
        | Violation::SecondHello
        | Violation::WrongDirection => "type",
        Violation::NotUtf8
        | Violation::NotJson
        | Violation::NotObject
        | Violation::TooLarge
        | Violation::TooSlow => "",
    }
}
