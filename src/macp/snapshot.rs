//! The state of the runtime as a reader of the tap starts from it, with bounded windows.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::Arc,
};

use crate::{
    ids::{Peer, TraceId},
    tap::entry::macp::{Ending, Mode, Phase, SessionRef, SessionState},
    time::{Now, Wall},
};

/// What holds of the runtime at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Whether the port answers.
    pub listener: Listener,
    /// Clients that said what they are, the one heard last at the end; at most
    /// `limits.macp.shown_clients_max`.
    pub clients: VecDeque<ClientView>,
    /// Sessions by their numbers, at most `limits.macp.shown_max`: those that ended first go first, then the
    /// oldest that are open.
    pub sessions: BTreeMap<u64, SessionView>,
    /// Those of them that ended, in the order of their ends.
    pub ended: VecDeque<u64>,
    /// Counts since the runtime started; sessions that ended before are in none of them.
    pub totals: Totals,
}

/// Whether the port answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Listener {
    /// Not yet.
    #[default]
    Starting,
    /// Here.
    Listening(SocketAddr),
    /// It does not: why.
    Down(Arc<str>),
}

/// A client that said what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientView {
    /// From where.
    pub peer: Peer,
    /// What it calls itself.
    pub client: Arc<str>,
    /// When it said so last.
    pub at: Now,
}

/// One session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionView {
    /// Which.
    pub session: SessionRef,
    /// How it is coordinated.
    pub mode: Mode,
    /// Who began it.
    pub by: Arc<str>,
    /// What it is for.
    pub intent: Arc<str>,
    /// The first of those who may take part, in the order of its start.
    pub participants: Arc<[Arc<str>]>,
    /// How many may; 0 for anybody.
    pub allowed: u64,
    /// Since when it is there.
    pub started_at: Now,
    /// When its TTL is over.
    pub expires_at: Wall,
    /// How it ended.
    pub end: Option<EndView>,
    /// Messages that it accepted, its start aside.
    pub messages: u64,
    /// When it accepted the last.
    pub last_at: Now,
    /// Who took part, by name; at most `limits.macp.shown_senders_max`.
    pub senders: BTreeMap<Arc<str>, SenderView>,
    /// Messages of senders who are not listed.
    pub more_senders: u64,
    /// What it belongs to.
    pub trace: Option<TraceId>,
    /// Open streams that have said something in it.
    pub streams: u32,
    /// How far it is.
    pub progress: Progress,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndView {
    /// How.
    pub ending: Ending,
    /// When.
    pub at: Now,
    /// Its resolution, or why it ended.
    pub text: Arc<str>,
    /// Whether it is in the store alone.
    pub evicted: bool,
}

/// Somebody who takes part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SenderView {
    /// Messages of theirs.
    pub messages: u64,
    /// Their last vote.
    pub vote: Option<VoteView>,
    /// Their last contribution.
    pub contribution: Option<ContributionView>,
}

/// A vote.
#[derive(Clone, Debug, PartialEq)]
pub struct VoteView {
    /// For which proposal.
    pub proposal: Arc<str>,
    /// What.
    pub vote: Arc<str>,
    /// Why.
    pub reason: Arc<str>,
    /// When.
    pub at: Now,
}

/// A contribution.
#[derive(Clone, Debug, PartialEq)]
pub struct ContributionView {
    /// The value.
    pub value: Arc<str>,
    /// The round at which it took this value.
    pub round: u64,
    /// When it was said last.
    pub at: Now,
}

/// How far a session is, by mode.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// A decision.
    Decision(DecisionView),
    /// Rounds until all contributions are equal.
    Rounds(RoundsView),
}

/// How far a decision is.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionView {
    /// Where it stands.
    pub phase: Phase,
    /// Its proposals, in the order in which they were made; at most `limits.macp.shown_proposals_max`.
    pub proposals: Vec<ProposalView>,
    /// Proposals that did not fit; one that is made anew is counted again.
    pub more_proposals: u64,
    /// The last evaluations and objections, the oldest first; at most `limits.macp.shown_opinions_max`.
    pub opinions: VecDeque<OpinionView>,
    /// All evaluations by recommendation.
    pub evaluations: Tally,
    /// All objections by severity.
    pub objections: Tally,
}

/// A proposal.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposalView {
    /// Its id.
    pub proposal: Arc<str>,
    /// The option proposed.
    pub option: Arc<str>,
    /// Who proposed it last.
    pub by: Arc<str>,
    /// When.
    pub at: Now,
    /// Its evaluations by recommendation.
    pub evaluations: Tally,
    /// Its objections by severity.
    pub objections: Tally,
}

/// An evaluation or an objection.
#[derive(Clone, Debug, PartialEq)]
pub struct OpinionView {
    /// Whose.
    pub by: Arc<str>,
    /// When.
    pub at: Now,
    /// Of which proposal.
    pub proposal: Arc<str>,
    /// What it is.
    pub opinion: Opinion,
    /// Why.
    pub reason: Arc<str>,
}

