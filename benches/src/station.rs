//! rl-console itself: the real binary as it is shipped, fed and paired through its own command line, and an
//! adapter that speaks MPP v2 by hand.
//!
//! *Together* is one write of `applied`, `done` and the next `pull`; *apart* is one write for each. With four
//! queues the one connection that MPP allows serves all of them, one invocation in flight on each.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, bail, ensure, eyre};
use rl_console_benches::{
    console,
    server::{Server, Start, Tree, run_to_end},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    figures::Laps,
    subject::{Manner, Plan, READ_MAX, ROUND_MAX, Subject, Variant},
    wire,
};

const VARIANTS: &[Variant] = &[
    Variant { name: "station-1", queues: 1, manner: Manner::Together },
    Variant { name: "station-1-frames", queues: 1, manner: Manner::Apart },
    Variant { name: "station-4", queues: 4, manner: Manner::Together },
    Variant { name: "station-4-frames", queues: 4, manner: Manner::Apart },
];

const PACK_ID: &str = "bench.pack";
const QUEUES: [&str; 4] = ["q1", "q2", "q3", "q4"];
/// How long a short subcommand may take.
const ANSWER_MAX: Duration = Duration::from_secs(20);
/// Rows that one `invoke --from` puts in; more take several.
const FILE_ROWS_MAX: usize = 100_000;

/// A station and what an adapter needs to connect to it.
pub(crate) struct Station {
    // Ends before its folder's files are looked at by anybody else.
    server: Server,
    files: Files,
    addr: SocketAddr,
    /// From the start of the process to its `ready` line.
    pub(crate) ready_after: Duration,
}

/// The data folder, the pack and the token of a station, which outlive one process of it.
pub(crate) struct Files {
    program: PathBuf,
    folder: PathBuf,
    manifest_hash: String,
    token: String,
}

