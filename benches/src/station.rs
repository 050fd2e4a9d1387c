//! rl-console itself: the real binary as it is shipped, fed and paired through its own command line, and an
//! adapter that speaks MPP v2 by hand.
//!
//! *Together* is one write of `applied`, `done` and the next `pull`; *apart* is one write for each. With four
//! queues the one connection that MPP allows serves all of them, one invocation in flight on each.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, bail, ensure, eyre};
use rl_console_benches::{
    console,
    paired::{Files, PACK_ID, QUEUES},
    server::{Server, Start, Tree},
};
use serde_json::json;

use crate::{
    figures::Laps,
    subject::{Manner, Plan, READ_MAX, Subject, Variant},
    wire,
};

const VARIANTS: &[Variant] = &[
    Variant { name: "station-1", queues: 1, manner: Manner::Together },
    Variant { name: "station-1-frames", queues: 1, manner: Manner::Apart },
    Variant { name: "station-4", queues: 4, manner: Manner::Together },
    Variant { name: "station-4-frames", queues: 4, manner: Manner::Apart },
];

/// A station and what an adapter needs to connect to it.
pub(crate) struct Station {
    // Ends before its folder's files are looked at by anybody else.
    server: Server,
    files: Files,
    addr: SocketAddr,
    /// From the start of the process to its `ready` line.
    pub(crate) ready_after: Duration,
}

impl Station {
    /// Starts the station of a new data folder below `folder`.
    ///
    /// # Errors
    /// The binary is there but does not start.
    pub(crate) fn start(program: &Path, folder: &Path) -> Result<Start<Self>> {
        if !program.is_file() {
            return Ok(Start::Missing(format!(
                "{} (cargo build --profile dist, or --station PATH)",
                program.display()
            )));
        }
        let files = Files::create(program, &folder.join("station"))?;
        Ok(Start::Running(Self::serve(files)?))
    }

    /// Starts `rl-console serve` on the files and waits for its `ready`.
    ///
    /// # Errors
    /// It does not start, or does not say `ready` in time.
    pub(crate) fn serve(files: Files) -> Result<Self> {
        let from = Instant::now();
        let (server, ready) = console::serve(&mut files.command(), &files.folder.join("station.log"))?;
        let ready_after = from.elapsed();
        let addr = ready["mpp"].as_str().ok_or_else(|| eyre!("no address in {ready}"))?.parse()?;
        Ok(Self { server, files, addr, ready_after })
    }

    /// Ends the process, and gives back the files.
    pub(crate) fn stop(self) -> Files {
        self.files
    }

    /// Its data folder and pack.
    pub(crate) fn files(&self) -> &Files {
        &self.files
    }
}

/// The adapter's side of one connection.
struct Adapter {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    line: String,
    out: String,
    manner: Manner,
}

impl Adapter {
    fn connect(station: &Station, manner: Manner) -> Result<Self> {
        let stream = TcpStream::connect(station.addr)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(READ_MAX))?;
        stream.set_write_timeout(Some(READ_MAX))?;
        let reader = BufReader::new(stream.try_clone()?);
        let mut adapter = Self { stream, reader, line: String::new(), out: String::new(), manner };
        let hello = json!({
            "mpp": 2, "type": "hello", "pack_id": PACK_ID,
            "manifest_hash": station.files.manifest_hash, "bridge_token": station.files.token,
        });
        let _ = writeln!(adapter.out, "{hello}");
        adapter.send()?;
        adapter.read_line()?;
        let ack: wire::Inbound<'_> = serde_json::from_str(&adapter.line)?;
        ensure!(
            ack.kind == "hello_ack" && ack.ok == Some(true),
            "the station answered {}",
            adapter.line.trim()
        );
        Ok(adapter)
    }

    fn send(&mut self) -> Result<()> {
        self.stream.write_all(self.out.as_bytes())?;
        self.out.clear();
        Ok(())
    }

    fn read_line(&mut self) -> Result<()> {
        self.line.clear();
        ensure!(self.reader.read_line(&mut self.line)? > 0, "the station closed the connection");
        Ok(())
    }

    fn pull(&mut self, queue: &str) -> Result<()> {
        wire::pull(&mut self.out, queue);
        self.send()
    }

    /// The next invocation: its id, and which queue it is of.
    fn invocation(&mut self) -> Result<(u64, usize)> {
        loop {
            self.read_line()?;
            let frame: wire::Inbound<'_> = serde_json::from_str(&self.line)?;
            match (frame.kind, frame.id, frame.queue) {
                ("invocation", Some(id), Some(queue)) => {
                    let at = QUEUES.iter().position(|name| *name == queue);
                    return Ok((id, at.ok_or_else(|| eyre!("an invocation of {queue}"))?));
                }
                ("heartbeat", ..) => {}
                _ => bail!("the station sent {}", self.line.trim()),
            }
        }
    }

    fn settle(&mut self, id: u64, pull: Option<&str>) -> Result<()> {
        wire::applied(&mut self.out, id);
        self.end_of_frame()?;
        wire::done(&mut self.out, id);
        if let Some(queue) = pull {
            self.end_of_frame()?;
            wire::pull(&mut self.out, queue);
        }
        self.send()
    }

    fn end_of_frame(&mut self) -> Result<()> {
        if self.manner == Manner::Apart { self.send() } else { Ok(()) }
    }
}

impl Subject for Station {
    fn variants(&self) -> &'static [Variant] {
        VARIANTS
    }

    fn tree(&self) -> Tree {
        self.server.tree()
    }

    fn fill(&mut self, variant: &Variant, plan: Plan) -> Result<()> {
        self.files.enqueue(variant.queues, plan.per_queue(variant.queues))
    }

    fn run(&mut self, variant: &Variant, plan: Plan, laps: &mut Laps) -> Result<()> {
        let each = plan.per_queue(variant.queues);
        let mut adapter = Adapter::connect(self, variant.manner)?;
        let mut left = vec![each; variant.queues];
        let mut last = vec![0; variant.queues];
        for queue in &QUEUES[..variant.queues] {
            adapter.pull(queue)?;
        }
        for _ in 0..each * variant.queues {
            let (id, at) = adapter.invocation()?;
            laps.lap(at)?;
            let more =
                left.get_mut(at).ok_or_else(|| eyre!("an invocation of a queue that was not pulled"))?;
            *more = more.saturating_sub(1);
            ensure!(id > last[at], "invocation {id} of {} came after {}", QUEUES[at], last[at]);
            last[at] = id;
            adapter.settle(id, (*more > 0).then_some(QUEUES[at]))?;
        }
        Ok(())
    }
}
