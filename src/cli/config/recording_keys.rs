//! The keys of recordings and triggers.

use super::{key::Key, value::Kind};

impl Key {
    /// Whether the station records by itself.
    pub(crate) const RECORD_ALWAYS: &'static str = "recording.always";
    /// What the station looks for, and does then.
    pub(crate) const TRIGGERS: &'static str = "triggers";
    /// When that continues in a new file.
    pub(crate) const ROTATE_BYTES: &'static str = "recording.rotate_bytes";
    /// Likewise.
    pub(crate) const ROTATE_S: &'static str = "recording.rotate_s";
    /// How much of that is kept.
    pub(crate) const KEEP_BYTES: &'static str = "recording.keep_bytes";
    /// Likewise.
    pub(crate) const KEEP_DAYS: &'static str = "recording.keep_days";
    /// What was before a recording is begun.
    pub(crate) const PREROLL: &'static str = "recording.preroll_s";

    /// What is masked in recordings, beyond secrets.
    pub(crate) const REDACT: &'static str = "recording.redact";

    /// What the station records, and looks for, by itself.
    pub(super) const RECORDING: [Self; 8] = [
        Self {
            name: Self::TRIGGERS,
            kind: Kind::Triggers,
            alias: None,
            flag: None,
            doc: "what to look for in the station's entries, and what to do then, each a [[triggers]]",
        },
        Self {
            name: Self::RECORD_ALWAYS,
            kind: Kind::Flag,
            alias: None,
            flag: None,
            doc: "record from the station's start to its end, into recordings/ of the data folder",
        },
        Self {
            name: Self::ROTATE_BYTES,
            kind: Kind::Integer { min: 1_048_576, max: 1_099_511_627_776 },
            alias: None,
            flag: None,
            doc: "bytes at which recording.always continues in a new file",
        },
        Self {
            name: Self::ROTATE_S,
            kind: Kind::Integer { min: 0, max: 2_678_400 },
            alias: None,
            flag: None,
            doc: "seconds after which recording.always continues in a new file; 0 disables it",
        },
        Self {
            name: Self::KEEP_BYTES,
            kind: Kind::Integer { min: 1_048_576, max: 1_125_899_906_842_624 },
            alias: None,
            flag: None,
            doc: "bytes of all files of recording.always; above it the oldest are deleted",
        },
        Self {
            name: Self::KEEP_DAYS,
            kind: Kind::Integer { min: 0, max: 36_500 },
            alias: None,
            flag: None,
            doc: "days after which a file of recording.always is deleted; 0 keeps it",
        },
        Self {
            name: Self::PREROLL,
            kind: Kind::Integer { min: 0, max: 86_400 },
            alias: None,
            flag: None,
            doc: "seconds before its start that a recording begins with, as far as the station keeps them",
        },
        Self {
            name: Self::REDACT,
            kind: Kind::RedactRules,
            alias: None,
            flag: None,
            doc: "what recordings mask besides secrets: a list of filters with paths, such as \
                  [\"event:give_item $.user\"]",
        },
    ];
}
