//! The station itself as a record: what it is made of now, and what it is extended by.

mod facts;

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    ids::{Ids, role_id},
    item::{Item, Origin, RecordSettings, Stamp},
    modules::core_object,
    roles::{Roles, STATION},
    run::Bundle,
};
use crate::mplp::{Derived, Profile, SchemaId, formats::is_semantic_version};

pub use facts::{
    ExtensionSort, ExtensionStatus, PartKind, PartStatus, StationExtension, StationFacts, StationPart,
};

/// The record of a station as it is now: Context, Core, Network, Roles and Extensions (profile sa).
#[must_use]
pub fn station_record(facts: &StationFacts, settings: &RecordSettings) -> Bundle {
    let record = StationRecord { facts, settings, ids: Ids::of(facts.id.clone()) };
    let item = |schema, object| Item::new(schema, object, Origin::Beginning);
    let mut items = vec![
        item(SchemaId::Context, record.context()),
        item(SchemaId::Core, core_object(&record.meta(), record.ids.core, Profile::Sa)),
        item(SchemaId::Network, record.network()),
    ];
    items.extend(record.roles().into_iter().map(|role| item(SchemaId::Role, role)));
    items.extend(record.extensions().into_iter().map(|it| item(SchemaId::Extension, it)));
    Bundle::new(Profile::Sa, items)
}

struct StationRecord<'a> {
    facts: &'a StationFacts,
    settings: &'a RecordSettings,
    ids: Ids,
}

impl StationRecord<'_> {
    fn meta(&self) -> Value {
        json!({
            "protocol_version": "1.0.0",
            "schema_version": "2.0.0",
            "created_at": Stamp(self.facts.started_at).to_string(),
            "created_by": &*self.settings.created_by,
            "updated_at": Stamp(self.facts.at).to_string(),
            "tags": ["station"],
            "cross_cutting": ["observability", "orchestration"],
        })
    }

    fn title(&self) -> &str {
        let StationFacts { id, name, .. } = self.facts;
        [name, id].into_iter().find(|it| !it.trim().is_empty()).map_or(STATION, String::as_str)
    }

    fn context(&self) -> Value {
        json!({
            "meta": self.meta(),
            "context_id": self.ids.context,
            "root": {
                "domain": "stream",
                "environment": &*self.settings.environment,
                "entry_point": STATION,
                "station": self.facts.id,
                "version": self.facts.version,
            },
            "title": self.title(),
            "status": "active",
            "owner_role": STATION,
            "created_at": Stamp(self.facts.started_at).to_string(),
            "updated_at": Stamp(self.facts.at).to_string(),
        })
    }

    /// The parts, each once.
    fn parts(&self) -> impl Iterator<Item = &StationPart> {
        let mut seen = HashSet::new();
        self.facts.parts.iter().filter(move |part| seen.insert((part.kind, part.name.as_str())))
    }

    fn network(&self) -> Value {
        let mut nodes = vec![json!({
            "node_id": self.ids.node(STATION),
            "name": STATION,
            "kind": "service",
            "role_id": role_id(STATION),
            "status": "active",
        })];
        nodes.extend(self.parts().map(|part| {
            let name = part.node_name();
            let mut node = json!({
                "node_id": self.ids.node(&name),
                "name": name,
                "kind": part.kind.node_kind(),
                "status": part.status.name(),
            });
            if part.kind.has_role() {
                node["role_id"] = role_id(&name).to_string().into();
            }
            node
        }));
        let is_degraded = self.parts().any(|part| {
            matches!(part.kind, PartKind::Bus | PartKind::Store) && part.status != PartStatus::Active
        });
        json!({
            "meta": self.meta(),
            "network_id": self.ids.network,
            "context_id": self.ids.context,
            "name": self.title(),
            "description": "The station, what it hosts, and what is connected to it",
            "topology_type": "hub_spoke",
            "status": if is_degraded { "degraded" } else { "active" },
            "nodes": nodes,
        })
    }

    fn roles(&self) -> Vec<Value> {
        let mut roles = Roles::default();
        let at = self.facts.started_at;
        roles.add(at, STATION, || "The station".to_owned(), "orchestrate");
        for part in self.parts().filter(|part| part.kind.has_role()) {
            let name = part.node_name();
            match part.kind {
                PartKind::Agent => roles.add_worker(at, &name),
                _ => roles.add(at, &name, || format!("The MACP client {}", part.name), "participate"),
            }
        }
        roles.objects(|_, _| self.meta())
    }

    fn extensions(&self) -> Vec<Value> {
        let mut seen = HashSet::new();
        let each_once = self.facts.extensions.iter().filter(|it| seen.insert((it.sort, it.id.as_str())));
        each_once.map(|extension| self.extension(extension)).collect()
    }

    fn extension(&self, extension: &StationExtension) -> Value {
        let StationExtension { sort, id, name, version, status, config } = extension;
        let mut config = config.clone();
        config.insert("sort".to_owned(), sort.name().into());
        config.insert("id".to_owned(), id.as_str().into());
        let is_semantic = is_semantic_version(version);
        if !is_semantic {
            config.insert("version".to_owned(), version.as_str().into());
        }
        let name = [name, id].into_iter().find(|it| !it.is_empty()).map_or(sort.name(), String::as_str);
        json!({
            "meta": self.meta(),
            "extension_id": Derived::Extension(sort.name(), id).id(),
            "context_id": self.ids.context,
            "name": name,
            "extension_type": sort.extension_type(),
            "version": if is_semantic { version.as_str() } else { "0.0.0" },
            "status": status.name(),
            "config": config,
        })
    }
}

#[cfg(test)]
mod tests;
