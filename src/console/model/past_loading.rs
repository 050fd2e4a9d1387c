//! How far what happened before this console came up has come.

use std::sync::Arc;

use crate::console::draw::format;

/// How far the past has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum PastLoading {
    /// All of it is there that there is to be had.
    #[default]
    Complete,
    /// It is on its way: so many entries of so many, once that is known.
    Loading { loaded: u64, total: Option<u64> },
    /// It is not to be had: why.
    Missing(Arc<str>),
}

impl PastLoading {
    /// How far it has come, while it has not.
    pub(crate) fn progress(&self) -> Option<String> {
        match self {
            Self::Loading { loaded, total: Some(total) } => Some(format!(
                "loading the past: {} of {} entries",
                format::grouped(*loaded),
                format::grouped(*total)
            )),
            Self::Loading { total: None, .. } => Some("loading the past".to_owned()),
            Self::Complete | Self::Missing(_) => None,
        }
    }
}
