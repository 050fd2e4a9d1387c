//! The tick: notices once a second, and what is judged by time.

use std::time::Duration;

use super::{core::Broker, io::Output};
use crate::{rmp::dedupe::DedupeMetrics, tap::entry::rmp::Transition, time::Now};

const SECOND: Duration = Duration::from_secs(1);
/// Old keys that are forgotten a second, at most.
const FORGOTTEN_MAX: usize = 65_536;

impl Broker {
    /// Has what changed told within a second.
    pub(super) fn arm(&mut self, now: Now) {
        if !self.dirty.is_empty() || !self.suppressed_topics.is_empty() || self.budget.is_over() {
            self.tick_at.get_or_insert(now.mono + SECOND);
        }
    }

    pub(super) fn on_timeout(&mut self, now: Now) {
        self.end_silent(now);
        self.check_unread(now);
        if self.tick_at.is_some_and(|at| now.mono >= at) {
            self.tick_at = None;
            self.tick(now);
        }
    }

    fn tick(&mut self, now: Now) {
        self.emit_suppressed(now);
        self.emit_metrics();
        self.end_stalled(now);
        self.budget.release_memory();
        self.topics.forget_unsubscribed(&self.routes, &mut self.dedupe);
        self.dedupe.forget_old(now.mono, FORGOTTEN_MAX);
        let metrics = self.dedupe.metrics();
        let DedupeMetrics { evicted_young, lost_evicted_young, .. } = metrics;
        let (keys, topics) = (metrics.keys as u64, self.topics.used);
        if evicted_young > self.totals.evicted_young {
            self.forgot_at = Some(now);
        }
        if lost_evicted_young > self.totals.lost_evicted_young {
            self.forgot_lost_at = Some(now);
        }
        if self.totals.update_dedupe([keys, evicted_young, lost_evicted_young, topics]) {
            self.emit_transition(
                Transition::DedupeStats { keys, evicted_young, lost_evicted_young, topics },
                None,
                None,
            );
        }
        if keys > 0 || metrics.lost_runs > 0 {
            self.tick_at.get_or_insert(now.mono + SECOND);
        }
    }

    /// Tells the figures that changed since they were told last.
    fn emit_metrics(&mut self) {
        for id in std::mem::take(&mut self.dirty) {
            let Some(session) = self.sessions.get_mut(id) else { continue };
            session.is_dirty = false;
            session.outbox.release_memory();
            let counted = (session.published, session.refused);
            if session.is_closed() {
                continue;
            }
            if session.reported != counted {
                session.reported = counted;
                let (published, refused) = counted;
                let transition = Transition::SessionStats { session: id, published, refused };
                self.outputs.push_back(Output::Transition { transition, text: None, trace: None });
            }
            let gauges: Vec<_> =
                session.subs.iter().map(|(place, sub)| (place, session.gauge(sub))).collect();
            for (place, gauge) in gauges {
                let Some(sub) = session.subs.get_mut(place).filter(|sub| sub.reported != gauge) else {
                    continue;
                };
                sub.reported = gauge;
                let transition = Transition::QueueStats { session: id, sub: sub.number, gauge };
                self.outputs.push_back(Output::Transition { transition, text: None, trace: None });
            }
        }
    }
}
