//! Frames as commands are given them: JSON of a file or of stdin with what is set in it, or bytes.

use std::path::Path;

use super::{error::Error, hex_text, inject_error::InjectError, input};
use crate::dissect::frame_json::{Codec, Json};

/// Bytes of an input at most, of JSON or digits.
const INPUT_BYTES_MAX: u64 = 128 << 20;
const BOUND: &str = "send less at once (limits.workbench.send_bytes_max)";

/// Why JSON makes no frame.
pub(super) fn refused(codec: &dyn Codec, why: &str) -> Error {
    let hint =
        format!("give an object such as {}; `rl-console snippet ls` lists one of each kind", codec.example());
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
pub(super) fn json_of(file: Option<&Path>) -> Result<Json, Error> {
    let (what, bytes) = match file {
        Some(path) if path.as_os_str() != "-" => {
            let what = path.display().to_string();
            let bytes = input::file(&what, INPUT_BYTES_MAX, BOUND)?;
            (what, bytes)
        }
        _ => ("stdin".to_owned(), input::stdin(INPUT_BYTES_MAX, BOUND)?),
    };
    let json = std::str::from_utf8(&bytes).map_err(|error| error.to_string()).and_then(Json::read);
    json.map_err(|message| {
        let hint = "one JSON object; `rl-console decode --json` prints such".to_owned();
        InjectError::NotAFrame { what, message, hint }.into()
    })
}

/// Sets the member at a path, as `--set` does.
///
/// # Errors
/// The path leads into what has no members.
pub(super) fn set(json: &mut Json, path: &str, value: Json) -> Result<(), Error> {
    json.set(path, value).map_err(|why| {
        Error::usage(format!("--set {path}: {why}"), "`rl-console decode --json` prints the members")
    })
}
