//! Masks what a recording has of entries and snapshots.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use super::{
    encoding::{Encoding, MASK, part},
    find::{Inner, NODES_MAX, Scope, find},
    known::Known,
    lexer::{is_json, unescaped},
    message,
    numbers::NumberList,
    operators, plan,
    quotes::{self, OF_MPP, OF_PLUGIN, OF_RMP, Within},
    rule::{Facts, RedactRules},
};
use crate::{
    dissect::{
        EntrySummary, Subject,
        decoder::decode,
        json, plugin,
        rmp::{body_text, frame::is_control, msgpack},
        tree::{Tree, TreeBuilder},
    },
    rmp::{self, HEADER_BYTES, PREFIX_BYTES, SchemaId},
    tap::{
        EntryRef,
        entry::{Entry, Frame, Head, Redaction, Transition, What, runs, station},
        recorded, redact,
    },
};

/// JSON within JSON that is gone into; what is deeper is masked whole.
const INNER_MAX: usize = 3;
/// Frames that the gate stopped and that are remembered until they leave it; what leaves it of an older one
/// is masked whole.
const HELD_MAX: usize = 1_024;
/// Ranges of one frame that are noted one by one.
const RANGES_MAX: usize = 256;
/// What the texts of a plan's parts have that may say anything.
const OF_PLAN: Within = Within::Only("when");

