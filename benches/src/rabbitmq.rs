//! RabbitMQ: durable classic queues, persistent messages put in under publisher confirms, prefetch 1, manual
//! acknowledgements.
//!
//! The broker sends a channel's next delivery as soon as the last is acknowledged, so a cycle is one round
//! trip. Four queues are four channels of one connection. The client crate fills the queues; under the clock
//! a consumer of our own speaks the wire (see [`amqp`](crate::amqp)), with which the broker was twice as
//! fast. Acknowledgements are not confirmed and not synchronised to disk: a kill of the broker redelivers
//! what it had not written yet.

use std::{net::SocketAddr, path::Path, process::Command, time::Duration};

use color_eyre::eyre::{Result, WrapErr, bail};
use lapin::{
    BasicProperties, Connection, ConnectionProperties,
    options::{BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions, QueuePurgeOptions},
    types::FieldTable,
};
use rl_console_benches::server::{self, Server, Start, Tree};
use tokio::{runtime::Runtime, time::timeout};

use crate::{
    amqp::Consumer,
    figures::Laps,
    subject::{Manner, Plan, READ_MAX, Subject, Variant, within},
    wire,
};

const VARIANTS: &[Variant] = &[
    Variant { name: "rabbitmq-1", queues: 1, manner: Manner::Standing },
    Variant { name: "rabbitmq-4", queues: 4, manner: Manner::Standing },
];

const QUEUES: [&str; 4] = ["q1", "q2", "q3", "q4"];
const START_MAX: Duration = Duration::from_secs(90);
const TRY_AGAIN: Duration = Duration::from_millis(200);
/// Publications that await their confirms together.
const FILL_BATCH: usize = 500;
const PERSISTENT: u8 = 2;

/// A RabbitMQ node, its name server, and one connection.
pub(crate) struct RabbitMq {
    connection: Connection,
    runtime: Runtime,
    node: Server,
    addr: SocketAddr,
    _names: Server,
}

impl RabbitMq {
    /// Starts `epmd` and `rabbitmq-server`, each on ports of its own, with all their files below `folder`.
    ///
    /// # Errors
    /// They are there but do not start.
    pub(crate) fn start(folder: &Path) -> Result<Start<Self>> {
        // Debian's own /usr/sbin/rabbitmq-server wants to be root or the package's user and its folders; the
        // one below is RabbitMQ's.
        let Some(program) = server::find("rabbitmq-server", &["/usr/lib/rabbitmq/bin/rabbitmq-server"])
        else {
            return Ok(Start::Missing("rabbitmq-server".to_owned()));
        };
        let Some(epmd) = server::find("epmd", &["/usr/bin/epmd"]) else {
            return Ok(Start::Missing("epmd".to_owned()));
        };
        let dir = folder.join("rabbitmq");
        std::fs::create_dir(&dir)?;
        let names_addr = server::spare_addr()?;
        let mut command = Command::new(epmd);
        command.args(["-port", &names_addr.port().to_string(), "-address", "127.0.0.1"]);
        let mut names = Server::start(&mut command, &folder.join("epmd.log"))?;
        names.wait_for(names_addr, START_MAX)?;
        let addr = server::spare_addr()?;
        let mut node = Server::start(
            &mut node_command(&program, &dir, addr, names_addr)?,
            &folder.join("rabbitmq.log"),
        )?;
        node.wait_for(addr, START_MAX)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let connection = within(&runtime, connect(addr)).wrap_err_with(|| node.words())?;
        Ok(Start::Running(Self { connection, runtime, node, addr, _names: names }))
    }
}

