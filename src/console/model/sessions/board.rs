//! How a session stands, as two lists: what is to be decided, or who is to agree, with how each stands; and
//! who said what of it.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value as Json;

use crate::{
    macp::{DecisionView, MoveView, Opinion, Progress, RoundsView, SessionRef, SessionView, Tally, VoteView},
    port::SessionDetail,
    time::Wall,
};

/// Rows of either list of a session that is read from the store; `session show` has all.
const ROWS_MAX: usize = 1_000;

/// A proposal with what is thought of it; or a participant with what they hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PositionRow {
    pub(crate) session: SessionRef,
    /// The proposal's id, or the participant.
    pub(crate) subject: Arc<str>,
    /// The proposal, or the value; absent of one that nobody proposed, and of one who said nothing.
    pub(crate) value: Option<Arc<str>>,
    /// Who proposed it.
    pub(crate) by: Option<Arc<str>>,
    /// The round at which the value was taken.
    pub(crate) round: Option<u64>,
    /// How many hold the same value.
    pub(crate) equal: Option<u64>,
    pub(crate) votes: Tally,
    pub(crate) evaluations: Tally,
    pub(crate) objections: Tally,
    pub(crate) at: Option<Wall>,
}

/// What somebody does with a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StatementKind {
    Evaluates,
    Objects,
    Votes,
    Contributes,
}

impl StatementKind {
    /// Its names.
    pub(crate) const NAMES: &'static [&'static str] = &["evaluation", "objection", "vote", "contribution"];

    /// Its names in earlier versions, each with that of now.
    pub(crate) const OLD_NAMES: &'static [(&'static str, &'static str)] = &[
        ("evaluates", "evaluation"),
        ("objects", "objection"),
        ("votes", "vote"),
        ("contributes", "contribution"),
    ];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Evaluates => "evaluation",
            Self::Objects => "objection",
            Self::Votes => "vote",
            Self::Contributes => "contribution",
        }
    }
}

/// Who said what: an evaluation, an objection, a vote that counts, a contribution that made a round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatementRow {
    pub(crate) session: SessionRef,
    pub(crate) kind: StatementKind,
    /// Its place among those of its speech; of a vote, nothing: a sender has one.
    pub(crate) index: u64,
    pub(crate) by: Arc<str>,
    /// Of which proposal.
    pub(crate) of: Option<Arc<str>>,
    /// The recommendation, the severity, the vote; of a contribution its round.
    pub(crate) says: Arc<str>,
    /// How surely.
    pub(crate) confidence: Option<f64>,
    /// Why; of a contribution, the value.
    pub(crate) why: Arc<str>,
    pub(crate) at: Option<Wall>,
}

/// How a session of the store stood.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SessionBoard {
    pub(crate) positions: Vec<PositionRow>,
    /// The last first.
    pub(crate) statements: Vec<StatementRow>,
}

fn position(session: &SessionRef, what: &Arc<str>) -> PositionRow {
    PositionRow {
        session: session.clone(),
        subject: Arc::clone(what),
        value: None,
        by: None,
        round: None,
        equal: None,
        votes: Tally::default(),
        evaluations: Tally::default(),
        objections: Tally::default(),
        at: None,
    }
}

/// How a session stands that is shown.
pub(crate) fn positions_of(view: &SessionView) -> Vec<PositionRow> {
    match &view.progress {
        Progress::Decision(decision) => decision_positions(view, decision),
        Progress::Rounds(_) => round_positions(view),
    }
}

/// Who said what in a session that is shown, the last first.
pub(crate) fn statements_of(view: &SessionView) -> Vec<StatementRow> {
    let mut voices = match &view.progress {
        Progress::Decision(decision) => decision_statements(view, decision),
        Progress::Rounds(rounds) => round_statements(view, rounds),
    };
    // What was said at the same time stays in its order.
    voices.reverse();
    voices.sort_by_key(|voice| std::cmp::Reverse(voice.at));
    voices
}

/// The votes that count, by their senders.
fn votes_of(view: &SessionView) -> impl Iterator<Item = (&Arc<str>, &VoteView)> {
    view.senders.iter().filter_map(|(by, sender)| Some((by, sender.vote.as_ref()?)))
}

