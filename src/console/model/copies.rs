//! What a copy of the model costs, and what of the present goes into one that shows the past.

use super::{Model, timeline::FrozenState};
use crate::{
    macp::SessionView,
    mpp::{EndedView, LiveView, LogView},
    rmp::{DropView, PeerView, TopicView},
    runs::{AskView, NodeView, PlanEdge, PlanNode, RunView},
    time::Now,
};

/// What a row of an ordered map costs beside itself, in bytes: about a third of its nodes is empty.
const NODE_BYTES: usize = 64;

impl Model {
    /// What a copy holds, in bytes: its windows, and their texts as if no other copy shared them.
    pub(crate) fn memory_bytes(&self) -> usize {
        let bridge = self.mpp().map_or(0, |mpp| {
            let lines: usize = mpp.logs.iter().map(|line| line.text.len()).sum();
            let reasons: usize =
                mpp.recent.iter().filter_map(|row| row.reason.as_ref()).map(|reason| reason.len()).sum();
            mpp.live.len() * (size_of::<LiveView>() + NODE_BYTES)
                + mpp.queues.len() * (size_of::<crate::mpp::QueueView>() + NODE_BYTES)
                + mpp.recent.len() * size_of::<EndedView>()
                + mpp.logs.len() * size_of::<LogView>()
                + lines
                + reasons
        });
        let bus = self.rmp().map_or(0, |rmp| {
            let subs: usize = rmp.peers.values().map(|peer| peer.subs.len()).sum();
            let row = size_of::<TopicView>() + NODE_BYTES;
            rmp.topics.len() * row
                + rmp.drops.len() * size_of::<DropView>()
                + (rmp.peers.len() + subs) * (size_of::<PeerView>() + NODE_BYTES)
        });
        let runs = self.station_state.as_ref().map_or(0, |state| {
            let of_run = |run: &RunView| {
                let plan = run.plan.nodes.len() * (size_of::<PlanNode>() + NODE_BYTES)
                    + run.plan.edges.len() * size_of::<PlanEdge>();
                size_of::<RunView>() + plan + run.nodes.len() * size_of::<NodeView>()
            };
            state.runs.runs.iter().map(of_run).sum::<usize>() + state.runs.asks.len() * size_of::<AskView>()
        });
        let sessions = self
            .macp()
            .map_or(0, |macp| macp.sessions.values().map(SessionView::memory_bytes).sum::<usize>());
        let rates = (self.rates.len() + self.failures.len()) * (NODE_BYTES + 256);
        let faults: usize = self.faults.groups().map(|group| 1_024 + group.offenders.len() * 64).sum();
        size_of::<Self>()
            + bridge
            + bus
            + runs
            + sessions
            + self.bus.memory_bytes()
            + self.run_history.memory_bytes()
            + self.session_history.memory_bytes()
            + rates
            + faults
            + self.history.len() * size_of::<EndedView>()
            + self.journal.memory_bytes()
    }

    /// Takes over from the live model what is shown of the present whatever the moment: alerts, what this
    /// console lost and how well it keeps up, how the station is reached and whether it goes down, the
    /// recording.
    pub(crate) fn copy_live_state(&mut self, live: &Self, at: Now) {
        self.alerts.clone_from(&live.alerts);
        self.console_health = live.console_health;
        self.lost = live.lost;
        self.stopping = live.stopping;
        self.attachment.clone_from(&live.attachment);
        let recording = live.station_state.as_ref().and_then(|state| state.station.recording.clone());
        self.frozen = Some(FrozenState { at, recording });
    }
}
