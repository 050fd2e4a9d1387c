//! Plugins as they are listed and shown.

use std::collections::VecDeque;

use super::handle::not_asked;
use crate::{
    ids::PluginId,
    plugin::{PluginView, host::AskError},
    port::{Page, PluginAuditRow, PluginDetail, PluginLogRow, PluginRow, PortError, Query, plugin_rows},
    station::{
        host::{Asking, misdirected},
        local::Inner,
        pages::{flush_store, query_store},
    },
    store::{self, plugins::AuditFilter},
    tap::entry::Link,
};

pub(super) async fn answer(asking: Asking<'_>, query: Query) -> Result<Page, PortError> {
    let inner = asking.inner;
    let (_, snapshot) = inner.hosts.plugins.snapshot();
    let rows_max = |limit| usize::try_from(asking.rows_max(limit)).unwrap_or(usize::MAX);
    match query {
        Query::Plugins => Ok(Page::Plugins(plugin_rows(&snapshot, inner.clock.now()))),
        Query::Plugin { plugin } => {
            let Some(view) = snapshot.plugins.get(&plugin) else { return Ok(Page::Plugin(None)) };
            Ok(Page::Plugin(Some(Box::new(detail(inner, &plugin, view).await?))))
        }
        Query::PluginLog { plugin, after, limit } => {
            let lines = snapshot.plugins.get(&plugin).map(|view| &view.log);
            let (rows, more) = behind(lines, rows_max(limit), |line| line.number > after);
            let rows = rows.into_iter().map(|line| PluginLogRow::new(&plugin, line)).collect();
            Ok(Page::PluginLog { rows, more })
        }
        Query::PluginAudit { plugin, after, limit } => {
            let running = inner.hosts.running().ok_or(PortError::Stopping)?;
            audit(&running.store, plugin, after, asking.rows_max(limit)).await
        }
        Query::Stream => {
            let stream = inner.hosts.plugins.handle()?.stream().await.map_err(not_asked)?;
            Ok(Page::Stream(Box::new(stream)))
        }
        _ => Err(misdirected(Link::Plugin)),
    }
}

/// A plugin's audit, as the store has it of all starts; also of one that was removed and not purged.
pub(super) async fn audit(
    store: &store::Handle,
    plugin: PluginId,
    after: u64,
    limit: u64,
) -> Result<Page, PortError> {
    // What was decided before the question is in the answer.
    flush_store(store).await?;
    let filter = AuditFilter { plugin: Some(plugin), beyond: Some(after), oldest_first: true, limit };
    let page = query_store(|done| store.plugin_audit(filter, done)).await?;
    let rows = page.rows.into_iter().map(PluginAuditRow::from).collect();
    Ok(Page::PluginAudit { rows, more: page.more })
}

/// The first of those that are behind a place, and whether there are more.
fn behind<T>(all: Option<&VecDeque<T>>, rows_max: usize, is_behind: impl Fn(&T) -> bool) -> (Vec<&T>, bool) {
    let mut rows: Vec<&T> = all.into_iter().flatten().filter(|row| is_behind(row)).collect();
    let more = rows.len() > rows_max;
    rows.truncate(rows_max);
    (rows, more)
}

async fn detail(inner: &Inner, plugin: &PluginId, view: &PluginView) -> Result<PluginDetail, PortError> {
    let list = |names: &[std::sync::Arc<str>]| names.iter().map(ToString::to_string).collect();
    let more = match inner.hosts.plugins.handle() {
        Ok(handle) => match handle.detail(plugin).await {
            Err(busy @ AskError::Busy) => return Err(not_asked(busy)),
            found => found.ok().flatten(),
        },
        Err(_) => None,
    };
    Ok(PluginDetail {
        row: PluginRow::new(plugin, view, inner.clock.now()),
        description: view.about.description.to_string(),
        is_networked: view.about.is_networked,
        slots: list(&view.about.slots),
        provides: list(&view.about.provides),
        hooks: view.up().map(|up| list(&up.hooks)).unwrap_or_default(),
        detail: more.unwrap_or_default(),
    })
}
