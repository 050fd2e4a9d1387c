//! The door that a captured frame goes through when it is sent again, and the command line that does it.

use super::{dump::digits, line::quoted};
use crate::{
    console::{model::Model, settings::config::CommandHints},
    port::{DoorSpec, Present, WorkbenchError, whole_frame},
    rmp::{Dialect, Kind},
    tap::{
        EntryRef,
        entry::{Frame, Head},
    },
};

/// What the workbench calls itself on the bus.
pub(crate) const CLIENT: &str = "workbench";

/// The door of a captured frame as things are, and the topic that it is published on.
pub(crate) fn door_of(frame: &Frame, model: &Model) -> (DoorSpec, Option<String>) {
    let session = match &frame.head {
        Head::Rmp(head) => head.session,
        _ => None,
    };
    let peer = session.and_then(|session| model.rmp()?.peers.get(&session));
    let present = Present {
        has_adapter: model.mpp().is_some_and(|mpp| mpp.adapter.is_some()),
        kind: peer.and_then(|peer| peer.greeting.as_ref()).map(|greeting| greeting.kind),
    };
    DoorSpec::of_captured(frame, CLIENT, present)
}

/// The command line that injects the frame that an entry is.
///
/// # Errors
/// Why there is none.
pub(crate) fn inject_command(
    entry: EntryRef<'_>,
    commands: &CommandHints,
    model: &Model,
) -> Result<String, &'static str> {
    let (frame, bytes) = whole_frame(entry).map_err(|why| match why {
        WorkbenchError::Withheld => "withheld at capture: it may contain a token",
        WorkbenchError::AnAnswer => "an answer of the runtime is not sent by itself",
        WorkbenchError::FrameCut { .. } => "only the beginning is kept (limits.tap.frame_bytes_max)",
        _ => "the entry is not a frame",
    })?;
    // Published bytes hold their control frame: no topic beside them.
    let (door, _) = door_of(frame, model);
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
