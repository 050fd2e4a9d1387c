//! Plugins: those that need a look first, then by their ids.

use std::time::Duration;

use super::{details::PluginDetails, entries, keys::PLUGIN};
use crate::{
    console::{
        copy::line,
        draw::{Cell, class::Class, format, glyphs::Glyphs, theme::Role},
        input::pane_id::PaneId,
        model::Model,
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::{Collected, Rows},
            selection::RecordKey,
        },
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, Source, Title},
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::{PluginId, TraceId},
    plugin::{
        PluginView,
        snapshot::{RESTARTS_MAX, State},
    },
    time::Now,
};

/// Pings of the strip that have room in its column.
const STRIP_MAX: usize = 20;
/// A ping that took so long is drawn as the slowest.
const SLOW_US: u64 = 1_000_000;

/// A plugin.
#[derive(Debug)]
pub(crate) struct PluginItem<'a> {
    pub(super) plugin: &'a PluginId,
    pub(super) view: &'a PluginView,
}

fields! {
    PluginItem<'_> {
        "plugin" | "id", Text, Public, "id", Column::growing("plugin", 14, 2) => |it, _| Value::text(it.plugin.as_str());
        "version", Text, Public, "version", Column::fixed("version", 8).from(100) => |it, _| Value::text(&**it.view.version());
        "state", State(&State::NAMES), Public, "state", Column::fixed("state", 8) => |it, _| Value::text(it.view.state.name());
        "pings", Text, Public, "the last pings, as bars of their latency", Column::fixed("pings", 20).from(110)
            => |_, _| Value::None;
        "ping" | "ping_us", Number, Public, "latency of the last ping in microseconds", Column::fixed("ping", 7).right().from(52)
            => |it, _| it.view.last_ping_us().map_or(Value::None, Value::count);
        "restarts", Number, Public, "restarts within ten minutes, of 3", Column::fixed("restarts", 8).right()
            => |it, now| Value::count(it.view.restarts_at(now));
        "next", Time, Public, "time of the next restart; shown as what is left until then", Column::fixed("next", 5).right()
            => |it, _| it.view.waiting().map_or(Value::None, |waiting| Value::Time(waiting.until));
        "memory" | "memory_bytes", Bytes, Public, "memory of its processes", Column::fixed("memory", 8).right().from(80)
            => |it, _| Value::Bytes(it.view.memory_bytes);
        "cpu" | "cpu_permille", Number, Public, "share of one core, in thousandths", Column::fixed("cpu", 6).right().from(88)
            => |it, _| Value::count(it.view.cpu_permille);
        "reason", Text, Payload, "reason of its state", Column::growing("reason", 10, 4) => |it, now| it.why(now).map_or(Value::None, |(why, _)| Value::text(why));
        "name", Text, Public, "name" => |it, _| Value::text(&*it.view.about.name);
        "author", Text, Public, "author" => |it, _| Value::text(&*it.view.about.author);
        "misses", Number, Public, "pings missed in a row" => |it, _| Value::count(it.view.misses);
        "asking", Text, Public, "credential it is asking for" => |it, _| Value::maybe(it.view.asked.as_ref().map(|asked| &*asked.kind));
        "granted" | "grants", Text, Public, "granted capabilities" => |it, _| Value::text(it.view.granted.join(" "));
        "in_flight", Number, Public, "actions in flight" => |it, _| Value::count(it.view.actions.len() as u64);
        "dropped" | "events_dropped", Number, Public, "events dropped since the host started" => |it, _| Value::count(it.view.counts.events_dropped);
        "refused", Number, Public, "requests refused since the host started" => |it, _| Value::count(it.view.counts.refusals());
        "lints", Number, Public, "departures from the specification since the host started" => |it, _| Value::count(it.view.counts.lints);
        "since", Time, Public, "time it came up" => |it, _| it.view.up().map_or(Value::None, |up| Value::Time(up.since.wall));
    }
}

impl PluginItem<'_> {
    /// Why it needs a look: what it asks for, or what is the matter with it. The class is that of who wrote
    /// it.
    fn why(&self, now: Now) -> Option<(String, Class)> {
        let view = self.view;
        if let Some(asked) = &view.asked {
            return Some((format!("asks for {}", asked.kind), Class::Public));
        }
        let class = if view.up().is_some() { Class::Public } else { Class::Payload };
        let of_last = || {
            let last = view.last.as_ref().filter(|_| view.restarts_at(now) > 0)?;
            Some((format!("restarted: {}", last.cause.name().replace('_', " ")), Class::Public))
        };
        view.reason().map(|why| (why, class)).or_else(of_last)
    }
}

