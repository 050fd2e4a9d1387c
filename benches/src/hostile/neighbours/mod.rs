//! Three clients that keep to their protocols while the station is attacked. Each has work that is due again
//! and again; how long it took is counted from when it was due, so that a station that stalls does not make
//! its own figures better.

mod adapter;
mod bus;
mod caller;

use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use color_eyre::eyre::{Report, Result, eyre};
use rl_console_benches::{paired::Files, stats::percentile_us};
use serde::Serialize;

pub(crate) use self::{adapter::ROWS_PER_S, bus::fill_tap};

/// How long an answer may take; what takes longer is lost.
const ANSWER_MAX: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How long a client waits before it connects again.
const RECONNECT_AFTER: Duration = Duration::from_millis(50);

const PAUSED: u8 = 0;
const RUNNING: u8 = 1;
const ENDED: u8 = 2;

/// One client.
trait Client: Sized {
    /// # Errors
    /// The station does not take it.
    fn connect(&mut self) -> Result<()>;

    /// One piece of work, from asking to what it was done for.
    ///
    /// # Errors
    /// It was refused or did not come in time; the connection is of no use any longer.
    fn turn(&mut self) -> Result<()>;

    /// After work was done in time.
    ///
    /// # Errors
    /// As of [`turn`](Self::turn).
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What a client came to.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Tally {
    pub(crate) done: u64,
    /// Pieces of work that were refused, or did not come in time.
    pub(crate) lost: u64,
    /// Connections that the station did not take, beyond the first.
    pub(crate) not_connected: u64,
    /// The first thing that went wrong.
    pub(crate) why: Option<String>,
    #[serde(skip)]
    ns: Vec<u64>,
}

/// A client's figures of a time.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    pub(crate) name: &'static str,
    #[serde(flatten)]
    pub(crate) tally: Tally,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
}

#[derive(Default)]
struct Shared {
    phase: AtomicU8,
    /// Held while a piece of work is under way.
    tally: Mutex<Tally>,
}

impl Shared {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn phase(&self) -> u8 {
        self.phase.load(Ordering::Acquire)
    }
}

/// The three of them.
pub(crate) struct Neighbours(Vec<Started>);

impl Neighbours {
    /// Connects all of them; they do nothing yet.
    ///
    /// # Errors
    /// The station does not take one.
    pub(crate) fn connect(files: &Files, mpp: SocketAddr, rmp: &Path, macp: SocketAddr) -> Result<Self> {
        let adapter = adapter::Adapter::new(files, mpp);
        let bus = bus::Bus::new(rmp);
        let caller = caller::Caller::new(macp);
        Ok(Self(vec![
            start("adapter", adapter::EVERY, adapter)?,
            start("bus", bus::EVERY, bus)?,
            start("caller", caller::EVERY, caller)?,
        ]))
    }

    /// All begin to work, from new figures.
    pub(crate) fn run(&self) {
        for (_, shared, _) in &self.0 {
            *shared.tally() = Tally::default();
            shared.phase.store(RUNNING, Ordering::Release);
        }
    }

    /// All end what they have begun, and wait; their figures since they began.
    pub(crate) fn pause(&self) -> Vec<Figures> {
        for (_, shared, _) in &self.0 {
            shared.phase.store(PAUSED, Ordering::Release);
        }
        self.0
            .iter()
            .map(|(name, shared, _)| {
                let mut tally = std::mem::take(&mut *shared.tally());
                let mut ns = std::mem::take(&mut tally.ns);
                ns.sort_unstable();
                let ms = |percent| percentile_us(&ns, percent) / 1e3;
                Figures { name, p50_ms: ms(50), p99_ms: ms(99), max_ms: ms(100), tally }
            })
            .collect()
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        for (_, shared, _) in &self.0 {
            shared.phase.store(ENDED, Ordering::Release);
        }
        for thread in self.0.iter_mut().filter_map(|it| it.2.take()) {
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}

type Started = (&'static str, Arc<Shared>, Option<JoinHandle<()>>);

fn start<C: Client + 'static>(
    name: &'static str,
    every: Duration,
    make: impl FnOnce() -> Result<C> + Send + 'static,
) -> Result<Started> {
    let shared = Arc::new(Shared::default());
    let its = Arc::clone(&shared);
    let (tell, told) = std::sync::mpsc::sync_channel(1);
    let thread = thread::spawn(move || {
        // What it holds need not be sent to another thread.
        let client = make().and_then(|mut client| client.connect().map(|()| client));
        match client {
            Ok(client) => {
                let _ = tell.send(Ok(()));
                work(client, &its, every);
            }
            Err(error) => drop(tell.send(Err(error))),
        }
    });
    let first: Result<(), Report> = told.recv().map_err(|_| eyre!("the {name} did not start"))?;
    first.map(|()| (name, shared, Some(thread)))
}

fn work(mut client: impl Client, shared: &Shared, every: Duration) {
    let mut due = Instant::now();
    let mut is_connected = true;
    loop {
        let mut tally = shared.tally();
        match shared.phase() {
            RUNNING => {}
            PAUSED => {
                drop(tally);
                thread::sleep(LOOK_EVERY);
                due = Instant::now();
                continue;
            }
            _ => return,
        }
        let outcome = if is_connected { client.turn() } else { client.connect() };
        match outcome {
            Ok(()) if is_connected => {
                tally.done += 1;
                tally.ns.push(u64::try_from(due.elapsed().as_nanos()).unwrap_or(u64::MAX));
                due += every;
                if let Err(error) = client.settle() {
                    is_connected = false;
                    tally.why.get_or_insert(error.to_string());
                }
            }
            Ok(()) => is_connected = true,
            Err(error) => {
                let count = if is_connected { &mut tally.lost } else { &mut tally.not_connected };
                *count += 1;
                tally.why.get_or_insert(error.to_string());
                is_connected = false;
                drop(tally);
                thread::sleep(RECONNECT_AFTER);
                continue;
            }
        }
        drop(tally);
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
}
