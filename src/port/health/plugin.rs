//! What is amiss with the plugins.

use super::{Problem, problem::down_word};
use crate::{
    ids::PluginId,
    plugin::{DisableCause, PluginView, snapshot::State},
    port::{HostState, Snapshot},
    tap::entry::Link,
};

/// Plugins that are named one by one.
const LISTED_MAX: usize = 5;

/// What can be amiss with the plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    HostDown,
    Disabled,
    Waiting,
    Asking,
    Throttled,
    Missing,
}

/// Everything that is amiss with the host and its plugins.
pub(crate) fn problems(snapshot: &Snapshot) -> Vec<Problem<Cause>> {
    if let HostState::Down(why) = &snapshot.station.hosts[Link::Plugin.index()] {
        let why = format!("the plugin host is down: {why}");
        return vec![Problem::down(Cause::HostDown, down_word(&why, "stopped"), why)];
    }
    snapshot
        .plugin
        .plugins
        .iter()
        .filter_map(|(plugin, view)| of_plugin(plugin, view))
        .take(LISTED_MAX)
        .collect()
}

/// What is amiss with one plugin, if anything is.
fn of_plugin(plugin: &PluginId, view: &PluginView) -> Option<Problem<Cause>> {
    let why = || view.reason().map_or_else(String::new, |reason| format!(": {reason}"));
    let degraded = |cause, word: &'static str, why: String| Some(Problem::degraded(cause, word, why));
    match &view.state {
        State::Disabled(disabled) if disabled.cause == DisableCause::ByOperator => None,
        State::Disabled(_) => degraded(Cause::Disabled, "disabled", format!("{plugin} is disabled{}", why())),
        State::Waiting(_) => {
            degraded(Cause::Waiting, "restarting", format!("{plugin} is waiting to restart{}", why()))
        }
        _ if view.asked.is_some() => {
            degraded(Cause::Asking, "asking", format!("{plugin} is asking for a credential"))
        }
        _ if view.throttled_since.is_some() => {
            degraded(Cause::Throttled, "throttled", format!("{plugin} sends more than it may: throttled"))
        }
        _ if view.misses > 0 => {
            degraded(Cause::Missing, "no pong", format!("{plugin} missed {} pings in a row", view.misses))
        }
        _ => None,
    }
}
