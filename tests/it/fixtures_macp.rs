//! One value of every variant of what the MACP runtime is told in. A new variant does not compile until it
//! has one.

use std::{collections::BTreeMap, sync::Arc};

use rl_console::{
    ids::Peer,
    macp::{
        Answered, ClientView, Code, ContributionView, DecisionView, Effect, EndView, Ending, Fault, Head,
        Listener, Mode, MoveView, Opinion, OpinionView, Phase, Progress, ProposalView, RoundsView, Rpc,
        SenderView, SessionRef, SessionView, Snapshot, Status, Tally, Totals, Transition, TurnAwayCause,
        Verdict, VoteView,
    },
    tap::entry::{Head as AnyHead, Verdict as AnyVerdict},
    time::{Now, Wall},
};

fn session() -> SessionRef {
    SessionRef { number: 7, id: Arc::from("s-7") }
}

fn text(text: &str) -> Arc<str> {
    Arc::from(text)
}

pub(crate) fn heads() -> impl Iterator<Item = AnyHead> {
    let mut answers = every!(Answered {
        Ok => [Answered::Ok],
        Duplicate => [Answered::Duplicate],
        Refused => [],
        Status => [],
    });
    answers.extend(Code::ALL.iter().copied().map(Answered::Refused));
    answers.extend(Status::ALL.iter().copied().map(Answered::Status));
    let answered = answers.into_iter().map(|answer| Head { answer: Some(answer), ..Head::new(Rpc::Send) });
    let whole = Head {
        session: Some(text("s-7")),
        message_type: Some(text("Vote")),
        message_id: Some(text("m-1")),
        sender: Some(text("alice")),
        ..Head::new(Rpc::StreamSession)
    };
    let plain = Rpc::ALL.iter().copied().map(Head::new);
    plain.chain(answered).chain([whole]).map(AnyHead::Macp)
}

pub(crate) fn verdicts() -> impl Iterator<Item = AnyVerdict> {
    let mut all = every!(Verdict {
        Accepted => [Verdict::Accepted],
        Duplicate => [Verdict::Duplicate],
        Refused => [],
        Declined => [],
    });
    all.extend(Fault::ALL.iter().copied().map(Verdict::Refused));
    all.extend(Status::ALL.iter().copied().map(Verdict::Declined));
    all.into_iter().map(AnyVerdict::Macp)
}

fn effects() -> Vec<Effect> {
    every!(Effect {
        Nothing => [Effect::Nothing],
        Proposed => [Effect::Proposed { proposal: text("p1") }],
        Evaluated => [Effect::Evaluated { proposal: text("p1"), recommendation: text("APPROVE"), confidence: 0.95 }],
        Objected => [Effect::Objected { proposal: text("p1"), severity: text("high") }],
        Voted => [Effect::Voted { proposal: text("p1"), vote: text("approve") }],
        Committed => [Effect::Committed],
        LegacyResolved => [Effect::LegacyResolved],
        Contributed => [Effect::Contributed { round: 3 }],
    })
}

pub(crate) fn transitions() -> Vec<Transition> {
    let opened = |mode| Transition::Opened {
        session: session(),
        mode,
        by: text("alice"),
        participants: 2,
        expires_at: Wall(60_000),
        intent: text("which way"),
        listed: [text("bob"), text("carol")].into(),
    };
    let mut all = every!(Transition {
        Listening => [Transition::Listening { addr: "127.0.0.1:50051".parse().unwrap() }],
        NotListening => [Transition::NotListening],
        Streaming => [Transition::Streaming { session: session(), streams: 2 }],
        Introduced => [Transition::Introduced { peer: Peer::new("127.0.0.1:1"), client: text("agent") }],
        TurnedAway => [],
        Opened => [],
        Accepted => [],
        Ended => [],
        Evicted => [Transition::Evicted { session: session() }],
    });
    all.extend(Mode::ALL.iter().copied().map(opened));
    let turned_away = |cause| Transition::TurnedAway { peer: Peer::new("127.0.0.1:1"), cause };
    all.extend(TurnAwayCause::ALL.iter().copied().map(turned_away));
    all.extend(effects().into_iter().map(|effect| Transition::Accepted {
        session: session(),
        by: text("bob"),
        effect,
    }));
    all.extend(Ending::ALL.iter().copied().map(|ending| Transition::Ended { session: session(), ending }));
    all
}

