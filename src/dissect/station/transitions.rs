//! The fields of the station's own transitions.

use crate::{
    admission::Port,
    dissect::{
        transitions::{TransitionDetails, plain, shown, text_node, with_text},
        tree::Node,
    },
    field::Class,
    tap::entry::station::{Level, OperatedBy, Transition as T},
    words::format,
};

/// The name of a transition of the station, its fields, and what its text is.
pub(super) fn details(transition: &T) -> TransitionDetails {
    let path = |name, fields| with_text(name, fields, "path", Class::Public);
    match transition {
        T::Started => plain("started", Vec::new()),
        T::HostUp { link } => plain("host up", vec![text_node("host", link.name())]),
        T::HostDown { link } => {
            with_text("host down", vec![text_node("host", link.name())], "why", Class::Public)
        }
        T::StoreOk => plain("store ok", Vec::new()),
        T::StoreFailing => with_text("store failing", Vec::new(), "why", Class::Public),
        T::RecordingStarted => path("recording", Vec::new()),
        T::RecordingGrew { bytes } => plain("recorded", vec![text_node("bytes", format::bytes(*bytes))]),
        T::RecordingStopped { bytes } => {
            path("recording ended", vec![text_node("bytes", format::bytes(*bytes))])
        }
        T::RecordingFailed { is_always } => path("recording failed", vec![shown("always", is_always)]),
        T::AlwaysRecording => path("always recording", Vec::new()),
        T::DiskLow { free_bytes } => plain("disk low", vec![text_node("free", format::bytes(*free_bytes))]),
        T::DiskFree { free_bytes } => plain("disk free", vec![text_node("free", format::bytes(*free_bytes))]),
        T::DiskOk { free_bytes } => plain("disk ok", vec![text_node("free", format::bytes(*free_bytes))]),
        T::Operated { by, command } => {
            let command = command.as_deref().map(|command| payload("command", command));
            with_text("operated", with_operator(by.as_ref(), command), "what", Class::Public)
        }
        T::OperationEnded { outcome } => plain("operation ended", vec![payload("outcome", outcome)]),
        T::Triggered { name, entry, coalesced, is_alert } => {
            triggered(name, [shown("entry", entry), shown("coalesced", coalesced), shown("alert", is_alert)])
        }
        T::Marked { by, entry } => {
            let entry = entry.as_ref().map(|entry| shown("entry", entry));
            with_text("mark", with_operator(by.as_ref(), entry), "text", Class::Public)
        }
        T::Notice { level } => {
            with_text("notice", vec![text_node("level", level.name())], "text", Class::Public)
        }
        T::TurnedAway { why, count } => with_text(
            "turned away",
            vec![text_node("why", why.text(Port::Metrics)), text_node("count", count.to_string())],
            "most",
            Class::Public,
        ),
        T::TokenShown { plugin } => with_text(
            "token shown",
            plugin.iter().map(|plugin| text_node("plugin", plugin.to_string())).collect(),
            "text",
            Class::Public,
        ),
        T::Alert { change, alert } => plain(
            "alert",
            vec![
                text_node("change", change.name()),
                text_node("id", alert.id.to_string()),
                text_node("name", alert.name.to_string()),
                text_node("subject", alert.subject.to_string()),
                text_node("text", alert.text.to_string()),
            ],
        ),
        T::Restarted => {
            with_text("notice", vec![text_node("level", Level::Warn.name())], "text", Class::Public)
        }
        T::Stopping { by } => plain("stopping", operator(by.as_ref())),
    }
}

/// What a trigger found.
fn triggered(name: &str, figures: [Node; 3]) -> TransitionDetails {
    let fields = std::iter::once(text_node("trigger", name.to_owned())).chain(figures).collect();
    with_text("triggered", fields, "text", Class::Payload)
}

/// The fields of who did it, and what else is known of it.
fn with_operator(by: Option<&OperatedBy>, more: Option<Node>) -> Vec<Node> {
    operator(by).into_iter().chain(more).collect()
}

/// A field that may say what viewers wrote.
fn payload(name: &'static str, text: &str) -> Node {
    text_node(name, text.to_owned()).with_class(Class::Payload)
}

/// The fields of who did it.
fn operator(by: Option<&OperatedBy>) -> Vec<Node> {
    by.map_or_else(Vec::new, |OperatedBy { kind, client, session }| {
        let session = session.map(|session| text_node("session", session.to_string()));
        let who = [text_node("kind", kind.name()), text_node("client", client.to_string())];
        who.into_iter().chain(session).collect()
    })
}
