//! The messages once the station has recorded, or started a host again.

use crate::{
    console::{
        draw::format,
        ui::{effect::OutcomeText, system::System},
    },
    port::Outcome,
};

/// A command of the station whose outcome says it all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StationCommand;

impl OutcomeText for StationCommand {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let text = match outcome {
            Outcome::Recording { path } => format!("recording into {}", path.display()),
            Outcome::Recorded { path, bytes, entries, files } => {
                let (bytes, entries) = (format::bytes(*bytes), format::many(*entries, "entry"));
                let files = if *files > 1 { format!(", the last of {files} files") } else { String::new() };
                format!("recorded {entries}, {bytes}: {}{files}", path.display())
            }
            Outcome::Restarted { link } => System::of(*link)?.restarted.to_owned(),
            _ => return None,
        };
        Some((text, false))
    }
}
