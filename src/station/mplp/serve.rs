//! Starts the thread of the lifecycle records and ends it.

use std::{
    sync::{Arc, Weak},
    thread::JoinHandle,
    time::Duration,
};

use tokio::{
    runtime::Runtime,
    sync::{mpsc, oneshot},
};

use super::handle::{Records, Request};
use crate::{
    ids::Seq,
    mplp::{Snapshot, Transition as Told},
    station::{config::Config, host, host_thread, local::Inner},
    tap::{
        Draft, Tap,
        entry::{Link, Transition as Any, What, station::Transition},
    },
    time::Clock,
};

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
        inner.hosts.records.set(None);
        let (answer, answered) = oneshot::channel();
        let stop = async {
            if self.requests.send(Request::Stop { answer }).await.is_ok() {
                let _ = answered.await;
            }
        };
        if runtime.block_on(async { tokio::time::timeout(STOP_MAX, stop).await }).is_ok() {
            let _ = self.thread.join();
        }
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
    records.set(Some(requests.clone()));
    let board = inner.status.clone();
    board.report(Transition::HostUp { link: Link::Mplp }, "");
    let teller = Teller::new(inner.tap.clone(), inner.clock);
    let serve = move |runtime: &Runtime| {
        runtime.block_on(run(teller, asked));
        Ok(())
    };
    let weak = Arc::downgrade(inner);
    let thread = host_thread::spawn("mplp", serve, move |why| on_failed(&weak, why)).inspect_err(|why| {
        records.set(None);
        board.report(Transition::HostDown { link: Link::Mplp }, why);
    })?;
    Ok(Serving { thread, requests })
}

fn on_failed(inner: &Weak<Inner>, why: &str) {
    let why = format!("{why}. Restart them with `rl-console host restart mplp`");
    tracing::error!("the lifecycle records: {why}");
    if let Some(inner) = inner.upgrade() {
        inner.hosts.records.set(None);
        inner.status.report(Transition::HostDown { link: Link::Mplp }, &why);
    }
}

/// What tells the tap, and keeps the state as every reader of the tap has it.
struct Teller {
    tap: Tap,
    clock: Clock,
    snapshot: Snapshot,
    last_seq: Seq,
}

impl Teller {
    fn new(tap: Tap, clock: Clock) -> Self {
        Self { last_seq: tap.last(), tap, clock, snapshot: Snapshot::default() }
    }

    fn tell(&mut self, transition: Told, text: &str, cause: Option<Seq>) {
        let at = self.clock.now();
        self.snapshot.follow(&transition, at, text);
        let trace = transition.run();
        let what = What::Transition(Any::Mplp(transition));
        self.last_seq =
            self.tap.emit(Draft { at, link: Link::Mplp, trace, cause, what, bytes: text.as_bytes() });
    }
}

/// Serves until the station stops it, or its requests end.
async fn run(mut teller: Teller, mut requests: mpsc::Receiver<Request>) {
    while let Some(request) = requests.recv().await {
        match request {
            Request::Tell { transition, text, cause, answer } => {
                teller.tell(transition, &text, cause);
                let _ = answer.send(());
            }
            Request::Snapshot { answer } => {
                let _ = answer.send((teller.last_seq, teller.snapshot.clone()));
            }
            Request::Stop { answer } => {
                let _ = answer.send(());
                return;
            }
        }
    }
}
