//! Chat messages to plugins.

use std::time::Duration;

use rl_console::{
    plugin::{Badge, ChatMessage, Command, Outcome, StreamCommand},
    port,
    time::Clock,
};
use serde::Serialize;
use tokio::task::JoinHandle;

use crate::{
    Result,
    bare::{self, Bare, Call},
    control::Control,
    placement::{Placement, own_time},
    report::{Bound, Report, median, number},
    station::{Running, fast},
};

/// Messages that are handed over at one time.
const BATCH: usize = 256;
/// Events that may wait for a plugin: none may be dropped here.
const WAITING_MAX: u64 = 1_024;
/// Batches whose outcomes may be waited for.
const IN_FLIGHT_MAX: usize = 2;
/// Messages of one round, to one plugin.
const MESSAGES: usize = 120 * BATCH;

/// The params of the event.
#[derive(Serialize)]
struct Chat<'a> {
    channel: &'a str,
    message: &'a ChatMessage,
}

/// What a round took.
#[derive(Clone, Copy, Default)]
struct Round {
    events: f64,
    took: Duration,
    processor: Duration,
}

/// Measures both sides in turns.
pub(crate) async fn measure(
    placement: Placement,
    plugins: usize,
    rounds: usize,
    report: &mut Report,
) -> Result<()> {
    let batches = MESSAGES / BATCH / if plugins == 1 { 1 } else { 4 };
    let mut station = Running::start(fast()).await?;
    let mut controls = Vec::new();
    for at in 0..plugins {
        let name = format!("bench.p{at}");
        station.serve(&station.write_child(&name)?).await?;
        controls.push(station.controls.accept(&name).await?);
    }
    station.up(plugins).await?;
    let (_folder, mut children) = bare::start(plugins).await?;
    assert_same_bytes()?;
    let of_bare = children.iter().map(|child| child.control.pid);
    let pids: Vec<u32> = controls.iter().map(|control| control.pid).chain(of_bare).collect();
    let placed = placement.enter(&pids)?;
    let (mut hosted, mut plain) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let of_host = to_host(&station, &mut controls, batches).await?;
        let of_bare = to_bare(&mut children, batches).await?;
        // The first one warms up.
        if round > 0 {
            hosted.push(of_host);
            plain.push(of_bare);
        }
    }
    drop(placed);
    station.stop()?;
    let to = if plugins == 1 { "one plugin".to_owned() } else { format!("{plugins} plugins") };
    let name = format!("events to {to}, {}", placement.name());
    tell(report, &name, &hosted, &plain);
    Ok(())
}

fn tell(report: &mut Report, name: &str, hosted: &[Round], plain: &[Round]) {
    let rates = |rounds: &[Round]| -> Vec<f64> {
        rounds.iter().map(|it| it.events / it.took.as_secs_f64()).collect()
    };
    let times = |rounds: &[Round]| -> Vec<f64> {
        rounds.iter().map(|it| it.processor.as_secs_f64() * 1e6 / it.events).collect()
    };
    let of = |values: Vec<f64>| median(&values);
    let ratios: Vec<f64> = rates(hosted).iter().zip(rates(plain)).map(|(host, bare)| host / bare).collect();
    let value = format!("{:.0}/s hosted, {:.0}/s bare", of(rates(hosted)), of(rates(plain)));
    Report::figure(name, &value);
    let value = format!("{:.2} µs hosted, {:.2} µs bare", of(times(hosted)), of(times(plain)));
    Report::figure("  processor time of this process for each", &value);
    report.bound("  share of the bare pipe's rate", median(&ratios), Bound::AtLeast(0.4), "");
}

