//! Requests of the station's own that wait for an agent which reads nothing: they expire all the same (rmp-v0
//! §4), and the station, which awaits an answer, is told.

use std::time::Duration;

use super::{
    core::Broker,
    drops::LostMessage,
    io::{Output, STATION, UnreadRequest},
    session::TopicRef,
    topics::serves,
};
use crate::{ids::ConnectionId, time::Now};

/// Between two looks at a session that has not read what it was given.
const RECHECK_INTERVAL: Duration = Duration::from_secs(1);

impl Broker {
    /// Has those looked at that were given a request just now, once it is to have left.
    pub(super) fn watch_responders(&mut self, now: Now, ttl_ms: u64) {
        let Self { responders: serving, sessions, watched, .. } = self;
        for id in serving.queued() {
            if let Some(session) = sessions.get_mut(*id).filter(|session| !session.is_watched) {
                session.is_watched = true;
                let at = now.mono + Duration::from_millis(ttl_ms);
                // All that the station asks has the same TTL; what has another one is looked for a little
                // late.
                watched.push_back((watched.back().map_or(at, |(last, _)| at.max(*last)), *id));
            }
        }
    }

    /// Takes what expired out of the queues of those whose time to read it is over.
    pub(super) fn check_unread(&mut self, now: Now) {
        while let Some((_, id)) = self.watched.front().copied().filter(|(at, _)| now.mono >= *at) {
            self.watched.pop_front();
            self.expire(now, id);
            let Some(session) = self.sessions.get_mut(id) else { continue };
            session.is_watched = session.is_open() && !session.outbox.is_empty();
            if session.is_watched {
                let at = now.mono + RECHECK_INTERVAL;
                let index = self.watched.partition_point(|(before, _)| *before <= at);
                self.watched.insert(index, (at, id));
            }
        }
    }

    /// Tells the station where a request of its own expired before the agent that it was for read it.
    pub(super) fn report_unread(&mut self, at: TopicRef, lost: LostMessage) {
        let LostMessage { to: Some((session, sub)), from: Some(STATION), msg_id, .. } = lost else { return };
        let Some(topic) = self.topics.get(at).map(|state| state.topic.as_str()) else { return };
        if self.settings.has_station_inbox && self.is_of_agent(session, sub, topic) {
            self.outputs.push_back(Output::Unread(UnreadRequest { session, msg_id }));
        }
    }

    fn is_of_agent(&self, session: ConnectionId, sub: u64, topic: &str) -> bool {
        let Some(session) = self.sessions.get(session) else { return false };
        let sub = session.sub_indexes.get(&sub).and_then(|place| session.subs.get(*place));
        sub.is_some_and(|sub| serves(session.kind(), sub.pattern.as_str(), topic))
    }
}
