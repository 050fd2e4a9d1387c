//! A plugin's request and its answer.

use std::time::Duration;

use crate::{
    Result, bare,
    control::Control,
    placement::Placement,
    report::{Bound, Report, median, percentile_us},
    station::{Running, fast},
};

/// Requests of one round.
const REQUESTS: u64 = 3_000;
/// What a request may take longer than the bare echo in the middle, in µs.
const ABOVE_US: f64 = 30.0;

/// A station with one child that makes requests.
pub(crate) async fn station() -> Result<(Running, Control)> {
    let mut station = Running::start(fast()).await?;
    station.serve(&station.write_child("bench.p0")?).await?;
    let control = station.controls.accept("bench.p0").await?;
    station.up(1).await?;
    Ok((station, control))
}

/// Measures both sides in turns.
pub(crate) async fn measure(placement: Placement, rounds: usize, report: &mut Report) -> Result<()> {
    let (station, mut control) = station().await?;
    let (_folder, mut children) = bare::start(1).await?;
    let [child] = children.as_mut_slice() else { return Err("no child".into()) };
    let placed = placement.enter(&[control.pid, child.control.pid])?;
    let (mut hosted, mut plain) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let of_host = control.trips(REQUESTS).await?;
        let of_bare = child.control.trips(REQUESTS).await?;
        if round > 0 {
            hosted.push(of_host);
            plain.push(of_bare);
        }
    }
    drop(placed);
    station.stop()?;
    let of = |rounds: &[Vec<Duration>], percent| {
        median(&rounds.iter().map(|it| percentile_us(it, percent)).collect::<Vec<_>>())
    };
    let (host_p50, host_p99) = (of(&hosted, 50), of(&hosted, 99));
    let (bare_p50, bare_p99) = (of(&plain, 50), of(&plain, 99));
    let name = format!("round trip, {}", placement.name());
    let value = format!("hosted {host_p50:.1}/{host_p99:.1} µs, bare {bare_p50:.1}/{bare_p99:.1} µs");
    Report::figure(&format!("{name}: p50/p99"), &value);
    report.bound("  p50 above the bare echo's", host_p50 - bare_p50, Bound::AtMost(ABOVE_US), " µs");
    report.bound("  p99 by the bare echo's", host_p99 / bare_p99.max(0.1), Bound::AtMost(3.0), "");
    Ok(())
}
