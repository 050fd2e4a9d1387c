//! What lifecycle records cost the sessions that are none of a run's: nothing that can be measured.
//!
//! Sides of a pair take turns within eleven rounds; figures are medians, of a difference that of the
//! differences within each round. The noise is how far the middle half of the first side's rounds lies apart:
//! what differs by no more counts as unchanged, unless the noise itself is more than a tenth.

use std::{error::Error, fs, time::Duration};

use prost::Message as _;
use rl_console::{
    macp::proto::v1::{
        Envelope, SendRequest, SessionStartPayload, macp_runtime_service_client::MacpRuntimeServiceClient,
    },
    station::{Config, Station},
    time::Clock,
};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::{
    Request,
    transport::{Channel, Endpoint},
};

use crate::{Fixture, TRACEPARENT};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const ROUNDS: usize = 11;
/// The share of a figure that its noise may be for anything to be said.
const NOISE_MAX: f64 = 0.1;
/// Votes of a round in the kernel.
const KERNEL_VOTES: u32 = 50_000;
/// Votes of a round by calls, one after the other.
const CALLS: u32 = 2_000;
const PROPOSAL: &str = r#"{"proposal_id":"p","option":"go"}"#;
const VOTE: &str = r#"{"proposal_id":"p","vote":"approve","reason":"well"}"#;

/// The kernel, then whole stations.
pub(crate) fn print() -> Result<()> {
    kernel()?;
    calls()
}

/// A session that began with a trace context beside one that did not.
fn kernel() -> Result<()> {
    let clock = Clock::start();
    let time = |traceparent| {
        let mut bench = Fixture::new();
        bench.traceparent = traceparent;
        bench.start("decision", Vec::new());
        bench.send("", "Proposal", "a", PROPOSAL);
        let began = clock.mono();
        (0..KERNEL_VOTES).for_each(|_| bench.send("", "Vote", "b", VOTE));
        Ok(clock.mono().since(began) / KERNEL_VOTES)
    };
    let (without, with) = (|| time(None), || time(Some(TRACEPARENT)));
    compare("a vote in the kernel", &["without a trace context", "with one"], &[&without, &with])
}

/// Calls to stations that tell records on the bus and that do not, with and without a trace context.
fn calls() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (silent, telling) = (Side::open(&runtime, false)?, Side::open(&runtime, true)?);
    let names = ["records are not told", "told", "told, a trace context in each call"];
    let votes: [&dyn Fn() -> Result<Duration>; 3] =
        [&|| silent.time(&runtime, false), &|| telling.time(&runtime, false), &|| {
            telling.time(&runtime, true)
        }];
    compare("a vote by a call to a station", &names, &votes)?;
    for side in [silent, telling] {
        side.station.stop();
    }
    Ok(())
}

/// Prints the sides, and whether each differs from the first by more than that does from itself.
fn compare(what: &str, names: &[&str], sides: &[&dyn Fn() -> Result<Duration>]) -> Result<()> {
    let mut times = vec![Vec::new(); sides.len()];
    // The first round warms up.
    for round in 0..=ROUNDS {
        for at in 0..sides.len() {
            let side = (at + round) % sides.len();
            let time = sides[side]()?;
            if round > 0 {
                times[side].push(time.as_secs_f64() * 1e6);
            }
        }
    }
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("{what} (load {})", load.split(' ').next().unwrap_or("unknown"));
    let of_first = sorted(times[0].iter().copied());
    let (first, noise) = (of_first[ROUNDS / 2], of_first[ROUNDS * 3 / 4] - of_first[ROUNDS / 4]);
    println!("  {:<36} {first:>8.2} µs, the noise {noise:.2} µs", names[0]);
    for (name, times_of) in names.iter().zip(&times).skip(1) {
        let time = sorted(times_of.iter().copied())[ROUNDS / 2];
        let more = sorted(times_of.iter().zip(&times[0]).map(|(with, without)| with - without))[ROUNDS / 2];
        let verdict = match more <= noise {
            true if noise <= first * NOISE_MAX => "met",
            true => "too noisy to say",
            false => "NOT MET",
        };
        println!("  {name:<36} {time:>8.2} µs, {more:+.2} (at most the noise: {verdict})");
    }
    Ok(())
}

fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times
}

/// A station in this process, and a client of its sessions.
struct Side {
    station: Station,
    client: MacpRuntimeServiceClient<Channel>,
    _folder: TempDir,
}

impl Side {
    fn open(runtime: &Runtime, tells: bool) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let config = Config { mplp_emit: tells, ..Config::within(folder.path()) };
        let station = Station::start(config, Clock::start())?;
        runtime.block_on(async {
            station.ready().await?;
            let addr = fs::read_to_string(folder.path().join("macp.addr"))?;
            let channel = Endpoint::new(format!("http://{}", addr.trim()))?.connect().await?;
            Ok(Self { station, client: MacpRuntimeServiceClient::new(channel), _folder: folder })
        })
    }

    /// The time of a vote in a session that is begun for it.
    fn time(&self, runtime: &Runtime, has_context: bool) -> Result<Duration> {
        let session = format!("bench {:016x}", fastrand::u64(..));
        let message = |message_type: &str, number: u32, payload: &[u8]| Envelope {
            macp_version: "1.0".to_owned(),
            mode: if number == 0 { "decision".to_owned() } else { String::new() },
            message_type: message_type.to_owned(),
            message_id: number.to_string(),
            session_id: session.clone(),
            sender: "a".to_owned(),
            timestamp_unix_ms: 0,
            payload: payload.to_vec().into(),
        };
        let clock = Clock::start();
        runtime.block_on(async {
            let mut client = self.client.clone();
            let start = SessionStartPayload { ttl_ms: 3_600_000, ..SessionStartPayload::default() };
            let start = message("SessionStart", 0, &start.encode_to_vec());
            let mut began = clock.mono();
            for number in 0..CALLS + 2 {
                let envelope = match number {
                    0 => start.clone(),
                    1 => message("Proposal", number, PROPOSAL.as_bytes()),
                    _ => message("Vote", number, VOTE.as_bytes()),
                };
                if number == 2 {
                    began = clock.mono();
                }
                let mut request = Request::new(SendRequest { envelope: Some(envelope) });
                if has_context {
                    request.metadata_mut().insert("traceparent", TRACEPARENT.parse()?);
                }
                let ack = client.send(request).await?.into_inner().ack;
                if !ack.as_ref().is_some_and(|it| it.ok && !it.duplicate) {
                    return Err(format!("refused: {ack:?}").into());
                }
            }
            Ok(clock.mono().since(began) / CALLS)
        })
    }
}
