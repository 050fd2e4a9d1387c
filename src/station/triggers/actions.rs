//! What is done when a trigger fires.

use std::{process::Stdio, sync::Arc, time::Duration};

use jiff::tz::TimeZone;
use tokio::sync::Semaphore;

use super::trigger::Fired;
use crate::{
    ids::Seq,
    port::{ClipSpan, Outcome},
    station::{local::Inner, recording},
    tap::entry::station::{Level, Transition},
    words::format,
};

/// The variable by which a subcommand that a trigger runs calls itself `trigger:NAME` to its station.
pub const CLIENT_VARIABLE: &str = "RL_CONSOLE_CLIENT";
/// Clips and subcommands that run at one time.
const RUNNING_MAX: usize = 4;
/// How long a subcommand may take.
const RUN: Duration = Duration::from_secs(60);

/// What runs at this moment.
#[derive(Clone, Debug)]
pub(super) struct Actions {
    room: Arc<Semaphore>,
}

impl Default for Actions {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(RUNNING_MAX)) }
    }
}

impl Actions {
    /// Does what a trigger says about an entry. What takes long is done beside it.
    pub(super) fn act(&self, inner: &Arc<Inner>, fired: &Fired, seq: Seq, text: &str) {
        let spec = &fired.spec;
        let triggered = Transition::Triggered {
            name: Arc::from(spec.name.as_str()),
            entry: seq,
            coalesced: fired.coalesced,
            is_alert: spec.alert,
        };
        inner.status.report(triggered, text);
        if let Some(until) = fired.rests_until {
            let until = format::time_of_day(until, &TimeZone::system());
            let text = format!("trigger {} rests until {until}: {} an hour", spec.name, spec.per_hour_max);
            inner.status.notice(Level::Warn, &text);
        }
        if spec.mark {
            inner
                .status
                .report(Transition::Marked { by: None, entry: Some(seq) }, &format!("trigger {}", spec.name));
        }
        if let Some(clip) = spec.clip {
            self.beside(inner, &spec.name, move |inner| save(inner, clip));
        }
        if !spec.run.is_empty() {
            let arguments = spec.run.clone();
            let name = format!("trigger:{}", spec.name);
            self.beside(inner, &spec.name, move |inner| run(inner, name, arguments));
        }
    }

    /// Runs it on this thread beside the rest, where there is room; what comes of it is reported.
    fn beside<F: Future<Output = Result<String, String>> + Send + 'static>(
        &self,
        inner: &Arc<Inner>,
        name: &str,
        work: impl FnOnce(Arc<Inner>) -> F,
    ) {
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else {
            let text =
                format!("trigger {name}: {RUNNING_MAX} clips or commands run already; this one is left out");
            inner.status.notice(Level::Warn, &text);
            return;
        };
        let (status, name) = (inner.status.clone(), name.to_owned());
        let work = work(Arc::clone(inner));
        drop(tokio::spawn(async move {
            match work.await {
                Ok(text) => status.notice(Level::Info, &format!("trigger {name}: {text}")),
                Err(why) => status.notice(Level::Warn, &format!("trigger {name}: {why}")),
            }
            drop(room);
        }));
    }
}

/// Saves what was before the entry, and what comes after it.
async fn save(inner: Arc<Inner>, clip: ClipSpan) -> Result<String, String> {
    tokio::time::sleep(Duration::from_secs(clip.after_s)).await;
    let seconds = clip.before_s.saturating_add(clip.after_s);
    match recording::clip(&inner, seconds, None).await {
        Ok(Outcome::Recorded { path, .. }) => Ok(format!("saved {}", path.display())),
        Ok(_) => Err("nothing was saved".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Runs a subcommand of this program for this station, under a name by which the station reports what it did.
async fn run(inner: Arc<Inner>, name: String, arguments: Vec<String>) -> Result<String, String> {
    let data = inner.status.view().0.data;
    let mut command = tokio::process::Command::new(&inner.triggers.program);
    drop(inner);
    let words = arguments.join(" ");
    command.arg("--data").arg(data).args(&arguments).env(CLIENT_VARIABLE, name);
    run_within(command, &words, RUN).await
}

/// Runs a command for so long at most: what came of it, in words.
async fn run_within(
    mut command: tokio::process::Command,
    words: &str,
    most: Duration,
) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    match tokio::time::timeout(most, command.status()).await {
        Ok(Ok(status)) if status.success() => Ok(format!("`{words}` is done")),
        Ok(Ok(status)) => Err(format!("`{words}` failed: {status}")),
        Ok(Err(error)) => Err(format!("`{words}` cannot be run: {error}")),
        Err(_) => Err(format!("`{words}` took longer than {} s, and was ended", most.as_secs())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_command_ended_is_told() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ran = |program: &str, argument: &str, most| {
            let mut command = tokio::process::Command::new(program);
            command.arg(argument);
            runtime.block_on(run_within(command, "hold", most))
        };
        assert_eq!(ran("true", "", RUN), Ok("`hold` is done".to_owned()));
        assert_eq!(ran("false", "", RUN), Err("`hold` failed: exit status: 1".to_owned()));
        let ended = "`hold` took longer than 0 s, and was ended";
        assert_eq!(ran("sleep", "600", Duration::from_millis(1)), Err(ended.to_owned()));
        assert!(ran("/nowhere/none", "", RUN).is_err_and(|why| why.starts_with("`hold` cannot be run: ")));
    }
}
