//! Frames that are put into a plugin's stdin by hand.

use bytes::Bytes;

use super::Supervisor;
use crate::{
    ids::PluginId,
    plugin::{
        Stand,
        session::{Lane, Phase},
    },
    tap::{PutError, entry::Head},
    time::Now,
};

impl Supervisor {
    /// The process of a plugin that runs, by its number.
    #[must_use]
    pub fn process_number(&self, plugin: &PluginId) -> Option<u64> {
        self.process(plugin).filter(|process| process.phase != Phase::Killed).map(|process| process.number)
    }

    /// Whether a plugin has said who it is, and was not told to end.
    #[must_use]
    pub fn is_greeted(&self, plugin: &PluginId) -> bool {
        self.process(plugin).is_some_and(|process| process.phase == Phase::Up)
    }

    /// Sends one whole frame to a plugin as if it were an answer of ours.
    ///
    /// # Errors
    /// [`PutError`]: it does not run, the bytes are not one frame, no room.
    pub fn put(&mut self, now: Now, plugin: &PluginId, frame: Bytes) -> Result<(), PutError> {
        self.process_number(plugin).ok_or(PutError::Gone)?;
        let judged = self.judge(now, &Stand::To(plugin.clone()), &frame).map_err(|_| PutError::Gone)?;
        if judged.verdict.is_err() || judged.shortfall.is_some() || judged.taken_bytes != frame.len() {
            return Err(PutError::NotWhole(
                "not one frame: its headers, and as many bytes as they say".to_owned(),
            ));
        }
        let Head::Plugin(head) = judged.head else { return Err(PutError::Gone) };
        let limits = self.settings.limits;
        if self.process(plugin).is_none_or(|process| !process.outbox.can_answer(&limits)) {
            return Err(PutError::Full);
        }
        self.transmit(now, plugin, Lane::Answer, frame, head, None);
        Ok(())
    }
}
