//! `sim session`: holds the sessions that are drawn, over gRPC.

use std::{cell::RefCell, collections::BTreeMap, time::Duration};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::sync::mpsc;

use crate::{
    cli::{
        args::{SimMode, SimSessionArgs},
        config::Settings,
        context::Context,
        error::Error,
        operator,
        output::Output,
        runtime::{Runtime, state_name},
        session_error::SessionError,
        signals::Signals,
        sim::session::{Act, Event, Plan, SessionProfile, SimOutcome},
    },
    macp::{Ending, Mode, SessionState, envelope::SESSION_START, proto::v1::Ack},
    time::Clock,
};

/// What it calls itself.
const CLIENT: &str = "sim session";
/// The first wait before a message is sent again; each further one is twice as long.
const WAIT_MIN: Duration = Duration::from_millis(250);
/// The longest wait.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// Events that wait to be printed.
const EVENTS_MAX: usize = 256;

pub(in crate::cli) fn run(context: &mut Context, args: &SimSessionArgs) -> Result<(), Error> {
    let Context { settings, out, clock, .. } = context;
    let started = clock.now().wall.0;
    let manner = SessionProfile {
        modes: match args.mode {
            SimMode::Decision => &[Mode::Decision],
            SimMode::MultiRound => &[Mode::MultiRound],
            SimMode::Mixed => &[Mode::Decision, Mode::MultiRound],
        },
        participants: usize::from(args.participants),
        pace: Duration::from_millis(args.pace),
        cancel_rate: args.cancel_rate,
        leave_rate: args.leave_rate,
        seed: args.seed,
        // Another start holds other sessions.
        prefix: args.prefix.clone().unwrap_or_else(|| format!("sim-{started:x}")),
    };
    operator::block_on(async {
        let mut signals = Signals::listen()?;
        let runtime = tokio::select! {
            () = signals.end() => return Ok(()),
            runtime = connect(settings, args.reconnect, out) => runtime?,
        };
        print_event(out, &Event::Connected { addr: runtime.addr().to_string() })?;
        let (tell_it, told) = mpsc::channel(EVENTS_MAX);
        let stage = SessionRunner {
            manner,
            settings,
            runtime: RefCell::new(runtime),
            clock: *clock,
            reconnect: args.reconnect,
            events: tell_it,
            going: RefCell::default(),
        };
        let mut counts = Counts::default();
        let ended = run_sessions(&stage, args, (&mut signals, told), &mut counts, out).await;
        print_event(out, &counts.ended())?;
        ended
    })
}

async fn connect(settings: &Settings, reconnect: bool, out: &mut Output) -> Result<Runtime, Error> {
    let mut wait = WAIT_MIN;
    loop {
        match Runtime::connect(settings, CLIENT).await {
            Err(error) if reconnect && is_passing(&error) => {
                print_event(out, &Event::Disconnected { why: error.to_string() })?;
                print_event(out, &Event::Reconnecting { in_ms: ms(wait) })?;
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(WAIT_MAX);
            }
            connected => return connected,
        }
    }
}

/// Where sessions are held.
struct SessionRunner<'a> {
    manner: SessionProfile,
    settings: &'a Settings,
    /// Another one once the connection was lost: where the station is may have changed meanwhile.
    runtime: RefCell<Runtime>,
    clock: Clock,
    reconnect: bool,
    events: mpsc::Sender<Event>,
    /// Sessions that go on, by their numbers, with the messages that were sent so far.
    going: RefCell<BTreeMap<u64, u64>>,
}

/// What became of one session.
struct SessionResult {
    outcome: SimOutcome,
    messages: u64,
    refused: u64,
}

#[derive(Debug, Default)]
struct Counts {
    sessions: u64,
    messages: u64,
    resolved: u64,
    cancelled: u64,
    left: u64,
    refused: u64,
}

impl Counts {
    fn add(&mut self, held: &SessionResult) {
        self.sessions += 1;
        self.messages += held.messages;
        self.refused += held.refused;
        match held.outcome {
            SimOutcome::Resolved => self.resolved += 1,
            SimOutcome::Cancelled => self.cancelled += 1,
            SimOutcome::Left => self.left += 1,
        }
    }

    fn ended(&self) -> Event {
        let Self { sessions, messages, resolved, cancelled, left, refused } = *self;
        Event::Ended { sessions, messages, resolved, cancelled, left, refused }
    }
}

