//! Editing a frame that the gate holds: what is sent goes in its place.

use super::{Workbench, bench::Side, gate_edit::GateEdit, state::bench, way::Way};
use crate::{
    console::{
        copy::CLIENT,
        input::action::Action,
        model::Model,
        records::paged_list::error_text,
        ui::{
            act::{Act, Resolved},
            effect::{Effect, OnOutcome, OnPage},
            message::show_message,
            state::Ui,
        },
    },
    ids::{PluginId, Seq},
    macp::Rpc,
    port::{
        Command, DoorSpec, GateCommand, InterceptedFrame, InterceptedRow, Outcome, Page, PageBytes,
        PortError, Query, Way as Direction,
    },
    rmp::{Dialect, Kind, framing::first_frame_bytes},
    tap::entry::Link,
    time::Now,
};

/// Has a held frame opened: its number, the entry that says that it was stopped, and the door of frames like
/// it, where these are known.
pub(crate) fn edit(
    ui: &mut Ui,
    model: &Model,
    number: u64,
    (seq, door): (Option<Seq>, Option<DoorSpec>),
) -> Vec<Effect> {
    if model.frozen.is_none() {
        ui.systems.workbench.kept_edits.retain(|number, _| model.station.intercepted.get(*number).is_some());
    }
    if let Some(kept) = ui.systems.workbench.kept_edits.remove(&number) {
        ui.overlays.push(kept);
        return Vec::new();
    }
    vec![Effect::query(Query::InterceptedFrame { frame: number }, HeldPage { number, seq, door })]
}

/// Lets go of the edits of frames that have passed.
pub(crate) fn forget(ui: &mut Ui, frames: &[u64]) {
    ui.systems.workbench.kept_edits.retain(|number, _| !frames.contains(number));
}

/// Says how frames went that are held no longer while other bytes are written for them, and lets go of the
/// edits that were kept for them.
pub(super) fn tell_gone(ui: &mut Ui, live: &Model, now: Now) {
    let mut told = Vec::new();
    let found = |bench: &Workbench| {
        let edit = bench.at_gate.as_ref()?;
        edit.found_gone(live, now.wall).map(|gone| (gone, edit.gone_words(gone)))
    };
    ui.systems.workbench.kept_edits.retain(|_, kept| {
        let gone = found(kept).map(|(_, words)| words);
        let is_held = gone.is_none();
        told.extend(gone);
        is_held
    });
    if let Some(bench) = bench(ui)
        && let Some((gone, words)) = found(bench)
        && let Some(edit) = &mut bench.at_gate
    {
        edit.gone = Some(gone);
        told.push(words);
    }
    if let Some(words) = told.pop() {
        show_message(ui, words, true, now);
    }
}

/// Who is told of a held frame.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HeldPage {
    number: u64,
    seq: Option<Seq>,
    door: Option<DoorSpec>,
}

impl OnPage for HeldPage {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, now: Now) {
        let frame = match page {
            Ok(Page::InterceptedFrame(frame)) => frame,
            Ok(_) => return show_message(ui, "unexpected answer from the station".to_owned(), true, now),
            Err(error) => return show_message(ui, error_text(&error), true, now),
        };
        // Where one went back meanwhile, nothing opens by itself.
        let is_wanted = !ui.overlays.is_empty() && ui.layer::<Workbench>().is_none();
        if !is_wanted || frame.row.frame != self.number {
            return;
        }
        let (limits, at) = (ui.limits, ui.at.wall);
        let bench = held_bench(*frame, self, &limits, at);
        ui.push(bench);
    }
}

fn held_bench(
    frame: InterceptedFrame,
    page: &HeldPage,
    limits: &crate::limits::Limits,
    at: crate::time::Wall,
) -> Workbench {
    let InterceptedFrame { row, bytes: PageBytes(bytes) } = frame;
    let door = page.door.clone().unwrap_or_else(|| door_of_row(&row, &bytes));
    let is_answer = row.link == Link::Macp && row.way == Direction::Out;
    let edit = GateEdit {
        number: row.frame,
        rule: row.rule,
        way: row.way,
        peer: row.peer,
        before: bytes.get(..announced_by(row.link, &bytes)).unwrap_or_default().to_vec(),
        until: row.until_ms,
        on_timeout: row.on_timeout,
        gone: None,
        keeps: false,
        is_answer,
        is_sent: false,
    };
    // One adapter is connected at a time: what it sent goes in its place.
    let door = if matches!(door, DoorSpec::Adapter { .. }) { DoorSpec::AsAdapter } else { door };
    let way = Way::through(&door, None);
    let mut bench = Workbench::of(way.clone(), limits, at);
    bench.load_held((way, page.seq), bytes, edit, limits);
    if is_answer {
        bench.bytes_lead("it is an answer of the runtime, which has no JSON of its own".to_owned());
        bench.side = Side::Bytes;
    }
    bench
}

/// Bytes of the frame that announces a message of the bus, where one is in front of it.
fn announced_by(link: Link, bytes: &[u8]) -> usize {
    let first = if link == Link::Rmp { first_frame_bytes(bytes) } else { None };
    first.filter(|first| *first < bytes.len()).unwrap_or_default()
}

