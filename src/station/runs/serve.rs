//! Starts the runs and ends them, and carries to them what the bus hears.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Weak},
    thread::JoinHandle,
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    runtime::Runtime,
    sync::{mpsc, oneshot},
};

use super::{
    handle::{Runs, RunsChannels},
    library::Folder,
    runs_bus::RunsBus,
};
use crate::{
    ids::TraceId,
    rmp::{self, Kind, SchemaId, broker::UnreadRequest, host::BusEvent, topic::CTRL},
    runs::{
        Asker, AskerKind,
        engine::{self, TTL_MS},
        host::{BusInput, Incoming, Request, Setup, run},
        payload::{refusal, variant_of},
    },
    station::{config::Config, host, host_thread, local::Inner, mplp::RunsRecords},
    store::{
        self,
        op::{Class, Op},
        runs::{AnswerRow, RunOp},
    },
    tap::entry::{Link, station::Transition},
};

/// How long the runs may take to end.
const STOP_MAX: Duration = Duration::from_millis(500);
/// How long an answer of a control plane that is down waits for being kept.
const STORE_ANSWER_MAX: Duration = Duration::from_millis(500);
/// Why such a request is rejected.
const DOWN: &str =
    "the control plane is down: restart it with `rl-console host restart runs`, or see `rl-console doctor`";

/// Runs that are served.
#[derive(Debug)]
pub(super) struct Serving {
    thread: JoinHandle<()>,
    requests: mpsc::Sender<Request>,
}

impl host::Serving for Serving {
    /// Ends them. What has not ended is ended as failed by the next start.
    fn stop(self: Box<Self>, inner: &Inner, runtime: &Runtime) {
        inner.hosts.runs.set(None);
        let stop = |answer| Request::Stop { answer };
        host_thread::stop(self.thread, &self.requests, stop, runtime, STOP_MAX);
    }

    fn clear(self: Box<Self>) {
        let _ = self.thread.join();
    }
}

/// Starts the runs on their thread. Why that is not possible is said on every screen, and the station goes on
/// without them.
pub(super) fn start(runs: &Runs, inner: &Arc<Inner>, config: &Config) -> Result<Serving, String> {
    let limits = config.limits;
    let (requests, asked) = mpsc::channel(usize::try_from(limits.port.commands_max).unwrap_or(1));
    let (heard, hearing) = mpsc::channel(usize::try_from(limits.rmp.heard_max).unwrap_or(1));
    let weak = Arc::downgrade(inner);
    // The bridge that is started again opens the store anew.
    let store = move || Some(weak.upgrade()?.hosts.running()?.store.clone());
    let setup = Setup {
        settings: engine::Settings {
            limits: limits.runs,
            timeout_ms: config.run_timeout_ms,
            agents_cancel: config.agents_cancel,
            body_bytes_max: limits.rmp.body_bytes_max,
            tells_records: config.mplp_emit,
        },
        tap: inner.tap.clone(),
        clock: inner.clock,
        store: Box::new(store),
        answers_max: limits.store.control_answers_max,
        library: Box::new(Folder::new(&config.openings, limits.runs.yaml_bytes_max)),
        bus: Box::new(RunsBus { inner: Arc::downgrade(inner) }),
        records: Box::new(RunsRecords { inner: Arc::downgrade(inner) }),
        requests: asked,
        disk_low: inner.status.disk_low(),
    };
    runs.set(Some(RunsChannels { requests: requests.clone(), heard }));
    let thread = spawn(setup, hearing, inner).inspect_err(|why| {
        runs.set(None);
        inner.status.report(Transition::HostDown { link: Link::Runs }, why);
    })?;
    Ok(Serving { thread, requests })
}

/// The thread of the runs. A panic ends them alone, and is said on every screen.
fn spawn(
    setup: Setup,
    mut heard: mpsc::Receiver<BusInput>,
    inner: &Arc<Inner>,
) -> Result<JoinHandle<()>, String> {
    let board = inner.status.clone();
    let inner = Arc::downgrade(inner);
    board.report(Transition::HostUp { link: Link::Runs }, "");
    let of_failed = Weak::clone(&inner);
    let serve = move |runtime: &Runtime| {
        let ended = std::panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(run(setup, &mut heard))));
        // However it ended, who waits is answered.
        if let Some(inner) = inner.upgrade() {
            inner.hosts.runs.set(None);
            runtime.block_on(refuse_pending(&inner, &mut heard));
        }
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map_err(|error| error.to_string())
    };
    let failed = move |why: &str| {
        let why = format!(
            "{why}. Restart it with `rl-console host restart runs`; runs that were running are marked failed"
        );
        if let Some(inner) = of_failed.upgrade() {
            inner.hosts.runs.set(None);
        }
        board.report(Transition::HostDown { link: Link::Runs }, &why);
        tracing::error!("{why}");
    };
    host_thread::spawn("runs", serve, failed)
}

