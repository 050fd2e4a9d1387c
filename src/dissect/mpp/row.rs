//! The bridge's rows of the table.

use super::{close_cause::breach_of, frame::MppFrame, preview, summary, transitions, verdict};
use crate::{
    dissect::table::dissects,
    tap::entry::mpp::{FrameType, Head, Transition},
};

dissects! {
    Head {
        name: |head| head.kind.map_or("unknown frame", FrameType::name),
        decoder: MppFrame,
        is_routine: |_| false,
    }
    Transition {
        breach: |transition| match transition {
            Transition::Disconnected { cause, .. } => breach_of(*cause),
            _ => None,
        },
        is_routine: |_| false,
    }
}
