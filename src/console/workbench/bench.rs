//! The frame that is edited: its JSON, its bytes, which of them leads, and what is wrong with it.

use std::{collections::BTreeSet, sync::Arc};

use crossterm::event::{KeyCode, KeyEvent};

use super::{
    bytes::ByteEditor,
    form::FrameForm,
    from_snippet::FromSnippet,
    gate_edit::GateEdit,
    sending::{OpenDoor, Pending},
    state::SentRecord,
    verdict::Judging,
    way::{HeadField, Way},
};
use crate::{
    console::{
        form::{Editor, overflow_text},
        worker::{Before, FrameAnswer, FrameJob, FrameWork, JsonFault, MadeFrame, Reads, example, refreshed},
    },
    dissect::frame_json::{Breakage, Fill, Format, FrameFault, Places},
    ids::Seq,
    limits::Limits,
    port::DoorSpec,
    time::Wall,
};

/// What has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A field of the head.
    Way(usize),
    Json,
    Bytes,
}

/// What the frame is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leads {
    Json,
    Bytes,
    /// The bytes, of which the JSON is being made.
    Reading,
}

/// The workbench.
#[derive(Debug)]
pub(crate) struct Workbench {
    pub(super) way: Way,
    pub(super) side: Side,
    pub(super) editor: Editor,
    /// What is shown in the place of the JSON.
    pub(super) form: Option<FrameForm>,
    pub(super) bytes: ByteEditor,
    pub(super) leads: Leads,
    /// What is broken of the frame that the JSON says, in this order.
    pub(super) breakages: Vec<Breakage>,
    pub(super) fault: Option<FrameFault>,
    pub(super) json_fault: Option<JsonFault>,
    /// Why the JSON is not that of the bytes.
    pub(super) apart: Option<String>,
    /// The captured frame that it was made of.
    pub(super) of: Option<Seq>,
    /// The snippet that it was made of.
    pub(super) snippet: Option<FromSnippet>,
    /// The frame at the gate that it takes the place of.
    pub(super) at_gate: Option<GateEdit>,
    /// The lines that nobody edited: those of a captured frame.
    captured: BTreeSet<String>,
    /// Whether somebody wrote in it since it was captured.
    pub(super) is_written: bool,
    fill: Fill,
    /// Counts the changes of what the bytes are made of.
    revision: u64,
    made: u64,
    /// What was begun last, and whether the frame was made by then.
    asked: (u64, bool),
    /// Counts the changes of the bytes and of their way.
    pub(super) wire_revision: u64,
    pub(super) judging: Judging,
    pub(super) door: Option<OpenDoor>,
    pub(super) pending: Option<Pending>,
    /// What became of the frame that was sent last.
    pub(super) result: Option<Arc<SentRecord>>,
    /// Which bytes the values of the JSON are, and the change that it is about.
    pub(super) places: Places,
    placed: u64,
    /// The names of the value that the cursor goes to once the JSON is there, the outermost first.
    pub(super) field: Vec<String>,
    /// The first line that is drawn of the JSON, and how many there are room for.
    pub(super) offset: usize,
    pub(super) height: usize,
    bytes_max: usize,
}

/// Bytes of a frame that a byte of its JSON says at most: a number of nine bytes may be one digit and a
/// comma.
const FRAME_BYTES_A_JSON_BYTE: usize = 8;

fn text_bytes_max(limits: &Limits) -> usize {
    usize::try_from(limits.console.form_bytes_max).unwrap_or(usize::MAX)
}

impl Workbench {
    /// A frame of a way that begins with the smallest example of its kind.
    pub(super) fn of(way: Way, limits: &Limits, at: Wall) -> Self {
        let text = example(way.format(), limits, at);
        let mut editor = Editor::of(&text, text_bytes_max(limits));
        editor.jump(0, 0);
        Self {
            way,
            side: Side::Json,
            editor,
            form: None,
            bytes: ByteEditor::default(),
            leads: Leads::Json,
            breakages: Vec::new(),
            fault: None,
            json_fault: None,
            apart: None,
            of: None,
            snippet: None,
            at_gate: None,
            captured: BTreeSet::new(),
            is_written: false,
            fill: Fill::at(at, 0),
            revision: 1,
            made: 0,
            asked: (0, false),
            wire_revision: 1,
            judging: Judging::default(),
            door: None,
            pending: None,
            result: None,
            places: Places::default(),
            placed: 0,
            field: Vec::new(),
            offset: 0,
            height: 1,
            bytes_max: usize::try_from(limits.workbench.send_bytes_max).unwrap_or(usize::MAX),
        }
    }

