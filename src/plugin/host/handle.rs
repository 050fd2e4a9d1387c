//! The station's way to the plugin host.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use super::guards::Guards;
use crate::{
    ids::{PluginId, Seq, TraceId},
    judged::Judged,
    plugin::{Command, Detail, NotJudged, Outcome, Refusal, Snapshot, Stand, StreamDetail},
    tap::{
        PutError,
        entry::{Direction, FrameOrigin},
    },
};

/// What the station asks of the host.
#[derive(Debug)]
pub(super) enum Request {
    /// A command of an operator.
    Command {
        /// What.
        command: Command,
        /// Its entry in the tap.
        cause: Option<Seq>,
        /// What it belongs to.
        trace: Option<TraceId>,
        /// Who gave it, as the audit names them.
        by: Option<Arc<str>>,
        /// Where the outcome goes.
        answer: oneshot::Sender<Result<Outcome, Refusal>>,
    },
    /// What is known of one plugin beyond the snapshot.
    Detail {
        /// Which.
        plugin: PluginId,
        /// Where it goes.
        answer: oneshot::Sender<Option<Detail>>,
    },
    /// The stream that the operator declares.
    Stream {
        /// Where it goes.
        answer: oneshot::Sender<StreamDetail>,
    },
    /// Puts a frame into a plugin's pipes.
    Put {
        /// Whose.
        plugin: PluginId,
        /// As if it had written it, or as if the host had.
        direction: Direction,
        /// The bytes.
        bytes: Bytes,
        /// Who made it.
        origin: Arc<FrameOrigin>,
        /// Answered when it was handed over.
        answer: oneshot::Sender<Result<(), PutError>>,
    },
    /// What would be made of a frame.
    Judge {
        /// Where it would stand.
        stand: Stand,
        /// Its bytes, headers and all.
        bytes: Bytes,
        /// Where the judgement goes.
        answer: oneshot::Sender<Result<Judged, NotJudged>>,
    },
}

/// Why the host was not asked, or did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// Too many requests wait.
    #[error("too many requests wait for the plugin host")]
    Busy,
    /// It has ended.
    #[error("the plugin host has ended")]
    Ended,
}

/// How the host is, beside its plugins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostHealth {
    /// Why it cannot do all of its work, while that is so.
    pub impaired: Option<Arc<str>>,
}

/// What the host and the ways to it share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    pub(super) has_failed: AtomicBool,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) snapshot: Snapshot,
    pub(super) last_seq: Seq,
    pub(super) impaired: Option<Arc<str>>,
}

/// The way of the station to a host that is served. Clones are the same way.
#[derive(Clone, Debug)]
pub struct PluginHandle {
    pub(super) shared: Arc<Shared>,
    pub(super) requests: mpsc::Sender<Request>,
    pub(super) guards: Guards,
}

impl PluginHandle {
    /// The state, and the last entry of this link that it includes; nothing of a host that has failed.
    #[must_use]
    pub fn snapshot(&self) -> Option<(Seq, Snapshot)> {
        self.read(|state| (state.last_seq, state.snapshot.clone()))
    }

    /// How it is; nothing of a host that has failed.
    #[must_use]
    pub fn health(&self) -> Option<HostHealth> {
        self.read(|state| HostHealth { impaired: state.impaired.clone() })
    }

    /// The guards of the plugins that run.
    #[must_use]
    pub const fn guards(&self) -> &Guards {
        &self.guards
    }

    /// What is known of one plugin beyond the snapshot.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn detail(&self, plugin: &PluginId) -> Result<Option<Detail>, AskError> {
        let plugin = plugin.clone();
        self.ask(|answer| Request::Detail { plugin, answer }).await
    }

    /// The stream that the operator declares.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn stream(&self) -> Result<StreamDetail, AskError> {
        self.ask(|answer| Request::Stream { answer }).await
    }

    /// What would be made of the first frame of some bytes, without the secrets that the tap knows. Ask once
    /// at a time: questions wait among all other requests.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn judge(&self, stand: Stand, bytes: Bytes) -> Result<Result<Judged, NotJudged>, AskError> {
        self.ask(|answer| Request::Judge { stand, bytes, answer }).await
    }

    /// Puts a frame into a plugin's pipes: as if it had written it, or as if the host had.
    ///
    /// # Errors
    /// [`AskError`]; within, [`PutError`].
    pub async fn put(
        &self,
        plugin: &PluginId,
        direction: Direction,
        bytes: Bytes,
        origin: Arc<FrameOrigin>,
    ) -> Result<Result<(), PutError>, AskError> {
        let plugin = plugin.clone();
        self.ask(|answer| Request::Put { plugin, direction, bytes, origin, answer }).await
    }

    /// Does what an operator asks, or says why it is refused; `cause` is its entry in the tap.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn command(
        &self,
        command: Command,
        cause: Option<Seq>,
        trace: Option<TraceId>,
        by: Option<Arc<str>>,
    ) -> Result<Result<Outcome, Refusal>, AskError> {
        self.ask(|answer| Request::Command { command, cause, trace, by, answer }).await
    }

    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Result<T, AskError> {
        let (answer, answered) = oneshot::channel();
        self.requests.try_send(request(answer)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AskError::Busy,
            mpsc::error::TrySendError::Closed(_) => AskError::Ended,
        })?;
        answered.await.map_err(|_| AskError::Ended)
    }

    fn read<T>(&self, of: impl FnOnce(&mut State) -> T) -> Option<T> {
        if self.shared.has_failed.load(Ordering::Relaxed) {
            return None;
        }
        Some(of(&mut self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
