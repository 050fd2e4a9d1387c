//! Details of a plugin in words.

use super::{entries, keys::PLUGIN};
use crate::{
    console::{
        draw::format,
        input::action::Action,
        model::{Model, ReportLine},
        overlays::detail::{at, detail, join_some, payload},
        records::{
            entry_query::EntryQuery,
            record_key::RecordKey,
            row::{DetailsRecord, PaneRecord},
        },
        settings::view::View,
    },
    ids::{PluginId, TraceId},
    plugin::{PluginView, snapshot::RESTARTS_MAX},
    words::counted,
};

/// Names that are listed one by one.
const LISTED_MAX: usize = 24;

/// A plugin.
#[derive(Debug)]
pub(crate) struct PluginDetails(pub(crate) PluginId);

impl DetailsRecord for PluginDetails {
    fn key(&self) -> RecordKey {
        PLUGIN.of(self.0.clone())
    }

    fn title(&self, _: &Model) -> String {
        format!("Plugin {}", self.0)
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        match model.plugins().and_then(|plugins| plugins.plugins.get(&self.0)) {
            Some(plugin) => plugin_details(view, plugin),
            None => vec![ReportLine::Reason("removed".to_owned())],
        }
    }

    fn row<'a>(&'a self, _: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        None
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_plugin(self.0.clone(), None))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

fn plugin_details(view: &View, plugin: &PluginView) -> Vec<ReportLine> {
    let about = &plugin.about;
    let mut lines = vec![detail("state", plugin.state.name())];
    lines.extend(plugin.reason().map(|reason| payload("reason", &reason)));
    if let Some(asked) = &plugin.asked {
        let left = format::age(asked.until.since(view.clock.wall));
        lines.push(detail("asks for", format!("{}; denied in {}", asked.kind, left.trim_start())));
        lines.push(ReportLine::KeyHint(Action::Approve, "allows it for this run of the station".into()));
        lines.push(ReportLine::KeyHint(Action::AllowAlways, "allows it until it is revoked".into()));
        lines.push(ReportLine::KeyHint(Action::Reject, "denies it".into()));
    }
    if let (Some(last), Some(_)) = (&plugin.last, plugin.up()) {
        let cause = last.cause.name().replace('_', " ");
        lines.push(payload("last ended", &format!("{} {cause}: {}", at(view, last.at.wall), last.text)));
    }
    lines.extend(identity(view, plugin));
    lines.push(detail(
        "restarts",
        format!("{} of {RESTARTS_MAX} within ten minutes", plugin.restarts_at(view.now)),
    ));
    lines.push(detail("asked for", join_some(about.asks.iter(), LISTED_MAX)));
    lines.push(detail("granted", join_some(plugin.granted.iter(), LISTED_MAX)));
    if about.is_networked {
        lines.push(detail("network", "makes network connections of its own"));
    }
    lines.extend(about.folder.as_ref().map(|folder| detail("folder", folder.to_string())));
    lines.extend(about.command.as_ref().map(|command| detail("command", command.to_string())));
    if !about.actions.is_empty() {
        lines.push(detail("actions", join_some(about.actions.iter(), LISTED_MAX)));
    }
    if !about.provides.is_empty() {
        lines.push(detail("provides", join_some(about.provides.iter(), LISTED_MAX)));
    }
    if let Some(panel) = &plugin.panel {
        lines.push(payload("panel", &format!("{}, {}", panel.title, counted(panel.fields, "field"))));
    }
    lines.extend(
        plugin.actions.values().map(|action| {
            detail("in flight", format!("{} since {}", action.action, at(view, action.at.wall)))
        }),
    );
    let counts = &plugin.counts;
    lines.push(detail(
        "messages",
        format!(
            "{} in ({}), {} out ({})",
            format::count(counts.frames_in),
            format::bytes(counts.bytes_in),
            format::count(counts.frames_out),
            format::bytes(counts.bytes_out)
        ),
    ));
    lines.push(detail(
        "since start",
        format!(
            "{} accepted, {} refused, {} noted, {} dropped",
            format::many(counts.requests, "request"),
            format::count(counts.refusals()),
            format::many(counts.lints, "departure"),
            format::many(counts.events_dropped, "event")
        ),
    ));
    lines.push(payload("description", &about.description));
    lines
}

/// Who it is, and the process that runs.
fn identity(view: &View, plugin: &PluginView) -> Vec<ReportLine> {
    let about = &plugin.about;
    let mut lines = vec![
        detail("name", about.name.to_string()),
        detail("version", plugin.version().to_string()),
        detail("author", about.author.to_string()),
    ];
    if let Some(up) = plugin.up() {
        lines.push(detail("up since", at(view, up.since.wall)));
        lines.push(detail("guard", format!("pid {}", up.pid)));
        lines.push(detail("events", join_some(up.hooks.iter(), LISTED_MAX)));
    }
    lines
}