fn message(at: usize) -> ChatMessage {
    ChatMessage {
        id: format!("0f5a9c1e-{at:04}-4c1b-9d2e-1f2a3b4c5d6e"),
        user_id: format!("{}", 100_000 + at),
        login: format!("viewer_{at}"),
        display_name: format!("Viewer_{at}"),
        color: Some("#1E90FF".to_owned()),
        badges: vec![Badge { name: "subscriber".to_owned(), version: "12".to_owned() }],
        text: "did anyone see that last jump?".to_owned(),
        is_action: false,
        msg_type: None,
        system_message: None,
        bits: None,
        ts: "2026-09-21T14:13:20Z".to_owned(),
    }
}

fn messages() -> Vec<ChatMessage> {
    (0..BATCH).map(message).collect()
}

fn call(message: &ChatMessage) -> Call<'static, Chat<'_>> {
    let params = Chat { channel: "bench", message };
    Call { jsonrpc: "2.0", id: None, method: "on_chat_message", params }
}

fn assert_same_bytes() -> Result<()> {
    let (message, bare) = (message(7), bare::frame(&call(&message(7)))?);
    let params = Chat { channel: "bench", message: &message };
    let hosted = rl_console::plugin::rpc::notification("on_chat_message", &params)?;
    if hosted == bare { Ok(()) } else { Err(format!("{hosted:?} is not {bare:?}").into()) }
}

async fn to_host(station: &Running, controls: &mut [Control], batches: usize) -> Result<Round> {
    type Handing = JoinHandle<std::result::Result<port::Outcome, port::PortError>>;
    let plugins = controls.len() as u64;
    let ready: Vec<_> = (0..batches).map(|_| messages()).collect();
    let before: Vec<u64> = controls.iter().map(|control| control.events).collect();
    let mut handing = std::collections::VecDeque::<Handing>::new();
    let (clock, processor) = (Clock::start(), own_time());
    let began = clock.mono();
    for (at, messages) in ready.into_iter().enumerate() {
        let counted = (((at + 1) * BATCH) as u64).saturating_sub(WAITING_MAX);
        for (control, before) in controls.iter_mut().zip(&before) {
            control.counted(before + counted).await?;
        }
        if handing.len() >= IN_FLIGHT_MAX {
            handed(handing.pop_front(), plugins).await?;
        }
        let command = Command::Stream(StreamCommand::Chat { messages });
        handing.push_back(tokio::spawn(station.port.command(port::Command::Plugin(command))));
    }
    while !handing.is_empty() {
        handed(handing.pop_front(), plugins).await?;
    }
    for (control, before) in controls.iter_mut().zip(&before) {
        control.counted(before + (batches * BATCH) as u64).await?;
    }
    let events = number((batches * BATCH) as u64 * plugins);
    Ok(Round { events, took: clock.mono().since(began), processor: own_time().saturating_sub(processor) })
}

/// A batch went to all of them.
async fn handed<E: std::error::Error + 'static>(
    handing: Option<JoinHandle<std::result::Result<port::Outcome, E>>>,
    plugins: u64,
) -> Result<()> {
    let Some(handing) = handing else { return Ok(()) };
    match handing.await?? {
        port::Outcome::Plugin(Outcome::Delivered { receivers }) if receivers == plugins => Ok(()),
        other => Err(format!("not delivered: {other:?}").into()),
    }
}

async fn to_bare(children: &mut [Bare], batches: usize) -> Result<Round> {
    let ready: Vec<_> = (0..batches).map(|_| messages()).collect();
    let before: Vec<u64> = children.iter().map(|child| child.control.events).collect();
    let (clock, processor) = (Clock::start(), own_time());
    let began = clock.mono();
    for message in ready.iter().flatten() {
        let frame = bare::frame(&call(message))?;
        for child in children.iter() {
            child.frames.send(frame.clone()).await?;
        }
    }
    for (child, before) in children.iter_mut().zip(&before) {
        child.control.counted(before + (batches * BATCH) as u64).await?;
    }
    let events = number((batches * BATCH * children.len()) as u64);
    Ok(Round { events, took: clock.mono().since(began), processor: own_time().saturating_sub(processor) })
}
