//! `record`: has a running station record everything that crosses its tap, until a signal, the end of
//! `--for`, the recording's own, or the station's.

use std::time::Duration;

use serde::Serialize;

use crate::{
    cli::{args::RecordArgs, context::Context, error::Error, operator, signals::Signals},
    port::{Command, HealthRow, Operator, Outcome, Page, Query},
    words::counted,
};

/// How often is looked whether the station is still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A line of the output.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event {
    Recording { path: String },
    Recorded { path: String, bytes: u64, entries: u64, files: u64 },
}

pub(in crate::cli) fn run(context: &mut Context, args: &RecordArgs) -> Result<(), Error> {
    let absolute =
        |out: &std::path::PathBuf| std::path::absolute(out).map_err(Error::io(out.display().to_string()));
    let path = args.out.as_ref().map(absolute).transpose()?;
    let Context { settings, clock, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let mut signals = Signals::listen()?;
        let Outcome::Recording { path } = station
            .command(Command::RecordStart { path, preroll_s: Some(args.preroll), whole: args.whole })
            .await?
        else {
            return Err(Error::UnexpectedAnswer);
        };
        let said =
            out.row(&Event::Recording { path: path.display().to_string() }, line).and_then(|()| out.flush());
        // Whoever read stdout may have gone; what was begun is ended in order all the same.
        let deadline = args.for_ms.map(|ms| clock.now().mono + Duration::from_millis(ms));
        if said.is_ok() {
            loop {
                let left = deadline.map_or(LOOK_EVERY, |deadline| clock.until(deadline).min(LOOK_EVERY));
                tokio::select! {
                    () = signals.end() => break,
                    () = tokio::time::sleep(left) => {}
                }
                if deadline.is_some_and(|deadline| clock.until(deadline).is_zero()) {
                    break;
                }
                // Awaited to its end: answers come in order, and one that nobody takes would answer the next
                // question.
                if has_ended(&operator::query(&station, Query::Health).await?) {
                    break;
                }
            }
        }
        let Outcome::Recorded { path, bytes, entries, files } = station.command(Command::RecordStop).await?
        else {
            return Err(Error::UnexpectedAnswer);
        };
        said.and_then(|()| {
            out.row(&Event::Recorded { path: path.display().to_string(), bytes, entries, files }, line)
        })
    })
}

/// Whether the station says that the recording has ended by itself: asked to stop it, it says why.
fn has_ended(health: &Page) -> bool {
    matches!(health, Page::Health(rows) if rows.iter().any(HealthRow::has_no_recording))
}

fn line(event: &Event) -> String {
    match event {
        Event::Recording { path } => format!("recording to {path}; Ctrl-C stops it"),
        Event::Recorded { path, bytes, entries, files } => {
            let (entries, bytes) = (counted(*entries, "entry"), counted(*bytes, "byte"));
            let files = if *files > 1 { format!(", the last of {files} files") } else { String::new() };
            format!("{path}: {entries}, {bytes}{files}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::HealthStatus;

    #[test]
    fn a_recording_that_ended_by_itself_is_seen_in_the_stations_health() {
        let page = |component: &str, detail: &str| {
            let (component, detail) = (component.to_owned(), detail.to_owned());
            let row = HealthRow { component, status: HealthStatus::Ok, figures: String::new(), detail };
            Page::Health(vec![row])
        };
        for (component, detail, is_over) in [
            ("recording", "to /r/night.mcap; always to /r/a-always.mcap", false),
            ("recording", "none", true),
            ("recording", "always to /r/a-always.mcap; recording failed: no room on its disk", true),
            ("store", "12 commits", false),
        ] {
            assert_eq!(has_ended(&page(component, detail)), is_over, "{component} {detail}");
        }
    }
}
