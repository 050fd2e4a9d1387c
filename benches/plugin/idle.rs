//! Plugins that do nothing: how soon they are up, and what they need.

use std::time::Duration;

use rl_console::{limits, plugin::Command, port, time::Clock};

use crate::{
    Result,
    placement::own_time,
    processes::{private_kib, time_of},
    report::{Bound, Report, number},
    station::Running,
};

/// Plugins that are started at one time.
const STARTED: usize = 20;
/// Plugins that do nothing.
const IDLE: usize = 50;
/// How long they are looked at: each is pinged meanwhile, and sampled several times.
const LOOKED_AT: Duration = Duration::from_secs(35);
/// How long a station and its plugins have to come to rest.
const REST: Duration = Duration::from_secs(3);

/// Measures it once.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let station = Running::start(limits::Plugin::default()).await?;
    let took = serve(&station, 0..STARTED).await?;
    report.bound(
        &format!("{STARTED} plugins, from their start to the last one up"),
        took.as_secs_f64(),
        Bound::AtMost(2.0),
        " s",
    );
    serve(&station, STARTED..IDLE).await?;
    let guards: Vec<u32> = station.up(IDLE).await?.iter().filter_map(|row| row.pid).collect();
    tokio::time::sleep(REST).await;
    let of_guards = || guards.iter().map(|guard| time_of(*guard)).sum::<Duration>();
    let (own, below) = (own_time(), of_guards());
    tokio::time::sleep(LOOKED_AT).await;
    let (own, below) = (own_time().saturating_sub(own), of_guards().saturating_sub(below));
    let percent = |time: Duration| 100.0 * time.as_secs_f64() / LOOKED_AT.as_secs_f64();
    let what = format!("station {:.3} %, guards {:.3} %", percent(own), percent(below));
    Report::figure(&format!("{IDLE} idle plugins, of one core"), &what);
    report.bound("  together", percent(own + below), Bound::AtMost(0.5), " %");
    let largest = guards.iter().map(|guard| private_kib(*guard)).max().unwrap_or_default();
    report.bound("  private pages of a guard", number(largest) / 1_024.0, Bound::AtMost(3.0), " MiB");
    station.stop()
}

/// Serves these plugins, all at one time; how long it took until the last one was up.
async fn serve(station: &Running, numbers: std::ops::Range<usize>) -> Result<Duration> {
    let count = numbers.end;
    let folders: Vec<_> =
        numbers.map(|at| station.write_child(&format!("bench.p{at}"))).collect::<Result<_>>()?;
    let clock = Clock::start();
    let began = clock.mono();
    let served: Vec<_> = folders
        .iter()
        .map(|folder| {
            let folder = folder.to_string_lossy().into_owned();
            let command = Command::Serve { folder, grant: None, command: None };
            tokio::spawn(station.port.command(port::Command::Plugin(command)))
        })
        .collect();
    for served in served {
        served.await??;
    }
    station.up(count).await?;
    Ok(clock.mono().since(began))
}
