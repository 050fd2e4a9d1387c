//! How processes of plugins end, why they are ended, and how plugins speak.

use crate::tap::entry::names::names;

names! {
    /// Why a process is ended and counted as a restart.
    UnhealthyCause {
        /// It ended unasked, code 0 included.
        Exited = "exited",
        /// It closed its stdout.
        StdoutClosed = "stdout_closed",
        /// It sent a frame that cannot be read.
        BrokenFrame = "broken_frame",
        /// It did not answer `initialize` within 10 s.
        HandshakeTimeout = "handshake_timeout",
        /// It answered `initialize` by an error other than -32600, or by no object.
        HandshakeRefused = "handshake_refused",
        /// It missed three pings in a row.
        PingsMissed = "pings_missed",
        /// It took no byte for 30 s.
        NotReading = "not_reading",
    }
    /// Why a plugin is disabled.
    DisableCause {
        /// The operator did it.
        ByOperator = "by_operator",
        /// A fourth restart within ten minutes.
        RestartLimit = "restart_limit",
        /// It speaks another version of the protocol.
        ProtocolVersion = "protocol_version",
        /// Its entry is missing or cannot be executed.
        EntryNotExecutable = "entry_not_executable",
        /// Its manifest is not valid here.
        Manifest = "manifest",
    }
    /// How grave a word of a plugin is.
    Level {
        /// For its author.
        Debug = "debug",
        /// As usual.
        Info = "info",
        /// Something to look at.
        Warning = "warning",
        /// Something failed.
        Error = "error",
    }
    /// Where a line of a plugin's log came from.
    LogSource {
        /// `log`.
        Log = "log",
        /// Its stderr.
        Stderr = "stderr",
        /// The host.
        Host = "host",
    }
    /// How a question for a credential ended.
    Decision {
        /// For this run of the station.
        Allowed = "allowed",
        /// Until it is revoked.
        AllowedAlways = "allowed_always",
        /// For this run of the station.
        Denied = "denied",
        /// Nobody answered within 120 s.
        TimedOut = "timed_out",
        /// The grant was revoked meanwhile.
        Revoked = "revoked",
        /// The plugin ended meanwhile.
        Gone = "gone",
    }
    /// What a row of an audit says.
    Audited {
        /// A capability was granted.
        Granted = "granted",
        /// A capability was taken back.
        Revoked = "revoked",
        /// It asked for a credential.
        Asked = "asked",
        /// It was allowed for this run of the station.
        Allowed = "allowed",
        /// It was allowed until it is revoked.
        AllowedAlways = "allowed_always",
        /// It was denied.
        Denied = "denied",
        /// Nobody answered.
        TimedOut = "timed_out",
        /// A credential was handed over.
        Handed = "handed",
        /// A credential could not be had.
        Unavailable = "unavailable",
        /// It ended while it waited for a decision.
        Gone = "gone",
        /// It was installed or updated: its version.
        Installed = "installed",
        /// It was removed, and its audit was kept.
        Removed = "removed",
        /// It was enabled.
        Enabled = "enabled",
        /// It was disabled: why, by a name of [`DisableCause`].
        Disabled = "disabled",
        /// A value of its panel was set, or its default holds again: the field's key.
        ValueSet = "value_set",
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// With a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It could not be learned.
    Unknown,
}

impl std::fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Unknown => f.write_str("exit status unknown"),
        }
    }
}
