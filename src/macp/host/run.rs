//! The runtime from its start to its end.

use std::{
    io,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64},
    },
    time::Duration,
};

use tokio::{
    net::TcpListener,
    sync::{Notify, Semaphore, oneshot},
};
use tonic::transport::Server;

use super::{
    admission::Admission,
    connections::Connections,
    generated::m_a_c_p_runtime_service_server::MACPRuntimeServiceServer,
    handle::RuntimeHandle,
    housekeeping, judge, listen,
    metrics::Counters,
    open_calls::OpenCalls,
    openers::Openers,
    service::Service,
    shared::{Shared, State},
    start::{Restored, restore},
    stream_sessions::Streams,
    trace_context::LeftOutNotices,
    unfinished::Unfinished,
    watch::SessionWatch,
};
use crate::{
    admission::Tally,
    gate::Gate,
    limits,
    macp::{Transition, proto::DESCRIPTOR},
    store::{self, StoreError, append, op::CommitError},
    tap::{Tap, entry::station::Level},
    time::Clock,
};

/// Bytes that may come of one call, and of all of a connection, before they are taken (RFC 9113 §6.9).
const STREAM_WINDOW_BYTES: u32 = 65_536;
const CONNECTION_WINDOW_BYTES: u32 = 262_144;
/// How long calls that are worked on may take at the end.
const END_MAX: Duration = Duration::from_millis(300);
/// How long a peer that does not answer is taken to be there.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));

/// Tells a person something that matters so much.
pub(super) type Tell = Box<dyn Fn(Level, &str) + Send + Sync>;
/// The way to the store; nothing while it is opened again.
pub(super) type StoreWay = Box<dyn Fn() -> Option<store::Handle> + Send + Sync>;

/// What the runtime is made of.
pub struct Setup {
    /// Where the port is; 0 takes any.
    pub addr: SocketAddr,
    /// The kernel's bounds and the host's.
    pub limits: limits::Macp,
    /// Sessions that ended and are kept in the store (`limits.store.ended_sessions_max`).
    pub ended_sessions_max: u64,
    /// The counters of who is turned away; they outlive the runtime.
    pub tally: Tally,
    /// Bytes of the logs of sessions in the store (`limits.store.ended_sessions_bytes_max`).
    pub ended_sessions_bytes_max: u64,
    /// Whether the data folder's disk is nearly full (`limits.store.disk_free_bytes_min`).
    pub disk_low: Arc<AtomicBool>,
    /// Where everything is reported.
    pub tap: Tap,
    /// The clock.
    pub clock: Clock,
    /// What may stop calls.
    pub gate: Gate,
    /// What outlives the process; nothing while it is opened again.
    pub store: StoreWay,
    /// The data folder, where the log is before it is in the store.
    pub data: PathBuf,
    /// Makes a file of the log.
    pub log: append::FileFactory,
    /// Bytes of one file of the log before the next is begun (`limits.store.journal_segment_bytes_max`).
    pub log_file_bytes_max: u64,
    /// Told which sessions of a trace change.
    pub watch: Arc<dyn SessionWatch>,
    /// What a person should read of the start; what is lost is an error.
    pub notice: Tell,
    /// Told once the port is bound, or is not: with the way to the runtime.
    pub ready: Ready,
    /// Told when the runtime is to end.
    pub stop: oneshot::Receiver<()>,
}

/// Told the way to the runtime, or why its port is not bound.
type Ready = oneshot::Sender<Result<(SocketAddr, RuntimeHandle), String>>;