/// A sign and a colour for how a plugin is.
pub(super) fn plugin_sign(view: &PluginView, glyphs: &Glyphs) -> (&'static str, Role) {
    match &view.state {
        _ if view.asked.is_some() => (glyphs.warn, Role::Warn),
        State::Up(_) if view.misses > 0 || view.throttled_since.is_some() => (glyphs.degraded, Role::Warn),
        State::Up(_) => (glyphs.well, Role::Ok),
        State::Starting | State::Stopping => (glyphs.degraded, Role::Text),
        State::Waiting(_) => (glyphs.degraded, Role::Warn),
        State::Disabled(_) => (glyphs.down, Role::Bad),
        State::Stopped => (glyphs.down, Role::Muted),
    }
}

/// The last pings as bars; one that was missed is a cross.
fn strip(view: &PluginView, glyphs: &Glyphs) -> String {
    let bar = |us: u64| {
        // Each step is four times the one below.
        let step = (us.clamp(1, SLOW_US).ilog2() / 2).saturating_sub(3).min(7);
        glyphs.spark[usize::try_from(step).unwrap_or(0)]
    };
    let from = view.pings.len().saturating_sub(STRIP_MAX);
    view.pings.iter().skip(from).map(|ping| ping.map_or(glyphs.bad, bar)).collect()
}

impl PaneRecord for PluginItem<'_> {
    fn key(&self) -> RecordKey {
        PLUGIN.of(self.plugin.clone())
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (view, glyphs) = (self.view, look.view.glyphs);
        let (sign, role) = plugin_sign(view, glyphs);
        Some(match field {
            "plugin" => Cell::new(format!("{sign} {}", self.plugin), role).cut_within(),
            "state" => Cell::new(view.state.name(), role),
            "pings" => {
                let role = if view.misses > 0 { Role::Warn } else { Role::Plugin };
                Cell::new(strip(view, glyphs), role)
            }
            "ping" => match view.pings.back() {
                Some(Some(us)) => Cell::new(format::fine(Duration::from_micros(*us)), Role::Text),
                Some(None) => Cell::new("missed", Role::Warn),
                None => Cell::new("", Role::Muted),
            },
            "restarts" => {
                let restarts = view.restarts_at(look.view.now);
                let role = match restarts {
                    0 => Role::Muted,
                    RESTARTS_MAX.. => Role::Bad,
                    _ => Role::Warn,
                };
                Cell::new(format!("{restarts}/{RESTARTS_MAX}"), role)
            }
            "next" => {
                let left = view.waiting().map(|waiting| waiting.until.since(look.view.now.wall));
                Cell::new(left.map(format::age).unwrap_or_default(), Role::Warn)
            }
            "memory" | "cpu" if view.memory_bytes == 0 => Cell::new("", Role::Muted),
            "cpu" => {
                let role = if view.cpu_permille >= 900 { Role::Warn } else { Role::Text };
                Cell::new(format!("{}.{}%", view.cpu_permille / 10, view.cpu_permille % 10), role)
            }
            "reason" => {
                let (why, class) = self.why(look.view.now).unwrap_or((String::new(), Class::Public));
                Cell::of_class(why, role, class)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(PluginDetails(self.plugin.clone())))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_plugin(self.plugin.clone(), None))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(list_command(self.plugin))
    }
}

/// The subcommand that lists a plugin.
pub(super) fn list_command(plugin: &PluginId) -> String {
    line::list_command("plugins", &format!("plugin={plugin}"))
}

/// The plugins: those that need a look first.
fn rows(model: &Model) -> Rows<'_> {
    let plugins = model.plugins().into_iter().flat_map(|plugins| &plugins.plugins);
    let mut rows: Vec<_> = plugins.map(|(plugin, view)| PluginItem { plugin, view }).collect();
    rows.sort_by_key(|row| match &row.view.state {
        _ if row.view.asked.is_some() => 0,
        State::Disabled(_) | State::Waiting(_) => 1,
        _ => 2,
    });
    rows.into_iter().collect::<Collected<_>>().pinning(|row| row.view.asked.is_some()).into()
}

/// The plugins.
pub(crate) static PANE: Pane = Pane {
    specs: PluginItem::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| rows(model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| match cx.model.plugins() {
        Some(plugins) if !plugins.plugins.is_empty() => {
            format!("{} {}/{} up", PaneId::Plugins.name(), plugins.up(), plugins.plugins.len())
        }
        _ => PaneId::Plugins.name().to_owned(),
    }),
    empty: Empty::Text("no plugins installed"),
    drawing: Drawing::Table,
    chip: None,
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.plugin.plugins_max", ui.limits.plugin.plugins_max);
        Some(Account::whole("installed and served plugins", all, bound))
    },
};
