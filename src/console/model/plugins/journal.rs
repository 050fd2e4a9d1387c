//! What of the plugins a person should read in the Journal.

use crate::{
    console::model::journal::{Grouping, NoticeDraft, Origin},
    plugin::{ActionEnd, Decision, DisableCause, Level as Grade, Transition as T},
    tap::entry::{Link, station::Level},
};

fn level_of(level: Grade) -> Level {
    match level {
        Grade::Debug => Level::Debug,
        Grade::Info => Level::Info,
        Grade::Warning => Level::Warn,
        Grade::Error => Level::Error,
    }
}

/// What a transition says, if it is worth a line. What a plugin wrote is of its author's choice, and is said
/// of its notices alone.
pub(crate) fn describe(transition: &T, text: &str) -> Option<NoticeDraft> {
    let plugin = transition.plugin()?;
    let said = |level, of: &str, words: String| {
        let grouping = Grouping::Repeated(format!("{plugin} {of}"));
        Some(NoticeDraft::new(level, Origin::System(Link::Plugin), words).grouped(grouping))
    };
    let quoting = |draft: Option<NoticeDraft>| draft.map(NoticeDraft::quoting);
    let with = |what: String| if text.is_empty() { what } else { format!("{what}: {text}") };
    match transition {
        T::Installed { about, .. } => {
            said(Level::Info, "installed", format!("{plugin} {} is installed", about.version))
        }
        T::Removed { .. } => said(Level::Info, "removed", format!("{plugin} is removed")),
        T::Revoked { capability, .. } => {
            said(Level::Info, "revoked", format!("{plugin}: {capability} is revoked"))
        }
        T::Up { version, .. } => said(Level::Info, "up", format!("{plugin} {version} is up")),
        T::Unhealthy { cause, .. } => {
            let why = cause.name().replace('_', " ");
            quoting(said(Level::Warn, cause.name(), with(format!("{plugin} ended, {why}"))))
        }
        T::Waiting { nth, .. } => {
            said(Level::Warn, "waiting", format!("{plugin} is restarted, {nth} of 3 within ten minutes"))
        }
        T::Disabled { cause: DisableCause::ByOperator, .. } => {
            said(Level::Info, "disabled", format!("{plugin} is disabled"))
        }
        T::Disabled { cause, .. } => {
            let why = cause.name().replace('_', " ");
            quoting(said(Level::Error, "disabled", with(format!("{plugin} is disabled, {why}"))))
        }
        T::Linted { lint, .. } => said(Level::Warn, lint.name(), format!("{plugin}: {}", lint.text())),
        T::Notified { level, .. } => quoting(said(level_of(*level), text, format!("{plugin}: {text}"))),
        T::Asked { kind, .. } => said(Level::Warn, kind, format!("{plugin} asks for the credential {kind}")),
        T::Decided { kind, decision, .. } => {
            let level = match decision {
                Decision::Allowed | Decision::AllowedAlways | Decision::Gone => Level::Info,
                Decision::Denied | Decision::TimedOut | Decision::Revoked => Level::Warn,
            };
            let how = decision.name().replace('_', " ");
            said(level, kind, format!("{plugin}, credential {kind}: {how}"))
        }
        T::Handed { kind, .. } => {
            said(Level::Info, "handed", format!("{plugin} received the credential {kind}"))
        }
        T::ActionEnded { action, end, .. } if *end != ActionEnd::Done => {
            said(Level::Warn, action, format!("{plugin}: action {action} failed"))
        }
        T::EventsDropped { .. } => {
            said(Level::Warn, "dropped", format!("{plugin} reads too slowly: events for it are dropped"))
        }
        T::Throttled { on: true, .. } => {
            said(Level::Warn, "throttled", format!("{plugin} sends more than it may: throttled"))
        }
        _ => None,
    }
}
