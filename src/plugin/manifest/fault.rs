//! Why a manifest is refused, and where.

use std::fmt;

use super::{remedy, rules::quoted};

/// One fault of a manifest and its place; 1:1 for the whole file and for what is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What it is.
    pub kind: FaultKind,
}

/// What is wrong with a manifest, or with the folder it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The file cannot be read.
    Unreadable {
        /// Why.
        why: String,
    },
    /// The file has too many bytes; it was not parsed.
    TooLarge {
        /// `limits.plugin.manifest_bytes_max`.
        bytes_max: u64,
    },
    /// The text is not UTF-8.
    NotUtf8,
    /// The text is not TOML.
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// A key that must be there is not.
    Missing {
        /// Its full name.
        key: &'static str,
    },
    /// A value of another type.
    WrongType {
        /// The key's full name.
        key: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A blank text.
    Empty {
        /// The key's full name.
        key: &'static str,
    },
    /// A text of too many characters.
    TooLong {
        /// The key's full name.
        key: &'static str,
        /// How many it has.
        characters: usize,
        /// How many it may have.
        characters_max: usize,
    },
    /// A text with a NUL, which cannot be passed to a process.
    Nul {
        /// The key's full name.
        key: &'static str,
    },
    /// `id` is no reverse-DNS identifier.
    Id {
        /// What it is.
        id: String,
    },
    /// A version that is no semver.
    Version {
        /// The key's full name.
        key: &'static str,
        /// What it is.
        text: String,
        /// What the parser says.
        why: String,
    },
    /// `tier` is none of the three.
    Tier {
        /// What it is.
        text: String,
    },
    /// `homepage` is no https URL.
    Homepage {
        /// What it is.
        text: String,
    },
    /// `host_min` is newer than this host.
    NewerHost {
        /// The version that it needs.
        needs: String,
        /// The host's.
        host: String,
    },
    /// `runtime.kind` is "wasm" (streamnook-plugin-v1, Reserved).
    Wasm,
    /// `runtime.kind` is "ui", an in-app page.
    Ui,
    /// `runtime.kind` is unknown.
    RuntimeKind {
        /// What it is.
        text: String,
    },
    /// `runtime.transport` is "socket" (streamnook-plugin-v1, Reserved).
    Socket,
    /// `runtime.transport` is unknown.
    Transport {
        /// What it is.
        text: String,
    },
    /// `runtime.entry` is an absolute path.
    EntryAbsolute {
        /// What it is.
        entry: String,
    },
    /// `runtime.entry` has a `..`.
    EntryParent {
        /// What it is.
        entry: String,
    },
    /// A key of `[capabilities]` that is unknown.
    CapabilityKey {
        /// The key.
        key: String,
    },
    /// A string of a list of `[capabilities]` that is not in its catalogue.
    Capability {
        /// The list's full name.
        list: &'static str,
        /// The string.
        text: String,
    },
    /// `capabilities.network` is unknown.
    Network {
        /// What it is.
        text: String,
    },
    /// An id of `[contributes]` that is not `feature.name`.
    Namespace {
        /// The list's full name.
        key: &'static str,
        /// The id.
        id: String,
    },
    /// The entry is not there, or cannot be reached.
    EntryMissing {
        /// What it is.
        entry: String,
        /// What the system says.
        why: String,
    },
    /// The entry lies outside the folder once its links are followed.
    EntryLeaves {
        /// What it is.
        entry: String,
    },
    /// The entry is no regular file.
    EntryNotAFile {
        /// What it is.
        entry: String,
    },
    /// The entry cannot be executed.
    EntryNotExecutable {
        /// What it is.
        entry: String,
    },
    /// The operator's command that replaces the entry is no command line.
    Command {
        /// What it is.
        command: String,
    },
}

impl Fault {
    /// A fault of the whole file.
    pub(super) const fn whole(kind: FaultKind) -> Self {
        Self { line: 1, column: 1, kind }
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        remedy::of(&self.kind)
    }
}

/// `line:column: what (remedy)`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} ({})", self.line, self.column, self.kind, self.remedy())
    }
}

impl std::error::Error for Fault {}

