//! What of the bridge a person should read in the Journal.

use std::{collections::VecDeque, fmt::Write as _, sync::Arc};

use crate::{
    console::model::journal::{Grouping, NoticeDraft, Origin},
    dissect::mpp::describe_close,
    ids::{InvocationId, Peer},
    tap::entry::{
        Link,
        mpp::{CloseCause, Fault, RefundStatus, Transition as T},
        station::Level,
    },
    words::counted,
};

/// Connections whose last words are remembered.
const CLOSE_MESSAGES_MAX: usize = 16;

/// What connections that are being closed were told, until they are gone.
#[derive(Clone, Debug, Default)]
pub(super) struct CloseMessages(VecDeque<(Peer, Arc<str>)>);

impl CloseMessages {
    /// Remembers what a connection was told.
    pub(super) fn record(&mut self, peer: &Peer, words: Arc<str>) {
        self.0.push_back((peer.clone(), words));
        while self.0.len() > CLOSE_MESSAGES_MAX {
            self.0.pop_front();
        }
    }

    /// What a connection was told that is gone now.
    pub(super) fn take(&mut self, peer: &Peer) -> Option<Arc<str>> {
        let at = self.0.iter().position(|(known, _)| known == peer)?;
        self.0.remove(at).map(|(_, words)| words)
    }
}

/// A line of the adapter's log. What the adapter says can hold anything.
pub(super) fn describe_log(level: Level, text: Arc<str>) -> NoticeDraft {
    NoticeDraft::new(level, Origin::Adapter, text).quoting()
}

/// A refund. Those of one fate that follow each other are one line.
pub(super) fn describe_refund(id: InvocationId, status: RefundStatus) -> NoticeDraft {
    let (level, words, kind) = match status {
        RefundStatus::Requested => (Level::Info, format!("refund of {id} requested"), "refund requested"),
        RefundStatus::Skipped => (
            Level::Warn,
            format!("refund of {id} skipped: bits cannot be refunded; tell the viewer"),
            "refund skipped",
        ),
        RefundStatus::Manual => {
            (Level::Warn, format!("refund of {id} must be made manually"), "manual refund")
        }
    };
    NoticeDraft::new(level, Origin::System(Link::Mpp), words).grouped(Grouping::Following(kind))
}

/// The end of a connection, and what its peer was told before.
pub(super) fn describe_disconnect(
    peer: &Peer,
    is_active: bool,
    cause: CloseCause,
    told: Option<&str>,
) -> Option<NoticeDraft> {
    let why = || describe_close(cause, told);
    let words = match (is_active, cause) {
        (true, _) => format!("adapter {peer} disconnected: {}", why()),
        (
            false,
            CloseCause::Fault(_)
            | CloseCause::TooManyConnections
            | CloseCause::MadeRoom
            | CloseCause::TooManyOfPeer
            | CloseCause::ReceivingFull,
        ) => {
            format!("refused {peer}: {}", why())
        }
        (false, _) => return None,
    };
    let refused = if let CloseCause::Fault(Fault::Hello(reason)) = cause { Some(reason) } else { None };
    let draft = NoticeDraft { refused, ..NoticeDraft::new(Level::Warn, Origin::System(Link::Mpp), words) };
    // What a peer was told can quote what it sent.
    Some(if told.is_some() { draft.quoting() } else { draft })
}

/// What another transition says, if it is worth a line.
pub(super) fn describe(transition: &T, text: &str) -> Option<NoticeDraft> {
    let (level, words) = match transition {
        T::Listening { addr } => (Level::Info, format!("listening on {addr}")),
        T::NotListening => (Level::Error, format!("not listening: {text}")),
        T::Paired => (Level::Info, "paired: new bridge token active".to_owned()),
        T::Handshaken { peer, persisted, .. } => {
            let mut words = format!("adapter connected from {peer}");
            if *persisted > 0 {
                let _ = write!(words, ", {} restored", counted(*persisted, "state value"));
            }
            (Level::Info, words)
        }
        T::Stale { silent_s } => {
            (Level::Warn, format!("the adapter has sent nothing for {silent_s} s; K disconnects it"))
        }
        T::Requeued { id, queue } => (Level::Warn, format!("{id} requeued at the head of {queue}")),
        T::Orphaned { id, queue } => (
            Level::Warn,
            format!(
                "{id} on {queue} orphaned (applied, adapter lost), outcome unknown: run `invocation settle {id} done` or `... failed`"
            ),
        ),
        T::Migrated { queue, rows, failed } => (
            Level::Info,
            format!("{queue}: {} moved to the active manifest, {failed} failed", counted(*rows, "row")),
        ),
        T::Braked { queue, brake } => {
            let words = match (brake.held, brake.draining) {
                (false, false) => "resumed",
                (true, false) => "held",
                (false, true) => "draining",
                (true, true) => "held + draining",
            };
            (Level::Info, format!("{queue} {words}"))
        }
        T::Drained { queue } => (Level::Info, format!("{queue} drained")),
        T::PersistedLeftOut { key } => (Level::Warn, format!("state `{key}` not restored: {text}")),
        T::CommitsFailing => (Level::Error, format!("commits failing: {text}")),
        T::CommitsOk => (Level::Info, "commits ok again".to_owned()),
        T::ReadsFailing => (Level::Error, format!("rows unreadable: {text}")),
        T::ReadsOk => (Level::Info, "rows readable again".to_owned()),
        T::PackLoaded { pack_id, .. } => (Level::Info, format!("pack {pack_id} loaded")),
        _ => return None,
    };
    let draft = NoticeDraft::new(level, Origin::System(Link::Mpp), words);
    // Why a value is left out quotes it.
    Some(if matches!(transition, T::PersistedLeftOut { .. }) { draft.quoting() } else { draft })
}
