//! The client: calls with so many in flight, and what they took.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, WrapErr, bail, ensure, eyre};
use futures_util::future::join_all;
use prost::Message as _;
use rl_console_benches::{
    calls::Client,
    server::{Tree, wait_until_quiet},
    stats::{number, percentile_us},
};
use serde::Serialize;
use tokio::{sync::Semaphore, task::LocalSet};

use crate::{
    report::progress,
    servers::{Pair, Runtime},
    v1::{Ack, Envelope, SessionStartPayload},
};

/// Messages of a stream that are in flight.
pub(crate) const IN_FLIGHT: usize = 256;
/// How long a session of a round is open.
const TTL_MS: i64 = 86_400_000;
const DECISION: &str = "macp.mode.decision.v1";

/// The calls of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Load {
    /// So many callers that vote, one call in flight each.
    Votes(usize),
    /// So many callers that open sessions.
    Starts(usize),
    /// Votes on one stream.
    Stream,
}

/// All that is measured.
pub(crate) const LOADS: [Load; 5] =
    [Load::Votes(1), Load::Votes(16), Load::Votes(64), Load::Starts(16), Load::Stream];

/// How long a round runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) warm: Duration,
    pub(crate) run: Duration,
}

/// What a round measured.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Metrics {
    pub(crate) per_s: f64,
    /// Processor time of the server a call, µs.
    pub(crate) server_cpu_us: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
}

/// One load against one server.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) server: &'static str,
    pub(crate) load: Load,
    pub(crate) rounds: Vec<Metrics>,
}

/// Drives both servers with every load, so many rounds.
///
/// # Errors
/// A server refuses something, or is gone.
pub(crate) fn rounds(pair: &Pair, rounds: usize, span: Span) -> Result<Vec<Row>> {
    let servers = [&pair.station, &pair.echo];
    let row = |load| servers.map(|server| Row { server: server.name, load, rounds: Vec::new() });
    let mut rows: Vec<Row> = LOADS.into_iter().flat_map(row).collect();
    for round in 0..rounds {
        progress(&format!("round {} of {rounds}", round + 1));
        for row in &mut rows {
            wait_until_quiet(&servers.map(Runtime::tree));
            let server = if row.server == pair.station.name { &pair.station } else { &pair.echo };
            row.rounds.push(
                run(server, row.load, span)
                    .wrap_err_with(|| format!("{:?} against {}", row.load, row.server))?,
            );
        }
    }
    Ok(rows)
}

fn run(server: &Runtime, load: Load, span: Span) -> Result<Metrics> {
    block_on(async {
        let mut client = Client::connect(server.addr).await?;
        let session = open(&mut client).await?;
        let watch = Rc::new(Watch::new(server.tree(), span));
        match load {
            Load::Votes(callers) => {
                call(callers, &client, &watch, |caller, number| {
                    vote(&session, &format!("{caller} {number}"), caller)
                })
                .await?;
            }
            Load::Starts(callers) => {
                let fresh = fresh_id();
                call(callers, &client, &watch, |caller, number| start(&format!("{fresh} {caller} {number}")))
                    .await?;
            }
            Load::Stream => {
                let watch = Rc::clone(&watch);
                let is_over = move |since| watch.lap(since);
                stream_of(&mut client, |number| vote(&session, &number.to_string(), 0), is_over).await?;
            }
        }
        watch.metrics()
    })
}

/// Runs something in one thread.
///
/// # Errors
/// Its own.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, work)
}

/// Opens a decision with one proposal, and tells its id.
pub(crate) async fn open(client: &mut Client) -> Result<String> {
    let session = fresh_id();
    let proposal = Envelope {
        payload: r#"{"proposal_id":"p","option":"one","rationale":"why"}"#.into(),
        ..message(&session, "Proposal", "proposal", "chair")
    };
    for envelope in [start(&session), proposal] {
        accepted(&client.send(envelope).await?)?;
    }
    Ok(session)
}

fn fresh_id() -> String {
    format!("bench {:032x}", fastrand::u128(..))
}

fn message(session: &str, message_type: &str, id: &str, sender: &str) -> Envelope {
    Envelope {
        macp_version: "1.0".to_owned(),
        mode: DECISION.to_owned(),
        message_type: message_type.to_owned(),
        message_id: id.to_owned(),
        session_id: session.to_owned(),
        sender: sender.to_owned(),
        ..Envelope::default()
    }
}

/// Opens a session.
pub(crate) fn start(session: &str) -> Envelope {
    let payload = SessionStartPayload {
        intent: "to be measured".to_owned(),
        ttl_ms: TTL_MS,
        ..SessionStartPayload::default()
    };
    Envelope { payload: payload.encode_to_vec().into(), ..message(session, "SessionStart", "start", "chair") }
}

