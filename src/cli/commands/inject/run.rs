//! Judges, sends and follows the frames, a line each.

use std::time::Duration;

use serde::Serialize;

use super::{
    captured::Captured,
    dry_run::DryRun,
    foreseen::{describe, foreseen_words, needs_yes, not_asked, verdict_words, would_end},
    frames::Frames,
    many::{Many, has_room},
    snippet::Given,
    way::{is_there, way},
};
use crate::{
    cli::{
        args::InjectArgs, context::Context, error::Error, inject_error::InjectError, operator, output::Output,
    },
    dissect::frame_json::{Codec, Setup, codec},
    ids::{Seq, TraceId},
    port::{
        AnswerRow, Command, DoorSpec, JudgedRow, Operator, Outcome, Page, PageBytes, Query, SentFrame, Stand,
        ToldEntry, WorkbenchCommand, WorkbenchOutcome,
    },
    station::OperatorClient,
    words::{counted, hex},
};

/// The output for each frame.
#[derive(Serialize)]
pub(super) struct Row {
    /// Whether it was sent, and not only judged.
    #[serde(skip)]
    is_sent: bool,
    /// Its number, from 1.
    frame: u64,
    /// Its length.
    bytes: usize,
    /// How many before it were not sent either: it is judged as if they were not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unsent_before: Option<u64>,
    /// What became of it: a verdict, `no answer` or `held at the gate`; with --dry-run what would.
    verdict: String,
    /// The name of its fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The clause that it broke.
    #[serde(skip_serializing_if = "Option::is_none")]
    clause: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceId>,
    /// The session of the coordination runtime that it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// Its place in the tap.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<Seq>,
    /// How many a message of the bus was delivered to.
    #[serde(skip_serializing_if = "Option::is_none")]
    subscribers: Option<u64>,
    /// What answered it.
    answers: Vec<AnswerRow>,
    /// Why the connection is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed: Option<String>,
    /// In what it came to something else than was foreseen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    different: Vec<String>,
    /// Why it is not compared with what was foreseen.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncompared: Option<&'static str>,
    /// The values of its answers that are not as was foreseen, ids and times among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_values: Vec<String>,
    /// What was foreseen; of those that were sent without a pause, of the last one like it that was judged.
    foreseen: Box<JudgedRow>,
}

/// How the frames ended.
#[derive(Default)]
struct Tally {
    frames: u64,
    refused: Option<Row>,
    refused_count: u64,
    unanswered: u64,
    /// How many of these the gate holds.
    held: u64,
    unexpected: u64,
    /// How the last frame ended: its verdict, and the name of its fault.
    last: Option<(String, Option<String>)>,
}

pub(in crate::cli) fn run(context: &mut Context, args: &InjectArgs) -> Result<(), Error> {
    let Context { settings, clock, out, env, .. } = context;
    let given = Given::new(env, args)?;
    let args = &given.args;
    let setup = Setup { registry: &settings.registry, limits: &settings.limits, now_ms: None };
    let prepare = |captured: Option<&Captured>| {
        let (door, format) = match captured {
            Some(captured) => captured.way(args)?,
            None => way(args, given.snippet.as_ref())?,
        };
        let bytes = captured.map(|captured| captured.bytes.clone());
        Ok::<_, Error>((door, codec(format, setup), Frames::new(&given, bytes, format, *clock)?))
    };
    // What is wrong with flags and files is said without a station.
    let prepared = args.of.is_none().then(|| prepare(None)).transpose()?;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        is_there(&station, args).await?;
        let captured = match args.of {
            Some(seq) => Some(Captured::of(&station, seq).await?),
            None => None,
        };
        let (door, codec, mut frames) = match prepared {
            Some(prepared) => prepared,
            None => prepare(captured.as_ref())?,
        };
        let Some(first) = frames.next(&*codec)? else { return Err(InjectError::NoFrame.into()) };
        let of = captured.map(|captured| captured.seq);
        let door = door.for_first(&first, usize::MAX);
        let mut way = Way {
            station,
            given: &given,
            args,
            door,
            of,
            number: None,
            peer: None,
            many: None,
            dry_run: DryRun::default(),
        };
        let mut tally = Tally::default();
        let done = send_each(&mut way, &*codec, &mut frames, first, (out, &mut tally));
        // A connection that nobody uses any longer would stay in an adapter's way.
        let done: Result<(), Error> = tokio::select! {
            done = done => done,
            _ = tokio::signal::ctrl_c() => Err(InjectError::Interrupted.into()),
        };
        way.close().await;
        if let (Ok(()), Some((verdict, code))) = (&done, &tally.last) {
            given.warn_unless_staged((verdict, code.as_deref()), out.is_json());
        }
        done.and_then(|()| tally.result(args))
    })
}

