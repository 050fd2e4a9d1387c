//! A snapshot in the places and on the clock of another process than the station's.

use super::{AsOf, RecordingView, Snapshot, StationView};
use crate::{
    ids::Seq,
    macp::{
        self, ClientView, ContributionView, DecisionView, EndView, MoveView, OpinionView, Progress,
        ProposalView, RoundsView, SenderView, SessionView, VoteView,
    },
    mpp::{self, AdapterView, EndedView, LiveView, LogView},
    rmp::{self, DropView, PeerView, SubView, TopicView},
    runs::{self, AskView, NodeView},
    time::Now,
};

impl Snapshot {
    /// The same state, every place in the tap and every moment carried over by these.
    #[must_use]
    pub fn rebased(mut self, seq: impl Fn(Seq) -> Seq, moment: impl Fn(Now) -> Now) -> Self {
        let Self { as_of: AsOf(seqs), at, station, mpp, rmp, runs, macp } = &mut self;
        for place in seqs {
            *place = seq(*place);
        }
        let carry = |at: &mut Now| *at = moment(*at);
        carry(at);
        station_view(station, &carry);
        mpp_view(mpp, &carry);
        rmp_view(rmp, &carry);
        runs_view(runs, &carry);
        macp_view(macp, &carry);
        self
    }
}

fn station_view(view: &mut StationView, carry: &impl Fn(&mut Now)) {
    let StationView { data: _, started_at, hosts: _, store_failing: _, disk_low: _, recording } = view;
    carry(started_at);
    if let Some(RecordingView { path: _, since, bytes: _ }) = recording {
        carry(since);
    }
}

fn mpp_view(view: &mut mpp::Snapshot, carry: &impl Fn(&mut Now)) {
    let mpp::Snapshot {
        listener: _,
        paired: _,
        pack: _,
        adapter,
        last_close,
        queues: _,
        live,
        recent,
        logs,
        commits_failing: _,
    } = view;
    if let Some(AdapterView { peer: _, connected_at, last_in, session_id: _, stale: _ }) = adapter {
        carry(connected_at);
        carry(last_in);
    }
    if let Some((_, _, at)) = last_close {
        carry(at);
    }
    for LiveView { queue: _, event: _, state: _, since, trace: _, acked: _, orphaned: _ } in live.values_mut()
    {
        carry(since);
    }
    for EndedView { id: _, queue: _, event: _, state: _, at, reason: _, trace: _ } in recent {
        carry(at);
    }
    for LogView { at, level: _, text: _ } in logs {
        carry(at);
    }
}

fn rmp_view(view: &mut rmp::Snapshot, carry: &impl Fn(&mut Now)) {
    let rmp::Snapshot { listener: _, peers, topics, drops, totals: _ } = view;
    for PeerView { peer: _, connected_at, greeting: _, published: _, refused: _, subs } in peers.values_mut()
    {
        carry(connected_at);
        for SubView { topic: _, since, gauge: _ } in subs.values_mut() {
            carry(since);
        }
    }
    for TopicView {
        published: _,
        bytes: _,
        delivered: _,
        dropped: _,
        subscribers: _,
        schema_id: _,
        last_at,
    } in topics.values_mut()
    {
        carry(last_at);
    }
    for drop in drops {
        let DropView {
            first_at,
            at,
            reason: _,
            topic: _,
            to: _,
            to_client: _,
            from: _,
            from_client: _,
            notices: _,
            count: _,
            trace: _,
            msg_id: _,
            expires_at_ms: _,
        } = drop;
        carry(first_at);
        carry(at);
    }
}

fn runs_view(view: &mut runs::Snapshot, carry: &impl Fn(&mut Now)) {
    let runs::Snapshot { runs, asks, asks_unshown: _, held: _, totals: _ } = view;
    for run in runs {
        carry(&mut run.submitted_at);
        run.ended_at.iter_mut().for_each(carry);
        for NodeView { state: _, attempt: _, since, ran_at, progress: _, why: _ } in &mut run.nodes {
            carry(since);
            ran_at.iter_mut().for_each(carry);
        }
    }
    for AskView { action: _, run: _, node: _, summary: _, takes: _, asked_at, expires_at: _ } in asks {
        carry(asked_at);
    }
}

fn macp_view(view: &mut macp::Snapshot, carry: &impl Fn(&mut Now)) {
    let macp::Snapshot { listener: _, clients, sessions, ended: _, totals: _ } = view;
    for ClientView { peer: _, client: _, at } in clients {
        carry(at);
    }
    for session in sessions.values_mut() {
        session_view(session, carry);
    }
}

fn session_view(view: &mut SessionView, carry: &impl Fn(&mut Now)) {
    let SessionView {
        session: _,
        mode: _,
        by: _,
        intent: _,
        participants: _,
        allowed: _,
        started_at,
        expires_at: _,
        end,
        messages: _,
        last_at,
        senders,
        more_senders: _,
        streams: _,
        trace: _,
        progress,
    } = view;
    carry(started_at);
    carry(last_at);
    if let Some(EndView { ending: _, at, text: _, evicted: _ }) = end {
        carry(at);
    }
    for SenderView { messages: _, vote, contribution } in senders.values_mut() {
        if let Some(VoteView { proposal: _, vote: _, reason: _, at }) = vote {
            carry(at);
        }
        if let Some(ContributionView { value: _, round: _, at }) = contribution {
            carry(at);
        }
    }
    match progress {
        Progress::Decision(decision) => {
            let DecisionView {
                phase: _,
                proposals,
                more_proposals: _,
                opinions,
                evaluations: _,
                objections: _,
            } = decision;
            for ProposalView { proposal: _, option: _, by: _, at, evaluations: _, objections: _ } in proposals
            {
                carry(at);
            }
            for OpinionView { by: _, at, proposal: _, opinion: _, reason: _ } in opinions {
                carry(at);
            }
        }
        Progress::Rounds(RoundsView { round: _, moves }) => {
            for MoveView { round: _, by: _, value: _, at } in moves {
                carry(at);
            }
        }
    }
}
