//! What the entries that tell of records of the bus are found by.

use crate::{
    console::records::entry_query::EntryQuery,
    ids::{ConnectionId, TopicName},
    rmp::{DropKey, Transition as T, Verdict},
    tap::entry::{Frame, Head, Transition, Verdict as AnyVerdict, What},
};

/// What was published on a topic.
pub(super) fn of_topic(topic: TopicName) -> EntryQuery {
    EntryQuery::telling(move |found| match &found.entry.what {
        What::Frame(Frame {
            head: Head::Rmp(head),
            verdict: AnyVerdict::Rmp(Verdict::Published { .. }),
            ..
        }) => head.topic.as_ref() == Some(&topic),
        _ => false,
    })
}

/// The changes of state of a connection.
pub(super) fn of_session(session: ConnectionId) -> EntryQuery {
    EntryQuery::changing(
        move |_, transition| matches!(transition, Transition::Rmp(it) if it.session() == Some(session)),
    )
}

/// The notices of drops.
pub(super) fn of_drop(key: DropKey) -> EntryQuery {
    EntryQuery::changing(move |_, transition| match transition {
        Transition::Rmp(T::Dropped { reason, topic, to, from, .. }) => key.is_of(*reason, topic, *to, *from),
        _ => false,
    })
}
