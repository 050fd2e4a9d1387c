//! What the supervisor keeps, as the store has it.

use crate::{
    limits,
    plugin::supervisor::Record,
    schema::JsonText,
    store::plugins::{Disabled, Grant, NewPlugin, PluginOp},
    time::Now,
};

/// What is done of a record.
pub(super) fn op(now: Now, record: Record, limits: &limits::Plugin) -> PluginOp {
    match record {
        Record::Installed { plugin, text, version, folder, command } => PluginOp::Put(NewPlugin {
            plugin,
            manifest: text.to_string(),
            version,
            folder: folder.to_string(),
            command,
            at: now.wall,
        }),
        Record::Removed { plugin, purge } => PluginOp::Remove { plugin, purge },
        Record::Grants { plugin, capabilities, always } => {
            let grants = capabilities
                .into_iter()
                .map(|capability| Grant { is_always: always.contains(&capability), capability })
                .collect();
            PluginOp::PutGrants { plugin, grants }
        }
        Record::Disabled { plugin, cause } => {
            let disabled = cause.map(|(cause, text)| Disabled { cause, text });
            PluginOp::SetDisabled { plugin, disabled }
        }
        Record::Exits { plugin, exits } => PluginOp::PutExits { plugin, exits },
        Record::Value { plugin, key, value } => {
            PluginOp::PutValue { plugin, key, value: value.as_ref().map(JsonText::from_value) }
        }
        Record::Audit { plugin, at, what, text, by } => {
            let (what, rows_max) = (what.name().to_owned(), limits.audit_rows_max);
            PluginOp::Audit { plugin, at, what, text, by: by.map(|by| by.to_string()), rows_max }
        }
        Record::Stream { part, value } => {
            let value = Some(&value).filter(|value| !value.is_null()).map(JsonText::from_value);
            PluginOp::PutStream { part, value }
        }
    }
}
