//! `plugin logs`: the files of a plugin's log, read without a station.

use std::{fs, time::Duration};

use serde::Serialize;

use super::request::among;
use crate::{
    cli::{context::Context, error::Error, operator, output::Output, signals::Signals},
    plugin::host::{
        folders::Folders,
        log_file::{self, Page, PageLimits},
    },
};

/// How often a log is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Bytes that are read at once.
const PAGE_BYTES_MAX: u64 = 4 << 20;

#[derive(Serialize)]
struct Line<'a> {
    plugin: &'a str,
    line: &'a str,
}

pub(super) fn run(context: &mut Context, name: &str, follow: bool, lines: u32) -> Result<(), Error> {
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
        return Err(crate::port::PortError::Plugin(crate::plugin::Refusal::UnknownPlugin(plugin)).into());
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

fn print(page: &Page, plugin: &str, out: &mut Output) -> Result<(), Error> {
    for line in &page.lines {
        out.row(&Line { plugin, line }, |row| row.line.to_owned())?;
    }
    out.flush()
}