/// Sends one frame after another, or several at once, until there is no other.
async fn send_each(
    way: &mut Way<'_>,
    codec: &dyn Codec,
    frames: &mut Frames<'_>,
    first: Vec<u8>,
    (out, tally): (&mut Output, &mut Tally),
) -> Result<(), Error> {
    let args = way.args;
    // With it, whether it is the one before with other ids.
    let mut next = Some((first, false));
    let mut pace = args.rate.map(|rate| tokio::time::interval(Duration::from_secs_f64(1.0 / rate)));
    while let Some((wire, is_again)) = next {
        // The first comes at once.
        if let Some(pace) = &mut pace {
            pace.tick().await;
        }
        let (number, mut failed) = (tally.frames + 1, None);
        let rows = if is_again && way.many.is_some() {
            let mut wires = vec![wire];
            while frames.repeats() && has_room(&wires) {
                match frames.next(codec) {
                    Ok(Some(wire)) => wires.push(wire),
                    Ok(None) => break,
                    // Those before it are sent.
                    Err(error) => {
                        failed = Some(error);
                        break;
                    }
                }
            }
            way.frames(&wires, number).await?
        } else {
            vec![way.frame(&wire, number, frames.is_counted()).await?]
        };
        let mut is_closed = false;
        for row in rows {
            out.row(&row, line)?;
            is_closed = row.is_closed();
            tally.take(row, args, frames.is_counted());
        }
        out.flush()?;
        if let Some(error) = failed {
            return Err(error);
        }
        let is_again = frames.repeats();
        next = frames.next(codec)?.map(|wire| (wire, is_again));
        if is_closed && next.is_some() {
            // What follows goes over a connection of its own.
            way.number = None;
        }
        if next.is_some() && frames.begins_anew() {
            way.greet_anew().await?;
        }
    }
    Ok(())
}

/// The way to the station, and through one door at a time.
pub(super) struct Way<'a> {
    pub(super) station: OperatorClient,
    given: &'a Given,
    pub(super) args: &'a InjectArgs,
    pub(super) door: DoorSpec,
    /// The captured frame that is sent.
    of: Option<Seq>,
    /// Of the door that is open.
    pub(super) number: Option<u64>,
    /// Who it is to its host.
    pub(super) peer: Option<String>,
    /// Once a frame was sent, where it is sent again without another judgement.
    pub(super) many: Option<Many>,
    pub(super) dry_run: DryRun,
}

