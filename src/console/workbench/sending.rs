//! Sends the frame: through a door that is opened once, and what became of it then.

use std::sync::{Arc, OnceLock};

use super::{
    Workbench,
    state::{SentRecord, bench},
    way::Way,
};
use crate::{
    console::{
        draw::{class::Class, theme::Role},
        model::Model,
        overlays::{Answer, Answers, Confirm},
        records::{ManualPlace, paged_list::error_text},
        settings::view::View,
        ui::{
            act::Act,
            effect::{Effect, OnOutcome},
            message::show_message,
            state::Ui,
        },
    },
    ids::Seq,
    port::{
        Command, DoorSpec, JudgedRow, Outcome, PortError, SentFrame, WorkbenchCommand, WorkbenchError,
        WorkbenchOutcome,
    },
    time::Now,
};

/// How long the station waits for what becomes of a frame.
const WAIT_MS: u64 = 2_000;

/// A door that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenDoor {
    pub(super) number: u64,
    pub(super) spec: DoorSpec,
    /// Who it is to the host.
    pub(super) peer: String,
}

/// A frame that is being sent.
#[derive(Debug)]
pub(crate) struct Pending {
    number: u64,
    spec: DoorSpec,
    way: Way,
    json: Option<String>,
    bytes: Vec<u8>,
    of: Option<Seq>,
    foreseen: Option<Box<JudgedRow>>,
    /// Whether its door was opened for it.
    is_fresh: bool,
}

fn command(command: WorkbenchCommand, number: u64) -> Effect {
    Effect::command(Command::Workbench(command), Sending { number })
}

impl Pending {
    fn send(&self, door: u64) -> Effect {
        // It was read before it was sent.
        let pieces = self.way.pieces().unwrap_or_default().cut(&self.bytes);
        let foreseen = self.foreseen.as_ref().map_or_else(Vec::new, |row| row.answers.clone());
        command(
            WorkbenchCommand::Send { door, pieces, of: self.of, wait_ms: WAIT_MS, answers: None, foreseen },
            self.number,
        )
    }

    fn open(&self) -> Effect {
        command(WorkbenchCommand::Open { door: self.spec.clone() }, self.number)
    }

    fn record(self, outcome: Result<SentFrame, String>, now: Now) -> SentRecord {
        let record = SentRecord {
            at: now.wall,
            way: self.way,
            door: self.spec.words(),
            json: self.json,
            length: self.bytes.len(),
            bytes: Some(self.bytes),
            foreseen: self.foreseen,
            outcome,
            written: OnceLock::new(),
        };
        record.bounded()
    }
}

impl Workbench {
    /// Why it cannot be sent.
    pub(super) fn unavailable(&self) -> Option<String> {
        if self.pending.is_some() {
            return Some("already sent; waiting for what becomes of it".to_owned());
        }
        if let Some(fault) = &self.json_fault {
            let place = fault
                .place
                .map_or_else(String::new, |(line, column)| format!("line {line}, column {column}: "));
            return Some(format!("{place}{}", fault.text));
        }
        if let Some(missing) = self.spec().err().or_else(|| self.way.pieces().err()) {
            return Some(missing);
        }
        if !self.is_made() {
            return Some("the frame is being encoded".to_owned());
        }
        self.bytes.bytes().is_empty().then(|| "there are no bytes to send".to_owned())
    }

    /// What sending it does: a frame that goes into another's connection is asked about first.
    pub(super) fn sending(&self) -> Result<Act, String> {
        if let Some(why) = self.unavailable() {
            return Err(why);
        }
        let spec = self.spec()?;
        if !spec.is_in_place() {
            return Ok(Act::layer_effects(|bench: &mut Self, ui, _| bench.send(ui)));
        }
        Ok(Act::confirm(SendInPlace {
            door: spec.words(),
            bytes: self.bytes.bytes().len(),
            foreseen: self.foreseen().cloned().map(Box::new),
        }))
    }

    /// Sends it.
    fn send(&mut self, ui: &mut Ui) -> Vec<Effect> {
        let number = ui.systems.workbench.next();
        self.send_as(number)
    }

    fn send_as(&mut self, number: u64) -> Vec<Effect> {
        let Ok(spec) = self.spec() else { return Vec::new() };
        let open = self.door.as_ref().filter(|door| door.spec == spec).map(|door| door.number);
        let pending = Pending {
            number,
            spec,
            way: self.way.clone(),
            json: self.json_alone(),
            bytes: self.bytes.bytes().to_vec(),
            of: self.of,
            foreseen: self.foreseen().cloned().map(Box::new),
            is_fresh: open.is_none(),
        };
        let effect = open.map_or_else(|| pending.open(), |door| pending.send(door));
        (self.pending, self.result) = (Some(pending), None);
        vec![effect]
    }

    /// Closes the door that is open, where another was chosen.
    pub(super) fn close_other(&mut self) -> Option<Effect> {
        let is_other = self.door.as_ref().is_some_and(|door| self.spec().as_ref() != Ok(&door.spec));
        if is_other && self.pending.is_none() { self.close() } else { None }
    }

    /// Closes the door that is open.
    pub(super) fn close(&mut self) -> Option<Effect> {
        let door = self.door.take()?;
        self.wire_revision += 1;
        Some(command(WorkbenchCommand::Close { door: door.number }, 0))
    }
}

/// Who is told of what became of a frame, by its number; 0 where nobody waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sending {
    number: u64,
}

