//! How the station is reached, where it is in another process: what that makes of what is shown, and of what
//! can be done.

use crate::{
    console::model::state::{Model, next_revision},
    ids::ConnectionId,
    port::{Attachment, PreviousSession, Reachability, StoppingView},
    tap::entry::station::Level,
    time::Now,
};

/// What became of the session before the one of that process.
fn describe_cut(cut: &PreviousSession, pid: u32) -> String {
    match cut {
        PreviousSession::Restarted => format!("the station was restarted (pid {pid})"),
        PreviousSession::Ended(why) => format!("connection lost, now reattached: {why}"),
    }
}

/// Whether the station gave a console another session than the one that it had.
fn has_changed(before: &Attachment, after: &Attachment) -> bool {
    let was_lost = matches!(before.reachability, Reachability::Lost { .. });
    was_lost || before.session.is_some_and(|own| after.session != Some(own)) || before.pid != after.pid
}

impl Model {
    /// Notes how the station is reached: what changed of it, in words.
    pub(crate) fn set_attachment(&mut self, attachment: Option<Attachment>, now: Now) -> bool {
        // While the station does not answer, this console is who it was.
        let own = self.own_session();
        let attachment = attachment.map(|known| Attachment { session: known.session.or(own), ..known });
        if attachment == self.attachment {
            return false;
        }
        self.revision = next_revision();
        let lost_since = |attachment: &Option<Attachment>| match attachment {
            Some(Attachment { reachability: Reachability::Lost { since, .. }, .. }) => Some(*since),
            _ => None,
        };
        match (lost_since(&self.attachment), &attachment) {
            (None, Some(Attachment { reachability: Reachability::Lost { why, .. }, .. })) => {
                let words = match self.stopping() {
                    Some(_) => "the station has stopped; reconnecting until it is back".to_owned(),
                    None => format!("the station does not answer: {why}; reconnecting"),
                };
                self.journal.note(Level::Warn, &words, now);
            }
            (
                Some(since),
                Some(Attachment { reachability: Reachability::Attached, name, pid, previous: cut, .. }),
            ) => {
                let seconds = now.mono.since(since.mono).as_secs();
                let (level, words) = match cut {
                    Some(cut @ PreviousSession::Restarted) => {
                        (Level::Warn, format!("{}, after {seconds} s", describe_cut(cut, *pid)))
                    }
                    _ => (Level::Info, format!("reattached to {name} (pid {pid}) after {seconds} s")),
                };
                self.journal.note(level, &words, now);
            }
            (None, Some(after @ Attachment { previous: Some(cut), .. }))
                if self.attachment.as_ref().is_some_and(|before| has_changed(before, after)) =>
            {
                self.journal.note(Level::Warn, &describe_cut(cut, after.pid), now);
            }
            _ => {}
        }
        self.attachment = attachment;
        true
    }

    /// What this console is told that was attached like that before, and has another session now: how grave
    /// it is, and the words.
    pub(crate) fn displaced_notice(&self, before: Option<&Attachment>) -> Option<(Level, String)> {
        let after = self.attachment.as_ref()?;
        let cut =
            after.previous.as_ref().filter(|_| before.is_some_and(|before| has_changed(before, after)))?;
        let level = if *cut == PreviousSession::Restarted { Level::Warn } else { Level::Error };
        Some((level, describe_cut(cut, after.pid)))
    }

    /// Whether the station is here, or answers.
    pub(crate) fn is_reachable(&self) -> bool {
        self.attachment.as_ref().is_none_or(|attachment| attachment.reachability == Reachability::Attached)
    }

    /// The station's orderly stop, once that has begun.
    pub(crate) fn stopping(&self) -> Option<&StoppingView> {
        self.station_state.as_ref()?.station.stopping.as_ref()
    }

    /// The moment that is shown at this one: a station that does not answer is shown as it was last.
    pub(crate) fn displayed_moment(&self, clock: Now) -> Now {
        match &self.attachment {
            Some(Attachment {
                reachability: Reachability::Lost { since, .. } | Reachability::Silent { since },
                ..
            }) => *since,
            _ => clock,
        }
    }

    /// Why nothing can be done to the station through this console now, if that is so.
    pub(crate) fn read_only_reason(&self) -> Option<String> {
        let attachment = self.attachment.as_ref()?;
        match &attachment.reachability {
            Reachability::Attached | Reachability::Silent { .. } => attachment.read_only().map(str::to_owned),
            Reachability::Lost { why, .. } => Some(format!("the station does not answer: {why}")),
        }
    }

    /// This console's own session on the bus, where it is attached over it.
    pub(crate) fn own_session(&self) -> Option<ConnectionId> {
        self.attachment.as_ref()?.session
    }
}
