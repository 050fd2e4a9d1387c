//! Redis Streams: one consumer of one group, `XREADGROUP COUNT 1`, `XACK`; append-only file on, synchronised
//! every second.
//!
//! *Apart* is two round trips: claim, then settle. *Together* sends the `XACK` of one entry and the
//! `XREADGROUP` of the next in one pipeline, so that a cycle is one round trip, as it is over MPP. Neither
//! removes the entry from the stream; Redis syncs at most once a second, so a power loss takes up to a second
//! of acknowledgements, while a kill of the process takes none that were answered.

use std::{net::SocketAddr, path::Path, process::Command, time::Duration};

use color_eyre::eyre::{Result, bail};
use redis::{Cmd, Connection, Pipeline, cmd, pipe, streams::StreamReadReply};
use rl_console_benches::server::{self, Server, Start, Tree};

use crate::{
    figures::Laps,
    subject::{Manner, Plan, READ_MAX, ROUND_MAX, Subject, Variant},
    wire,
};

const VARIANTS: &[Variant] = &[
    Variant { name: "redis-1", queues: 1, manner: Manner::Apart },
    Variant { name: "redis-1-pipelined", queues: 1, manner: Manner::Together },
];

const STREAM: &str = "invocations";
const GROUP: &str = "adapters";
const START_MAX: Duration = Duration::from_secs(20);
/// Entries that one pipeline puts in.
const FILL_BATCH: usize = 1_000;

/// A Redis server and one connection to it.
pub(crate) struct RedisStreams {
    server: Server,
    client: Connection,
}

impl RedisStreams {
    /// Starts `redis-server` with its folder below `folder`.
    ///
    /// # Errors
    /// It is there but does not start.
    pub(crate) fn start(folder: &Path) -> Result<Start<Self>> {
        let Some(program) = server::find("redis-server", &["/usr/bin/redis-server"]) else {
            return Ok(Start::Missing("redis-server".to_owned()));
        };
        let dir = folder.join("redis");
        std::fs::create_dir(&dir)?;
        let addr = server::spare_addr()?;
        let mut command = Command::new(program);
        command.args(["--port", &addr.port().to_string(), "--bind", "127.0.0.1"]).arg("--dir").arg(&dir);
        // No snapshots and no rewrite of the log amid a round: they would cost it time, and the station has
        // its counterpart outside too.
        command.args([
            "--appendonly",
            "yes",
            "--appendfsync",
            "everysec",
            "--save",
            "",
            "--auto-aof-rewrite-percentage",
            "0",
        ]);
        let mut server = Server::start(&mut command, &folder.join("redis.log"))?;
        server.wait_for(addr, START_MAX)?;
        Ok(Start::Running(Self { client: connect(addr)?, server }))
    }
}

fn connect(addr: SocketAddr) -> Result<Connection> {
    let client = redis::Client::open(format!("redis://{addr}/"))?.get_connection_with_timeout(START_MAX)?;
    client.set_read_timeout(Some(READ_MAX))?;
    client.set_write_timeout(Some(READ_MAX))?;
    Ok(client)
}

fn claim() -> Cmd {
    let mut claim = cmd("XREADGROUP");
    claim.arg("GROUP").arg(GROUP).arg("bench").arg("COUNT").arg(1).arg("STREAMS").arg(STREAM).arg(">");
    claim
}

fn settle(id: &str) -> Cmd {
    let mut settle = cmd("XACK");
    settle.arg(STREAM).arg(GROUP).arg(id);
    settle
}

fn settle_and_claim(id: &str) -> Pipeline {
    let mut both = pipe();
    both.add_command(settle(id)).ignore().add_command(claim());
    both
}

fn id_of(reply: StreamReadReply) -> Result<String> {
    match reply.keys.into_iter().next().and_then(|key| key.ids.into_iter().next()) {
        Some(entry) => Ok(entry.id),
        None => bail!("the stream ran dry"),
    }
}

impl Subject for RedisStreams {
    fn variants(&self) -> &'static [Variant] {
        VARIANTS
    }

    fn tree(&self) -> Tree {
        self.server.tree()
    }

    fn fill(&mut self, variant: &Variant, plan: Plan) -> Result<()> {
        let from = std::time::Instant::now();
        cmd("DEL").arg(STREAM).exec(&mut self.client)?;
        cmd("XGROUP").arg("CREATE").arg(STREAM).arg(GROUP).arg("0").arg("MKSTREAM").exec(&mut self.client)?;
        let payload = wire::invocation();
        let mut left = plan.per_queue(variant.queues);
        while left > 0 {
            let batch = left.min(FILL_BATCH);
            let mut adds = pipe();
            for _ in 0..batch {
                adds.cmd("XADD").arg(STREAM).arg("*").arg("frame").arg(&payload).ignore();
            }
            adds.exec(&mut self.client)?;
            left -= batch;
            if from.elapsed() > ROUND_MAX {
                bail!("filling takes longer than {} s", ROUND_MAX.as_secs());
            }
        }
        Ok(())
    }

    fn run(&mut self, variant: &Variant, plan: Plan, laps: &mut Laps) -> Result<()> {
        let items = plan.per_queue(variant.queues);
        let mut id = id_of(claim().query(&mut self.client)?)?;
        laps.lap(0)?;
        for _ in 1..items {
            id = id_of(match variant.manner {
                Manner::Together => {
                    let (reply,): (StreamReadReply,) = settle_and_claim(&id).query(&mut self.client)?;
                    reply
                }
                Manner::Apart | Manner::Standing => {
                    settle(&id).exec(&mut self.client)?;
                    claim().query(&mut self.client)?
                }
            })?;
            laps.lap(0)?;
        }
        Ok(settle(&id).exec(&mut self.client)?)
    }
}
