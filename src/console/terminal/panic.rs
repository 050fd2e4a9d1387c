//! What a panic does to the screen: one of the console's own threads, or of the main thread, gives the
//! terminal back first. One elsewhere does not tear the screen down; it is kept to be said there.

use std::{
    collections::VecDeque,
    panic::{self, PanicHookInfo},
    sync::{Mutex, Once, PoisonError},
    thread,
};

use super::{session, ui_thread::is_ui_thread};

static FOREIGN: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());
/// Panics of other threads that wait to be said.
const FOREIGN_MAX: usize = 16;

/// Panics of other threads since the last call.
pub(crate) fn foreign_panics() -> Vec<String> {
    FOREIGN.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
}

/// Puts the console's hook before the one that is there. A second call does nothing.
///
/// While the console has the terminal, a panic of the console's own threads or of the main thread gives it
/// back before it is reported; one of another thread leaves the screen alone and is said on it. Without the
/// console, panics are reported as before.
pub fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_fatal = is_ui_thread() || thread::current().name() == Some("main");
            if is_fatal {
                session::restore();
            } else if session::is_active() {
                keep(info);
                return;
            }
            before(info);
        }));
    });
}

fn keep(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let words = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("?");
    let place =
        info.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
    let thread = thread::current();
    let text = format!("a panic in {}{place}: {words}", thread.name().unwrap_or("a thread"));
    tracing::error!("{text}");
    let mut kept = FOREIGN.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() < FOREIGN_MAX {
        kept.push_back(text);
    }
}
