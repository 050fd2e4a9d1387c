//! Carries a snapshot on by the tap's entries. Live, attached and replayed views are all made by this one
//! fold.

use std::{collections::VecDeque, sync::Arc};

use super::{
    envelope::SIGNAL,
    snapshot::{
        ClientView, ContributionView, DecisionView, EndView, Listener, MoveView, Opinion, OpinionView,
        Progress, ProposalView, RoundsView, SenderView, SessionView, Snapshot, Tally, Totals, VoteView,
    },
};
use crate::{
    ids::{Peer, TraceId},
    limits,
    tap::entry::{
        Direction, Entry, Frame, Head as AnyHead, Transition as Any, Verdict as AnyVerdict, What,
        macp::{Effect, Ending, Head, Mode, Phase, Transition, Verdict},
    },
    time::Now,
    words,
};

impl Snapshot {
    /// Takes in one entry of the runtime's link that follows this snapshot; entries of other links change
    /// nothing. `text` is what lies beside a transition. A snapshot at any moment and the entries behind
    /// it make the host's own, within the windows that `limits` sets.
    pub fn apply(&mut self, entry: &Entry, text: &str, limits: &limits::Macp) {
        match &entry.what {
            What::Frame(Frame {
                direction: Direction::Inbound,
                head: AnyHead::Macp(head),
                verdict: AnyVerdict::Macp(verdict),
                ..
            }) => {
                self.record_call(head, *verdict);
            }
            What::Transition(Any::Macp(transition)) => {
                self.follow(transition, entry.trace, entry.at, text, limits);
            }
            _ => {}
        }
    }

    /// Takes in one call that follows this snapshot.
    pub fn record_call(&mut self, head: &Head, verdict: Verdict) {
        match verdict {
            Verdict::Accepted => {
                self.totals.signals += u64::from(head.message_type.as_deref() == Some(SIGNAL));
            }
            Verdict::Duplicate => self.totals.duplicates += 1,
            Verdict::Refused(_) | Verdict::Declined(_) => self.totals.refused += 1,
        }
    }

    /// Takes in one transition that follows this snapshot.
    pub fn follow(
        &mut self,
        transition: &Transition,
        trace: Option<TraceId>,
        at: Now,
        text: &str,
        limits: &limits::Macp,
    ) {
        match transition {
            Transition::Listening { addr } => self.listener = Listener::Listening(*addr),
            Transition::NotListening => self.listener = Listener::Down(Arc::from(text)),
            Transition::Introduced { peer, client } => self.on_introduced(peer, client, at, limits),
            Transition::TurnedAway { .. } => {}
            Transition::Opened { session, mode, by, participants, expires_at, intent, listed } => {
                let view = SessionView {
                    session: session.clone(),
                    mode: *mode,
                    by: Arc::clone(by),
                    intent: Arc::clone(intent),
                    participants: Arc::clone(listed),
                    allowed: *participants,
                    started_at: at,
                    expires_at: *expires_at,
                    end: None,
                    messages: 0,
                    last_at: at,
                    senders: std::collections::BTreeMap::new(),
                    more_senders: 0,
                    trace,
                    streams: 0,
                    progress: match mode {
                        Mode::Decision => Progress::Decision(DecisionView::new()),
                        Mode::MultiRound => Progress::Rounds(RoundsView::default()),
                    },
                };
                self.on_opened(view, limits);
            }
            Transition::Accepted { session, by, effect } => {
                self.totals.accepted += 1;
                if let Some(view) = self.sessions.get_mut(&session.number) {
                    view.accept(by, effect, at, &visible_text(text, limits), limits);
                }
            }
            Transition::Ended { session, ending } => {
                self.totals.count_end(*ending);
                if let Some(view) = self.sessions.get_mut(&session.number) {
                    view.end = Some(EndView {
                        ending: *ending,
                        at,
                        text: visible_text(text, limits),
                        evicted: false,
                    });
                    self.ended_at(session.number, at);
                }
            }
            Transition::Streaming { session, streams } => {
                if let Some(view) = self.sessions.get_mut(&session.number) {
                    view.streams = *streams;
                }
            }
            Transition::Evicted { session } => {
                if let Some(end) = self.sessions.get_mut(&session.number).and_then(|view| view.end.as_mut()) {
                    end.evicted = true;
                }
            }
        }
    }