fn decision_positions(view: &SessionView, decision: &DecisionView) -> Vec<PositionRow> {
    let session = &view.session;
    let proposed = decision.proposals.iter().map(|it| PositionRow {
        value: Some(Arc::clone(&it.option)),
        by: Some(Arc::clone(&it.by)),
        evaluations: it.evaluations.clone(),
        objections: it.objections.clone(),
        at: Some(it.at.wall),
        ..position(session, &it.proposal)
    });
    let mut standings = ProposalTable::of(session, proposed.collect());
    for (_, vote) in votes_of(view) {
        standings.count_vote(&vote.proposal, &vote.vote);
    }
    standings.all
}

fn decision_statements(view: &SessionView, decision: &DecisionView) -> Vec<StatementRow> {
    let session = &view.session;
    let opinions = decision.opinions.len() as u64;
    let earlier = (decision.evaluations.total() + decision.objections.total()).saturating_sub(opinions);
    let opinions = decision.opinions.iter().zip(earlier..).map(|(it, place)| {
        let (speech, says, confidence) = match &it.opinion {
            Opinion::Evaluation { recommendation, confidence } => {
                (StatementKind::Evaluates, recommendation, Some(*confidence))
            }
            Opinion::Objection { severity } => (StatementKind::Objects, severity, None),
        };
        StatementRow {
            session: session.clone(),
            kind: speech,
            index: place,
            by: Arc::clone(&it.by),
            of: Some(Arc::clone(&it.proposal)),
            says: Arc::clone(says),
            confidence,
            why: Arc::clone(&it.reason),
            at: Some(it.at.wall),
        }
    });
    let votes = votes_of(view).map(|(by, vote)| StatementRow {
        session: session.clone(),
        kind: StatementKind::Votes,
        index: 0,
        by: Arc::clone(by),
        of: Some(Arc::clone(&vote.proposal)),
        says: Arc::clone(&vote.vote),
        confidence: None,
        why: Arc::clone(&vote.reason),
        at: Some(vote.at.wall),
    });
    opinions.chain(votes).collect()
}

fn round_positions(view: &SessionView) -> Vec<PositionRow> {
    let held = |who: &Arc<str>| view.senders.get(who).and_then(|sender| sender.contribution.as_ref());
    let participants: HashSet<&Arc<str>> = view.participants.iter().collect();
    let others = view.senders.keys().filter(|who| !participants.contains(who) && held(who).is_some());
    let stand = |who: &Arc<str>| match held(who) {
        Some(it) => PositionRow {
            value: Some(Arc::clone(&it.value)),
            round: Some(it.round),
            at: Some(it.at.wall),
            ..position(&view.session, who)
        },
        None => position(&view.session, who),
    };
    let mut standings: Vec<PositionRow> = view.participants.iter().chain(others).map(stand).collect();
    count_equal(&mut standings);
    standings
}

fn round_statements(view: &SessionView, rounds: &RoundsView) -> Vec<StatementRow> {
    let voice = |it: &MoveView| StatementRow {
        session: view.session.clone(),
        kind: StatementKind::Contributes,
        index: it.round,
        by: Arc::clone(&it.by),
        of: None,
        says: format!("round {}", it.round).into(),
        confidence: None,
        why: Arc::clone(&it.value),
        at: Some(it.at.wall),
    };
    rounds.moves.iter().map(voice).collect()
}

impl SessionBoard {
    /// A session as the store has it.
    pub(crate) fn stored(detail: &SessionDetail) -> Self {
        let progress: Json = serde_json::from_str(detail.progress.as_str()).unwrap_or_default();
        let session = SessionRef { number: detail.row.number, id: detail.row.session.as_str().into() };
        if let Some(contributions) = progress.get("contributions").and_then(Json::as_object) {
            let others = contributions.keys().filter(|who| !detail.listed.contains(who));
            let all = detail.listed.iter().chain(others);
            let mut standings: Vec<PositionRow> = all
                .map(|who| PositionRow {
                    value: contributions.get(who).and_then(Json::as_str).map(Arc::from),
                    ..position(&session, &Arc::from(who.as_str()))
                })
                .collect();
            standings.truncate(ROWS_MAX);
            count_equal(&mut standings);
            return Self { positions: standings, statements: Vec::new() };
        }
        Self::stored_decision(&session, &progress)
    }

