//! `plugin logs`: the files of a plugin's log, read without a station; or what a recording has of it.

use std::{fs, time::Duration};

use serde::Serialize;

use super::request::{among, whole_id};
use crate::{
    cli::{asked, context::Context, error::Error, operator, output::Output, signals::Signals},
    ids::PluginId,
    plugin::{
        Refusal,
        host::{
            folders::Folders,
            log_file::{self, Line as LogLine, Page, PageLimits},
        },
    },
    port::{self, Operator, PluginLogRow, PortError, Query},
};

/// How often a log is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Bytes that are read at once.
const PAGE_BYTES_MAX: u64 = 4 << 20;
/// Lines asked for at once; a recording may give fewer.
const PAGE_ROWS: u64 = 1_000;

#[derive(Serialize)]
struct Line<'a> {
    plugin: &'a str,
    line: &'a str,
}

pub(super) fn run(context: &mut Context, name: &str, follow: bool, lines: u32) -> Result<(), Error> {
    if context.settings.asked.is_some() {
        return recorded(context, name, lines);
    }
    let data = context.settings.data()?;
    let entries = fs::read_dir(data.join("plugins"));
    let ids: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect();
    let plugin = among(name, ids.iter().map(String::as_str))?;
    if !ids.iter().any(|id| *id == plugin.as_str()) {
        return Err(unknown(plugin));
    }
    let log_dir = Folders::of(&data, &plugin).map_err(Error::io(data.display().to_string()))?.log_dir;
    let shown = log_dir.display().to_string();
    let lines_max = usize::try_from(lines).unwrap_or(usize::MAX);
    let limits = PageLimits { lines_max, bytes_max: PAGE_BYTES_MAX };
    let page = log_file::last(&log_dir, limits).map_err(Error::io(shown.clone()))?;
    print(&page, plugin.as_str(), &mut context.out)?;
    if !follow {
        return Ok(());
    }
    let out = &mut context.out;
    operator::block_on(async {
        let mut signals = Signals::listen()?;
        let mut position = page.end;
        let limits = PageLimits { lines_max: 1_000, ..limits };
        loop {
            let page = log_file::after(&log_dir, position, limits).map_err(Error::io(shown.clone()))?;
            print(&page, plugin.as_str(), out)?;
            position = page.end.or(position);
            if page.has_more {
                continue;
            }
            tokio::select! {
                () = signals.end() => return Ok(()),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    })
}

/// The last lines that a recording has. Nothing follows in it.
fn recorded(context: &mut Context, name: &str, lines: u32) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = asked::ask(settings).await?;
        let plugin = whole_id(&station, name).await?;
        let state = station.recorded_state().await?;
        let view = state.as_ref().and_then(|state| state.plugin.plugins.get(&plugin));
        let view = view.ok_or_else(|| unknown(plugin.clone()))?;
        let last = view.log.back().map_or(0, |line| line.number);
        pages(&station, &plugin, last.saturating_sub(u64::from(lines)), out).await
    })
}

/// Prints all lines behind a number.
async fn pages(
    station: &dyn Operator,
    plugin: &PluginId,
    mut after: u64,
    out: &mut Output,
) -> Result<(), Error> {
    loop {
        let query = Query::PluginLog { plugin: plugin.clone(), after, limit: PAGE_ROWS };
        let port::Page::PluginLog { rows, more } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        for PluginLogRow { at_ms, level, source, text, .. } in &rows {
            let line = LogLine { text: text.clone(), cut_bytes: 0 };
            let line = log_file::formatted(*at_ms, *level, *source, &line);
            let row = Line { plugin: plugin.as_str(), line: line.trim_end_matches('\n') };
            out.row(&row, |row| row.line.to_owned())?;
        }
        match rows.last().filter(|_| more) {
            Some(last) => after = last.number,
            None => return out.flush(),
        }
    }
}

fn unknown(plugin: PluginId) -> Error {
    PortError::Plugin(Refusal::UnknownPlugin(plugin)).into()
}

fn print(page: &Page, plugin: &str, out: &mut Output) -> Result<(), Error> {
    for line in &page.lines {
        out.row(&Line { plugin, line }, |row| row.line.to_owned())?;
    }
    out.flush()
}
