//! `plugin install`: after a person has read what the plugin will be able to do.

use std::io::{BufRead as _, Read as _};

use serde::Serialize;

use super::request::send;
use crate::{
    cli::{
        args::PluginSourceArgs, config::Settings, error::Error, operator, output::Output, report,
        table::visible,
    },
    ids::PluginId,
    plugin::{
        Command, Outcome, Refusal,
        capability::{CapabilitySet, ConsentLine, consent_lines},
        manifest::{self, Manifest},
    },
    port::{Operator, Page, PortError, Query},
};

/// Bytes of an answer to the dialog.
const ANSWER_BYTES_MAX: u64 = 64;

/// How a person is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialog {
    /// Whether there is somebody to answer.
    pub(super) can_ask: bool,
    /// Whether the terminal has colours.
    pub(super) is_coloured: bool,
}

#[derive(Serialize)]
struct Installed {
    plugin: PluginId,
    version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
}

pub(super) async fn run(
    station: &dyn Operator,
    settings: &Settings,
    source: PluginSourceArgs,
    is_agreed: bool,
    dialog: Dialog,
    out: &mut Output,
) -> Result<(), Error> {
    let PluginSourceArgs { dir, grant, command } = source;
    let folder = std::path::absolute(&dir).map_err(Error::io(dir.display().to_string()))?;
    let folder = folder.to_string_lossy().into_owned();
    let limits = &settings.limits.plugin;
    let loaded = manifest::load(&dir, command.as_deref(), &settings.plugins.host_version, limits);
    let Some(manifest) = loaded.checked.manifest else {
        let faults = loaded.checked.faults.iter().map(ToString::to_string).collect();
        return Err(PortError::Plugin(Refusal::NotAPlugin { folder, faults }).into());
    };
    let kept = kept(station, &manifest).await?;
    let before = kept.unwrap_or_default();
    let named = match &grant {
        Some(names) => set_of(&manifest, names)?,
        // What it asked for before and has not was taken back, and stays so.
        None => manifest.asks.difference(before.asks).union(before.granted.intersection(manifest.asks)),
    };
    let new = named.difference(before.granted);
    let is_newly_networked = manifest.is_networked && !before.is_networked;
    if !is_agreed && (kept.is_none() || !new.is_empty() || is_newly_networked) {
        let lines = consent_lines(new, is_newly_networked);
        agree(&manifest, &lines, kept.is_some(), dialog)?;
    }
    let granted = named.union(before.granted).intersection(manifest.asks);
    let grant = Some(granted.names().map(str::to_owned).collect());
    let outcome = send(station, Command::Install { folder, grant, command }).await?;
    let Outcome::Installed { plugin, version, replaced } = outcome else {
        return Err(Error::UnexpectedAnswer);
    };
    out.row(&Installed { plugin, version, replaced }, |it| match &it.replaced {
        Some(replaced) => format!("updated {} from {replaced} to {}", it.plugin, it.version),
        None => format!("installed {} {}", it.plugin, it.version),
    })
}

/// What an installed plugin may do.
#[derive(Clone, Copy, Default)]
struct Kept {
    asks: CapabilitySet,
    granted: CapabilitySet,
    /// Whether it says that it makes network connections of its own.
    is_networked: bool,
}

/// What the installed plugin of this id has; nothing where none is installed.
async fn kept(station: &dyn Operator, manifest: &Manifest) -> Result<Option<Kept>, Error> {
    let query = Query::Plugin { plugin: manifest.id.clone() };
    let Page::Plugin(found) = operator::query(station, query).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    let found = found.filter(|detail| detail.row.folder.is_none());
    Ok(found.map(|detail| Kept {
        asks: CapabilitySet::from_names(&detail.row.asks).unwrap_or_default(),
        granted: CapabilitySet::from_names(&detail.row.granted).unwrap_or_default(),
        is_networked: detail.is_networked,
    }))
}

fn set_of(manifest: &Manifest, names: &[String]) -> Result<CapabilitySet, Error> {
    let unknown = |capability: String| {
        Error::from(PortError::Plugin(Refusal::UnknownCapability { plugin: manifest.id.clone(), capability }))
    };
    let set = CapabilitySet::from_names(names).map_err(|name| unknown(name.clone()))?;
    match set.difference(manifest.asks).names().next() {
        Some(name) => Err(unknown(name.to_owned())),
        None => Ok(set),
    }
}

/// Asks whether it may do so.
fn agree(manifest: &Manifest, lines: &[ConsentLine], is_update: bool, dialog: Dialog) -> Result<(), Error> {
    const HINT: &str = "read what it will be able to do, then use --yes";
    let also = if is_update { "also " } else { "" };
    report::print_note(&visible(&format!(
        "{} {} ({}) by {} will {also}be able to:",
        manifest.id, manifest.version, manifest.name, manifest.author
    )));
    for line in lines {
        if line.is_warning {
            report::print_marked(&format!("  ! {}", line.text), dialog.is_coloured);
        } else {
            report::print_note(&format!("    {}", line.text));
        }
    }
    if !dialog.can_ask {
        let message = "Refusing to install without confirmation (no terminal)".to_owned();
        return Err(Error::Declined { message, hint: HINT.to_owned() });
    }
    report::print_note("Install it? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().take(ANSWER_BYTES_MAX).read_line(&mut answer).map_err(Error::io("stdin"))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    Err(Error::Declined { message: "not confirmed; nothing was installed".to_owned(), hint: HINT.to_owned() })
}
