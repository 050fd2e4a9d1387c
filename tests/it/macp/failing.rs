//! A log that cannot be written, and a store that does not take what it is given, under the runtime: nothing is said to be kept that is
//! not, what is kept is not lost, and nothing is stuck.

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
        Handle, Store,
        append::{self, Medium},
        macp::{MacpOp, SessionFilter},
        op::{Class, Op},
    },
    tap::Tap,
    time::Clock,
};
use tempfile::TempDir;
use tokio::{runtime::Runtime, sync::oneshot, task::JoinHandle};
use tonic::{Code, Status, transport::Endpoint};

use super::house::{Client, House, envelope};

/// What is taken away from a runtime.
#[derive(Clone, Default)]
struct Away {
    store: Arc<AtomicBool>,
    disk: Arc<AtomicBool>,
}

/// A disk that is full now and then.
struct Full(Box<dyn Medium>, Arc<AtomicBool>);

impl Medium for Full {
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<usize> {
        if self.1.load(Ordering::SeqCst) { Err(io::ErrorKind::StorageFull.into()) } else { self.0.write_at(bytes, at) }
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)
    }
}

/// A runtime on a store and a disk of its own, that can be taken away from it.
pub(super) struct Bare {
    pub(super) runtime: Runtime,
    folder: TempDir,
    store: Option<Store>,
    away: Away,
    pub(super) client: Client,
    way: Way,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
    limits: limits::Macp,
    notices: Notices,
}

/// What people were told.
type Notices = Arc<Mutex<Vec<String>>>;

/// What a runtime is served with.
type Served = (SocketAddr, Way, oneshot::Sender<()>, JoinHandle<()>);

