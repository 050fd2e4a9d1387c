//! What the sessions of a run's trace add to its record.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use super::{
    super::item::{Item, Origin},
    emit::{GraphUpdate, graph_update},
    ids::Ids,
};
use crate::{
    mplp::{
        SchemaId,
        bundle::{BundleMember, member_of},
    },
    time::Wall,
};

/// Objects and events of sessions, as they were added.
#[derive(Clone, Debug, Default)]
pub(super) struct Sessions {
    /// Collabs, Dialogs, Confirms and Roles by their schema and id.
    objects: BTreeMap<(SchemaId, String), Item>,
    /// In the order in which they were added.
    order: Vec<(SchemaId, String)>,
    events: Vec<Item>,
    event_ids: HashSet<String>,
    collabs: HashSet<String>,
}

/// Places among the events that a record's beginning causes that are left to its own; behind them are those
/// of the sessions.
const FIRST_PLACE: u64 = 1_000;

impl Sessions {
    /// Whether one of them is of two or more.
    pub(super) fn has_collab(&self) -> bool {
        !self.collabs.is_empty()
    }

    /// Takes what a session makes; of each Collab that is not there yet, the node that it adds to the graph.
    pub(super) fn add(&mut self, ids: &Ids, items: Vec<Item>) -> Vec<Item> {
        let mut made = Vec::new();
        for item in items {
            let Some(name) = id_name(item.schema) else {
                let is_event = matches!(member_of(item.schema), Some((_, BundleMember::Events)));
                let id = item.object.get("event_id").and_then(Value::as_str);
                if is_event && id.is_none_or(|id| self.event_ids.insert(id.to_owned())) {
                    self.events.push(item);
                }
                continue;
            };
            let Some(id) = item.object.get(name).and_then(Value::as_str).map(ToOwned::to_owned) else {
                continue;
            };
            if item.schema == SchemaId::Collab && self.collabs.insert(id.clone()) {
                made.push(self.added(ids, &id, &item));
            }
            let key = (item.schema, id);
            if self.objects.insert(key.clone(), item).is_none() {
                self.order.push(key);
            }
        }
        self.events.extend(made.iter().cloned());
        made
    }

    /// The node of a session.
    fn added(&self, ids: &Ids, collab: &str, item: &Item) -> Item {
        let place = FIRST_PLACE + self.collabs.len() as u64 - 1;
        let update = GraphUpdate {
            event_type: "session_added",
            kind: "node_add",
            delta: (1, 1),
            module: "collab",
            payload: json!({ "collab_id": collab }),
        };
        let mut object = graph_update(ids, ids.event(0, place), Wall(0), &update);
        object["timestamp"] = item.object.get("created_at").cloned().unwrap_or_default();
        Item {
            session: item.session.clone(),
            ..Item::new(SchemaId::GraphUpdateEvent, object, Origin::Beginning)
        }
    }

    /// The objects of a schema, but for those of the ids that are there.
    pub(super) fn objects(&self, schema: SchemaId, known: &HashSet<String>) -> impl Iterator<Item = &Item> {
        let of_schema = move |(of, id): &&(SchemaId, String)| *of == schema && !known.contains(id);
        self.order.iter().filter(of_schema).filter_map(|key| self.objects.get(key))
    }

    /// The run's own events and those of the sessions as they happened: at one time, the run's first.
    pub(super) fn merged(&self, own: Vec<Item>) -> Vec<Item> {
        if self.events.is_empty() {
            return own;
        }
        let mut sessions: Vec<&Item> = self.events.iter().collect();
        sessions.sort_by(|a, b| time_of(a).cmp(time_of(b)));
        let mut merged = Vec::with_capacity(own.len() + sessions.len());
        let mut sessions = sessions.into_iter().peekable();
        for item in own {
            while let Some(session) = sessions.next_if(|it| time_of(it) < time_of(&item)) {
                merged.push(session.clone());
            }
            merged.push(item);
        }
        merged.extend(sessions.cloned());
        merged
    }
}

/// When an event was: its times are all written alike.
fn time_of(item: &Item) -> &str {
    item.object.get("timestamp").and_then(Value::as_str).unwrap_or_default()
}

/// The member that names an object that a session adds.
const fn id_name(schema: SchemaId) -> Option<&'static str> {
    match schema {
        SchemaId::Collab => Some("collab_id"),
        SchemaId::Dialog => Some("dialog_id"),
        SchemaId::Confirm => Some("confirm_id"),
        SchemaId::Role => Some("role_id"),
        _ => None,
    }
}
