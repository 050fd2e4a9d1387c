//! What is told once a second, and what is judged by time.

use std::time::Duration;

use super::{core::Broker, io::Output};
use crate::{
    rmp::dedupe::Figures,
    tap::entry::rmp::{CloseCause, Transition},
    time::Now,
};

const SECOND: Duration = Duration::from_secs(1);
/// Old keys that are forgotten a second, at most.
const FORGOTTEN_MAX: usize = 65_536;

impl Broker {
    /// Has what changed told within a second.
    pub(super) fn arm(&mut self, now: Now) {
        if !self.dirty.is_empty() || !self.held.is_empty() {
            self.tick_at.get_or_insert(now.mono + SECOND);
        }
    }

    pub(super) fn on_timeout(&mut self, now: Now) {
        while let Some((_, id)) = self.greeting.front().copied().filter(|(by, _)| now.mono >= *by) {
            self.greeting.pop_front();
            self.end(id, CloseCause::HelloTimeout);
        }
        self.look_for_unread(now);
        if self.tick_at.is_some_and(|at| now.mono >= at) {
            self.tick_at = None;
            self.tick(now);
        }
    }

    fn tick(&mut self, now: Now) {
        self.tell_held(now);
        self.tell_figures();
        self.budget.relax();
        self.topics.leave(&self.routes, &mut self.dedupe);
        self.dedupe.forget_old(now.mono, FORGOTTEN_MAX);
        let figures = self.dedupe.figures();
        let Figures { evicted_young, lost_evicted_young, .. } = figures;
        let (keys, topics) = (figures.keys as u64, self.topics.used);
        if self.totals.remember([keys, evicted_young, lost_evicted_young, topics]) {
            self.say(Transition::Remembered { keys, evicted_young, lost_evicted_young, topics }, None, None);
        }
        if keys > 0 || figures.lost_runs > 0 {
            self.tick_at.get_or_insert(now.mono + SECOND);
        }
    }

    /// Tells the figures that changed since they were told last.
    fn tell_figures(&mut self) {
        for id in std::mem::take(&mut self.dirty) {
            let Some(session) = self.sessions.get_mut(id) else { continue };
            session.is_dirty = false;
            session.outbox.relax();
            let counted = (session.published, session.refused);
            if session.is_closed() {
                continue;
            }
            if session.told != counted {
                session.told = counted;
                let (published, refused) = counted;
                let transition = Transition::Counted { session: id, published, refused };
                self.outputs.push_back(Output::Transition { transition, text: None, trace: None });
            }
            let gauges: Vec<_> =
                session.subs.iter().map(|(place, sub)| (place, session.gauge(sub))).collect();
            for (place, gauge) in gauges {
                let Some(sub) = session.subs.get_mut(place).filter(|sub| sub.told != gauge) else { continue };
                sub.told = gauge;
                let transition = Transition::Gauged { session: id, sub: sub.number, gauge };
                self.outputs.push_back(Output::Transition { transition, text: None, trace: None });
            }
        }
    }
}
