//! Why a station did not do what was asked of it.

use std::{io, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::systems::systems;
use crate::{
    ids::{ConnectionId, Seq},
    tap::entry::Link,
};

/// Declares why nothing was done: what a system refuses, and what is the station's.
macro_rules! declare {
    ($(
        #[doc = $about:literal]
        $System:ident $module:ident $(($Command:ident $Outcome:ident $Refused:ident))? {
            down: $if_down:literal,
            hangs: $if_hangs:literal,
        }
    )*) => {
        /// Why nothing was done.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum PortError {
            $( $(
                #[doc = $about]
                #[error(transparent)]
                $Refused(crate::$module::Refusal),
            )? )*
            /// Of frames that were made by hand.
            #[error(transparent)]
            Workbench(super::WorkbenchError),
            /// Of the gate.
            #[error(transparent)]
            Gate(super::GateError),
            /// Too much is waiting already.
            #[error("the station is busy: {what} is full")]
            Busy {
                /// The queue that is full.
                what: String,
            },
            /// The host that would do it is down.
            #[error("{} is down: {why}", link.title())]
            HostDown {
                /// Which. It is sent by its name in a sentence.
                #[serde(rename = "host", with = "host_name")]
                link: Link,
                /// Why.
                why: String,
            },
            /// The host is up: there is nothing to restart.
            #[error("{} is up: there is nothing to restart", link.name())]
            HostUp {
                /// Which.
                #[serde(rename = "host")]
                link: Link,
            },
            /// Nothing answers for the data folder.
            #[error("no station is running for {data}")]
            NoStation {
                /// The data folder.
                data: PathBuf,
            },
            /// A process holds the data folder, and its bus is not reached.
            #[error("pid {pid} holds {data}, but its bus does not answer: {why}")]
            Unreached {
                /// The data folder.
                data: PathBuf,
                /// The process.
                pid: u32,
                /// Why it is not reached.
                why: String,
            },
            /// It took too long.
            #[error("no answer within {ms} ms")]
            TimedOut {
                /// How long was waited.
                ms: u64,
            },
            /// A file could not be made or read.
            #[error("{what}: {why}")]
            File {
                /// Which file, and for what.
                what: String,
                /// What the system says.
                why: String,
                /// What it is that fails, where that is known; a station before 0.12 does not say so.
                #[serde(default, skip_serializing_if = "FileFault::is_other")]
                fault: FileFault,
            },
            /// A recording runs already, or none does.
            #[error("{0}")]
            Recording(String),
            /// There is no such trigger, or one that cannot be added or removed.
            #[error("{0}")]
            Trigger(String),
            /// The request was not understood.
            #[error("the request was not understood: {0}")]
            BadRequest(String),
            /// The station is of a version that cannot do it.
            #[error("{name} runs rl-console {version}, which cannot {what}")]
            OlderStation {
                /// What the station is called.
                name: String,
                /// Its version.
                version: String,
                /// What it cannot do.
                what: String,
            },
            /// The store could not answer.
            #[error("the store could not answer: {0}")]
            Store(String),
            /// There is no such connection of the bus.
            #[error("the bus has no session {session}")]
            NoSession {
                /// Whose it would be.
                session: ConnectionId,
            },
            /// There is no such entry in the tap, and was none.
            #[error("there is no entry {seq}: the last one is {last}")]
            NoEntry {
                /// Which it would be.
                seq: Seq,
                /// The last one.
                last: Seq,
            },
            /// There is no such alert, or it was left out since.
            #[error("there is no alert {id}")]
            NoAlert {
                /// Which it would be.
                id: u64,
            },
            /// The alert tells of an approval that is waited for, and goes with the answer.
            #[error("alert {id} is a pending approval, and is resolved by the answer")]
            AlertAsks {
                /// Which.
                id: u64,
            },
            /// The token does not allow it.
            #[error("a {kind} may not do that: {what}")]
            Forbidden {
                /// What the token makes of the asker.
                kind: String,
                /// What was asked.
                what: String,
            },
            /// The station knows no such token.
            #[error("the token is not one of this station's")]
            Stranger,
            /// Another station listens on the socket, and was not shown the data folder's token.
            #[error("the station at {socket} (pid {pid}) is not that of {data}; no token was sent to it")]
            OtherStation {
                /// The data folder.
                data: PathBuf,
                /// Where it listens.
                socket: PathBuf,
                /// Its process.
                pid: u32,
            },
            /// A recording has no answer.
            #[error("a recording does not have {what}")]
            NotRecorded {
                /// What was asked for.
                what: String,
            },
            /// A recording has it, and a screen does not read it while the recording plays.
            #[error("a replay that plays does not show {what}")]
            NotOnScreen {
                /// What was asked for.
                what: String,
                /// The subcommand that prints it.
                command: String,
            },
            /// A recording does nothing.
            #[error("this is a replay of the past: nothing can be done in it")]
            Replayed,
            /// A part of a recording cannot be read.
            #[error("{0}")]
            Damaged(String),
            /// A recording has no state to begin with.
            #[error("{0} has no keyframe: nothing says what held when it was recorded")]
            NoKeyframe(String),
            /// The station is going down.
            #[error("the station is stopping")]
            Stopping,
        }

        impl PortError {
            /// The machine-readable code of the CLI's errors.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self {
                    $( $( Self::$Refused(refusal) => refusal.code(), )? )*
                    Self::Workbench(refusal) => refusal.code(),
                    Self::Gate(refusal) => refusal.code(),
                    Self::Busy { .. } => "busy",
                    Self::HostDown { .. } => "host_down",
                    Self::HostUp { .. } => "host_up",
                    Self::NoStation { .. } => "no_station",
                    Self::Unreached { .. } => "unreached",
                    Self::TimedOut { .. } => "timed_out",
                    Self::File { fault, .. } => fault.code(),
                    Self::Recording(_) => "recording",
                    Self::Trigger(_) => "trigger",
                    Self::BadRequest(_) | Self::OlderStation { .. } => "bad_request",
                    Self::Store(_) => "store",
                    Self::NoSession { .. } => "no_session",
                    Self::NoEntry { .. } => "no_entry",
                    Self::NoAlert { .. } => "no_alert",
                    Self::AlertAsks { .. } => "alert_asks",
                    Self::Forbidden { .. } | Self::Stranger | Self::OtherStation { .. } => "forbidden",
                    Self::NotRecorded { .. } | Self::NotOnScreen { .. } => "not_recorded",
                    Self::Replayed => "replayed",
                    Self::Damaged(_) => "damaged",
                    Self::NoKeyframe(_) => "no_keyframe",
                    Self::Stopping => "stopping",
                }
            }

            /// What to do about it.
            #[must_use]
            pub fn hint(&self) -> String {
                match self {
                    $( $( Self::$Refused(refusal) => refusal.hint(), )? )*
                    Self::Workbench(refusal) => refusal.hint().to_owned(),
                    Self::Gate(refusal) => refusal.hint().to_owned(),
                    Self::Busy { .. } => {
                        "try again in a moment; `rl-console stop --force` stops a station that stays busy".to_owned()
                    }
                    Self::HostDown { link, .. } => host_hints(*link).0.to_owned(),
                    Self::HostUp { link } => host_hints(*link).1.to_owned(),
                    Self::NoStation { .. } => "start one with `rl-console` or `rl-console serve`".to_owned(),
                    Self::Unreached { pid, .. } => format!(
                        "a removed socket is bound again within seconds: try again. Otherwise see its log or its own screen for the reason, and \
                         stop pid {pid} with `rl-console stop --force`"
                    ),
                    Self::TimedOut { .. } => {
                        "`rl-console doctor` checks the station; `rl-console stop --force` stops one that hangs".to_owned()
                    }
                    Self::File { fault, .. } => fault.hint().to_owned(),
                    Self::Recording(_) => "`rl-console ls health` shows the recording".to_owned(),
                    Self::Trigger(_) => "`rl-console trigger ls` lists the triggers".to_owned(),
                    Self::BadRequest(_) => "use the rl-console of the station's version".to_owned(),
                    Self::OlderStation { .. } => "start that station again with this rl-console".to_owned(),
                    Self::Store(_) => "`rl-console doctor` checks the database".to_owned(),
                    Self::NoSession { .. } => "`rl-console ls peers` lists the sessions".to_owned(),
                    Self::NoEntry { .. } => {
                        "the Wire of a console shows the numbers of entries; without --entry this moment is marked".to_owned()
                    }
                    Self::NoAlert { .. } => "`rl-console ls alerts` lists the alerts".to_owned(),
                    Self::AlertAsks { .. } => "`rl-console ls confirmations` lists the pending approvals".to_owned(),
                    Self::Forbidden { .. } => "use the operator token of the station's data folder".to_owned(),
                    Self::Stranger | Self::OtherStation { .. } => {
                        "its tokens are in its data folder: give that with --data, or one of them with --token-file".to_owned()
                    }
                    Self::NotRecorded { .. } => {
                        "a running station has it: `rl-console attach`, or the same command without the recording"
                            .to_owned()
                    }
                    Self::NotOnScreen { command, .. } => {
                        format!("hold the replay to read them; `:{command}` prints them")
                    }
                    Self::Replayed => {
                        "do it on a running station: in its console, which `rl-console attach` opens, or by the same command without --recording"
                            .to_owned()
                    }
                    Self::Damaged(_) => {
                        "`rl-console recording verify FILE` lists the damage; `rl-console recording repair IN OUT` writes what is readable"
                            .to_owned()
                    }
                    Self::NoKeyframe(_) => {
                        "give the files before it too, or a file that begins with its snapshot".to_owned()
                    }
                    Self::Stopping => "start it again with `rl-console` or `rl-console serve`".to_owned(),
                }
            }
        }

        /// What to do about a host that is down, and about one that is up and hangs.
        const fn host_hints(link: Link) -> (&'static str, &'static str) {
            match link {
                $( Link::$System => ($if_down, $if_hangs), )*
                // Where the station itself is down, it is for want of the bridge's store.
                Link::Station => host_hints(Link::Mpp),
            }
        }
    };
}

