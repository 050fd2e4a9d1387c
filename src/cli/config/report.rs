//! What a recording keeps of how its station was started, and of how it is: a file is a whole report.

use std::{path::PathBuf, process::Stdio, time::Duration};

use serde_json::Value;

use super::{key::Key, plugins::own_program, resolve::Resolved};
use crate::{
    mpp::manifest::Pack,
    recording::{Attachment, PACK_FILE},
    registry::{Registry, Schema},
    station::{PackSource, ReportSource},
};

/// How long `doctor` may take.
const DOCTOR: Duration = Duration::from_secs(10);

/// The longest file or report that is kept, in bytes; of a longer one its length.
const BYTES_MAX: usize = 4 << 20;

const TOML: &str = "application/toml";
const JSON: &str = "application/json";
const JSON_LINES: &str = "application/x-ndjson";

/// Every value in force, as `config show` prints them, without the commands that print secrets.
pub(super) fn in_force(resolved: &Resolved) -> String {
    let lines = resolved.iter().map(|(key, value, origin)| match key.name {
        Key::TWITCH_COMMAND => format!("# {} is not kept  # {origin}\n", key.name),
        name => format!("{name} = {value}  # {origin}\n"),
    });
    lines.collect()
}

/// What a station of these is started with.
pub(super) fn attachments(config: &str, pack: &PackSource, registry: &Registry) -> Vec<Attachment> {
    let schema = |schema: Schema<'_>| {
        let Schema { id, name, canonical, rule, .. } = schema;
        serde_json::json!({ "id": id.0, "name": name, "type": canonical, "rule": rule.to_string() })
    };
    let schemas: Vec<Value> = registry.schemas().map(schema).collect();
    let version = serde_json::json!({ "rl-console": env!("CARGO_PKG_VERSION") });
    let schemas = serde_json::json!({ "schemas": schemas });
    let pack = match pack {
        PackSource::Sample => Some(Pack::SAMPLE_TOML.to_vec()),
        PackSource::File(path) => std::fs::read(path).ok(),
    };
    let pack = pack.map(|bytes| Attachment::file(PACK_FILE, TOML, bytes).within(BYTES_MAX));
    let all = [
        Attachment::text("version.json", JSON, version.to_string()),
        Attachment::text("config.toml", TOML, config.to_owned()),
        Attachment::text("registry.json", JSON, schemas.to_string()),
    ];
    all.into_iter().chain(pack).collect()
}

/// What `doctor` says of a station of this data folder, whenever it is asked.
pub(super) fn source(data: PathBuf) -> ReportSource {
    let text = |text| Attachment::text("doctor.ndjson", JSON_LINES, text).within(BYTES_MAX);
    ReportSource::new(move || doctor(&data).map(text))
}

/// What `doctor` finds; nothing where it does not end in time.
fn doctor(data: &std::path::Path) -> Option<String> {
    let mut command = tokio::process::Command::new(own_program());
    command.arg("--data").arg(data).args(["doctor", "--json"]);
    command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let output =
        runtime.block_on(async { tokio::time::timeout(DOCTOR, command.output()).await }).ok()?.ok()?;
    String::from_utf8(output.stdout).ok().filter(|text| !text.is_empty())
}