    /// Goes on with a frame that the gate holds, by the way that it goes, and the entry that says so. What is
    /// asked of one frame is answered for no other.
    pub(super) fn load_held(
        &mut self,
        (way, of): (Way, Option<Seq>),
        bytes: Vec<u8>,
        edit: GateEdit,
        limits: &Limits,
    ) {
        let others = edit.number.saturating_add(1) << 32;
        (self.revision, self.wire_revision) = (self.revision + others, self.wire_revision + others);
        self.at_gate = Some(edit);
        self.load((way, of), bytes, limits);
    }

    /// Goes on with other bytes, and has their JSON made, unless it is too long whatever they say.
    pub(super) fn load(&mut self, (way, of): (Way, Option<Seq>), bytes: Vec<u8>, limits: &Limits) {
        (self.way, self.of, self.side, self.snippet) = (way, of, Side::Json, None);
        self.result = None;
        let json_bytes_min = bytes.len() / FRAME_BYTES_A_JSON_BYTE;
        self.bytes.set(bytes);
        self.bytes.jump(0);
        self.editor = Editor::of("", text_bytes_max(limits));
        (self.offset, self.breakages, self.fault, self.json_fault) = (0, Vec::new(), None, None);
        (self.leads, self.is_written) = (Leads::Reading, false);
        self.apart = Some("reading the bytes".to_owned());
        self.field.clear();
        if json_bytes_min > text_bytes_max(limits) {
            self.bytes_lead("the JSON is too long (limits.console.form_bytes_max)".to_owned());
        }
        self.changed();
    }

    /// Goes on with another JSON.
    pub(super) fn load_json(&mut self, way: Way, text: &str, limits: &Limits) {
        (self.way, self.of, self.side, self.leads) = (way, None, Side::Json, Leads::Json);
        (self.snippet, self.result) = (None, None);
        self.field.clear();
        (self.breakages, self.apart, self.offset) = (Vec::new(), None, 0);
        self.editor = Editor::of(text, text_bytes_max(limits));
        self.editor.jump(0, 0);
        self.captured.clear();
        self.changed();
    }

    /// Goes on with a frame that was sent, and what became of it.
    pub(super) fn load_sent(&mut self, sent: &Arc<SentRecord>, limits: &Limits) {
        match (&sent.json, &sent.bytes) {
            (Some(json), _) => self.load_json(sent.way.clone(), json, limits),
            (None, Some(bytes)) => {
                self.load((sent.way.clone(), None), bytes.clone(), limits);
                self.bytes_lead("the bytes that were sent".to_owned());
            }
            (None, None) => {}
        }
        self.result = sent.outcome.is_ok().then(|| Arc::clone(sent));
    }

    /// The draft as it is listed among the frames that were sent, where somebody wrote in it: a captured
    /// frame that is as it was captured can be opened again.
    pub(super) fn unsent(&self, limits: &Limits, at: Wall) -> Option<SentRecord> {
        let is_sent =
            self.result.as_ref().is_some_and(|sent| sent.json.as_deref() == Some(&self.editor.text()));
        let is_as_captured = self.of.is_some() && !self.is_written;
        if is_sent || is_as_captured || self.is_example(limits, at) {
            return None;
        }
        let record = SentRecord {
            at,
            way: self.way.clone(),
            door: self.spec().map_or_else(|why| why, |door| door.words()),
            // What is broken is in the bytes alone.
            json: (self.leads == Leads::Json && self.breakages.is_empty()).then(|| self.editor.text()),
            length: self.bytes.bytes().len(),
            bytes: Some(self.bytes.bytes().to_vec()),
            foreseen: None,
            outcome: Err("not sent".to_owned()),
        };
        Some(record.bounded())
    }

    pub(super) fn changed(&mut self) {
        self.revision += 1;
        self.wire_revision += 1;
    }

    /// Whether the bytes are those of the text as it is.
    pub(super) const fn is_made(&self) -> bool {
        match self.leads {
            Leads::Json => self.made == self.revision && self.json_fault.is_none(),
            Leads::Bytes | Leads::Reading => true,
        }
    }

    /// Whether it is known which bytes the values of the text are.
    pub(super) fn is_placed(&self) -> bool {
        self.leads == Leads::Json && self.placed == self.revision && self.is_made()
    }

    /// The door.
    ///
    /// # Errors
    /// What is missing of it.
    pub(super) fn spec(&self) -> Result<DoorSpec, String> {
        Ok(self.way.door()?.for_first(self.bytes.bytes()))
    }

