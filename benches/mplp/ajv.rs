//! AJV on Node, which judges the same streams by the same schemas and rules.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use rl_console::mplp::RULES;

use crate::{Result, stream::Stream};

/// The other side of the measurement: a process that answers one line with another.
pub(crate) struct Ajv {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

/// One pass or more over a stream.
#[derive(serde::Deserialize)]
pub(crate) struct Pass {
    /// Nanoseconds of all passes.
    pub(crate) ns: f64,
    /// A digit for each object, `1` for a clean one.
    pub(crate) clean: String,
}

impl Ajv {
    /// Starts it with these streams; nothing where Node or its packages are not installed.
    pub(crate) fn start(streams: &[&Stream]) -> Result<Option<Self>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        if !root.join("benches/ajv/node_modules/ajv-formats").is_dir() {
            return Ok(None);
        }
        let folder = tempfile::tempdir()?;
        let rules = folder.path().join("rules.json");
        fs::write(&rules, serde_json::to_vec(RULES)?)?;
        let mut command = Command::new("node");
        command.arg(root.join("benches/ajv/judge.mjs")).arg(root.join("src/mplp/schemas")).arg(rules);
        for (number, stream) in streams.iter().enumerate() {
            let path = folder.path().join(format!("{number}.ndjson"));
            fs::write(&path, &stream.bytes)?;
            let names: Vec<&str> = stream.lines.iter().map(|(id, _)| id.name()).collect();
            fs::write(path.with_extension("ndjson.names"), names.join("\n"))?;
            command.arg(path);
        }
        let Ok(mut process) = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
            return Ok(None);
        };
        let input = process.stdin.take().ok_or("no input")?;
        let mut output = BufReader::new(process.stdout.take().ok_or("no output")?);
        let mut ready = String::new();
        output.read_line(&mut ready)?;
        let ajv = Self { process, input, output, _folder: folder };
        Ok((!ready.is_empty()).then_some(ajv))
    }

    /// Judges a stream so often, for its first error or for all of them.
    pub(crate) fn pass(&mut self, stream: usize, finds_all: bool, repeats: usize) -> Result<Pass> {
        let how = if finds_all { "all" } else { "first" };
        writeln!(self.input, "{stream} {how} {repeats}")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Drop for Ajv {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
