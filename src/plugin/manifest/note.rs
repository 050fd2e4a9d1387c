//! What of a manifest is passed over, and where.

use std::fmt;

use super::rules::quoted;
use crate::plugin::capability::Capability;

/// Something that is passed over, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What it is.
    pub kind: NoteKind,
}

/// What is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// A key that is unknown.
    UnknownKey {
        /// Its full name.
        key: String,
        /// The key that it most likely means.
        near: Option<&'static str>,
    },
    /// `ui_entry`: an in-app page.
    UiEntry,
    /// A capability that does nothing, as `panel` is not in `capabilities.ui` (ruling Plugins 2).
    NeedsPanel {
        /// Which.
        capability: Capability,
    },
    /// A string that is in its list twice.
    Repeated {
        /// The list's full name.
        key: &'static str,
        /// The string.
        text: String,
    },
}

impl NoteKind {
    /// The name that scripts read.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownKey { .. } => "unknown_key",
            Self::UiEntry => "ui_entry",
            Self::NeedsPanel { .. } => "needs_panel",
            Self::Repeated { .. } => "repeated",
        }
    }
}

/// What it is, in a sentence.
impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey { key, near: Some(near) } => {
                write!(f, "unknown key {}: ignored (did you mean `{near}`?)", quoted(key))
            }
            Self::UnknownKey { key, near: None } => write!(f, "unknown key {}: ignored", quoted(key)),
            Self::UiEntry => {
                f.write_str("`ui_entry` is a page of the StreamNook app: only the process runs here")
            }
            Self::NeedsPanel { capability } => {
                write!(f, "`{capability}` has no effect without \"panel\" in `capabilities.ui`")
            }
            Self::Repeated { key, text } => write!(f, "{} is in `{key}` twice", quoted(text)),
        }
    }
}

/// `line:column: what`.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.kind)
    }
}
