//! `with`, and the params that are filled into it.

use serde_json::Value as Json;

use super::{
    super::{
        FaultKind, Map,
        expression::cut,
        template::{self, Piece},
    },
    load::Loader,
    node::NodeContext,
};
use crate::runs::yaml::{self, Located, Position, Value};

/// A node's `with` as JSON, every template filled in.
pub(super) fn filled(loader: &mut Loader<'_>, map: &yaml::Map, around: &NodeContext<'_>) -> Map {
    map.pairs.iter().map(|(key, value)| (key.name.to_string(), value_of(loader, value, around))).collect()
}

fn value_of(loader: &mut Loader<'_>, located: &Located, around: &NodeContext<'_>) -> Json {
    match &located.value {
        Value::Text(text) if text.contains("{{") => {
            text_of(loader, text, located.at, around).unwrap_or_default()
        }
        Value::List(items) => items.iter().map(|it| value_of(loader, it, around)).collect(),
        Value::Map(map) => filled(loader, map, around).into(),
        _ => located.json(),
    }
}

/// A text with its templates filled in; nothing after a fault.
fn text_of(loader: &mut Loader<'_>, text: &str, at: Position, around: &NodeContext<'_>) -> Option<Json> {
    let pieces = match template::pieces(text) {
        Ok(pieces) => pieces,
        Err(why) => {
            let fix =
                Some("only `{{params.name}}` is expanded; pass other text with `{{` as a param".to_owned());
            loader.sink(around.context).add(at, FaultKind::Template { written: cut(text), why }, fix);
            return None;
        }
    };
    if let [Piece::Param(name)] = pieces[..] {
        let value = param(loader, name, at, around)?;
        return fits(loader, size(value), at, around).then(|| value.clone());
    }
    let mut out = String::new();
    let mut is_whole = true;
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Param(name) => is_whole &= write_param(loader, &mut out, name, at, around).is_some(),
        }
    }
    is_whole.then_some(Json::String(out))
}

/// Writes a scalar param into a text.
fn write_param(
    loader: &mut Loader<'_>,
    out: &mut String,
    name: &str,
    at: Position,
    around: &NodeContext<'_>,
) -> Option<()> {
    let value = param(loader, name, at, around)?;
    if !fits(loader, size(value), at, around) {
        return None;
    }
    match value {
        Json::String(text) => out.push_str(text),
        Json::Array(_) | Json::Object(_) => {
            let kind = FaultKind::ParamNotText { param: cut(name), found: article(value) };
            loader.sink(around.context).add(
                at,
                kind,
                Some(format!("use `{{{{params.{}}}}}` as the whole string", cut(name))),
            );
            return None;
        }
        _ => out.push_str(&value.to_string()),
    }
    Some(())
}

fn param<'t>(
    loader: &mut Loader<'_>,
    name: &str,
    at: Position,
    around: &NodeContext<'t>,
) -> Option<&'t Json> {
    let found = around.params.get(name);
    if found.is_some() {
        if !loader.used.contains(name) {
            loader.used.insert(name.to_owned());
        }
    } else {
        let sink = &mut loader.sink(around.context);
        let near = sink.faults.did_you_mean(name, around.params.keys().map(String::as_str));
        let fix =
            near.or_else(|| Some(format!("add `{}` to `params`, or pass it when submitting", cut(name))));
        sink.add(at, FaultKind::UnknownParam { param: cut(name) }, fix);
    }
    found
}

/// Takes bytes of what params may fill in; false, with a fault, when there are too few left.
fn fits(loader: &mut Loader<'_>, bytes: u64, at: Position, around: &NodeContext<'_>) -> bool {
    if bytes <= loader.budget.filled_bytes {
        loader.budget.filled_bytes -= bytes;
        return true;
    }
    loader.budget.filled_bytes = 0;
    let kind = FaultKind::FilledTooLong { max: loader.limits.filled_bytes_max };
    loader.sink(around.context).add(at, kind, None);
    false
}

/// About the bytes that a value takes.
fn size(value: &Json) -> u64 {
    const SELF_BYTES: u64 = 16;
    SELF_BYTES
        + match value {
            Json::String(text) => text.len() as u64,
            Json::Array(items) => items.iter().map(size).sum(),
            Json::Object(map) => {
                map.iter().map(|(key, value)| key.len() as u64 + SELF_BYTES + size(value)).sum()
            }
            _ => 0,
        }
}

/// What a value is, with its article, for a sentence.
pub(super) fn article(value: &Json) -> &'static str {
    match value {
        Json::Null => "nothing",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "a map",
    }
}