    fn on_opened(&mut self, view: SessionView, limits: &limits::Macp) {
        self.totals.open += 1;
        self.totals.started += 1;
        self.sessions.insert(view.session.number, view);
        self.keep_within(limits);
    }

    fn on_introduced(&mut self, peer: &Peer, client: &Arc<str>, at: Now, limits: &limits::Macp) {
        self.clients.retain(|known| known.peer != *peer);
        self.clients.push_back(ClientView { peer: peer.clone(), client: Arc::clone(client), at });
        bound(&mut self.clients, limits.shown_clients_max);
    }

    /// Keeps the order of the ends: by time, then by number.
    fn ended_at(&mut self, number: u64, at: Now) {
        let is_before = |other: &u64| {
            let end = self.sessions.get(other).and_then(|view| view.end.as_ref());
            end.is_none_or(|end| (end.at.mono, *other) < (at.mono, number))
        };
        let place = self.ended.iter().rposition(is_before).map_or(0, |place| place + 1);
        self.ended.insert(place, number);
    }

    /// Lets go of what does not fit the window.
    fn keep_within(&mut self, limits: &limits::Macp) {
        while self.sessions.len() as u64 > limits.shown_max {
            match self.ended.pop_front() {
                Some(number) => drop(self.sessions.remove(&number)),
                None => drop(self.sessions.pop_first()),
            }
        }
    }
}

impl SessionView {
    fn accept(&mut self, by: &Arc<str>, effect: &Effect, at: Now, text: &Arc<str>, limits: &limits::Macp) {
        self.messages += 1;
        self.last_at = at;
        match &mut self.progress {
            Progress::Decision(decision) => decision.take(by, effect, at, text, limits),
            Progress::Rounds(rounds) => rounds.take(by, effect, at, text, limits),
        }
        let has_room = (self.senders.len() as u64) < limits.shown_senders_max;
        let sender = match self.senders.get_mut(by) {
            Some(sender) => sender,
            None if has_room => self.senders.entry(Arc::clone(by)).or_default(),
            None => {
                self.more_senders += 1;
                return;
            }
        };
        sender.take(effect, at, text);
    }
}

impl SenderView {
    fn take(&mut self, effect: &Effect, at: Now, text: &Arc<str>) {
        self.messages += 1;
        match effect {
            Effect::Voted { proposal, vote } => {
                let (proposal, vote, reason) = (Arc::clone(proposal), Arc::clone(vote), Arc::clone(text));
                self.vote = Some(VoteView { proposal, vote, reason, at });
            }
            Effect::Contributed { round } => {
                let before = self.contribution.take().filter(|before| before.value == *text);
                let round = before.map_or(*round, |before| before.round);
                self.contribution = Some(ContributionView { value: Arc::clone(text), round, at });
            }
            _ => {}
        }
    }
}

impl DecisionView {
    /// A decision that waits for proposals.
    #[must_use]
    pub fn new() -> Self {
        Self {
            phase: Phase::Proposal,
            proposals: Vec::new(),
            more_proposals: 0,
            opinions: VecDeque::new(),
            evaluations: Tally::default(),
            objections: Tally::default(),
        }
    }

