//! What can be asked of a station.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::systems::systems;
use crate::{
    ids::{ConnectionId, Seq},
    tap::entry::Link,
};

/// The longest text of a mark, in bytes.
pub const MARK_BYTES_MAX: usize = 256;

/// Declares what is asked and done: what a system does, and what the station does itself.
macro_rules! declare {
    ($(
        #[doc = $about:literal]
        $System:ident $module:ident $(($Command:ident $Outcome:ident $Refused:ident))? { $($hint:tt)* }
    )*) => {
        /// One thing to be done.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Command {
            $( $( #[doc = $about] $System(crate::$module::$Command), )? )*
            /// Begins a recording of everything that crosses the tap.
            RecordStart {
                /// The file to be made, an absolute path; one that exists is refused. Absent, the file is
                /// named by date and time and made in the data folder's `recordings/`.
                path: Option<PathBuf>,
                /// Seconds before this moment that it has as well, as far as the tap keeps them; where they
                /// are not said, `recording.preroll_s`.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                preroll_s: Option<u64>,
                /// Whether frames are kept up to an eighth of `limits.tap.ring_bytes_max` meanwhile, in place
                /// of `limits.tap.frame_bytes_max`.
                #[serde(default, skip_serializing_if = "std::ops::Not::not")]
                whole: bool,
            },
            /// Ends the recording.
            RecordStop,
            /// Saves what was, as far as the tap keeps it, as a recording that has ended.
            Clip {
                /// So many seconds before this moment.
                seconds: u64,
                /// The file to be made, as of `RecordStart`; where none is named `-clip` is in its name.
                path: Option<PathBuf>,
            },
            /// Marks a moment, to be found again in time and in recordings.
            Mark {
                /// What for, at most [`MARK_BYTES_MAX`]; empty where nothing is said.
                #[serde(default)]
                text: String,
                /// The entry that is meant; this moment where none is named.
                #[serde(default)]
                entry: Option<Seq>,
            },
            /// Starts a host again that is down.
            Restart {
                /// Which.
                link: Link,
            },
            /// Ends a connection of the bus.
            KickPeer {
                /// Whose.
                session: ConnectionId,
            },
            /// Acknowledges alerts, for every console.
            AcknowledgeAlerts {
                /// Which; all that wait to be seen where none is named.
                ids: Vec<u64>,
            },
            /// Sends frames that were made by hand.
            Workbench(super::WorkbenchCommand),
            /// Holds frames on their way.
            Gate(super::GateCommand),
            /// Looks for what happens, and does something then.
            Trigger(super::TriggerCommand),
            /// Ends the station, in order. It is answered before the end begins.
            Stop,
            /// Copies the station's database while it runs.
            Backup {
                /// The file to be made, an absolute path; one that exists is refused.
                path: PathBuf,
            },
        }

        /// What was done.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Outcome {
            $( $( #[doc = $about] $System(crate::$module::$Outcome), )? )*
            /// A recording runs.
            Recording {
                /// Into this file.
                path: PathBuf,
            },
            /// A recording ended.
            Recorded {
                /// The last file.
                path: PathBuf,
                /// The length of all.
                bytes: u64,
                /// Entries in them.
                entries: u64,
                /// How many there are.
                #[serde(default)]
                files: u64,
            },
            /// The moment is marked.
            Marked {
                /// The mark's own place in the tap.
                entry: Seq,
            },
            /// The host is up again.
            Restarted {
                /// Which.
                link: Link,
            },
            /// The connection of the bus is ended.
            PeerKicked {
                /// Whose it was.
                session: ConnectionId,
            },
            /// These alerts are acknowledged now; those that were already are not among them.
            AlertsAcknowledged {
                /// Which.
                ids: Vec<u64>,
            },
            /// Of frames that were made by hand.
            Workbench(super::WorkbenchOutcome),
            /// At the gate.
            Gate(super::GateOutcome),
            /// Of a trigger.
            Trigger(super::TriggerOutcome),
            /// The station goes down.
            Stopping {
                /// Its process.
                pid: u32,
                /// Its data folder, which is free again once it is down.
                data: PathBuf,
            },
            /// The copy is made.
            BackedUp {
                /// The file.
                path: PathBuf,
                /// Its length.
                bytes: u64,
            },
        }
    };
}

systems!(declare);
