//! A runtime on a store and a disk that can be taken away from it.

use std::{
    io,
    net::SocketAddr,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use prost::Message as _;
use rl_console::{
    gate::Gate,
    limits,
    macp::{
        host::{self, Metrics, RuntimeHandle, Setup},
        proto::v1::{
            Ack, CancelSessionRequest, Envelope, GetSessionRequest, SendRequest, SessionStartPayload,
            SessionState,
        },
    },
    mpp::manifest::Pack,
    store::{
        Handle, Store,
        append::{self, Medium},
        macp::SessionFilter,
    },
    tap::Tap,
    time::Clock,
};
use tempfile::TempDir;
use tokio::{runtime::Runtime, sync::oneshot, task::JoinHandle};
use tonic::{Code, Status, transport::Endpoint};

use super::test_station::{Client, envelope};

/// What is taken away from a runtime.
#[derive(Clone, Default)]
struct StoreSwitch {
    store: Arc<AtomicBool>,
    disk: Arc<AtomicBool>,
}

/// A disk that is full now and then.
struct FillableDisk(Box<dyn Medium>, Arc<AtomicBool>);

impl Medium for FillableDisk {
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<usize> {
        if self.1.load(Ordering::SeqCst) {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            self.0.write_at(bytes, at)
        }
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)
    }
}

/// A runtime on a store and a disk of its own, that can be taken away from it.
pub(super) struct TestRuntime {
    pub(super) runtime: Runtime,
    pub(super) folder: TempDir,
    pub(super) store: Option<Store>,
    away: StoreSwitch,
    pub(super) client: Client,
    pub(super) handle: RuntimeHandle,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
    limits: limits::Macp,
    pub(super) notices: Notices,
    /// What may stop its calls.
    pub(super) gate: Gate,
}

/// What people were told.
pub(super) type Notices = Arc<Mutex<Vec<String>>>;

/// What a runtime is served with.
type Served = (SocketAddr, RuntimeHandle, oneshot::Sender<()>, JoinHandle<()>);

fn serve(
    runtime: &Runtime,
    data: &Path,
    store: &Store,
    away: &StoreSwitch,
    notices: &Notices,
    limits: limits::Macp,
    gate: &Gate,
) -> Served {
    let notices = Arc::clone(notices);
    let (handle, StoreSwitch { store: is_away, disk }) = (store.handle(), away.clone());
    let (ready, is_ready) = oneshot::channel();
    let (stop, stops) = oneshot::channel();
    let mut make = append::on_disk();
    let setup = Setup {
        addr: SocketAddr::from(([127, 0, 0, 1], 0)),
        limits,
        tally: rl_console::admission::Tally::default(),
        ended_sessions_max: 1_000,
        ended_sessions_bytes_max: 1 << 30,
        disk_low: Arc::default(),
        tap: Tap::new(limits::Tap::default()),
        gate: gate.clone(),
        clock: Clock::start(),
        store: Box::new(move || (!is_away.load(Ordering::SeqCst)).then(|| handle.clone())),
        data: data.to_owned(),
        log: Box::new(move |path| Ok(Box::new(FillableDisk(make(path)?, Arc::clone(&disk))))),
        log_file_bytes_max: 65_536,
        watch: std::sync::Arc::new(host::NobodyWatches),
        notice: Box::new(move |_, notice| notices.lock().unwrap().push(notice.to_owned())),
        ready,
        stop: stops,
    };
    let task = runtime.spawn(async { host::run(setup).await.unwrap() });
    let (addr, way) = runtime.block_on(is_ready).unwrap().unwrap();
    (addr, way, stop, task)
}

fn store(data: &Path) -> Store {
    let pack = Pack::sample();
    Store::open(data, &pack.id, &pack.hash, limits::Store::default(), Clock::start()).unwrap().0
}

fn connect(runtime: &Runtime, addr: SocketAddr) -> Client {
    Client::new(runtime.block_on(Endpoint::new(format!("http://{addr}")).unwrap().connect()).unwrap())
}

impl TestRuntime {
    pub(super) fn open(limits: limits::Macp) -> Self {
        Self::on(tempfile::tempdir().unwrap(), limits)
    }

