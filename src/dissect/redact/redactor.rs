//! Masks what a recording has of entries and snapshots.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use super::{
    encoding::{Encoding, MASK, binary, leaves, part},
    find::{Inner, Scope, find},
    known::Known,
    lexer::{is_json, unescaped},
    message,
    numbers::NumberList,
    plan, quotes,
    rule::{Facts, RedactRules},
};
use crate::{
    dissect::{
        EntrySummary, Subject,
        decoder::decode,
        json, plugin,
        rmp::{body_text, msgpack},
        tree::{Tree, TreeBuilder},
    },
    rmp::{HEADER_BYTES, PREFIX_BYTES, SchemaId},
    tap::{
        EntryRef,
        entry::{Entry, Frame, Head, Redaction, Transition, What, station},
        recorded, redact,
    },
};

/// Values of a frame that are looked through; one that has more is masked whole.
const NODES_MAX: usize = 65_536;
/// JSON within JSON that is gone into.
const INNER_MAX: usize = 3;
/// Frames that the gate stopped and that are remembered until they leave it; what leaves it of an older one
/// is masked whole.
const HELD_MAX: usize = 1_024;
/// Ranges of one frame that are noted one by one.
const RANGES_MAX: usize = 256;

/// Members of a frame of the bridge that are the protocol's.
const OF_MPP: &[&str] =
    &["mpp", "type", "id", "queue", "event", "ok", "refund", "level", "key", "code", "session_id"];
/// Of a body of the bus.
const OF_RMP: &[&str] = &["type"];
/// Of a message of a plugin.
const OF_PLUGIN: &[&str] = &["jsonrpc", "id", "method"];

/// Where an answer to an operator has what the station knows, and a question what is asked.
const OF_ANSWERS: [&[u8]; 2] = [b"json", b"snapshot"];
/// How questions begin that have frames in them, in whatever form.
const WITH_FRAMES: [&[u8]; 2] = [br#"{"command":{"workbench""#, br#"{"command":{"gate""#];

/// Masks by rules, and remembers what it masked.
#[derive(Debug)]
pub(crate) struct Redactor {
    rules: RedactRules,
    known: Known,
    held: VecDeque<(u64, Frame)>,
}

/// A part of some bytes, and what is said of it.
#[derive(Clone)]
struct Part<'a> {
    range: Range<usize>,
    encoding: Encoding,
    admitted: u64,
    facts: &'a Facts,
    is_loose: bool,
    kept: &'static [&'static str],
    depth: usize,
}

impl<'a> Part<'a> {
    /// One that rules are for, by their places.
    const fn of_frame(
        range: Range<usize>,
        encoding: Encoding,
        admitted: u64,
        kept: &'static [&'static str],
    ) -> Self {
        const NOTHING: &Facts = &Facts { event: None, topic: None };
        Self { range, encoding, admitted, facts: NOTHING, is_loose: false, kept, depth: 0 }
    }

    /// All of a text that is JSON.
    const fn of_text(len: usize, facts: &'a Facts) -> Self {
        Self {
            range: 0..len,
            encoding: Encoding::Json,
            admitted: 0,
            facts,
            is_loose: true,
            kept: &[],
            depth: 0,
        }
    }
}

impl Redactor {
    /// One that masks by these rules.
    pub(crate) fn new(rules: RedactRules) -> Self {
        Self { rules, known: Known::default(), held: VecDeque::new() }
    }

