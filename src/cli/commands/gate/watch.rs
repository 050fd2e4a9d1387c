//! `gate watch`: each frame as soon as it is held, and decisions of stdin.
//!
//! Frames are followed by the tap's entries, and fetched whole from the gate: an entry may have less of one.
//! What was lost of the tap is made up for by the list of all that is held.

use std::{collections::BTreeSet, time::Duration};

use serde::Serialize;

use super::{
    decide::command,
    decision::{self, Decision},
};
use crate::{
    cli::{
        commands::attach,
        context::Context,
        error::Error,
        input::{self, Lines},
        operator,
        output::Output,
        report::{Warning, print_warning},
        signals::Signals,
        table::visible,
    },
    ids::{ConnectionId, Peer},
    limits::Limits,
    port::{
        Attachment, GateError, InterceptedFrame, InterceptedRow, Operator, Page, PortError, Query,
        Reachability, StationPort,
    },
    station::RemotePort,
    tap::{self, entry::What},
    time::Clock,
    words::{self, format},
};

/// How long entries gather before they are read: a reader that is always at its heels slows the tap down.
const READ_EVERY: Duration = Duration::from_millis(5);
/// How often is looked whether the station is still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Decisions that are read ahead.
const LINES_AHEAD: usize = 4;
/// Bytes of a decision besides those of a frame.
const LINE_BYTES_MORE: u64 = 4_096;
/// What bounds a decision.
const BOUND: &str = "a decision has the bytes of one frame at most";
/// Numbers of frames that were printed and did not leave yet; past them the station is asked which are held.
const PRINTED_MAX: usize = 16_384;

/// A held frame as scripts read it.
#[derive(Serialize)]
struct Row<'a> {
    id: u64,
    link: &'static str,
    peer: &'a Peer,
    direction: &'static str,
    /// Its type.
    head: &'a str,
    /// In hex.
    bytes: String,
    clause: Option<&'a str>,
    expires_in_ms: u64,
    /// Until the message in it expires, or its session.
    ttl_in_ms: Option<u64>,
}

/// A decision that was not carried out.
#[derive(Serialize)]
struct NotDone {
    id: u64,
    error: &'static str,
    /// Of what says more than its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

pub(super) fn run(context: &mut Context) -> Result<(), Error> {
    // The station may be up for longer than this process.
    context.clock = Clock::ahead();
    let find = attach::of_data(context)?;
    let Context { settings, clock, out, .. } = context;
    let line_bytes_max = line_bytes_max(&settings.limits);
    operator::block_on(async {
        let mut signals = Signals::listen()?;
        let watching = async {
            let port = RemotePort::attach(find, *clock, settings.limits).await?;
            let reader = port.entries()?;
            let lines = input::all_stdin_lines(LINES_AHEAD, line_bytes_max, BOUND)?;
            let session = port.attachment().and_then(|attached| attached.session);
            let data = settings.data()?;
            let mut watch = Watch { port, clock: *clock, out, printed: BTreeSet::new() };
            watch.resync().await?;
            watch.follow(reader, lines, session, || PortError::NoStation { data: data.clone() }).await
        };
        tokio::select! {
            () = signals.end() => Ok(()),
            ended = watching => ended,
        }
    })
}

/// Bytes of a line: of the longest frame that a station is asked about, in hex.
const fn line_bytes_max(limits: &Limits) -> u64 {
    limits.rmp.body_bytes_max.saturating_mul(2).saturating_add(LINE_BYTES_MORE)
}

struct Watch<'a, P> {
    port: P,
    clock: Clock,
    out: &'a mut Output,
    /// Frames that were printed and did not leave yet.
    printed: BTreeSet<u64>,
}