/// An opinion about a proposal.
#[derive(Clone, Debug, PartialEq)]
pub enum Opinion {
    /// An evaluation.
    Evaluation {
        /// The recommendation.
        recommendation: Arc<str>,
        /// How surely.
        confidence: f64,
    },
    /// An objection.
    Objection {
        /// How severe it is.
        severity: Arc<str>,
    },
}

/// How far contributions are from being equal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundsView {
    /// The round.
    pub round: u64,
    /// The last contributions that made a round, the oldest first; at most `limits.macp.shown_opinions_max`.
    pub moves: VecDeque<MoveView>,
}

/// A contribution that made a round.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveView {
    /// Which.
    pub round: u64,
    /// Whose.
    pub by: Arc<str>,
    /// The value.
    pub value: Arc<str>,
    /// When.
    pub at: Now,
}

/// Counts by what was said, in the order in which it was first said. What does not fit is counted together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// What, and how often.
    pub of: Vec<(Arc<str>, u64)>,
    /// All others.
    pub others: u64,
}

/// Counts since the runtime started, sessions that were open then included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Sessions that are open.
    pub open: u64,
    /// Sessions that began, or were open at the start.
    pub started: u64,
    /// Sessions that were resolved.
    pub resolved: u64,
    /// Sessions whose TTL was over, or whose log was damaged.
    pub expired: u64,
    /// Sessions that were cancelled.
    pub cancelled: u64,
    /// Messages that sessions accepted, their starts aside.
    pub accepted: u64,
    /// Messages that had been accepted before.
    pub duplicates: u64,
    /// Messages that were rejected, and calls that ended with a status.
    pub refused: u64,
    /// Signals.
    pub signals: u64,
}

impl Tally {
    /// Different things that are counted apart.
    pub const MAX: usize = 16;

    /// Counts one more.
    pub fn count(&mut self, what: &Arc<str>) {
        if let Some((_, count)) = self.of.iter_mut().find(|(known, _)| known == what) {
            *count += 1;
        } else if self.of.len() < Self::MAX {
            self.of.push((Arc::clone(what), 1));
        } else {
            self.others += 1;
        }
    }

    /// How often this was said.
    #[must_use]
    pub fn of(&self, what: &str) -> u64 {
        self.of.iter().find(|(known, _)| &**known == what).map_or(0, |(_, count)| *count)
    }

    /// All.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.others + self.of.iter().map(|(_, count)| count).sum::<u64>()
    }
}

impl Snapshot {
    /// The session of this id; of two, the later.
    #[must_use]
    pub fn session(&self, id: &str) -> Option<&SessionView> {
        self.sessions.values().rev().find(|view| &*view.session.id == id)
    }

    /// How many of the sessions ended before the runtime started: no total counts them.
    #[must_use]
    pub fn ended_before(&self) -> u64 {
        let ends = self.sessions.values().filter_map(|view| view.end.as_ref());
        ends.filter(|end| end.at.is_of_before()).count() as u64
    }

    /// Puts in order which sessions ended first; for snapshots that were put together from their parts.
    #[must_use]
    pub(crate) fn in_order(mut self) -> Self {
        let mut ended: Vec<_> = self
            .sessions
            .iter()
            .filter_map(|(number, view)| Some((view.end.as_ref()?.at.mono, *number)))
            .collect();
        ended.sort_unstable();
        self.ended = ended.into_iter().map(|(_, number)| number).collect();
        self
    }
}

impl SessionView {
    /// How it stands.
    #[must_use]
    pub fn state(&self) -> SessionState {
        self.end.as_ref().map_or(SessionState::Open, |end| end.ending.state())
    }

    /// How far a decision is.
    #[must_use]
    pub const fn phase(&self) -> Option<Phase> {
        match &self.progress {
            Progress::Decision(decision) => Some(decision.phase),
            Progress::Rounds(_) => None,
        }
    }

    /// Which round it is.
    #[must_use]
    pub const fn round(&self) -> Option<u64> {
        match &self.progress {
            Progress::Decision(_) => None,
            Progress::Rounds(rounds) => Some(rounds.round),
        }
    }

    /// Votes of a decision that count, of senders that are listed.
    #[must_use]
    pub fn votes(&self) -> Option<u64> {
        self.phase().map(|_| self.senders.values().filter(|sender| sender.vote.is_some()).count() as u64)
    }

    /// What a copy of it holds, in bytes, about: its texts are shared.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let rows = match &self.progress {
            Progress::Decision(decision) => {
                decision.proposals.len() * size_of::<ProposalView>()
                    + decision.opinions.len() * size_of::<OpinionView>()
            }
            Progress::Rounds(rounds) => rounds.moves.len() * size_of::<MoveView>(),
        };
        size_of::<Self>() + self.senders.len() * (size_of::<(Arc<str>, SenderView)>() + 16) + rows
    }

    /// How many of those who may take part have: voted, in a decision; contributed, in rounds. Of those that
    /// are listed.
    #[must_use]
    pub fn participants_in(&self) -> u64 {
        let is_in = |sender: &&SenderView| match self.progress {
            Progress::Decision(_) => sender.vote.is_some(),
            Progress::Rounds(_) => sender.contribution.is_some(),
        };
        self.senders.values().filter(is_in).count() as u64
    }
}
