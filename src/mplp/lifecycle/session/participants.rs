//! Who takes part in a session, and under what names (ruling MPLP 14).

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::{ids::role_id, roles::Roles};
use crate::{mplp::MplpId, tap::entry::macp::Effect, time::Wall};

/// One who takes part.
#[derive(Clone, Debug)]
pub(super) struct Participant {
    /// What it calls itself.
    pub(super) name: String,
    /// The name of its Role.
    pub(super) role: String,
    pub(super) role_id: MplpId,
    /// Whether it sent a message.
    pub(super) is_active: bool,
}

/// All who take part, each once: those who are listed; where nobody is, who began the session and who sends
/// messages.
#[derive(Clone, Debug)]
pub(super) struct Participants {
    all: Vec<Participant>,
    by_name: HashMap<String, usize>,
    /// Those who take part from the beginning on.
    pub(super) first: usize,
}

impl Participants {
    pub(super) fn new(listed: &[String], by: &str) -> Self {
        let mut participants = Self { all: Vec::new(), by_name: HashMap::new(), first: 0 };
        if listed.is_empty() {
            participants.add(by);
        }
        for name in listed {
            participants.add(name);
        }
        participants.first = participants.all.len();
        participants
    }

    /// The place of one, who takes part from now on; whether that is new.
    pub(super) fn add(&mut self, name: &str) -> (usize, bool) {
        if let Some(place) = self.by_name.get(name) {
            return (*place, false);
        }
        let (place, role) = (self.all.len(), role_of(name));
        let role_id = role_id(&role);
        self.all.push(Participant { name: name.to_owned(), role, role_id, is_active: false });
        self.by_name.insert(name.to_owned(), place);
        (place, true)
    }

    pub(super) fn at(&self, place: usize) -> &Participant {
        &self.all[place]
    }

    pub(super) fn set_active(&mut self, place: usize) {
        self.all[place].is_active = true;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Participant> {
        self.all.iter()
    }

    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    /// The participants of the Collab.
    pub(super) fn objects(&self) -> Vec<Value> {
        let participant = |participant: &Participant| {
            json!({
                "participant_id": participant.role,
                "role_id": participant.role_id,
                "kind": "agent",
                "display_name": participant.name,
            })
        };
        self.all.iter().map(participant).collect()
    }

    /// Adds their Roles.
    pub(super) fn add_roles(&self, at: Wall, roles: &mut Roles) {
        for participant in &self.all {
            roles.add(
                at,
                &participant.role,
                || format!("The MACP client {}", participant.name),
                "participate",
            );
        }
    }
}

/// The name of the Role of a client.
pub(super) fn role_of(name: &str) -> String {
    format!("macp:{name}")
}

/// What one who did this can do, as a Role has it.
pub(super) const fn capability(effect: &Effect) -> Option<&'static str> {
    match effect {
        Effect::Proposed { .. } => Some("propose"),
        Effect::Evaluated { .. } => Some("evaluate"),
        Effect::Objected { .. } => Some("object"),
        Effect::Voted { .. } => Some("vote"),
        Effect::Committed => Some("commit"),
        Effect::LegacyResolved => Some("resolve"),
        Effect::Contributed { .. } => Some("contribute"),
        Effect::Nothing => None,
    }
}
