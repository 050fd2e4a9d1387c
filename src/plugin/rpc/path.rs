//! Where in a JSON text a reader failed, as a path.

use std::{fmt::Write as _, ops::Range};

use super::ParamsFault;
use crate::words::cut_marked;

/// Containers that a path names; what lies deeper is named by the last of them.
const DEPTH_MAX: usize = 128;
/// Bytes of a member's name that are shown.
const NAME_BYTES_MAX: u64 = 64;
/// Bytes of what is wrong that are shown.
const WHAT_BYTES_MAX: u64 = 512;

/// The fault that a reader of a text reports.
#[cold]
pub(super) fn fault(root: &str, text: &str, error: &serde_json::Error) -> ParamsFault {
    let told = error.to_string();
    let what = told.rsplit_once(" at line ").map_or(told.as_str(), |(what, _)| what);
    let path = path_of(root, text, offset(text, error.line(), error.column()));
    ParamsFault { path, what: cut_marked(what, WHAT_BYTES_MAX).into_owned() }
}

/// Bytes before the place that a line and a column name.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    let start = line.checked_sub(2).and_then(|nth| ends.into_iter().nth(nth)).unwrap_or_default();
    start + column
}

/// One container that is open.
enum Step {
    /// An object, and the name of the member that is being read, in its quotes; none while it is awaited.
    Member(Option<Range<usize>>),
    /// An array, and the index of the item that is being read.
    Item(usize),
}

/// The path of the value within which, or at whose begin or end, the offset lies. The text is valid JSON at
/// least up to there.
pub(super) fn path_of(root: &str, text: &str, offset: usize) -> String {
    let bytes = text.as_bytes();
    let mut open: Vec<Step> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        let (is_value, has_ended) = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b':' => continue,
            b',' => {
                match open.last_mut() {
                    Some(Step::Member(name)) => *name = None,
                    Some(Step::Item(index)) => *index += 1,
                    None => {}
                }
                continue;
            }
            b'{' | b'[' => (true, false),
            b'}' | b']' => {
                open.pop();
                (false, true)
            }
            b'"' => {
                at = string_end(bytes, at);
                if let Some(Step::Member(name @ None)) = open.last_mut() {
                    *name = Some(start..at);
                    (false, true)
                } else {
                    (true, true)
                }
            }
            _ => {
                at = bytes
                    .iter()
                    .skip(at)
                    .position(|byte| b",]} \t\r\n".contains(byte))
                    .map_or(bytes.len(), |n| at + n);
                (true, true)
            }
        };
        if (is_value && start >= offset) || (has_ended && at >= offset) || open.len() >= DEPTH_MAX {
            break;
        }
        match byte {
            b'{' => open.push(Step::Member(None)),
            b'[' => open.push(Step::Item(0)),
            _ => {}
        }
    }
    written(root, text, &open)
}

/// Behind the quote that ends a string.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(n) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += n + 1;
        if bytes.get(at - 1) == Some(&b'"') {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

fn written(root: &str, text: &str, open: &[Step]) -> String {
    let mut path = root.to_owned();
    for step in open {
        // Writing to a string does not fail.
        let _ = match step {
            Step::Member(None) => break,
            Step::Item(index) => write!(path, "[{index}]"),
            Step::Member(Some(name)) => {
                let quoted = text.get(name.clone()).unwrap_or_default();
                let bare = quoted.trim_matches('"');
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                if !bare.is_empty() && bare.bytes().all(is_plain) {
                    write!(path, ".{}", cut_marked(bare, NAME_BYTES_MAX))
                } else {
                    write!(path, "[{}]", cut_marked(quoted, NAME_BYTES_MAX))
                }
            }
        };
    }
    path
}
