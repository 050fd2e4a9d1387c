//! A data folder with a pack of four queues that is paired, and what its own command line does with it.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use color_eyre::eyre::{Result, eyre};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{console, server::run_to_end};

/// The id of the pack.
pub const PACK_ID: &str = "bench.pack";
/// Its queues; the events are `e1` to `e4`, one of each.
pub const QUEUES: [&str; 4] = ["q1", "q2", "q3", "q4"];
/// The parameters of every invocation.
pub const PARAMS: &str = r#"{"item_id":4,"count":1}"#;
/// How long a short subcommand may take.
pub const ANSWER_MAX: Duration = Duration::from_secs(20);
/// How long one filling may take before it is given up.
pub const FILL_MAX: Duration = Duration::from_secs(180);
/// Rows that one `invoke --from` puts in; more take several.
const FILE_ROWS_MAX: usize = 100_000;

/// The data folder, the pack and the token of a station, which outlive one process of it.
#[derive(Clone, Debug)]
pub struct Files {
    program: PathBuf,
    /// It holds the data folder, the pack and the logs.
    pub folder: PathBuf,
    /// The pack's.
    pub manifest_hash: String,
    /// The bridge token.
    pub token: String,
}

impl Files {
    /// Makes a data folder below `folder`, writes the pack of four queues, and pairs.
    ///
    /// # Errors
    /// The files cannot be written, or pairing fails.
    pub fn create(program: &Path, folder: &Path) -> Result<Self> {
        fs::create_dir(folder)?;
        let pack = pack();
        fs::write(folder.join("pack.toml"), &pack)?;
        let mut files = Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            manifest_hash: manifest_hash(pack.as_bytes())?,
            token: String::new(),
        };
        run_to_end(files.command().arg("pair"), Stdio::piped(), ANSWER_MAX)?
            .trim()
            .clone_into(&mut files.token);
        Ok(files)
    }

    /// The console's binary on this data folder and pack.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = console::command(&self.program, &self.folder);
        command.arg("--pack").arg(self.folder.join("pack.toml"));
        command
    }

    /// Enqueues `each` rows for the first `queues` queues through `rl-console invoke --from`.
    ///
    /// # Errors
    /// A row is refused, or one file takes longer than [`FILL_MAX`].
    pub fn enqueue(&self, queues: usize, each: usize) -> Result<()> {
        let rows = self.folder.join("rows.ndjson");
        let mut left = each;
        while left > 0 {
            let batch = left.min(FILE_ROWS_MAX / queues.max(1));
            let mut text = String::new();
            for at in 0..batch * queues {
                let _ = writeln!(text, r#"{{"event":"e{}","params":{}}}"#, at % queues + 1, PARAMS);
            }
            fs::write(&rows, text)?;
            run_to_end(
                self.command().args(["--json", "invoke", "--from"]).arg(&rows),
                Stdio::null(),
                FILL_MAX,
            )?;
            left -= batch;
        }
        Ok(())
    }

    /// How many rows of all queues are pending, as `rl-console ls queues` says it.
    ///
    /// # Errors
    /// It fails, or says something else.
    pub fn pending(&self) -> Result<usize> {
        let listed = run_to_end(self.command().args(["--json", "ls", "queues"]), Stdio::piped(), ANSWER_MAX)?;
        listed.lines().try_fold(0, |sum, line| {
            let queue: Value = serde_json::from_str(line)?;
            let pending = queue["pending"].as_u64().ok_or_else(|| eyre!("no count in {line:?}"))?;
            Ok(sum + usize::try_from(pending)?)
        })
    }
}

/// Four queues with one event each; a queue is free again once its invocation is applied.
fn pack() -> String {
    let mut text = format!("[pack]\nid = \"{PACK_ID}\"\nname = \"Bench\"\nversion = \"1.0.0\"\n");
    for (at, queue) in QUEUES.iter().enumerate() {
        let event = at + 1;
        let _ = write!(
            text,
            "\n[queues.{queue}]\nready_after = \"applied\"\n\n[events.e{event}]\nqueue = \"{queue}\"\n"
        );
        let _ = writeln!(text, "title = \"Event {event}\"");
        let properties = r#"{ item_id = { type = "integer" }, count = { type = "integer", minimum = 1 } }"#;
        let _ = writeln!(
            text,
            r#"schema = {{ type = "object", required = ["item_id"], properties = {properties} }}"#
        );
    }
    text
}

fn manifest_hash(bytes: &[u8]) -> Result<String> {
    let mut text = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_sha256_of_the_bytes_in_lowercase_hex() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(manifest_hash(b"").unwrap(), empty);
    }

    #[test]
    fn the_pack_has_four_queues_with_an_event_each() {
        let pack = pack();
        for at in 1..=4 {
            assert!(pack.contains(&format!("[queues.q{at}]\nready_after = \"applied\"")));
            assert!(pack.contains(&format!("[events.e{at}]\nqueue = \"q{at}\"")));
        }
    }
}
