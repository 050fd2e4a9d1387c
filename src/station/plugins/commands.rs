//! What an operator has the plugin host do.

use super::handle::{Plugins, not_asked};
use crate::{
    ids::TraceId,
    plugin::{Command, StreamCommand},
    port::{Outcome, PortError},
    station::local::Operating,
    words::counted,
};

pub(in crate::station) async fn command(
    operating: Operating<'_>,
    plugins: &Plugins,
    command: Command,
) -> Result<Outcome, PortError> {
    let what = describe(&command);
    let cause = operating.report(&what);
    // A plugin action is a piece of work of its own.
    let trace = matches!(command, Command::Invoke { .. }).then(|| TraceId(uuid::Uuid::now_v7()));
    let by = std::sync::Arc::from(operating.by.label());
    let asked = plugins.handle()?.command(command, Some(cause), trace, Some(by)).await;
    let outcome = asked.map_err(not_asked).and_then(|outcome| outcome.map_err(PortError::Plugin));
    if let Err(refusal) = &outcome {
        operating.refused(&format!("{what}: {refusal}"));
    }
    outcome.map(Outcome::Plugin)
}

/// A command in the words of the journal: without logins, values, arguments and messages.
fn describe(command: &Command) -> String {
    match command {
        Command::Install { folder, .. } => format!("install the plugin in {folder}"),
        Command::Serve { folder, .. } => format!("serve the plugin in {folder}"),
        Command::Unserve { plugin } => format!("stop serving plugin {plugin}"),
        Command::Remove { plugin, purge: false } => format!("remove plugin {plugin}"),
        Command::Remove { plugin, purge: true } => format!("remove plugin {plugin} with its data"),
        Command::Enable { plugin } => format!("enable plugin {plugin}"),
        Command::Disable { plugin } => format!("disable plugin {plugin}"),
        Command::Restart { plugin } => format!("restart plugin {plugin}"),
        Command::Grant { plugin, capabilities } => {
            format!("grant plugin {plugin} {}", capabilities.join(", "))
        }
        Command::Revoke { plugin, capabilities } => {
            format!("revoke {} of plugin {plugin}", capabilities.join(", "))
        }
        Command::Allow { plugin, always: false } => format!("allow the credential to plugin {plugin}"),
        Command::Allow { plugin, always: true } => {
            format!("allow the credential to plugin {plugin} until it is revoked")
        }
        Command::Deny { plugin } => format!("deny the credential to plugin {plugin}"),
        Command::Set { plugin, key, .. } => format!("set {key} of plugin {plugin}"),
        Command::Invoke { action, plugin: Some(plugin), .. } => {
            format!("invoke {action} at plugin {plugin}")
        }
        Command::Invoke { action, plugin: None, .. } => format!("invoke {action} at a plugin"),
        Command::Event { plugin, name, .. } => format!("send {name} to plugin {plugin}"),
        Command::Stream(command) => match command {
            StreamCommand::Set { .. } => "stream: a channel plays".to_owned(),
            StreamCommand::Stop => "stream: nothing plays".to_owned(),
            StreamCommand::Live { channels } => {
                format!("stream: {} live", counted(channels.len() as u64, "followed channel"))
            }
            StreamCommand::AddSession { id } => format!("stream: add relay session {id}"),
            StreamCommand::RemoveSession { id } => format!("stream: remove relay session {id}"),
            StreamCommand::Chat { messages } => {
                format!("stream: {}", counted(messages.len() as u64, "chat message"))
            }
        },
    }
}
