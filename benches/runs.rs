//! What runs cost, over a whole station with its store, its bus and its socket, with an agent that answers at
//! once.
//!
//! `cargo bench --bench runs` prints the time of each round, and the bound that it is held to:
//!
//! - one run of 1,000 trivial nodes, from its request to its last event, events durable (at most 1 s);
//! - 200 runs of 20 nodes at one time (at most 5 s);
//! - `RunSubmit` to `RunAccepted` while nothing else happens (p99 at most 10 ms);
//! - one value of 7 MB that 64 nodes of one agent take, which reads one request at a time and rests between
//!   them; and how long another client waits meanwhile for the Ok to what it publishes, beside the same
//!   without a run. Neither has a bound of its own;
//! - the first two in a station that tells its runs as lifecycle records beside one that does not (at most
//!   10 % longer, or 50 µs a node, whichever is more).
//!
//! A number behind `--` is how many rounds are made of each; 5 unless said.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::{
    collections::BTreeMap,
    error::Error,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rl_console::{
    ids::TraceId,
    limits::Limits,
    port::{Page, Query, StationPort},
    rmp::{
        HEADER_BYTES, PREFIX_BYTES, Registry, SchemaId,
        client::{Client, Delivery, Event, Hello, Message, Session, Start, Subscription},
    },
    runs::{
        RunState,
        openings::PortValue,
        payload::{
            AgentAnswer, AgentRequest, AgentResponse, ControlRequest, ControlResponse, RunEvent, schema,
        },
    },
    station::{Config, PackSource, RUN_TIMEOUT_MS, Station},
    time::Clock,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
};

#[path = "runs/emission.rs"]
mod emission;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const NODES: usize = 1_000;
const RUNS: usize = 200;
const NODES_EACH: usize = 20;
const REQUESTS: usize = 500;
const TAKERS: usize = 64;
const LARGE_BYTES: usize = 7_000_000;
/// How long the agent that reads slowly rests behind each request.
const REST: Duration = Duration::from_millis(25);
/// How long another client rests between two messages.
const BESIDE_EVERY: Duration = Duration::from_millis(1);

/// An opening in which each node feeds the one `step` further on.
fn opening(nodes: usize, step: usize) -> String {
    let mut out = "version: 0\nname: bench\nnodes:\n".to_owned();
    for at in 0..nodes {
        let _ = writeln!(out, "  - {{id: n{at}, use: 'agent:echo'}}");
    }
    out.push_str(if nodes > step { "edges:\n" } else { "edges: []\n" });
    for to in step..nodes {
        let _ = writeln!(out, "  - {{from: n{}.out, to: n{to}.in}}", to - step);
    }
    out
}

fn body(delivery: &Delivery) -> &[u8] {
    delivery.wire.get(PREFIX_BYTES + HEADER_BYTES..).unwrap_or_default()
}

/// `Completed` with one value.
fn completed(value: impl Into<rmpv::Value>) -> Vec<u8> {
    let value = PortValue { schema_id: 4, kind: "toolresult.generic.v1".into(), value: value.into() };
    let ports = BTreeMap::from([("out".into(), vec![value])]);
    AgentAnswer { response: AgentResponse::Completed { ports }, tokens: None }.encode()
}

/// Answers every request of an agent at once.
async fn answers(path: PathBuf, name: &str, answer: Vec<u8>) -> Result<()> {
    let client = Client::connect(&path, Hello::agent(name)).await?;
    let mut requests = client.subscribe(&format!("agent/{name}")).await?;
    let mut batch = Vec::new();
    while requests.next_batch(&mut batch).await > 0 {
        for delivery in batch.drain(..) {
            if let Ok(request) = AgentRequest::decode(body(&delivery)) {
                let message =
                    Message::new(SchemaId(schema::AGENT_RESPONSE), answer.clone()).in_trace(request.trace_id);
                client.post(&request.reply_topic, &message).await?;
            }
        }
    }
    Ok(())
}

/// An agent that leaves what it does not read yet to the bus: it reads one request, rests, answers, and reads
/// the next.
async fn slow(path: PathBuf) -> Result<()> {
    let clock = Clock::start();
    let mut stream = UnixStream::connect(&path).await?;
    let start = Start { now_ms: clock.now().wall.0, first_id: 1, trace: TraceId(uuid::Uuid::now_v7()) };
    let mut session = Session::new(&Hello::agent("slow"), start);
    let (answer, mut bytes) = (completed(true), Vec::new());
    loop {
        session.sending.take(&mut bytes);
        stream.write_all(&bytes).await?;
        match session.receiving.next() {
            Some(Event::Welcome(welcome)) => {
                session.on_welcome(&welcome);
                session.sending.subscribe(clock.now().wall.0, "agent/slow")?;
            }
            Some(Event::Delivery(delivery)) => {
                if let Ok(request) = AgentRequest::decode(body(&delivery)) {
                    tokio::time::sleep(REST).await;
                    let message = Message::new(SchemaId(schema::AGENT_RESPONSE), answer.clone())
                        .in_trace(request.trace_id);
                    session.sending.publish(clock.now().wall.0, &request.reply_topic, &message, false)?;
                }
            }
            Some(Event::Broken(fault)) => return Err(format!("{fault:?}").into()),
            Some(_) => {}
            None => {
                if stream.read_buf(session.receiving.buffer()).await? == 0 {
                    return Ok(());
                }
            }
        }
    }
}