/// Holds sessions until there are enough, or a signal comes.
async fn run_sessions(
    stage: &SessionRunner<'_>,
    args: &SimSessionArgs,
    (signals, mut told): (&mut Signals, mpsc::Receiver<Event>),
    counts: &mut Counts,
    out: &mut Output,
) -> Result<(), Error> {
    let sessions = args.sessions.unwrap_or(u64::MAX);
    let mut next = 0;
    let mut held = FuturesUnordered::new();
    loop {
        while held.len() < usize::from(args.at_once) && next < sessions {
            held.push(stage.session(next));
            next += 1;
        }
        tokio::select! {
            biased;
            () = signals.end() => break,
            Some(event) = told.recv() => print_event(out, &event)?,
            ended = held.next() => match ended {
                Some(ended) => counts.add(&ended?),
                None => break,
            },
        }
    }
    drop(held);
    // Whom a signal cuts short leaves its sessions to their TTLs.
    for messages in stage.going.take().into_values() {
        counts.add(&SessionResult { outcome: SimOutcome::Left, messages, refused: 0 });
    }
    while let Ok(event) = told.try_recv() {
        print_event(out, &event)?;
    }
    Ok(())
}

impl SessionRunner<'_> {
    async fn session(&self, number: u64) -> Result<SessionResult, Error> {
        let plan = Plan::new(&self.manner, number);
        let mut held = SessionResult { outcome: plan.outcome, messages: 0, refused: 0 };
        let mut state = SessionState::Open.name();
        for step in &plan.steps {
            tokio::time::sleep(step.after).await;
            let ack = self.act(&plan, &step.act).await?;
            held.messages += 1;
            self.going.borrow_mut().insert(number, held.messages);
            state = state_name(ack.session_state).unwrap_or("-");
            let told = ack.error.filter(|_| !ack.ok);
            let event = match (&step.act, told) {
                (Act::Say { message_type, sender, .. }, Some(error)) => {
                    held.refused += 1;
                    let (session, sender) = (plan.session.clone(), sender.clone());
                    Event::Refused { session, sender, message_type, code: error.code, why: error.message }
                }
                (Act::Say { message_type, .. }, None) if *message_type == SESSION_START => {
                    Event::opened(&plan.session, plan.mode, plan.intent)
                }
                (Act::Say { message_type, sender, says, .. }, None) => {
                    let (session, sender, says) = (plan.session.clone(), sender.clone(), says.clone());
                    Event::Said { session, sender, message_type, says, duplicate: ack.duplicate }
                }
                (Act::Cancel { .. }, _) => continue,
            };
            let is_refused = matches!(event, Event::Refused { .. });
            self.send_event(event).await;
            if is_refused && state != SessionState::Open.name() {
                break;
            }
        }
        held.outcome = match (state, plan.outcome) {
            (state, _) if state == SessionState::Resolved.name() => SimOutcome::Resolved,
            (state, SimOutcome::Cancelled) if state == SessionState::Expired.name() => SimOutcome::Cancelled,
            _ => SimOutcome::Left,
        };
        self.going.borrow_mut().remove(&number);
        let state = if held.outcome == SimOutcome::Cancelled { Ending::Cancelled.name() } else { state };
        self.send_event(Event::Over { session: plan.session, state, messages: held.messages }).await;
        Ok(held)
    }

    /// Does it, and where it is lost and that is asked for, again: a message that had arrived is a duplicate
    /// then.
    async fn act(&self, plan: &Plan, act: &Act) -> Result<Ack, Error> {
        let mut wait = WAIT_MIN;
        loop {
            let runtime = self.runtime.borrow().clone();
            let done = match (act, act.envelope(plan, self.clock.now().wall)) {
                (Act::Cancel { reason }, _) => runtime.cancel(&plan.session, reason).await,
                (Act::Say { .. }, Some(envelope)) => runtime.send(envelope).await,
                (Act::Say { .. }, None) => Err(Error::UnexpectedAnswer),
            };
            match done {
                Err(error) if self.reconnect && is_passing(&error) => {
                    self.send_event(Event::Disconnected { why: error.to_string() }).await;
                    self.send_event(Event::Reconnecting { in_ms: ms(wait) }).await;
                    tokio::time::sleep(wait).await;
                    wait = (wait * 2).min(WAIT_MAX);
                    self.reconnect(&runtime).await;
                }
                done => return done,
            }
        }
    }

    /// Connects anew, unless another session has.
    async fn reconnect(&self, lost: &Runtime) {
        if !self.runtime.borrow().is(lost) {
            return;
        }
        if let Ok(runtime) = Runtime::connect(self.settings, CLIENT).await {
            self.send_event(Event::Connected { addr: runtime.addr().to_string() }).await;
            self.runtime.replace(runtime);
        }
    }

    async fn send_event(&self, event: Event) {
        // Nobody listens only once it is over.
        let _ = self.events.send(event).await;
    }
}

fn print_event(out: &mut Output, event: &Event) -> Result<(), Error> {
    out.row(event, Event::line)?;
    out.flush()
}

fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Whether trying again can help.
fn is_passing(error: &Error) -> bool {
    use tonic::Code;
    matches!(
        error,
        Error::Unreachable { .. }
            | Error::Session(
                SessionError::Lost { .. }
                    | SessionError::Unreachable { .. }
                    | SessionError::TimedOut { .. }
                    | SessionError::Declined { status: Code::Unavailable, .. }
            )
    )
}
