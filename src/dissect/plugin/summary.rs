//! What the entries of the plugin host tell.

use std::borrow::Cow;

use crate::{
    dissect::{outcome::EntryOutcome, summary::EntrySummary},
    plugin::{Code, Decision, Head, Level, StreamChange, Transition as T, Verdict},
    tap::entry::{Frame, Verdict as AnyVerdict},
    words::{counted, format},
};

/// What a message of a plugin, or to one, tells of.
pub(super) fn frame_summary<'a>(frame: &'a Frame, head: &'a Head) -> EntrySummary<'a> {
    let (outcome, clause) = match &frame.verdict {
        AnyVerdict::Plugin(Verdict::Accepted | Verdict::Answered) => (EntryOutcome::Ok, None),
        AnyVerdict::Plugin(Verdict::Refused(code)) => (EntryOutcome::Warn, Some(super::code_clause(*code))),
        AnyVerdict::Plugin(Verdict::Ignored(lint)) => (EntryOutcome::Warn, Some(super::lint_clause(*lint))),
        AnyVerdict::Plugin(Verdict::Broken(violation)) => {
            (EntryOutcome::Fault, Some(super::violation_clause(*violation)))
        }
        _ => (EntryOutcome::Sent, None),
    };
    EntrySummary {
        kind: kind(head),
        outcome,
        clause,
        plugin: Some(head.plugin.as_str()),
        method: head.method.as_deref(),
        code: code(frame, head),
        ..EntrySummary::default()
    }
}

fn kind(head: &Head) -> &'static str {
    match (head.is_answer, &head.id) {
        (true, _) => "answer",
        (false, Some(_)) => "request",
        (false, None) => "notification",
    }
}

/// The error that a message has, or is answered with.
fn code(frame: &Frame, head: &Head) -> Option<&'static str> {
    match (&frame.verdict, head.code) {
        (AnyVerdict::Plugin(Verdict::Refused(code)), _) => Some(code.name()),
        (_, Some(number)) => Some(Code::of_number(number).map_or("error", Code::name)),
        _ => None,
    }
}

/// A message in one line: what was made of it, where that is not what one expects, then what it is, and
/// whose.
pub(super) fn frame_line(frame: &Frame, head: &Head) -> Cow<'static, str> {
    let method = head.method.as_deref().unwrap_or("?");
    let what = if head.is_answer { format!("answer to {method}") } else { method.to_owned() };
    let what = format!("{what}, {}", head.plugin);
    match (&frame.verdict, code(frame, head)) {
        (AnyVerdict::Plugin(Verdict::Ignored(lint)), _) => format!("{}: {what}", lint.text()),
        (AnyVerdict::Plugin(Verdict::Broken(violation)), _) => {
            format!("{}: {}", violation.text(), head.plugin)
        }
        (_, Some(code)) => format!("{code}: {what}"),
        _ => what,
    }
    .into()
}

/// What a transition of the host tells of.
pub(super) fn summary(transition: &T) -> EntrySummary<'_> {
    let of_level = |level: Level| match level {
        Level::Error => EntryOutcome::Bad,
        Level::Warning => EntryOutcome::Warn,
        Level::Info | Level::Debug => EntryOutcome::Plain,
    };
    let outcome = match transition {
        T::Unhealthy { .. } | T::Disabled { .. } => EntryOutcome::Bad,
        T::Waiting { .. }
        | T::Missed { .. }
        | T::Linted { .. }
        | T::Revoked { .. }
        | T::Asked { .. }
        | T::EventsDropped { .. }
        | T::LinesCut { .. }
        | T::Throttled { on: true, .. }
        | T::Decided { decision: Decision::Denied | Decision::TimedOut, .. } => EntryOutcome::Warn,
        T::Notified { level, .. } | T::Logged { level, .. } => of_level(*level),
        _ => EntryOutcome::Plain,
    };
    let clause = if let T::Linted { lint, .. } = transition { Some(super::lint_clause(*lint)) } else { None };
    EntrySummary {
        kind: transition.name(),
        outcome,
        clause,
        plugin: transition.plugin().map(crate::ids::PluginId::as_str),
        ..EntrySummary::default()
    }
}

/// What happened, in one line.
pub(super) fn line(transition: &T) -> Cow<'static, str> {
    let of = |words: String| transition.plugin().map_or(words.clone(), |plugin| format!("{plugin}: {words}"));
    let ms = |us: u64| format::fine(std::time::Duration::from_micros(us));
    of(match transition {
        T::Installed { about, .. } => format!("version {}", about.version),
        T::Granted { capabilities, .. } => counted(capabilities.len() as u64, "capability"),
        T::Revoked { capability, .. } => capability.to_string(),
        T::Removed { .. } | T::Enabled { .. } | T::Stopping { .. } => transition.name().to_owned(),
        T::Starting { process, .. } => format!("process {process}"),
        T::Up { version, start_us, .. } => format!("version {version}, after {}", ms(*start_us)),
        T::Pinged { us, .. } => ms(*us),
        T::Missed { misses, .. } => format!("{misses} in a row"),
        T::Unhealthy { cause, .. } => cause.name().replace('_', " "),
        T::Waiting { nth, .. } => format!("restart {nth} of 3"),
        T::Disabled { cause, .. } => cause.name().replace('_', " "),
        T::Stopped { status, .. } => status.to_string(),
        T::Linted { lint, .. } => lint.text().to_owned(),
        T::Notified { level, .. } => level.name().to_owned(),
        T::Logged { level, source, .. } => format!("{} {}", source.name(), level.name()),
        T::Status { slot, .. } => slot.to_string(),
        T::Panel { fields: 0, .. } => "no panel".to_owned(),
        T::Panel { fields, .. } => counted(*fields, "field"),
        T::ValueSet { key, .. } => key.to_string(),
        T::Asked { kind, .. } | T::Handed { kind, .. } => kind.to_string(),
        T::Decided { kind, decision, .. } => format!("{kind} {}", decision.name().replace('_', " ")),
        T::ActionBegun { action, call, .. } => format!("{action}, call {call}"),
        T::ActionEnded { action, call, us, .. } => format!("{action}, call {call}, after {}", ms(*us)),
        T::EventsDropped { events, .. } => counted(*events, "event"),
        T::LinesCut { cut, dropped, .. } => format!("{cut} cut, {dropped} dropped"),
        T::Throttled { on, .. } => if *on { "on" } else { "off" }.to_owned(),
        T::Sampled { memory_bytes, cpu_permille, .. } => {
            format!(
                "{}, {}.{} % of a core",
                format::bytes(*memory_bytes),
                cpu_permille / 10,
                cpu_permille % 10
            )
        }
        T::Stream { change } => stream_line(change),
    })
    .into()
}

fn stream_line(change: &StreamChange) -> String {
    match change {
        StreamChange::Channel { login: Some(_) } => "a channel plays".to_owned(),
        StreamChange::Channel { login: None } => "nothing plays".to_owned(),
        StreamChange::Live { channels } => format!("{} live", counted(*channels, "channel")),
        StreamChange::Session { id, is_there: true } => format!("session {id} added"),
        StreamChange::Session { id, is_there: false } => format!("session {id} removed"),
        StreamChange::Upstream { id, .. } => format!("upstream of session {id}"),
        StreamChange::Chat { receivers } => format!("chat message to {}", counted(*receivers, "plugin")),
        StreamChange::ChatBatch { messages, receivers } => {
            format!("{} to {}", counted(*messages, "chat message"), counted(*receivers, "plugin"))
        }
        StreamChange::Tick => "watch tick".to_owned(),
    }
}
