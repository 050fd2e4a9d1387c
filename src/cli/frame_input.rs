//! Frames as commands are given them: JSON of a file or of stdin with what is set in it, or bytes.

use std::path::Path;

use serde_json::Value;

use super::{error::Error, hex_text, inject_error::InjectError, input};
use crate::dissect::frame_json::Codec;

/// Bytes of an input at most, of JSON or digits.
const INPUT_BYTES_MAX: u64 = 128 << 20;
const BOUND: &str = "send less at once (limits.workbench.send_bytes_max)";

/// Why JSON makes no frame.
pub(super) fn refused(codec: &dyn Codec, why: &str) -> Error {
    let hint = format!("give an object such as {}", codec.example());
    InjectError::NotAFrame { what: "the frame".to_owned(), message: why.to_owned(), hint }.into()
}

/// The bytes of hex digits, or of a file that contains digits or the bytes themselves.
///
/// # Errors
/// They are no digits, or the file cannot be read.
pub(super) fn raw_bytes(raw: &str) -> Result<Vec<u8>, Error> {
    let bytes = input::bytes_of(raw, INPUT_BYTES_MAX, BOUND)?;
    let is_file = raw.starts_with('@');
    if is_file && !hex_text::is_text(&bytes) {
        return Ok(bytes);
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut whole = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let digits = hex_text::line(line).ok_or_else(|| Error::Input {
            what: "--raw".to_owned(),
            message: format!("line {} is not hex digits", number + 1),
            hint: "two digits a byte, or @FILE with the bytes themselves".to_owned(),
        })?;
        whole.extend_from_slice(&digits);
    }
    Ok(whole)
}

/// One JSON object of a file; of stdin where there is none, or it is `-`.
///
/// # Errors
/// It cannot be read, or is no JSON.
pub(super) fn json_of(file: Option<&Path>) -> Result<Value, Error> {
    let (what, bytes) = match file {
        Some(path) if path.as_os_str() != "-" => {
            let what = path.display().to_string();
            let bytes = input::file(&what, INPUT_BYTES_MAX, BOUND)?;
            (what, bytes)
        }
        _ => ("stdin".to_owned(), input::stdin(INPUT_BYTES_MAX, BOUND)?),
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        let hint = "one JSON object; `rl-console decode --json` prints such".to_owned();
        InjectError::NotAFrame { what, message: error.to_string(), hint }.into()
    })
}

/// Sets the member at a path; objects on the way that are not there are made.
///
/// # Errors
/// The path leads into what has no members.
pub(super) fn set(json: &mut Value, path: &str, value: Value) -> Result<(), Error> {
    let mut place = json;
    for name in path.split('.') {
        let missing = |what: &str| {
            Error::usage(format!("--set {path}: {what}"), "`rl-console decode --json` prints the members")
        };
        place = match place {
            Value::Array(items) => {
                let index: Option<usize> = name.parse().ok();
                let found = index.and_then(|index| items.get_mut(index));
                found.ok_or_else(|| missing(&format!("the list has no item `{name}`")))?
            }
            Value::Object(members) => members.entry(name).or_insert(Value::Null),
            Value::Null => {
                *place = Value::Object(serde_json::Map::new());
                match place {
                    Value::Object(members) => members.entry(name).or_insert(Value::Null),
                    _ => return Err(missing("no object")),
                }
            }
            _ => return Err(missing(&format!("`{name}` is not in an object"))),
        };
    }
    *place = value;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_set_by_their_paths() {
        let mut json = json!({"body": {"queue": "a", "list": [1, 2]}});
        set(&mut json, "body.queue", json!("b")).unwrap();
        set(&mut json, "body.list.1", json!(7)).unwrap();
        set(&mut json, "body.new.deep", json!(true)).unwrap();
        assert_eq!(json, json!({"body": {"queue": "b", "list": [1, 7], "new": {"deep": true}}}));
        let error = set(&mut json, "body.list.9", json!(0)).unwrap_err().to_string();
        assert_eq!(error, "--set body.list.9: the list has no item `9`");
        assert!(set(&mut json, "body.queue.x", json!(0)).is_err());
    }
}