systems!(declare);

/// What fails about a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFault {
    /// Something else than the following.
    #[default]
    Other,
    /// It is there, and is not written over.
    Exists,
    /// The disk is full.
    NoRoom,
}

impl FileFault {
    /// That of an error of the system.
    #[must_use]
    pub const fn of(kind: io::ErrorKind) -> Self {
        match kind {
            io::ErrorKind::AlreadyExists => Self::Exists,
            kind if crate::words::is_no_room(kind) => Self::NoRoom,
            _ => Self::Other,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    const fn is_other(&self) -> bool {
        matches!(self, Self::Other)
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Other => "file",
            Self::Exists => "exists",
            Self::NoRoom => "no_room",
        }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::Other => "choose another path",
            Self::Exists => "name a new file, or remove this one",
            Self::NoRoom => "make room, or name a file on another disk",
        }
    }
}

/// A host in an error that is sent: its title.
mod host_name {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::tap::entry::Link;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(link: &Link, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(link.title())
    }

    /// Also by the link's name, and with something of the host's behind it, as stations of earlier versions
    /// send it.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Link, D::Error> {
        let name = String::deserialize(from)?;
        let is = |link: &Link| name == link.name() || name.starts_with(link.title());
        let link = Link::ALL.into_iter().find(is);
        link.ok_or_else(|| D::Error::custom(format!("unknown host `{name}` (this version does not know it)")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_of_a_host_that_is_down_names_that_host() {
        for (link, hint) in [
            (Link::Station, "`rl-console host restart mpp`"),
            (Link::Mpp, "`rl-console host restart mpp`"),
            (Link::Rmp, "--socket PATH"),
            (Link::Runs, "`rl-console host restart runs`"),
            (Link::Macp, "`rl-console host restart macp`"),
            (Link::Plugin, "`rl-console host restart plugin`"),
        ] {
            let down = PortError::HostDown { link, why: "it is broken".to_owned() };
            assert!(down.hint().contains(hint), "{link:?}: {}", down.hint());
        }
    }

    #[test]
    fn what_fails_about_a_file_is_sent_and_one_that_does_not_say_so_is_read() {
        let of = |fault| PortError::File { what: "f".to_owned(), why: "w".to_owned(), fault };
        for (kind, code, sent) in [
            (io::ErrorKind::PermissionDenied, "file", r#"{"file":{"what":"f","why":"w"}}"#),
            (io::ErrorKind::AlreadyExists, "exists", r#"{"file":{"what":"f","why":"w","fault":"exists"}}"#),
            (io::ErrorKind::StorageFull, "no_room", r#"{"file":{"what":"f","why":"w","fault":"no_room"}}"#),
        ] {
            let error = of(FileFault::of(kind));
            assert_eq!(error.code(), code);
            assert_eq!(serde_json::to_string(&error).unwrap(), sent);
            assert_eq!(serde_json::from_str::<PortError>(sent).unwrap(), error);
        }
    }

    #[test]
    fn a_host_that_is_down_is_sent_by_its_name_and_read_as_earlier_stations_sent_it() {
        for link in Link::ALL {
            let down = PortError::HostDown { link, why: "w".to_owned() };
            let text = serde_json::to_string(&down).unwrap();
            assert_eq!(text, format!(r#"{{"host_down":{{"host":"{}","why":"w"}}}}"#, link.title()));
            assert_eq!(serde_json::from_str::<PortError>(&text).unwrap(), down);
            let text = format!(r#"{{"host_down":{{"host":"{}","why":"w"}}}}"#, link.name());
            assert_eq!(serde_json::from_str::<PortError>(&text).unwrap(), down);
            let text = serde_json::to_string(&PortError::HostUp { link }).unwrap();
            assert_eq!(text, format!(r#"{{"host_up":{{"host":"{}"}}}}"#, link.name()));
        }
        let socket = r#"{"host_down":{"host":"the bus's socket","why":"w"}}"#;
        let down = PortError::HostDown { link: Link::Rmp, why: "w".to_owned() };
        assert_eq!(serde_json::from_str::<PortError>(socket).unwrap(), down);
    }
}
