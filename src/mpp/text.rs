//! Texts that are kept in part.

use std::{borrow::Cow, sync::Arc};

use crate::words;

/// A text of at most so many bytes; what is cut ends in `…`.
pub(crate) fn cut(text: &str, bytes_max: usize) -> Cow<'_, str> {
    if text.len() <= bytes_max {
        return Cow::Borrowed(text);
    }
    let longest = bytes_max.saturating_sub('…'.len_utf8());
    Cow::Owned(format!("{}…", words::cut(text, longest as u64)))
}

/// The same of a shared text, which is not copied where it is short enough.
pub(super) fn cut_shared(text: &Arc<str>, bytes_max: u64) -> Arc<str> {
    match cut(text, usize::try_from(bytes_max).unwrap_or(usize::MAX)) {
        Cow::Borrowed(_) => Arc::clone(text),
        Cow::Owned(cut) => Arc::from(cut),
    }
}