impl Files {
    /// Makes a data folder below `folder`, writes the pack of four queues, and pairs.
    ///
    /// # Errors
    /// The files cannot be written, or pairing fails.
    pub(crate) fn create(program: &Path, folder: &Path) -> Result<Self> {
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

    fn command(&self) -> Command {
        let mut command = console::command(&self.program, &self.folder);
        command.arg("--pack").arg(self.folder.join("pack.toml"));
        command
    }

    /// Enqueues `each` rows for the first `queues` queues through `rl-console invoke --from`.
    ///
    /// # Errors
    /// A row is refused, or one file takes longer than [`ROUND_MAX`].
    pub(crate) fn enqueue(&self, queues: usize, each: usize) -> Result<()> {
        let rows = self.folder.join("rows.ndjson");
        let mut left = each;
        while left > 0 {
            let batch = left.min(FILE_ROWS_MAX / queues.max(1));
            let mut text = String::new();
            for at in 0..batch * queues {
                let _ = writeln!(text, r#"{{"event":"e{}","params":{}}}"#, at % queues + 1, wire::PARAMS);
            }
            fs::write(&rows, text)?;
            run_to_end(
                self.command().args(["--json", "invoke", "--from"]).arg(&rows),
                Stdio::null(),
                ROUND_MAX,
            )?;
            left -= batch;
        }
        Ok(())
    }

    /// How many rows of all queues are pending, as `rl-console ls queues` says it.
    ///
    /// # Errors
    /// It fails, or says something else.
    pub(crate) fn pending(&self) -> Result<usize> {
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

impl Station {
    /// Starts the station of a new data folder below `folder`.
    ///
    /// # Errors
    /// The binary is there but does not start.
    pub(crate) fn start(program: &Path, folder: &Path) -> Result<Start<Self>> {
        if !program.is_file() {
            return Ok(Start::Missing(format!(
                "{} (cargo build --profile dist, or --station PATH)",
                program.display()
            )));
        }
        let files = Files::create(program, &folder.join("station"))?;
        Ok(Start::Running(Self::serve(files)?))
    }

    /// Starts `rl-console serve` on the files and waits for its `ready`.
    ///
    /// # Errors
    /// It does not start, or does not say `ready` in time.
    pub(crate) fn serve(files: Files) -> Result<Self> {
        let from = Instant::now();
        let (server, ready) = console::serve(&mut files.command(), &files.folder.join("station.log"))?;
        let ready_after = from.elapsed();
        let addr = ready["mpp"].as_str().ok_or_else(|| eyre!("no address in {ready}"))?.parse()?;
        Ok(Self { server, files, addr, ready_after })
    }

    /// Ends the process, and gives back the files.
    pub(crate) fn stop(self) -> Files {
        self.files
    }

    /// Its data folder and pack.
    pub(crate) fn files(&self) -> &Files {
        &self.files
    }
}

/// The adapter's side of one connection.
struct Adapter {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    line: String,
    out: String,
    manner: Manner,
}

impl Adapter {
    fn connect(station: &Station, manner: Manner) -> Result<Self> {
        let stream = TcpStream::connect(station.addr)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(READ_MAX))?;
        stream.set_write_timeout(Some(READ_MAX))?;
        let reader = BufReader::new(stream.try_clone()?);
        let mut adapter = Self { stream, reader, line: String::new(), out: String::new(), manner };
        let hello = json!({
            "mpp": 2, "type": "hello", "pack_id": PACK_ID,
            "manifest_hash": station.files.manifest_hash, "bridge_token": station.files.token,
        });
        let _ = writeln!(adapter.out, "{hello}");
        adapter.send()?;
        adapter.read_line()?;
        let ack: wire::Inbound<'_> = serde_json::from_str(&adapter.line)?;
        ensure!(
            ack.kind == "hello_ack" && ack.ok == Some(true),
            "the station answered {}",
            adapter.line.trim()
        );
        Ok(adapter)
    }

    fn send(&mut self) -> Result<()> {
        self.stream.write_all(self.out.as_bytes())?;
        self.out.clear();
        Ok(())
    }

    fn read_line(&mut self) -> Result<()> {
        self.line.clear();
        ensure!(self.reader.read_line(&mut self.line)? > 0, "the station closed the connection");
        Ok(())
    }

    fn pull(&mut self, queue: &str) -> Result<()> {
        wire::pull(&mut self.out, queue);
        self.send()
    }

    /// The next invocation: its id, and which queue it is of.
    fn invocation(&mut self) -> Result<(u64, usize)> {
        loop {
            self.read_line()?;
            let frame: wire::Inbound<'_> = serde_json::from_str(&self.line)?;
            match (frame.kind, frame.id, frame.queue) {
                ("invocation", Some(id), Some(queue)) => {
                    let at = QUEUES.iter().position(|name| *name == queue);
                    return Ok((id, at.ok_or_else(|| eyre!("an invocation of {queue}"))?));
                }
                ("heartbeat", ..) => {}
                _ => bail!("the station sent {}", self.line.trim()),
            }
        }
    }

    fn settle(&mut self, id: u64, pull: Option<&str>) -> Result<()> {
        wire::applied(&mut self.out, id);
        self.end_of_frame()?;
        wire::done(&mut self.out, id);
        if let Some(queue) = pull {
            self.end_of_frame()?;
            wire::pull(&mut self.out, queue);
        }
        self.send()
    }

    fn end_of_frame(&mut self) -> Result<()> {
        if self.manner == Manner::Apart { self.send() } else { Ok(()) }
    }
}

impl Subject for Station {
    fn variants(&self) -> &'static [Variant] {
        VARIANTS
    }

    fn tree(&self) -> Tree {
        self.server.tree()
    }

    fn fill(&mut self, variant: &Variant, plan: Plan) -> Result<()> {
        self.files.enqueue(variant.queues, plan.per_queue(variant.queues))
    }

    fn run(&mut self, variant: &Variant, plan: Plan, laps: &mut Laps) -> Result<()> {
        let each = plan.per_queue(variant.queues);
        let mut adapter = Adapter::connect(self, variant.manner)?;
        let mut left = vec![each; variant.queues];
        let mut last = vec![0; variant.queues];
        for queue in &QUEUES[..variant.queues] {
            adapter.pull(queue)?;
        }
        for _ in 0..each * variant.queues {
            let (id, at) = adapter.invocation()?;
            laps.lap(at)?;
            let more =
                left.get_mut(at).ok_or_else(|| eyre!("an invocation of a queue that was not pulled"))?;
            *more = more.saturating_sub(1);
            ensure!(id > last[at], "invocation {id} of {} came after {}", QUEUES[at], last[at]);
            last[at] = id;
            adapter.settle(id, (*more > 0).then_some(QUEUES[at]))?;
        }
        Ok(())
    }
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
