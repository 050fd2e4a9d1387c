//! The bus: one publisher whose messages are acknowledged, and one subscriber.

use std::{
    sync::{Arc, atomic::AtomicU64},
    thread::JoinHandle,
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use rl_console::{
    admission::Tally,
    gate::Gate,
    limits,
    rmp::{
        Registry, SchemaId,
        broker::{Broker, Settings, Tokens},
        client::{Client, Hello, Message, Subscription},
        encode,
        host::{Confinement, Request, Setup, bind, run},
    },
    tap::Tap,
    time::Clock,
};
use rmpv::Value;
use tempfile::TempDir;
use tokio::{
    runtime::Runtime,
    sync::{mpsc, oneshot, watch},
};

use super::Host;
use crate::{Result, report::number};

const TOPIC: &str = "bench/gate";
/// Messages of a round.
const MESSAGES: u64 = 20_000;
/// Messages that wait for their acknowledgement at one time.
const WINDOW: usize = 64;

pub(crate) struct Bus {
    client: Client,
    messages: Subscription,
    runtime: Runtime,
    requests: mpsc::Sender<Request>,
    thread: Option<JoinHandle<()>>,
    message: Message,
    folder: TempDir,
}

/// The name of its socket in its folder.
const SOCKET: &str = "rmp.sock";

impl Bus {
    /// Has another client publish on a topic. It waits for the answer from the next round on.
    pub(crate) fn publish_beside(&self, topic: &'static str) -> Result<()> {
        let path = self.folder.path().join(SOCKET);
        let client = self.runtime.block_on(Client::connect(&path, Hello::agent("beside")))?;
        let message = self.message.clone();
        self.runtime.spawn(async move { client.publish(topic, &message).await });
        Ok(())
    }
}

impl Host for Bus {
    const NAME: &'static str = "the bus, 1:1 with acks";

    fn start(gate: Gate, tap: Tap) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let clock = Clock::start();
        let path = folder.path().join(SOCKET);
        let bound = bind(&path)?;
        let settings = Settings {
            limits: limits::Rmp::default(),
            registry: Registry::default(),
            tokens: Tokens::default(),
            server: "bench".into(),
            has_station_inbox: false,
            tally: Tally::default(),
        };
        let (requests, asked) = mpsc::channel(64);
        let setup = Setup {
            bound,
            broker: Broker::new(settings, clock.now()),
            tap,
            clock,
            limits: limits::Rmp::default(),
            gate,
            requests: asked,
            operator_requests: mpsc::channel(1).0,
            station_inbox: None,
            tap_readers: watch::channel(0).0,
            next_session: Arc::new(AtomicU64::new(1)),
            uid: rustix::process::geteuid().as_raw(),
            confinement: Confinement::none(),
        };
        let host = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::spawn(move || drop(host.block_on(run(setup))));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (client, messages) = runtime.block_on(async {
            let client = Client::connect(&path, Hello::agent("bench")).await?;
            let subscriber = Client::connect(&path, Hello::agent("subscriber")).await?;
            let messages = subscriber.subscribe(TOPIC).await?;
            Ok::<_, Box<dyn std::error::Error>>((client, messages))
        })?;
        let body = encode::body("observation.bench.v1", &Value::from("x".repeat(128)), None::<&Value>)?;
        let message = Message::new(SchemaId::OBSERVATION, body);
        Ok(Self { client, messages, runtime, requests, thread: Some(thread), message, folder })
    }

    fn round(&mut self) -> Result<f64> {
        let Self { client, messages, runtime, message, .. } = self;
        let clock = Clock::start();
        runtime.block_on(async {
            let began = clock.mono();
            let publish = stream::iter(0..MESSAGES).map(|_| client.publish(TOPIC, message));
            let publish = publish.buffer_unordered(WINDOW).for_each(|_| async {});
            let receive = async {
                let (mut received, mut batch) = (0, Vec::new());
                while received < MESSAGES {
                    received += messages.next_batch(&mut batch).await as u64;
                    batch.clear();
                }
            };
            let both = async { tokio::join!(publish, receive) };
            tokio::time::timeout(Duration::from_secs(60), both).await.map_err(|_| "messages are missing")?;
            Ok(number(MESSAGES) / clock.mono().since(began).as_secs_f64())
        })
    }
}

impl Drop for Bus {
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
    }
}