fn serve(runtime: &Runtime, data: &Path, store: &Store, away: &Away, notices: &Notices, limits: limits::Macp) -> Served {
    let notices = Arc::clone(notices);
    let (handle, Away { store: is_away, disk }) = (store.handle(), away.clone());
    let (ready, is_ready) = oneshot::channel();
    let (stop, stops) = oneshot::channel();
    let mut make = append::on_disk();
    let setup = Setup {
        addr: SocketAddr::from(([127, 0, 0, 1], 0)),
        limits,
        ended_sessions_max: 1_000,
        tap: Tap::new(limits::Tap::default()),
        clock: Clock::start(),
        store: Box::new(move || (!is_away.load(Ordering::SeqCst)).then(|| handle.clone())),
        data: data.to_owned(),
        log: Box::new(move |path| Ok(Box::new(Full(make(path)?, Arc::clone(&disk))))),
        log_file_bytes_max: 65_536,
        notice: Box::new(move |notice| notices.lock().unwrap().push(notice.to_owned())),
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

impl Bare {
    pub(super) fn open(limits: limits::Macp) -> Self {
        Self::on(tempfile::tempdir().unwrap(), limits)
    }

    fn on(folder: TempDir, limits: limits::Macp) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let store = store(folder.path());
        let (away, notices) = (Away::default(), Notices::default());
        let (addr, way, stop, task) = serve(&runtime, folder.path(), &store, &away, &notices, limits);
        let client = connect(&runtime, addr);
        Self { runtime, folder, store: Some(store), away, client, way, stop: Some(stop), task: Some(task), limits, notices }
    }

    fn no_store(&self, is_away: bool) {
        self.away.store.store(is_away, Ordering::SeqCst);
    }

    fn disk_full(&self, is_full: bool) {
        self.away.disk.store(is_full, Ordering::SeqCst);
    }

    /// Another on a copy of its folder as it is now: what SIGKILL would leave.
    fn killed(&self) -> Self {
        self.killed_before(|_| ())
    }

    /// The same, with something done to the copy.
    fn killed_before(&self, meanwhile: impl FnOnce(&Path)) -> Self {
        let copy = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(self.folder.path()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
        }
        meanwhile(copy.path());
        Self::on(copy, self.limits)
    }

    fn end(&mut self) {
        drop(self.stop.take());
        self.runtime.block_on(self.task.take().unwrap()).unwrap();
    }

    /// Ends the runtime and starts another on the same store, which is there again.
    fn restart(&mut self) {
        self.restart_after(|_| ());
    }

    /// The same, with something done to the database meanwhile.
    fn restart_after(&mut self, meanwhile: impl FnOnce(&rusqlite::Connection)) {
        self.end();
        self.no_store(false);
        meanwhile(&rusqlite::Connection::open(self.folder.path().join("station.db")).unwrap());
        let (addr, way, stop, task) =
            serve(&self.runtime, self.folder.path(), self.store.as_ref().unwrap(), &self.away, &self.notices, self.limits);
        (self.client, self.way, self.stop, self.task) = (connect(&self.runtime, addr), way, Some(stop), Some(task));
    }

    /// The way to its store.
    pub(super) fn handle(&self) -> Handle {
        self.store.as_ref().unwrap().handle()
    }

    pub(super) fn figures(&self) -> Figures {
        self.way.figures().unwrap()
    }

    fn try_send(&self, envelope: Envelope) -> Result<Ack, Status> {
        let mut client = self.client.clone();
        let sent = self.runtime.block_on(client.send(SendRequest { envelope: Some(envelope) }));
        sent.map(|response| response.into_inner().ack.unwrap())
    }

    pub(super) fn say(&self, session: &str, message_type: &str, id: &str, payload: &str) -> Result<Ack, Status> {
        self.try_send(envelope(session, message_type, id, "a", payload.to_owned()))
    }

    pub(super) fn start(&self, session: &str) -> Result<Ack, Status> {
        let payload = SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() };
        self.try_send(envelope(session, "SessionStart", "start", "a", payload.encode_to_vec()))
    }

    pub(super) fn look(&self, session: &str) -> Result<SessionState, Code> {
        let mut client = self.client.clone();
        let looked = self.runtime.block_on(client.get_session(GetSessionRequest { session_id: session.to_owned() }));
        looked.map(|it| it.into_inner().metadata.unwrap().state()).map_err(|status| status.code())
    }

    pub(super) fn cancel(&self, session: &str) -> Result<Ack, Code> {
        let mut client = self.client.clone();
        let request = CancelSessionRequest { session_id: session.to_owned(), reason: "enough".to_owned() };
        let cancelled = self.runtime.block_on(client.cancel_session(request));
        cancelled.map(|it| it.into_inner().ack.unwrap()).map_err(|status| status.code())
    }

    /// Messages of a session by its row in the store, once it is as it is.
    fn messages(&self, session: &str) -> u64 {
        self.runtime.block_on(self.way.settle());
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let filter = SessionFilter { limit: 100, ..SessionFilter::default() };
        self.store.as_ref().unwrap().handle().sessions(filter, Box::new(move |page| tell.send(page).unwrap())).unwrap();
        told.recv().unwrap().unwrap().rows.into_iter().find(|row| row.id == session).unwrap().messages
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
    bare.disk_full(true);
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
    is_unavailable(bare.start("t"));
    assert!(bare.start("other").unwrap().duplicate, "its start is kept");
    bare.disk_full(false);
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
    bare.disk_full(true);
    let long = "x".repeat(3 << 20);
    is_unavailable(bare.say("s", "Unheard", "m1", &long));
    is_unavailable(bare.say("s", "Unheard", "m2", &long));
    let status = bare.say("s", "Unheard", "m3", &long).unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("limits.macp.unsaved_bytes_max"), "{}", status.message());
    bare.disk_full(false);
    bare.settled("s");
    let duplicates: Vec<_> = ["m1", "m2", "m3"].map(|id| bare.say("s", "Unheard", id, "").unwrap().duplicate).into();
    assert_eq!(duplicates, [true, true, false], "what was turned away was never there");
}

#[test]
fn a_stream_ends_with_what_cannot_be_kept_and_another_goes_on() {
    let bare = Bare::open(limits::Macp::default());
    bare.start("s").unwrap();
    bare.disk_full(true);
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
    bare.disk_full(false);
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
    bare.no_store(true);
    assert_eq!(bare.look("s"), Err(Code::Unavailable));
    assert_eq!(bare.say("s", "Vote", "m1", "").unwrap_err().code(), Code::Unavailable);
    bare.no_store(false);
    assert_eq!(bare.look("s"), Ok(SessionState::Expired));
}

#[test]
fn a_database_that_another_holds_holds_nobody_up() {
    let house = House::open();
    house.start("s", "", &SessionStartPayload::default());
    let held = rusqlite::Connection::open(house.data().join("station.db")).unwrap();
    held.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(house.say("s", "Unheard", "m1", "a", "").ok);
    held.execute_batch("ROLLBACK").unwrap();
    drop(held);
    let again = house.say("s", "Unheard", "m1", "a", "");
    assert!(again.ok && again.duplicate);
}

