//! The replay of a recording, where one is in the place of a station.

use crate::{
    port::{Replay, ReplayAct, ReplayView},
    time::Mono,
};

/// The replay that is shown.
#[derive(Debug)]
pub(crate) struct Replaying {
    pub(super) replay: Replay,
    /// Which place of those that were gone to the model is of.
    pub(super) generation: u64,
    /// How often its state became another one until what is shown.
    pub(super) renewed: u64,
    /// How many acts came to nothing until now.
    pub(super) refused: u64,
    /// When the message goes: its clock is one's own.
    pub(super) message_until: Option<Mono>,
    /// When the place was left that was shown before.
    pub(super) left_at: Option<Mono>,
}

impl Replaying {
    pub(crate) fn new(replay: Replay) -> Self {
        let generation = replay.view.borrow().generation;
        Self { replay, generation, renewed: 0, refused: 0, message_until: None, left_at: None }
    }

    /// Where it is.
    pub(crate) fn view(&self) -> ReplayView {
        self.replay.view.borrow().clone()
    }

    /// Moves it.
    pub(crate) fn act(&self, act: ReplayAct) {
        self.replay.control.act(act);
    }
}

/// Waits until it is elsewhere otherwise than by time.
pub(super) async fn changed(replaying: Option<&mut Replaying>) {
    let has_changed = match replaying {
        Some(replaying) => replaying.replay.view.changed().await.is_ok(),
        None => false,
    };
    if !has_changed {
        std::future::pending::<()>().await;
    }
}
