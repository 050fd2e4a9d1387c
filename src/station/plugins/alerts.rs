//! What of the plugins is cause for an alert.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    ids::PluginId,
    plugin::{DisableCause, Transition},
    port::Snapshot,
    station::alerts::{CauseKind, Evidence, Findings, Watch, Watching},
    tap::{
        EntryRef,
        entry::{Link, Transition as Any, What},
    },
    time::Now,
    words::format,
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Plugin);
/// A plugin was disabled, and not by the operator.
pub(crate) static DISABLED: CauseKind = CauseKind::new("disabled", Link::Plugin, "plugin");
/// A plugin asks for a credential.
pub(crate) static CREDENTIAL_ASKED: CauseKind =
    CauseKind::new("credential_asked", Link::Plugin, "plugin").question();
/// A plugin has been read more slowly than it writes, or has logged more lines than it may, for 10 s.
pub(crate) static FLOODING: CauseKind = CauseKind::new("flooding", Link::Plugin, "plugin");
/// Events for a plugin have been dropped for 30 s.
pub(crate) static EVENTS_DROPPED: CauseKind = CauseKind::new("events_dropped", Link::Plugin, "plugin");
/// A plugin has missed pings.
pub(crate) static NOT_ANSWERING: CauseKind = CauseKind::new("pings_missed", Link::Plugin, "plugin");
/// A process of a plugin showed a token of this station on the bus; the station itself tells of it.
pub(crate) static TOKEN_SHOWN: CauseKind = CauseKind::new("token_shown", Link::Plugin, "plugin").once();

/// For how many seconds a plugin floods before that is an alert.
const FLOODING_S: u64 = 10;
/// For how many seconds events are dropped before that is an alert.
const DROPPING_S: u64 = 30;
/// How long after the last dropped event they count as dropped no more.
const DROPPING_ENDS: Duration = Duration::from_secs(10);
/// Pings in a row that are missed before that is an alert: the next miss ends the process.
const MISSES: u32 = 2;

/// Events or lines that are dropped, one after another.
#[derive(Clone, Copy, Debug)]
struct Dropping {
    since: Now,
    last: Now,
    count: u64,
}

impl Dropping {
    /// Counts what was dropped of a plugin.
    fn add(of: &mut BTreeMap<PluginId, Self>, plugin: &PluginId, at: Now, count: u64) {
        let dropping = of.entry(plugin.clone()).or_insert(Self { since: at, last: at, count: 0 });
        (dropping.last, dropping.count) = (at, dropping.count.saturating_add(count));
    }
}

/// The host's memory for its alerts.
#[derive(Debug, Default)]
pub(crate) struct PluginWatch {
    dropping: BTreeMap<PluginId, Dropping>,
    /// Lines of logs that are too many.
    lines: BTreeMap<PluginId, Dropping>,
}

impl Watch for PluginWatch {
    #[cfg(test)]
    const KINDS: &[&'static CauseKind] =
        &[&HOST_DOWN, &DISABLED, &CREDENTIAL_ASKED, &FLOODING, &EVENTS_DROPPED, &NOT_ANSWERING, &TOKEN_SHOWN];

    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
        let at = entry.entry.at;
        let What::Transition(Any::Plugin(transition)) = &entry.entry.what else { return };
        match transition {
            _ if cx.is_in_snapshot => {}
            Transition::EventsDropped { plugin, events } => {
                Dropping::add(&mut self.dropping, plugin, at, *events);
            }
            Transition::LinesCut { plugin, dropped, .. } if *dropped > 0 => {
                Dropping::add(&mut self.lines, plugin, at, *dropped);
            }
            _ => {}
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        if findings.check_host(&HOST_DOWN, evidence) {
            return;
        }
        let plugins = &evidence.state.plugin.plugins;
        for of in [&mut self.dropping, &mut self.lines] {
            of.retain(|plugin, dropping| {
                evidence.now.mono.since(dropping.last.mono) < DROPPING_ENDS && plugins.contains_key(plugin)
            });
        }
        for (plugin, view) in plugins {
            let (subject, reason) = (plugin.as_str(), view.reason().unwrap_or_default());
            if view.disabled().is_some_and(|disabled| disabled.cause != DisableCause::ByOperator) {
                findings.add(DISABLED.of(subject), evidence.now, format!("{plugin} is disabled: {reason}"));
            }
            if let Some(asked) = &view.asked {
                let text = format!("{plugin} asks for the credential {}", asked.kind);
                findings.add(CREDENTIAL_ASKED.of(subject), asked.at, text);
            }
            if let Some(since) = view.throttled_since.filter(|since| evidence.has_lasted(*since, FLOODING_S))
            {
                let text = format!("{plugin} sends more than it may: it is read more slowly");
                findings.add(FLOODING.of(subject), since, text);
            } else if let Some(lines) = self.lines.get(plugin)
                && evidence.has_lasted(lines.since, FLOODING_S)
            {
                let dropped = format::many(lines.count, "line");
                let text = format!("{plugin} logs more than it may: {dropped} dropped");
                findings.add(FLOODING.of(subject), lines.since, text);
            }
            if view.misses >= MISSES {
                let text = format!("{plugin} missed {} pings in a row; one more restarts it", view.misses);
                findings.add(NOT_ANSWERING.of(subject), evidence.now, text);
            }
        }
        for (plugin, dropping) in &self.dropping {
            if evidence.has_lasted(dropping.since, DROPPING_S) {
                let events = format::many(dropping.count, "event");
                let text = format!("{events} for {plugin} dropped: it reads too slowly");
                findings.add(EVENTS_DROPPED.of(plugin.as_str()), dropping.since, text);
            }
        }
    }
}
