//! The folder of a simulated plugin.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use semver::Version;
use serde::Serialize;

use crate::{
    cli::{args::SimPluginArgs, error::Error, output::Output},
    limits,
    plugin::manifest::Manifest,
};

/// The newest host that the manifest asks for.
const HOST_MIN: Version = Version::new(7, 0, 0);

/// What was written.
#[derive(Serialize)]
struct Written {
    id: String,
    folder: String,
}

/// Writes plugin.toml and the entry into a folder that has none.
pub(super) fn write(into: &Path, args: &SimPluginArgs, out: &mut Output) -> Result<(), Error> {
    let shown = into.display().to_string();
    let manifest = manifest(args);
    if let Some(fault) = Manifest::parse(&manifest, &HOST_MIN, &limits::Plugin::default()).faults.first() {
        return Err(Error::usage(
            format!("`{}` is not a valid plugin id: {fault}", args.id),
            "give one such as --id community.example",
        ));
    }
    let program = std::env::current_exe().map_err(Error::io("the path of this program"))?;
    let entry = entry(&program, args)?;
    let path = into.join("plugin.toml");
    if path.exists() {
        return Err(Error::io(path.display().to_string())(io::ErrorKind::AlreadyExists.into()));
    }
    let write = || {
        fs::create_dir_all(into)?;
        let main = into.join("main.sh");
        fs::write(&main, entry)?;
        fs::set_permissions(&main, Permissions::from_mode(0o755))?;
        fs::write(&path, manifest)
    };
    write().map_err(Error::io(shown.clone()))?;
    out.row(&Written { id: args.id.clone(), folder: shown }, |it| {
        format!("wrote plugin {} into {}", it.id, it.folder)
    })
}

fn manifest(args: &SimPluginArgs) -> String {
    let credentials = if args.behaviour.ask_credential { "\"twitch.android\"" } else { "" };
    let id = toml::Value::String(args.id.clone());
    format!(
        r#"id = {id}
name = "Simulated plugin"
version = "1.0.0"
author = "rl-console"
tier = "A"
description = "A plugin for rehearsals, written by rl-console"
host_min = "{HOST_MIN}"

[runtime]
kind = "process"
entry = "main.sh"

[capabilities]
events = [
    "on_stream_start", "on_stream_stop", "on_channel_change", "on_watch_tick",
    "on_followed_live", "on_chat_message", "on_settings_change", "on_panel_change",
]
host_methods = [
    "get_followed_live", "set_upstream", "notify", "log", "register_panel", "get_panel_values",
]
credentials = [{credentials}]
ui = ["panel"]
network = "none"

[contributes]
actions = ["sim.echo", "playback.resolve"]
status = ["sim.state"]
"#
    )
}

fn entry(program: &Path, args: &SimPluginArgs) -> Result<String, Error> {
    let program = program.to_string_lossy();
    let mut words = vec![&*program, "sim", "plugin", "--speak", "--id", &args.id];
    let flags = args.behaviour.flags();
    words.extend(flags.iter().map(String::as_str));
    let line = shlex::try_join(words)
        .map_err(|error| Error::usage(format!("the entry cannot be written: {error}"), "use other paths"))?;
    Ok(format!("#!/bin/sh\nexec {line}\n"))
}
