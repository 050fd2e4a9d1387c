//! How a port reaches its station, where that is in another process.

use std::sync::Arc;

use crate::{ids::ConnectionId, rmp::Kind, time::Now};

/// What an attached port says where its station was started again.
pub(crate) const RESTARTED_NOTICE: &str = "the station was restarted: what follows is from the new start";

/// A port's hold on a station in another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// What the station is called.
    pub name: Arc<str>,
    /// Its process.
    pub pid: u32,
    /// This side's session on the station's bus; none while the station does not answer.
    pub session: Option<ConnectionId>,
    /// What the token makes of this side.
    pub kind: Kind,
    /// Whether it answers.
    pub reachability: Reachability,
    /// What became of this side's session before this one, where there was one.
    pub previous: Option<PreviousSession>,
}

/// What became of a session that a port had before the one that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreviousSession {
    /// Its station is no more: another start of it answers.
    Restarted,
    /// It ended, and the same start of the station gave another: why it ended.
    Ended(Arc<str>),
}

/// Whether a station answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reachability {
    /// It does.
    Attached,
    /// It is connected, and is late with the sign of life that it gives every second.
    Silent {
        /// When something came from it last.
        since: Now,
    },
    /// It does not, and is tried again.
    Lost {
        /// When something came from it last.
        since: Now,
        /// Why, as it was found the last time.
        why: Arc<str>,
    },
}

impl Attachment {
    /// Why nothing can be done by this port at all, if that is so.
    #[must_use]
    pub fn read_only(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Ui | Kind::Tui | Kind::Station => None,
            Kind::Viewer | Kind::Agent | Kind::Cue => {
                Some("this console is attached with a read-only token: it can view, but not act")
            }
        }
    }
}
