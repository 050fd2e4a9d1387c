//! The bytes that the JSON says, and the JSON of bytes, made one change after the other: at once, or beside
//! the screen's thread where there is much of it.

use std::collections::BTreeSet;

use super::{
    Workbench,
    bench::{Leads, text_bytes_max},
};
use crate::{
    console::{
        form::Editor,
        worker::{Before, FrameAnswer, FrameJob, FrameWork, MadeFrame, Reads},
    },
    dissect::frame_json::Fill,
    limits::Limits,
    time::Wall,
};

impl Workbench {
    pub(super) fn changed(&mut self) {
        self.revision += 1;
        self.wire_revision += 1;
    }

    /// Whether the bytes are those of the text as it is.
    pub(super) const fn is_made(&self) -> bool {
        match self.leads {
            Leads::Json => self.made == self.revision && self.json_fault.is_none(),
            Leads::Bytes | Leads::Reading => true,
            Leads::Refreshing | Leads::Breaking(_) => false,
        }
    }

    /// Whether it is known which bytes the values of the text are.
    pub(super) fn is_placed(&self) -> bool {
        self.leads == Leads::Json && self.placed == self.revision && self.is_made()
    }

    /// The work that is due on its JSON or its bytes.
    pub(super) fn work(&self, limits: &Limits, at: Wall) -> Option<FrameJob> {
        let work = match self.leads {
            Leads::Bytes => return None,
            Leads::Refreshing => FrameWork::Refresh { text: self.editor.text(), at },
            Leads::Breaking(breakage) => FrameWork::Break { bytes: self.bytes.bytes().to_vec(), breakage },
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
        matches!(self.leads, Leads::Json | Leads::Refreshing)
            && self.asked.0 == self.revision
            && self.made != self.revision
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
            FrameAnswer::Refreshed(text) => {
                if let Some(text) = text.filter(|text| *text != self.editor.text()) {
                    let cursor = self.editor.cursor();
                    self.editor.replace(&text);
                    self.editor.jump(cursor.0, cursor.1);
                }
                self.leads = Leads::Json;
                self.changed();
            }
            FrameAnswer::Broken(Ok(bytes)) => {
                self.bytes.set(bytes);
                self.edited_bytes();
            }
            FrameAnswer::Broken(Err(why)) => self.bytes_lead(why),
        }
    }

    pub(super) fn bytes_lead(&mut self, why: String) {
        (self.leads, self.apart, self.json_fault, self.fault) = (Leads::Bytes, Some(why), None, None);
        self.breakages.clear();
    }

    /// Refreshes ids, times and TTLs; where the bytes lead, the JSON is made of them.
    pub(super) fn refresh(&mut self, at: Wall, number: u64) {
        self.leads = match self.leads {
            Leads::Json | Leads::Refreshing => Leads::Refreshing,
            Leads::Bytes | Leads::Reading | Leads::Breaking(_) => Leads::Reading,
        };
        self.breakages.clear();
        self.renew(at, number);
    }

    /// The frame that is made next has ids and times of its own.
    pub(super) fn renew(&mut self, at: Wall, number: u64) {
        self.fill = Fill::at(at, number);
        self.changed();
    }
}