impl<P: StationPort + Operator> Watch<'_, P> {
    /// Prints and decides until the station is gone.
    async fn follow(
        &mut self,
        mut reader: tap::Reader,
        mut lines: Lines,
        mut session: Option<ConnectionId>,
        gone: impl Fn() -> PortError,
    ) -> Result<(), Error> {
        let mut has_lines = true;
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = reader.ready() => {
                    tokio::time::sleep(READ_EVERY).await;
                    self.read(&mut reader).await?;
                }
                line = lines.recv(), if has_lines => match line {
                    Some(Ok((number, line))) => self.decide(number, &line).await?,
                    Some(Err(error)) => self.say_bad(error.to_string(), error.hint()),
                    None => has_lines = false,
                },
                _ = look.tick() => match self.port.attachment() {
                    Some(Attachment { reachability: Reachability::Lost { .. }, .. }) => {
                        return Err(gone().into());
                    }
                    Some(attached) if attached.session != session => {
                        // Its numbers may be those of another start.
                        session = attached.session;
                        self.printed.clear();
                        self.resync().await?;
                    }
                    _ => {}
                },
            }
        }
    }

    /// Prints what is held and was not printed.
    async fn resync(&mut self) -> Result<(), Error> {
        let Page::Intercepted(rows) = self.port.query(Query::Intercepted).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        let held: BTreeSet<u64> = rows.iter().map(|row| row.frame).collect();
        self.printed.retain(|frame| held.contains(frame));
        for frame in held {
            self.print(frame).await?;
        }
        self.out.flush()
    }

    /// Prints the frames that entries of the tap say were stopped.
    async fn read(&mut self, reader: &mut tap::Reader) -> Result<(), Error> {
        let mut is_behind = false;
        while let Some(batch) = reader.read() {
            is_behind |= batch.lost > 0;
            for entry in batch.iter() {
                match &entry.entry.what {
                    What::Intercepted(it) if it.hold_ms.is_some() => self.print(it.number).await?,
                    What::Passed(it) => drop(self.printed.remove(&it.number)),
                    _ => {}
                }
            }
        }
        if is_behind || self.printed.len() > PRINTED_MAX {
            return self.resync().await;
        }
        self.out.flush()
    }

    /// Prints a held frame once; nothing of one that left meanwhile.
    async fn print(&mut self, frame: u64) -> Result<(), Error> {
        if self.printed.contains(&frame) {
            return Ok(());
        }
        let held = match self.port.query(Query::InterceptedFrame { frame }).await {
            Ok(Page::InterceptedFrame(held)) => held,
            Ok(_) => return Err(Error::UnexpectedAnswer),
            Err(PortError::Gate(GateError::NotIntercepted { .. })) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        self.printed.insert(frame);
        let now_ms = self.clock.now().wall.0;
        self.out.row(&row(&held, now_ms), |row| line(row, &held.row))?;
        self.out.flush()
    }

    /// Does what a line says.
    async fn decide(&mut self, number: u64, line: &str) -> Result<(), Error> {
        let Decision { frame, command: decision } = match decision::read(line) {
            Ok(Some(decision)) => decision,
            Ok(None) => return Ok(()),
            Err(why) => {
                self.say_bad(
                    format!("line {number}: {why}"),
                    "one object such as {\"id\":12,\"do\":\"pass\"} per line".to_owned(),
                );
                return Ok(());
            }
        };
        let error = match command(&self.port, decision).await {
            Ok(_) => return Ok(()),
            Err(PortError::Gate(error)) => error,
            Err(error) => return Err(error.into()),
        };
        let why = match &error {
            GateError::NotIntercepted { .. } => None,
            error => Some(error.to_string()),
        };
        self.out.row(&NotDone { id: frame, error: error.code(), why }, |_| error.to_string())?;
        self.out.flush()
    }

    /// Says what is wrong with a line; the watch goes on.
    fn say_bad(&self, message: String, hint: String) {
        print_warning(&Warning { code: "bad_line", message, hint }, self.out.is_json());
    }
}

fn row(held: &InterceptedFrame, now_ms: u64) -> Row<'_> {
    let InterceptedFrame { row, bytes } = held;
    Row {
        id: row.frame,
        link: row.link.name(),
        peer: &row.peer,
        direction: row.way.name(),
        head: &row.kind,
        bytes: words::hex(&bytes.0),
        clause: row.clause.as_deref(),
        expires_in_ms: row.until_ms.0.saturating_sub(now_ms),
        ttl_in_ms: row.ttl_in_ms,
    }
}

fn line(row: &Row<'_>, of: &InterceptedRow) -> String {
    let Row { id, link, peer, direction, head, expires_in_ms, ttl_in_ms, .. } = row;
    let clause = row.clause.map_or_else(String::new, |clause| format!("  ({clause})"));
    let left_s = expires_in_ms.div_ceil(1_000);
    let ttl = ttl_in_ms.map_or_else(String::new, |ms| format!(", ttl {}", format::ttl(ms)));
    let line = format!(
        "frame {id}  {link} {direction}  {peer}  {head}  {}  {}{clause}  {left_s} s left{ttl}",
        format::bytes(of.bytes),
        of.line
    );
    visible(&line)
}
