//! The plugin host's metrics.

use crate::{
    plugin::{Code, PluginView, Snapshot, capability::Method},
    station::metrics::{
        Family,
        Kind::{self, Counter, Gauge},
        seconds,
    },
    time::Now,
};

/// Microseconds of a second.
const MICROS: f64 = 1_000_000.0;

pub(in crate::station) fn families(plugins: &Snapshot, now: Now) -> Vec<Family> {
    let mut all = processes(plugins);
    all.extend(traffic(plugins));
    all.extend(calls(plugins));
    all.extend(held_up(plugins, now));
    all
}

/// One metric of every plugin.
fn by_plugin(
    plugins: &Snapshot,
    name: &'static str,
    kind: Kind,
    about: &'static str,
    of: fn(&PluginView) -> u64,
) -> Family {
    let all = plugins.plugins.iter().map(|(plugin, view)| (plugin.to_string(), of(view)));
    Family::new(name, kind, about).by("plugin", all)
}

/// What goes between the station and the plugins.
fn traffic(plugins: &Snapshot) -> Vec<Family> {
    let by_plugin = |name, kind, about, of| by_plugin(plugins, name, kind, about, of);
    vec![
        by_plugin("rl_console_plugin_sent_frames_total", Counter, "Messages sent.", |view| {
            view.counts.frames_out
        }),
        by_plugin("rl_console_plugin_received_frames_total", Counter, "Messages received.", |view| {
            view.counts.frames_in
        }),
        by_plugin(
            "rl_console_plugin_sent_bytes_total",
            Counter,
            "Size of sent messages, in bytes.",
            |view| view.counts.bytes_out,
        ),
        by_plugin(
            "rl_console_plugin_received_bytes_total",
            Counter,
            "Size of received messages, in bytes.",
            |view| view.counts.bytes_in,
        ),
        by_plugin("rl_console_plugin_sent_events_total", Counter, "Sent events.", |view| {
            view.counts.events_sent
        }),
        by_plugin("rl_console_plugin_dropped_events_total", Counter, "Dropped events.", |view| {
            view.counts.events_dropped
        }),
        by_plugin("rl_console_plugin_actions_in_flight", Gauge, "Actions in flight.", |view| {
            view.actions.len() as u64
        }),
    ]
}

/// What the plugins call.
fn calls(plugins: &Snapshot) -> Vec<Family> {
    let by_plugin = |name, kind, about, of| by_plugin(plugins, name, kind, about, of);
    let sum = |of: &dyn Fn(&PluginView) -> u64| plugins.plugins.values().map(of).sum::<u64>();
    let refused =
        Code::ALL.map(|code| (code.name().to_owned(), sum(&|view| view.counts.refused[code.index()])));
    let called = Method::ALL
        .map(|method| (method.name().to_owned(), sum(&|view| view.counts.called[method as usize])));
    vec![
        by_plugin(
            "rl_console_plugin_requests_total",
            Counter,
            "Accepted requests and notifications.",
            |view| view.counts.requests,
        ),
        Family::new(
            "rl_console_plugin_method_requests_total",
            Counter,
            "Accepted requests and notifications, by method.",
        )
        .by("method", called),
        Family::new("rl_console_plugin_refused_requests_total", Counter, "Refused requests.")
            .by("code", refused),
        by_plugin("rl_console_plugin_lints_total", Counter, "Departures from the specification.", |view| {
            view.counts.lints
        }),
    ]
}

/// What is slowed down and cut.
fn held_up(plugins: &Snapshot, now: Now) -> Vec<Family> {
    let by_plugin = |name, kind, about, of| by_plugin(plugins, name, kind, about, of);
    let throttled = plugins
        .plugins
        .iter()
        .map(|(plugin, view)| (plugin.to_string(), seconds(view.throttled_us_at(now), MICROS)));
    vec![
        by_plugin(
            "rl_console_plugin_throttled",
            Gauge,
            "Whether the plugin is read more slowly than it writes.",
            |view| u64::from(view.throttled_since.is_some()),
        ),
        Family::new(
            "rl_console_plugin_throttled_seconds_total",
            Counter,
            "Time in which the plugin was read more slowly than it wrote, in seconds.",
        )
        .by("plugin", throttled),
        by_plugin("rl_console_plugin_log_lines_total", Counter, "Log lines.", |view| view.counts.log_lines),
        by_plugin("rl_console_plugin_cut_log_lines_total", Counter, "Log lines whose end was cut.", |view| {
            view.counts.lines_cut
        }),
        by_plugin(
            "rl_console_plugin_dropped_log_lines_total",
            Counter,
            "Log lines dropped because there were too many in a second.",
            |view| view.counts.lines_dropped,
        ),
    ]
}

/// How their processes are.
fn processes(plugins: &Snapshot) -> Vec<Family> {
    let by_plugin = |name, kind, about, of| by_plugin(plugins, name, kind, about, of);
    let ping_s = plugins
        .plugins
        .iter()
        .map(|(plugin, view)| (plugin.to_string(), seconds(view.counts.ping_us, MICROS)));
    vec![
        by_plugin("rl_console_plugin_up", Gauge, "Whether the plugin is up.", |view| {
            u64::from(view.up().is_some())
        }),
        by_plugin("rl_console_plugin_disabled", Gauge, "Whether the plugin is disabled.", |view| {
            u64::from(view.disabled().is_some())
        }),
        by_plugin(
            "rl_console_plugin_restarts_total",
            Counter,
            "Processes ended because they exited or were unhealthy.",
            |view| view.counts.restarts,
        ),
        by_plugin("rl_console_plugin_missed_pings_total", Counter, "Missed pings.", |view| {
            view.counts.pings_missed
        }),
        by_plugin(
            "rl_console_plugin_ping_microseconds",
            Gauge,
            "Latency of the last answered ping, in microseconds.",
            |view| view.last_ping_us().unwrap_or_default(),
        ),
        by_plugin("rl_console_plugin_answered_pings_total", Counter, "Answered pings.", |view| {
            view.counts.pings_answered
        }),
        Family::new(
            "rl_console_plugin_ping_seconds_total",
            Counter,
            "Latency of all answered pings, in seconds.",
        )
        .by("plugin", ping_s),
        by_plugin(
            "rl_console_plugin_memory_bytes",
            Gauge,
            "Memory of the processes of the plugin, in bytes.",
            |view| view.memory_bytes,
        ),
        by_plugin(
            "rl_console_plugin_cpu_permille",
            Gauge,
            "CPU of the processes of the plugin, in thousandths of one core.",
            |view| u64::from(view.cpu_permille),
        ),
    ]
}
