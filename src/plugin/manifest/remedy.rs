//! What to do about a fault of a manifest.

use super::FaultKind;
use crate::{
    plugin::capability::{Capability, CredentialKind, Hook, HostMethod, UiPart},
    words::{self, nearest},
};

/// The keys of `[capabilities]`.
pub(super) const CAPABILITY_KEYS: [&str; 5] = ["events", "host_methods", "credentials", "ui", "network"];

/// What to do, in a phrase.
pub(super) fn of(kind: &FaultKind) -> String {
    let fixed = match kind {
        FaultKind::Unreadable { .. } => "name a folder with a plugin.toml that you can read",
        FaultKind::TooLarge { .. } => "shorten it, or raise limits.plugin.manifest_bytes_max",
        FaultKind::NotUtf8 => "save the file as UTF-8",
        FaultKind::Syntax { .. } => "correct the TOML at this place",
        FaultKind::WrongType { key, expected: "a table", .. } => return format!("write it as [{key}]"),
        FaultKind::Missing { key } | FaultKind::WrongType { key, .. } | FaultKind::Empty { key } => {
            return example(key);
        }
        FaultKind::TooLong { .. } => "shorten it",
        FaultKind::Nul { .. } => "remove the NUL character",
        FaultKind::Id { .. } => {
            "reverse DNS of at most 64 characters: small letters and digits, then parts of small letters, \
             digits and - after dots, as in community.example"
        }
        FaultKind::Version { .. } => "a semantic version such as 1.2.0",
        FaultKind::Tier { .. } => "use \"A\", \"B\" or \"C\"",
        FaultKind::Homepage { .. } => "such as https://example.org, or leave it out",
        FaultKind::NewerHost { needs, .. } => {
            return format!("if the plugin works here, set plugins.host_version to {needs} or later");
        }
        FaultKind::Wasm => "a plugin runs here as a process: kind = \"process\"",
        FaultKind::Ui => "use it in the StreamNook app; here a plugin runs as a process",
        FaultKind::RuntimeKind { .. } => "use \"process\"",
        FaultKind::Socket | FaultKind::Transport { .. } => "use \"stdio\", or leave it out",
        FaultKind::EntryAbsolute { .. } | FaultKind::EntryParent { .. } => {
            "a path inside the plugin's folder, such as bin/plugin"
        }
        FaultKind::CapabilityKey { key } => return one_of(key, &CAPABILITY_KEYS),
        FaultKind::Capability { list, text } => return capability(list, text),
        FaultKind::Network { text } => return one_of(text, &["none", "external"]),
        FaultKind::Namespace { .. } => "put a feature and a dot before the name, as in playback.resolve",
        FaultKind::EntryMissing { .. } => {
            "build the plugin first, or run it by another command: --command 'node main.js'"
        }
        FaultKind::EntryLeaves { .. } => "put the file itself into the folder, or use --command",
        FaultKind::EntryNotAFile { .. } => "name the file that runs, or use --command",
        FaultKind::EntryNotExecutable { entry } => {
            return format!(
                "chmod +x {}, or for a plugin made for another system --command 'node main.js'",
                words::quoted(entry)
            );
        }
        FaultKind::Command { .. } => "a program and its arguments with matching quotes, as in 'node main.js'",
    };
    fixed.to_owned()
}

/// How a key is written.
fn example(key: &str) -> String {
    let written = match key {
        "id" => "id = \"community.example\"",
        "name" => "name = \"Example\"",
        "version" => "version = \"1.0.0\"",
        "author" => "author = \"Example\"",
        "tier" => "tier = \"A\"",
        "description" => "description = \"What it does\"",
        "homepage" => "homepage = \"https://example.org\"",
        "host_min" => "host_min = \"7.8.0\"",
        "runtime.kind" => "kind = \"process\"",
        "runtime.entry" => "entry = \"bin/plugin\"",
        "runtime.args" => "args = [\"--verbose\"]",
        "runtime.transport" => "transport = \"stdio\"",
        "capabilities.events" => "events = [\"on_watch_tick\"]",
        "capabilities.host_methods" => "host_methods = [\"log\"]",
        "capabilities.credentials" => "credentials = [\"twitch.android\"]",
        "capabilities.ui" => "ui = [\"panel\"]",
        "capabilities.network" => "network = \"none\"",
        "contributes.actions" => "actions = [\"feature.name\"]",
        "contributes.status" => "status = [\"feature.name\"]",
        "contributes.provides" => "provides = [\"feature.name\"]",
        _ => return "add [runtime] with kind and entry".to_owned(),
    };
    format!("such as {written}")
}

/// The nearest of a few words, else all of them.
fn one_of(text: &str, words: &[&str]) -> String {
    match nearest(text, words.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            format!("use one of {}", words.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Where a string belongs that is not in this list of `[capabilities]`.
fn capability(list: &str, text: &str) -> String {
    if let Some(known) = Capability::from_name(text) {
        let home = match known {
            Capability::Event(_) => "events",
            Capability::HostMethod(_) => "host_methods",
            Capability::Credential(_) => "credentials",
            Capability::Ui(_) => "ui",
        };
        return format!("it belongs in capabilities.{home}");
    }
    match (list, text) {
        ("capabilities.host_methods", "get_credential") => {
            "leave it out: the kinds in capabilities.credentials permit it".to_owned()
        }
        ("capabilities.host_methods", "set_status") => {
            "leave it out: the slots in contributes.status permit it".to_owned()
        }
        ("capabilities.events", _) => one_of(text, &Hook::ALL.map(Hook::name)),
        ("capabilities.host_methods", _) => one_of(text, &HostMethod::ALL.map(HostMethod::name)),
        ("capabilities.credentials", _) => one_of(text, &CredentialKind::ALL.map(CredentialKind::name)),
        _ => one_of(text, &UiPart::ALL.map(UiPart::name)),
    }
}
