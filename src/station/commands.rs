//! What operators have the station do.

use std::sync::Arc;

use super::{
    bridge::{self, Running},
    bus, gate,
    local::{Inner, Operating},
    mplp, pages, plugins,
    recording::{self, Begin},
    reported::ReportedTexts,
    runs, sessions, supervisor,
};
use crate::{
    ids::Seq,
    port::{Command, MARK_BYTES_MAX, Outcome, PortError, TriggerCommand, TriggerOutcome},
    store::op::{Class, Op},
    tap::entry::station::Transition,
};

/// A command as it is reported; none of frames, which are entries of their own, and of what reports nothing.
pub(super) fn shown(texts: &ReportedTexts, command: &Command) -> Option<Arc<str>> {
    let is_shown = match command {
        Command::Workbench(_)
        | Command::Mark { .. }
        | Command::AcknowledgeAlerts { .. }
        | Command::Backup { .. } => false,
        Command::Mpp(_)
        | Command::Runs(_)
        | Command::Macp(_)
        | Command::Plugin(_)
        | Command::Mplp(_)
        | Command::Gate(_)
        | Command::Trigger(_)
        | Command::KickPeer { .. }
        | Command::RecordStart { .. }
        | Command::RecordStop
        | Command::Clip { .. }
        | Command::Restart { .. }
        | Command::Stop => true,
    };
    is_shown.then(|| match command {
        Command::Plugin(of) => {
            let without = of.without_command_line();
            without.map_or_else(|| texts.json(command), |it| texts.json(&Command::Plugin(it)))
        }
        _ => texts.json(command),
    })
}

/// Whether a command is refused by what it says and what the station itself knows, asking no host.
pub(super) fn check(inner: &Inner, command: &Command) -> Result<(), PortError> {
    match command {
        Command::Clip { seconds: 0, .. } => {
            Err(PortError::BadRequest("a clip has 1 second at least".to_owned()))
        }
        Command::Mark { text, entry } => check_mark(text.trim(), *entry, inner.tap.last()),
        Command::Trigger(TriggerCommand::Add(spec)) => inner.triggers.may_add(spec),
        Command::Trigger(TriggerCommand::Remove { name }) => inner.triggers.may_remove(name),
        _ => Ok(()),
    }
}

/// Does it.
pub(super) async fn act(
    inner: &Arc<Inner>,
    operating: Operating<'_>,
    command: Command,
) -> Result<Outcome, PortError> {
    let hosts = &inner.hosts;
    let running = inner.running();
    // Triggers are checked once those in the store are there, and while none is changed.
    if !matches!(command, Command::Trigger(_)) {
        check(inner, &command)?;
    }
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
            gate::command(inner, operating, command).await
        }
        Command::Trigger(command) => trigger(inner, operating, &*running.await?, command).await,
        Command::KickPeer { session } => {
            running.await?;
            bus::kick(operating, &hosts.bus, session).await
        }
        Command::RecordStart { path, preroll_s, whole } => {
            running.await?;
            operating.report("start a recording");
            inner.recording.start(inner, Begin { path, preroll_s, whole }).await
        }
        Command::RecordStop => {
            running.await?;
            operating.report("stop the recording");
            inner.recording.stop().await
        }
        Command::Clip { seconds, path } => {
            running.await?;
            operating.report(&format!("save a clip of {seconds} s"));
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

/// Adds or removes a trigger, once the store keeps that.
async fn trigger(
    inner: &Inner,
    operating: Operating<'_>,
    running: &Running,
    command: TriggerCommand,
) -> Result<Outcome, PortError> {
    let changing = inner.triggers.changing.lock().await;
    let (words, op) = match &command {
        TriggerCommand::Add(spec) => {
            inner.triggers.may_add(spec)?;
            (
                format!("add trigger {}", spec.name),
                Op::Trigger { name: spec.name.clone(), spec: serde_json::to_string(spec).ok() },
            )
        }
        TriggerCommand::Remove { name } => {
            inner.triggers.may_remove(name)?;
            (format!("remove trigger {name}"), Op::Trigger { name: name.clone(), spec: None })
        }
    };
    operating.report(&words);
    pages::query_store(|done| {
        let plain = Box::new(move |answer: Result<_, _>| done(answer.map(drop)));
        running.store.commit(op, Class::Process, plain)
    })
    .await?;
    let outcome = match command {
        TriggerCommand::Add(spec) => {
            inner.triggers.add(spec)?;
            TriggerOutcome::Added { after: inner.tap.last() }
        }
        TriggerCommand::Remove { name } => {
            inner.triggers.remove(&name)?;
            TriggerOutcome::Removed
        }
    };
    drop(changing);
    Ok(Outcome::Trigger(outcome))
}

/// Marks this moment, or an entry.
fn mark(operating: Operating<'_>, text: &str, entry: Option<Seq>) -> Outcome {
    let by = Some(operating.by.clone());
    Outcome::Marked { entry: operating.status.report(Transition::Marked { by, entry }, text.trim()) }
}

/// Whether a mark has a text that fits, and is of an entry that there is or was.
fn check_mark(text: &str, entry: Option<Seq>, last: Seq) -> Result<(), PortError> {
    if text.len() > MARK_BYTES_MAX {
        let why = format!("the text of a mark has {MARK_BYTES_MAX} bytes at most, not {}", text.len());
        return Err(PortError::BadRequest(why));
    }
    match entry {
        Some(seq) if !(Seq(1)..=last).contains(&seq) => Err(PortError::NoEntry { seq, last }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin;

    #[test]
    fn a_mark_of_no_entry_or_with_a_text_that_is_too_long_is_refused() {
        let check = |text: &str, entry: Option<u64>| check_mark(text, entry.map(Seq), Seq(49));
        let fits = "x".repeat(MARK_BYTES_MAX);
        for (text, entry) in [("", None), (fits.as_str(), None), ("", Some(1)), ("", Some(49))] {
            assert_eq!(check(text, entry), Ok(()), "{entry:?}");
        }
        for seq in [0, 50, 99_999] {
            assert_eq!(check("", Some(seq)), Err(PortError::NoEntry { seq: Seq(seq), last: Seq(49) }));
        }
        assert_eq!(check(&format!("{fits}x"), None).unwrap_err().code(), "bad_request");
    }

    #[test]
    fn a_command_is_reported_as_its_json_without_command_lines() {
        let limits = crate::limits::Limits::default().tap;
        let texts = ReportedTexts::new(crate::tap::Tap::new(limits), limits);
        let shown = |command: &Command| shown(&texts, command);
        assert_eq!(shown(&Command::Stop).as_deref(), Some(r#""stop""#));
        assert_eq!(shown(&Command::RecordStop).as_deref(), Some(r#""record_stop""#));
        let serve = plugin::Command::Serve {
            folder: "/p".to_owned(),
            grant: None,
            command: Some("env TOKEN=hidden ./p".to_owned()),
        };
        let text = shown(&Command::Plugin(serve)).unwrap();
        assert!(text.contains("/p") && !text.contains("hidden"), "{text}");
    }
}
