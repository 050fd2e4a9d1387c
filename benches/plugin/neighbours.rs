//! A plugin's requests beside plugins that misbehave.

use std::{sync::Arc, time::Duration};

use rl_console::{
    ids::PluginId,
    limits,
    plugin::{ChatMessage, Command, StreamCommand, host::process_tree},
    port::{self, StationPort},
};
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    Result,
    processes::simulated,
    report::{Bound, Report, median, percentile_us},
    station::Running,
};

/// Requests of one round.
const REQUESTS: u64 = 2_000;
/// How often the one that never stays is started again.
const RESTARTED_EVERY: Duration = Duration::from_millis(250);
/// How often all of them are given events.
const EVENTS_EVERY: Duration = Duration::from_millis(50);
const EVENTS: usize = 64;
/// How long misbehaviour lasts before it is measured.
const BEFORE: Duration = Duration::from_secs(1);
/// What a request may take beside them, in ms.
const P99_MS: f64 = 20.0;

/// Measures it without neighbours, and with each kind of flood among them.
pub(crate) async fn measure(rounds: usize, report: &mut Report) -> Result<()> {
    for flood in [None, Some("logs"), Some("requests"), Some("frames")] {
        let mut station = Running::start(limits::Plugin::default()).await?;
        station.serve(&station.write_child("bench.p0")?).await?;
        let mut control = station.controls.accept("bench.p0").await?;
        station.up(1).await?;
        let neighbours = match flood {
            Some(flood) => move_in(&station, flood).await?,
            None => Vec::new(),
        };
        let (mut p50, mut p99) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let took = control.trips(REQUESTS).await?;
            p50.push(percentile_us(&took, 50));
            p99.push(percentile_us(&took, 99) / 1e3);
        }
        neighbours.iter().for_each(tokio::task::JoinHandle::abort);
        station.stop()?;
        let name = flood.map_or("no neighbours".to_owned(), |it| {
            format!("a flood of {it}, a stopped plugin, one that restarts")
        });
        Report::figure(&format!("round trip, {name}: p50"), &format!("{:.1} µs", median(&p50)));
        report.bound("  p99", median(&p99), Bound::AtMost(P99_MS), " ms");
    }
    Ok(())
}

/// One that floods, one that is stopped, one that is started again and again; and events for all.
async fn move_in(station: &Running, flood: &str) -> Result<Vec<tokio::task::JoinHandle<()>>> {
    for (id, behaviour) in [("sim.flood", &["--flood", flood][..]), ("sim.stopped", &[]), ("sim.again", &[])]
    {
        station.serve(&simulated(station.folder.path(), id, behaviour)?).await?;
    }
    station.up(4).await?;
    let stopped = station.row("sim.stopped").await?.and_then(|row| row.pid).ok_or("no pid")?;
    for process in process_tree::descendants(stopped) {
        kill_process(Pid::from_raw(i32::try_from(process)?).ok_or("no pid")?, Signal::STOP)?;
    }
    let plugin = PluginId::new("sim.again");
    let again = every(&station.port, RESTARTED_EVERY, move || Command::Restart { plugin: plugin.clone() });
    let chat = || Command::Stream(StreamCommand::Chat { messages: vec![message(); EVENTS] });
    let events = every(&station.port, EVENTS_EVERY, chat);
    tokio::time::sleep(BEFORE).await;
    Ok(vec![again, events])
}

fn every(
    port: &Arc<dyn StationPort>,
    pause: Duration,
    command: impl Fn() -> Command + Send + 'static,
) -> tokio::task::JoinHandle<()> {
    let port = Arc::clone(port);
    tokio::spawn(async move {
        loop {
            // What is refused is tried again.
            let _ = port.command(port::Command::Plugin(command())).await;
            tokio::time::sleep(pause).await;
        }
    })
}

fn message() -> ChatMessage {
    ChatMessage {
        id: String::new(),
        user_id: "7".to_owned(),
        login: "viewer".to_owned(),
        display_name: "Viewer".to_owned(),
        color: None,
        badges: Vec::new(),
        text: "a message".repeat(10),
        is_action: false,
        msg_type: None,
        system_message: None,
        bits: None,
        ts: String::new(),
    }
}