impl FaultKind {
    /// The name that scripts read.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable",
            Self::TooLarge { .. } => "too_large",
            Self::NotUtf8 => "not_utf8",
            Self::Syntax { .. } => "syntax",
            Self::Missing { .. } => "missing",
            Self::WrongType { .. } => "wrong_type",
            Self::Empty { .. } => "empty",
            Self::TooLong { .. } => "too_long",
            Self::Nul { .. } => "nul",
            Self::Id { .. } => "id",
            Self::Version { .. } => "version",
            Self::Tier { .. } => "tier",
            Self::Homepage { .. } => "homepage",
            Self::NewerHost { .. } => "newer_host",
            Self::Wasm => "wasm",
            Self::Ui => "ui",
            Self::RuntimeKind { .. } => "runtime_kind",
            Self::Socket => "socket",
            Self::Transport { .. } => "transport",
            Self::EntryAbsolute { .. } => "entry_absolute",
            Self::EntryParent { .. } => "entry_parent",
            Self::CapabilityKey { .. } => "capability_key",
            Self::Capability { .. } => "capability",
            Self::Network { .. } => "network",
            Self::Namespace { .. } => "namespace",
            Self::EntryMissing { .. } => "entry_missing",
            Self::EntryLeaves { .. } => "entry_leaves",
            Self::EntryNotAFile { .. } => "entry_not_a_file",
            Self::EntryNotExecutable { .. } => "entry_not_executable",
            Self::Command { .. } => "command",
        }
    }
}

/// What is wrong, in a sentence.
impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { why } => write!(f, "plugin.toml cannot be read: {why}"),
            Self::TooLarge { bytes_max } => write!(f, "plugin.toml has more than {bytes_max} bytes"),
            Self::NotUtf8 => f.write_str("the text is not UTF-8"),
            Self::Syntax { message } => f.write_str(message),
            Self::Missing { key } => write!(f, "`{key}` is missing"),
            Self::WrongType { key, expected, found } => {
                write!(f, "`{key}` must be {expected}, not {found}")
            }
            Self::Empty { key } => write!(f, "`{key}` is empty"),
            Self::TooLong { key, characters, characters_max } => {
                write!(f, "`{key}` has {characters} characters, at most {characters_max} are permitted")
            }
            Self::Nul { key } => write!(f, "`{key}` has a NUL character"),
            Self::Id { id } => write!(f, "`id` is {}", quoted(id)),
            Self::Version { key, text, why } => write!(f, "`{key}` is {}: {why}", quoted(text)),
            Self::Tier { text } => write!(f, "`tier` is {}", quoted(text)),
            Self::Homepage { text } => write!(f, "`homepage` is {}, no https URL", quoted(text)),
            Self::NewerHost { needs, host } => {
                write!(f, "`host_min` is {needs}: the plugin needs a newer host than {host}")
            }
            Self::Wasm => f.write_str("`runtime.kind` is \"wasm\", which is reserved: it cannot run"),
            Self::Ui => {
                f.write_str("`runtime.kind` is \"ui\", an in-app page, which has no meaning in a terminal")
            }
            Self::RuntimeKind { text } => write!(f, "`runtime.kind` is {}", quoted(text)),
            Self::Socket => {
                f.write_str("`runtime.transport` is \"socket\", which is reserved: it cannot run")
            }
            Self::Transport { text } => write!(f, "`runtime.transport` is {}", quoted(text)),
            Self::EntryAbsolute { entry } => {
                write!(f, "`runtime.entry` is {}, an absolute path", quoted(entry))
            }
            Self::EntryParent { entry } => write!(f, "`runtime.entry` is {}, with `..`", quoted(entry)),
            Self::CapabilityKey { key } => write!(f, "unknown key {} in `capabilities`", quoted(key)),
            Self::Capability { list, text } => write!(f, "unknown {} in `{list}`", quoted(text)),
            Self::Network { text } => write!(f, "`capabilities.network` is {}", quoted(text)),
            Self::Namespace { key, id } => write!(f, "{} in `{key}` is not feature.name", quoted(id)),
            Self::EntryMissing { entry, why } => {
                write!(f, "`runtime.entry` {} cannot be reached: {why}", quoted(entry))
            }
            Self::EntryLeaves { entry } => {
                write!(f, "`runtime.entry` {} is a link to outside the plugin's folder", quoted(entry))
            }
            Self::EntryNotAFile { entry } => {
                write!(f, "`runtime.entry` {} is not a regular file", quoted(entry))
            }
            Self::EntryNotExecutable { entry } => {
                write!(f, "`runtime.entry` {} cannot be executed", quoted(entry))
            }
            Self::Command { command } => write!(f, "the command is {}", quoted(command)),
        }
    }
}
