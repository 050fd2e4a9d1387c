//! What is left of plugins, and how soon it is seen that one has died.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use rl_console::{
    limits,
    plugin::host::process_tree,
    time::{Clock, Mono},
};
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    Result,
    processes::{is_there, simulated},
    report::{Bound, Report, median},
    station::{PROGRAM, Running},
};

/// A guard each, the plugins, and what one of them leaves behind.
const PROCESSES: usize = 7;
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Measures it so many times; the longest counts.
pub(crate) async fn measure(rounds: usize, report: &mut Report) -> Result<()> {
    let mut took: f64 = 0.0;
    for _ in 0..rounds {
        took = took.max(of_station().await?.as_secs_f64());
    }
    let what = "SIGKILL of a station to the end of its plugins' last process";
    report.bound(what, took, Bound::AtMost(2.0), " s");
    let ms = seen(rounds).await?;
    report.bound("SIGKILL of a plugin to the new state of its row", median(&ms), Bound::AtMost(100.0), " ms");
    Ok(())
}

async fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> Result<T> {
    let clock = Clock::start();
    loop {
        if let Some(found) = found() {
            return Ok(found);
        }
        if clock.mono() > Mono(0) + PATIENCE {
            return Err(format!("{what} did not come").into());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// A station with a plugin that leaves processes everywhere, and with one that does not leave.
fn start(data: &Path) -> Result<Child> {
    let plugins = data.join("plugins-to-serve");
    simulated(&plugins, "sim.forks", &["--fork", "--seed", &std::process::id().to_string()])?;
    simulated(&plugins, "sim.stays", &["--ignore-exit", "--ignore-shutdown"])?;
    let home = data.join("home");
    let station = Command::new(PROGRAM)
        .env_clear()
        .env("HOME", &home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("RL_CONSOLE_GRPC", "0")
        .args(["--data".as_ref(), data.as_os_str()])
        .args(["--port", "0", "--plugins"])
        .arg(plugins)
        .arg("serve")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(station)
}

async fn of_station() -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    let mut station = start(folder.path())?;
    let processes = until("the plugins", || {
        let found = process_tree::descendants(station.id());
        (found.len() >= PROCESSES).then_some(found)
    })
    .await;
    let clock = Clock::start();
    let began = clock.mono();
    station.kill()?;
    station.wait()?;
    let processes = processes?;
    until("the end of all", || (!processes.iter().any(|it| is_there(*it))).then_some(())).await?;
    Ok(clock.mono().since(began))
}

async fn seen(rounds: usize) -> Result<Vec<f64>> {
    let mut ms = Vec::new();
    for _ in 0..rounds {
        let mut station = Running::start(limits::Plugin::default()).await?;
        station.serve(&station.write_child("bench.p0")?).await?;
        let control = station.controls.accept("bench.p0").await?;
        station.up(1).await?;
        let clock = Clock::start();
        let began = clock.mono();
        kill_process(Pid::from_raw(i32::try_from(control.pid)?).ok_or("no pid")?, Signal::KILL)?;
        while station.row("bench.p0").await?.is_some_and(|row| row.state == "up") {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        ms.push(clock.mono().since(began).as_secs_f64() * 1e3);
        station.stop()?;
    }
    Ok(ms)
}