/// Masks by rules, and remembers what it masked.
#[derive(Debug)]
pub(crate) struct Redactor {
    rules: RedactRules,
    known: Known,
    held: VecDeque<(u64, Frame)>,
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
        message::free_texts(recorded::SNAPSHOT_MESSAGE, recorded, &mut |text| {
            self.named_in_text(text, &Facts::default());
        });
        message::free_texts(recorded::SNAPSHOT_MESSAGE, recorded, &mut |text| {
            quotes::in_text(text, &self.known);
        });
    }

    /// Masks all free texts of a snapshot, where it may quote what is not known.
    pub(crate) fn whole_snapshot(recorded: &mut [u8]) {
        message::free_texts(recorded::SNAPSHOT_MESSAGE, recorded, &mut |text| text.fill(MASK));
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
            None => match text_of(&entry.what) {
                TextOf::PlanPart => quotes::in_json(&mut bytes, &self.known, OF_PLAN),
                TextOf::Path => {}
                TextOf::Words => quotes::in_text(&mut bytes, &self.known),
            },
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
        message::free_texts(recorded::ENTRY_MESSAGE, &mut recorded, &mut |text| {
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
            (what, None) if text_of(what) != TextOf::Words => {}
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
        match &frame.head {
            Head::Mpp(_) => self.named_in(bytes, Scope::of_frame(Encoding::Json, admitted, OF_MPP)),
            Head::Plugin(_) => {
                let body = part(bytes, plugin::body_of(bytes)..usize::MAX);
                self.named_in(body, Scope::of_frame(Encoding::Json, admitted, OF_PLUGIN));
            }
            Head::Rmp(head) => self.named_in_units(head, admitted, bytes),
            Head::Macp(_) => {
                let tree = decode(&subject(entry, frame, bytes), NODES_MAX);
                self.named_in_tree(bytes, &tree, Scope::of_frame(Encoding::Protobuf, admitted, &[]));
            }
        }
    }

    /// Masks what rules name in messages of the bus. Its own frames have names alone.
    fn named_in_units(&mut self, head: &rmp::Head, admitted: u64, bytes: &mut [u8]) {
        let schema = head.schema_id.map(SchemaId);
        for (place, unit) in body_text::units(bytes).into_iter().enumerate() {
            let unit = part(bytes, unit);
            if !body_text::is_json(unit) {
                if !is_control(place, unit) {
                    self.named_in_body(schema, admitted, part(unit, PREFIX_BYTES + HEADER_BYTES..usize::MAX));
                }
                continue;
            }
            let body = body_text::message(unit).map(std::borrow::Cow::into_owned);
            let text = part(unit, PREFIX_BYTES..usize::MAX);
            let list = NumberList::of(text).unwrap_or_default();
            if body.is_some_and(|body| body != list.bytes) {
                // It has its body in another place.
                text.fill(MASK);
                continue;
            }
            let mut body = list.bytes.clone();
            self.named_in_body(schema, admitted, &mut body);
            list.write(&body, text);
        }
    }

    fn named_in_body(&mut self, schema: Option<SchemaId>, admitted: u64, body: &mut [u8]) {
        operators::withhold(schema, body);
        if !body.is_empty() {
            self.named_in(body, Scope::of_frame(Encoding::MsgPack, admitted, OF_RMP));
        }
    }

    /// Masks what rules name in a text.
    fn named_in_text(&mut self, text: &mut [u8], facts: &Facts) {
        self.named_in_text_of(text, Scope::of_text(facts));
    }

    /// Masks what rules name in a text, if that is JSON or a plan.
    fn named_in_text_of(&mut self, text: &mut [u8], scope: Scope<'_>) {
        if is_json(text) && scope.depth > INNER_MAX {
            text.fill(MASK);
        } else if is_json(text) {
            self.named_in(text, scope);
        } else if plan::is_plan(text) {
            plan::mask(text, &self.rules);
        }
    }

    /// Masks what rules name in bytes.
    fn named_in(&mut self, bytes: &mut [u8], scope: Scope<'_>) {
        let mut builder = TreeBuilder::new(NODES_MAX);
        match scope.encoding {
            Encoding::MsgPack => msgpack::read(bytes, 0..bytes.len(), "body", true, &mut builder),
            _ => json::read(bytes, "body", &mut builder),
        }
        self.named_in_tree(bytes, &builder.finish(), scope);
    }

    fn named_in_tree(&mut self, bytes: &mut [u8], tree: &Tree, scope: Scope<'_>) {
        let found = find(tree, bytes, &self.rules, scope);
        for target in found.targets {
            let mut unnamed = Known::default();
            let known = if target.is_named { &mut self.known } else { &mut unnamed };
            target.encoding.mask(part(bytes, target.range), known);
        }
        for inner in found.inner {
            self.named_in_inner(bytes, &inner, scope);
        }
    }

    /// Masks what rules name in a text within. One that is escaped has other places: it is masked whole.
    fn named_in_inner(&mut self, bytes: &mut [u8], inner: &Inner, around: Scope<'_>) {
        let text = Scope::of_text(&inner.facts);
        let scope = Scope { is_loose: around.is_loose, depth: around.depth + 1, ..text };
        let content = part(bytes, inner.range.clone());
        if !inner.is_escaped {
            return self.named_in_text_of(content, scope);
        }
        let plain = unescaped(content).0;
        let mut masked = plain.clone();
        self.named_in_text_of(&mut masked, scope);
        if masked != plain {
            content.fill(MASK);
        }
    }

    /// Masks what is known in a frame.
    fn quoted(&self, entry: &Entry, frame: &Frame, bytes: &mut [u8]) {
        match &frame.head {
            Head::Mpp(_) => quotes::in_json(bytes, &self.known, Within::AllBut(OF_MPP)),
            Head::Plugin(_) => {
                let body = part(bytes, plugin::body_of(bytes)..usize::MAX);
                quotes::in_json(body, &self.known, Within::AllBut(OF_PLUGIN));
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

/// What the text next to an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextOf {
    /// It may say anything.
    Words,
    /// A part of a run's plan, which a replay reads.
    PlanPart,
    /// The path of a recording.
    Path,
}

fn text_of(what: &What) -> TextOf {
    use runs::Transition::{Planned, Submitted};
    use station::Transition::{AlwaysRecording, RecordingStarted, RecordingStopped};
    match what {
        What::Transition(Transition::Runs(Submitted { .. } | Planned { .. })) => TextOf::PlanPart,
        What::Transition(Transition::Station(
            RecordingStarted | RecordingStopped { .. } | AlwaysRecording,
        )) => TextOf::Path,
        _ => TextOf::Words,
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