/// Why the runtime does not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store cannot say what it has of earlier starts.
    #[error("{0}")]
    Store(#[from] CommitError),
    /// The log of earlier starts cannot be read.
    #[error("{0}")]
    Log(#[from] StoreError),
    /// The port cannot be bound.
    #[error("{0}")]
    Bind(io::Error),
    /// Serving failed.
    #[error("{0}")]
    Serve(String),
    /// A call failed while it held the kernel.
    #[error("internal error; please report the log")]
    Broken,
}

/// Serves until it is told to stop, or what asked for it is gone.
///
/// # Errors
/// [`RunError`].
pub async fn run(mut setup: Setup) -> Result<(), RunError> {
    let make = std::mem::replace(&mut setup.log, append::on_disk());
    let Restored { kernel, snapshot, journal, log, notices } = restore(&setup, make).await?;
    for (level, notice) in &notices {
        (setup.notice)(*level, notice);
    }
    let Setup { addr, limits, tally, tap, clock, store, notice, watch, ready, stop, .. } = setup;
    let loading_max = usize::try_from(limits.loading_max).unwrap_or(Semaphore::MAX_PERMITS);
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            kernel,
            snapshot,
            last_seq: tap.last(),
            journal,
            counters: Counters::default(),
            streams: Streams::new(),
            openers: Openers::default(),
        }),
        durable: AtomicU64::new(0),
        log: tokio::sync::Mutex::new(log),
        stored: Notify::new(),
        tap,
        clock,
        limits,
        gate: setup.gate.clone(),
        ended_sessions_max: setup.ended_sessions_max,
        ended_sessions_bytes_max: setup.ended_sessions_bytes_max,
        disk_low: setup.disk_low,
        store,
        watch,
        connections: Connections::new(&limits, tally.clone()),
        expected: Mutex::default(),
        unfinished: Unfinished::new(&limits, tally.clone()),
        calls: OpenCalls::new(&limits),
        tally,
        loading: Semaphore::new(loading_max),
        judging: Semaphore::new(judge::LOOKS_MAX),
        gate_looks: Semaphore::new(loading_max),
        left_out: LeftOutNotices::new(notice),
        long_turn: tokio::sync::Mutex::default(),
        rows_turn: tokio::sync::Mutex::default(),
        wake: Notify::new(),
        broken: Notify::new(),
    });
    let listener = listen(&shared, addr, ready).await?;
    let mut housekeeping = tokio::spawn(housekeeping::run(Arc::clone(&shared)));
    let (end, ends) = oneshot::channel::<()>();
    let serving = serve(Arc::clone(&shared), listener, ends);
    tokio::pin!(serving);
    let ended = tokio::select! {
        served = &mut serving => served,
        () = shared.broken.notified() => Err(RunError::Broken),
        // It ends before only by a fault of ours.
        _ = &mut housekeeping => Err(RunError::Broken),
        _ = stop => {
            drop(end);
            tokio::time::timeout(END_MAX, &mut serving).await.unwrap_or(Ok(()))
        }
    };
    housekeeping.abort();
    shared.end_log().await;
    ended
}

/// Binds the port and says so, or why it is not bound.
async fn listen(shared: &Arc<Shared>, addr: SocketAddr, ready: Ready) -> Result<TcpListener, RunError> {
    let bound =
        listen::bind(addr).await.and_then(|listener| listener.local_addr().map(|addr| (listener, addr)));
    match bound {
        Ok((listener, addr)) => {
            shared.emit_host_transition(Transition::Listening { addr }, "");
            let _ = ready.send(Ok((addr, RuntimeHandle { shared: Arc::clone(shared) })));
            Ok(listener)
        }
        Err(error) => {
            shared.emit_host_transition(Transition::NotListening, &error.to_string());
            let _ = ready.send(Err(error.to_string()));
            Err(RunError::Bind(error))
        }
    }
}

async fn serve(
    shared: Arc<Shared>,
    listener: TcpListener,
    ends: oneshot::Receiver<()>,
) -> Result<(), RunError> {
    let failed = |error: &dyn std::error::Error| RunError::Serve(error.to_string());
    let limits = shared.limits;
    let service = MACPRuntimeServiceServer::new(Service { shared: Arc::clone(&shared) })
        .max_decoding_message_size(shared.message_bytes_max());
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<MACPRuntimeServiceServer<Service>>().await;
    let reflection =
        || tonic_reflection::server::Builder::configure().register_encoded_file_descriptor_set(DESCRIPTOR);
    Server::builder()
        .max_concurrent_streams(Some(u32::try_from(limits.connection_calls_max).unwrap_or(u32::MAX)))
        .http2_keepalive_interval(Some(KEEPALIVE.0))
        .http2_keepalive_timeout(Some(KEEPALIVE.1))
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .add_service(Admission::new(service, &shared))
        .add_service(Admission::new(health_service, &shared))
        .add_service(Admission::new(reflection().build_v1().map_err(|error| failed(&error))?, &shared))
        .add_service(Admission::new(reflection().build_v1alpha().map_err(|error| failed(&error))?, &shared))
        .serve_with_incoming_shutdown(listen::incoming(listener, shared), async {
            let _ = ends.await;
        })
        .await
        .map_err(|error| failed(&error))
}

impl Shared {
    /// Ends the log: what was answered is in it. What is not stored in time is taken up from there at the
    /// next start.
    async fn end_log(&self) {
        let _ = self.write_out().await;
        let _ = tokio::time::timeout(END_MAX, self.rows()).await;
        if let Some((through, _)) = self.lock().map(|state| state.journal.stored_through()) {
            self.log.lock().await.end(through, self.clock.now().wall);
        }
    }

    /// Reports a change that no call made.
    pub(super) fn emit_host_transition(&self, transition: Transition, text: &str) {
        let now = self.clock.now();
        if let Some(mut state) = self.lock() {
            self.emit_transition(&mut state, now, None, transition, None, text);
        }
    }
}
