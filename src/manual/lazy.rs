//! The manual of a program that shows a page of it now and then.

use std::{
    ops::Deref,
    sync::{Arc, LazyLock, Once},
    thread,
};

use super::Manual;

/// The manual, read when somebody first looks into it, or ahead of that. Clones share it.
#[derive(Clone, Debug)]
pub struct LazyManual(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    manual: LazyLock<Manual>,
    read_ahead: Once,
}

impl LazyManual {
    /// A manual that is read so.
    pub(crate) fn new(read: fn() -> Manual) -> Self {
        Self(Arc::new(Inner { manual: LazyLock::new(read), read_ahead: Once::new() }))
    }

    /// Has it read on a thread of its own, so that the first look into it does not wait. Only the first call
    /// does something.
    pub(crate) fn read_ahead(&self) {
        self.0.read_ahead.call_once(|| {
            let manual = self.clone();
            let read = move || {
                LazyLock::force(&manual.0.manual);
            };
            // Without a thread it is read at the first look.
            thread::Builder::new().name("manual".to_owned()).spawn(read).map(drop).unwrap_or_default();
        });
    }
}

impl Default for LazyManual {
    /// One without pages.
    fn default() -> Self {
        Self::new(Manual::default)
    }
}

impl Deref for LazyManual {
    type Target = Manual;

    fn deref(&self) -> &Manual {
        &self.0.manual
    }
}