    /// The work that is due on its JSON or its bytes.
    pub(super) fn work(&self, limits: &Limits, at: Wall) -> Option<FrameJob> {
        let work = match self.leads {
            Leads::Bytes => return None,
            Leads::Json if self.made == self.revision && (self.json_fault.is_some() || self.is_placed()) => {
                return None;
            }
            Leads::Json if self.made == self.revision => {
                FrameWork::Place { text: self.editor.text(), bytes: self.bytes.bytes().to_vec() }
            }
            Leads::Json => FrameWork::Encode {
                text: self.editor.text(),
                before: match (&self.at_gate, self.way.topic()) {
                    (Some(edit), _) => Before::Frames(edit.before.clone()),
                    (None, Some(topic)) => Before::Publish(topic.to_owned()),
                    (None, None) => Before::Nothing,
                },
                fill: self.fill,
                breakages: self.breakages.clone(),
            },
            Leads::Reading => FrameWork::Decode {
                bytes: self.bytes.bytes().to_vec(),
                reads: match (&self.at_gate, self.way.topic()) {
                    (Some(_), _) => Reads::Held,
                    (None, Some(_)) => Reads::Published(at),
                    (None, None) => Reads::Frame(at),
                },
            },
        };
        Some(FrameJob { number: self.revision, format: self.way.format(), work, limits: Box::new(*limits) })
    }

    /// Whether the work that is due is being done.
    pub(super) const fn has_begun(&self) -> bool {
        self.asked.0 == self.revision && self.asked.1 == (self.made == self.revision)
    }

    /// Whether its bytes are being made of its JSON.
    pub(super) const fn is_being_made(&self) -> bool {
        matches!(self.leads, Leads::Json) && self.asked.0 == self.revision && self.made != self.revision
    }

    /// Notes that it is.
    pub(super) const fn begin(&mut self) {
        self.asked = (self.revision, self.made == self.revision);
    }

    /// Takes what came of a job, unless something was changed meanwhile.
    pub(super) fn on_answer(&mut self, number: u64, answer: FrameAnswer, limits: &Limits) {
        if number != self.revision {
            return;
        }
        match answer {
            FrameAnswer::Made(Ok(MadeFrame { wire, fault })) => {
                self.bytes.set(wire);
                (self.fault, self.json_fault, self.made) = (fault, None, number);
                self.wire_revision += 1;
            }
            FrameAnswer::Placed(places) => {
                (self.places, self.placed) = (places, number);
                self.go_to_field();
            }
            FrameAnswer::Made(Err(fault)) => {
                (self.json_fault, self.fault, self.made) = (Some(fault), None, number);
            }
            FrameAnswer::Read(Ok(text)) if text.len() <= text_bytes_max(limits) => {
                self.editor = Editor::of(&text, text_bytes_max(limits));
                self.editor.jump(0, 0);
                self.captured = if self.of.is_some() || self.at_gate.is_some() {
                    text.lines().map(str::to_owned).collect()
                } else {
                    BTreeSet::new()
                };
                (self.leads, self.apart, self.json_fault) = (Leads::Json, None, None);
                self.changed();
            }
            FrameAnswer::Read(Ok(text)) => {
                let bytes = text.len();
                self.bytes_lead(format!("the JSON has {bytes} bytes (limits.console.form_bytes_max)"));
            }
            FrameAnswer::Read(Err(why)) => self.bytes_lead(format!("these bytes have no JSON: {why}")),
        }
    }

    pub(super) fn bytes_lead(&mut self, why: String) {
        (self.leads, self.apart, self.json_fault, self.fault) = (Leads::Bytes, Some(why), None, None);
        self.breakages.clear();
    }

    /// Refreshes ids, times and TTLs; where the bytes lead, the JSON is made of them.
    pub(super) fn refresh(&mut self, at: Wall, number: u64) {
        if self.leads == Leads::Bytes {
            self.leads = Leads::Reading;
        } else if let Ok(text) = refreshed(&self.editor.text(), at)
            && text != self.editor.text()
        {
            let cursor = self.editor.cursor();
            self.editor.replace(&text);
            self.editor.jump(cursor.0, cursor.1);
        }
        self.breakages.clear();
        self.renew(at, number);
    }

    /// The frame that is made next has ids and times of its own.
    pub(super) fn renew(&mut self, at: Wall, number: u64) {
        self.fill = Fill::at(at, number);
        self.changed();
    }

    pub(super) fn edited_bytes(&mut self) {
        self.is_written = true;
        self.bytes_lead("the bytes were edited".to_owned());
        self.changed();
    }

    /// Whether a line of the JSON is that of a captured frame still.
    pub(super) fn is_captured(&self, line: &str) -> bool {
        self.captured.contains(line)
    }

