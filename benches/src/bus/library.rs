//! The loops through each system's client crate: async-nats, and the console's own. One thread for each end,
//! each with a current-thread runtime; the window is kept as it is in [`drive`](crate::drive).

use std::{
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, WrapErr, bail, eyre};
use rl_console_benches::{
    server::{self, Tree},
    stats::number,
};
use tokio::{sync::Notify, time::timeout};

use crate::{
    rate::{Figures, Outcome, Span},
    system::{Tally, next_number},
};

/// How long a subscriber may take to be ready, and nothing may arrive while messages are on their way.
const SILENCE_MAX: Duration = Duration::from_secs(3);

/// A system by way of its client crate.
pub(crate) trait Library: Sync {
    /// As it is written in the table.
    fn name(&self) -> &'static str;

    /// The broker's processes.
    fn tree(&self) -> Tree;

    /// The windows of which the best is taken.
    fn windows(&self) -> &'static [u64];

    /// Publishes as long as [`Flow::room`] says how many.
    ///
    /// # Errors
    /// The crate's.
    fn publish(&self, flow: &Flow) -> Result<()>;

    /// Subscribes, says so to `ready`, and gives every body to [`Flow::take`] until that says that all are
    /// there.
    ///
    /// # Errors
    /// The crate's.
    fn receive(&self, flow: &Flow, ready: SyncSender<()>) -> Result<()>;
}

/// What both ends share.
pub(crate) struct Flow {
    /// The first message's number.
    pub(crate) first: u64,
    /// Bytes of a body.
    pub(crate) body_bytes: usize,
    window: u64,
    sent: AtomicU64,
    received: AtomicU64,
    amiss: AtomicU64,
    stop: AtomicBool,
    room: Notify,
}

impl Flow {
    fn new(window: u64, body_bytes: usize) -> Self {
        Self {
            first: next_number(),
            body_bytes,
            window,
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            amiss: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            room: Notify::new(),
        }
    }

    /// Waits until a quarter of the window is free and says how much is, 0 at the end. `sent` have been
    /// published.
    pub(crate) async fn room(&self, sent: u64) -> u64 {
        self.sent.store(sent, Ordering::Release);
        while !self.stop.load(Ordering::Acquire) {
            let free = self.window.saturating_sub(sent.saturating_sub(self.received.load(Ordering::Acquire)));
            if free >= self.window / 4 {
                return free;
            }
            // The subscriber wakes it; the time is for the end.
            let _ = timeout(Duration::from_millis(50), self.room.notified()).await;
        }
        0
    }

    /// The body of a message, its number in front.
    pub(crate) fn body(&self, number: u64) -> Vec<u8> {
        let mut body = vec![b'x'; self.body_bytes];
        body[..8].copy_from_slice(&number.to_le_bytes());
        body
    }

    /// A tally for [`take`](Self::take).
    pub(crate) fn tally(&self) -> Tally {
        Tally::from(self.first)
    }

    /// A body came.
    #[inline]
    pub(crate) fn take(&self, tally: &mut Tally, body: &[u8]) {
        tally.take(body);
        let received = tally.next - self.first;
        self.received.store(received, Ordering::Release);
        if received.is_multiple_of((self.window / 8).max(1)) {
            self.room.notify_one();
        }
    }

    /// Whether the publisher is done and all has come. Records what went amiss.
    pub(crate) fn is_over(&self, tally: &Tally) -> bool {
        self.amiss.store(tally.amiss, Ordering::Release);
        self.stop.load(Ordering::Acquire)
            && self.received.load(Ordering::Acquire) >= self.sent.load(Ordering::Acquire)
    }
}

/// Runs `work` on a runtime of its own.
///
/// # Errors
/// Its own, or the system refuses the runtime.
pub(crate) fn run<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// Waits for what comes next from a subscription, or nothing for as long as is worth looking for the end.
pub(crate) async fn soon<T>(next: impl Future<Output = T>) -> Option<T> {
    timeout(Duration::from_millis(100), next).await.ok()
}

/// One round to one subscriber.
///
/// # Errors
/// The subscriber does not get ready.
pub(crate) fn round(library: &dyn Library, body_bytes: usize, window: u64, span: Span) -> Result<Outcome> {
    let flow = Flow::new(window, body_bytes);
    let (ready, is_ready) = sync_channel(1);
    let began = Instant::now();
    let timed = |work: Result<()>| work.map(|()| server::own_cpu());
    thread::scope(|scope| {
        let subscriber = scope.spawn(|| timed(library.receive(&flow, ready)));
        if let Err(error) = is_ready.recv_timeout(SILENCE_MAX) {
            flow.stop.store(true, Ordering::Release);
            return Err(error).wrap_err("the subscriber is not ready");
        }
        let publisher = scope.spawn(|| timed(library.publish(&flow)));
        thread::sleep(span.warm);
        let received = || flow.received.load(Ordering::Acquire);
        let (cpu, before, from) = (library.tree().cpu(), received(), Instant::now());
        thread::sleep(span.run);
        let (delivered, took) = (received() - before, from.elapsed().as_secs_f64());
        let broker = library.tree().cpu().saturating_sub(cpu);
        flow.stop.store(true, Ordering::Release);
        flow.room.notify_one();
        let joined = publisher.join().map_err(|_| eyre!("the publisher panicked"))?;
        let own = joined
            .and_then(|own| Ok(own + subscriber.join().map_err(|_| eyre!("the subscriber panicked"))??));
        let amiss = flow.amiss.load(Ordering::Acquire);
        Ok(match own {
            Err(error) => Outcome::Lost(format!("{error:#}")),
            Ok(_) if amiss > 0 => Outcome::Lost(format!("{amiss} messages missing or twice")),
            Ok(own) => {
                let delivered = number(usize::try_from(delivered)?.max(1));
                let per_s = delivered / took;
                let driver_core = own.as_secs_f64() / began.elapsed().as_secs_f64();
                Outcome::Figures(Figures {
                    delivered_per_s: per_s,
                    published_per_s: per_s,
                    broker_ns: broker.as_secs_f64() * 1e9 / delivered,
                    driver_core,
                })
            }
        })
    })
}

/// The best window of two short rounds each.
///
/// # Errors
/// The subscriber does not get ready.
pub(crate) fn best_window(library: &dyn Library, body_bytes: usize, span: Span) -> Result<u64> {
    let mut best = (0.0, library.windows().first().copied().ok_or_else(|| eyre!("no window"))?);
    for _ in 0..2 {
        for window in library.windows() {
            let rate = round(library, body_bytes, *window, span)?
                .metrics()
                .map_or(0.0, |metrics| metrics.delivered_per_s);
            if rate > best.0 {
                best = (rate, *window);
            }
        }
    }
    Ok(best.1)
}

/// Counts silences while a subscriber waits for the end.
#[derive(Default)]
pub(crate) struct Silence(Option<Instant>);

impl Silence {
    /// Something came.
    pub(crate) fn broken(&mut self) {
        self.0 = None;
    }

    /// Nothing came again.
    ///
    /// # Errors
    /// For too long.
    pub(crate) fn goes_on(&mut self) -> Result<()> {
        if self.0.get_or_insert_with(Instant::now).elapsed() > SILENCE_MAX {
            bail!("nothing came for {} s", SILENCE_MAX.as_secs());
        }
        Ok(())
    }
}
