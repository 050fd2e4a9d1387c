//! A frame that is sent through an open door, beside one that is published.

use std::{fs, path::Path, time::Duration};

use rl_console::{
    ids::TraceId,
    port::{Command, DoorSpec, Operator as _, Outcome, PageBytes, WorkbenchCommand, WorkbenchOutcome},
    rmp::{
        Dialect, Header, Kind, SchemaId,
        client::{Client, Hello, Message},
        control::{self, FromClient},
        encode,
    },
    station::{Address, OperatorClient},
    time::Clock,
};
use rmpv::Value;

use crate::{
    Result,
    report::{Bound, Report, median, number, percentile_us},
    screen::{Screen, run},
};

const TOPIC: &str = "bench/inject";
/// Bytes of a text in a body.
const TEXT_BYTES: usize = 128;
/// Frames of a round, one after the other.
const FRAMES: u64 = 1_000;
/// Frames of a round of the command line.
const BULK: u64 = 10_000;
/// Whole commands of a round.
const COMMANDS: usize = 10;
/// What a frame sent may take, of one published.
const RATIO_MAX: f64 = 2.0;
/// What many frames sent reach at least, of those published.
const BULK_RATIO_MIN: f64 = 0.8;

fn body() -> Result<Vec<u8>> {
    Ok(encode::body("observation.bench.v1", &Value::from("x".repeat(TEXT_BYTES)), None::<&Value>)?)
}

fn header(clock: &Clock, number: u64) -> Header {
    Header {
        schema_id: SchemaId::OBSERVATION,
        created_at_ms: clock.now().wall.0,
        ttl_ms: 600_000,
        trace_id: TraceId(uuid::Uuid::now_v7()),
        msg_id: number,
    }
}

pub(crate) fn measure(rounds: usize, report: &mut Report) -> Result<()> {
    let screen = Screen::start("", &[])?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(single(&screen.data, rounds))?;
    commands(&screen.data, rounds, report)?;
    bulk(&screen.data, rounds, report)
}

