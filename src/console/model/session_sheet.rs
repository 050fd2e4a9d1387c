//! How a session stands, as two lists: what is to be decided, or who is to agree, with how each stands; and who said what of it.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::{
    macp::{DecisionView, Opinion, Progress, RoundsView, SessionRef, SessionView, Tally},
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

/// How a session stands.
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

impl Sheet {
    /// A session as it is shown.
    pub(crate) fn of(view: &SessionView) -> Self {
        let mut sheet = match &view.progress {
            Progress::Decision(decision) => Self::of_decision(view, decision),
            Progress::Rounds(rounds) => Self::of_rounds(view, rounds),
        };
        // What was said at the same time stays in its order.
        sheet.voices.reverse();
        sheet.voices.sort_by_key(|voice| std::cmp::Reverse(voice.at));
        sheet
    }

    fn of_decision(view: &SessionView, decision: &DecisionView) -> Self {
        let session = &view.session;
        let mut standings: Vec<Stand> = decision
            .proposals
            .iter()
            .map(|it| Stand {
                says: Some(Arc::clone(&it.option)),
                by: Some(Arc::clone(&it.by)),
                evaluations: it.evaluations.clone(),
                objections: it.objections.clone(),
                at: Some(it.at.wall),
                ..standing(session, &it.proposal)
            })
            .collect();
        let votes = view.senders.iter().filter_map(|(by, sender)| Some((by, sender.vote.as_ref()?)));
        for (_, vote) in votes.clone() {
            voted(&mut standings, session, &vote.proposal, &vote.vote);
        }
        let opinions = decision.opinions.len() as u64;
        let earlier = (decision.evaluations.total() + decision.objections.total()).saturating_sub(opinions);
        let opinions = decision.opinions.iter().zip(earlier..).map(|(it, place)| {
            let (speech, says, confidence) = match &it.opinion {
                Opinion::Evaluation { recommendation, confidence } => (Speech::Evaluates, recommendation, Some(*confidence)),
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
        let votes = votes.map(|(by, vote)| Voice {
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
        let voices = opinions.chain(votes).collect();
        Self { standings, voices }
    }

    fn of_rounds(view: &SessionView, rounds: &RoundsView) -> Self {
        let session = &view.session;
        let held = |who: &Arc<str>| view.senders.get(who).and_then(|sender| sender.contribution.as_ref());
        let others = view.senders.keys().filter(|who| !view.participants.contains(who) && held(who).is_some());
        let mut standings: Vec<Stand> = view
            .participants
            .iter()
            .chain(others)
            .map(|who| match held(who) {
                Some(it) => {
                    Stand { says: Some(Arc::clone(&it.value)), round: Some(it.round), at: Some(it.at.wall), ..standing(session, who) }
                }
                None => standing(session, who),
            })
            .collect();
        count_equal(&mut standings);
        let voices = rounds.moves.iter().map(|it| Voice {
            session: session.clone(),
            speech: Speech::Contributes,
            place: it.round,
            by: Arc::clone(&it.by),
            of: None,
            says: format!("round {}", it.round).into(),
            confidence: None,
            why: Arc::clone(&it.value),
            at: Some(it.at.wall),
        });
        Self { standings, voices: voices.collect() }
    }

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
        let members = |name: &str| progress.get(name).and_then(Json::as_object).into_iter().flat_map(|all| all.values());
        let items = |name: &str| progress.get(name).and_then(Json::as_array).into_iter().flatten();
        let text = |it: &Json, name: &str| -> Arc<str> { it.get(name).and_then(Json::as_str).unwrap_or_default().into() };
        let mut standings: Vec<Stand> = members("proposals")
            .map(|it| Stand { says: Some(text(it, "option")), by: Some(text(it, "sender")), ..standing(session, &text(it, "proposal_id")) })
            .collect();
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
        let evaluations = items("evaluations").zip(0..).map(|(it, place)| voice(it, Speech::Evaluates, place, "recommendation", "reason"));
        let objections = items("objections").zip(0..).map(|(it, place)| voice(it, Speech::Objects, place, "severity", "reason"));
        standings.truncate(ROWS_MAX);
        let mut voices: Vec<Voice> = votes.chain(objections).chain(evaluations).collect();
        for voice in &voices {
            let (Some(of), says) = (&voice.of, &voice.says) else { continue };
            match (voice.speech, standings.iter_mut().find(|known| known.what == *of)) {
                (Speech::Votes, _) => voted(&mut standings, session, of, says),
                (Speech::Evaluates, Some(standing)) => standing.evaluations.count(says),
                (Speech::Objects, Some(standing)) => standing.objections.count(says),
                _ => {}
            }
        }
        voices.truncate(ROWS_MAX);
        Self { standings, voices }
    }
}

/// Counts a vote for its proposal. It need not be one that was made (ruling MACP 5).
fn voted(standings: &mut Vec<Stand>, session: &SessionRef, of: &Arc<str>, vote: &Arc<str>) {
    if let Some(known) = standings.iter_mut().find(|standing| standing.what == *of) {
        known.votes.count(vote);
    } else if standings.len() < ROWS_MAX {
        let mut new = standing(session, of);
        new.votes.count(vote);
        standings.push(new);
    }
}

fn count_equal(standings: &mut [Stand]) {
    let values: Vec<_> = standings.iter().map(|standing| standing.says.clone()).collect();
    for standing in standings {
        standing.equal = standing.says.as_ref().map(|own| values.iter().flatten().filter(|value| *value == own).count() as u64);
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
