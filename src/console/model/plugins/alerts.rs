//! What to do about the alerts of plugins.

use super::health::host_remedy;
use crate::console::{
    input::action::Action,
    model::{
        alerts::AlertKind,
        health::{command, instruction, key_hint},
    },
};

/// The kinds there are.
pub(crate) const KINDS: &[AlertKind] = &[
    AlertKind::new("host_down", |_, _| host_remedy()),
    AlertKind::new("disabled", |_, _| {
        vec![
            key_hint(Action::ViewPlugins, "shows the Plugins: the reason, and the end of its log"),
            key_hint(Action::Restart, "enables the selected plugin there; or:"),
            command("ls plugins"),
        ]
    }),
    AlertKind::new("credential_asked", |_, _| {
        vec![
            key_hint(Action::Approve, "allows it for this run of the station"),
            key_hint(Action::AllowAlways, "allows it until it is revoked"),
            key_hint(Action::Reject, "denies it; without an answer it is denied after 120 s"),
        ]
    }),
    AlertKind::new("flooding", |_, _| {
        vec![
            instruction("nothing else suffers; if it does not end, disable the plugin and tell its author"),
            key_hint(Action::ViewPlugins, "shows the Plugins, where it is disabled"),
        ]
    }),
    AlertKind::new("events_dropped", |_, _| {
        vec![
            instruction("the plugin reads more slowly than events come (limits.plugin.queue_messages_max)"),
            key_hint(Action::ViewPlugins, "shows the Plugins, where it is restarted"),
        ]
    }),
    AlertKind::new("token_shown", |_, _| {
        vec![
            instruction("it gained nothing by it, but it has read a token in a file of yours: disable it"),
            key_hint(Action::ViewPlugins, "shows the Plugins: x disables the selected one"),
            instruction(
                "then stop the station and delete *.token in the data folder: its start makes new ones",
            ),
        ]
    }),
    AlertKind::new("pings_missed", |_, _| {
        vec![
            instruction("it is restarted after the third miss in a row"),
            key_hint(Action::ViewPlugins, "shows the Plugins, where it is restarted at once"),
        ]
    }),
];