    /// Which of some lines are, from 0.
    pub(super) fn captured_lines<'a>(&self, lines: impl Iterator<Item = &'a str>) -> BTreeSet<usize> {
        lines.enumerate().filter(|(_, line)| self.is_captured(line)).map(|(index, _)| index).collect()
    }

    /// The lines of a captured frame that nobody edited.
    pub(super) fn set_captured(&mut self, lines: BTreeSet<String>) {
        self.captured = lines;
    }

    /// Counts its changes.
    pub(super) const fn revision(&self) -> u64 {
        self.revision
    }

    /// To the next side, or the one before.
    pub(super) fn cycle(&mut self, forward: bool) {
        self.side = match (self.side, forward) {
            (Side::Json, true) | (Side::Way(_), false) => Side::Bytes,
            (Side::Bytes, true) | (Side::Json, false) => Side::Way(0),
            (Side::Way(_), true) | (Side::Bytes, false) => Side::Json,
        };
    }

    /// Takes a key that the keymap has no use for. What could not be taken of it, for a person.
    pub(super) fn type_key(&mut self, key: KeyEvent, limits: &Limits, at: Wall) -> Result<(), String> {
        let page = isize::try_from(self.height).unwrap_or(1).max(1);
        match (self.side, key.code) {
            (Side::Way(index), _) => self.type_way(index, key, limits, at),
            (Side::Json, _) if self.form.is_some() => return self.type_field(key, limits),
            (Side::Json, KeyCode::PageUp) => self.editor.step(-page),
            (Side::Json, KeyCode::PageDown) => self.editor.step(page),
            (Side::Json, _) => match self.editor.key(key) {
                Ok(true) => self.edited_json(),
                Ok(false) => {}
                Err(over) => return Err(overflow_text(over, "form_bytes_max")),
            },
            (Side::Bytes, KeyCode::PageUp) => self.bytes.step(-page),
            (Side::Bytes, KeyCode::PageDown) => self.bytes.step(page),
            (Side::Bytes, _) => {
                if self.bytes.key(key, self.bytes_max) {
                    self.edited_bytes();
                }
            }
        }
        Ok(())
    }

    pub(super) fn edited_json(&mut self) {
        self.field.clear();
        (self.leads, self.apart, self.is_written) = (Leads::Json, None, true);
        self.breakages.clear();
        self.changed();
    }

    /// Takes pasted text; bytes take digits. What could not be taken of it, for a person.
    pub(super) fn paste(&mut self, text: &str, limits: &Limits, at: Wall) -> Result<(), String> {
        match self.side {
            Side::Way(index) => {
                let (before, is_blank) = (self.way.format(), self.is_example(limits, at));
                if let Some(HeadField::Text(_, value)) = self.way.fields().get_mut(index) {
                    value.extend(text.chars().filter(|character| !character.is_control()).take(256));
                }
                self.way_changed(before, is_blank, limits, at);
            }
            Side::Json if self.form.is_some() => return self.paste_field(text, limits),
            Side::Json => {
                let over = if self.is_example(limits, at) {
                    self.editor.replace(text)
                } else {
                    self.editor.paste(text)
                };
                self.edited_json();
                if over > 0 {
                    return Err(overflow_text(over, "form_bytes_max"));
                }
            }
            Side::Bytes => {
                for digit in text.chars().filter(char::is_ascii_hexdigit) {
                    self.bytes.key(KeyEvent::from(KeyCode::Char(digit)), self.bytes_max);
                }
                self.edited_bytes();
            }
        }
        Ok(())
    }

    /// Whether nobody wrote in its JSON.
    pub(super) fn is_example(&self, limits: &Limits, at: Wall) -> bool {
        self.leads == Leads::Json && self.editor.text() == example(self.way.format(), limits, at)
    }

    fn type_way(&mut self, index: usize, key: KeyEvent, limits: &Limits, at: Wall) {
        let is_blank = self.is_example(limits, at);
        let before = self.way.clone();
        let mut fields = self.way.fields();
        let count = fields.len();
        match (fields.get_mut(index), key.code) {
            (_, KeyCode::Up) => self.side = Side::Way((index + count - 1) % count.max(1)),
            (_, KeyCode::Down | KeyCode::Enter) => self.side = Side::Way((index + 1) % count.max(1)),
            (Some(HeadField::Choice(_, choice)), KeyCode::Left) => choice.cycle(false),
            (Some(HeadField::Choice(_, choice)), KeyCode::Right | KeyCode::Char(' ')) => choice.cycle(true),
            (Some(HeadField::Choice(_, choice)), KeyCode::Char(letter)) => choice.seek(letter),
            (Some(HeadField::Text(_, text)), KeyCode::Char(letter)) if text.len() < 256 => text.push(letter),
            (Some(HeadField::Text(_, text)), KeyCode::Backspace) => drop(text.pop()),
            _ => {}
        }
        if self.way != before {
            self.way_changed(before.format(), is_blank, limits, at);
        }
    }

    /// Another way takes frames of another format, maybe. What is broken of one of the same format stays so.
    fn way_changed(&mut self, before: Format, is_blank: bool, limits: &Limits, at: Wall) {
        if self.way.format() != before {
            if is_blank {
                let (way, side) = (self.way.clone(), self.side);
                self.load_json(way.clone(), &example(way.format(), limits, at), limits);
                self.side = side;
            }
            self.breakages.clear();
        }
        self.is_written = true;
        self.changed();
    }
}
