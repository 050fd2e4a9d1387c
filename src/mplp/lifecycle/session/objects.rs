//! The objects of a session's record as they are now.

use serde_json::{Value, json};

use super::{
    super::{
        ids::role_id,
        item::{Item, Origin, Stamp},
        modules::core_object,
        roles::STATION,
    },
    record::SessionRecord,
    states::{StepStatus, collab_mode, collab_status, plan_status, steps_of},
};
use crate::mplp::{MplpId, Profile, SchemaId};

impl SessionRecord {
    /// All objects, in the order of ruling 12.
    pub(super) fn objects(&self) -> Vec<Item> {
        let item = |schema, object| Item::new(schema, object, Origin::Beginning);
        let mut items = vec![
            item(SchemaId::Context, self.context()),
            item(SchemaId::Plan, self.plan()),
            item(SchemaId::Trace, self.trace_object()),
            item(SchemaId::Core, core_object(&self.meta(false), self.ids.core, self.profile())),
            item(SchemaId::Network, self.network()),
        ];
        items.extend(self.objects_for_run());
        items
    }

    /// Those of them that the record of the trace's run takes: Roles, Dialog and Collab.
    pub(super) fn objects_for_run(&self) -> Vec<Item> {
        let item = |schema, object| Item::new(schema, object, Origin::Beginning);
        let roles = self.roles.objects(|created_at, updated_at| {
            let mut meta = self.meta(false);
            meta["created_at"] = Stamp(created_at).into();
            meta["updated_at"] = Stamp(updated_at).into();
            meta
        });
        let mut items: Vec<Item> = roles.into_iter().map(|role| item(SchemaId::Role, role)).collect();
        items.push(item(SchemaId::Dialog, self.dialog()));
        if self.profile() == Profile::Map {
            items.push(item(SchemaId::Collab, self.collab()));
        }
        items
    }

    /// The `meta` of an object that is made when the session begins, and changes with it.
    pub(super) fn meta(&self, is_incomplete: bool) -> Value {
        json!({
            "protocol_version": "1.0.0",
            "schema_version": "2.0.0",
            "created_at": Stamp(self.begin.at).to_string(),
            "created_by": &*self.settings.created_by,
            "updated_at": Stamp(self.updated_at).to_string(),
            "tags": if is_incomplete { &["session", "incomplete"][..] } else { &["session"][..] },
            "cross_cutting": ["observability", "orchestration"],
        })
    }

    /// That of the trace's run where it is at hand, else its own.
    fn context(&self) -> Value {
        let begin = &self.begin;
        let context_id = self.ids.context.to_string();
        let given = begin.context.as_ref().filter(|_| begin.trace.is_some());
        if let Some(context) = given.filter(|context| context["context_id"] == context_id.as_str()) {
            return context.clone();
        }
        let mut context = json!({
            "meta": self.meta(false),
            "context_id": context_id,
            "root": {
                "domain": "stream",
                "environment": &*self.settings.environment,
                "entry_point": begin.mode_name,
                "session": begin.session,
                "mode": begin.mode.name(),
                "by": begin.by,
            },
            "title": self.title(),
            "status": "active",
            "owner_role": self.owner(),
            "constraints": {
                "expires_at": Stamp(begin.expires_at).to_string(),
                "participants": begin.participants,
                "mode_version": begin.mode_version,
                "configuration_version": begin.configuration_version,
                "policy_version": begin.policy_version,
            },
            "created_at": Stamp(begin.at).to_string(),
            "updated_at": Stamp(self.updated_at).to_string(),
        });
        if let Some(trace) = begin.trace {
            context["root"]["trace"] = trace.to_string().into();
        }
        context
    }

    /// What a step is for.
    pub(super) fn description(&self, place: usize) -> String {
        let step = steps_of(self.begin.mode)[place];
        format!("{}: {}", step.name, step.purpose)
    }

    fn plan(&self) -> Value {
        let (mode, owner) = (self.begin.mode, self.owner());
        let step = |(place, id): (usize, &MplpId)| {
            let before: &[MplpId] = if place > 0 { &self.steps[place - 1..place] } else { &[] };
            json!({
                "step_id": id,
                "description": self.description(place),
                "status": StepStatus::of(mode, place, self.phase, self.ending()).step(),
                "dependencies": before,
                "agent_role": owner,
                "order_index": place,
            })
        };
        let steps: Vec<Value> = self.steps.iter().enumerate().map(step).collect();
        json!({
            "meta": self.meta(false),
            "plan_id": self.ids.plan,
            "context_id": self.ids.context,
            "title": self.title(),
            "objective": self.title(),
            "status": plan_status(self.ending()),
            "steps": steps,
        })
    }

    fn network(&self) -> Value {
        let mut nodes = vec![json!({
            "node_id": self.ids.node(STATION),
            "name": STATION,
            "kind": "service",
            "role_id": role_id(STATION),
            "status": "active",
        })];
        nodes.extend(self.participants.iter().map(|participant| {
            json!({
                "node_id": self.ids.node(&participant.role),
                "name": participant.role,
                "kind": "agent",
                "role_id": participant.role_id,
                "status": if participant.is_active { "active" } else { "inactive" },
            })
        }));
        json!({
            "meta": self.meta(false),
            "network_id": self.ids.network,
            "context_id": self.ids.context,
            "name": self.title(),
            "description": "The station and those who take part in the session",
            "topology_type": "hub_spoke",
            "status": "active",
            "nodes": nodes,
        })
    }

    fn collab(&self) -> Value {
        let mut meta = self.meta(false);
        meta["cross_cutting"] = json!(["coordination", "observability", "orchestration"]);
        json!({
            "meta": meta,
            "collab_id": self.ids.collab,
            "context_id": self.ids.context,
            "title": self.title(),
            "purpose": self.title(),
            "mode": collab_mode(self.begin.mode),
            "status": collab_status(self.ending()),
            "participants": self.participants.objects(),
            "created_at": Stamp(self.begin.at).to_string(),
            "updated_at": Stamp(self.updated_at).to_string(),
        })
    }
}
