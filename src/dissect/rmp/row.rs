//! The bus's rows of the table.

use super::{frame::RmpFrames, preview, summary, transitions, verdict};
use crate::{
    dissect::{breach::Breach, table::dissects},
    rmp::{CloseCause, FrameKind, Head, Transition as T, topic::METRICS},
};

dissects! {
    Head {
        name: |head| head.kind.map_or("unknown frame", FrameKind::name),
        decoder: RmpFrames,
        is_routine: |head| head.topic.as_ref().is_some_and(|topic| topic.as_str() == METRICS),
    }
    T {
        breach: |transition| match transition {
            T::Disconnected { cause: CloseCause::Refused(refusal), .. } => Some(Breach::Bus(*refusal)),
            T::Disconnected { cause: CloseCause::HelloTimeout, .. } => Some(Breach::BusHelloTimeout),
            _ => None,
        },
        is_routine: |transition| {
            matches!(transition, T::QueueStats { .. } | T::SessionStats { .. } | T::DedupeStats { .. })
        },
    }
}
