//! What operators have the station do.

use std::sync::Arc;

use serde::Serialize;

use super::{
    bridge::{self, Running},
    bus, gate,
    local::{Inner, Operating},
    mplp, pages, plugins,
    recording::{self, Begin},
    runs, sessions, supervisor,
};
use crate::{
    ids::Seq,
    port::{Command, Outcome, PortError, TriggerCommand, TriggerOutcome},
    store::op::{Class, Op},
    tap::entry::station::Transition,
    words::cut,
};

/// The longest command or outcome that is reported, in bytes; what is longer is cut.
const SHOWN_BYTES_MAX: u64 = 4_096;

/// The longest text of a mark, in bytes; what is longer is cut.
const MARK_BYTES_MAX: u64 = 256;

/// A command as it is reported; none of frames, which are entries of their own, and of what reports nothing.
pub(super) fn shown(command: &Command) -> Option<Arc<str>> {
    let is_shown = match command {
        Command::Workbench(_)
        | Command::Mark { .. }
        | Command::AcknowledgeAlerts { .. }
        | Command::Backup { .. }
        | Command::RecordStart { .. }
        | Command::RecordStop
        | Command::Clip { .. } => false,
        Command::Mpp(_)
        | Command::Runs(_)
        | Command::Macp(_)
        | Command::Plugin(_)
        | Command::Mplp(_)
        | Command::Gate(_)
        | Command::Trigger(_)
        | Command::KickPeer { .. }
        | Command::Restart { .. }
        | Command::Stop => true,
    };
    is_shown.then(|| json(command))
}

/// It as JSON, cut.
pub(super) fn json(value: &impl Serialize) -> Arc<str> {
    let text = serde_json::to_string(value).unwrap_or_default();
    Arc::from(cut(&text, SHOWN_BYTES_MAX))
}

/// Does it.
pub(super) async fn act(
    inner: &Arc<Inner>,
    operating: Operating<'_>,
    command: Command,
) -> Result<Outcome, PortError> {
    let hosts = &inner.hosts;
    let running = inner.running();
    match command {
        // These also of a station whose bridge did not come up.
        Command::Restart { link } => supervisor::restart(Arc::clone(inner), operating, link).await,
        Command::Stop => Ok(stop(inner, operating)),
        Command::AcknowledgeAlerts { ids } => inner.alerts.acknowledge(inner, &ids),
        Command::Mark { text, entry } => Ok(mark(operating, &text, entry)),
        Command::Mpp(command) => bridge::command(operating, &*running.await?, command).await,
        Command::Backup { path } => pages::backup(&*running.await?, path).await,
        Command::Runs(command) => {
            running.await?;
            runs::command(operating, &hosts.runs, command).await
        }
        Command::Macp(command) => {
            running.await?;
            sessions::command(operating, &hosts.sessions, command).await
        }
        Command::Plugin(command) => {
            running.await?;
            plugins::command(operating, &hosts.plugins, command).await
        }
        Command::Mplp(command) => mplp::command(operating, &hosts.records, &*running.await?, command).await,
        Command::Workbench(command) => {
            running.await?;
            inner.workbench.command(operating, command).await
        }
        Command::Gate(command) => {
            running.await?;
            gate::command(inner, operating, command)
        }
        Command::Trigger(command) => trigger(inner, operating, &*running.await?, command).await,
        Command::KickPeer { session } => {
            running.await?;
            bus::kick(operating, &hosts.bus, session).await
        }
        Command::RecordStart { path, preroll_s, whole } => {
            running.await?;
            inner.recording.start(inner, Begin { path, preroll_s, whole }).await
        }
        Command::RecordStop => {
            running.await?;
            inner.recording.stop().await
        }
        Command::Clip { seconds, path } => {
            running.await?;
            recording::clip(inner, seconds, path).await
        }
    }
}

/// Has whoever owns the station end it. That it goes down is told at once, while whoever is attached can
/// still be reached.
fn stop(inner: &Inner, operating: Operating<'_>) -> Outcome {
    operating.report("stop");
    inner.tell_stopping(Some(operating.by.clone()));
    inner.stop_asked.send_replace(true);
    Outcome::Stopping { pid: std::process::id(), data: inner.status.view().0.data }
}

/// Adds or removes a trigger, and has the store keep that.
async fn trigger(
    inner: &Inner,
    operating: Operating<'_>,
    running: &Running,
    command: TriggerCommand,
) -> Result<Outcome, PortError> {
    let (name, spec) = match &command {
        TriggerCommand::Add(spec) => (spec.name.clone(), serde_json::to_string(spec).ok()),
        TriggerCommand::Remove { name } => (name.clone(), None),
    };
    let (words, outcome) = match command {
        TriggerCommand::Add(spec) => {
            inner.triggers.add(spec)?;
            ("add trigger", TriggerOutcome::Added { after: inner.tap.last() })
        }
        TriggerCommand::Remove { name } => {
            inner.triggers.remove(&name)?;
            ("remove trigger", TriggerOutcome::Removed)
        }
    };
    operating.report(&format!("{words} {name}"));
    let op = Op::Trigger { name, spec };
    pages::query_store(|done| {
        let plain = Box::new(move |answer: Result<_, _>| done(answer.map(drop)));
        running.store.commit(op, Class::Process, plain)
    })
    .await?;
    Ok(Outcome::Trigger(outcome))
}

/// Marks this moment, or an entry.
fn mark(operating: Operating<'_>, text: &str, entry: Option<Seq>) -> Outcome {
    let by = Some(operating.by.clone());
    let text = cut(text.trim(), MARK_BYTES_MAX);
    Outcome::Marked { entry: operating.status.report(Transition::Marked { by, entry }, text) }
}
