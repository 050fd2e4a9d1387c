//! The highest rate without a loss: one publisher, some subscribers, each on its own connection.

use std::{
    fmt,
    time::{Duration, Instant},
};

use color_eyre::eyre::Result;
use rl_console_benches::{server, stats::number};
use serde::Serialize;

use crate::{
    drive::Drive,
    system::{System, TOPIC, Window},
};

/// A case: what is published to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Case {
    /// Subscribers that read.
    pub(crate) subscribers: usize,
    /// Bytes of one body.
    pub(crate) body_bytes: usize,
    /// Subscribers that do not read.
    pub(crate) stalled: usize,
}

/// All cases of the table.
pub(crate) const CASES: &[Case] =
    &[case(1, 128), case(4, 128), case(8, 128), case(1, 4_096), case(4, 4_096), case(8, 4_096)];

/// So many subscribers, all of which read, and bodies of so many bytes.
pub(crate) const fn case(subscribers: usize, body_bytes: usize) -> Case {
    Case { subscribers, body_bytes, stalled: 0 }
}

/// The metrics of one round without a loss.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Figures {
    /// Messages that all subscribers together received a second.
    pub(crate) delivered_per_s: f64,
    /// Messages that were published a second.
    pub(crate) published_per_s: f64,
    /// Processor time of the broker for a delivered message, ns.
    pub(crate) broker_ns: f64,
    /// Of one core, what the publisher and the subscribers took.
    pub(crate) driver_core: f64,
}

/// What came of a round.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Every subscriber received every message once.
    Figures(Figures),
    /// Not so: what went amiss. Such a round does not count.
    Lost(String),
}

impl Outcome {
    /// The metrics, if the round counts.
    pub(crate) fn metrics(&self) -> Option<Figures> {
        match self {
            Self::Figures(metrics) => Some(*metrics),
            Self::Lost(_) => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Figures(metrics) => {
                write!(f, "{:.0} delivered/s, {:.0} ns", metrics.delivered_per_s, metrics.broker_ns)
            }
            Self::Lost(why) => f.write_str(why),
        }
    }
}

/// How long a round goes on before the clock starts, and under the clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Before.
    pub(crate) warm: Duration,
    /// Under the clock.
    pub(crate) run: Duration,
}

/// One round.
///
/// # Errors
/// A connection cannot be made. What goes wrong afterwards is a loss.
pub(crate) fn round(system: &dyn System, case: Case, window: Window, span: Span) -> Result<Outcome> {
    let connect = || system.subscriber(TOPIC, case.body_bytes);
    let stalled = (0..case.stalled).map(|_| connect()).collect::<Result<Vec<_>>>()?;
    let subscribers = (0..case.subscribers).map(|_| connect()).collect::<Result<Vec<_>>>()?;
    let mut drive = Drive::new(system.publisher(case.body_bytes)?, subscribers, window)?;
    let outcome = drive_it(system, &mut drive, span);
    drop(stalled);
    Ok(match outcome {
        Ok(_) if drive.amiss() > 0 => Outcome::Lost(format!("{} messages missing or twice", drive.amiss())),
        Ok(metrics) => Outcome::Figures(metrics),
        Err(error) => Outcome::Lost(format!("{error:#}")),
    })
}

fn drive_it(system: &dyn System, drive: &mut Drive, span: Span) -> Result<Figures> {
    drive.run(Instant::now() + span.warm)?;
    let cpu = (system.tree().cpu(), server::own_cpu());
    let before = (drive.delivered(), drive.published(), Instant::now());
    drive.run(before.2 + span.run)?;
    let took = before.2.elapsed().as_secs_f64();
    let (delivered, published) = (drive.delivered() - before.0, drive.published() - before.1);
    let (broker, own) = (system.tree().cpu().saturating_sub(cpu.0), server::own_cpu().saturating_sub(cpu.1));
    drive.drain()?;
    let count = |count: u64| number(usize::try_from(count).unwrap_or(usize::MAX));
    Ok(Figures {
        delivered_per_s: count(delivered) / took,
        published_per_s: count(published) / took,
        broker_ns: broker.as_secs_f64() * 1e9 / count(delivered.max(1)),
        driver_core: own.as_secs_f64() / took,
    })
}

/// Of a system's windows the one with the highest rate without a loss: the best of four short rounds each.
/// The first, if all lose.
///
/// # Errors
/// A connection cannot be made.
pub(crate) fn best_window(system: &dyn System, case: Case, span: Span) -> Result<Window> {
    let mut best = (0.0, system.windows().first().copied().flatten());
    for _ in 0..4 {
        for window in system.windows() {
            let rate =
                round(system, case, *window, span)?.metrics().map_or(0.0, |metrics| metrics.delivered_per_s);
            if rate > best.0 {
                best = (rate, *window);
            }
        }
    }
    Ok(best.1)
}
