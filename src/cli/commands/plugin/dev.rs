//! `plugin dev`: a folder as it lies, restarted when a file of it changes, until Ctrl-C.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::request::send;
use crate::{
    cli::{
        args::PluginSourceArgs, config::Settings, error::Error, operator, output::Output, report,
        signals::Signals,
    },
    ids::PluginId,
    plugin::{
        Command, Outcome,
        host::{
            folders::Folders,
            log_file::{self, PageLimits, Position},
        },
    },
    port::{Operator, Page, Query},
};

/// How often files are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Files that are looked at, the first ones of the folder.
const FILES_MAX: usize = 20_000;
/// Folders whose files do not count.
const LEFT_OUT: [&str; 3] = [".git", "node_modules", "target"];
/// How much of the log is read at once.
const PAGE: PageLimits = PageLimits { lines_max: 1_000, bytes_max: 4 << 20 };

/// When each file changed, by path.
type Stamps = Vec<(PathBuf, Option<SystemTime>, u64)>;

pub(super) async fn run(
    station: &dyn Operator,
    settings: &Settings,
    source: PluginSourceArgs,
    out: &mut Output,
) -> Result<(), Error> {
    let mut signals = Signals::listen()?;
    let folder = fs::canonicalize(&source.dir).map_err(Error::io(source.dir.display().to_string()))?;
    let mut served = Served { station, source: &source, folder: &folder, plugin: None, told: <_>::default() };
    let data = settings.data()?;
    let stamps = stamps(&folder);
    served.serve().await?;
    let followed = served.follow(&data, stamps, &mut signals, out).await;
    // However it ends, and also where nobody reads what it prints.
    followed.and(served.unserve().await)
}

/// A folder that is served.
struct Served<'a> {
    station: &'a dyn Operator,
    source: &'a PluginSourceArgs,
    folder: &'a Path,
    plugin: Option<PluginId>,
    /// The state that was told last, with its reason.
    told: (String, String),
}

impl Served<'_> {
    /// Prints the log, and restarts it when a file changes, until Ctrl-C.
    async fn follow(
        &mut self,
        data: &Path,
        mut stamps: Stamps,
        signals: &mut Signals,
        out: &mut Output,
    ) -> Result<(), Error> {
        let mut followed = self.plugin.clone();
        let mut position = self.log_dir(data)?.and_then(|log| end(&log));
        loop {
            let end = tokio::select! {
                () = signals.end() => true,
                () = tokio::time::sleep(LOOK_EVERY) => false,
            };
            if let Some(log) = self.log_dir(data)? {
                follow(&log, &mut position, out)?;
            }
            if end {
                return Ok(());
            }
            if !self.tell().await? {
                return Ok(());
            }
            let now = self::stamps(self.folder);
            if now != stamps {
                let manifest =
                    |all: &Stamps| all.iter().find(|(path, ..)| path.ends_with("plugin.toml")).cloned();
                let is_other_manifest = manifest(&now) != manifest(&stamps);
                stamps = now;
                // What is wrong meanwhile may be right after the next change.
                if let Err(error) = self.changed(is_other_manifest).await {
                    report::print_note(&format!("error: {error}"));
                }
                if self.plugin != followed {
                    followed.clone_from(&self.plugin);
                    position = None;
                }
            }
        }
    }

    /// Says how the plugin is where that has changed; whether it is served still.
    async fn tell(&mut self) -> Result<bool, Error> {
        let Some(plugin) = self.plugin.clone() else { return Ok(true) };
        let Page::Plugin(found) =
            operator::query(self.station, Query::Plugin { plugin: plugin.clone() }).await?
        else {
            return Err(Error::UnexpectedAnswer);
        };
        let folder = self.folder.to_string_lossy();
        let Some(row) = found.map(|it| it.row).filter(|row| row.folder.as_deref() == Some(&*folder)) else {
            self.plugin = None;
            report::print_note(&format!("{plugin} is no longer served from {folder}"));
            return Ok(false);
        };
        let now = (row.state, row.reason.unwrap_or_default());
        if now == self.told {
            return Ok(true);
        }
        let (state, reason) = &now;
        match state.as_str() {
            "up" if reason.is_empty() => report::print_note(&format!("{plugin} is up")),
            "up" | "waiting" => report::print_note(&format!("{plugin} is {state}: {reason}")),
            "disabled" => report::print_note(&format!(
                "{plugin} is disabled: {reason}; `rl-console plugin enable {plugin}` or a changed file starts it"
            )),
            _ => {}
        }
        self.told = now;
        Ok(true)
    }

    async fn serve(&mut self) -> Result<(), Error> {
        let command = Command::Serve {
            folder: self.folder.to_string_lossy().into_owned(),
            grant: self.source.grant.clone(),
            command: self.source.command.clone(),
        };
        let Outcome::Installed { plugin, version, .. } = send(self.station, command).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        report::print_note(&format!("serving {plugin} {version} from {}", self.folder.display()));
        let before = self.plugin.replace(plugin.clone()).filter(|before| *before != plugin);
        match before {
            Some(plugin) => send(self.station, Command::Unserve { plugin }).await.map(|_| ()),
            None => Ok(()),
        }
    }

    async fn changed(&mut self, is_other_manifest: bool) -> Result<(), Error> {
        let Some(plugin) = self.plugin.clone().filter(|_| !is_other_manifest) else {
            return self.serve().await;
        };
        report::print_note(&format!("a file changed: restarting {plugin}"));
        send(self.station, Command::Restart { plugin }).await.map(|_| ())
    }

    async fn unserve(&mut self) -> Result<(), Error> {
        let Some(plugin) = self.plugin.take() else { return Ok(()) };
        send(self.station, Command::Unserve { plugin }).await.map(|_| ())
    }

    fn log_dir(&self, data: &Path) -> Result<Option<PathBuf>, Error> {
        let Some(plugin) = &self.plugin else { return Ok(None) };
        let folders = Folders::of(data, plugin).map_err(Error::io(data.display().to_string()))?;
        Ok(Some(folders.log_dir))
    }
}

/// Where a log ends.
fn end(log_dir: &Path) -> Option<Position> {
    log_file::last(log_dir, PageLimits { lines_max: 1, ..PAGE }).ok().and_then(|page| page.end)
}

fn follow(log_dir: &Path, position: &mut Option<Position>, out: &mut Output) -> Result<(), Error> {
    loop {
        let page =
            log_file::after(log_dir, *position, PAGE).map_err(Error::io(log_dir.display().to_string()))?;
        for line in &page.lines {
            out.row(&serde_json::json!({ "line": line }), |_| line.clone())?;
        }
        *position = page.end.or(*position);
        if !page.has_more {
            return out.flush();
        }
    }
}

/// The files of a folder with the times of their changes, in the order of their paths.
fn stamps(folder: &Path) -> Stamps {
    let mut found = Stamps::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                let is_left_out = LEFT_OUT.iter().any(|name| entry.file_name() == *name);
                folders.extend((!is_left_out).then(|| entry.path()));
            } else if found.len() < FILES_MAX {
                found.push((entry.path(), meta.modified().ok(), meta.len()));
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_a_file_counts_but_in_folders_that_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["src", "target", ".git", "src/node_modules"] {
            fs::create_dir(path(name)).unwrap();
        }
        let before = stamps(folder.path());
        for name in ["target/a", ".git/a", "src/node_modules/a"] {
            fs::write(path(name), "a").unwrap();
        }
        assert_eq!(stamps(folder.path()), before);
        fs::write(path("src/a"), "a").unwrap();
        assert_ne!(stamps(folder.path()), before);
    }
}
