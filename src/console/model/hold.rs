//! How the station is reached, where it is in another process: what that makes of what is shown, and of what
//! can be done.

use super::state::{Model, next_revision};
use crate::{
    ids::ConnectionId,
    port::{Attachment, Cut, Reach},
    tap::entry::station::Level,
    time::Now,
};

/// What became of the session before the one of that process.
fn cut_words(cut: &Cut, pid: u32) -> String {
    match cut {
        Cut::StartedAgain => format!("the station was started again (process {pid})"),
        Cut::Ended(why) => format!("this console was cut off, and is attached again: {why}"),
    }
}

/// Whether the station gave a console another session than the one that it had.
fn has_changed(before: &Attachment, after: &Attachment) -> bool {
    let was_lost = matches!(before.reach, Reach::Lost { .. });
    was_lost || before.session.is_some_and(|own| after.session != Some(own)) || before.pid != after.pid
}

impl Model {
    /// Notes how the station is reached: what changed of it, in words.
    pub(crate) fn reach(&mut self, attachment: Option<Attachment>, now: Now) -> bool {
        // While the station does not answer, this console is who it was.
        let own = self.own_session();
        let attachment = attachment.map(|known| Attachment { session: known.session.or(own), ..known });
        if attachment == self.attachment {
            return false;
        }
        self.revision = next_revision();
        let lost_since = |attachment: &Option<Attachment>| match attachment {
            Some(Attachment { reach: Reach::Lost { since, .. }, .. }) => Some(*since),
            _ => None,
        };
        match (lost_since(&self.attachment), &attachment) {
            (None, Some(Attachment { reach: Reach::Lost { why, .. }, .. })) => {
                self.journal.note(
                    Level::Warn,
                    &format!("the station does not answer: {why}. It is tried again until it does"),
                    now,
                );
            }
            (Some(since), Some(Attachment { reach: Reach::Attached, name, pid, cut, .. })) => {
                let seconds = now.mono.since(since.mono).as_secs();
                let (level, words) = match cut {
                    Some(cut @ Cut::StartedAgain) => {
                        (Level::Warn, format!("{}, after {seconds} s", cut_words(cut, *pid)))
                    }
                    _ => (Level::Info, format!("attached again to {name} (process {pid}) after {seconds} s")),
                };
                self.journal.note(level, &words, now);
            }
            (None, Some(after @ Attachment { cut: Some(cut), .. }))
                if self.attachment.as_ref().is_some_and(|before| has_changed(before, after)) =>
            {
                self.journal.note(Level::Warn, &cut_words(cut, after.pid), now);
            }
            _ => {}
        }
        self.attachment = attachment;
        true
    }

    /// What this console is told that was attached like that before, and has another session now: how grave
    /// it is, and the words.
    pub(crate) fn cut_off(&self, before: Option<&Attachment>) -> Option<(Level, String)> {
        let after = self.attachment.as_ref()?;
        let cut = after.cut.as_ref().filter(|_| before.is_some_and(|before| has_changed(before, after)))?;
        let level = if *cut == Cut::StartedAgain { Level::Warn } else { Level::Error };
        Some((level, cut_words(cut, after.pid)))
    }

    /// Whether the station is here, or answers.
    pub(crate) fn is_reached(&self) -> bool {
        self.attachment.as_ref().is_none_or(|attachment| attachment.reach == Reach::Attached)
    }

    /// The moment that is shown at this one: a station that does not answer is shown as it was last.
    pub(crate) fn moment(&self, clock: Now) -> Now {
        match &self.attachment {
            Some(Attachment { reach: Reach::Lost { since, .. } | Reach::Silent { since }, .. }) => *since,
            _ => clock,
        }
    }

    /// Why nothing can be done to the station through this console now, if that is so.
    pub(crate) fn cannot_act(&self) -> Option<String> {
        let attachment = self.attachment.as_ref()?;
        match &attachment.reach {
            Reach::Attached | Reach::Silent { .. } => attachment.read_only().map(str::to_owned),
            Reach::Lost { why, .. } => Some(format!("the station does not answer: {why}")),
        }
    }

    /// This console's own session on the bus, where it is attached over it.
    pub(crate) fn own_session(&self) -> Option<ConnectionId> {
        self.attachment.as_ref()?.session
    }
}
