//! `log` and `state_write` (mpp-v2, `log` and `state_write`).

use super::{
    envelope::{Fields, Key},
    inbound::Inbound,
    write::Line,
};
use crate::tap::entry::mpp::{FrameType, Level, Violation};

pub(super) fn read_log<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, Violation> {
    let level = fields.text(Key::Level)?;
    let level = Level::from_name(&level).ok_or(Violation::Mistyped(Key::Level.name()))?;
    Ok(Inbound::Log { level, message: fields.text(Key::Message)? })
}

pub(super) fn read_state_write<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, Violation> {
    Ok(Inbound::StateWrite {
        key: fields.text(Key::Key)?,
        // Ruling MPP 13: `null` is a value.
        value: fields.value(Key::Value)?,
        scope: fields.text_if_any(Key::Scope)?,
    })
}

/// `log`.
#[must_use]
pub fn log(level: Level, message: &str) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::Log);
    line.text("level", level.name());
    line.text("message", message);
    line.end()
}

/// `state_write`. `value` is JSON text; `scope` is left out when there is none.
#[must_use]
pub fn state_write(key: &str, value: &str, scope: Option<&str>) -> Vec<u8> {
    let mut line = Line::bytes(FrameType::StateWrite);
    line.text("key", key);
    line.json("value", value);
    if let Some(scope) = scope {
        line.text("scope", scope);
    }
    line.end()
}
