//! A station of the program that is shipped, with an agent that answers at once, and what it has records of.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use futures_util::future::try_join_all;
use prost::Message as _;
use rl_console::macp::proto::v1::{
    CancelSessionRequest, Envelope, SendRequest, SessionStartPayload,
    macp_runtime_service_client::MacpRuntimeServiceClient,
};
use serde_json::Value;
use tempfile::TempDir;
use tonic::transport::{Channel, Endpoint};

use crate::Result;

/// Names that take part in a session.
const PARTICIPANTS: usize = 20;
/// Messages of a session that are in flight.
const IN_FLIGHT: usize = 64;
/// Agents of a run.
const AGENTS: [&str; 2] = ["echo", "writer"];

type Client = MacpRuntimeServiceClient<Channel>;

/// A station that is running, with its agents.
pub(crate) struct Station {
    // They end before it.
    agents: Vec<Ended>,
    _process: Ended,
    folder: TempDir,
}

/// A process that is killed when this is dropped.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Station {
    pub(crate) fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let serve = ["--port", "0", "--grpc", "127.0.0.1:0", "serve"];
        let process = started(&data(&folder), &serve, "\"ready\"")?;
        let mut it = Self { agents: Vec::new(), _process: process, folder };
        for name in AGENTS {
            it.agents.push(started(&data(&it.folder), &["sim", "agent", name], "subscribed")?);
        }
        Ok(it)
    }

    /// A folder for files.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a subcommand; its rows.
    pub(crate) fn program(&self, args: &[&str]) -> Result<Vec<Value>> {
        let output = command(&data(&self.folder)).args(args).output()?;
        if !output.status.success() {
            return Err(format!("{args:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.map(serde_json::from_slice).collect::<std::result::Result<_, _>>()?)
    }

    /// The id of a run of so many nodes that has ended.
    pub(crate) fn run_of(&self, nodes: usize) -> Result<String> {
        let file = self.folder().join("opening.yaml");
        fs::write(&file, opening(nodes))?;
        let rows = self.program(&["submit", &file.to_string_lossy(), "--wait"])?;
        let text = |name: &str| rows.iter().find_map(|row| row[name].as_str().map(str::to_owned));
        text("run").ok_or_else(|| format!("no run: {rows:?}").into())
    }

    /// The id of a session that has ended, of so many messages behind its start.
    pub(crate) fn session_of(&self, mode: &str, messages: usize) -> Result<String> {
        let session = format!("{mode} {:016x}", fastrand::u64(..));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let addr = fs::read_to_string(data(&self.folder).join("macp.addr"))?;
            let mut client = Client::new(Endpoint::new(format!("http://{}", addr.trim()))?.connect().await?);
            let participants = (0..PARTICIPANTS).map(participant).collect();
            let start = SessionStartPayload {
                intent: "which map?".to_owned(),
                participants,
                ttl_ms: 3_600_000,
                ..SessionStartPayload::default()
            };
            let start = message(&session, "SessionStart", 0, start.encode_to_vec());
            send(&client, Envelope { mode: mode.to_owned(), ..start }).await?;
            let said: Vec<Envelope> = (1..=messages).map(|number| said(&session, mode, number)).collect();
            // The proposal of all is there before anybody has an opinion of it.
            for some in [&said[..1]].into_iter().chain(said[1..].chunks(IN_FLIGHT)) {
                try_join_all(some.iter().map(|it| send(&client, it.clone()))).await?;
            }
            let cancel = CancelSessionRequest { session_id: session.clone(), reason: "over".to_owned() };
            client.cancel_session(cancel).await?;
            Ok::<_, Box<dyn std::error::Error>>(())
        })?;
        Ok(session)
    }
}

fn data(folder: &TempDir) -> PathBuf {
    folder.path().join("data")
}

fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rl-console"));
    command.env_clear().env("HOME", data).arg("--data").arg(data).arg("--json").stdin(Stdio::null());
    command
}

/// A process that has said that it is ready. What it says later is not read: it is little.
fn started(data: &Path, args: &[&str], ready: &str) -> Result<Ended> {
    let mut process = Ended(command(data).args(args).stdout(Stdio::piped()).spawn()?);
    let mut output = BufReader::new(process.0.stdout.take().ok_or("no output")?);
    let mut line = String::new();
    while !line.contains(ready) {
        line.clear();
        if output.read_line(&mut line)? == 0 {
            return Err(format!("{args:?} ended before it was ready").into());
        }
    }
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    Ok(process)
}

/// An opening in which each node feeds the one 50 further on, of two agents in turn.
fn opening(nodes: usize) -> String {
    let step = 50;
    let mut out = "version: 0\nname: bench\ngoals: [be measured]\nnodes:\n".to_owned();
    for at in 0..nodes {
        let _ = writeln!(out, "  - {{id: n{at}, use: 'agent:{}'}}", AGENTS[at % 2]);
    }
    out.push_str(if nodes > step { "edges:\n" } else { "edges: []\n" });
    for to in step..nodes {
        let _ = writeln!(out, "  - {{from: n{}.out, to: n{to}.in}}", to - step);
    }
    out
}

fn participant(number: usize) -> String {
    format!("agent {number}")
}

fn message(session: &str, message_type: &str, number: usize, payload: Vec<u8>) -> Envelope {
    Envelope {
        macp_version: "1.0".to_owned(),
        mode: String::new(),
        message_type: message_type.to_owned(),
        message_id: format!("message {number}"),
        session_id: session.to_owned(),
        sender: participant(number % PARTICIPANTS),
        timestamp_unix_ms: 0,
        payload: payload.into(),
    }
}

/// What is said in a session: of a decision proposals, evaluations, votes and objections in turn.
fn said(session: &str, mode: &str, number: usize) -> Envelope {
    let (message_type, payload) = match (mode, number % 4) {
        ("multi_round", _) => ("Contribute", format!(r#"{{"value":"{number}"}}"#)),
        (_, 1) => ("Proposal", format!(r#"{{"proposal_id":"p{number}","option":"the mine"}}"#)),
        (_, 2) => (
            "Evaluation",
            r#"{"proposal_id":"p1","recommendation":"APPROVE","confidence":0.9,"reason":"well"}"#.to_owned(),
        ),
        (_, 3) => ("Vote", r#"{"proposal_id":"p1","vote":"approve","reason":"well"}"#.to_owned()),
        _ => ("Objection", r#"{"proposal_id":"p1","severity":"low","reason":"dark"}"#.to_owned()),
    };
    message(session, message_type, number, payload.into_bytes())
}

async fn send(client: &Client, envelope: Envelope) -> Result<()> {
    let about = (envelope.message_type.clone(), envelope.message_id.clone());
    let answer = client.clone().send(SendRequest { envelope: Some(envelope) }).await?;
    match answer.into_inner().ack {
        Some(ack) if ack.ok && !ack.duplicate => Ok(()),
        other => Err(format!("{about:?}: {other:?}").into()),
    }
}
