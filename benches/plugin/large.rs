//! Frames of 4 MiB, to a plugin and back.

use rl_console::{plugin::Command, time::Clock};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    Result,
    bare::{self, Bare, Call},
    placement::Placement,
    report::{Bound, Report, median, number},
    station::Running,
    trips,
};

/// Bytes of what is sent and comes back; with its envelope it is 4 MiB at most.
const PAD_BYTES: usize = 4 * 1_024 * 1_024 - 512;
/// Actions of one round, one behind the other.
const ACTIONS: usize = 8;
const TIMEOUT_MS: u64 = 30_000;
const ACTION: &str = "bench.echo";

#[derive(Serialize)]
struct Params<'a> {
    action: &'static str,
    args: &'a Value,
}

/// Measures both sides in turns.
pub(crate) async fn measure(placement: Placement, rounds: usize, report: &mut Report) -> Result<()> {
    let (station, control) = trips::station().await?;
    let (_folder, mut children) = bare::start(1).await?;
    let [child] = children.as_mut_slice() else { return Err("no child".into()) };
    let placed = placement.enter(&[control.pid, child.control.pid])?;
    let (mut hosted, mut plain) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let (of_host, of_bare) = (to_host(&station).await?, to_bare(child).await?);
        if round > 0 {
            hosted.push(of_host);
            plain.push(of_bare);
        }
    }
    drop(placed);
    station.stop()?;
    let ratios: Vec<f64> = hosted.iter().zip(&plain).map(|(host, bare)| host / bare).collect();
    let value = format!("{:.0} MB/s hosted, {:.0} MB/s bare", median(&hosted), median(&plain));
    Report::figure(&format!("4 MiB both ways, {}", placement.name()), &value);
    report.bound("  share of the bare pipe's rate", median(&ratios), Bound::AtLeast(0.5), "");
    Ok(())
}

fn args() -> Vec<Value> {
    (0..ACTIONS).map(|_| json!({ "pad": "x".repeat(PAD_BYTES) })).collect()
}

fn megabytes_per_s(clock: Clock, began: rl_console::time::Mono) -> f64 {
    number((2 * ACTIONS * PAD_BYTES) as u64) / 1e6 / clock.mono().since(began).as_secs_f64()
}

async fn to_host(station: &Running) -> Result<f64> {
    let (args, clock) = (args(), Clock::start());
    let began = clock.mono();
    for args in args {
        let action = ACTION.to_owned();
        station.command(Command::Invoke { action, args, plugin: None, timeout_ms: TIMEOUT_MS }).await?;
    }
    Ok(megabytes_per_s(clock, began))
}

async fn to_bare(child: &mut Bare) -> Result<f64> {
    let (args, clock) = (args(), Clock::start());
    let began = clock.mono();
    for (args, id) in args.iter().zip(1..) {
        let params = Params { action: ACTION, args };
        let call = Call { jsonrpc: "2.0", id: Some(id), method: "invoke_action", params };
        child.frames.send(bare::frame(&call)?).await?;
        child.answers.recv().await.ok_or("the child is gone")?;
    }
    Ok(megabytes_per_s(clock, began))
}