/// An opening in which one large value goes to many nodes of the agent that reads slowly.
fn fanned_out() -> String {
    let mut out = "version: 0\nname: fan\nnodes:\n  - {id: give, use: 'agent:giver'}\n".to_owned();
    for at in 0..TAKERS {
        let _ = writeln!(out, "  - {{id: take{at}, use: 'agent:slow'}}");
    }
    out.push_str("edges:\n");
    for at in 0..TAKERS {
        let _ = writeln!(out, "  - {{from: give.out, to: take{at}.in}}");
    }
    out
}

/// How long a client waits for each Ok to what it publishes, until it is told to stop.
async fn beside(path: PathBuf, stop: Arc<AtomicBool>) -> Result<Vec<Duration>> {
    let (clock, client) = (Clock::start(), Client::connect(&path, Hello::agent("beside")).await?);
    let message = Message::of(SchemaId::OBSERVATION, "observation.note.v1", &[7_u8; 16])?;
    let mut times = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let began = clock.now().mono;
        client.publish("bench/beside", &message).await?;
        times.push(clock.now().mono.since(began));
        tokio::time::sleep(BESIDE_EVERY).await;
    }
    client.close().await;
    Ok(times)
}

/// The waits of another client while something is done.
async fn waits_beside(path: &Path, done: impl Future<Output = Result<()>>) -> Result<Vec<Duration>> {
    let stop = Arc::new(AtomicBool::new(false));
    let (path, is_over) = (path.to_owned(), Arc::clone(&stop));
    let waits = tokio::spawn(async move { beside(path, is_over).await.map_err(|error| error.to_string()) });
    let done = done.await;
    stop.store(true, Ordering::Relaxed);
    let waits = waits.await?;
    done?;
    Ok(waits?)
}

/// One large value to many nodes, and the bus beside it.
async fn fan_out(bench: &mut Fixture, path: &Path, rounds: usize) -> Result<()> {
    let (clock, yaml) = (Clock::start(), fanned_out());
    let (mut times, mut with, mut without) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let began = clock.now().mono;
        with.extend(
            waits_beside(path, async {
                let run = bench.submit(&yaml).await?;
                bench.accepted(run).await?;
                bench.ended(1).await
            })
            .await?,
        );
        let took = clock.now().mono.since(began);
        times.push(took);
        let rest = async {
            tokio::time::sleep(took).await;
            Ok(())
        };
        without.extend(waits_beside(path, rest).await?);
    }
    println!("one value of 7 MB to {TAKERS} nodes: {}", metrics(times));
    println!("  publish to Ok of another client beside it: {}", metrics(with));
    println!("  publish to Ok without a run: {}", metrics(without));
    Ok(())
}

struct Fixture {
    client: Client,
    answers: Subscription,
    events: Subscription,
    port: std::sync::Arc<dyn StationPort>,
}

impl Fixture {
    async fn open(path: &Path, port: std::sync::Arc<dyn StationPort>) -> Result<Self> {
        let client = Client::connect(path, Hello::agent("bench")).await?;
        let (answers, events) = (client.subscribe("rlp/ctrl").await?, client.subscribe("rlp/runs/**").await?);
        Ok(Self { client, answers, events, port })
    }

    async fn submit(&self, yaml: &str) -> Result<TraceId> {
        let run = TraceId(uuid::Uuid::now_v7());
        let request =
            ControlRequest::RunSubmit { request_id: run, opening_yaml: yaml.to_owned(), traceparent: None };
        self.client
            .post("rlp/ctrl", &Message::new(SchemaId(schema::CTRL_REQ), request.encode()).in_trace(run))
            .await?;
        Ok(run)
    }

    async fn accepted(&mut self, run: TraceId) -> Result<()> {
        loop {
            let delivery = self.answers.next().await.ok_or("the bus is gone")?;
            if delivery.header().trace_id != run || delivery.header().schema_id != SchemaId(schema::CTRL_RESP)
            {
                continue;
            }
            return match ControlResponse::decode(body(&delivery))? {
                ControlResponse::RunAccepted { .. } => Ok(()),
                other => Err(format!("not accepted: {other:?}").into()),
            };
        }
    }

