//! A store that does not take what it is given, under the runtime: nothing is said to be kept that is not, and nothing is stuck.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use prost::Message as _;
use rl_console::{
    limits,
    macp::{
        host::{self, Figures, Setup, Way},
        proto::v1::{
            Ack, CancelSessionRequest, Envelope, GetSessionRequest, SendRequest, SessionStartPayload, SessionState, StreamSessionRequest,
        },
    },
    mpp::manifest::Pack,
    store::{
        Store,
        macp::MacpOp,
        op::{Class, Op},
    },
    tap::Tap,
    time::Clock,
};
use tempfile::TempDir;
use tokio::{runtime::Runtime, sync::oneshot, task::JoinHandle};
use tonic::{Code, Status, transport::Endpoint};

use super::house::{Client, House, envelope};

/// A runtime on a store of its own, that can be taken away from it.
struct Bare {
    runtime: Runtime,
    _folder: TempDir,
    store: Option<Store>,
    is_away: Arc<AtomicBool>,
    client: Client,
    way: Way,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
    limits: limits::Macp,
}

/// What a runtime is served with.
type Served = (SocketAddr, Way, oneshot::Sender<()>, JoinHandle<()>);

fn serve(runtime: &Runtime, store: &Store, is_away: &Arc<AtomicBool>, limits: limits::Macp) -> Served {
    let (handle, is_away) = (store.handle(), Arc::clone(is_away));
    let (ready, is_ready) = oneshot::channel();
    let (stop, stops) = oneshot::channel();
    let setup = Setup {
        addr: SocketAddr::from(([127, 0, 0, 1], 0)),
        limits,
        ended_sessions_max: 1_000,
        tap: Tap::new(limits::Tap::default()),
        clock: Clock::start(),
        store: Box::new(move || (!is_away.load(Ordering::SeqCst)).then(|| handle.clone())),
        notice: Box::new(|notice| panic!("{notice}")),
        ready,
        stop: stops,
    };
    let task = runtime.spawn(async { host::run(setup).await.unwrap() });
    let (addr, way) = runtime.block_on(is_ready).unwrap().unwrap();
    (addr, way, stop, task)
}

fn connect(runtime: &Runtime, addr: SocketAddr) -> Client {
    Client::new(runtime.block_on(Endpoint::new(format!("http://{addr}")).unwrap().connect()).unwrap())
}

impl Bare {
    fn open(limits: limits::Macp) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let pack = Pack::sample();
        let (store, _) = Store::open(folder.path(), &pack.id, &pack.hash, limits::Store::default(), Clock::start()).unwrap();
        let is_away = Arc::new(AtomicBool::new(false));
        let (addr, way, stop, task) = serve(&runtime, &store, &is_away, limits);
        let client = connect(&runtime, addr);
        Self { runtime, _folder: folder, store: Some(store), is_away, client, way, stop: Some(stop), task: Some(task), limits }
    }

    fn away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }

    fn end(&mut self) {
        drop(self.stop.take());
        self.runtime.block_on(self.task.take().unwrap()).unwrap();
    }

    /// Ends the runtime and starts another on the same store.
    fn restart(&mut self) {
        self.end();
        let (addr, way, stop, task) = serve(&self.runtime, self.store.as_ref().unwrap(), &self.is_away, self.limits);
        (self.client, self.way, self.stop, self.task) = (connect(&self.runtime, addr), way, Some(stop), Some(task));
    }

    fn figures(&self) -> Figures {
        self.way.figures().unwrap()
    }

    fn try_send(&self, envelope: Envelope) -> Result<Ack, Status> {
        let mut client = self.client.clone();
        let sent = self.runtime.block_on(client.send(SendRequest { envelope: Some(envelope) }));
        sent.map(|response| response.into_inner().ack.unwrap())
    }

    fn say(&self, session: &str, message_type: &str, id: &str, payload: &str) -> Result<Ack, Status> {
        self.try_send(envelope(session, message_type, id, "a", payload.to_owned()))
    }

    fn start(&self, session: &str) -> Result<Ack, Status> {
        let payload = SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() };
        self.try_send(envelope(session, "SessionStart", "start", "a", payload.encode_to_vec()))
    }

    fn look(&self, session: &str) -> Result<SessionState, Code> {
        let mut client = self.client.clone();
        let looked = self.runtime.block_on(client.get_session(GetSessionRequest { session_id: session.to_owned() }));
        looked.map(|it| it.into_inner().metadata.unwrap().state()).map_err(|status| status.code())
    }

    fn cancel(&self, session: &str) -> Result<Ack, Code> {
        let mut client = self.client.clone();
        let request = CancelSessionRequest { session_id: session.to_owned(), reason: "enough".to_owned() };
        let cancelled = self.runtime.block_on(client.cancel_session(request));
        cancelled.map(|it| it.into_inner().ack.unwrap()).map_err(|status| status.code())
    }

    /// Until what was accepted is durable again.
    fn settled(&self, session: &str) {
        let come = async {
            let mut client = self.client.clone();
            while self.figures().log_unsaved_bytes > 0 {
                // One answer after another, that the rest goes on.
                drop(client.get_session(GetSessionRequest { session_id: session.to_owned() }).await);
            }
        };
        self.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), come).await }).unwrap();
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        self.away(false);
        if self.task.is_some() {
            self.end();
        }
        if let Some(store) = self.store.take() {
            store.close().unwrap();
        }
    }
}

