//! The runtime from its start to its end.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::Duration,
};

use tokio::sync::{Notify, Semaphore, oneshot, watch};
use tonic::transport::Server;

use super::{
    door::Door,
    figures::Counters,
    generated::m_a_c_p_runtime_service_server::MACPRuntimeServiceServer,
    housekeeping,
    journal::Durable,
    listen,
    service::Service,
    shared::{Shared, State, Way},
    start::{Restored, restore},
};
use crate::{
    ids::Ticket,
    limits,
    macp::{Transition, proto::DESCRIPTOR},
    store::{self, op::CommitError},
    tap::Tap,
    time::Clock,
};

/// What a message may have beside its payload.
const AROUND_PAYLOAD_BYTES: u64 = 65_536;
/// How long calls that are worked on may take at the end.
const END_MAX: Duration = Duration::from_millis(300);
/// How long a peer that does not answer is taken to be there.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));

/// What the runtime is made of.
pub struct Setup {
    /// Where the port is; 0 takes any.
    pub addr: SocketAddr,
    /// The kernel's bounds and the host's.
    pub limits: limits::Macp,
    /// Sessions that ended and are kept in the store (`limits.store.ended_sessions_max`).
    pub ended_sessions_max: u64,
    /// Where everything is reported.
    pub tap: Tap,
    /// The clock.
    pub clock: Clock,
    /// What outlives the process; nothing while it is opened again.
    pub store: Box<dyn Fn() -> Option<store::Handle> + Send + Sync>,
    /// What a person should read of the start.
    pub notice: Box<dyn Fn(&str) + Send + Sync>,
    /// Told once the port is bound, or is not: with the way to the runtime.
    pub ready: oneshot::Sender<Result<(SocketAddr, Way), String>>,
    /// Told when the runtime is to end.
    pub stop: oneshot::Receiver<()>,
}

/// Why the runtime does not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store cannot say what it has of earlier starts.
    #[error("{0}")]
    Store(#[from] CommitError),
    /// The port cannot be bound.
    #[error("{0}")]
    Bind(io::Error),
    /// Serving failed.
    #[error("{0}")]
    Serve(String),
    /// A call failed while it held the kernel.
    #[error("it failed by a fault of ours; please report the log")]
    Broken,
}

/// Serves until it is told to stop, or what asked for it is gone.
///
/// # Errors
/// [`RunError`].
pub async fn run(setup: Setup) -> Result<(), RunError> {
    let Restored { kernel, snapshot, journal, notices } = restore(&setup).await?;
    for notice in &notices {
        (setup.notice)(notice);
    }
    let Setup { addr, limits, ended_sessions_max, tap, clock, store, notice: _, ready, stop } = setup;
    let durable = Durable { through: Ticket(0), failures: 0, why: Arc::from("") };
    let shared = Arc::new_cyclic(|this| Shared {
        state: Mutex::new(State { kernel, snapshot, last_seq: tap.last(), journal, counters: Counters::default() }),
        durable: watch::Sender::new(durable),
        tap,
        clock,
        limits,
        ended_sessions_max,
        store,
        loading: Semaphore::new(usize::try_from(limits.loading_max).unwrap_or(Semaphore::MAX_PERMITS)),
        rows_turn: tokio::sync::Mutex::default(),
        is_lost: AtomicBool::new(false),
        wake: Notify::new(),
        broken: Notify::new(),
        this: this.clone(),
    });
    let bound = listen::bind(addr).await.and_then(|listener| listener.local_addr().map(|addr| (listener, addr)));
    let (listener, addr) = match bound {
        Ok(bound) => bound,
        Err(error) => {
            shared.say(Transition::NotListening, &error.to_string());
            let _ = ready.send(Err(error.to_string()));
            return Err(RunError::Bind(error));
        }
    };
    shared.say(Transition::Listening { addr }, "");
    let _ = ready.send(Ok((addr, Way { shared: Arc::clone(&shared) })));
    let mut house = tokio::spawn(housekeeping::keep(Arc::clone(&shared)));
    let (end, ends) = oneshot::channel::<()>();
    let serving = serve(Arc::clone(&shared), listener, ends);
    tokio::pin!(serving);
    let ended = tokio::select! {
        served = &mut serving => served,
        () = shared.broken.notified() => Err(RunError::Broken),
        // It ends before only by a fault of ours.
        _ = &mut house => Err(RunError::Broken),
        _ = stop => {
            drop(end);
            tokio::time::timeout(END_MAX, &mut serving).await.unwrap_or(Ok(()))
        }
    };
    house.abort();
    // What was accepted and answered is durable; what was not answered has a little longer.
    let last = shared.lock().map_or(Ticket(0), |state| state.kernel.last_ticket());
    let _ = tokio::time::timeout(END_MAX, shared.durable(last)).await;
    ended
}

async fn serve(shared: Arc<Shared>, listener: tokio::net::TcpListener, ends: oneshot::Receiver<()>) -> Result<(), RunError> {
    let failed = |error: &dyn std::error::Error| RunError::Serve(error.to_string());
    let limits = shared.limits;
    let bytes_max = usize::try_from(limits.payload_bytes_max.saturating_add(AROUND_PAYLOAD_BYTES)).unwrap_or(usize::MAX);
    let service = MACPRuntimeServiceServer::new(Service { shared: Arc::clone(&shared) }).max_decoding_message_size(bytes_max);
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<MACPRuntimeServiceServer<Service>>().await;
    let reflection = || tonic_reflection::server::Builder::configure().register_encoded_file_descriptor_set(DESCRIPTOR);
    Server::builder()
        .max_concurrent_streams(Some(u32::try_from(limits.connection_calls_max).unwrap_or(u32::MAX)))
        .http2_keepalive_interval(Some(KEEPALIVE.0))
        .http2_keepalive_timeout(Some(KEEPALIVE.1))
        .add_service(Door { service, shared })
        .add_service(health_service)
        .add_service(reflection().build_v1().map_err(|error| failed(&error))?)
        .add_service(reflection().build_v1alpha().map_err(|error| failed(&error))?)
        .serve_with_incoming_shutdown(listen::incoming(listener, limits.connections_max), async {
            let _ = ends.await;
        })
        .await
        .map_err(|error| failed(&error))
}

impl Shared {
    /// Reports a change that no call made.
    fn say(&self, transition: Transition, text: &str) {
        let now = self.clock.now();
        if let Some(mut state) = self.lock() {
            self.tell(&mut state, now, None, transition, None, text);
        }
    }
}