/// Both over one session each, in turn.
async fn single(data: &Path, rounds: usize) -> Result<()> {
    let clock = Clock::start();
    let station = OperatorClient::connect(data).await?;
    let client = Client::connect(&Address::of_data(data)?.socket, Hello::agent("bench")).await?;
    let door =
        DoorSpec::Peer { dialect: Dialect::Frames, kind: Some(Kind::Agent), client: "bench".to_owned() };
    let opened = bench(&station, WorkbenchCommand::Open { door }).await?;
    let WorkbenchOutcome::Opened { door, .. } = opened else { return Err("no door".into()) };
    let message = Message::new(SchemaId::OBSERVATION, body()?);
    let (mut sent, mut published, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 1 << 50;
    for _ in 0..=rounds {
        let (mut sends, mut publishes) = (Vec::new(), Vec::new());
        for _ in 0..FRAMES {
            let began = clock.mono();
            client.publish(TOPIC, &message).await?;
            publishes.push(clock.mono().since(began));
            next += 2;
            let mut wire = Vec::new();
            let publish = FromClient::Publish { topic: TOPIC, ack: true };
            let (now_ms, trace) = (clock.now().wall.0, TraceId(uuid::Uuid::now_v7()));
            control::append(&mut wire, &control::header(now_ms, trace, next), &publish);
            wire.extend(encode::frame(&header(&clock, next + 1), &body()?)?);
            let began = clock.mono();
            let (pieces, answers) = (vec![PageBytes(wire)], Some(1));
            let send = WorkbenchCommand::Send {
                door,
                pieces,
                of: None,
                wait_ms: 2_000,
                answers,
                foreseen: Vec::new(),
            };
            let WorkbenchOutcome::Sent(became) = bench(&station, send).await? else {
                return Err("not sent".into());
            };
            sends.push(clock.mono().since(began));
            if became.own().and_then(|own| own.verdict.as_deref()) != Some("accepted") {
                return Err(format!("{became:?}").into());
            }
        }
        sends.sort();
        publishes.sort();
        let [send, publish] = [&sends, &publishes].map(|times| percentile_us(times, 50));
        sent.push(send);
        published.push(publish);
        ratios.push(send / publish);
    }
    // The first round warms up.
    let of = |figures: &[f64]| median(&figures[1..]);
    Report::figure("publish to its Ok, p50", &format!("{:.0} µs", of(&published)));
    Report::figure("Send to its verdict, p50", &format!("{:.0} µs", of(&sent)));
    // Without a command around it: what an operator's way there and back costs. The bound is of commands.
    Report::figure("Send, of publish", &format!("{:.2}x", of(&ratios)));
    Ok(())
}

async fn bench(station: &OperatorClient, command: WorkbenchCommand) -> Result<WorkbenchOutcome> {
    match station.command(Command::Workbench(command)).await? {
        Outcome::Workbench(outcome) => Ok(outcome),
        other => Err(format!("{other:?}").into()),
    }
}

/// Whole commands, in turn.
fn commands(data: &Path, rounds: usize, report: &mut Report) -> Result<()> {
    let clock = Clock::start();
    let json = frame_json(data)?;
    let (mut sent, mut published, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (mut sends, mut publishes) = (Vec::new(), Vec::new());
        for _ in 0..COMMANDS {
            let text = "x".repeat(TEXT_BYTES);
            let body = format!(r#"{{"type":"observation.bench.v1","payload":"{text}"}}"#);
            let began = clock.mono();
            run(data, &["publish", TOPIC, "--body", &body])?;
            publishes.push(clock.mono().since(began));
            let began = clock.mono();
            run(data, &["inject", "rmp", "--topic", TOPIC, &json])?;
            sends.push(clock.mono().since(began));
        }
        sends.sort();
        publishes.sort();
        let [send, publish] = [&sends, &publishes].map(|times| percentile_us(times, 50) / 1e3);
        sent.push(send);
        published.push(publish);
        ratios.push(send / publish);
    }
    Report::figure("the command `publish`, p50", &format!("{:.1} ms", median(&published)));
    Report::figure("the command `inject`, p50", &format!("{:.1} ms", median(&sent)));
    report.bound("the command `inject`, of `publish`", median(&ratios), Bound::AtMost(RATIO_MAX), "");
    Ok(())
}

fn frame_json(data: &Path) -> Result<String> {
    let file = data.join("frame.json");
    let text = "x".repeat(TEXT_BYTES);
    fs::write(&file, format!(r#"{{"body":{{"type":"observation.bench.v1","payload":"{text}"}}}}"#))?;
    Ok(file.to_string_lossy().into_owned())
}

/// Many frames by one command, in turn.
fn bulk(data: &Path, rounds: usize, report: &mut Report) -> Result<()> {
    let clock = Clock::start();
    let json = frame_json(data)?;
    let (mut sent, mut published, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let frames = data.join("frames.bin");
    let mut next = 1 << 51;
    for _ in 0..rounds {
        let mut all = Vec::new();
        for _ in 0..BULK {
            next += 1;
            all.extend(encode::frame(&header(&clock, next), &body()?)?);
        }
        fs::write(&frames, all)?;
        let began = clock.mono();
        run(data, &["publish", TOPIC, "--frame", &format!("@{}", frames.display())])?;
        let publish = per_s(clock.mono().since(began));
        let began = clock.mono();
        run(data, &["inject", "rmp", "--topic", TOPIC, "--count", &BULK.to_string(), &json])?;
        let send = per_s(clock.mono().since(began));
        sent.push(send);
        published.push(publish);
        ratios.push(send / publish);
    }
    Report::figure("`publish` of many frames with acks", &format!("{:.0} frames/s", median(&published)));
    Report::figure("`inject --count`", &format!("{:.0} frames/s", median(&sent)));
    report.bound("`inject --count`, of `publish`", median(&ratios), Bound::AtLeast(BULK_RATIO_MIN), "");
    Ok(())
}

fn per_s(time: Duration) -> f64 {
    number(BULK) / time.as_secs_f64()
}