    fn stored_decision(session: &SessionRef, progress: &Json) -> Self {
        let members = |name: &str| {
            progress.get(name).and_then(Json::as_object).into_iter().flat_map(|all| all.values())
        };
        let items = |name: &str| progress.get(name).and_then(Json::as_array).into_iter().flatten();
        let text = |it: &Json, name: &str| -> Arc<str> {
            it.get(name).and_then(Json::as_str).unwrap_or_default().into()
        };
        let proposed = members("proposals")
            .map(|it| PositionRow {
                value: Some(text(it, "option")),
                by: Some(text(it, "sender")),
                ..position(session, &text(it, "proposal_id"))
            })
            .take(ROWS_MAX);
        let mut standings = ProposalTable::of(session, proposed.collect());
        let voice = |it: &Json, speech, place, says: &str, why: &str| StatementRow {
            session: session.clone(),
            kind: speech,
            index: place,
            by: text(it, "sender"),
            of: Some(text(it, "proposal_id")),
            says: text(it, says),
            confidence: it.get("confidence").and_then(Json::as_f64),
            why: text(it, why),
            at: None,
        };
        let votes = members("votes").map(|it| voice(it, StatementKind::Votes, 0, "vote", "reason"));
        let evaluations = items("evaluations")
            .zip(0..)
            .map(|(it, place)| voice(it, StatementKind::Evaluates, place, "recommendation", "reason"));
        let objections = items("objections")
            .zip(0..)
            .map(|(it, place)| voice(it, StatementKind::Objects, place, "severity", "reason"));
        let mut statements: Vec<StatementRow> = votes.chain(objections).chain(evaluations).collect();
        for voice in &statements {
            let (Some(of), says) = (&voice.of, &voice.says) else { continue };
            match voice.kind {
                StatementKind::Votes => standings.count_vote(of, says),
                StatementKind::Evaluates => {
                    standings.find(of).into_iter().for_each(|known| known.evaluations.count(says));
                }
                StatementKind::Objects => {
                    standings.find(of).into_iter().for_each(|known| known.objections.count(says));
                }
                StatementKind::Contributes => {}
            }
        }
        statements.truncate(ROWS_MAX);
        Self { positions: standings.all, statements }
    }
}

/// Proposals, found by their ids.
struct ProposalTable<'a> {
    session: &'a SessionRef,
    all: Vec<PositionRow>,
    indexes: HashMap<Arc<str>, usize>,
}

impl<'a> ProposalTable<'a> {
    fn of(session: &'a SessionRef, all: Vec<PositionRow>) -> Self {
        let indexes = all.iter().enumerate().map(|(place, it)| (Arc::clone(&it.subject), place)).collect();
        Self { session, all, indexes }
    }

    fn find(&mut self, of: &Arc<str>) -> Option<&mut PositionRow> {
        self.all.get_mut(*self.indexes.get(of)?)
    }

    /// Counts a vote for its proposal. It need not be one that was made (ruling MACP 5).
    fn count_vote(&mut self, of: &Arc<str>, vote: &Arc<str>) {
        if let Some(known) = self.find(of) {
            known.votes.count(vote);
        } else if self.all.len() < ROWS_MAX {
            let mut new = position(self.session, of);
            new.votes.count(vote);
            self.indexes.insert(Arc::clone(of), self.all.len());
            self.all.push(new);
        }
    }
}

fn count_equal(standings: &mut [PositionRow]) {
    let mut holders: HashMap<Arc<str>, u64> = HashMap::new();
    for value in standings.iter().filter_map(|standing| standing.value.clone()) {
        *holders.entry(value).or_default() += 1;
    }
    for standing in standings {
        standing.equal = standing.value.as_ref().and_then(|own| holders.get(own).copied());
    }
}

/// Who is waited for: participants who have not voted, or not contributed.
pub(crate) fn awaited_participants(view: &SessionView) -> impl Iterator<Item = &Arc<str>> {
    let is_in = |who: &Arc<str>| {
        view.senders.get(who).is_some_and(|sender| match view.progress {
            Progress::Decision(_) => sender.vote.is_some(),
            Progress::Rounds(_) => sender.contribution.is_some(),
        })
    };
    view.participants.iter().filter(move |who| !is_in(who))
}

/// A tally in words: `2 approve, 1 reject`.
pub(crate) fn tally_text(tally: &Tally) -> String {
    let mut words: Vec<String> = tally.of.iter().map(|(what, count)| format!("{count} {what}")).collect();
    if tally.others > 0 {
        words.push(format!("{} others", tally.others));
    }
    words.join(", ")
}
