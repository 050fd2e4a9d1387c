//! The plugin host's rows of the table.

use super::{message::PluginMessage, preview, summary, transitions, verdict};
use crate::{
    dissect::{Breach, table::dissects},
    plugin::{Head, StreamChange, Transition},
};

dissects! {
    Head {
        name: |head| if head.is_answer { "answer" } else if head.id.is_some() { "request" } else { "notification" },
        decoder: PluginMessage,
        is_routine: |head| matches!(head.method.as_deref(), Some("ping" | "on_watch_tick")),
    }
    Transition {
        breach: |transition| match transition {
            Transition::Linted { lint, .. } => Some(Breach::PluginLint(*lint)),
            _ => None,
        },
        is_routine: |transition| matches!(
            transition,
            Transition::Pinged { .. }
                | Transition::Sampled { .. }
                | Transition::Stream { change: StreamChange::Tick }
        ),
    }
}
