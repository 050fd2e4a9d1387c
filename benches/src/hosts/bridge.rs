//! The bridge: durable cycles of one queue, from the arrival of a row to that of the next.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    sync::Arc,
    thread::JoinHandle,
    time::Duration,
};

use rl_console::{
    admission::Tally,
    gate::Gate,
    ids::EventName,
    limits,
    mpp::{
        self, Command, NewInvocation, Settings, TokenHash,
        host::{Request, Setup, run},
        manifest::Pack,
    },
    store::Store,
    tap::Tap,
    time::Clock,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    runtime::Runtime,
    sync::{mpsc, oneshot, watch},
};

use super::Host;
use crate::{Result, report::number};

const TOKEN: &str = "token";
/// Cycles of a round.
const CYCLES: u64 = 2_000;
/// Rows that are enqueued at once.
const ROWS: u64 = 100;
/// How long a line may take.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Bridge {
    adapter: BufReader<TcpStream>,
    runtime: Runtime,
    requests: mpsc::Sender<Request>,
    thread: Option<JoinHandle<()>>,
    store: Option<Store>,
    _folder: TempDir,
}

impl Bridge {
    fn say(&mut self, frames: &[Value]) -> Result<()> {
        let mut lines = Vec::new();
        for frame in frames {
            writeln!(lines, "{frame}")?;
        }
        Ok(self.adapter.get_mut().write_all(&lines)?)
    }

    /// The next line of this type.
    fn hear(&mut self, kind: &str) -> Result<Value> {
        loop {
            let mut line = String::new();
            if self.adapter.read_line(&mut line)? == 0 {
                return Err(format!("the connection is closed before {kind}").into());
            }
            let frame: Value = serde_json::from_str(&line)?;
            if frame["type"] == "protocol_error" {
                return Err(line.into());
            }
            if frame["type"] == kind {
                return Ok(frame);
            }
        }
    }

    fn enqueue(&self, count: u64) -> Result<()> {
        let row = || NewInvocation {
            event: EventName::new("heal_party"),
            params: None,
            queue: None,
            source: None,
            redemption: None,
            user: None,
            key: None,
            trace_id: None,
        };
        self.runtime.block_on(async {
            for _ in 0..count / ROWS {
                let (answer, answered) = oneshot::channel();
                let command = Command::Enqueue { rows: (0..ROWS).map(|_| row()).collect() };
                let request = Request::Command { command, cause: None, answer };
                self.requests.send(request).await.map_err(|_| "the bridge is gone")?;
                answered.await?.map_err(|refusal| format!("{refusal:?}"))?;
            }
            Ok(())
        })
    }
}

impl Host for Bridge {
    const NAME: &'static str = "the bridge, durable cycles";

    fn start(gate: Gate, tap: Tap) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let (clock, pack) = (Clock::start(), Arc::new(Pack::sample()));
        let (mut store, opened) =
            Store::open(folder.path(), &pack.id, &pack.hash, limits::Store::default(), clock)?;
        let settings = Settings {
            pack: Arc::clone(&pack),
            broadcaster_login: "bench".to_owned(),
            session_id: opened.session_id,
            token_sha256: Some(TokenHash::of(TOKEN)),
            limits: limits::Mpp::default(),
            tally: Tally::default(),
            ids: Box::new(uuid::Uuid::new_v4),
        };
        let (requests, asked) = mpsc::channel(64);
        let (bound, mut is_bound) = watch::channel(0);
        let setup = Setup {
            bind: [127, 0, 0, 1].into(),
            port: 0,
            bound,
            bridge: mpp::Bridge::new(settings, opened.restored, clock.now()),
            journal: store.journal().ok_or("the store has no journal")?,
            store: store.handle(),
            tap,
            clock,
            limits: limits::Mpp::default(),
            gate,
            requests: asked,
        };
        let host = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::spawn(move || host.block_on(run(setup)));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(is_bound.changed())?;
        let stream = TcpStream::connect(("127.0.0.1", *is_bound.borrow()))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let adapter = BufReader::new(stream);
        let mut it =
            Self { adapter, runtime, requests, thread: Some(thread), store: Some(store), _folder: folder };
        it.say(&[json!({
            "mpp": 2, "type": "hello", "pack_id": pack.id.as_str(), "manifest_hash": pack.hash.as_str(),
            "bridge_token": TOKEN,
        })])?;
        it.hear("hello_ack")?;
        it.say(&[json!({"mpp": 2, "type": "pull", "queue": "default"})])?;
        Ok(it)
    }

    fn round(&mut self) -> Result<f64> {
        self.enqueue(CYCLES)?;
        let clock = Clock::start();
        let began = clock.mono();
        for _ in 0..CYCLES {
            let id = self.hear("invocation")?["id"].clone();
            self.say(&[
                json!({"mpp": 2, "type": "applied", "id": id}),
                json!({"mpp": 2, "type": "done", "id": id}),
                json!({"mpp": 2, "type": "pull", "queue": "default"}),
            ])?;
        }
        Ok(number(CYCLES) / clock.mono().since(began).as_secs_f64())
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let (answer, answered) = oneshot::channel();
        let requests = self.requests.clone();
        self.runtime.block_on(async {
            let _ = requests.send(Request::Stop { answer }).await;
            let _ = answered.await;
        });
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if let Some(store) = self.store.take() {
            let _ = store.close();
        }
    }
}
