//! What is said once the station has recorded, or started a host again.

use crate::{
    console::{draw::format, ui::effect::OutcomeText},
    port::Outcome,
    tap::entry::Link,
};

/// A command of the station whose outcome says it all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StationCommand;

impl OutcomeText for StationCommand {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let text = match outcome {
            Outcome::Recording { path } => format!("recording into {}", path.display()),
            Outcome::Recorded { path, bytes, entries } => {
                let (bytes, entries) = (format::bytes(*bytes), format::many(*entries, "entry"));
                format!("recorded {entries}, {bytes}: {}", path.display())
            }
            Outcome::Restarted { link } => restarted_text(*link).to_owned(),
            _ => return None,
        };
        Some((text, false))
    }
}

const fn restarted_text(link: Link) -> &'static str {
    match link {
        Link::Rmp => "the bus is up again: its peers can connect",
        Link::Runs => "the control plane is up again: runs can be submitted",
        Link::Macp => "the MACP runtime is up again: agents can connect",
        Link::Mpp | Link::Station => "the bridge is up again: adapters can connect",
    }
}
