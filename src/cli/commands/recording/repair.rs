//! `recording repair`.

use std::path::Path;

use serde::Serialize;

use crate::{
    cli::{context::Context, error::Error, recording_error::RecordingError},
    recording::{self, Damage, Repaired},
    words::{counted, format},
};

/// What was made, as scripts read it.
#[derive(Serialize)]
struct Row {
    path: String,
    messages: u64,
    bytes: u64,
    damaged: u64,
    faults: Vec<String>,
    /// Whether it went on: what was there until then was copied.
    is_being_written: bool,
}

impl Row {
    /// That the end of a file that was being written is not there is no damage.
    fn new(path: &Path, made: &Repaired, was_being_written: bool) -> Self {
        let is_to_come = |it: &Damage| was_being_written && matches!(it, Damage::Truncated { .. });
        let damages: Vec<_> = made.damages.iter().filter(|it| !is_to_come(it)).collect();
        Self {
            path: path.display().to_string(),
            messages: made.messages,
            bytes: made.bytes,
            damaged: damages.len() as u64 + made.more_damages,
            faults: damages.iter().map(ToString::to_string).collect(),
            is_being_written: damages.len() < made.damages.len(),
        }
    }

    fn text(&self) -> String {
        let mut lines = self.faults.clone();
        if let more @ 1.. = self.damaged.saturating_sub(self.faults.len() as u64) {
            lines.push(format!("and {} more", counted(more, "fault")));
        }
        if self.is_being_written {
            lines.push("still being written: what came until now is in the copy".to_owned());
        }
        let messages = counted(self.messages, "message");
        lines.push(format!("{}: {messages}, {}", self.path, format::bytes(self.bytes)));
        lines.join("\n")
    }
}

pub(super) fn run(context: &mut Context, from: &Path, to: &Path) -> Result<(), Error> {
    // Asked first: it may be finished meanwhile.
    let was_being_written = recording::is_being_written(from);
    let made = recording::repair(from, to)
        .map_err(|error| RecordingError::of_repair(from.to_owned(), to.to_owned(), error))?;
    context.out.row(&Row::new(to, &made, was_being_written), Row::text)
}
