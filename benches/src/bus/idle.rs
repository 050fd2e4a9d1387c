//! What an idle connection costs in memory: the broker's resident memory before and after a thousand have
//! connected and subscribed.

use color_eyre::eyre::{Result, WrapErr, eyre};
use rl_console_benches::{server::wait_until_quiet, stats::number};

use crate::system::{Subscriber, System};

/// Resident KiB that each of so many idle connections costs a broker that was just started.
///
/// # Errors
/// The broker refuses a connection.
pub(crate) fn kib_each(system: &dyn System, connections: usize) -> Result<f64> {
    let resident = || system.tree().resident_kib().ok_or_else(|| eyre!("the broker is gone"));
    wait_until_quiet(&[system.tree()]);
    let before = resident()?;
    let idle: Vec<Subscriber> = (0..connections)
        .map(|at| system.subscriber(&format!("idle/{at}"), 0).wrap_err_with(|| format!("connection {at}")))
        .collect::<Result<_>>()?;
    wait_until_quiet(&[system.tree()]);
    let after = resident()?;
    drop(idle);
    Ok(number(usize::try_from(after.saturating_sub(before))?) / number(connections))
}