    fn on(folder: TempDir, limits: limits::Macp) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let store = store(folder.path());
        let (away, notices) = (StoreSwitch::default(), Notices::default());
        let gate = Gate::new(limits::Gate::default(), false);
        let served = serve(&runtime, folder.path(), &store, &away, &notices, limits, &gate);
        let (addr, handle, stop, task) = served;
        let client = connect(&runtime, addr);
        Self {
            runtime,
            folder,
            store: Some(store),
            away,
            client,
            handle,
            stop: Some(stop),
            task: Some(task),
            limits,
            notices,
            gate,
        }
    }

    pub(super) fn no_store(&self, is_away: bool) {
        self.away.store.store(is_away, Ordering::SeqCst);
    }

    pub(super) fn disk_full(&self, is_full: bool) {
        self.away.disk.store(is_full, Ordering::SeqCst);
    }

    /// Another on a copy of its folder as it is now: what SIGKILL would leave.
    pub(super) fn killed(&self) -> Self {
        self.killed_before(|_| ())
    }

    /// A copy of the runtime as a kill leaves it, with something done to the copy.
    pub(super) fn killed_before(&self, meanwhile: impl FnOnce(&Path)) -> Self {
        let copy = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(self.folder.path()).unwrap() {
            let entry = entry.unwrap();
            match std::fs::copy(entry.path(), copy.path().join(entry.file_name())) {
                // A database that is being closed takes its logs away.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                copied => drop(copied.unwrap()),
            }
        }
        meanwhile(copy.path());
        Self::on(copy, self.limits)
    }

    pub(super) fn end(&mut self) {
        drop(self.stop.take());
        self.runtime.block_on(self.task.take().unwrap()).unwrap();
    }

    /// Ends the runtime and starts another on the same store, which is there again.
    pub(super) fn restart(&mut self) {
        self.restart_after(|_| ());
    }

    /// Restarts it, with something done to the database meanwhile.
    pub(super) fn restart_after(&mut self, meanwhile: impl FnOnce(&rusqlite::Connection)) {
        self.end();
        self.no_store(false);
        meanwhile(&rusqlite::Connection::open(self.folder.path().join("station.db")).unwrap());
        let (addr, way, stop, task) = serve(
            &self.runtime,
            self.folder.path(),
            self.store.as_ref().unwrap(),
            &self.away,
            &self.notices,
            self.limits,
            &self.gate,
        );
        (self.client, self.handle, self.stop, self.task) =
            (connect(&self.runtime, addr), way, Some(stop), Some(task));
    }

    /// The way to its store.
    pub(super) fn store_handle(&self) -> Handle {
        self.store.as_ref().unwrap().handle()
    }

    pub(super) fn metrics(&self) -> Metrics {
        self.handle.metrics().unwrap()
    }

    pub(super) fn try_send(&self, envelope: Envelope) -> Result<Ack, Status> {
        let mut client = self.client.clone();
        let sent = self.runtime.block_on(client.send(SendRequest { envelope: Some(envelope) }));
        sent.map(|response| response.into_inner().ack.unwrap())
    }

    pub(super) fn say(
        &self,
        session: &str,
        message_type: &str,
        id: &str,
        payload: &str,
    ) -> Result<Ack, Status> {
        self.try_send(envelope(session, message_type, id, "a", payload.to_owned()))
    }

    pub(super) fn start(&self, session: &str) -> Result<Ack, Status> {
        let payload = SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() };
        self.try_send(envelope(session, "SessionStart", "start", "a", payload.encode_to_vec()))
    }

    pub(super) fn look(&self, session: &str) -> Result<SessionState, Code> {
        let mut client = self.client.clone();
        let looked =
            self.runtime.block_on(client.get_session(GetSessionRequest { session_id: session.to_owned() }));
        looked.map(|it| it.into_inner().metadata.unwrap().state()).map_err(|status| status.code())
    }

    pub(super) fn cancel(&self, session: &str) -> Result<Ack, Code> {
        let mut client = self.client.clone();
        let request = CancelSessionRequest { session_id: session.to_owned(), reason: "enough".to_owned() };
        let cancelled = self.runtime.block_on(client.cancel_session(request));
        cancelled.map(|it| it.into_inner().ack.unwrap()).map_err(|status| status.code())
    }

    /// Messages of a session by its row in the store, once it is as it is.
    pub(super) fn messages(&self, session: &str) -> u64 {
        self.runtime.block_on(self.handle.flush());
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let filter = SessionFilter { limit: 100, ..SessionFilter::default() };
        self.store
            .as_ref()
            .unwrap()
            .handle()
            .sessions(filter, Box::new(move |page| tell.send(page).unwrap()))
            .unwrap();
        told.recv().unwrap().unwrap().rows.into_iter().find(|row| row.id == session).unwrap().messages
    }

    /// Until what was accepted is durable again.
    pub(super) fn wait_saved(&self, session: &str) {
        let come = async {
            let mut client = self.client.clone();
            while self.metrics().log_unsaved_bytes > 0 {
                // One answer after another, that the rest goes on.
                drop(client.get_session(GetSessionRequest { session_id: session.to_owned() }).await);
            }
        };
        self.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), come).await }).unwrap();
    }
}

impl Drop for TestRuntime {
    fn drop(&mut self) {
        self.no_store(false);
        self.disk_full(false);
        if self.task.is_some() {
            self.end();
        }
        if let Some(store) = self.store.take() {
            store.close().unwrap();
        }
    }
}

#[track_caller]
pub(super) fn is_unavailable(answer: Result<Ack, Status>) {
    let status = answer.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("send it again"), "{}", status.message());
}
