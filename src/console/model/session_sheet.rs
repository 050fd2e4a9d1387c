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
pub(crate) struct Stand {
    pub(crate) session: SessionRef,
    /// The proposal's id, or the participant.
    pub(crate) what: Arc<str>,
    /// What is proposed, or the value; absent of one that nobody proposed, and of one who said nothing.
    pub(crate) says: Option<Arc<str>>,
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
pub(crate) enum Speech {
    Evaluates,
    Objects,
    Votes,
    Contributes,
}

impl Speech {
    /// Its names.
    pub(crate) const NAMES: &'static [&'static str] = &["evaluates", "objects", "votes", "contributes"];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Evaluates => "evaluates",
            Self::Objects => "objects",
            Self::Votes => "votes",
            Self::Contributes => "contributes",
        }
    }
}

/// Who said what: an evaluation, an objection, a vote that counts, a contribution that made a round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Voice {
    pub(crate) session: SessionRef,
    pub(crate) speech: Speech,
    /// Its place among those of its speech; of a vote, nothing: a sender has one.
    pub(crate) place: u64,
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
pub(crate) struct Sheet {
    pub(crate) standings: Vec<Stand>,
    /// The last first.
    pub(crate) voices: Vec<Voice>,
}

fn standing(session: &SessionRef, what: &Arc<str>) -> Stand {
    Stand {
        session: session.clone(),
        what: Arc::clone(what),
        says: None,
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
pub(crate) fn standings_of(view: &SessionView) -> Vec<Stand> {
    match &view.progress {
        Progress::Decision(decision) => standings_of_decision(view, decision),
        Progress::Rounds(_) => standings_of_rounds(view),
    }
}

/// Who said what in a session that is shown, the last first.
pub(crate) fn voices_of(view: &SessionView) -> Vec<Voice> {
    let mut voices = match &view.progress {
        Progress::Decision(decision) => voices_of_decision(view, decision),
        Progress::Rounds(rounds) => voices_of_rounds(view, rounds),
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

fn standings_of_decision(view: &SessionView, decision: &DecisionView) -> Vec<Stand> {
    let session = &view.session;
    let proposed = decision.proposals.iter().map(|it| Stand {
        says: Some(Arc::clone(&it.option)),
        by: Some(Arc::clone(&it.by)),
        evaluations: it.evaluations.clone(),
        objections: it.objections.clone(),
        at: Some(it.at.wall),
        ..standing(session, &it.proposal)
    });
    let mut standings = Standings::of(session, proposed.collect());
    for (_, vote) in votes_of(view) {
        standings.voted(&vote.proposal, &vote.vote);
    }
    standings.all
}

fn voices_of_decision(view: &SessionView, decision: &DecisionView) -> Vec<Voice> {
    let session = &view.session;
    let opinions = decision.opinions.len() as u64;
    let earlier = (decision.evaluations.total() + decision.objections.total()).saturating_sub(opinions);
    let opinions = decision.opinions.iter().zip(earlier..).map(|(it, place)| {
        let (speech, says, confidence) = match &it.opinion {
            Opinion::Evaluation { recommendation, confidence } => {
                (Speech::Evaluates, recommendation, Some(*confidence))
            }
            Opinion::Objection { severity } => (Speech::Objects, severity, None),
        };
        Voice {
            session: session.clone(),
            speech,
            place,
            by: Arc::clone(&it.by),
            of: Some(Arc::clone(&it.proposal)),
            says: Arc::clone(says),
            confidence,
            why: Arc::clone(&it.reason),
            at: Some(it.at.wall),
        }
    });
    let votes = votes_of(view).map(|(by, vote)| Voice {
        session: session.clone(),
        speech: Speech::Votes,
        place: 0,
        by: Arc::clone(by),
        of: Some(Arc::clone(&vote.proposal)),
        says: Arc::clone(&vote.vote),
        confidence: None,
        why: Arc::clone(&vote.reason),
        at: Some(vote.at.wall),
    });
    opinions.chain(votes).collect()
}

fn standings_of_rounds(view: &SessionView) -> Vec<Stand> {
    let held = |who: &Arc<str>| view.senders.get(who).and_then(|sender| sender.contribution.as_ref());
    let participants: HashSet<&Arc<str>> = view.participants.iter().collect();
    let others = view.senders.keys().filter(|who| !participants.contains(who) && held(who).is_some());
    let stand = |who: &Arc<str>| match held(who) {
        Some(it) => Stand {
            says: Some(Arc::clone(&it.value)),
            round: Some(it.round),
            at: Some(it.at.wall),
            ..standing(&view.session, who)
        },
        None => standing(&view.session, who),
    };
    let mut standings: Vec<Stand> = view.participants.iter().chain(others).map(stand).collect();
    count_equal(&mut standings);
    standings
}

fn voices_of_rounds(view: &SessionView, rounds: &RoundsView) -> Vec<Voice> {
    let voice = |it: &MoveView| Voice {
        session: view.session.clone(),
        speech: Speech::Contributes,
        place: it.round,
        by: Arc::clone(&it.by),
        of: None,
        says: format!("round {}", it.round).into(),
        confidence: None,
        why: Arc::clone(&it.value),
        at: Some(it.at.wall),
    };
    rounds.moves.iter().map(voice).collect()
}

impl Sheet {
    /// A session as the store has it.
    pub(crate) fn stored(detail: &SessionDetail) -> Self {
        let progress: Json = serde_json::from_str(detail.progress.as_str()).unwrap_or_default();
        let session = SessionRef { number: detail.row.number, id: detail.row.session.as_str().into() };
        if let Some(contributions) = progress.get("contributions").and_then(Json::as_object) {
            let others = contributions.keys().filter(|who| !detail.listed.contains(who));
            let all = detail.listed.iter().chain(others);
            let mut standings: Vec<Stand> = all
                .map(|who| Stand {
                    says: contributions.get(who).and_then(Json::as_str).map(Arc::from),
                    ..standing(&session, &Arc::from(who.as_str()))
                })
                .collect();
            standings.truncate(ROWS_MAX);
            count_equal(&mut standings);
            return Self { standings, voices: Vec::new() };
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
            .map(|it| Stand {
                says: Some(text(it, "option")),
                by: Some(text(it, "sender")),
                ..standing(session, &text(it, "proposal_id"))
            })
            .take(ROWS_MAX);
        let mut standings = Standings::of(session, proposed.collect());
        let voice = |it: &Json, speech, place, says: &str, why: &str| Voice {
            session: session.clone(),
            speech,
            place,
            by: text(it, "sender"),
            of: Some(text(it, "proposal_id")),
            says: text(it, says),
            confidence: it.get("confidence").and_then(Json::as_f64),
            why: text(it, why),
            at: None,
        };
        let votes = members("votes").map(|it| voice(it, Speech::Votes, 0, "vote", "reason"));
        let evaluations = items("evaluations")
            .zip(0..)
            .map(|(it, place)| voice(it, Speech::Evaluates, place, "recommendation", "reason"));
        let objections = items("objections")
            .zip(0..)
            .map(|(it, place)| voice(it, Speech::Objects, place, "severity", "reason"));
        let mut voices: Vec<Voice> = votes.chain(objections).chain(evaluations).collect();
        for voice in &voices {
            let (Some(of), says) = (&voice.of, &voice.says) else { continue };
            match voice.speech {
                Speech::Votes => standings.voted(of, says),
                Speech::Evaluates => {
                    standings.find(of).into_iter().for_each(|known| known.evaluations.count(says))
                }
                Speech::Objects => {
                    standings.find(of).into_iter().for_each(|known| known.objections.count(says))
                }
                Speech::Contributes => {}
            }
        }
        voices.truncate(ROWS_MAX);
        Self { standings: standings.all, voices }
    }
}

/// Proposals, found by their ids.
struct Standings<'a> {
    session: &'a SessionRef,
    all: Vec<Stand>,
    places: HashMap<Arc<str>, usize>,
}

impl<'a> Standings<'a> {
    fn of(session: &'a SessionRef, all: Vec<Stand>) -> Self {
        let places = all.iter().enumerate().map(|(place, it)| (Arc::clone(&it.what), place)).collect();
        Self { session, all, places }
    }

    fn find(&mut self, of: &Arc<str>) -> Option<&mut Stand> {
        self.all.get_mut(*self.places.get(of)?)
    }

    /// Counts a vote for its proposal. It need not be one that was made (ruling MACP 5).
    fn voted(&mut self, of: &Arc<str>, vote: &Arc<str>) {
        if let Some(known) = self.find(of) {
            known.votes.count(vote);
        } else if self.all.len() < ROWS_MAX {
            let mut new = standing(self.session, of);
            new.votes.count(vote);
            self.places.insert(Arc::clone(of), self.all.len());
            self.all.push(new);
        }
    }
}

fn count_equal(standings: &mut [Stand]) {
    let mut holders: HashMap<Arc<str>, u64> = HashMap::new();
    for value in standings.iter().filter_map(|standing| standing.says.clone()) {
        *holders.entry(value).or_default() += 1;
    }
    for standing in standings {
        standing.equal = standing.says.as_ref().and_then(|own| holders.get(own).copied());
    }
}

/// Who is waited for: participants who have not voted, or not contributed.
pub(crate) fn waited_for(view: &SessionView) -> impl Iterator<Item = &Arc<str>> {
    let is_in = |who: &Arc<str>| {
        view.senders.get(who).is_some_and(|sender| match view.progress {
            Progress::Decision(_) => sender.vote.is_some(),
            Progress::Rounds(_) => sender.contribution.is_some(),
        })
    };
    view.participants.iter().filter(move |who| !is_in(who))
}

/// A tally in words: `2 approve, 1 reject`.
pub(crate) fn tally_words(tally: &Tally) -> String {
    let mut words: Vec<String> = tally.of.iter().map(|(what, count)| format!("{count} {what}")).collect();
    if tally.others > 0 {
        words.push(format!("{} others", tally.others));
    }
    words.join(", ")
}