fn tally() -> Tally {
    Tally { of: vec![(text("APPROVE"), 2), (text(""), 1)], others: 4 }
}

fn view(number: u64, progress: Progress) -> SessionView {
    let at = Now::at_ms(number);
    let vote = VoteView { proposal: text("p1"), vote: text("approve"), reason: text("well"), at };
    let contribution = ContributionView { value: text("a"), round: 2, at };
    SessionView {
        session: SessionRef { number, id: text("s") },
        mode: if matches!(progress, Progress::Decision(_)) { Mode::Decision } else { Mode::MultiRound },
        by: text("alice"),
        intent: text("what to do"),
        participants: [text("bob"), text("alice")].into(),
        allowed: 2,
        started_at: at,
        expires_at: Wall(9),
        end: None,
        messages: 3,
        last_at: at,
        senders: BTreeMap::from([
            (text("alice"), SenderView { messages: 2, vote: Some(vote), contribution: None }),
            (text("bob"), SenderView { messages: 1, vote: None, contribution: Some(contribution) }),
        ]),
        more_senders: 1,
        trace: Some("0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap()),
        streams: 3,
        progress,
    }
}

fn progresses() -> Vec<Progress> {
    let at = Now::at_ms(4);
    let opinion =
        |opinion| OpinionView { by: text("bob"), at, proposal: text("p1"), opinion, reason: text("why") };
    let proposal = ProposalView {
        proposal: text("p1"),
        option: text("go"),
        by: text("alice"),
        at,
        evaluations: tally(),
        objections: Tally::default(),
    };
    let opinions = every!(Opinion {
        Evaluation => [Opinion::Evaluation { recommendation: text("APPROVE"), confidence: 1.0 }],
        Objection => [Opinion::Objection { severity: text("low") }],
    });
    let mut all = every!(Progress {
        Decision => [],
        Rounds => [Progress::Rounds(RoundsView {
            round: 2,
            moves: [MoveView { round: 2, by: text("bob"), value: text("a"), at }].into(),
        })],
    });
    all.extend(Phase::ALL.iter().map(|phase| {
        Progress::Decision(DecisionView {
            phase: *phase,
            proposals: vec![proposal.clone()],
            more_proposals: 1,
            opinions: opinions.iter().cloned().map(opinion).collect(),
            evaluations: tally(),
            objections: tally(),
        })
    }));
    all
}

pub(crate) fn snapshots() -> Vec<Snapshot> {
    let listeners = every!(Listener {
        Starting => [Listener::Starting],
        Listening => [Listener::Listening("127.0.0.1:50051".parse().unwrap())],
        Down => [Listener::Down(text("taken"))],
    });
    let mut all: Vec<_> =
        listeners.into_iter().map(|listener| Snapshot { listener, ..Snapshot::default() }).collect();
    let mut full = Snapshot {
        clients: [ClientView { peer: Peer::new("127.0.0.1:1"), client: text("agent"), at: Now::at_ms(3) }]
            .into(),
        totals: Totals {
            open: 1,
            started: 2,
            resolved: 3,
            expired: 4,
            cancelled: 5,
            accepted: 6,
            duplicates: 7,
            refused: 8,
            signals: 9,
        },
        ..Snapshot::default()
    };
    for (number, progress) in (1..).zip(progresses()) {
        full.sessions.insert(number, view(number, progress));
    }
    for (number, ending) in (20..).zip(Ending::ALL) {
        let mut ended = view(number, Progress::Rounds(RoundsView::default()));
        // The later number ended earlier.
        let at = Now::at_ms(100 - number);
        ended.end = Some(EndView { ending, at, text: text("{}"), evicted: number % 2 == 0 });
        full.sessions.insert(number, ended);
        full.ended.push_front(number);
    }
    all.push(full);
    all
}
