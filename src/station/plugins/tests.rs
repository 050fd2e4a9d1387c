//! The metrics and the alerts of plugins, from snapshots; their audit, from the store.

use super::{alerts::PluginWatch, families::families, pages};
use crate::{
    ids::PluginId,
    plugin::{About, Code, Head, Snapshot, Transition, Verdict},
    port::Page,
    station::{
        Config, Station,
        alerts::{Watch as _, kinds},
        metrics::Number,
        pages::query_store,
    },
    store::{op::Op, plugins::PluginOp},
    tap::entry::{Direction, Link, plugin::Audited},
    time::{Clock, Now, Wall},
};

fn snapshot() -> Snapshot {
    let mut snapshot = Snapshot::default();
    let plugin = PluginId::new("org.example.a");
    let about = std::sync::Arc::new(About::default());
    let limits = crate::limits::Plugin::default();
    let of = || plugin.clone();
    let all = [
        (5, Transition::Installed { plugin: of(), about }),
        (5, Transition::Missed { plugin: of(), misses: 1 }),
        (5, Transition::EventsDropped { plugin: of(), events: 7 }),
        (5, Transition::Pinged { plugin: of(), us: 250_000 }),
        (5, Transition::Pinged { plugin: of(), us: 500_000 }),
        (5, Transition::LinesCut { plugin: of(), cut: 2, dropped: 40 }),
        (1_000, Transition::Throttled { plugin: of(), on: true }),
        (3_000, Transition::Throttled { plugin: of(), on: false }),
        (4_000, Transition::Throttled { plugin: of(), on: true }),
    ];
    for (ms, transition) in all {
        snapshot.follow(&transition, None, Now::at_ms(ms), "", &limits);
    }
    let mut frame = |direction, method: &str, id: Option<&str>, verdict| {
        let head = Head { method: Some(method.into()), id: id.map(Into::into), ..Head::new(of()) };
        snapshot.record_frame(direction, &head, verdict, 10);
    };
    frame(Direction::Inbound, "log", None, Some(Verdict::Accepted));
    frame(Direction::Inbound, "notify", Some("1"), Some(Verdict::Accepted));
    frame(Direction::Inbound, "notify", Some("2"), Some(Verdict::Refused(Code::RateLimited)));
    for (method, id) in
        [("initialize", Some("1")), ("initialized", None), ("on_watch_tick", None), ("exit", None)]
    {
        frame(Direction::Outbound, method, id, None);
    }
    snapshot
}

#[test]
fn each_plugin_has_its_metrics_by_its_id() {
    let names = |snapshot: &Snapshot| -> Vec<_> {
        families(snapshot, Now::at_ms(4_500)).into_iter().map(|family| family.name).collect()
    };
    let idle = names(&Snapshot::default());
    assert_eq!(idle, names(&snapshot()), "the families are the same with and without plugins");
    assert!(idle.iter().all(|name| name.starts_with("rl_console_plugin_")));
}

#[test]
fn what_is_counted_is_in_the_metrics() {
    let all = families(&snapshot(), Now::at_ms(4_500));
    let value = |name: &str, of: &str| {
        let family = all.iter().find(|family| family.name == format!("rl_console_plugin_{name}")).unwrap();
        family.series.iter().find(|series| series.labels[0].1 == of).unwrap().value
    };
    let of_plugin = |name| value(name, "org.example.a");
    let whole = [
        ("sent_events_total", 1),
        ("dropped_events_total", 7),
        ("sent_frames_total", 4),
        ("sent_bytes_total", 40),
        ("received_bytes_total", 30),
        ("requests_total", 2),
        ("missed_pings_total", 1),
        ("answered_pings_total", 2),
        ("cut_log_lines_total", 2),
        ("dropped_log_lines_total", 40),
        ("throttled", 1),
    ];
    for (name, count) in whole {
        assert_eq!(of_plugin(name), Number::Whole(count), "{name}");
    }
    assert_eq!(of_plugin("ping_seconds_total"), Number::Real(0.75));
    assert_eq!(of_plugin("throttled_seconds_total"), Number::Real(2.5), "with that which lasts");
    assert_eq!(value("method_requests_total", "notify"), Number::Whole(1));
    assert_eq!(value("method_requests_total", "set_status"), Number::Whole(0));
    assert_eq!(value("refused_requests_total", "rate_limited"), Number::Whole(1));
}

#[test]
fn its_alerts_are_of_its_link() {
    assert_eq!(PluginWatch::KINDS.len(), 7);
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
        by: None,
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
