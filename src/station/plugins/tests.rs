//! The metrics and the alerts of plugins, from snapshots.

use super::{alerts::PluginWatch, families::families};
use crate::{
    plugin::{About, Snapshot, Transition},
    station::alerts::{Watch as _, kinds},
    tap::entry::Link,
    time::Now,
};

fn snapshot() -> Snapshot {
    let mut snapshot = Snapshot::default();
    let plugin = crate::ids::PluginId::new("org.example.a");
    let about = std::sync::Arc::new(About::default());
    let limits = crate::limits::Plugin::default();
    let all = [
        Transition::Installed { plugin: plugin.clone(), about },
        Transition::Missed { plugin: plugin.clone(), misses: 1 },
        Transition::EventsDropped { plugin, events: 7 },
    ];
    for transition in all {
        snapshot.follow(&transition, None, Now::at_ms(5), "", &limits);
    }
    snapshot
}

#[test]
fn each_plugin_has_its_metrics_by_its_id() {
    let idle: Vec<_> = families(&Snapshot::default()).into_iter().map(|family| family.name).collect();
    let busy: Vec<_> = families(&snapshot()).into_iter().map(|family| family.name).collect();
    assert_eq!(idle, busy, "the families are the same with and without plugins");
    assert!(idle.iter().all(|name| name.starts_with("rl_console_plugin_")));
}

#[test]
fn its_alerts_are_of_its_link() {
    assert_eq!(PluginWatch::KINDS.len(), 6);
    let of_plugins = kinds().into_iter().filter(|(link, _)| *link == Link::Plugin).count();
    assert_eq!(of_plugins, PluginWatch::KINDS.len());
}