/// The door of frames like a held one of which no entry is known.
fn door_of_row(row: &InterceptedRow, bytes: &[u8]) -> DoorSpec {
    match (row.link, row.way) {
        (Link::Macp, _) => DoorSpec::Call { rpc: Rpc::from_name(&row.kind).unwrap_or(Rpc::Send) },
        (Link::Plugin, Direction::In) => DoorSpec::AsPlugin { plugin: PluginId::new(row.peer.as_str()) },
        (Link::Plugin, Direction::Out) => DoorSpec::ToPlugin { plugin: PluginId::new(row.peer.as_str()) },
        (Link::Rmp, _) => {
            let dialect = if first_frame_bytes(bytes).is_none() { Dialect::Json } else { Dialect::Frames };
            DoorSpec::Peer { dialect, kind: Some(Kind::Agent), client: CLIENT.to_owned() }
        }
        (_, Direction::In) => DoorSpec::AsAdapter,
        (_, Direction::Out) => DoorSpec::ToAdapter,
    }
}

impl Workbench {
    /// Whether the frame of this number at the gate is edited.
    fn is_of_held(&self, number: u64) -> bool {
        self.at_gate.as_ref().is_some_and(|edit| edit.number == number)
    }

    /// What the keys of an edit at the gate do.
    pub(super) fn gate_label(&self, action: Action) -> Option<&'static str> {
        let edit = self.at_gate.as_ref()?;
        match (action, edit.keeps) {
            (Action::Send, _) => Some("pass"),
            (Action::KeepEdit, true) => Some("this frame alone"),
            _ => None,
        }
    }

    /// To the next side, or the one before; a held frame has its way.
    pub(super) fn cycle_sides(&mut self, forward: bool) {
        self.cycle(forward);
        if self.at_gate.is_some() && matches!(self.side, Side::Way(_)) {
            self.cycle(forward);
        }
    }

    /// Keeps the edit for all frames that the rule matches, or for this one alone.
    pub(super) fn keeping(&self) -> Resolved {
        if self.at_gate.is_none() {
            return Err("only an edit at the gate can be kept for other frames".into());
        }
        Ok(Act::layer(|bench: &mut Self, _, _| {
            if let Some(edit) = &mut bench.at_gate {
                edit.keeps = !edit.keeps;
            }
        }))
    }

    /// Lets the edited bytes pass in the place of the frame.
    pub(super) fn passing(&self) -> Result<Act, String> {
        if let Some(why) = self.unavailable() {
            return Err(why);
        }
        if self.at_gate.as_ref().is_some_and(|edit| edit.is_sent) {
            return Err("already sent; waiting for the gate".to_owned());
        }
        Ok(Act::layer_effects(|bench: &mut Self, _, _| bench.pass()))
    }

    fn pass(&mut self) -> Vec<Effect> {
        let bytes = PageBytes(self.bytes.bytes().to_vec());
        let Some(edit) = &mut self.at_gate else { return Vec::new() };
        edit.is_sent = true;
        let (frame, keeps) = (edit.number, edit.keeps);
        let command = Command::Gate(GateCommand::Edit { frame, bytes, keeps });
        vec![Effect::command(command, Edited { number: frame, rule: edit.rule, keeps })]
    }

    /// Keeps what was written for the frame while it is held.
    pub(super) fn leave_edit(self: Box<Self>, ui: &mut Ui) -> Vec<Effect> {
        let Some(edit) = &self.at_gate else { return Vec::new() };
        if let Some(gone) = edit.gone {
            show_message(ui, edit.gone_words(gone), true, ui.at);
            return Vec::new();
        }
        let text = format!("edit of frame {} kept; the frame is still held", edit.number);
        show_message(ui, text, false, ui.at);
        let (number, frames_max) = (edit.number, ui.limits.gate.intercepted_max);
        let kept = &mut ui.systems.workbench.kept_edits;
        kept.insert(number, self);
        while kept.len() as u64 > frames_max {
            // What was held first has passed first.
            kept.pop_first();
        }
        Vec::new()
    }
}

/// Who is told of what became of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edited {
    number: u64,
    rule: u64,
    keeps: bool,
}

impl OnOutcome for Edited {
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        let number = self.number;
        match outcome {
            Ok(_) => {
                ui.remove_layer::<Workbench>(|bench| bench.is_of_held(number));
                forget(ui, &[number]);
                let kept = if self.keeps {
                    format!("; rule {} makes the same change from now on", self.rule)
                } else {
                    String::new()
                };
                show_message(ui, format!("frame {number} passed, edited{kept}"), false, now);
            }
            Err(error) => {
                let held = bench(ui).filter(|bench| bench.is_of_held(number));
                if let Some(edit) = held.and_then(|bench| bench.at_gate.as_mut()) {
                    edit.is_sent = false;
                }
                let kept = ui.systems.workbench.kept_edits.get_mut(&number);
                if let Some(edit) = kept.and_then(|kept| kept.at_gate.as_mut()) {
                    edit.is_sent = false;
                }
                show_message(ui, error_text(&error), true, now);
            }
        }
        Vec::new()
    }
}