#[track_caller]
fn is_unavailable(answer: Result<Ack, Status>) {
    let status = answer.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("send it again"), "{}", status.message());
}

#[test]
fn what_cannot_be_written_is_unavailable_and_counts_once_it_is() {
    let mut bare = Bare::open(limits::Macp::default());
    bare.start("s").unwrap();
    bare.start("other").unwrap();
    bare.say("s", "Proposal", "m1", r#"{"proposal_id":"p"}"#).unwrap();
    bare.away(true);
    is_unavailable(bare.say("s", "Vote", "m2", r#"{"proposal_id":"p","vote":"approve"}"#));
    is_unavailable(bare.say("s", "Vote", "m2", ""));
    is_unavailable(bare.start("t"));
    assert_eq!(bare.look("s"), Ok(SessionState::Open), "its start is kept");
    assert_eq!(bare.look("other"), Ok(SessionState::Open), "others go on");
    assert_eq!(bare.look("t"), Err(Code::Unavailable), "its start is not");
    let unversioned = |session: &str| Envelope { macp_version: "2".to_owned(), ..envelope(session, "Vote", "m3", "a", "") };
    assert_eq!(bare.try_send(unversioned("s")).unwrap().error.unwrap().code, "UNSUPPORTED_PROTOCOL_VERSION");
    assert!(bare.say("s", "Signal", "m3", "").unwrap().ok);
    for rejected in [bare.say("s", "Vote", "m3", "no json"), bare.try_send(unversioned("t"))] {
        let status = rejected.unwrap_err();
        assert_eq!(status.code(), Code::Unavailable, "it hangs on what is not kept");
        assert!(!status.message().contains("accepted"), "{}", status.message());
    }
    assert_eq!(bare.cancel("s").unwrap_err(), Code::Unavailable);
    assert_eq!(bare.look("s"), Err(Code::Unavailable), "it would tell of what is not kept");
    assert_eq!(bare.look("nowhere"), Err(Code::NotFound));
    let figures = bare.figures();
    assert!(figures.log_failing.is_some() && figures.log_commit_failures > 0 && figures.log_unsaved_bytes > 0, "{figures:?}");
    bare.away(false);
    bare.settled("s");
    let again = bare.say("s", "Vote", "m2", "").unwrap();
    assert!(again.ok && again.duplicate, "it was accepted then");
    assert_eq!(again.session_state(), SessionState::Expired, "and so was the cancellation");
    assert!(bare.start("t").unwrap().duplicate);
    let figures = bare.figures();
    assert_eq!((figures.log_failing, figures.log_unsaved_bytes), (None, 0));
    bare.restart();
    assert_eq!((bare.look("s"), bare.look("t")), (Ok(SessionState::Expired), Ok(SessionState::Open)));
    assert!(bare.say("s", "Vote", "m2", "").unwrap().duplicate);
}

#[test]
fn past_its_bound_nothing_more_is_accepted_and_nothing_is_remembered() {
    let limits = limits::Macp { unsaved_bytes_max: 8 << 20, ..limits::Macp::default() };
    let bare = Bare::open(limits);
    bare.start("s").unwrap();
    bare.away(true);
    let long = "x".repeat(3 << 20);
    is_unavailable(bare.say("s", "Unheard", "m1", &long));
    is_unavailable(bare.say("s", "Unheard", "m2", &long));
    let status = bare.say("s", "Unheard", "m3", &long).unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("limits.macp.unsaved_bytes_max"), "{}", status.message());
    bare.away(false);
    bare.settled("s");
    let duplicates: Vec<_> = ["m1", "m2", "m3"].map(|id| bare.say("s", "Unheard", id, "").unwrap().duplicate).into();
    assert_eq!(duplicates, [true, true, false], "what was turned away was never there");
}

#[test]
fn a_stream_ends_with_what_cannot_be_kept_and_another_goes_on() {
    let bare = Bare::open(limits::Macp::default());
    bare.start("s").unwrap();
    bare.away(true);
    let messages = |ids: std::ops::Range<u32>| {
        ids.map(|n| StreamSessionRequest { envelope: Some(envelope("s", "Unheard", &format!("m{n}"), "a", "")) }).collect::<Vec<_>>()
    };
    let answers = |messages: Vec<_>| {
        let mut client = bare.client.clone();
        bare.runtime.block_on(async { client.stream_session(stream::iter(messages)).await.unwrap().into_inner().collect::<Vec<_>>().await })
    };
    let refused = answers(messages(0..20));
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].as_ref().unwrap_err().code(), Code::Unavailable);
    bare.away(false);
    bare.settled("s");
    let accepted = answers(messages(0..20));
    assert!(accepted.len() == 20 && accepted.iter().all(Result::is_ok));
}

