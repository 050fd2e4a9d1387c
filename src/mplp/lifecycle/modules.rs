//! The Core of a record: the modules that are in use (`mplp-l1 §2`).

use serde_json::{Value, json};

use crate::mplp::{MplpId, Profile};

/// The ten modules; those of the profile SA, then those that MAP adds, then the others.
const MODULES: [&str; 10] =
    ["context", "plan", "trace", "role", "core", "collab", "dialog", "network", "confirm", "extension"];

/// How many of them the profile SA requires, and how many MAP.
const REQUIRED: (usize, usize) = (5, 8);

/// The Core of a record of this profile, which says what modules are required.
pub(super) fn core_object(meta: &Value, core_id: MplpId, profile: Profile) -> Value {
    let required = match profile {
        Profile::Sa => REQUIRED.0,
        Profile::Map => REQUIRED.1,
    };
    let modules: Vec<Value> = MODULES
        .into_iter()
        .enumerate()
        .map(|(at, module)| {
            json!({
                "module_id": module,
                "version": "1.0.0",
                "status": "enabled",
                "required": at < required,
            })
        })
        .collect();
    json!({
        "meta": meta,
        "core_id": core_id,
        "protocol_version": "1.0.0",
        "status": "active",
        "modules": modules,
    })
}
