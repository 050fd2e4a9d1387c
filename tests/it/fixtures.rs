//! One value of every variant of the tap's vocabulary. A new variant does not compile until it has one.

use std::sync::Arc;

use rl_console::{
    admission::TurnedAway,
    ids::{
        ConnectionId, EventName, InvocationId, ManifestHash, PackId, Peer, QueueName, RefundId, Seq,
        SessionId, StateKey, Ticket, TraceId,
    },
    tap::{
        entry::{
            Direction, Door, Entry, Frame, FrameOrigin, Head, Link, Redaction, Transition, Verdict, What,
            alerts::{Alert, AlertChange, AlertManner},
            gate::{Intercepted, Passed, Passing},
            mpp::{
                self, Brake, CloseCause, ErrorCode, FailedBy, Fault, HelloReason, RefundStatus, RowState,
                Violation,
            },
            station::{self, Level},
        },
        recorded::OwnedEntry,
    },
    time::Now,
};

use crate::{fixtures_macp, fixtures_mplp, fixtures_plugin, fixtures_rmp, fixtures_runs};

fn queue() -> QueueName {
    QueueName::new("boss")
}

fn event() -> EventName {
    EventName::new("spawn")
}

fn peer() -> Peer {
    Peer::new("127.0.0.1:50312")
}

pub(crate) fn levels() -> Vec<Level> {
    every_plain!(Level { Trace, Debug, Info, Warn, Error })
}

pub(crate) fn links() -> Vec<Link> {
    every_plain!(Link { Station, Mpp, Rmp, Runs, Macp, Plugin, Mplp })
}

pub(crate) fn row_states() -> Vec<RowState> {
    every_plain!(RowState { Pending, Dispatched, Applied, Done, Failed, Refunded })
}

pub(crate) fn violations() -> Vec<Violation> {
    every!(Violation {
        NotUtf8 => [Violation::NotUtf8],
        NotJson => [Violation::NotJson],
        NotObject => [Violation::NotObject],
        Version => [Violation::Version],
        NoType => [Violation::NoType],
        UnknownType => [Violation::UnknownType],
        HelloFirst => [Violation::HelloFirst],
        SecondHello => [Violation::SecondHello],
        WrongDirection => [Violation::WrongDirection],
        Missing => [Violation::Missing("queue")],
        Mistyped => [Violation::Mistyped("refund")],
        AlreadyParked => [Violation::AlreadyParked],
        StillInFlight => [Violation::StillInFlight],
        NoSuchQueue => [Violation::NoSuchQueue],
        NotDispatchedHere => [Violation::NotDispatchedHere],
        AlreadyEnded => [Violation::AlreadyEnded],
        NotApplied => [Violation::NotApplied],
        AlreadyApplied => [Violation::AlreadyApplied],
        RefundAfterApplied => [Violation::RefundAfterApplied],
        UndeclaredKey => [Violation::UndeclaredKey],
        NotTheWriter => [Violation::NotTheWriter],
        StateSchema => [Violation::StateSchema],
        StateTooLarge => [Violation::StateTooLarge],
        TooLarge => [Violation::TooLarge],
        TooSlow => [Violation::TooSlow],
    })
}

pub(crate) fn faults() -> Vec<Fault> {
    let hellos = every_plain!(HelloReason {
        UnsupportedMppVersion,
        Unpaired,
        InvalidToken,
        PackIdMismatch,
        ManifestHashMismatch,
        AlreadyConnected
    });
    let codes = every_plain!(ErrorCode {
        InvalidFrame,
        UnknownInvocationId,
        UnknownQueue,
        SchemaViolation,
        UnexpectedStateTransition,
        FrameTooLarge,
    });
    let mut faults = every!(Fault { Hello => [], Protocol => [], ByAdapter => [Fault::ByAdapter] });
    faults.extend(hellos.into_iter().map(Fault::Hello));
    faults.extend(codes.into_iter().map(|code| Fault::Protocol { code, violation: Violation::NotJson }));
    faults.extend(
        violations()
            .into_iter()
            .map(|violation| Fault::Protocol { code: ErrorCode::InvalidFrame, violation }),
    );
    faults
}

pub(crate) fn closes() -> Vec<CloseCause> {
    let mut closes = every!(CloseCause {
        PeerClosed => [CloseCause::PeerClosed],
        ReadFailed => [CloseCause::ReadFailed],
        WriteFailed => [CloseCause::WriteFailed],
        HelloTimeout => [CloseCause::HelloTimeout],
        Fault => [],
        NotReading => [CloseCause::NotReading],
        WriteStalled => [CloseCause::WriteStalled],
        Kicked => [CloseCause::Kicked],
        TooManyConnections => [CloseCause::TooManyConnections],
        MadeRoom => [CloseCause::MadeRoom],
        TooManyOfPeer => [CloseCause::TooManyOfPeer],
        ReceivingFull => [CloseCause::ReceivingFull],
        Shutdown => [CloseCause::Shutdown],
    });
    closes.extend(faults().into_iter().map(CloseCause::Fault));
    closes
}