    /// Notes the values that rules name in entries that are written later.
    pub(crate) fn learn(&mut self, entries: &[EntryRef<'_>]) {
        for entry in entries {
            drop(self.named(*entry));
        }
    }

    /// The recorded form of entries, in order. A value that is named in any of them is masked in all.
    pub(crate) fn entries(&mut self, entries: &[EntryRef<'_>]) -> Vec<Vec<u8>> {
        let masked: Vec<Vec<u8>> = entries.iter().map(|entry| self.named(*entry)).collect();
        entries.iter().zip(masked).map(|(entry, bytes)| self.recorded(*entry, bytes)).collect()
    }

    /// Masks the recorded form of a snapshot.
    pub(crate) fn snapshot(&mut self, recorded: &mut [u8]) {
        // First what is named in any of its texts, then what quotes it in all.
        message::snapshot_texts(recorded, &mut |text| self.named_in_text(text, &Facts::default()));
        message::snapshot_texts(recorded, &mut |text| quotes::in_text(text, &self.known));
    }

    /// Masks what is known in a text.
    pub(crate) fn text(&self, text: &mut [u8]) {
        quotes::in_text(text, &self.known);
    }

    /// An entry whose bytes are masked where rules name them, in its recorded form.
    fn recorded(&mut self, EntryRef { entry, bytes: before }: EntryRef<'_>, mut bytes: Vec<u8>) -> Vec<u8> {
        let mut entry = entry.clone();
        match self.frame_of(&entry.what) {
            Some(Frame { redaction: Redaction::Withheld, .. }) => {}
            Some(frame) => self.quoted(&entry, &frame.clone(), &mut bytes),
            None => quotes::in_text(&mut bytes, &self.known),
        }
        let redaction = match &mut entry.what {
            What::Frame(frame) => Some(&mut frame.redaction),
            What::Intercepted(it) => Some(&mut it.frame.redaction),
            _ => None,
        };
        if let Some(redaction) = redaction {
            note(redaction, before, &bytes);
        }
        let mut recorded = recorded::encode(EntryRef { entry: &entry, bytes: &bytes });
        message::entry_texts(&mut recorded, &mut |text| {
            self.named_in_text(text, &Facts::default());
            quotes::in_text(text, &self.known);
        });
        recorded
    }

    /// The frame whose bytes an entry has.
    fn frame_of<'a>(&'a self, what: &'a What) -> Option<&'a Frame> {
        match what {
            What::Frame(frame) => Some(frame),
            What::Intercepted(it) => Some(&it.frame),
            What::Passed(it) => {
                self.held.iter().find(|(number, _)| *number == it.number).map(|(_, frame)| frame)
            }
            _ => None,
        }
    }

    /// The bytes of an entry, masked where rules name them.
    fn named(&mut self, of: EntryRef<'_>) -> Vec<u8> {
        let mut bytes = of.bytes.to_vec();
        if let What::Intercepted(it) = &of.entry.what
            && !self.held.iter().any(|(number, _)| *number == it.number)
        {
            self.held.truncate(HELD_MAX - 1);
            self.held.push_front((it.number, it.frame.clone()));
        }
        if bytes.is_empty() {
            self.learn_command(&of.entry.what);
            return bytes;
        }
        let frame = self.frame_of(&of.entry.what).cloned();
        match (&of.entry.what, frame) {
            (_, Some(Frame { redaction: Redaction::Withheld, .. })) => {}
            (What::Frame(_), Some(frame)) => {
                let admitted = self.admitted(of);
                self.named_in_frame(of.entry, &frame, admitted, &mut bytes);
            }
            (_, Some(frame)) => {
                let wire_bytes = match &of.entry.what {
                    What::Passed(_) => u32::try_from(bytes.len()).unwrap_or(u32::MAX),
                    _ => frame.wire_bytes,
                };
                let frame = Frame { wire_bytes, ..frame };
                let entry = Entry { what: What::Frame(frame.clone()), ..of.entry.clone() };
                let admitted = self.admitted(of) | self.admitted(EntryRef { entry: &entry, bytes: of.bytes });
                self.named_in_frame(&entry, &frame, admitted, &mut bytes);
            }
            (What::Passed(_), None) => bytes.fill(MASK),
            (what, None) => {
                let of = EntrySummary::of(of.entry);
                let text = |it: Option<&str>| it.map(str::to_owned);
                let facts = Facts {
                    event: text(of.event.map(crate::ids::EventName::as_str)),
                    topic: text(of.topic.map(crate::ids::TopicName::as_str)),
                };
                self.named_in_text(&mut bytes, &facts);
                self.learn_command(what);
            }
        }
        bytes
    }

    /// Notes what rules name in a command, and in what came of one.
    fn learn_command(&mut self, what: &What) {
        if let What::Transition(Transition::Station(
            station::Transition::Operated { command: Some(text), .. }
            | station::Transition::OperationEnded { outcome: text },
        )) = what
        {
            self.named_in_text(&mut text.as_bytes().to_vec(), &Facts::default());
        }
    }

    /// The rules that are for an entry, by their places.
    fn admitted(&self, entry: EntryRef<'_>) -> u64 {
        let rules = self.rules.iter().enumerate().filter(|(_, rule)| rule.admits(entry));
        rules.fold(0, |all, (number, _)| all | 1 << number)
    }

    fn named_in_frame(&mut self, entry: &Entry, frame: &Frame, admitted: u64, bytes: &mut [u8]) {
        let all = bytes.len();
        match &frame.head {
            Head::Mpp(_) => self.named_in(bytes, &Part::of_frame(0..all, Encoding::Json, admitted, OF_MPP)),
            Head::Plugin(_) => {
                let body = plugin::body_of(bytes);
                self.named_in(bytes, &Part::of_frame(body..all, Encoding::Json, admitted, OF_PLUGIN));
            }
            Head::Rmp(head) => self.named_in_units(head.schema_id.map(SchemaId), admitted, bytes),
            Head::Macp(_) => {
                let tree = decode(&subject(entry, frame, bytes), NODES_MAX);
                let part = Part::of_frame(0..all, Encoding::Protobuf, admitted, &[]);
                self.named_in_tree(bytes, &tree, &part);
            }
        }
    }

    fn named_in_units(&mut self, schema: Option<SchemaId>, admitted: u64, bytes: &mut [u8]) {
        for unit in body_text::units(bytes) {
            let unit = part(bytes, unit);
            let len = unit.len();
            if body_text::is_json(unit) {
                let text = Part::of_frame(PREFIX_BYTES..len, Encoding::Json, admitted, &[]);
                self.named_in(unit, &text);
                let Some(list) = NumberList::of(part(unit, PREFIX_BYTES..len)) else { continue };
                let mut body = list.bytes.clone();
                let within = Part::of_frame(0..body.len(), Encoding::MsgPack, admitted, OF_RMP);
                self.named_in(&mut body, &within);
                list.write(&body, part(unit, PREFIX_BYTES..len));
                continue;
            }
            let body = PREFIX_BYTES + HEADER_BYTES..len;
            if matches!(schema, Some(SchemaId::OPERATOR_REQ | SchemaId::OPERATOR_RESP)) {
                withhold(part(unit, body.clone()), schema == Some(SchemaId::OPERATOR_RESP));
            }
            if body.start < len {
                self.named_in(unit, &Part::of_frame(body, Encoding::MsgPack, admitted, OF_RMP));
            }
        }
    }

    /// Masks what rules name in a text, if that is JSON or a plan.
    fn named_in_text(&mut self, text: &mut [u8], facts: &Facts) {
        if is_json(text) {
            self.named_in(text, &Part::of_text(text.len(), facts));
        } else if plan::is_plan(text) {
            plan::mask(text, &self.rules, &mut self.known);
        }
    }

    /// Masks what rules name in a part of bytes.
    fn named_in(&mut self, bytes: &mut [u8], of: &Part<'_>) {
        let mut builder = TreeBuilder::new(NODES_MAX);
        match of.encoding {
            Encoding::MsgPack => msgpack::read(bytes, of.range.clone(), "body", true, &mut builder),
            _ => json::read_within(bytes, of.range.clone(), "body", &mut builder),
        }
        self.named_in_tree(bytes, &builder.finish(), of);
    }

    fn named_in_tree(&mut self, bytes: &mut [u8], tree: &Tree, of: &Part<'_>) {
        let Part { encoding, admitted, facts, is_loose, kept, .. } = *of;
        let found =
            find(tree, bytes, encoding, Scope { rules: &self.rules, admitted, facts, is_loose, kept });
        for target in found.targets {
            let mut unnamed = Known::default();
            let known = if target.is_named { &mut self.known } else { &mut unnamed };
            target.encoding.mask(part(bytes, target.range), known);
        }
        if of.depth < INNER_MAX {
            for inner in found.inner {
                self.named_in_inner(bytes, &inner, of);
            }
        }
    }

    /// Masks what rules name in a text within. One that is escaped has other places: it is masked whole.
    fn named_in_inner(&mut self, bytes: &mut [u8], inner: &Inner, of: &Part<'_>) {
        let content = part(bytes, inner.range.clone());
        if !inner.is_escaped {
            return self.named_in_nested(content, inner, of);
        }
        let plain = unescaped(content).0;
        let mut masked = plain.clone();
        self.named_in_nested(&mut masked, inner, of);
        if masked != plain {
            content.fill(MASK);
        }
    }

    fn named_in_nested(&mut self, text: &mut [u8], inner: &Inner, of: &Part<'_>) {
        if is_json(text) {
            let all = Part::of_text(text.len(), &inner.facts);
            self.named_in(text, &Part { is_loose: of.is_loose, depth: of.depth + 1, ..all });
        } else if plan::is_plan(text) {
            plan::mask(text, &self.rules, &mut self.known);
        }
    }

    /// Masks what is known in a frame.
    fn quoted(&self, entry: &Entry, frame: &Frame, bytes: &mut [u8]) {
        match &frame.head {
            Head::Mpp(_) => quotes::in_json(bytes, &self.known),
            Head::Plugin(_) => {
                let body = plugin::body_of(bytes);
                quotes::in_json(part(bytes, body..usize::MAX), &self.known);
            }
            Head::Rmp(_) => quotes::in_units(bytes, &self.known),
            Head::Macp(_) => quotes::in_call(&subject(entry, frame, bytes), bytes, &self.known),
        }
    }
}

/// An entry as it is decoded, of this frame.
fn subject(entry: &Entry, frame: &Frame, bytes: &[u8]) -> Subject {
    Subject { entry: Entry { what: What::Frame(frame.clone()), ..entry.clone() }, bytes: Arc::from(bytes) }
}

/// Masks what a question or an answer of an operator holds in a form of its own: pages of rows, snapshots,
/// entries and frames. What the station says by them is in the recording anyway.
fn withhold(body: &mut [u8], is_answer: bool) {
    let (mut of, mut is_next) = (Vec::new(), false);
    leaves(body, |leaf| {
        let content = leaf.text.clone().or_else(|| {
            let of_binary = binary(body.get(leaf.range.clone())?)?;
            Some(leaf.range.start + of_binary.start..leaf.range.start + of_binary.end)
        });
        let bytes = content.clone().and_then(|content| body.get(content)).unwrap_or_default();
        if leaf.is_name {
            is_next = OF_ANSWERS.contains(&bytes);
        } else if std::mem::take(&mut is_next)
            && (is_answer || WITH_FRAMES.iter().any(|it| bytes.starts_with(it)))
        {
            of.extend(content);
        }
    });
    for content in of {
        part(body, content).fill(MASK);
    }
}

/// Notes where bytes were masked.
fn note(redaction: &mut Redaction, before: &[u8], after: &[u8]) {
    let mut ranges: Vec<Range<u32>> = match redaction {
        Redaction::Withheld => return,
        Redaction::None => Vec::new(),
        Redaction::Masked(ranges) => ranges.to_vec(),
    };
    let mut changed = before.iter().zip(after).enumerate().filter(|(_, (one, other))| one != other);
    let Some((first, _)) = changed.next() else { return };
    let mut run = first..first + 1;
    for (at, _) in changed {
        if at == run.end {
            run.end += 1;
        } else {
            ranges.extend(redact::range(run.start, run.len()));
            run = at..at + 1;
        }
    }
    ranges.extend(redact::range(run.start, run.len()));
    let mut merged = redact::merged(ranges);
    if merged.len() > RANGES_MAX {
        let last = merged.last().map_or(0, |range| range.end);
        merged.truncate(RANGES_MAX);
        if let Some(range) = merged.last_mut() {
            range.end = last;
        }
    }
    *redaction = Redaction::Masked(merged.into());
}
