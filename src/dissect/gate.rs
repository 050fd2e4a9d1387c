//! What the gate tells: frames that it stopped, and what became of them.

use std::borrow::Cow;

use super::{
    outcome::EntryOutcome,
    summary::EntrySummary,
    table::of_head,
    transitions::{TransitionDetails, plain},
    tree::Node,
};
use crate::{
    rmp,
    tap::entry::{
        Link,
        gate::{Intercepted, Passed, Passing},
    },
    time::Wall,
};

impl<'a> EntrySummary<'a> {
    /// Of a frame that was stopped: what the frame speaks of.
    pub(super) fn of_intercepted(it: &'a Intercepted) -> Self {
        let frame = of_head(&it.frame.head).summary(&it.frame);
        Self { kind: "intercepted", outcome: EntryOutcome::Warn, ..frame }
    }

    /// Of a frame that left.
    pub(super) fn of_passed(it: &Passed) -> Self {
        let outcome = match it.how {
            Passing::Dropped | Passing::Cut => EntryOutcome::Warn,
            Passing::AsItWas
            | Passing::Edited
            | Passing::TimedOut
            | Passing::Delayed
            | Passing::Duplicated => EntryOutcome::Plain,
        };
        Self { kind: "passed", outcome, ..Self::default() }
    }
}

/// When the message in a frame expires; nothing of what has no such time.
pub(crate) fn expires_at(link: Link, bytes: &[u8]) -> Option<Wall> {
    rmp::framing::expires_at(bytes).filter(|_| link == Link::Rmp).map(Wall)
}

/// A frame that was stopped, in a line.
pub(super) fn intercepted_line(it: &Intercepted) -> Cow<'static, str> {
    let frame = of_head(&it.frame.head).line(&it.frame);
    let hold = match it.hold_ms {
        Some(ms) => format!(", held for {} s at most", ms.div_ceil(1_000)),
        None => String::new(),
    };
    format!("frame {} at the gate (rule {}){hold}: {frame}", it.number, it.rule).into()
}

/// What became of it, in a line.
pub(super) fn passed_line(it: &Passed) -> Cow<'static, str> {
    let by = it.by.as_ref().map_or_else(String::new, |by| format!(" by {}", by.label()));
    format!("frame {} at the gate {}{by}", it.number, words(it.how)).into()
}

/// How a frame left, in words.
pub(crate) const fn words(how: Passing) -> &'static str {
    match how {
        Passing::AsItWas => "passed",
        Passing::Edited => "edited",
        Passing::Dropped => "dropped",
        Passing::TimedOut => "passed: held too long",
        Passing::Delayed => "delayed",
        Passing::Duplicated => "duplicated",
        Passing::Cut => "cut",
    }
}

pub(super) fn intercepted_details(it: &Intercepted) -> TransitionDetails {
    let mut fields = vec![
        Node::fact("frame", it.number.to_string()),
        Node::fact("rule", it.rule.to_string()).with_note("`gate ls` has its filter while it is armed"),
        Node::fact("type", of_head(&it.frame.head).name()),
        Node::fact("peer", it.frame.peer.to_string()),
    ];
    fields.extend(it.hold_ms.map(|ms| Node::fact("held", format!("{ms} ms at most"))));
    plain("intercepted", fields)
}

pub(super) fn passed_details(it: &Passed) -> TransitionDetails {
    let mut fields =
        vec![Node::fact("frame", it.number.to_string()), Node::fact("how", it.how.name().replace('_', " "))];
    fields.extend(it.by.as_ref().map(|by| Node::fact("by", by.to_string())));
    plain("passed", fields)
}