fn mpp_transitions() -> Vec<mpp::Transition> {
    use mpp::Transition;
    const ID: InvocationId = InvocationId(123);
    let by = every_plain!(FailedBy { Adapter, UnknownQueue, Schema, Damage, Cancelled, Settled });
    let statuses = every_plain!(RefundStatus { Requested, Skipped, Manual });
    let mut all = every!(Transition {
        Listening => [
            Transition::Listening { addr: "127.0.0.1:7777".parse().unwrap() },
            Transition::Listening { addr: "[::1]:7777".parse().unwrap() },
        ],
        NotListening => [Transition::NotListening],
        Paired => [Transition::Paired],
        Connected => [Transition::Connected { peer: peer() }],
        Handshaken => [Transition::Handshaken { peer: peer(), session_id: SessionId(7), persisted: 3 }],
        Disconnected => [],
        Stale => [Transition::Stale { silent_s: 30 }],
        Parked => [Transition::Parked { queue: queue() }],
        Enqueued => [
            Transition::Enqueued { id: ID, queue: queue(), event: event(), requeued_from: None },
            Transition::Enqueued { id: ID, queue: queue(), event: event(), requeued_from: Some(ID) },
        ],
        Dispatched => [Transition::Dispatched { id: ID, queue: queue(), event: event() }],
        Acked => [Transition::Acked { id: ID, queue: queue() }],
        Applied => [Transition::Applied { id: ID, queue: queue(), cleared: true }],
        Done => [
            Transition::Done { id: ID, queue: queue(), event: event(), cleared: true, settled: false },
            Transition::Done { id: ID, queue: queue(), event: event(), cleared: false, settled: true },
        ],
        Failed => [],
        Refunded => [Transition::Refunded { id: ID, queue: queue(), event: event() }],
        Requeued => [Transition::Requeued { id: ID, queue: queue() }],
        Orphaned => [Transition::Orphaned { id: ID, queue: queue() }],
        RefundRecorded => [],
        OtherCancelled => [Transition::OtherCancelled { id: ID, queue: queue() }],
        Migrated => [Transition::Migrated { queue: queue(), rows: 5, failed: 2 }],
        Braked => [
            Transition::Braked { queue: queue(), brake: Brake { held: true, draining: false } },
            Transition::Braked { queue: queue(), brake: Brake { held: false, draining: true } },
            Transition::Braked { queue: queue(), brake: Brake::default() },
        ],
        Drained => [Transition::Drained { queue: queue() }],
        Logged => [],
        StateWritten => [Transition::StateWritten { key: StateKey::new("score"), persist: true }],
        PersistedLeftOut => [Transition::PersistedLeftOut { key: StateKey::new("score") }],
        CommitsFailing => [Transition::CommitsFailing],
        CommitsOk => [Transition::CommitsOk],
        ReadsFailing => [Transition::ReadsFailing],
        ReadsOk => [Transition::ReadsOk],
        PackLoaded => [Transition::PackLoaded { pack_id: PackId::new("dev.sample"), manifest_hash: ManifestHash::new("sha256:00") }],
    });
    all.extend(closes().into_iter().map(|cause| Transition::Disconnected {
        peer: peer(),
        active: true,
        cause,
    }));
    all.extend(row_states().into_iter().zip(by.into_iter().cycle()).map(|(from, by)| {
        let cleared = by == FailedBy::Adapter;
        Transition::Failed { id: ID, queue: queue(), event: event(), from, cleared, by }
    }));
    all.extend(statuses.into_iter().map(|status| Transition::RefundRecorded {
        refund: RefundId(4),
        id: ID,
        status,
    }));
    all.extend(levels().into_iter().map(|level| Transition::Logged { level }));
    all
}

/// Nobody, the console of the station's process, and one over the bus.
fn operators() -> [Option<station::OperatedBy>; 3] {
    let attached = station::OperatedBy {
        kind: rl_console::tap::entry::rmp::Kind::Ui,
        client: "ops".into(),
        session: Some(ConnectionId(7)),
    };
    [None, Some(station::OperatedBy::own_console()), Some(attached)]
}