fn vote(session: &str, id: &str, caller: usize) -> Envelope {
    let payload = r#"{"proposal_id":"p","vote":"approve","reason":"well"}"#.into();
    Envelope { payload, ..message(session, "Vote", id, &format!("voter {caller}")) }
}

/// An evaluation of the one proposal.
pub(crate) fn evaluation(session: &str, id: &str) -> Envelope {
    let payload = r#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.9,"reason":"well"}"#.into();
    Envelope { payload, ..message(session, "Evaluation", id, "judge") }
}

/// # Errors
/// It was refused.
pub(crate) fn accepted(ack: &Ack) -> Result<()> {
    ensure!(ack.ok && !ack.duplicate, "refused: {:?}", ack.error);
    Ok(())
}

/// So many callers, each with one call in flight, until the watch has seen enough.
async fn call(
    callers: usize,
    client: &Client,
    watch: &Watch,
    envelope: impl Fn(usize, u64) -> Envelope,
) -> Result<()> {
    let callers = (0..callers).map(|caller| {
        let (mut client, envelope) = (client.clone(), &envelope);
        async move {
            for number in 0.. {
                let since = Instant::now();
                accepted(&client.send(envelope(caller, number)).await?)?;
                if watch.lap(since) {
                    break;
                }
            }
            Ok(())
        }
    });
    join_all(callers).await.into_iter().collect()
}

/// One stream with [`IN_FLIGHT`] messages in flight. `is_over` is told when each answered message was made.
///
/// # Errors
/// A message is refused, or the stream ends.
pub(crate) async fn stream_of(
    client: &mut Client,
    envelope: impl Fn(u64) -> Envelope,
    mut is_over: impl FnMut(Instant) -> bool,
) -> Result<()> {
    let (mut sender, mut answers) = client.stream().await?;
    let room = Semaphore::new(IN_FLIGHT);
    let made = RefCell::new(VecDeque::with_capacity(IN_FLIGHT));
    let sending = async {
        for number in 0.. {
            room.acquire().await?.forget();
            made.borrow_mut().push_back(Instant::now());
            sender.send(envelope(number))?;
        }
        Ok::<_, color_eyre::Report>(())
    };
    let receiving = async {
        loop {
            let answer = answers.envelope().await?;
            ensure!(answer.message_type == "Ack", "refused: {:?}", answer.payload);
            let since = made.borrow_mut().pop_front().ok_or_else(|| eyre!("an answer to nothing"))?;
            room.add_permits(1);
            if is_over(since) {
                return Ok(());
            }
        }
    };
    tokio::select! {
        sent = sending => sent,
        received = receiving => received,
    }
}

/// The stopwatch of one round.
struct Watch {
    tree: Tree,
    span: Span,
    opened: Instant,
    from: Cell<Option<(Instant, Duration)>>,
    to: Cell<Option<(Instant, Duration)>>,
    ns: RefCell<Vec<u64>>,
}

impl Watch {
    fn new(tree: Tree, span: Span) -> Self {
        Self {
            tree,
            span,
            opened: Instant::now(),
            from: Cell::new(None),
            to: Cell::new(None),
            ns: RefCell::default(),
        }
    }

    /// A call ended that was made then; whether the round is over.
    fn lap(&self, since: Instant) -> bool {
        if self.to.get().is_some() {
            return true;
        }
        let now = Instant::now();
        let Some((from, _)) = self.from.get() else {
            if now.duration_since(self.opened) >= self.span.warm {
                // Reading the processor time takes a while, so it is read before the clock starts.
                let cpu = self.tree.cpu();
                self.from.set(Some((Instant::now(), cpu)));
            }
            return false;
        };
        self.ns.borrow_mut().push(u64::try_from(now.duration_since(since).as_nanos()).unwrap_or(u64::MAX));
        let is_over = now.duration_since(from) >= self.span.run;
        if is_over {
            self.to.set(Some((now, self.tree.cpu())));
        }
        is_over
    }

    fn metrics(&self) -> Result<Metrics> {
        let (Some((from, cpu_from)), Some((to, cpu_to))) = (self.from.get(), self.to.get()) else {
            bail!("the round is not over")
        };
        let mut ns = self.ns.take();
        ns.sort_unstable();
        let calls = number(ns.len());
        Ok(Metrics {
            per_s: calls / to.duration_since(from).as_secs_f64(),
            server_cpu_us: cpu_to.saturating_sub(cpu_from).as_secs_f64() * 1e6 / calls,
            p50_us: percentile_us(&ns, 50),
            p99_us: percentile_us(&ns, 99),
        })
    }
}
