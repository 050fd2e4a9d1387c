//! How the plugin host is, why, and what to do: what its chip shows.

use crate::{
    console::{
        draw::format,
        input::action::Action,
        model::{
            alerts,
            health::{Report, ReportLine, command, key_hint},
            state::Model,
        },
    },
    port::health::plugin::{Cause, problems},
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// What to do while no plugin runs.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![key_hint(Action::Restart, "restarts it with its plugins; or:"), command("host restart plugin")]
}

/// The plugin host.
pub(crate) fn report(model: &Model, _: Now) -> Report {
    let Some(state) = &model.station_state else { return Report::starting() };
    let mut report = Report::new();
    let plugins = &state.plugin;
    let shows = || vec![key_hint(Action::ViewPlugins, "shows the Plugins: state, log and audit")];
    for problem in problems(state) {
        let remedy = match problem.cause {
            Cause::HostDown => host_remedy(),
            Cause::Asking => vec![key_hint(Action::Alerts, "shows the question, to allow or deny it")],
            Cause::Disabled | Cause::Waiting | Cause::Throttled | Cause::Missing => shows(),
        };
        report.add(problem, remedy);
    }
    alerts::report(model.alerts(), &mut report, state, Link::Plugin);
    let all = plugins.plugins.len() as u64;
    report.detail("plugins", format!("{} up of {}", format::count(plugins.up()), counted(all, "plugin")));
    let sum = |of: fn(&crate::plugin::PluginView) -> u64| plugins.plugins.values().map(of).sum::<u64>();
    report.detail(
        "since start",
        format!(
            "{} restarted, {} missed, {} dropped, {} refused",
            format::many(sum(|view| view.counts.restarts), "process"),
            format::many(sum(|view| view.counts.pings_missed), "ping"),
            format::many(sum(|view| view.counts.events_dropped), "event"),
            format::many(sum(|view| view.counts.refusals()), "request"),
        ),
    );
    report.detail("memory", format::bytes(sum(|view| view.memory_bytes)));
    if let Some(channel) = &plugins.stream.channel {
        let login = channel.to_string();
        report.lines.push(ReportLine::Detail("channel", login, crate::console::draw::class::Class::Login));
    }
    report
}
