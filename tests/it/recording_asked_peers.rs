//! Peers of a station whose recording is asked, and the logs of plugins there.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Stdio},
};

use crate::real::{
    Station, command, json,
    plugins::{PluginStation, until},
};

/// A simulated adapter, killed when it is dropped.
pub(crate) struct Adapter(Child);

impl Adapter {
    pub(crate) fn start(data: &Path, station: &Station, token: &str) -> Self {
        let file = data.join("adapter.token");
        fs::write(&file, token).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let mut command = command(data);
        command.args(["sim", "adapter", "--addr", &station.mpp.to_string()]).arg("--token-file").arg(file);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A plugin that logs so many lines.
const LINES: usize = 60;
const PLUGIN: &str = "community.lines";

#[test]
fn the_log_of_a_plugin_is_read_from_a_recording_as_from_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("show.mcap");
    let recording = recording.to_str().unwrap();
    // Most of the lines are in no state.
    let config = "[limits.plugin]\nshown_lines_max = 16\n";
    let mut station = PluginStation::with(config, &["--record", recording]);
    let lines = format!("up; i=0; while [ $i -lt {LINES} ]; do i=$((i+1)); echo line $i >&2; done; recv");
    station.serve_script(PLUGIN, &lines, &[]);
    let last = format!(" line {LINES}");
    until(|| station.log(PLUGIN), || station.log(PLUGIN).lines().any(|it| it.ends_with(&last)).then_some(()));
    let data = station.folder.path().to_owned();
    station.station.take().unwrap().terminate();

    let written: Vec<String> = station.log(PLUGIN).lines().map(str::to_owned).collect();
    let recorded = |args: &[&str]| -> Vec<String> {
        let args = [&["plugin", "logs", "lines", "--recording", recording], args].concat();
        json(&data, &args).iter().map(|row| row["line"].as_str().unwrap().to_owned()).collect()
    };
    let all = recorded(&[]);
    assert!(all.len() >= LINES && written.starts_with(&all), "{all:#?} {written:#?}");
    assert_eq!(recorded(&["--lines", "40", "--follow"]), all[all.len() - 40..]);
    assert_eq!(recorded(&["--lines", "3"]), all[all.len() - 3..]);
    let plugins = json(&data, &["ls", "plugins", "--recording", recording]);
    assert_eq!(plugins[0]["plugin"], PLUGIN);
}
