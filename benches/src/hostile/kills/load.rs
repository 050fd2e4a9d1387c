//! The load: rows that are enqueued and served, runs that are submitted, messages of a decision,
//! publications.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    os::unix::net::UnixStream,
    process::Stdio,
    sync::mpsc::SyncSender,
    thread::{Scope, ScopedJoinHandle},
    time::Duration,
};

use color_eyre::eyre::{Result, ensure};
use futures_util::future::join_all;
use prost::Message as _;
use rl_console_benches::{
    calls::Client,
    paired::{ANSWER_MAX, Files, PACK_ID, PARAMS, QUEUES},
    rmp::{self, OBSERVATION, Value, control, frame, frame_of, is},
    server::run_to_end,
    v1::{Envelope, SessionStartPayload},
};
use serde_json::{Value as Json, json};
use tokio::{task::LocalSet, time::timeout};

use crate::attack::Targets;

/// Rows that are enqueued at once.
const ROWS: usize = 20;
/// Messages that are sent again at a time.
const IN_FLIGHT: usize = 64;
/// Runs that are submitted in a round.
const RUNS: usize = 2;
/// How long an answer may take before the station counts as gone.
const GONE_AFTER: Duration = Duration::from_secs(5);
/// One node that an agent would do; there is none, so the run ends by its time.
const OPENING: &str = "version: 0\nname: kills\npolicy: {timeout_ms: 2000}\nnodes:\n  - {id: a, use: 'agent:nobody'}\nedges: []\n";
const CTRL_REQ: u16 = 2_001;
/// Numbers of messages in a session.
const PROPOSAL: u64 = 1;
const VOTE: u64 = u64::MAX - 1;
const COMMITMENT: u64 = u64::MAX;

/// Invocations by queue, in the order in which they came.
pub(super) type Served = BTreeMap<String, Vec<u64>>;

/// What was acknowledged before a kill.
#[derive(Default)]
pub(super) struct Acknowledged {
    pub(super) rows: BTreeSet<u64>,
    /// As `ls runs` has them.
    pub(super) runs: BTreeSet<String>,
    /// Sessions, and numbers of messages in them.
    pub(super) messages: Vec<(String, u64)>,
    pub(super) publications: usize,
}

impl Acknowledged {
    pub(super) fn extend(&mut self, more: Self) {
        self.rows.extend(more.rows);
        self.runs.extend(more.runs);
        self.messages.extend(more.messages);
        self.publications += more.publications;
    }
}

/// The threads of a round.
pub(super) struct Work<'scope> {
    acknowledged: Vec<ScopedJoinHandle<'scope, Acknowledged>>,
    served: ScopedJoinHandle<'scope, Served>,
}

/// Starts all of the load; `first` is told when rows were acknowledged.
pub(super) fn all<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    round: usize,
    targets: &'env Targets,
    files: &'env Files,
    first: &SyncSender<()>,
) -> Work<'scope> {
    let first = first.clone();
    // Whatever ends a client is the end of the station; what it was told until then counts.
    let acknowledged = vec![
        scope.spawn(move || {
            let mut all = Acknowledged::default();
            let _ = enqueue(files, &mut all, &first);
            all
        }),
        scope.spawn(move || {
            let mut all = Acknowledged::default();
            let _ = submit_and_publish(targets, &mut all);
            all
        }),
        scope.spawn(move || {
            let mut all = Acknowledged::default();
            let _ = evaluate(targets.macp, &format!("kills {round}"), &mut all);
            all
        }),
    ];
    Work { acknowledged, served: scope.spawn(|| serve(targets, files, GONE_AFTER)) }
}

/// Waits until all of it has seen the station's end.
pub(super) fn join(work: Work<'_>) -> (Acknowledged, Served) {
    let mut all = Acknowledged::default();
    for thread in work.acknowledged {
        all.extend(thread.join().unwrap_or_default());
    }
    (all, work.served.join().unwrap_or_default())
}

fn enqueue(files: &Files, all: &mut Acknowledged, first: &SyncSender<()>) -> Result<()> {
    let rows = files.folder.join("kills.ndjson");
    let row = |at: usize| format!("{{\"event\":\"e{}\",\"params\":{PARAMS}}}\n", at % 2 + 1);
    std::fs::write(&rows, (0..ROWS).map(row).collect::<String>())?;
    loop {
        let said = run_to_end(
            files.command().args(["--json", "invoke", "--from"]).arg(&rows),
            Stdio::piped(),
            ANSWER_MAX,
        )?;
        all.rows
            .extend(said.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()?["id"].as_u64()));
        let _ = first.try_send(());
    }
}

/// Serves two queues until the station is gone, or nothing comes for a time.
pub(super) fn serve(targets: &Targets, files: &Files, idle: Duration) -> Served {
    let mut served = Served::new();
    let _ = serve_into(targets.mpp, files, idle, &mut served);
    served
}

fn serve_into(addr: SocketAddr, files: &Files, idle: Duration, served: &mut Served) -> Result<()> {
    let mut stream = TcpStream::connect_timeout(&addr, GONE_AFTER)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(idle))?;
    let hello = json!({
        "mpp": 2, "type": "hello", "pack_id": PACK_ID,
        "manifest_hash": files.manifest_hash, "bridge_token": files.token,
    });
    let pull = |queue: &str| format!("{{\"mpp\":2,\"type\":\"pull\",\"queue\":\"{queue}\"}}\n");
    write!(stream, "{hello}\n{}{}", pull(QUEUES[0]), pull(QUEUES[1]))?;
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    while let Some(line) = lines.next().transpose()? {
        let frame: Json = serde_json::from_str(&line)?;
        let (Some(id), Some(queue)) = (frame["id"].as_u64(), frame["queue"].as_str()) else { continue };
        served.entry(queue.to_owned()).or_default().push(id);
        write!(
            stream,
            "{{\"mpp\":2,\"type\":\"applied\",\"id\":{id},\"result\":null}}\n{{\"mpp\":2,\"type\":\"done\",\"id\":{id}}}\n{}",
            pull(queue)
        )?;
    }
    Ok(())
}