impl OnOutcome for Sending {
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        let Some(bench) = bench(ui) else { return Vec::new() };
        let Some(mut pending) = bench.pending.take_if(|pending| pending.number == self.number) else {
            return Vec::new();
        };
        let ended = match outcome {
            Ok(Outcome::Workbench(WorkbenchOutcome::Opened { door, peer })) => {
                bench.door = Some(OpenDoor { number: door, spec: pending.spec.clone(), peer });
                bench.wire_revision += 1;
                pending.is_fresh = true;
                let effect = pending.send(door);
                bench.pending = Some(pending);
                return vec![effect];
            }
            Ok(Outcome::Workbench(WorkbenchOutcome::Sent(sent))) => Ok(sent),
            Ok(_) => Err("unexpected answer from the station; use the rl-console of its version".to_owned()),
            // It idled out, or its peer ended it: another one takes its place, once.
            Err(PortError::Workbench(WorkbenchError::NoWorkbench { .. })) if !pending.is_fresh => {
                bench.door = None;
                pending.is_fresh = true;
                let effect = pending.open();
                bench.pending = Some(pending);
                return vec![effect];
            }
            Err(error) => Err(error_text(&error)),
        };
        if ended.as_ref().map_or(true, |sent| sent.closed.is_some()) {
            bench.door = None;
        }
        vec![finish(ui, pending, ended, now)]
    }
}

/// Shows and lists what became of a frame; the list is kept. The next one that is made has ids of its own.
fn finish(ui: &mut Ui, pending: Pending, ended: Result<SentFrame, String>, now: Now) -> Effect {
    let record = Arc::new(pending.record(ended, now));
    let number = ui.systems.workbench.next();
    let saved = ui.systems.workbench.list(Arc::clone(&record), &ui.limits.console);
    let is_open = ui.layer::<Workbench>().is_some();
    let limits = ui.limits;
    if let Some(bench) = bench(ui) {
        bench.renew(now.wall, number);
        // What prepares the last frame of a snippet is followed by the next one.
        if record.outcome.is_ok() {
            bench.load_next_of_snippet(&limits);
        }
        bench.result = Some(Arc::clone(&record));
    }
    if !is_open {
        let (text, is_bad) = summary(&record);
        show_message(ui, format!("workbench: {text}"), is_bad, now);
    }
    saved
}

/// What became of a frame, in some words, and whether that is bad.
pub(super) fn summary(record: &SentRecord) -> (String, bool) {
    match &record.outcome {
        Err(why) => (why.clone(), true),
        Ok(sent) if sent.is_held() => (format!("{}: `I` opens it", sent.silence()), true),
        Ok(sent) if sent.own().is_none() => (sent.silence().to_owned(), true),
        Ok(sent) => {
            let verdict = sent.verdict().unwrap_or("sent");
            let code = sent.code().map_or_else(String::new, |code| format!(" {code}"));
            (format!("{verdict}{code}"), sent.is_refused())
        }
    }
}

/// On air, verdicts and names of faults are shown; why a frame could not be sent may quote it.
pub(super) const fn summary_class(record: &SentRecord) -> Class {
    if record.outcome.is_ok() { Class::Public } else { Class::Payload }
}

/// Whether the same hangs on a frame by two judgements of it, which is asked about before it goes into
/// another's connection.
fn hangs_alike(one: Option<&JudgedRow>, other: Option<&JudgedRow>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            (&one.verdict, &one.code) == (&other.verdict, &other.code)
                && (&one.ends, &one.effect) == (&other.ends, &other.effect)
        }
        (one, other) => one.is_none() == other.is_none(),
    }
}

/// Send a frame into another's connection.
#[derive(Debug)]
struct SendInPlace {
    door: String,
    bytes: usize,
    foreseen: Option<Box<JudgedRow>>,
}

impl Confirm for SendInPlace {
    fn title(&self) -> String {
        "Send into this connection?".to_owned()
    }

    fn describe(&self, _refund: bool, _model: &Model, _view: &View) -> Vec<(String, Role)> {
        let mut lines = vec![(format!("{} bytes {}.", self.bytes, self.door), Role::Text)];
        match &self.foreseen {
            None => lines.push(("What hangs on it is not known yet.".to_owned(), Role::Warn)),
            Some(row) => {
                let role = if row.is_refused() { Role::Bad } else { Role::Text };
                let code = row.code.as_ref().map_or_else(String::new, |code| format!(" {code}"));
                lines.push((format!("Its verdict would be: {}{code}.", row.verdict), role));
                if let Some(ends) = &row.ends {
                    lines.push((format!("It would end the connection: {ends}."), Role::Bad));
                }
                if let Some(effect) = &row.effect {
                    let role = if row.is_harmful { Role::Bad } else { Role::Warn };
                    lines.push((format!("Its effect: {effect}."), role));
                }
            }
        }
        lines
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::page("workbench")
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("send")
    }

    fn commit(&self, _answer: Answer<'_>, ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        let number = ui.systems.workbench.next();
        let bench = bench(ui).ok_or("the workbench was closed")?;
        if let Some(why) = bench.unavailable() {
            return Err(why);
        }
        if !hangs_alike(bench.foreseen(), self.foreseen.as_deref()) {
            return Err("what hangs on it has changed meanwhile; read it again".to_owned());
        }
        Ok(bench.send_as(number))
    }
}
