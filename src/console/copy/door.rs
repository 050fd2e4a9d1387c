//! The door that a captured frame goes through when it is sent again, and the command line that does it.

use super::{dump::digits, line::quoted};
use crate::{
    console::settings::config::CommandHints,
    port::{DoorSpec, WorkbenchError, whole_frame},
    rmp::{Dialect, Kind},
    tap::{EntryRef, entry::Frame},
};

/// What the workbench calls itself on the bus.
pub(crate) const CLIENT: &str = "workbench";

/// The door of a captured frame, and the topic that it is published on.
pub(crate) fn door_of(frame: &Frame) -> (DoorSpec, Option<String>) {
    DoorSpec::of_captured(frame, CLIENT)
}

/// The command line that injects the frame that an entry is.
///
/// # Errors
/// Why there is none.
pub(crate) fn inject_command(entry: EntryRef<'_>, commands: &CommandHints) -> Result<String, &'static str> {
    let (frame, bytes) = whole_frame(entry).map_err(|why| match why {
        WorkbenchError::Withheld => "withheld at capture: it may contain a token",
        WorkbenchError::FrameCut { .. } => "only the beginning is kept (limits.tap.frame_bytes_max)",
        _ => "the entry is not a frame",
    })?;
    // Published bytes hold their control frame: no topic beside them.
    let (door, _) = door_of(frame);
    Ok(commands.line(&format!("inject {} --raw {}", flags(&door), digits(&bytes))))
}

/// The link and the flags of `inject` that lead through a door.
fn flags(door: &DoorSpec) -> String {
    match door {
        DoorSpec::Adapter { hello: true } => "mpp --as adapter".to_owned(),
        DoorSpec::Adapter { hello: false } => "mpp --as none".to_owned(),
        DoorSpec::AsAdapter => "mpp --from adapter".to_owned(),
        DoorSpec::ToAdapter => "mpp --to adapter".to_owned(),
        DoorSpec::Peer { dialect, kind, .. } => {
            let dialect = if *dialect == Dialect::Json { ":json" } else { "" };
            format!("rmp --as {}{dialect}", kind.map_or("none", Kind::name))
        }
        DoorSpec::ToPeer { session } => format!("rmp --to {session}"),
        DoorSpec::Call { rpc } => format!("macp --rpc {}", rpc.name()),
        DoorSpec::AsPlugin { plugin } => format!("plugin --from {}", quoted(plugin.as_str())),
        DoorSpec::ToPlugin { plugin } => format!("plugin --to {}", quoted(plugin.as_str())),
    }
}
