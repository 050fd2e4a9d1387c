//! NATS JetStream: a stream in file storage, filled with acknowledged publications, one durable pull consumer
//! with `max_ack_pending` 1, explicit acknowledgements.
//!
//! An acknowledgement is a plain one: a message without an answer. The server takes it before it hands out
//! the next item, so the next arrives only after it. Three ways to the next item: one *standing* pull of
//! many, of which the server sends one whenever none is in flight (what the client crate does by itself);
//! *together*, `+NXT`, an acknowledgement that asks for one more; *apart*, an acknowledgement and a pull of
//! one, as MPP has it. Items stay in the stream, and the consumer's state is written behind.

use std::{net::SocketAddr, path::Path, process::Command, time::Duration};

use async_nats::{
    Client,
    jetstream::{
        self, AckKind, Context,
        consumer::{AckPolicy, Consumer, pull},
        stream::{self, StorageType},
    },
};
use color_eyre::eyre::{Result, WrapErr, eyre};
use futures_util::StreamExt;
use rl_console_benches::server::{self, Server, Start, Tree};
use tokio::{runtime::Runtime, time::timeout};

use crate::{
    figures::Laps,
    subject::{Manner, Plan, READ_MAX, Subject, Variant, within},
    wire,
};

const VARIANTS: &[Variant] = &[
    Variant { name: "jetstream-1", queues: 1, manner: Manner::Standing },
    Variant { name: "jetstream-1-next", queues: 1, manner: Manner::Together },
    Variant { name: "jetstream-1-fetch", queues: 1, manner: Manner::Apart },
];

const STREAM: &str = "invocations";
const SUBJECT: &str = "q1";
const CONSUMER: &str = "adapter";
const START_MAX: Duration = Duration::from_secs(20);
/// Publications that await their acknowledgements together.
const FILL_BATCH: usize = 500;

/// A NATS server and one connection.
pub(crate) struct JetStream {
    client: Client,
    context: Context,
    runtime: Runtime,
    server: Server,
}

impl JetStream {
    /// Starts `nats-server` with its store below `folder`.
    ///
    /// # Errors
    /// It is there but does not start.
    pub(crate) fn start(folder: &Path) -> Result<Start<Self>> {
        let Some(program) = server::find("nats-server", &["/usr/sbin/nats-server"]) else {
            return Ok(Start::Missing("nats-server".to_owned()));
        };
        let addr = server::spare_addr()?;
        let mut command = Command::new(program);
        command
            .args(["--addr", "127.0.0.1", "--port", &addr.port().to_string(), "--jetstream", "--store_dir"])
            .arg(folder.join("nats"));
        let mut server = Server::start(&mut command, &folder.join("nats.log"))?;
        server.wait_for(addr, START_MAX)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let client = within(&runtime, connect(addr)).wrap_err_with(|| server.words())?;
        let context = {
            // It starts a task of its own.
            let _inside = runtime.enter();
            jetstream::new(client.clone())
        };
        Ok(Start::Running(Self { client, context, runtime, server }))
    }
}

async fn connect(addr: SocketAddr) -> Result<Client> {
    Ok(async_nats::connect(addr.to_string()).await?)
}

async fn fill(context: &Context, items: usize) -> Result<()> {
    // The stream is absent in the first round.
    let _ = context.delete_stream(STREAM).await;
    let config = stream::Config {
        name: STREAM.into(),
        subjects: vec![SUBJECT.into()],
        storage: StorageType::File,
        ..stream::Config::default()
    };
    let stream = context.create_stream(config).await?;
    let payload = wire::invocation();
    let mut left = items;
    while left > 0 {
        let batch = left.min(FILL_BATCH);
        let mut acks = Vec::with_capacity(batch);
        for _ in 0..batch {
            acks.push(context.publish(SUBJECT, payload.clone().into()).await?);
        }
        for ack in acks {
            ack.await?;
        }
        left -= batch;
    }
    let config = pull::Config {
        durable_name: Some(CONSUMER.into()),
        ack_policy: AckPolicy::Explicit,
        max_ack_pending: 1,
        ..pull::Config::default()
    };
    stream.create_consumer(config).await?;
    Ok(())
}

async fn run_standing(context: &Context, items: usize, laps: &mut Laps) -> Result<()> {
    let consumer: Consumer<pull::Config> = context.get_consumer_from_stream(CONSUMER, STREAM).await?;
    let mut messages = consumer.messages().await?;
    for _ in 0..items {
        let message = timeout(READ_MAX, messages.next())
            .await
            .wrap_err("no message came")?
            .ok_or_else(|| eyre!("the stream ended"))??;
        laps.lap(0)?;
        message.ack().await.map_err(|error| eyre!(error))?;
    }
    Ok(())
}

async fn run_one_by_one(client: &Client, manner: Manner, items: usize, laps: &mut Laps) -> Result<()> {
    let next = format!("$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{CONSUMER}");
    let inbox = client.new_inbox();
    let mut messages = client.subscribe(inbox.clone()).await?;
    client.publish_with_reply(next.clone(), inbox.clone(), "1".into()).await?;
    for left in (0..items).rev() {
        let message = timeout(READ_MAX, messages.next())
            .await
            .wrap_err("no message came")?
            .ok_or_else(|| eyre!("the subscription ended"))?;
        laps.lap(0)?;
        let settle = message.reply.ok_or_else(|| {
            eyre!("{}", message.status.map_or("no reply".to_owned(), |status| status.to_string()))
        })?;
        if left > 0 && manner == Manner::Together {
            client.publish_with_reply(settle, inbox.clone(), AckKind::Next.into()).await?;
            continue;
        }
        client.publish(settle, AckKind::Ack.into()).await?;
        if left > 0 {
            client.publish_with_reply(next.clone(), inbox.clone(), "1".into()).await?;
        }
    }
    messages.unsubscribe().await?;
    Ok(client.flush().await?)
}

impl Subject for JetStream {
    fn variants(&self) -> &'static [Variant] {
        VARIANTS
    }

    fn tree(&self) -> Tree {
        self.server.tree()
    }

    fn fill(&mut self, variant: &Variant, plan: Plan) -> Result<()> {
        within(&self.runtime, fill(&self.context, plan.per_queue(variant.queues)))
    }

    fn run(&mut self, variant: &Variant, plan: Plan, laps: &mut Laps) -> Result<()> {
        let items = plan.per_queue(variant.queues);
        match variant.manner {
            Manner::Standing => within(&self.runtime, run_standing(&self.context, items, laps)),
            manner => within(&self.runtime, run_one_by_one(&self.client, manner, items, laps)),
        }
    }
}