/// Carries what a bus hears to the runs, as long as that bus is there; who leaves it takes along what it has
/// open at the station.
pub(in crate::station) async fn forward(inner: Weak<Inner>, mut from: mpsc::Receiver<BusEvent>) {
    while let Some(told) = from.recv().await {
        let Some(station) = inner.upgrade() else { return };
        if let BusEvent::SessionClosed(session) = &told {
            station.operator_gone(*session);
        }
        let ways = station.hosts.runs.channels();
        // A station that stops does not wait for runs that take nothing.
        drop(station);
        let heard = match told {
            BusEvent::SessionClosed(session) => Some(BusInput::SessionOver(session)),
            BusEvent::Unread(UnreadRequest { session, msg_id }) => {
                Some(BusInput::Unread { peer: session, msg_id })
            }
            BusEvent::Message(message) => incoming(message),
        };
        let Some(heard) = heard else { continue };
        // Runs that went down meanwhile may come up again, with a way of their own.
        let not_taken = match ways {
            Some(ways) => ways.heard.send(heard).await.err().map(|error| error.0),
            None => Some(heard),
        };
        if let (Some(heard), Some(station)) = (not_taken, inner.upgrade()) {
            refuse(&station, heard).await;
        }
    }
    if let Some(ways) = inner.upgrade().and_then(|inner| inner.hosts.runs.channels()) {
        let _ = ways.heard.send(BusInput::Down).await;
    }
}

/// What a session of this kind is to the runs; the broker takes nothing of a viewer's on their topics (ruling
/// RMP 6).
pub(in crate::station) const fn asker_kind(kind: Kind) -> Option<AskerKind> {
    Some(match kind {
        Kind::Agent => AskerKind::Agent,
        Kind::Ui => AskerKind::Ui,
        Kind::Tui => AskerKind::Tui,
        Kind::Cue => AskerKind::Cue,
        Kind::Station => AskerKind::Station,
        Kind::Viewer => return None,
    })
}

fn incoming(message: rmp::host::Message) -> Option<BusInput> {
    let heard = &message.inbound;
    let kind = asker_kind(heard.kind)?;
    Some(BusInput::Message(Incoming {
        topic: heard.topic.clone(),
        by: Asker { kind, client: Arc::clone(&heard.client) },
        session: heard.session,
        trace: heard.header.trace_id,
        expires_at: heard.expires_at,
        body: heard.body.clone(),
        room: Box::new(message),
    }))
}

/// Answers the requests that the runs left behind; what comes from here on finds no way to them.
async fn refuse_pending(inner: &Inner, heard: &mut mpsc::Receiver<BusInput>) {
    heard.close();
    while let Some(heard) = heard.recv().await {
        refuse(inner, heard).await;
    }
}

/// Answers a request of the control plane that is down: the bus took it, and its asker waits. One that was
/// answered before gets that answer; another is refused, and the answer is kept, so that the same request
/// gets it again from the runs that are started next (ruling RMP 10). One that expired on its way is not
/// answered (rmp-v0 §4).
pub(super) async fn refuse(inner: &Inner, heard: BusInput) {
    let BusInput::Message(Incoming { topic, by, trace, expires_at, body, .. }) = heard else { return };
    if topic.as_str() != CTRL {
        return;
    }
    let now = inner.clock.now();
    if now.mono >= expires_at {
        return tracing::warn!(
            "message from {} on {topic} expired before it was processed; ignored",
            by.client
        );
    }
    let Some(response) = refusal(trace, &body, DOWN) else { return };
    let mut response = Bytes::from(response.encode());
    let store = inner.running_now().map(|running| running.store.clone());
    if let Some((store, variant)) = store.zip(variant_of(&body)) {
        match answered(&store, trace, variant).await {
            Some(before) => response = before,
            None => {
                store_answer(
                    &store,
                    AnswerRow {
                        request: trace,
                        variant: variant.to_owned(),
                        body: response.clone(),
                        at: now.wall,
                    },
                )
                .await;
            }
        }
    }
    let Ok(requests) = inner.hosts.bus.requests() else { return };
    let schema_id = SchemaId::CTRL_RESP;
    let answer =
        rmp::host::Request::Publish { topic, schema_id, trace, ttl_ms: TTL_MS, body: response, report: None };
    let _ = requests.send(answer).await;
}

/// How a request was answered before; nothing where the store cannot say so in time.
async fn answered(store: &store::Handle, request: TraceId, variant: &'static str) -> Option<Bytes> {
    let (tell, told) = oneshot::channel();
    store.control_answer(request, variant, Box::new(move |found| drop(tell.send(found)))).ok()?;
    tokio::time::timeout(STORE_ANSWER_MAX, told).await.ok()?.ok()?.ok()?
}

/// Keeps an answer. A store that cannot take it leaves the request to be judged anew.
async fn store_answer(store: &store::Handle, answer: AnswerRow) {
    let (tell, told) = oneshot::channel();
    let done = Box::new(move |_| {
        let _ = tell.send(());
    });
    if store.commit(Op::Runs([RunOp::Answer(answer)].into()), Class::Process, done).is_ok() {
        let _ = tokio::time::timeout(STORE_ANSWER_MAX, told).await;
    }
}
