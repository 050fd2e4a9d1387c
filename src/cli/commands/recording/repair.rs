//! `recording repair`.

use std::path::Path;

use serde::Serialize;

use crate::{
    cli::{context::Context, error::Error, recording_error::RecordingError},
    recording::{self, Repaired},
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
}

impl Row {
    fn new(path: &Path, made: &Repaired) -> Self {
        Self {
            path: path.display().to_string(),
            messages: made.messages,
            bytes: made.bytes,
            damaged: made.damages.len() as u64 + made.more_damages,
            faults: made.damages.iter().map(ToString::to_string).collect(),
        }
    }

    fn text(&self) -> String {
        let mut lines = self.faults.clone();
        if let more @ 1.. = self.damaged.saturating_sub(self.faults.len() as u64) {
            lines.push(format!("and {} more", counted(more, "fault")));
        }
        let messages = counted(self.messages, "message");
        lines.push(format!("{}: {messages}, {}", self.path, format::bytes(self.bytes)));
        lines.join("\n")
    }
}

pub(super) fn run(context: &mut Context, from: &Path, to: &Path) -> Result<(), Error> {
    let made = recording::repair(from, to)
        .map_err(|error| RecordingError::of_repair(from.to_owned(), to.to_owned(), error))?;
    context.out.row(&Row::new(to, &made), Row::text)
}
