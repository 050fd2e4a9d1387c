//! What a million pending rows cost: the start, the memory, and the cycle beside that of a station with few
//! rows.

use std::{path::Path, time::Instant};

use color_eyre::eyre::{Result, bail, ensure, eyre};
use rl_console_benches::{paired::Files, server::wait_until_quiet};
use serde::Serialize;

use crate::{
    Options,
    figures::{Laps, Round},
    report,
    station::Station,
    subject::{Plan, Subject},
};

/// Pending rows of the small station at the start of a round.
const FEW: usize = 1_000;
/// Cycles of one round on either station: what the small one has, less the ones that warm up.
const PLAN: Plan = Plan { warm: 100, cycles: FEW - 100 };

/// Rounds of this, for each round asked for: they are short.
const TIMES: usize = 3;

/// What was found.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Scale {
    /// Pending rows.
    pub(crate) rows: usize,
    /// Seconds that enqueueing them took.
    pub(crate) enqueue_s: f64,
    /// Seconds from the start of the process to `ready`.
    pub(crate) ready_s: f64,
    /// Resident memory once it was ready, KiB.
    pub(crate) resident_ready_kib: u64,
    /// Resident memory after all rounds, KiB.
    pub(crate) resident_after_kib: u64,
    /// The medians with few rows.
    pub(crate) few: Round,
    /// The medians with many.
    pub(crate) many: Round,
}

/// Runs both stations side by side, a round on one, then on the other.
///
/// # Errors
/// The station is missing, does not start or fails.
pub(crate) fn measure(options: &Options, folder: &Path) -> Result<Scale> {
    if !options.station.is_file() {
        bail!("there is no {}", options.station.display());
    }
    let rows = options.scale_rows.max(FEW * (options.rounds * TIMES + 1));
    let mut big = Station::serve(Files::create(&options.station, &folder.join("many"))?)?;
    report::progress(&format!("enqueueing {rows} rows"));
    let from = Instant::now();
    big.files().enqueue(1, rows)?;
    let enqueue_s = from.elapsed().as_secs_f64();
    report::progress("starting again with all of them pending");
    big = Station::serve(big.stop())?;
    let pending = big.files().pending()?;
    ensure!(pending == rows, "{rows} rows were enqueued, {pending} are pending");
    let resident =
        |station: &Station| station.tree().resident_kib().ok_or_else(|| eyre!("the station is gone"));
    let (ready_s, resident_ready_kib) = (big.ready_after.as_secs_f64(), resident(&big)?);
    let mut small = Station::serve(Files::create(&options.station, &folder.join("few"))?)?;
    let (mut few, mut many) = (Vec::new(), Vec::new());
    let variant = small.variants().first().copied().ok_or_else(|| eyre!("no variant"))?;
    for round in 0..options.rounds * TIMES {
        small.fill(&variant, PLAN)?;
        wait_until_quiet(&[small.tree(), big.tree()]);
        // Who goes first changes, so that neither always finds the machine warmed up.
        let mut turns = [(&mut small, &mut few), (&mut big, &mut many)];
        if round % 2 == 1 {
            turns.reverse();
        }
        for (station, rounds) in turns {
            let mut laps = Laps::new(station.tree(), PLAN, &variant);
            station.run(&variant, PLAN, &mut laps)?;
            rounds.push(laps.round()?);
        }
    }
    let median = |rounds: &[Round]| Round::median_of(rounds).ok_or_else(|| eyre!("no round"));
    Ok(Scale {
        rows,
        enqueue_s,
        ready_s,
        resident_ready_kib,
        resident_after_kib: resident(&big)?,
        few: median(&few)?,
        many: median(&many)?,
    })
}
