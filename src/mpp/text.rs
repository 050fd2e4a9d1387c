//! Texts that are kept in part.

use std::{borrow::Cow, sync::Arc};

use crate::words::cut_marked;

/// A shared text of at most so many bytes, not copied where it is short enough; what is cut ends in `…`.
pub(super) fn cut_shared(text: &Arc<str>, bytes_max: u64) -> Arc<str> {
    match cut_marked(text, bytes_max) {
        Cow::Borrowed(_) => Arc::clone(text),
        Cow::Owned(cut) => Arc::from(cut),
    }
}
