//! Deadlines: the hello, our heartbeat, the stale warning, what is tried again.

use super::{core::Bridge, decide::head_of};
use crate::{
    mpp::{
        connection::{HEARTBEAT_AFTER, STALE_AFTER},
        frame::encode,
        io::Output,
    },
    tap::entry::mpp::{CloseCause, FrameType, Transition},
    time::{Mono, Now},
};

impl Bridge {
    pub(super) fn on_timeout(&mut self, now: Now) {
        while let Some((conn, _)) = self.table.overdue(now) {
            self.close(now, conn, CloseCause::HelloTimeout);
        }
        self.lent.forget_expired(now.mono);
        self.beat(now);
        self.warn_of_silence(now);
        if self.commits.retry_at.is_some_and(|at| at <= now.mono) {
            self.probe_store(now);
        }
        let mut due = Vec::new();
        for (name, retry) in &mut self.fetch_retries {
            if retry.at.take_if(|at| *at <= now.mono).is_some() {
                due.push(name.clone());
            }
        }
        for name in due {
            self.read_ahead(&name);
        }
    }

    fn beat(&mut self, now: Now) {
        if let Some(active) = &self.active
            && active.last_out + HEARTBEAT_AFTER <= now.mono
        {
            self.transmit(now, active.conn, head_of(FrameType::Heartbeat), encode::heartbeat(), None);
        }
    }

    fn warn_of_silence(&mut self, now: Now) {
        if let Some(active) = &mut self.active
            && !active.stale
            && active.last_in.mono + STALE_AFTER <= now.mono
        {
            active.stale = true;
            let silent_s = now.mono.since(active.last_in.mono).as_secs();
            self.emit_transition(Transition::Stale { silent_s }, None, None);
        }
    }

    /// Asks for the next deadline. One that was asked for and has become too early is let come: traffic moves
    /// deadlines on with every frame, and a wake-up now and then is cheaper than a new timer each time.
    pub(super) fn arm(&mut self, now: Now, came: bool) {
        if came {
            self.timer_at = None;
        }
        let next = self.next_deadline();
        let earlier = match (next, self.timer_at) {
            (Some(next), Some(asked)) => next < asked || asked <= now.mono,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if earlier || came {
            self.timer_at = next;
            self.put(Output::Timeout(next));
        }
    }

    fn next_deadline(&self) -> Option<Mono> {
        let beat = self.active.as_ref().map(|active| active.last_out + HEARTBEAT_AFTER);
        let stale = self
            .active
            .as_ref()
            .filter(|active| !active.stale)
            .map(|active| active.last_in.mono + STALE_AFTER);
        let fetches = self.fetch_retries.values().filter_map(|retry| retry.at).min();
        let fixed =
            [self.table.deadline(), beat, stale, self.commits.retry_at, fetches, self.lent.deadline()];
        fixed.into_iter().flatten().min()
    }
}
