//! The Roles of a record: one a name (ruling MPLP 14).

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    emit::{AGENT, OPENING},
    ids::role_id,
    item::Stamp,
};
use crate::time::Wall;

/// The Role of the station.
pub(super) const STATION: &str = "station";

/// What the record's Roles are for: by name, with a description and capabilities.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    all: Vec<RoleParts>,
    by_name: HashMap<String, usize>,
}

/// One Role.
#[derive(Clone, Debug)]
struct RoleParts {
    name: String,
    description: String,
    capabilities: Vec<&'static str>,
    created_at: Wall,
    updated_at: Wall,
}

impl Roles {
    /// Adds what a Role of this name does from a moment on; its first description stays.
    pub(super) fn add(
        &mut self,
        at: Wall,
        name: &str,
        description: impl FnOnce() -> String,
        does: &'static str,
    ) {
        if let Some(role) = self.by_name.get(name).and_then(|at| self.all.get_mut(*at)) {
            if !role.capabilities.contains(&does) {
                role.capabilities.push(does);
                role.updated_at = at;
            }
            return;
        }
        self.by_name.insert(name.to_owned(), self.all.len());
        let (name, description) = (name.to_owned(), description());
        let (created_at, updated_at) = (at, at);
        self.all.push(RoleParts { name, description, capabilities: vec![does], created_at, updated_at });
    }

    /// Adds the Role of what does the work of a node.
    pub(super) fn add_worker(&mut self, at: Wall, uses: &str) {
        let describe = || match (uses.strip_prefix(AGENT), uses.strip_prefix(OPENING)) {
            (Some(agent), _) => format!("The agent on topic agent/{agent}"),
            (_, Some(opening)) => format!("The nested opening {opening}"),
            _ => format!("What runs nodes of {uses}"),
        };
        self.add(at, uses, describe, if uses.starts_with(OPENING) { "orchestrate" } else { "execute" });
    }

    /// The Roles in the order in which they came; `meta` is that of an object of these two moments.
    pub(super) fn objects(&self, meta: impl Fn(Wall, Wall) -> Value) -> Vec<Value> {
        let object = |role: &RoleParts| {
            json!({
                "meta": meta(role.created_at, role.updated_at),
                "role_id": role_id(&role.name),
                "name": role.name,
                "description": role.description,
                "capabilities": role.capabilities,
                "created_at": Stamp(role.created_at).to_string(),
            })
        };
        self.all.iter().map(object).collect()
    }
}
