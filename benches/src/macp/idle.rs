//! What an open session costs in memory while nothing happens in it.

use std::{path::Path, thread, time::Duration};

use color_eyre::eyre::{Result, eyre};
use rl_console_benches::{calls::Client, server::wait_until_quiet, stats::number};
use serde::Serialize;

use crate::{
    load::{accepted, block_on, start},
    servers::Runtime,
};

/// After this the station has written what it had to write.
const SETTLE: Duration = Duration::from_secs(5);

/// Resident memory.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Idle {
    pub(crate) sessions: usize,
    pub(crate) bytes_each: f64,
}

/// Opens so many sessions in a fresh station.
///
/// # Errors
/// The station refuses one, or is gone.
pub(crate) fn measure(program: &Path, folder: &Path, sessions: usize) -> Result<Idle> {
    let station = Runtime::station(program, folder)?;
    let resident = || station.tree().resident_kib().ok_or_else(|| eyre!("the station is gone"));
    // The tap's ring and the database's pages are full of the first ones, and no session's own.
    open(&station, "warm", sessions)?;
    let before = settled(&station, resident)?;
    open(&station, "idle", sessions)?;
    let after = settled(&station, resident)?;
    Ok(Idle {
        sessions,
        bytes_each: number(usize::try_from(after.saturating_sub(before))?) * 1024.0 / number(sessions),
    })
}

fn settled(station: &Runtime, resident: impl Fn() -> Result<u64>) -> Result<u64> {
    thread::sleep(SETTLE);
    wait_until_quiet(&[station.tree()]);
    resident()
}

fn open(station: &Runtime, name: &str, sessions: usize) -> Result<()> {
    block_on(async {
        let mut client = Client::connect(station.addr).await?;
        for number in 0..sessions {
            accepted(&client.send(start(&format!("{name} {number}"))).await?)?;
        }
        Ok(())
    })
}
