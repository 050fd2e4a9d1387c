//! What is told of plugins.

use serde::Serialize;

use super::event::MASK;
use crate::{
    ids::PluginId,
    plugin::{DisableCause, Level as Grade, Transition as T},
    tap::entry::station::Level,
    time::Wall,
};

/// What happened to a plugin.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(in crate::cli::commands) enum PluginEvent {
    /// The handshake is complete.
    PluginUp { plugin: PluginId, version: String },
    /// It is started again later.
    PluginWaiting { plugin: PluginId, restart: u32, until_ms: Wall },
    /// It is started no more until the operator says so.
    PluginDisabled { plugin: PluginId, cause: DisableCause, why: String },
    /// It has a word for the operator.
    PluginNotified { plugin: PluginId, level: Grade, text: String },
    /// It asks for a credential.
    PluginAsks { plugin: PluginId, credential: String, until_ms: Wall },
    /// It received a credential.
    PluginHanded { plugin: PluginId, credential: String },
}

impl PluginEvent {
    /// What a transition tells, if it tells something.
    pub(super) fn of(transition: &T, text: impl FnOnce() -> String) -> Option<Self> {
        Some(match transition.clone() {
            T::Up { plugin, version, .. } => Self::PluginUp { plugin, version: version.to_string() },
            T::Waiting { plugin, until, nth } => {
                Self::PluginWaiting { plugin, restart: nth, until_ms: until }
            }
            T::Disabled { plugin, cause } => Self::PluginDisabled { plugin, cause, why: text() },
            T::Notified { plugin, level } => Self::PluginNotified { plugin, level, text: text() },
            T::Asked { plugin, kind, until } => {
                Self::PluginAsks { plugin, credential: kind.to_string(), until_ms: until }
            }
            T::Handed { plugin, kind } => Self::PluginHanded { plugin, credential: kind.to_string() },
            _ => return None,
        })
    }

    /// It without what the plugin wrote.
    pub(super) fn mask(&mut self) {
        if let Self::PluginDisabled { why: words, .. } | Self::PluginNotified { text: words, .. } = self {
            MASK.clone_into(words);
        }
    }

    /// In words, without its time.
    pub(super) fn text(&self) -> String {
        match self {
            Self::PluginUp { plugin, version } => format!("plugin {plugin} {version} is up"),
            Self::PluginWaiting { plugin, restart, .. } => {
                format!("plugin {plugin} is restarted, {restart} of 3 within ten minutes")
            }
            Self::PluginDisabled { plugin, cause, why } => {
                let cause = cause.name().replace('_', " ");
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                format!("plugin {plugin} is disabled, {cause}{why}")
            }
            Self::PluginNotified { plugin, text, .. } => format!("plugin {plugin}: {text}"),
            Self::PluginAsks { plugin, credential, .. } => {
                format!("plugin {plugin} asks for the credential {credential}")
            }
            Self::PluginHanded { plugin, credential } => {
                format!("plugin {plugin} received the credential {credential}")
            }
        }
    }

    /// How much it matters.
    pub(super) const fn level(&self) -> Level {
        match self {
            Self::PluginDisabled { cause: DisableCause::ByOperator, .. }
            | Self::PluginUp { .. }
            | Self::PluginHanded { .. } => Level::Info,
            Self::PluginDisabled { .. } => Level::Error,
            Self::PluginWaiting { .. } | Self::PluginAsks { .. } => Level::Warn,
            Self::PluginNotified { level, .. } => match level {
                Grade::Debug => Level::Debug,
                Grade::Info => Level::Info,
                Grade::Warning => Level::Warn,
                Grade::Error => Level::Error,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_that_asks_is_told_with_what_and_until_when() {
        let asked = T::Asked {
            plugin: PluginId::new("org.example.a"),
            kind: "twitch.android".into(),
            until: Wall(9),
        };
        let event = super::super::Event::Plugin(PluginEvent::of(&asked, String::new).unwrap());
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(
            json,
            r#"{"event":"plugin_asks","plugin":"org.example.a","credential":"twitch.android","until_ms":9}"#
        );
        assert_eq!(event.text(), "plugin org.example.a asks for the credential twitch.android");
    }
}
