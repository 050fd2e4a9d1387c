//! The fold of a session.

use std::sync::Arc;

use super::{
    super::{
        ids::Ids,
        item::{Item, RecordSettings},
        roles::{Roles, STATION},
        run::Bundle,
    },
    begin::{SessionBegin, SessionEnd, SessionMessage},
    participants::{Participants, capability, role_of},
    states::{step_of, steps_of},
};
use crate::{
    mplp::{MplpId, Profile, SchemaId},
    tap::entry::macp::{Effect, Ending, Phase},
    time::Wall,
};

/// Messages that a record has; further ones move its steps alone, and are counted as missing.
const MESSAGES_MAX: usize = 100_000;

/// The number of a session's start among the records of its log.
pub(super) const START: u64 = 1;

/// A session as a record, from its start to its end.
///
/// Every message is a turn that is answered as it is accepted: the record is clean by its profile at any
/// time.
#[derive(Clone, Debug)]
pub struct SessionRecord {
    pub(super) begin: SessionBegin,
    pub(super) settings: RecordSettings,
    pub(super) ids: Ids,
    pub(super) steps: Vec<MplpId>,
    pub(super) participants: Participants,
    pub(super) roles: Roles,
    pub(super) messages: Vec<Accepted>,
    /// Messages for which there is no room.
    pub(super) left_out: u64,
    pub(super) phase: Phase,
    /// Objections that were made.
    conflicts: u64,
    pub(super) end: Option<SessionEnd>,
    /// The number of the end's record, or one behind the last.
    pub(super) end_number: u64,
    last_number: u64,
    pub(super) updated_at: Wall,
    /// How much of the events was polled.
    polled: Polled,
}

/// A message, and what the session was when it came.
#[derive(Clone, Debug)]
pub(super) struct Accepted {
    pub(super) message: SessionMessage,
    /// The place of its sender among those who take part.
    pub(super) participant: usize,
    /// Whether that one takes part since this message.
    pub(super) is_first: bool,
    /// The place of its step.
    pub(super) step: usize,
    pub(super) segment: MplpId,
    pub(super) phase_before: Phase,
    /// Objections before it.
    pub(super) conflicts_before: u64,
}

/// What was polled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Polled {
    pub(super) begin: bool,
    pub(super) messages: usize,
    pub(super) end: bool,
}

impl Accepted {
    /// How far a decision is behind it.
    pub(super) const fn phase_after(&self) -> Phase {
        self.message.effect.phase(self.phase_before)
    }
}

impl SessionRecord {
    /// Begins the record.
    #[must_use]
    pub fn begin(begin: SessionBegin, settings: &RecordSettings) -> Self {
        let ids = Ids::of_session(&begin.session, begin.trace);
        let participants = Participants::new(&begin.participants, &begin.by);
        let mut roles = Roles::default();
        roles.add(begin.at, STATION, || "The station that hosts sessions".to_owned(), "orchestrate");
        roles.add(begin.at, &role_of(&begin.by), || format!("The MACP client {}", begin.by), "initiate");
        participants.add_roles(begin.at, &mut roles);
        let context = begin.context.as_ref().filter(|_| begin.trace.is_some());
        if let Some(owner) = context.and_then(|it| it.get("owner_role")?.as_str()) {
            roles.add(begin.at, owner, || "The client that submitted the run".to_owned(), "submit");
        }
        Self {
            settings: settings.clone(),
            steps: steps_of(begin.mode).iter().map(|step| ids.step(step.name)).collect(),
            ids,
            participants,
            roles,
            messages: Vec::new(),
            left_out: 0,
            phase: Phase::Proposal,
            conflicts: 0,
            end: None,
            end_number: 0,
            last_number: START,
            updated_at: begin.at,
            polled: Polled::default(),
            begin,
        }
    }

    /// Takes a message that the session accepted. Numbers rise; one whose number does not, or that comes
    /// behind the end, is left out.
    pub fn message(&mut self, message: SessionMessage) {
        let has_room = self.messages.len() < MESSAGES_MAX;
        self.take(message, has_room);
    }

    /// Takes a message as [`Self::message`] does, but counts it alone: there is no room for it.
    pub fn message_left_out(&mut self, message: SessionMessage) {
        self.take(message, false);
    }