#[test]
fn a_session_that_is_in_the_store_alone_waits_for_it() {
    let bare = Bare::open(limits::Macp { closed_max: 0, closed_ms_max: 0, ..limits::Macp::default() });
    bare.start("s").unwrap();
    bare.cancel("s").unwrap();
    let mut reads = 0;
    while reads == 0 {
        bare.look("s").unwrap();
        reads = bare.figures().store_reads;
    }
    bare.away(true);
    assert_eq!(bare.look("s"), Err(Code::Unavailable));
    assert_eq!(bare.say("s", "Vote", "m1", "").unwrap_err().code(), Code::Unavailable);
    bare.away(false);
    assert_eq!(bare.look("s"), Ok(SessionState::Expired));
}

#[test]
fn a_database_that_another_holds_is_waited_for() {
    let house = House::open();
    house.start("s", "", &SessionStartPayload::default());
    let held = rusqlite::Connection::open(house.data().join("station.db")).unwrap();
    held.execute_batch("BEGIN IMMEDIATE").unwrap();
    // The store gives up after some seconds, and is asked again.
    let status = house.try_send(envelope("s", "Unheard", "m1", "a", "")).unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    held.execute_batch("ROLLBACK").unwrap();
    drop(held);
    house.until("the message", || house.session("s").is_ok());
    let again = house.say("s", "Unheard", "m1", "a", "");
    assert!(again.ok && again.duplicate);
}

#[test]
fn a_store_that_dies_with_a_segment_in_hand_keeps_nobody_waiting() {
    let mut bare = Bare::open(limits::Macp::default());
    bare.start("s").unwrap();
    let handle = bare.store.as_ref().unwrap().handle();
    let nothing = || Op::Macp(MacpOp::Sessions(Vec::new()));
    let (go, gone) = std::sync::mpsc::sync_channel::<()>(1);
    handle.commit(nothing(), Class::Process, Box::new(move |_| assert!(gone.recv().is_err()))).unwrap();
    // What is answered behind this one is never answered.
    handle.commit(nothing(), Class::Process, Box::new(|_| std::panic::panic_any("on purpose"))).unwrap();
    let mut client = bare.client.clone();
    let said = bare.runtime.spawn(async move {
        let request = SendRequest { envelope: Some(envelope("s", "Unheard", "m1", "a", "")) };
        tokio::time::timeout(Duration::from_secs(60), client.send(request))
            .await
            .map(|answer| answer.map(|it| it.into_inner().ack.unwrap()))
    });
    while bare.figures().log_unsaved_bytes == 0 {
        std::thread::yield_now();
    }
    drop(go);
    is_unavailable(bare.runtime.block_on(said).unwrap().expect("an answer"));
    bare.end();
    drop(bare.store.take());
}
