//! What the plugin host tells that is no frame: the fields of its transitions.

use crate::{
    dissect::{
        transitions::{TransitionDetails, number, plain, text_node},
        tree::Node,
    },
    field::Class,
    plugin::{ActionEnd, StreamChange, Transition as T},
};

/// The name of a transition of the host, its fields, and what its text is.
pub(super) fn details(transition: &T) -> TransitionDetails {
    let of = |more: Vec<Node>| {
        let plugin = transition.plugin().map(|plugin| text_node("plugin", plugin.to_string()));
        plain(transition.name(), plugin.into_iter().chain(more).collect())
    };
    match transition {
        T::Removed { .. } | T::Enabled { .. } | T::Stopping { .. } => of(Vec::new()),
        T::Installed { about, .. } => of(vec![
            text_node("name", about.name.to_string()),
            text_node("version", about.version.to_string()),
            text_node("author", about.author.to_string()),
            text_node("asks", about.asks.join(" ")),
        ]),
        T::Granted { capabilities, .. } => of(vec![text_node("capabilities", capabilities.join(" "))]),
        T::Revoked { capability, .. } => of(vec![text_node("capability", capability.to_string())]),
        T::Starting { process, .. } => of(vec![number("process", *process)]),
        T::Up { pid, version, hooks, start_us, .. } => of(vec![
            number("pid", u64::from(*pid)),
            text_node("version", version.to_string()),
            text_node("hooks", hooks.join(" ")),
            number("start_us", *start_us),
        ]),
        T::Pinged { us, .. } => of(vec![number("us", *us)]),
        T::Missed { misses, .. } => of(vec![number("misses", u64::from(*misses))]),
        T::Unhealthy { cause, .. } => {
            of(vec![text_node("cause", cause.name())]).with_text("reason", Class::Payload)
        }
        T::Waiting { until, nth, .. } => {
            of(vec![number("until_ms", until.0), number("restart", u64::from(*nth))])
        }
        T::Disabled { cause, .. } => {
            of(vec![text_node("cause", cause.name())]).with_text("reason", Class::Payload)
        }
        T::Stopped { status, .. } => of(vec![text_node("status", status.to_string())]),
        T::Linted { lint, .. } => of(vec![text_node("lint", lint.name())]).with_text("found", Class::Payload),
        T::Notified { level, .. } => {
            of(vec![text_node("level", level.name())]).with_text("message", Class::Payload)
        }
        T::Logged { level, source, .. } => {
            of(vec![text_node("level", level.name()), text_node("source", source.name())])
                .with_text("message", Class::Payload)
        }
        T::Status { .. }
        | T::Panel { .. }
        | T::ValueSet { .. }
        | T::Asked { .. }
        | T::Decided { .. }
        | T::Handed { .. }
        | T::ActionBegun { .. }
        | T::ActionEnded { .. } => of_shared(transition, of),
        T::EventsDropped { events, .. } => of(vec![number("events", *events)]),
        T::Throttled { on, .. } => of(vec![text_node("on", if *on { "yes" } else { "no" })]),
        T::LinesCut { cut, dropped, .. } => of(vec![number("cut", *cut), number("dropped", *dropped)]),
        T::Sampled { memory_bytes, cpu_permille, .. } => {
            of(vec![number("memory_bytes", *memory_bytes), number("cpu_permille", u64::from(*cpu_permille))])
        }
        T::Stream { change } => of_stream(change, of),
    }
}

/// What a plugin shows, is asked and is handed.
fn of_shared(transition: &T, of: impl Fn(Vec<Node>) -> TransitionDetails) -> TransitionDetails {
    match transition {
        T::Status { slot, .. } => {
            of(vec![text_node("slot", slot.to_string())]).with_json("value", Class::Payload)
        }
        T::Panel { fields, .. } => of(vec![number("fields", *fields)]).with_text("title", Class::Payload),
        T::ValueSet { key, .. } => {
            of(vec![text_node("key", key.to_string())]).with_json("value", Class::Payload)
        }
        T::Asked { kind, until, .. } => {
            of(vec![text_node("credential", kind.to_string()), number("until_ms", until.0)])
        }
        T::Decided { kind, decision, .. } => {
            of(vec![text_node("credential", kind.to_string()), text_node("decision", decision.name())])
        }
        T::Handed { kind, .. } => of(vec![text_node("credential", kind.to_string())]),
        T::ActionBegun { action, call, .. } => {
            of(vec![text_node("action", action.to_string()), number("call", *call)])
                .with_json("args", Class::Payload)
        }
        T::ActionEnded { action, call, end, us, .. } => {
            let fields = vec![
                text_node("action", action.to_string()),
                number("call", *call),
                text_node("end", end_text(*end)),
                number("us", *us),
            ];
            if *end == ActionEnd::Done {
                of(fields).with_json("result", Class::Payload)
            } else {
                of(fields).with_text("message", Class::Payload)
            }
        }
        _ => of(Vec::new()),
    }
}

fn of_stream(change: &StreamChange, of: impl Fn(Vec<Node>) -> TransitionDetails) -> TransitionDetails {
    match change {
        StreamChange::Channel { .. } => {
            of(vec![text_node("change", "channel")]).with_json("channel", Class::Login)
        }
        StreamChange::Live { channels } => {
            of(vec![text_node("change", "live"), number("channels", *channels)])
                .with_json("live", Class::Login)
        }
        StreamChange::Session { id, is_there } => {
            let change = if *is_there { "session added" } else { "session removed" };
            of(vec![text_node("change", change), text_node("session", id.to_string())])
        }
        StreamChange::Upstream { id, .. } => {
            of(vec![text_node("change", "upstream"), text_node("session", id.to_string())])
                .with_text("url", Class::Payload)
        }
        StreamChange::Chat { receivers } => {
            of(vec![text_node("change", "chat"), number("receivers", *receivers)])
                .with_json("message", Class::Payload)
        }
        StreamChange::ChatBatch { messages, receivers } => of(vec![
            text_node("change", "chat"),
            number("messages", *messages),
            number("receivers", *receivers),
        ]),
        StreamChange::Tick => of(vec![text_node("change", "tick")]),
    }
}

fn end_text(end: ActionEnd) -> String {
    match end {
        ActionEnd::Done => "done".to_owned(),
        ActionEnd::Failed { code } => format!("error {code}"),
        ActionEnd::TimedOut => "timed out".to_owned(),
        ActionEnd::Gone => "plugin gone".to_owned(),
        ActionEnd::Refused(code) => format!("refused: {}", code.name()),
    }
}
