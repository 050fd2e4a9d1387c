//! The terminal: taken and given back whole, read by one thread and written by another, so that nothing waits
//! for it.

mod clipboard;
mod encode;
mod input;
mod mailbox;
mod notifier;
mod panic;
mod sequences;
mod session;
mod ui_thread;
mod writer;

pub(crate) use encode::Painter;
pub(crate) use mailbox::Mailbox;
pub(crate) use notifier::Notifier;
pub(crate) use panic::foreign_panics;
pub use panic::install_panic_hook;
pub(crate) use session::TerminalSession;
pub(crate) use ui_thread::mark_ui_thread;
#[cfg(test)]
pub(crate) use writer::spawn as spawn_writer;