impl Way<'_> {
    /// Judges a frame, sends it, and waits for what becomes of it. `is_last` is not so of one that prepares
    /// another.
    pub(super) async fn frame(&mut self, wire: &[u8], frame: u64, is_last: bool) -> Result<Row, Error> {
        if self.args.dry_run {
            return self.foresee(wire, frame).await;
        }
        let door = self.open_door().await?;
        let judged = self.judge(Stand::Door(door), wire).await?;
        self.given.check_staged(&judged, frame, is_last)?;
        if needs_yes(&judged) && self.door.is_in_place() && !self.args.yes {
            return Err(not_asked(&judged));
        }
        // All is waited for where its connection will end, where nothing is foreseen, and where more comes
        // after the frame that was judged.
        let is_all = judged.taken_bytes == 0 || judged.taken_bytes >= wire.len() as u64;
        let is_answered = is_all && judged.ends.is_none() && !judged.is_pending();
        let answers = is_answered.then_some(judged.answers.len() as u64);
        let sent = self.send(door, wire, (answers, judged.answers.clone())).await?;
        let row = Row::sent(frame, &sent, judged);
        let is_as_foreseen = !row.is_closed() && !row.is_different();
        self.many = is_as_foreseen.then(|| Many::of(self.args, row.foreseen.clone())).flatten();
        Ok(row)
    }

    /// The door that is open, or another one.
    pub(super) async fn open_door(&mut self) -> Result<u64, Error> {
        match self.number {
            Some(door) => Ok(door),
            None => self.open().await,
        }
    }

    async fn open(&mut self) -> Result<u64, Error> {
        let open = WorkbenchCommand::Open { door: self.door.clone() };
        match self.command(open).await? {
            WorkbenchOutcome::Opened { door, peer } => {
                (self.number, self.peer) = (Some(door), Some(peer));
                Ok(door)
            }
            _ => Err(Error::UnexpectedAnswer),
        }
    }

    pub(super) async fn judge(&self, stand: Stand, wire: &[u8]) -> Result<Box<JudgedRow>, Error> {
        match self.station.query(Query::Judge { stand, bytes: PageBytes(wire.to_vec()) }).await? {
            Page::Judged(judged) => Ok(judged),
            _ => Err(Error::UnexpectedAnswer),
        }
    }

    async fn send(
        &self,
        door: u64,
        wire: &[u8],
        (answers, foreseen): (Option<u64>, Vec<AnswerRow>),
    ) -> Result<SentFrame, Error> {
        let pieces = self.args.pieces.clone().unwrap_or_default().cut(wire);
        let wait_ms = self.args.wait_ms;
        let send = WorkbenchCommand::Send { door, pieces, of: self.of, wait_ms, answers, foreseen };
        match self.command(send).await? {
            WorkbenchOutcome::Sent(done) => Ok(done),
            _ => Err(Error::UnexpectedAnswer),
        }
    }

    pub(super) async fn close(&mut self) {
        if let Some(door) = self.number.take() {
            // It may be closed already.
            let _ = self.command(WorkbenchCommand::Close { door }).await;
        }
    }

    pub(super) async fn command(&self, command: WorkbenchCommand) -> Result<WorkbenchOutcome, Error> {
        match self.station.command(Command::Workbench(command)).await? {
            Outcome::Workbench(outcome) => Ok(outcome),
            _ => Err(Error::UnexpectedAnswer),
        }
    }
}

impl Row {
    pub(super) fn foreseen(frame: u64, bytes: usize, judged: Box<JudgedRow>) -> Self {
        Self {
            is_sent: false,
            frame,
            bytes,
            unsent_before: None,
            verdict: judged.verdict.clone(),
            code: judged.code.clone(),
            clause: judged.clause.clone(),
            trace: None,
            session: None,
            seq: None,
            subscribers: None,
            answers: judged.answers.clone(),
            closed: judged.ends.clone(),
            different: Vec::new(),
            uncompared: None,
            other_values: Vec::new(),
            foreseen: judged,
        }
    }

    pub(super) fn sent(frame: u64, sent: &SentFrame, judged: Box<JudgedRow>) -> Self {
        let own = sent.own();
        let verdict = match own {
            None if sent.is_held() => HELD,
            None if sent.lost > 0 => LOST,
            None => NO_ANSWER,
            Some(_) => sent.verdict().unwrap_or("sent"),
        };
        Self {
            is_sent: true,
            frame,
            bytes: usize::try_from(sent.bytes).unwrap_or(usize::MAX),
            unsent_before: None,
            verdict: verdict.to_owned(),
            code: sent.code().map(str::to_owned),
            clause: sent.clause().map(str::to_owned),
            trace: own.and_then(|own| own.trace),
            session: own.and_then(|own| own.session.clone()),
            seq: own.map(|own| own.seq),
            subscribers: own.and_then(|own| own.subscribers),
            answers: sent.answers().map(answer).collect(),
            closed: sent.closed.clone(),
            different: own.map_or_else(Vec::new, |_| judged.differences(sent)),
            uncompared: own.and_then(|_| judged.uncompared(sent)),
            other_values: sent.other_values(),
            foreseen: judged,
        }
    }

