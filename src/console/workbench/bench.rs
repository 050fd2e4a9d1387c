//! The frame that is edited: its JSON, its bytes, which of them leads, and what is wrong with it.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use crossterm::event::{KeyCode, KeyEvent};

use super::{
    bytes::ByteEditor,
    form::FrameForm,
    from_snippet::FromSnippet,
    gate_edit::GateEdit,
    panel::Panel,
    sending::{OpenDoor, Pending},
    state::SentRecord,
    verdict::Judging,
    way::{HeadField, Way},
};
use crate::{
    console::{
        form::{Editor, overflow_text},
        worker::{JsonFault, example},
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
    /// What was foreseen of it and what became of it, where there is more than its rows show.
    Verdict,
}

/// What the frame is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leads {
    Json,
    Bytes,
    /// The bytes, of which the JSON is being made.
    Reading,
    /// The JSON, which is being made anew with ids and times of this moment.
    Refreshing,
    /// The bytes, which are being broken by this.
    Breaking(Breakage),
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
    pub(super) captured: BTreeSet<String>,
    /// Whether somebody wrote in it since it was captured.
    pub(super) is_written: bool,
    pub(super) fill: Fill,
    /// Counts the changes of what the bytes are made of.
    pub(super) revision: u64,
    pub(super) made: u64,
    /// What was begun last, and whether the frame was made by then.
    pub(super) asked: (u64, bool),
    /// Counts the changes of the bytes and of their way.
    pub(super) wire_revision: u64,
    pub(super) judging: Judging,
    pub(super) door: Option<OpenDoor>,
    pub(super) pending: Option<Pending>,
    /// What became of the frame that was sent last.
    pub(super) result: Option<Arc<SentRecord>>,
    /// Which bytes the values of the JSON are, and the change that it is about.
    pub(super) places: Places,
    pub(super) placed: u64,
    /// The names of the value that the cursor goes to once the JSON is there, the outermost first.
    pub(super) field: Vec<String>,
    /// The first line that is drawn of the JSON, and how many there are room for.
    pub(super) offset: usize,
    pub(super) height: usize,
    /// The part of the verdict that is shown.
    pub(super) panel: Panel,
    bytes_max: usize,
    /// Bytes that are decoded on the screen's thread.
    inline_bytes_max: usize,
}

/// Lines that a page of the verdict goes on.
const PANEL_PAGE: isize = 5;
/// Bytes of a frame that a byte of its JSON says at most: a number of nine bytes may be one digit and a
/// comma.
const FRAME_BYTES_A_JSON_BYTE: usize = 8;

pub(super) fn text_bytes_max(limits: &Limits) -> usize {
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
            panel: Panel::default(),
            bytes_max: usize::try_from(limits.workbench.send_bytes_max).unwrap_or(usize::MAX),
            inline_bytes_max: usize::try_from(limits.console.inspect_inline_bytes_max).unwrap_or(usize::MAX),
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
            json: self.json_alone(),
            length: self.bytes.bytes().len(),
            bytes: Some(self.bytes.bytes().to_vec()),
            foreseen: None,
            outcome: Err("not sent".to_owned()),
            written: OnceLock::new(),
        };
        Some(record.bounded())
    }

    /// The door.
    ///
    /// # Errors
    /// What is missing of it.
    pub(super) fn spec(&self) -> Result<DoorSpec, String> {
        Ok(self.way.door()?.for_first(self.bytes.bytes(), self.inline_bytes_max))
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
        let sides = [Side::Json, Side::Bytes, Side::Verdict, Side::Way(0)];
        let is_there = |side: &Side| *side != Side::Verdict || self.panel.is_scrolled();
        let sides: Vec<Side> = sides.into_iter().filter(is_there).collect();
        let here = match self.side {
            Side::Way(_) => Side::Way(0),
            side => side,
        };
        let at = sides.iter().position(|side| *side == here).unwrap_or(0);
        let by = if forward { 1 } else { sides.len() - 1 };
        self.side = sides[(at + by) % sides.len()];
    }

    /// Takes a key that the keymap has no use for. What could not be taken of it, for a person.
    pub(super) fn type_key(&mut self, key: KeyEvent, limits: &Limits, at: Wall) -> Result<(), String> {
        let page = isize::try_from(self.height).unwrap_or(1).max(1);
        match (self.side, key.code) {
            (Side::Way(index), _) => self.type_way(index, key, limits, at),
            (Side::Verdict, _) => self.type_verdict(key),
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

    /// Takes a key that scrolls the verdict; another one does nothing there.
    fn type_verdict(&mut self, key: KeyEvent) {
        match key.code {
            KeyCode::Up => self.panel.step(-1),
            KeyCode::Down => self.panel.step(1),
            KeyCode::PageUp => self.panel.step(-PANEL_PAGE),
            KeyCode::PageDown => self.panel.step(PANEL_PAGE),
            KeyCode::Home => self.panel.step(isize::MIN),
            KeyCode::End => self.panel.step(isize::MAX),
            _ => {}
        }
    }

    /// The JSON, where the frame is that and nothing else: what is broken is in the bytes alone.
    pub(super) fn json_alone(&self) -> Option<String> {
        let is_json = matches!(self.leads, Leads::Json | Leads::Refreshing) && self.breakages.is_empty();
        is_json.then(|| self.editor.text())
    }

    pub(super) fn edited_json(&mut self) {
        self.field.clear();
        // What is being made anew is made of the text as it is then.
        let is_refreshing = self.leads == Leads::Refreshing;
        self.leads = if is_refreshing { Leads::Refreshing } else { Leads::Json };
        (self.apart, self.is_written) = (None, true);
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
            Side::Verdict => {}
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
