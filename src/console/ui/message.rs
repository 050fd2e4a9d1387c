//! The message on the line above the footer.

use std::time::Duration;

use super::state::Ui;
use crate::{
    console::draw::class::Class,
    tap::entry::station::Level,
    time::{Mono, Now},
};

/// How long a message stands.
pub(crate) const MESSAGE_DURATION: Duration = Duration::from_secs(10);
/// How long it is said at the start that a file could not be read.
const FILE_ERROR_DURATION: Duration = Duration::from_secs(30);

/// One line above the footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) text: String,
    /// How grave it is.
    pub(crate) level: Level,
    /// Whose words it has.
    pub(crate) class: Class,
    /// When it goes.
    pub(crate) until: Mono,
}

/// Says something on the line above the footer.
pub(crate) fn show_message(ui: &mut Ui, text: String, is_error: bool, now: Now) {
    show_message_as(ui, text, is_error, Class::Public, now);
}

/// Shows a message that may quote somebody.
pub(crate) fn show_message_as(ui: &mut Ui, text: String, is_error: bool, class: Class, now: Now) {
    let level = if is_error { Level::Error } else { Level::Info };
    ui.message = Some(Message { text, level, class, until: now.mono + MESSAGE_DURATION });
}

/// Says at the start that a file could not be read.
pub(crate) fn show_file_error(ui: &mut Ui, text: String, now: Now) {
    let until = now.mono + FILE_ERROR_DURATION;
    ui.message = Some(Message { text, level: Level::Error, class: Class::Public, until });
}
