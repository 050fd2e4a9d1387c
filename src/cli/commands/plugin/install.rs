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
        capability::{CapabilitySet, consent_lines},
        manifest::{self, Manifest},
    },
    port::{Operator, Page, PortError, Query},
};

/// Bytes of an answer to the dialog.
const ANSWER_BYTES_MAX: u64 = 64;

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
    can_ask: bool,
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
    let named = match &grant {
        Some(names) => set_of(&manifest, names)?,
        None => manifest.asks,
    };
    let new = named.difference(kept.unwrap_or_default());
    if !is_agreed && (kept.is_none() || !new.is_empty()) {
        agree(&manifest, new, kept.is_some(), can_ask)?;
    }
    let granted = named.union(kept.unwrap_or_default()).intersection(manifest.asks);
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

/// What the installed plugin of this id has; nothing where none is installed.
async fn kept(station: &dyn Operator, manifest: &Manifest) -> Result<Option<CapabilitySet>, Error> {
    let Page::Plugins(rows) = operator::query(station, Query::Plugins).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    let row = rows.into_iter().find(|row| row.plugin == manifest.id && row.folder.is_none());
    Ok(row.map(|row| CapabilitySet::from_names(row.granted).unwrap_or_default()))
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
fn agree(manifest: &Manifest, new: CapabilitySet, is_update: bool, can_ask: bool) -> Result<(), Error> {
    const HINT: &str = "read what it will be able to do, then use --yes";
    let also = if is_update { "also " } else { "" };
    report::print_note(&visible(&format!(
        "{} {} ({}) by {} will {also}be able to:",
        manifest.id, manifest.version, manifest.name, manifest.author
    )));
    for line in consent_lines(new, manifest.is_networked && !is_update) {
        let mark = if line.is_warning { "! " } else { "  " };
        report::print_note(&format!("  {mark}{}", line.text));
    }
    if !can_ask {
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