    /// Whether the connection is closed.
    pub(super) const fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// Whether it came to something else than was foreseen; one without a verdict has not ended.
    pub(super) const fn is_different(&self) -> bool {
        !self.different.is_empty()
    }

    /// Whether it ended by this name: its verdict, its fault, or the type of an answer.
    fn is(&self, name: &str) -> bool {
        let is = |it: &str| it.eq_ignore_ascii_case(name);
        is(&self.verdict)
            || self.code.as_deref().is_some_and(is)
            || self.answers.iter().any(|it| is(&it.kind))
    }
}

/// The verdict of a frame of which the tap told nothing in time.
const NO_ANSWER: &str = "no answer";
/// That of one that the gate has not let go in time.
const HELD: &str = "held at the gate";
/// That of one whose entries were gone before they were read.
const LOST: &str = "lost";

fn answer(told: &ToldEntry) -> AnswerRow {
    AnswerRow { kind: told.kind.clone(), hex: hex(&told.payload.0) }
}

impl Tally {
    /// Takes a row; what only prepares the last frame of a snippet may end in any way.
    fn take(&mut self, row: Row, args: &InjectArgs, is_counted: bool) {
        self.frames += 1;
        self.last = Some((row.verdict.clone(), row.code.clone()));
        let is_expected = args.expect.as_deref().map(|name| row.is(name) || !is_counted);
        match (is_expected, &*row.verdict) {
            (Some(false), _) => self.unexpected += 1,
            (None, HELD) => (self.unanswered, self.held) = (self.unanswered + 1, self.held + 1),
            (None, NO_ANSWER | LOST | "pending") => self.unanswered += 1,
            (None, "refused" | "late") => {
                self.refused_count += 1;
                self.refused.get_or_insert(row);
            }
            (Some(true) | None, _) => {}
        }
    }

    fn result(self, args: &InjectArgs) -> Result<(), Error> {
        let all = self.frames;
        if let (Some(expected), 1..) = (&args.expect, self.unexpected) {
            let expected = expected.clone();
            return Err(InjectError::Unexpected { count: self.unexpected, all, expected }.into());
        }
        if let Some(first) = self.refused {
            let why = first.code.unwrap_or(first.verdict);
            return Err(InjectError::Refused { count: self.refused_count, all, why }.into());
        }
        if self.unanswered > 0 {
            let (count, ms) = (self.unanswered, args.wait_ms);
            if args.dry_run {
                return Err(InjectError::NotWhole { count, all }.into());
            }
            return Err(InjectError::NoAnswer { count, all, ms, held: self.held }.into());
        }
        Ok(())
    }
}

fn line(row: &Row) -> String {
    let mut line = format!("{}  {}  ", row.frame, counted(row.bytes, "byte"));
    if !row.is_sent {
        line = format!("{line}not sent; foreseen: {}", foreseen_words(&row.foreseen));
        let before = match row.unsent_before {
            None => return line,
            Some(1) => "frame".to_owned(),
            Some(count) => format!("{count} frames"),
        };
        return format!("{line}  as if the {before} before it were not sent");
    }
    line.push_str(&verdict_words(&row.verdict, row.code.as_deref(), row.clause.as_deref()));
    let mut say = |text: &str| {
        line.push_str("  ");
        line.push_str(text);
    };
    let judged = &row.foreseen;
    match (row.seq, row.uncompared) {
        (Some(_), _) if row.is_different() => say(&format!("not as foreseen: {}", row.different.join("; "))),
        (Some(_), Some(why)) => say(&format!("not compared: {why}")),
        (Some(_), None) => {}
        (None, _) => describe(judged, &mut say),
    }
    for answer in &row.answers {
        say(&format!("→ {}", answer.kind));
    }
    if let Some(effect) = judged.effect.as_ref().filter(|_| row.seq.is_some() && !row.is_different()) {
        say(effect);
    }
    if let Some(closed) = &row.closed {
        let how = if row.seq.is_some() { "closed".to_owned() } else { would_end(judged) };
        say(&format!("{how}: {closed}"));
    }
    match (row.trace, &row.session) {
        (Some(trace), _) => say(&trace.to_string()),
        (None, Some(session)) => say(&format!("session {session}")),
        (None, None) => {}
    }
    line
}