fn node_command(program: &Path, dir: &Path, addr: SocketAddr, names: SocketAddr) -> Result<Command> {
    std::fs::write(dir.join("rabbitmq.conf"), format!("listeners.tcp.local = {addr}\n"))?;
    std::fs::write(dir.join("enabled_plugins"), "[].\n")?;
    std::fs::write(dir.join("env.conf"), "")?;
    let mut command = Command::new(program);
    command
        .env("HOME", dir)
        .env("ERL_EPMD_PORT", names.port().to_string())
        .env("ERL_EPMD_ADDRESS", "127.0.0.1")
        .env("RABBITMQ_NODENAME", "bench@localhost")
        .env("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1")
        .env("RABBITMQ_NODE_PORT", addr.port().to_string())
        .env("RABBITMQ_DIST_PORT", server::spare_addr()?.port().to_string())
        .env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}")
        .env("RABBITMQ_CONF_ENV_FILE", dir.join("env.conf"))
        .env("RABBITMQ_CONFIG_FILE", dir.join("rabbitmq.conf"))
        .env("RABBITMQ_ENABLED_PLUGINS_FILE", dir.join("enabled_plugins"))
        .env("RABBITMQ_MNESIA_BASE", dir.join("mnesia"))
        .env("RABBITMQ_LOG_BASE", dir.join("log"))
        .env("RABBITMQ_PID_FILE", dir.join("pid"))
        .env("RABBITMQ_GENERATED_CONFIG_DIR", dir.join("config"))
        .env("RABBITMQ_PLUGINS_EXPAND_DIR", dir.join("plugins"))
        .current_dir(dir);
    Ok(command)
}

async fn connect(addr: SocketAddr) -> Result<Connection> {
    let uri = format!("amqp://guest:guest@{addr}/%2f");
    loop {
        // The port opens before the node lets anybody in. The caller bounds how long this goes on.
        match timeout(READ_MAX, Connection::connect(&uri, ConnectionProperties::default())).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(_)) | Err(_) => tokio::time::sleep(TRY_AGAIN).await,
        }
    }
}

async fn fill(connection: &Connection, queues: &[&str], each: usize) -> Result<()> {
    let channel = connection.create_channel().await?;
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    let payload = wire::invocation();
    for queue in queues {
        channel.queue_declare((*queue).into(), QueueDeclareOptions::durable(), FieldTable::default()).await?;
        channel.queue_purge((*queue).into(), QueuePurgeOptions::default()).await?;
        let mut left = each;
        while left > 0 {
            let batch = left.min(FILL_BATCH);
            let mut confirms = Vec::with_capacity(batch);
            for _ in 0..batch {
                let persistent = BasicProperties::default().with_delivery_mode(PERSISTENT);
                let options = BasicPublishOptions::default();
                confirms.push(
                    channel
                        .basic_publish("".into(), (*queue).into(), options, payload.as_bytes(), persistent)
                        .await?,
                );
            }
            for confirm in confirms {
                if confirm.await?.is_nack() {
                    bail!("a publication was refused");
                }
            }
            left -= batch;
        }
    }
    channel.close(200, "filled".into()).await?;
    Ok(())
}

fn run(addr: SocketAddr, queues: &[&str], each: usize, laps: &mut Laps) -> Result<()> {
    let mut consumer = Consumer::connect(addr, queues)?;
    for _ in 0..each * queues.len() {
        let (channel, tag) = consumer.delivery()?;
        laps.lap(usize::from(channel) - 1)?;
        consumer.ack(channel, tag)?;
    }
    consumer.close()
}

impl Subject for RabbitMq {
    fn variants(&self) -> &'static [Variant] {
        VARIANTS
    }

    fn tree(&self) -> Tree {
        self.node.tree()
    }

    fn fill(&mut self, variant: &Variant, plan: Plan) -> Result<()> {
        let queues = &QUEUES[..variant.queues];
        within(&self.runtime, fill(&self.connection, queues, plan.per_queue(variant.queues)))
    }

    fn run(&mut self, variant: &Variant, plan: Plan, laps: &mut Laps) -> Result<()> {
        let queues = &QUEUES[..variant.queues];
        run(self.addr, queues, plan.per_queue(variant.queues), laps)
    }
}
