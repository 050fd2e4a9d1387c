//! The manual of a program that shows a page of it now and then.

use std::{
    ops::Deref,
    sync::{Arc, LazyLock},
};

use super::Manual;

/// The manual, read when somebody first looks into it. Clones share it.
#[derive(Clone, Debug)]
pub struct LazyManual(Arc<LazyLock<Manual>>);

impl LazyManual {
    /// A manual that is read so.
    pub(crate) fn new(read: fn() -> Manual) -> Self {
        Self(Arc::new(LazyLock::new(read)))
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
        &self.0
    }
}
