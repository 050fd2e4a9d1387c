//! What of the coordination runtime a person should read in the Journal.

use crate::{
    console::model::journal::{Grouping, NoticeDraft, Origin},
    dissect::macp::describe_turn_away,
    macp::{Ending, Transition as T},
    tap::entry::{Link, station::Level},
};

/// What a transition says, if it is worth a line. Why a session was cancelled can quote anybody, and is not
/// said.
pub(crate) fn describe(transition: &T, text: &str) -> Option<NoticeDraft> {
    let said = |level, of: &str, words: String| {
        let grouping = Grouping::Repeated(format!("macp {of}"));
        Some(NoticeDraft::new(level, Origin::System(Link::Macp), words).grouped(grouping))
    };
    match transition {
        T::Listening { addr } => said(Level::Info, "listening", format!("listening on {addr}")),
        T::NotListening => said(Level::Error, text, format!("not listening: {text}")),
        T::Ended { session, ending } => match ending {
            Ending::Resolved => None,
            Ending::TtlExpired => {
                said(Level::Warn, "expired", format!("session {} expired without a resolution", session.id))
            }
            Ending::Cancelled => {
                said(Level::Warn, "cancelled", format!("session {} was cancelled", session.id))
            }
            Ending::LogDamaged => {
                said(Level::Error, "damaged", format!("session {} expired: log damaged", session.id))
            }
        },
        T::TurnedAway { peer, cause } => {
            let (why, remedy) = describe_turn_away(*cause);
            said(Level::Warn, cause.name(), format!("refused {peer}: {why}; {remedy}"))
        }
        T::Introduced { .. }
        | T::Opened { .. }
        | T::Accepted { .. }
        | T::Streaming { .. }
        | T::Evicted { .. } => None,
    }
}
