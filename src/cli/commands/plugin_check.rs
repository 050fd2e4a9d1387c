//! `plugin check`: a plugin's folder, and with `--run` its side of the protocol.

use super::plugin_check_run::{self, Patience};
use crate::{
    cli::{args::PluginCheckArgs, error::Error, output::Output},
    limits,
    plugin::{host::HostSettings, manifest::load},
    time::Clock,
};

pub(in crate::cli) fn run(args: &PluginCheckArgs, clock: Clock, out: &mut Output) -> Result<(), Error> {
    let PluginCheckArgs { folder, run, command, patience } = args;
    if *run {
        return plugin_check_run::run(folder, command.as_deref(), Patience::of(*patience), clock, out);
    }
    let version = HostSettings::default().host_version;
    let loaded = load(folder, command.as_deref(), &version, &limits::Plugin::default());
    let faults: Vec<_> = loaded.checked.faults.iter().map(ToString::to_string).collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(Error::Input {
        what: folder.display().to_string(),
        message: faults.join("; "),
        hint: "fix plugin.toml".to_owned(),
    })
}
