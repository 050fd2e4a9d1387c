//! Deadlines of a process (rulings Plugins 1, 4, 6, 8).

use super::{Supervisor, actions::Unanswered, lifecycle::Empty, plugin::Next};
use crate::{
    ids::PluginId,
    plugin::{
        Transition, UnhealthyCause, rpc,
        session::{OpenRequest, Phase, Process, THROTTLE_OVER},
    },
    time::{Mono, Now},
};

impl Supervisor {
    /// Judges what is due; what has arrived was handed in before.
    pub(super) fn on_process_timeout(&mut self, now: Now, id: &PluginId) {
        self.on_quiet(now.mono, id);
        let Some(process) = self.process(id) else { return };
        let is_unread = process.outbox.deadline().is_some_and(|deadline| deadline <= now.mono);
        let is_closed = process.stdout_closed.is_some_and(|deadline| deadline <= now.mono);
        match process.phase {
            Phase::Starting { until } if until <= now.mono => {
                let why = "initialize was not answered within 10 s".to_owned();
                return self.fail(now, id, UnhealthyCause::HandshakeTimeout, why);
            }
            Phase::ShuttingDown { until } if until <= now.mono => return self.on_shut_down(now, id),
            Phase::Exiting { until } if until <= now.mono => return self.kill(id),
            Phase::Killed => return,
            Phase::Starting { .. } | Phase::Up | Phase::ShuttingDown { .. } | Phase::Exiting { .. } => {}
        }
        if is_closed {
            let why = "stdout was closed".to_owned();
            return self.fail(now, id, UnhealthyCause::StdoutClosed, why);
        }
        if is_unread {
            let why = "it read nothing for 30 s".to_owned();
            return self.fail(now, id, UnhealthyCause::NotReading, why);
        }
        self.end_late_actions(now.mono, id);
        self.ping(now, id);
    }

    fn ping(&mut self, now: Now, id: &PluginId) {
        let Some(process) = self.process_mut(id).filter(|process| process.phase == Phase::Up) else { return };
        let Some(due) = process.pings.as_mut().and_then(|pings| pings.due(now.mono)) else { return };
        if let Some(misses) = due.missed {
            self.emit(Transition::Missed { plugin: id.clone(), misses });
        }
        if due.is_unhealthy {
            let why = "three pings in a row were not answered".to_owned();
            return self.fail(now, id, UnhealthyCause::PingsMissed, why);
        }
        let Some(ping) = self.process_mut(id).map(Process::take_id) else { return };
        if let Ok(frame) = rpc::request(ping, "ping", &Empty {}) {
            self.send_request(now, id, "ping", ping, frame, None);
        }
        if let Some(pings) = self.process_mut(id).and_then(|process| process.pings.as_mut()) {
            pings.on_sent(now.mono, ping);
        }
    }

    /// Ends actions whose answers are late: one that comes later is dropped.
    fn end_late_actions(&mut self, now: Mono, id: &PluginId) {
        let Some(process) = self.process_mut(id) else { return };
        let late: Vec<u64> = process
            .open
            .iter()
            .filter(|(_, open)| matches!(open, OpenRequest::Action { until, .. } if *until <= now))
            .map(|(number, _)| *number)
            .collect();
        for number in late {
            let open = self.process_mut(id).and_then(|process| process.open.remove(&number));
            if let Some(OpenRequest::Action { action, request, trace, sent_at, until }) = open {
                let us = u64::try_from(now.since(sent_at).as_micros()).unwrap_or(u64::MAX);
                let end = Unanswered::TimedOut { timeout: until.since(sent_at) };
                self.end_action(id, (&action, number, trace), request, us, end);
            }
        }
    }

    /// A process is not read from, although it may have written.
    pub(super) fn on_held(&mut self, id: &PluginId) {
        let Some(process) = self.process_mut(id) else { return };
        process.throttle.is_held = true;
        if !std::mem::replace(&mut process.throttle.is_on, true) {
            self.emit(Transition::Throttled { plugin: id.clone(), on: true });
        }
    }

    /// A process is read from again.
    pub(super) fn on_resumed(&mut self, now: Now, id: &PluginId) {
        let Some(process) = self.process_mut(id) else { return };
        if std::mem::take(&mut process.throttle.is_held) {
            process.throttle.waited_at = now.mono;
        }
    }

    /// What is no longer so, and what is reported after a while.
    fn on_quiet(&mut self, now: Mono, id: &PluginId) {
        let Some(process) = self.process_mut(id) else { return };
        let is_read = process.throttle.is_on && !process.throttle.is_held;
        let is_over = is_read && process.throttle.waited_at + THROTTLE_OVER <= now;
        process.throttle.is_on &= !is_over;
        let reported = process.dropped.report_at.is_some_and(|at| at <= now);
        let events = if reported { std::mem::take(&mut process.dropped).unreported } else { 0 };
        if is_over {
            self.emit(Transition::Throttled { plugin: id.clone(), on: false });
        }
        self.report_dropped(id, events);
    }

    /// Ends a process that is to be started anew by hand; the count of its restarts is cleared.
    pub(super) fn restart(&mut self, now: Now, id: &PluginId) {
        self.clear_exits(id);
        self.end(now, id, Next::Start);
    }
}
