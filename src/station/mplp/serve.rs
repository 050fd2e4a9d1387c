//! Starts the thread of the lifecycle records and ends it.

use std::{
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread::JoinHandle,
    time::Duration,
};

use tokio::{runtime::Runtime, sync::mpsc};

use super::{
    handle::{Records, Request},
    live::Live,
    tell::{Outlet, PARTS_MAX},
};
use crate::{
    ids::Seq,
    mplp::{Snapshot, Transition as Told, lifecycle::RecordSettings},
    runs::engine::RunFeed,
    station::{config::Config, host, host_thread, local::Inner},
    tap::{
        Draft, Tap,
        entry::{Link, Transition as Any, What, station::Transition},
    },
    time::{Clock, Mono},
};

/// How long the thread rests between two turns. What runs tell waits as long, and wakes no thread each time.
const TURN_REST: Duration = Duration::from_millis(1);
/// How long the thread may take to end.
const STOP_MAX: Duration = Duration::from_millis(500);

/// Records that are served.
#[derive(Debug)]
pub(super) struct Serving {
    thread: JoinHandle<()>,
    requests: mpsc::Sender<Request>,
}

impl host::Serving for Serving {
    fn stop(self: Box<Self>, inner: &Inner, runtime: &Runtime) {
        inner.hosts.records.set(None, None);
        inner.hosts.records.kept.clear();
        let stop = |answer| Request::Stop { answer };
        host_thread::stop(self.thread, &self.requests, stop, runtime, STOP_MAX);
    }

    fn clear(self: Box<Self>) {
        let _ = self.thread.join();
    }
}

/// Starts them on their thread. Why that is not possible is said on every screen, and the station goes on
/// without them.
pub(super) fn start(records: &Records, inner: &Arc<Inner>, config: &Config) -> Result<Serving, String> {
    let requests_max = usize::try_from(config.limits.port.commands_max).unwrap_or(1);
    let (requests, asked) = mpsc::channel(requests_max);
    let route_max = usize::try_from(config.limits.mplp.route_items_max).unwrap_or(1);
    let (feeds, told) = config.mplp_emit.then(|| mpsc::channel(route_max)).unzip();
    let (counts, open_runs) = (records.counts(), records.open_runs());
    let settings = RecordSettings {
        environment: config.environment.as_str().into(),
        created_by: concat!("rl-console/", env!("CARGO_PKG_VERSION")).into(),
    };
    records.set_settings(settings.clone());
    let outlet = told.is_some().then(|| {
        let live = Live::new(settings, &config.limits, Arc::clone(&counts), Arc::clone(&open_runs));
        Outlet::new(Arc::downgrade(inner), inner.clock, live, counts, open_runs)
    });
    records.set(Some(requests.clone()), feeds);
    let board = inner.status.clone();
    board.report(Transition::HostUp { link: Link::Mplp }, "");
    let teller = Teller::new(inner.tap.clone(), inner.clock, records.shared_snapshot());
    let serve = move |runtime: &Runtime| {
        runtime.block_on(run(teller, outlet, asked, told));
        Ok(())
    };
    let weak = Arc::downgrade(inner);
    let thread = host_thread::spawn("mplp", serve, move |why| on_failed(&weak, why)).inspect_err(|why| {
        records.set(None, None);
        board.report(Transition::HostDown { link: Link::Mplp }, why);
    })?;
    Ok(Serving { thread, requests })
}

fn on_failed(inner: &Weak<Inner>, why: &str) {
    let why = format!("{why}. Restart them with `rl-console host restart mplp`");
    tracing::error!("the lifecycle records: {why}");
    if let Some(inner) = inner.upgrade() {
        inner.hosts.records.set(None, None);
        inner.status.report(Transition::HostDown { link: Link::Mplp }, &why);
    }
}

/// What tells the tap, and keeps the state as every reader of the tap has it.
pub(super) struct Teller {
    tap: Tap,
    clock: Clock,
    snapshot: Arc<Mutex<Snapshot>>,
    last_seq: Seq,
}

impl Teller {
    fn new(tap: Tap, clock: Clock, snapshot: Arc<Mutex<Snapshot>>) -> Self {
        Self { last_seq: tap.last(), tap, clock, snapshot }
    }

    fn snapshot(&self) -> MutexGuard<'_, Snapshot> {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tell(&mut self, transition: Told, text: &str, cause: Option<Seq>) {
        let at = self.clock.now();
        self.snapshot().follow(&transition, at, text);
        let trace = transition.run();
        let what = What::Transition(Any::Mplp(transition));
        self.last_seq =
            self.tap.emit(Draft { at, link: Link::Mplp, trace, cause, what, bytes: text.as_bytes() });
    }
}

/// Serves until the station stops it, or its requests end.
async fn run(
    mut teller: Teller,
    mut outlet: Option<Outlet>,
    mut requests: mpsc::Receiver<Request>,
    mut feeds: Option<mpsc::Receiver<RunFeed>>,
) {
    let mut parts = Vec::with_capacity(PARTS_MAX);
    let mut rests_until = Mono(0);
    loop {
        let request = match &mut outlet {
            None => requests.recv().await,
            Some(outlet) => {
                let is_blocked = outlet.advance(&mut teller);
                let due = outlet.until_due().filter(|_| !is_blocked);
                let (open_runs, clock) = (Arc::clone(&outlet.open_runs), outlet.clock);
                let ((from, has_unread), has_parts) = (outlet.sessions_due(), outlet.has_parts());
                let has_work = outlet.has_work() && !is_blocked;
                tokio::select! {
                    biased;
                    request = requests.recv() => request,
                    room = Outlet::room(outlet.inner()), if is_blocked => {
                        outlet.send(room);
                        continue;
                    }
                    () = tokio::time::sleep(due.unwrap_or_default()), if due.is_some() => continue,
                    () = ready(()), if has_parts && has_work => {
                        outlet.work().await;
                        continue;
                    }
                    () = told(&mut feeds, &mut parts, clock.until(rests_until)), if !is_blocked => {
                        // What comes meanwhile wakes nobody: a turn takes all of it.
                        if parts.len() < PARTS_MAX {
                            rests_until = clock.mono() + TURN_REST;
                        }
                        outlet.push(&mut parts);
                        outlet.work().await;
                        continue;
                    }
                    () = ready(()), if has_work => {
                        outlet.work().await;
                        continue;
                    }
                    () = Outlet::session_news(&open_runs, clock, from, has_unread), if !is_blocked => {
                        outlet.take_sessions();
                        continue;
                    }
                }
            }
        };
        match request {
            Some(Request::Tell { transition, text, cause, answer }) => {
                teller.tell(transition, &text, cause);
                let _ = answer.send(());
            }
            Some(Request::Snapshot { answer }) => {
                let _ = answer.send((teller.last_seq, teller.snapshot().clone()));
            }
            Some(Request::Stop { answer }) => {
                if let Some(outlet) = &mut outlet {
                    outlet.finish(feeds.take(), &mut teller).await;
                }
                let _ = answer.send(());
                return;
            }
            None => return,
        }
    }
}

/// Waits for what runs tell, a while at least; for ever once nobody tells any more.
async fn told(feeds: &mut Option<mpsc::Receiver<RunFeed>>, parts: &mut Vec<RunFeed>, rest: Duration) {
    if !rest.is_zero() {
        tokio::time::sleep(rest).await;
    }
    let taken = match feeds {
        Some(open) => open.recv_many(parts, PARTS_MAX).await,
        None => 0,
    };
    if taken == 0 {
        *feeds = None;
        std::future::pending::<()>().await;
    }
}