fn submit_and_publish(targets: &Targets, all: &mut Acknowledged) -> Result<()> {
    let mut stream = UnixStream::connect(&targets.rmp)?;
    stream.set_read_timeout(Some(GONE_AFTER))?;
    let hello = [("v", Value::Number(1)), ("client", Value::Text("kills")), ("kind", Value::Text("agent"))];
    let subscribe = [("sub", Value::Number(1)), ("topic", Value::Text("rlp/ctrl"))];
    stream.write_all(&[control("Hello", &hello, 1), control("Subscribe", &subscribe, 2)].concat())?;
    for _ in 0..2 {
        rmp::read(&mut stream)?;
    }
    for number in 0_u64.. {
        let is_run = number < RUNS as u64;
        let trace = fastrand::u128(..);
        let topic = if is_run { "rlp/ctrl" } else { "kills" };
        let id = 10 + number;
        let mut unit = control("Publish", &[("topic", Value::Text(topic)), ("ack", Value::Bool(true))], id);
        unit.extend(if is_run {
            let request =
                [("request_id", Value::Bytes(&trace.to_be_bytes())), ("opening_yaml", Value::Text(OPENING))];
            let payload = [("RunSubmit", Value::Map(&request))];
            frame_of(CTRL_REQ, "intent.ctrl.request.v1", Value::Map(&payload), id, trace)
        } else {
            frame(OBSERVATION, "observation.generic.v1", Value::Bytes(b"x"), id)
        });
        stream.write_all(&unit)?;
        let mut is_acknowledged = false;
        while !is_acknowledged {
            let answer = rmp::read(&mut stream)?;
            ensure!(!is(&answer, "RunRejected") && !is(&answer, "Error"), "the station refused");
            is_acknowledged = if is_run { is(&answer, "RunAccepted") } else { is(&answer, "Ok") };
        }
        if is_run {
            all.runs.insert(trace_name(trace));
        } else {
            all.publications += 1;
        }
    }
    Ok(())
}

/// A trace as people read it: `trace:` and the hyphenated UUID.
fn trace_name(trace: u128) -> String {
    let hex = format!("{trace:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &hex[part]);
    format!("trace:{}", parts.join("-"))
}

/// Evaluations of a session until the station is gone.
fn evaluate(addr: SocketAddr, session: &str, all: &mut Acknowledged) -> Result<()> {
    block_on(async {
        let mut client = Client::connect(addr).await?;
        for number in 0.. {
            let ack = timeout(GONE_AFTER, client.send(message(session, number))).await??;
            ensure!(ack.ok, "message {number} was refused: {:?}", ack.error);
            all.messages.push((session.to_owned(), number));
        }
        Ok(())
    })
}

/// Ends the sessions of these messages, those that have a proposal; what was acknowledged.
///
/// # Errors
/// A call fails.
pub(super) fn end(addr: SocketAddr, messages: &[(String, u64)]) -> Result<Vec<(String, u64)>> {
    let sessions: BTreeSet<&String> =
        messages.iter().filter(|(_, number)| *number == PROPOSAL).map(|(session, _)| session).collect();
    block_on(async {
        let mut client = Client::connect(addr).await?;
        let mut ended = Vec::new();
        for session in sessions {
            for number in [VOTE, COMMITMENT] {
                let ack = timeout(GONE_AFTER, client.send(message(session, number))).await??;
                ensure!(ack.ok, "{session} was not ended: {:?}", ack.error);
                ended.push((session.clone(), number));
            }
        }
        Ok(ended)
    })
}

/// The message of a number in a session: `SessionStart`, a proposal, evaluations, and what ends it.
fn message(session: &str, number: u64) -> Envelope {
    let (message_type, payload) = match number {
        0 => {
            ("SessionStart", SessionStartPayload { ttl_ms: 86_400_000, ..Default::default() }.encode_to_vec())
        }
        PROPOSAL => ("Proposal", br#"{"proposal_id":"p","option":"one"}"#.to_vec()),
        VOTE => ("Vote", br#"{"proposal_id":"p","vote":"approve"}"#.to_vec()),
        COMMITMENT => ("Commitment", br#"{"commitment_id":"c","action":"one"}"#.to_vec()),
        _ => ("Evaluation", br#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.9}"#.to_vec()),
    };
    Envelope {
        macp_version: "1.0".to_owned(),
        mode: "macp.mode.decision.v1".to_owned(),
        message_type: message_type.to_owned(),
        message_id: number.to_string(),
        session_id: session.to_owned(),
        sender: "kills".to_owned(),
        payload: payload.into(),
        ..Envelope::default()
    }
}

/// How many of these messages are no duplicates when they are sent again: those that were lost.
///
/// # Errors
/// A call fails.
pub(super) fn not_duplicates(addr: SocketAddr, messages: &[(String, u64)]) -> Result<usize> {
    block_on(async {
        let client = Client::connect(addr).await?;
        let mut lost = 0;
        for some in messages.chunks(IN_FLIGHT) {
            let calls = some.iter().map(|(session, number)| {
                let mut client = client.clone();
                async move { timeout(GONE_AFTER, client.send(message(session, *number))).await }
            });
            for ack in join_all(calls).await {
                lost += usize::from(!ack??.duplicate);
            }
        }
        Ok(lost)
    })
}

fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, work)
}
