//! The objects of a run's record as they are now.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    super::{
        item::{Item, Origin, Stamp},
        modules::core_object,
    },
    emit::AGENT,
    ids::role_id,
    record::RunRecord,
    roles::STATION,
    states::{collab_status, plan_status, trace_status},
};
use crate::{mplp::SchemaId, time::Wall};

impl RunRecord {
    /// All objects, in the order of ruling 12.
    pub(super) fn objects(&self) -> Vec<Item> {
        let item = |schema, object| Item::new(schema, object, Origin::Beginning);
        let mut items = vec![
            item(SchemaId::Context, self.context()),
            item(SchemaId::Plan, self.plan()),
            item(SchemaId::Trace, self.trace_object()),
            item(SchemaId::Core, self.core()),
            item(SchemaId::Network, self.network()),
        ];
        let roles = self.roles.objects(|created_at, updated_at| self.meta(created_at, updated_at));
        let known: HashSet<String> =
            roles.iter().filter_map(|role| role["role_id"].as_str()).map(ToOwned::to_owned).collect();
        items.extend(roles.into_iter().map(|role| item(SchemaId::Role, role)));
        items.extend(self.sessions.objects(SchemaId::Role, &known).cloned());
        let none = HashSet::new();
        items.extend(self.questions.iter().map(|question| {
            let meta = self.meta(question.requested_at, question.updated_at());
            let object = question.object(&self.emitter.ids, &meta);
            Item::new(SchemaId::Confirm, object, Origin::Number(question.number))
        }));
        items.extend(self.sessions.objects(SchemaId::Confirm, &none).cloned());
        items.push(item(SchemaId::Dialog, self.dialog()));
        items.extend(self.sessions.objects(SchemaId::Dialog, &none).cloned());
        if self.has_collab() {
            items.push(item(SchemaId::Collab, self.collab()));
        }
        items.extend(self.sessions.objects(SchemaId::Collab, &none).cloned());
        items
    }

    /// The `meta` of an object that is made when the run begins, and changes with it.
    fn own_meta(&self) -> Value {
        self.meta(self.begin.at, self.updated_at)
    }

    /// The `meta` of an object of these times.
    fn meta(&self, created_at: Wall, updated_at: Wall) -> Value {
        json!({
            "protocol_version": "1.0.0",
            "schema_version": "2.0.0",
            "created_at": Stamp(created_at).to_string(),
            "created_by": &*self.settings.created_by,
            "updated_at": Stamp(updated_at).to_string(),
            "tags": ["run"],
            "cross_cutting": ["observability", "orchestration"],
        })
    }

    fn context(&self) -> Value {
        let begin = &self.begin;
        let mut context = json!({
            "meta": self.own_meta(),
            "context_id": self.emitter.ids.context,
            "root": {
                "domain": "stream",
                "environment": &*self.settings.environment,
                "entry_point": begin.name,
                "run": begin.run,
                "opening": begin.opening,
                "by": begin.by.name(),
                "client": begin.client,
            },
            "title": self.title(),
            "status": "active",
            "owner_role": self.owner(),
            "constraints": begin.policy,
            "created_at": Stamp(begin.at).to_string(),
            "updated_at": Stamp(self.updated_at).to_string(),
        });
        if !begin.goals.is_empty() {
            context["summary"] = begin.goals.join("; ").into();
        }
        context
    }

    fn plan(&self) -> Value {
        json!({
            "meta": self.own_meta(),
            "plan_id": self.emitter.ids.plan,
            "context_id": self.emitter.ids.context,
            "title": self.title(),
            "objective": self.objective(),
            "status": plan_status(self.state),
            "steps": self.steps.objects(),
        })
    }