#[test]
fn what_the_store_has_not_got_is_in_the_log_at_the_next_start() {
    let mut bare = Bare::open(limits::Macp::default());
    bare.start("s").unwrap();
    bare.no_store(true);
    bare.start("t").unwrap();
    for n in 0..1_000 {
        assert!(bare.say("s", "Unheard", &format!("m{n}"), &"x".repeat(200)).unwrap().ok);
    }
    let logs = std::fs::read_dir(bare.folder.path()).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_str().unwrap().starts_with("sessions-")
    });
    assert!(logs.count() > 2, "one file after another");
    let mut killed = bare.killed();
    for started in ["killed", "ended in order", "stored"] {
        assert_eq!(killed.look("t"), Ok(SessionState::Open), "{started}");
        for n in [0, 1, 500, 999] {
            assert!(killed.say("s", "Unheard", &format!("m{n}"), "").unwrap().duplicate, "m{n} {started}");
        }
        killed.restart();
    }
    assert_eq!(killed.messages("s"), 1_000);
    bare.restart();
    assert!(bare.say("s", "Unheard", "m999", "").unwrap().duplicate, "what could not be stored at the end is taken up too");
    assert_eq!(bare.messages("s"), 1_000);
}

#[test]
fn a_log_that_the_store_does_not_take_is_bounded_and_goes_on_when_it_does() {
    let bare = Bare::open(limits::Macp { unsaved_bytes_max: 8 << 20, ..limits::Macp::default() });
    bare.start("s").unwrap();
    bare.no_store(true);
    let long = "x".repeat(3 << 20);
    for id in ["m1", "m2", "m3"] {
        assert!(bare.say("s", "Unheard", id, &long).unwrap().ok);
    }
    is_unavailable(bare.say("s", "Unheard", "m4", &long));
    let figures = bare.figures();
    assert!(figures.log_unstored_bytes > 9 << 20 && figures.log_failing.is_some(), "{figures:?}");
    bare.no_store(false);
    bare.settled("s");
    assert!(bare.say("s", "Unheard", "m4", "").unwrap().duplicate);
    assert_eq!(bare.messages("s"), 4);
    assert_eq!(bare.figures().log_unstored_bytes, 0);
}

#[test]
fn a_store_that_dies_with_a_segment_in_hand_loses_nothing() {
    let mut bare = Bare::open(limits::Macp::default());
    bare.start("s").unwrap();
    let handle = bare.handle();
    let nothing = || Op::Macp(MacpOp::Sessions(Vec::new()));
    let (go, gone) = std::sync::mpsc::sync_channel::<()>(1);
    handle.commit(nothing(), Class::Process, Box::new(move |_| assert!(gone.recv().is_err()))).unwrap();
    // What is answered behind this one is never answered.
    handle.commit(nothing(), Class::Process, Box::new(|_| std::panic::panic_any("on purpose"))).unwrap();
    assert!(bare.say("s", "Unheard", "m1", "").unwrap().ok);
    drop(go);
    bare.runtime.block_on(bare.way.settle());
    assert!(bare.figures().log_failing.is_some());
    bare.end();
    drop(bare.store.take());
    let killed = bare.killed();
    assert!(killed.say("s", "Unheard", "m1", "").unwrap().duplicate);
    assert_eq!(killed.messages("s"), 1);
}

