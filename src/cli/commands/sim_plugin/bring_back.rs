//! What the plugin does with a token that it was handed: all that it must not.

use std::io::{self, Write as _};

use serde_json::Value;

use super::plugin::Plugin;

/// Repeats the token in every way that a plugin has.
pub(super) fn token(plugin: &mut Plugin, answer: &Value) -> io::Result<()> {
    let Some(token) = answer.pointer("/result/token").and_then(Value::as_str) else {
        let why = answer.pointer("/error/data/name").and_then(Value::as_str).unwrap_or("unknown");
        plugin.log("warning", &format!("no credential: {why}"));
        plugin.set_status(&format!("no credential: {why}"));
        return Ok(());
    };
    plugin.log("info", &format!("the token is {token}"));
    plugin.notify("warning", &format!("the token is {token}"));
    plugin.set_status(&format!("token {token}"));
    let mut stderr = io::stderr().lock();
    stderr.write_all(format!("the token is {token}\n").as_bytes())?;
    stderr.flush()
}
