//! Rows of lists that name no trace: what stands for one of them among the traces of injected frames.

use sha2::{Digest as _, Sha256};

use super::entry::{Entry, Transition, What, macp, mpp, plugin};
use crate::{
    ids::{PluginId, RefundId, StateKey, TraceId},
    time::Wall,
};

/// A row that names no trace, by what tells it from others of its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UntracedRow<'a> {
    /// A session that was begun without a trace, by its number.
    Session(u64),
    /// A refund.
    Refund(RefundId),
    /// A value of the pack's state; another one of the key is written later.
    State {
        /// Its key.
        key: &'a StateKey,
        /// When it was written.
        at: Wall,
        /// Whether it is there after a restart.
        persist: bool,
    },
    /// A line of the adapter's log.
    AdapterLine {
        /// When it came.
        at: Wall,
        /// As the adapter said.
        level: mpp::Level,
    },
    /// A line of a plugin's log.
    PluginLine {
        /// Whose log.
        plugin: &'a PluginId,
        /// When it came.
        at: Wall,
        /// Where it came from.
        source: plugin::LogSource,
    },
}

impl<'a> UntracedRow<'a> {
    /// The row that an entry adds to a list, or changes.
    pub(crate) fn of(entry: &'a Entry) -> Option<Self> {
        let What::Transition(transition) = &entry.what else { return None };
        let at = entry.at.wall;
        Some(match transition {
            Transition::Macp(transition) if entry.trace.is_none() => Self::of_session(transition)?,
            Transition::Mpp(mpp::Transition::RefundRecorded { refund, .. }) => Self::Refund(*refund),
            Transition::Mpp(mpp::Transition::StateWritten { key, persist }) => {
                Self::State { key, at, persist: *persist }
            }
            Transition::Mpp(mpp::Transition::Logged { level }) => Self::AdapterLine { at, level: *level },
            Transition::Plugin(plugin::Transition::Logged { plugin, source, .. }) => {
                Self::PluginLine { plugin, at, source: *source }
            }
            _ => return None,
        })
    }

    /// The session that a message or an operator changed; its streams and the store leave it as it is.
    fn of_session(transition: &macp::Transition) -> Option<Self> {
        use macp::Transition as T;
        match transition {
            T::Opened { session, .. } | T::Accepted { session, .. } | T::Ended { session, .. } => {
                Some(Self::Session(session.number))
            }
            _ => None,
        }
    }

    /// Whether it is there after a restart.
    pub(crate) const fn is_stored(self) -> bool {
        match self {
            Self::Session(_) | Self::Refund(_) => true,
            Self::State { persist, .. } => persist,
            Self::AdapterLine { .. } | Self::PluginLine { .. } => false,
        }
    }

    /// What is in the place of its trace: an id of version 8, which no trace of ours has.
    pub(crate) fn mark(self) -> TraceId {
        let (kind, of, name, number) = match self {
            Self::Session(number) => ("session", "", "", number),
            Self::Refund(refund) => ("refund", "", "", refund.0),
            Self::State { key, at, .. } => ("state", "", key.as_str(), at.0),
            Self::AdapterLine { at, level } => ("adapter", level.name(), "", at.0),
            Self::PluginLine { plugin, at, source } => ("plugin", source.name(), plugin.as_str(), at.0),
        };
        let mut hash = Sha256::new();
        for part in [kind, of] {
            hash.update(part);
            hash.update([0]);
        }
        hash.update(number.to_be_bytes());
        hash.update(name);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        TraceId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }
}