    fn trace_object(&self) -> Value {
        let ids = &self.emitter.ids;
        let mut attributes = Map::new();
        attributes.insert("run".to_owned(), self.begin.run.to_string().into());
        if let Some(header) = &self.begin.traceparent {
            attributes.insert("traceparent".to_owned(), header.as_str().into());
        }
        let mut meta = self.own_meta();
        if let Some(end) = &self.end {
            let events = end.events_missing.saturating_add(self.trace.left_out());
            attributes.insert("events_missing".to_owned(), events.into());
            attributes.insert("artifacts_missing".to_owned(), end.artifacts_missing.into());
            let (segments, questions) = (self.trace.segments_left_out(), self.questions_left_out);
            for (name, count) in [("segments_missing", segments), ("questions_missing", questions)] {
                if count > 0 {
                    attributes.insert(name.to_owned(), count.into());
                }
            }
            if [events, end.artifacts_missing, segments, questions].iter().any(|missing| *missing > 0) {
                meta["tags"] = json!(["run", "incomplete"]);
            }
        }
        let mut trace = json!({
            "meta": meta,
            "trace_id": ids.trace,
            "context_id": ids.context,
            "plan_id": ids.plan,
            "root_span": {
                "trace_id": ids.trace,
                "span_id": ids.span,
                "context_id": ids.context,
                "attributes": attributes,
            },
            "status": trace_status(self.state),
            "started_at": Stamp(self.begin.at).to_string(),
            "segments": self.trace.segment_objects(ids),
            "events": self.trace.event_objects(ids, self.begin.at),
        });
        if let Some(end) = &self.end {
            trace["finished_at"] = Stamp(end.at).into();
        }
        trace
    }

    fn core(&self) -> Value {
        core_object(&self.own_meta(), self.emitter.ids.core, self.profile())
    }

    fn network(&self) -> Value {
        let ids = &self.emitter.ids;
        let mut nodes = vec![json!({
            "node_id": ids.node(STATION),
            "name": STATION,
            "kind": "service",
            "role_id": role_id(STATION),
            "status": "active",
        })];
        nodes.extend(self.steps.agents.iter().map(|agent| {
            json!({
                "node_id": ids.node(agent),
                "name": &**agent,
                "kind": "agent",
                "role_id": role_id(agent),
                "status": if self.answered.contains(&**agent) { "active" } else { "inactive" },
            })
        }));
        json!({
            "meta": self.own_meta(),
            "network_id": ids.network,
            "context_id": ids.context,
            "name": self.title(),
            "description": "The station and the agents of the run",
            "topology_type": "hub_spoke",
            "status": "active",
            "nodes": nodes,
        })
    }

    fn dialog(&self) -> Value {
        let messages: Vec<Value> = self.messages.iter().map(super::questions::Message::object).collect();
        let mut dialog = json!({
            "meta": self.own_meta(),
            "dialog_id": self.emitter.ids.dialog,
            "context_id": self.emitter.ids.context,
            "status": collab_status(self.state),
            "messages": messages,
            "started_at": Stamp(self.begin.at).to_string(),
        });
        if let Some(end) = &self.end {
            dialog["ended_at"] = Stamp(end.at).into();
        }
        dialog
    }

    fn collab(&self) -> Value {
        let mut meta = self.own_meta();
        meta["cross_cutting"] = json!(["coordination", "observability", "orchestration"]);
        let participants: Vec<Value> = self
            .steps
            .agents
            .iter()
            .map(|agent| {
                json!({
                    "participant_id": &**agent,
                    "role_id": role_id(agent),
                    "kind": "agent",
                    "display_name": agent.strip_prefix(AGENT).unwrap_or(agent),
                })
            })
            .collect();
        json!({
            "meta": meta,
            "collab_id": self.emitter.ids.collab,
            "context_id": self.emitter.ids.context,
            "title": self.title(),
            "purpose": self.objective(),
            "mode": "orchestrated",
            "status": collab_status(self.state),
            "participants": participants,
            "created_at": Stamp(self.begin.at).to_string(),
            "updated_at": Stamp(self.updated_at).to_string(),
        })
    }
}