    fn take(&mut self, by: &Arc<str>, effect: &Effect, at: Now, text: &Arc<str>, limits: &limits::Macp) {
        self.phase = effect.phase(self.phase);
        match effect {
            Effect::Proposed { proposal } => self.propose(proposal, by, at, text, limits),
            Effect::Evaluated { proposal, recommendation, confidence } => {
                self.evaluations.count(recommendation);
                if let Some(view) = self.proposal(proposal) {
                    view.evaluations.count(recommendation);
                }
                let opinion = Opinion::Evaluation {
                    recommendation: Arc::clone(recommendation),
                    confidence: *confidence,
                };
                self.keep(
                    OpinionView {
                        by: Arc::clone(by),
                        at,
                        proposal: Arc::clone(proposal),
                        opinion,
                        reason: Arc::clone(text),
                    },
                    limits,
                );
            }
            Effect::Objected { proposal, severity } => {
                self.objections.count(severity);
                if let Some(view) = self.proposal(proposal) {
                    view.objections.count(severity);
                }
                let opinion = Opinion::Objection { severity: Arc::clone(severity) };
                self.keep(
                    OpinionView {
                        by: Arc::clone(by),
                        at,
                        proposal: Arc::clone(proposal),
                        opinion,
                        reason: Arc::clone(text),
                    },
                    limits,
                );
            }
            Effect::Nothing
            | Effect::Voted { .. }
            | Effect::Committed
            | Effect::LegacyResolved
            | Effect::Contributed { .. } => {}
        }
    }

    fn propose(
        &mut self,
        proposal: &Arc<str>,
        by: &Arc<str>,
        at: Now,
        text: &Arc<str>,
        limits: &limits::Macp,
    ) {
        if let Some(known) = self.proposal(proposal) {
            (known.option, known.by, known.at) = (Arc::clone(text), Arc::clone(by), at);
        } else if (self.proposals.len() as u64) < limits.shown_proposals_max {
            self.proposals.push(ProposalView {
                proposal: Arc::clone(proposal),
                option: Arc::clone(text),
                by: Arc::clone(by),
                at,
                evaluations: Tally::default(),
                objections: Tally::default(),
            });
        } else {
            self.more_proposals += 1;
        }
    }

    fn proposal(&mut self, proposal: &str) -> Option<&mut ProposalView> {
        self.proposals.iter_mut().find(|view| &*view.proposal == proposal)
    }

    fn keep(&mut self, opinion: OpinionView, limits: &limits::Macp) {
        self.opinions.push_back(opinion);
        bound(&mut self.opinions, limits.shown_opinions_max);
    }
}

impl Default for DecisionView {
    fn default() -> Self {
        Self::new()
    }
}

impl Totals {
    /// Counts the end of a session that was open.
    fn count_end(&mut self, ending: Ending) {
        self.open = self.open.saturating_sub(1);
        match ending {
            Ending::Resolved => self.resolved += 1,
            Ending::Cancelled => self.cancelled += 1,
            Ending::TtlExpired | Ending::LogDamaged => self.expired += 1,
        }
    }
}

impl RoundsView {
    fn take(&mut self, by: &Arc<str>, effect: &Effect, at: Now, text: &Arc<str>, limits: &limits::Macp) {
        let Effect::Contributed { round } = effect else { return };
        if *round > self.round {
            self.moves.push_back(MoveView { round: *round, by: Arc::clone(by), value: Arc::clone(text), at });
            bound(&mut self.moves, limits.shown_opinions_max);
        }
        self.round = *round;
    }
}

fn bound<T>(items: &mut VecDeque<T>, max: u64) {
    while items.len() as u64 > max {
        items.pop_front();
    }
}