#[test]
fn a_segment_that_cannot_be_read_ends_the_sessions_that_it_has_records_of_and_no_others() {
    let mut bare = Bare::open(limits::Macp::default());
    for session in ["hit", "well", "ended"] {
        bare.start(session).unwrap();
        bare.say(session, "Unheard", "m1", "").unwrap();
    }
    bare.cancel("ended").unwrap();
    // Its last message is in a segment of its own, which is damaged; a session begins in it too.
    bare.restart_after(|store| {
        let damaged = "INSERT INTO macp_segments (segment, at_ms, bytes, sessions)
                       SELECT coalesce(max(segment), 0) + 1, 5, x'ff', x'010304' FROM macp_segments";
        store.execute_batch(damaged).unwrap();
    });
    let notices = std::mem::take(&mut *bare.notices.lock().unwrap());
    let [notice] = &notices[..] else { panic!("{notices:?}") };
    assert!(notice.contains("cannot be read") && notice.ends_with("2 sessions expired for it"), "{notice}");
    for _ in 0..2 {
        assert_eq!(
            (bare.look("hit"), bare.look("well"), bare.look("ended")),
            (Ok(SessionState::Expired), Ok(SessionState::Open), Ok(SessionState::Expired))
        );
        assert!(bare.say("hit", "Unheard", "m1", "").unwrap().duplicate, "what the rest of its log has is known");
        assert_eq!(bare.say("hit", "Unheard", "m2", "").unwrap().error.unwrap().code, "SESSION_NOT_OPEN");
        assert!(bare.say("well", "Unheard", "m1", "").unwrap().duplicate);
        // Until it is sorted, and the segment is no more among the others.
        while bare.figures().log_segments > 0 {
            bare.look("well").unwrap();
        }
        bare.restart();
    }
    let handle = bare.handle();
    let (tell, told) = std::sync::mpsc::sync_channel(1);
    handle.session("hit".to_owned(), Box::new(move |row| tell.send(row).unwrap())).unwrap();
    let row = told.recv().unwrap().unwrap().unwrap();
    assert_eq!(row.ending.map(rl_console::macp::Ending::name), Some("damaged"));
    assert!(row.why.is_some_and(|why| why.contains("segment")));
}

#[test]
fn a_damaged_file_of_the_log_names_the_sessions_that_lose_records_and_ends_those_that_are_open() {
    let bare = Bare::open(limits::Macp::default());
    // What is written is in the log alone.
    bare.no_store(true);
    for session in ["hit", "well", "resolved"] {
        bare.start(session).unwrap();
        bare.say(session, "Unheard", "m1", &format!("{session} m1")).unwrap();
    }
    for session in ["hit", "well"] {
        bare.say(session, "Unheard", "m2", "").unwrap();
    }
    bare.say("resolved", "Message", "m2", "resolve").unwrap();
    let mut killed = bare.killed_before(|data| {
        let path = data.join("sessions-1.log");
        let mut bytes = std::fs::read(&path).unwrap();
        for lost in [&b"hit m1"[..], b"resolved m1"] {
            let at = bytes.windows(lost.len()).position(|it| it == lost).unwrap();
            bytes[at] ^= 1;
        }
        std::fs::write(path, bytes).unwrap();
    });
    let notices = std::mem::take(&mut *killed.notices.lock().unwrap());
    let [notice] = &notices[..] else { panic!("{notices:?}") };
    assert!(notice.contains("sessions-1.log is damaged") && notice.contains("is lost, of hit, resolved as far as"), "{notice}");
    for _ in 0..2 {
        assert_eq!(
            (killed.look("hit"), killed.look("well"), killed.look("resolved")),
            (Ok(SessionState::Expired), Ok(SessionState::Open), Ok(SessionState::Resolved)),
            "how one ended that was told of stays"
        );
        assert_eq!(killed.say("hit", "Unheard", "m1", "").unwrap().error.unwrap().code, "SESSION_NOT_OPEN", "it is lost");
        assert!(killed.say("hit", "Unheard", "m2", "").unwrap().duplicate);
        assert!(killed.say("well", "Unheard", "m1", "").unwrap().duplicate);
        killed.settled("hit");
        killed.restart();
    }
    assert!(killed.notices.lock().unwrap().is_empty(), "it is said once");
}

#[test]
fn the_number_of_a_session_whose_start_is_lost_is_given_to_no_other() {
    let bare = Bare::open(limits::Macp::default());
    bare.no_store(true);
    bare.start("well").unwrap();
    bare.start("begun").unwrap();
    bare.say("begun", "Unheard", "m1", "").unwrap();
    let mut killed = bare.killed_before(|data| {
        let path = data.join("sessions-1.log");
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(5).position(|it| it == b"begun").unwrap();
        bytes[at] ^= 1;
        std::fs::write(path, bytes).unwrap();
    });
    assert_eq!((killed.look("well"), killed.look("begun")), (Ok(SessionState::Open), Err(Code::NotFound)));
    killed.start("new").unwrap();
    killed.say("new", "Unheard", "m1", "").unwrap();
    for _ in 0..2 {
        killed.settled("new");
        killed.restart();
        assert_eq!((killed.look("well"), killed.look("new")), (Ok(SessionState::Open), Ok(SessionState::Open)));
        assert!(killed.say("new", "Unheard", "m1", "").unwrap().duplicate);
    }
}
