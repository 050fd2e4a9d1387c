//! What a message costs in a session that holds few messages, and in one that holds many.

use std::{path::Path, time::Duration};

use color_eyre::eyre::Result;
use rl_console_benches::{calls::Client, server::wait_until_quiet, stats::number};
use serde::Serialize;

use crate::{
    load::{block_on, evaluation, open, stream_of},
    report::progress,
    servers::Runtime,
};

/// Evaluations that the long session holds.
pub(crate) const HELD: u64 = 100_000;
/// Evaluations that are measured.
const MEASURED: u64 = 5_000;

/// The server's processor time a message, µs.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Depth {
    pub(crate) few_us: f64,
    pub(crate) many_us: f64,
}

/// Measures so many times, one after the other, in sessions of their own.
///
/// # Errors
/// The station refuses something, or is gone.
pub(crate) fn rounds(program: &Path, folder: &Path, rounds: usize) -> Result<Vec<Depth>> {
    let station = Runtime::station(program, folder)?;
    let round = |round: usize| {
        progress(&format!("depth {} of {rounds}", round + 1));
        let few = session(&station)?;
        let few_us = add(&station, &few, "few", MEASURED)?;
        let many = session(&station)?;
        add(&station, &many, "held", HELD)?;
        Ok(Depth { few_us, many_us: add(&station, &many, "more", MEASURED)? })
    };
    (0..rounds).map(round).collect()
}

fn session(station: &Runtime) -> Result<String> {
    block_on(async { open(&mut Client::connect(station.addr).await?).await })
}

/// Streams so many evaluations, and tells what one cost.
fn add(station: &Runtime, session: &str, name: &str, count: u64) -> Result<f64> {
    wait_until_quiet(&[station.tree()]);
    let before: Duration = station.tree().cpu();
    let mut left = count;
    let is_over = |_| {
        left -= 1;
        left == 0
    };
    block_on(async {
        let mut client = Client::connect(station.addr).await?;
        stream_of(&mut client, |number| evaluation(session, &format!("{name} {number}")), is_over).await
    })?;
    let used = station.tree().cpu().saturating_sub(before);
    Ok(used.as_secs_f64() * 1e6 / number(usize::try_from(count)?))
}
