//! What is asked of the plugin host.

use serde_json::Value;

use crate::{
    cli::{error::Error, operator},
    ids::PluginId,
    plugin::{Command, Outcome},
    port::{self, Operator, Page, Query},
};

/// Characters that an id has at least to be looked for by its end.
const TAIL_MIN: usize = 4;

/// Has the plugin host do something.
///
/// # Errors
/// Its refusal.
pub(in crate::cli::commands) async fn send(
    station: &dyn Operator,
    command: Command,
) -> Result<Outcome, Error> {
    match station.command(port::Command::Plugin(command)).await? {
        port::Outcome::Plugin(outcome) => Ok(outcome),
        _ => Err(Error::UnexpectedAnswer),
    }
}

/// A plugin's whole id: as it is named where there is such a plugin, else that of the only one whose id ends
/// so. What is found nowhere stays as it is: the host says so.
///
/// # Errors
/// Several end so, or the station's.
pub(super) async fn whole_id(station: &dyn Operator, name: &str) -> Result<PluginId, Error> {
    let Page::Plugins(rows) = operator::query(station, Query::Plugins).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    among(name, rows.iter().map(|row| row.plugin.as_str()))
}

/// As [`whole_id`], among these.
pub(super) fn among<'a>(name: &str, ids: impl Iterator<Item = &'a str>) -> Result<PluginId, Error> {
    let is_tail = |id: &str| {
        id.strip_suffix(name).is_some_and(|head| head.ends_with('.') || name.chars().count() >= TAIL_MIN)
    };
    let found: Vec<&str> = ids.filter(|id| *id == name || is_tail(id)).collect();
    match found.as_slice() {
        [only] => Ok(PluginId::from(*only)),
        several if several.len() > 1 && !several.contains(&name) => Err(Error::usage(
            format!("several plugins end in {name}: {}", several.join(", ")),
            "give more characters",
        )),
        _ => Ok(PluginId::from(name)),
    }
}

/// A JSON object of the command line.
///
/// # Errors
/// That it is none.
pub(super) fn object(text: &str, what: &str) -> Result<Value, Error> {
    let value = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    value.ok_or_else(|| Error::usage(format!("{what} is not a JSON object"), "give an object, such as '{}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_is_named_by_its_id_or_the_end_of_it() {
        let ids = ["community.example", "org.example", "org.poll"];
        let found = |name| among(name, ids.into_iter()).map(|id| id.to_string());
        assert_eq!(found("poll").unwrap(), "org.poll");
        assert_eq!(found("ty.example").unwrap(), "community.example");
        assert_eq!(found("org.example").unwrap(), "org.example");
        assert_eq!(found("absent").unwrap(), "absent");
        assert!(found("example").unwrap_err().to_string().starts_with("several plugins end in example: "));
    }
}