    fn take(&mut self, message: SessionMessage, has_room: bool) {
        if message.number <= self.last_number || self.end.is_some() {
            return;
        }
        (self.last_number, self.updated_at) = (message.number, message.at);
        let phase_before = self.phase;
        self.phase = message.effect.phase(phase_before);
        if !has_room {
            self.left_out += 1;
            return;
        }
        let (participant, is_first) = self.participants.add(&message.sender);
        self.participants.set_active(participant);
        let sender = self.participants.at(participant);
        let does = capability(&message.effect).unwrap_or("participate");
        self.roles.add(message.at, &sender.role, || format!("The MACP client {}", sender.name), does);
        let conflicts_before = self.conflicts;
        self.conflicts += u64::from(matches!(message.effect, Effect::Objected { .. }));
        self.messages.push(Accepted {
            participant,
            is_first,
            step: step_of(self.begin.mode, &message.effect, phase_before),
            segment: self.ids.segment(message.number),
            phase_before,
            conflicts_before,
            message,
        });
    }

    /// Ends the record, not before its last message. A second end is left out.
    pub fn end(&mut self, end: SessionEnd) {
        if self.end.is_some() {
            return;
        }
        let behind = self.last_number.saturating_add(1);
        self.end_number = end.number.unwrap_or(behind).max(behind);
        self.updated_at = end.at.max(self.updated_at);
        self.end = Some(SessionEnd { at: self.updated_at, ..end });
    }

    /// The profile that it claims: by how many take part (ruling MPLP 15).
    #[must_use]
    pub const fn profile(&self) -> Profile {
        if self.participants.len() > 1 { Profile::Map } else { Profile::Sa }
    }

    /// All of it as it is now.
    #[must_use]
    pub fn bundle(&self) -> Bundle {
        let mut items = self.objects();
        items.extend(self.events());
        Bundle::new(self.profile(), items)
    }

    /// What the record of the trace's run takes of it (`RunRecord::add_session`): Roles, Dialog and Collab as
    /// they are now, and the events of turns. Its Plan and Trace, and the events of those, are of its own
    /// record alone.
    #[must_use]
    pub fn items_for_run(&self) -> Vec<Item> {
        let mut items = self.objects_for_run();
        if self.is_settled() {
            items.extend(self.events().into_iter().filter(is_of_a_turn));
        }
        self.named(items)
    }

    /// The objects among them, without the events.
    #[must_use]
    pub fn named_objects(&self) -> Vec<Item> {
        self.named(self.objects_for_run())
    }

    /// As they are in the record of a run: each says whose it is.
    fn named(&self, mut items: Vec<Item>) -> Vec<Item> {
        let session: Arc<str> = self.begin.session.as_str().into();
        for item in &mut items {
            item.session = Some(Arc::clone(&session));
        }
        items
    }

    /// The events of turns that are new since the last call, to be told live while the trace's run is open.
    /// They come once it is known by which profile: as soon as two take part, else with the end.
    pub fn poll_events(&mut self) -> Vec<Item> {
        if !self.is_settled() {
            return Vec::new();
        }
        let events = self.events_since(self.polled);
        self.polled = Polled { begin: true, messages: self.messages.len(), end: self.end.is_some() };
        self.named(events.into_iter().filter(is_of_a_turn).collect())
    }

    /// Whether the profile, and with it each event, is what it will be.
    const fn is_settled(&self) -> bool {
        self.end.is_some() || matches!(self.profile(), Profile::Map)
    }

    /// How it ended.
    pub(super) fn ending(&self) -> Option<Ending> {
        self.end.as_ref().map(|end| end.ending)
    }

    /// Messages that are not in the record.
    pub(super) fn missing(&self) -> u64 {
        let before = self.end.as_ref().map_or(0, |end| end.messages_missing);
        before.saturating_add(self.left_out)
    }

    /// Who began it, as a Role.
    pub(super) fn owner(&self) -> String {
        role_of(&self.begin.by)
    }

    /// What it is for, else what it is called.
    pub(super) fn title(&self) -> String {
        let intent = &self.begin.intent;
        if intent.trim().is_empty() { format!("Session {}", self.begin.session) } else { intent.clone() }
    }
}

/// Whether an event tells of turns, which need no Plan or graph to be understood.
fn is_of_a_turn(item: &Item) -> bool {
    matches!(item.schema, SchemaId::MapEvent | SchemaId::RuntimeExecutionEvent)
}
