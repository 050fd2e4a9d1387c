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
#[serde(tag = "event")]
pub(in crate::cli::commands) enum PluginEvent {
    /// The handshake is complete.
    #[serde(rename = "plugin_up")]
    Up { plugin: PluginId, version: String },
    /// It is started again later.
    #[serde(rename = "plugin_waiting")]
    Waiting { plugin: PluginId, restart: u32, until_ms: Wall },
    /// It is started no more until the operator says so.
    #[serde(rename = "plugin_disabled")]
    Disabled { plugin: PluginId, cause: DisableCause, why: String },
    /// It has a word for the operator.
    #[serde(rename = "plugin_notified")]
    Notified { plugin: PluginId, level: Grade, text: String },
    /// It asks for a credential.
    #[serde(rename = "plugin_asks")]
    Asks { plugin: PluginId, credential: String, until_ms: Wall },
    /// It received a credential.
    #[serde(rename = "plugin_handed")]
    Handed { plugin: PluginId, credential: String },
}

impl PluginEvent {
    /// What a transition tells, if it tells something.
    pub(super) fn of(transition: &T, text: impl FnOnce() -> String) -> Option<Self> {
        Some(match transition.clone() {
            T::Up { plugin, version, .. } => Self::Up { plugin, version: version.to_string() },
            T::Waiting { plugin, until, nth } => Self::Waiting { plugin, restart: nth, until_ms: until },
            T::Disabled { plugin, cause } => Self::Disabled { plugin, cause, why: text() },
            T::Notified { plugin, level } => Self::Notified { plugin, level, text: text() },
            T::Asked { plugin, kind, until } => {
                Self::Asks { plugin, credential: kind.to_string(), until_ms: until }
            }
            T::Handed { plugin, kind } => Self::Handed { plugin, credential: kind.to_string() },
            _ => return None,
        })
    }

    /// It without what the plugin wrote.
    pub(super) fn mask(&mut self) {
        if let Self::Disabled { why: words, .. } | Self::Notified { text: words, .. } = self {
            MASK.clone_into(words);
        }
    }

    /// In words, without its time.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Up { plugin, version } => format!("plugin {plugin} {version} is up"),
            Self::Waiting { plugin, restart, .. } => {
                format!("plugin {plugin} is restarted, {restart} of 3 within ten minutes")
            }
            Self::Disabled { plugin, cause, why } => {
                let cause = cause.name().replace('_', " ");
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                format!("plugin {plugin} is disabled, {cause}{why}")
            }
            Self::Notified { plugin, text, .. } => format!("plugin {plugin}: {text}"),
            Self::Asks { plugin, credential, .. } => {
                format!("plugin {plugin} asks for the credential {credential}")
            }
            Self::Handed { plugin, credential } => {
                format!("plugin {plugin} received the credential {credential}")
            }
        }
    }

    /// How much it matters.
    pub(super) const fn level(&self) -> Level {
        match self {
            Self::Disabled { cause: DisableCause::ByOperator, .. }
            | Self::Up { .. }
            | Self::Handed { .. } => Level::Info,
            Self::Disabled { .. } => Level::Error,
            Self::Waiting { .. } | Self::Asks { .. } => Level::Warn,
            Self::Notified { level, .. } => match level {
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