/// A text as it is shown: no more than the limit.
fn visible_text(text: &str, limits: &limits::Macp) -> Arc<str> {
    Arc::from(words::cut(text, limits.shown_text_bytes_max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        tap::entry::macp::SessionRef,
        time::{Mono, Wall},
    };

    /// A snapshot within bounds of three each.
    struct TestSnapshot {
        snapshot: Snapshot,
        limits: limits::Macp,
        ms: u64,
    }

    impl TestSnapshot {
        fn new() -> Self {
            let limits = limits::Macp {
                shown_max: 3,
                shown_clients_max: 3,
                shown_senders_max: 3,
                shown_proposals_max: 3,
                shown_opinions_max: 3,
                ..limits::Macp::default()
            };
            Self { snapshot: Snapshot::default(), limits, ms: 0 }
        }

        fn follow(&mut self, transition: &Transition, text: &str) {
            self.ms += 1;
            self.snapshot.follow(
                transition,
                None,
                Now { mono: Mono(self.ms * 1_000_000), wall: Wall(self.ms) },
                text,
                &self.limits,
            );
        }

        fn open(&mut self, number: u64, mode: Mode) {
            let opened = Transition::Opened {
                session: session(number),
                mode,
                by: "a".into(),
                participants: 0,
                expires_at: Wall(9_000),
                intent: Arc::default(),
                listed: Arc::default(),
            };
            self.follow(&opened, "{}");
        }

        fn accept(&mut self, by: &str, effect: Effect) {
            self.follow(&Transition::Accepted { session: session(1), by: by.into(), effect }, "text");
        }

        fn numbers(&self) -> Vec<u64> {
            self.snapshot.sessions.keys().copied().collect()
        }
    }

    fn session(number: u64) -> SessionRef {
        SessionRef { number, id: format!("s{number}").into() }
    }

    #[test]
    fn sessions_that_ended_first_make_room_then_the_oldest_that_are_open() {
        let mut shown = TestSnapshot::new();
        (1..=3).for_each(|number| shown.open(number, Mode::Decision));
        for number in [3, 2] {
            shown.follow(&Transition::Ended { session: session(number), ending: Ending::Cancelled }, "");
        }
        shown.open(4, Mode::Decision);
        assert_eq!(shown.numbers(), [1, 2, 4]);
        shown.open(5, Mode::Decision);
        assert_eq!(shown.numbers(), [1, 4, 5]);
        shown.open(6, Mode::Decision);
        assert_eq!(
            (shown.numbers(), shown.snapshot.totals.open),
            (vec![4, 5, 6], 4),
            "what is not shown is counted"
        );
    }

    #[test]
    fn clients_heard_longest_ago_make_room() {
        let mut shown = TestSnapshot::new();
        for peer in ["1", "2", "3", "1", "4"] {
            shown.follow(&Transition::Introduced { peer: Peer::new(peer), client: "c".into() }, "");
        }
        assert_eq!(
            shown.snapshot.clients.iter().map(|client| client.peer.as_str()).collect::<Vec<_>>(),
            ["3", "1", "4"]
        );
    }

    #[test]
    fn senders_and_proposals_past_their_bounds_are_counted() {
        let mut shown = TestSnapshot::new();
        shown.open(1, Mode::Decision);
        for n in 0..5 {
            shown.accept(&format!("a{n}"), Effect::Proposed { proposal: format!("p{n}").into() });
        }
        shown.accept("a1", Effect::Proposed { proposal: "p1".into() });
        let view = &shown.snapshot.sessions[&1];
        assert_eq!(view.senders.keys().map(|it| &**it).collect::<Vec<_>>(), ["a0", "a1", "a2"]);
        assert_eq!((view.more_senders, view.messages, view.senders["a1"].messages), (2, 6, 2));
        let Progress::Decision(decision) = &view.progress else { panic!() };
        assert_eq!(decision.proposals.iter().map(|it| &*it.proposal).collect::<Vec<_>>(), ["p0", "p1", "p2"]);
        assert_eq!(decision.more_proposals, 2);
    }

    #[test]
    fn the_oldest_opinions_and_rounds_make_room() {
        let mut shown = TestSnapshot::new();
        shown.open(1, Mode::Decision);
        for n in 0..5 {
            shown.accept("a", Effect::Objected { proposal: format!("p{n}").into(), severity: "low".into() });
        }
        let Progress::Decision(decision) = &shown.snapshot.sessions[&1].progress else { panic!() };
        assert_eq!(decision.opinions.iter().map(|it| &*it.proposal).collect::<Vec<_>>(), ["p2", "p3", "p4"]);
        assert_eq!(decision.objections.total(), 5);
        let mut shown = TestSnapshot::new();
        shown.open(1, Mode::MultiRound);
        (1..=5).for_each(|round| shown.accept("a", Effect::Contributed { round }));
        let Progress::Rounds(rounds) = &shown.snapshot.sessions[&1].progress else { panic!() };
        assert_eq!(
            (rounds.round, rounds.moves.iter().map(|it| it.round).collect::<Vec<_>>()),
            (5, vec![3, 4, 5])
        );
    }
}