    /// Waits for the ends of so many runs. Events that were dropped on their way are made up for by what the
    /// store has.
    async fn ended(&mut self, runs: usize) -> Result<()> {
        let (mut ended, mut batch) = (0, Vec::new());
        while ended < runs {
            if tokio::time::timeout(Duration::from_millis(500), self.events.next_batch(&mut batch))
                .await
                .is_err()
            {
                let query = Query::Runs {
                    state: Some(RunState::Running),
                    name: None,
                    since_ms: None,
                    beyond: None,
                    oldest_first: false,
                    filter: None,
                    limit: 1,
                };
                let Page::Runs { rows, .. } = self.port.query(query).await? else {
                    return Err("a strange page".into());
                };
                if rows.is_empty() {
                    println!("  {} ends were not heard", runs - ended);
                    return Ok(());
                }
            }
            for delivery in batch.drain(..) {
                if delivery.header().schema_id != SchemaId::RUN_EVENT {
                    continue;
                }
                let success = RunEvent::decode(body(&delivery)).ok().and_then(|event| event.meta.success);
                if success == Some(false) {
                    return Err("a run failed".into());
                }
                ended += usize::from(success.is_some());
            }
        }
        Ok(())
    }
}

/// The time below which this share of sorted times lies; nothing where there are none.
fn at(times: &[Duration], share: f64) -> Duration {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index of a short list"
    )]
    let index = (times.len().saturating_sub(1) as f64 * share).round() as usize;
    times.get(index).copied().unwrap_or_default()
}

fn metrics(mut times: Vec<Duration>) -> String {
    times.sort();
    let (median, p99) = (at(&times, 0.5), at(&times, 0.99));
    format!("median {median:.1?}, p99 {p99:.1?}, max {:.1?} of {}", at(&times, 1.0), times.len())
}

fn report(what: &str, bound: Duration, mut times: Vec<Duration>) {
    times.sort();
    let verdict = if at(&times, 0.99) <= bound { "within" } else { "OVER" };
    println!("{what}: {} ({verdict} {bound:?})", metrics(times));
}

async fn bench(path: &Path, port: std::sync::Arc<dyn StationPort>, rounds: usize) -> Result<()> {
    let clock = Clock::start();
    let mut bench = Fixture::open(path, port).await?;
    let small = opening(1, 1);
    let mut times = Vec::with_capacity(REQUESTS);
    for _ in 0..REQUESTS {
        let began = clock.now().mono;
        let run = bench.submit(&small).await?;
        bench.accepted(run).await?;
        times.push(clock.now().mono.since(began));
        bench.ended(1).await?;
    }
    report("RunSubmit to RunAccepted, idle", Duration::from_millis(10), times);

    let large = opening(NODES, 50);
    let mut times = Vec::new();
    for _ in 0..rounds {
        let began = clock.now().mono;
        let run = bench.submit(&large).await?;
        bench.accepted(run).await?;
        bench.ended(1).await?;
        times.push(clock.now().mono.since(began));
    }
    report("one run of 1,000 nodes", Duration::from_secs(1), times);

    let many = opening(NODES_EACH, 4);
    let mut times = Vec::new();
    for _ in 0..rounds {
        let began = clock.now().mono;
        for _ in 0..RUNS {
            bench.submit(&many).await?;
        }
        bench.ended(RUNS).await?;
        times.push(clock.now().mono.since(began));
    }
    report("200 runs of 20 nodes at one time", Duration::from_secs(5), times);
    fan_out(&mut bench, path, rounds).await?;
    bench.client.close().await;
    Ok(())
}

fn main() -> Result<()> {
    let rounds = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(5).max(1);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("rmp.sock");
    let config = Config {
        data: folder.path().join("data"),
        pack: PackSource::Sample,
        bind: [127, 0, 0, 1].into(),
        port: 0,
        broadcaster_login: "local".to_owned(),
        socket: Some(path.clone()),
        registry: Registry::default(),
        grpc: None,
        metrics: None,
        openings: folder.path().join("openings"),
        run_timeout_ms: RUN_TIMEOUT_MS,
        mplp_emit: true,
        environment: "live".to_owned(),
        agents_cancel: rl_console::runs::engine::AgentsCancel::Any,
        alerts: rl_console::station::AlertThresholds::default(),
        limits: Limits::default(),
        plugins: rl_console::plugin::host::HostSettings::default(),
        record: None,
        recording: rl_console::station::RecordingSettings::default(),
        triggers: Vec::new(),
        is_rehearsal: false,
    };
    let station = Station::start(config, Clock::start())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let done = runtime.block_on(async {
        station.ready().await?.rmp?;
        let agent = |name: &'static str, answer: Vec<u8>| {
            let path = path.clone();
            tokio::spawn(async move { answers(path, name, answer).await.map_err(|error| error.to_string()) })
        };
        let agents = [agent("echo", completed(true)), agent("giver", completed("x".repeat(LARGE_BYTES))), {
            let path = path.clone();
            tokio::spawn(async move { slow(path).await.map_err(|error| error.to_string()) })
        }];
        let done = bench(&path, station.port(), rounds).await;
        for agent in agents {
            agent.abort();
        }
        done
    });
    station.stop();
    done?;
    runtime.block_on(emission::emission(rounds))
}
