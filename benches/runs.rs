//! What runs cost, over a whole station with its store, its bus and its socket, with an agent that answers at once.
//!
//! `cargo bench --bench runs` prints the time of each round, and the bound that it is held to:
//!
//! - one run of 1,000 trivial nodes, from its request to its last event, events durable (at most 1 s);
//! - 200 runs of 20 nodes at one time (at most 5 s);
//! - `RunSubmit` to `RunAccepted` while nothing else happens (p99 at most 10 ms).
//!
//! A number behind `--` is how many rounds are made of each; 5 unless said.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::{collections::BTreeMap, error::Error, fmt::Write as _, path::Path, time::Duration};

use rl_console::{
    ids::TraceId,
    limits::Limits,
    port::{Page, Query, StationPort},
    rmp::{
        HEADER_BYTES, PREFIX_BYTES, Registry, SchemaId,
        client::{Client, Delivery, Hello, Message, Subscription},
    },
    runs::{
        RunState,
        openings::PortValue,
        payload::{AgentAnswer, AgentRequest, AgentResponse, ControlRequest, ControlResponse, RunEvent, schema},
    },
    station::{Config, PackSource, RUN_TIMEOUT_MS, Station},
    time::Clock,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const NODES: usize = 1_000;
const RUNS: usize = 200;
const NODES_EACH: usize = 20;
const REQUESTS: usize = 500;

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

/// Answers every request at once.
async fn echo(path: std::path::PathBuf) -> Result<()> {
    let client = Client::connect(&path, Hello::agent("echo")).await?;
    let mut requests = client.subscribe("agent/echo").await?;
    let value = PortValue { schema_id: 4, kind: "toolresult.generic.v1".into(), value: true.into() };
    let ports = BTreeMap::from([("out".into(), vec![value])]);
    let answer = AgentAnswer { response: AgentResponse::Completed { ports }, tokens: None }.encode();
    let mut batch = Vec::new();
    while requests.next_batch(&mut batch).await > 0 {
        for delivery in batch.drain(..) {
            if let Ok(request) = AgentRequest::decode(body(&delivery)) {
                let message = Message::new(SchemaId(schema::AGENT_RESPONSE), answer.clone()).in_trace(request.trace_id);
                client.post(&request.reply_topic, &message).await?;
            }
        }
    }
    Ok(())
}

struct Bench {
    client: Client,
    answers: Subscription,
    events: Subscription,
    port: std::sync::Arc<dyn StationPort>,
}

impl Bench {
    async fn open(path: &Path, port: std::sync::Arc<dyn StationPort>) -> Result<Self> {
        let client = Client::connect(path, Hello::agent("bench")).await?;
        let (answers, events) = (client.subscribe("rlp/ctrl").await?, client.subscribe("rlp/runs/**").await?);
        Ok(Self { client, answers, events, port })
    }

    async fn submit(&self, yaml: &str) -> Result<TraceId> {
        let run = TraceId(uuid::Uuid::now_v7());
        let request = ControlRequest::RunSubmit { request_id: run, opening_yaml: yaml.to_owned() };
        self.client.post("rlp/ctrl", &Message::new(SchemaId(schema::CTRL_REQ), request.encode()).in_trace(run)).await?;
        Ok(run)
    }

    async fn accepted(&mut self, run: TraceId) -> Result<()> {
        loop {
            let delivery = self.answers.next().await.ok_or("the bus is gone")?;
            if delivery.header().trace_id != run || delivery.header().schema_id != SchemaId(schema::CTRL_RESP) {
                continue;
            }
            return match ControlResponse::decode(body(&delivery))? {
                ControlResponse::RunAccepted { .. } => Ok(()),
                other => Err(format!("not accepted: {other:?}").into()),
            };
        }
    }

    /// Waits for the ends of so many runs. Events that were dropped on their way are made up for by what the store has.
    async fn ended(&mut self, runs: usize) -> Result<()> {
        let (mut ended, mut batch) = (0, Vec::new());
        while ended < runs {
            if tokio::time::timeout(Duration::from_millis(500), self.events.next_batch(&mut batch)).await.is_err() {
                let query = Query::Runs {
                    state: Some(RunState::Running),
                    name: None,
                    since_ms: None,
                    beyond: None,
                    oldest_first: false,
                    filter: None,
                    limit: 1,
                };
                let Page::Runs { rows, .. } = self.port.query(query).await? else { return Err("a strange page".into()) };
                if rows.is_empty() {
                    println!("  {} ends were not heard", runs - ended);
                    return Ok(());
                }
            }
            for delivery in batch.drain(..) {
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

fn report(what: &str, bound: Duration, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index of a short list"
        )]
        let index = ((times.len() - 1) as f64 * share).round() as usize;
        times[index]
    };
    let (median, p99) = (at(0.5), at(0.99));
    let verdict = if p99 <= bound { "within" } else { "OVER" };
    println!("{what}: median {median:.1?}, p99 {p99:.1?}, max {:.1?} of {} ({verdict} {bound:?})", at(1.0), times.len());
}

async fn bench(path: &Path, port: std::sync::Arc<dyn StationPort>, rounds: usize) -> Result<()> {
    let clock = Clock::start();
    let mut bench = Bench::open(path, port).await?;
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
        limits: Limits::default(),
        record: None,
    };
    let station = Station::start(config, Clock::start())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let done = runtime.block_on(async {
        station.ready().await?.rmp?;
        let agent = tokio::spawn({
            let path = path.clone();
            async move { echo(path).await.map_err(|error| error.to_string()) }
        });
        let done = bench(&path, station.port(), rounds).await;
        agent.abort();
        done
    });
    station.stop();
    done
}
