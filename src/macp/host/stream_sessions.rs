//! In which sessions a stream has spoken, for as long as it is open.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::shared::Shared;
use crate::macp::{SessionRef, Transition};

/// Sessions that are noted of one stream; further ones are not counted.
const SESSIONS_MAX: usize = 64;

/// Open streams, by the numbers of the sessions in which they have spoken.
pub(super) type Streams = BTreeMap<u64, u32>;

/// The sessions of one stream. It ends with this value.
pub(super) struct StreamSessions {
    shared: Arc<Shared>,
    ids: BTreeSet<String>,
    sessions: Vec<SessionRef>,
}

impl StreamSessions {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, ids: BTreeSet::new(), sessions: Vec::new() }
    }

    /// The stream has said something in this session that was accepted.
    pub(super) fn note(&mut self, id: &str) {
        if self.ids.len() >= SESSIONS_MAX || self.ids.contains(id) {
            return;
        }
        self.ids.insert(id.to_owned());
        self.sessions.extend(self.shared.streams_of(id));
    }
}

impl Drop for StreamSessions {
    fn drop(&mut self) {
        for session in self.sessions.drain(..) {
            self.shared.streams_fewer(session);
        }
    }
}

impl Shared {
    /// One stream more has spoken in a session, which is named by its number; nothing where it is not in
    /// memory.
    fn streams_of(&self, id: &str) -> Option<SessionRef> {
        let now = self.clock.now();
        let mut state = self.lock()?;
        let session = SessionRef { number: state.kernel.number(id)?, id: Arc::from(id) };
        let streams = state.streams.entry(session.number).or_default();
        *streams = streams.saturating_add(1);
        let transition = Transition::Streaming { session: session.clone(), streams: *streams };
        self.emit_transition(&mut state, now, None, transition, None, "");
        Some(session)
    }

    fn streams_fewer(&self, session: SessionRef) {
        let now = self.clock.now();
        let Some(mut state) = self.lock() else { return };
        let Some(streams) = state.streams.get_mut(&session.number) else { return };
        *streams = streams.saturating_sub(1);
        let left = *streams;
        if left == 0 {
            state.streams.remove(&session.number);
        }
        self.emit_transition(
            &mut state,
            now,
            None,
            Transition::Streaming { session, streams: left },
            None,
            "",
        );
    }
}
