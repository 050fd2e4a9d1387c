//! How an entry stands: what was made of a frame, and how much a change of state matters.

use crate::tap::entry::station::Level;

/// How an entry stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EntryOutcome {
    /// A change of state in the course of things.
    #[default]
    Plain,
    /// A frame that was taken.
    Ok,
    /// A frame that was sent.
    Sent,
    /// A frame that ended its connection.
    Fault,
    /// A frame that came after its connection was closed.
    Late,
    /// A change of state that needs a look.
    Warn,
    /// A change of state for the worse.
    Bad,
}

impl EntryOutcome {
    /// The names of all but the plain one, which has none.
    pub(crate) const NAMES: &'static [&'static str] = &["ok", "sent", "fault", "late", "warn", "bad"];

    /// Whether something failed or was refused.
    pub(crate) const fn is_bad(self) -> bool {
        matches!(self, Self::Fault | Self::Late | Self::Bad)
    }

    /// Whether somebody who looks back wants to stop here: a failure, a fault, a loss, a drop, an alert.
    pub(crate) const fn is_of_note(self) -> bool {
        self.is_bad() || matches!(self, Self::Warn)
    }

    /// Its name.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Ok => Some("ok"),
            Self::Sent => Some("sent"),
            Self::Fault => Some("fault"),
            Self::Late => Some("late"),
            Self::Warn => Some("warn"),
            Self::Bad => Some("bad"),
        }
    }

    /// That of a line of this level.
    pub(crate) const fn of_level(level: Level) -> Self {
        match level {
            Level::Error => Self::Bad,
            Level::Warn => Self::Warn,
            Level::Info | Level::Debug | Level::Trace => Self::Plain,
        }
    }
}
