//! The metrics and the alerts of plugins, from snapshots; their audit, from the store.

use super::{alerts::PluginWatch, families::families, pages};
use crate::{
    ids::PluginId,
    plugin::{About, Snapshot, Transition},
    port::Page,
    station::{
        Config, Station,
        alerts::{Watch as _, kinds},
        pages::query_store,
    },
    store::{op::Op, plugins::PluginOp},
    tap::entry::{Link, plugin::Audited},
    time::{Clock, Now, Wall},
};

fn snapshot() -> Snapshot {
    let mut snapshot = Snapshot::default();
    let plugin = PluginId::new("org.example.a");
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

/// Rows of the audits of two plugins, turn about.
fn audited() -> Vec<PluginOp> {
    let row = |at| PluginOp::Audit {
        plugin: PluginId::new(if at % 2 == 0 { "org.example.a" } else { "org.example.b" }),
        at: Wall(at),
        what: Audited::Granted.name().to_owned(),
        text: format!("capability_{at}"),
        rows_max: 100,
    };
    (0..6).map(row).collect()
}

#[test]
fn an_audit_is_read_from_the_store_in_pages_and_outlives_the_station() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let start = || {
        let station = Station::start(Config::within(folder.path()), Clock::start()).unwrap();
        runtime.block_on(station.ready()).unwrap();
        station
    };
    let page = |station: &Station, after, limit| {
        let store = station.inner.hosts.running().unwrap().store.clone();
        let asked = pages::audit(&store, PluginId::new("org.example.a"), after, limit);
        let Page::PluginAudit { rows, more } = runtime.block_on(asked).unwrap() else { unreachable!() };
        assert!(rows.iter().all(|row| row.plugin.as_str() == "org.example.a" && row.what == "granted"));
        (rows.into_iter().map(|row| (row.number, row.text)).collect::<Vec<_>>(), more)
    };
    let station = start();
    let store = station.inner.hosts.running().unwrap().store.clone();
    let class = audited()[0].class();
    runtime.block_on(query_store(|done| store.commit(Op::Plugins(audited()), class, done))).unwrap();
    drop(store);
    let (first, more) = page(&station, 0, 2);
    assert_eq!(
        first.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(),
        ["capability_0", "capability_2"]
    );
    assert!(more);
    drop(station);
    let station = start();
    assert_eq!(page(&station, 0, 2), (first.clone(), true));
    let (second, more) = page(&station, first[1].0, 2);
    assert_eq!(second.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["capability_4"]);
    assert!(!more);
    assert_eq!(page(&station, second[0].0, 2), (Vec::new(), false));
}