fn station_transitions() -> Vec<station::Transition> {
    use station::Transition;
    let mut all = every!(Transition {
        Started => [Transition::Started],
        HostUp => [],
        HostDown => [],
        StoreOk => [Transition::StoreOk],
        StoreFailing => [Transition::StoreFailing],
        RecordingStarted => [Transition::RecordingStarted],
        RecordingGrew => [Transition::RecordingGrew { bytes: 4_096 }],
        RecordingStopped => [Transition::RecordingStopped { bytes: 8_192 }],
        RecordingFailed => [Transition::RecordingFailed { is_always: true }],
        DiskLow => [Transition::DiskLow { free_bytes: 1_024 }],
        DiskFree => [Transition::DiskFree { free_bytes: 512 }],
        DiskOk => [Transition::DiskOk { free_bytes: 1 << 30 }],
        Operated => [],
        AlwaysRecording => [Transition::AlwaysRecording],
        Triggered => [Transition::Triggered {
            name: "boss".into(),
            entry: Seq(7),
            coalesced: 2,
            is_alert: true,
        }],
        OperationEnded => [Transition::OperationEnded { outcome: r#"{"mpp":"held"}"#.into() }],
        Marked => [],
        Notice => [],
        TurnedAway => [],
        TokenShown => [Transition::TokenShown { plugin: None }],
        Alert => [],
        Restarted => [Transition::Restarted],
        Stopping => [],
    });
    all.extend(
        links().into_iter().flat_map(|link| [Transition::HostUp { link }, Transition::HostDown { link }]),
    );
    let commands = [None, Some(r#"{"restart":{"link":"mpp"}}"#), None];
    all.extend(
        operators()
            .into_iter()
            .zip(commands)
            .map(|(by, command)| Transition::Operated { by, command: command.map(Into::into) }),
    );
    all.extend(
        operators()
            .into_iter()
            .zip([None, Some(Seq(7)), None])
            .map(|(by, entry)| Transition::Marked { by, entry }),
    );
    all.extend(operators().map(|by| Transition::Stopping { by }));
    let plugin = Some(rl_console::ids::PluginId::new("org.example.ticker"));
    all.push(Transition::TokenShown { plugin });
    all.extend(TurnedAway::ALL.map(|why| Transition::TurnedAway { why, count: 3 }));
    all.extend(alerts().into_iter().flat_map(|alert| {
        AlertChange::ALL.map(|change| Transition::Alert { change, alert: Arc::clone(&alert) })
    }));
    all.extend(levels().into_iter().map(|level| Transition::Notice { level }));
    all
}

/// One of each manner, with all that may be absent in one of them.
pub(crate) fn alerts() -> [Arc<Alert>; AlertManner::ALL.len()] {
    AlertManner::ALL.map(|manner| {
        let is_full = manner == AlertManner::Once;
        let maybe = |ms| is_full.then(|| Now::at_ms(ms));
        Arc::new(Alert {
            id: 7 + manner as u64,
            name: "adapter_gone".into(),
            link: Link::Mpp,
            subject: "127.0.0.1:50312".into(),
            manner,
            since: Now::at_ms(1_000),
            text: "adapter 127.0.0.1:50312 is gone".into(),
            last: is_full.then_some(9),
            is_quiet: is_full,
            raised_at: Now::at_ms(6_000),
            acknowledged_at: maybe(7_000),
            resolved_at: maybe(8_000),
        })
    })
}

fn frames() -> Vec<Frame> {
    let inbound = Frame {
        direction: Direction::Inbound,
        peer: peer(),
        head: Head::Mpp(mpp::Head::default()),
        verdict: Verdict::Mpp(mpp::Verdict::Accepted),
        wire_bytes: 70_000,
        redaction: Redaction::None,
        origin: None,
    };
    let mut verdicts =
        every!(Verdict { Sent => [Verdict::Sent], Mpp => [], Rmp => [], Macp => [], Plugin => [] });
    verdicts.extend(fixtures_rmp::verdicts());
    verdicts.extend(fixtures_macp::verdicts());
    verdicts.extend(fixtures_plugin::verdicts());
    let mpp_verdicts = {
        use mpp::Verdict;
        every!(Verdict { Accepted => [Verdict::Accepted], Refused => [], TooLate => [Verdict::TooLate] })
    };
    verdicts.extend(
        mpp_verdicts.into_iter().chain(faults().into_iter().map(mpp::Verdict::Refused)).map(Verdict::Mpp),
    );
    let heads = mpp::FrameType::ALL.into_iter().map(|kind| {
        let head = mpp::Head {
            kind: Some(kind),
            id: Some(InvocationId(0)),
            queue: Some(queue()),
            event: Some(event()),
        };
        every!(Head { Mpp => [Head::Mpp(head)], Rmp => [], Macp => [], Plugin => [] }).remove(0)
    });
    let redactions = every!(Redaction {
        None => [Redaction::None],
        Masked => [Redaction::Masked(Arc::from([0..2_u32, 5..9])), Redaction::Masked(Arc::from([]))],
        Withheld => [Redaction::Withheld],
    });
    let directions = every_plain!(Direction { Inbound, Outbound });
    let mut frames: Vec<_> =
        verdicts.into_iter().map(|verdict| Frame { verdict, ..inbound.clone() }).collect();
    frames.extend(
        heads
            .chain(fixtures_rmp::heads())
            .chain(fixtures_macp::heads())
            .chain(fixtures_plugin::heads())
            .map(|head| Frame { head, ..inbound.clone() }),
    );
    let origins = every_plain!(Door { Own, AsPeer, AsStation, Gate })
        .into_iter()
        .zip(operators().into_iter().cycle())
        .map(|(door, by)| {
            let by = by.unwrap_or_else(station::OperatedBy::own_console);
            Arc::new(FrameOrigin { by, door, number: 3, of: (door == Door::Own).then_some(Seq(9)) })
        });
    frames.extend(origins.map(|origin| Frame { origin: Some(origin), ..inbound.clone() }));
    frames.extend(redactions.into_iter().map(|redaction| Frame { redaction, ..inbound.clone() }));
    frames.extend(directions.into_iter().map(|direction| Frame { direction, ..inbound.clone() }));
    frames
}

/// Everything that an entry can say.
pub(crate) fn whats() -> Vec<What> {
    let mut all = every!(What {
        Frame => [],
        Transition => [],
        Intercepted => [],
        Passed => [],
        Committed => [What::Committed { through: Ticket(9) }],
        Unsent => [What::Unsent { frames: 2, bytes: 300 }],
        Loss => [What::Loss { count: 11 }],
    });
    all.extend(frames().into_iter().map(What::Frame));
    all.extend([None, Some(30_000)].into_iter().zip(frames()).map(|(hold_ms, frame)| {
        What::Intercepted(Box::new(Intercepted { number: 7, rule: 2, hold_ms, frame }))
    }));
    let ways = every_plain!(Passing { AsItWas, Edited, Dropped, TimedOut, Delayed, Duplicated, Cut });
    let by = operators().into_iter().cycle();
    all.extend(ways.into_iter().zip(by).map(|(how, by)| What::Passed(Passed { number: 7, how, by })));
    all.extend(mpp_transitions().into_iter().map(Transition::Mpp).map(What::Transition));
    all.extend(fixtures_rmp::transitions().into_iter().map(Transition::Rmp).map(What::Transition));
    all.extend(fixtures_runs::transitions().into_iter().map(Transition::Runs).map(What::Transition));
    all.extend(fixtures_macp::transitions().into_iter().map(Transition::Macp).map(What::Transition));
    all.extend(fixtures_plugin::transitions().into_iter().map(Transition::Plugin).map(What::Transition));
    all.extend(fixtures_mplp::transitions().into_iter().map(Transition::Mplp).map(What::Transition));
    all.extend(station_transitions().into_iter().map(Transition::Station).map(What::Transition));
    all
}

/// One entry of every kind.
pub(crate) fn entries() -> Vec<OwnedEntry> {
    let trace: TraceId = "0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap();
    let entry = |(n, what): (usize, What)| {
        let seq = Seq(n as u64 + 1);
        let link = match &what {
            What::Transition(Transition::Station(_)) => Link::Station,
            What::Transition(Transition::Runs(_)) => Link::Runs,
            What::Transition(Transition::Mplp(_)) => Link::Mplp,
            What::Transition(Transition::Macp(_)) | What::Frame(Frame { head: Head::Macp(_), .. }) => {
                Link::Macp
            }
            What::Transition(Transition::Plugin(_)) | What::Frame(Frame { head: Head::Plugin(_), .. }) => {
                Link::Plugin
            }
            What::Transition(Transition::Rmp(_)) | What::Frame(Frame { head: Head::Rmp(_), .. }) => Link::Rmp,
            _ => Link::Mpp,
        };
        let odd = n % 2 == 1;
        let entry = Entry {
            seq,
            at: Now::at_ms(seq.0),
            link,
            trace: odd.then_some(trace),
            cause: odd.then_some(Seq(n as u64)),
            what,
        };
        OwnedEntry { entry, bytes: format!("text {n}").into_bytes() }
    };
    whats().into_iter().enumerate().map(entry).collect()
}
