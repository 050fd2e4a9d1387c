//! Which threads are the console's own.

use std::cell::Cell;

thread_local! {
    static IS_UI: Cell<bool> = const { Cell::new(false) };
}

/// Marks a thread as the console's until it is dropped.
pub(crate) struct UiMark(());

/// Marks the present thread as the console's.
pub(crate) fn mark_ui_thread() -> UiMark {
    IS_UI.set(true);
    UiMark(())
}

impl Drop for UiMark {
    fn drop(&mut self) {
        IS_UI.set(false);
    }
}

/// Whether the present thread is one of them.
pub(super) fn is_ui_thread() -> bool {
    IS_UI.get()
}
