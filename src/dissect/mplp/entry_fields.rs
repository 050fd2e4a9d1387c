//! Findings as fields of an entry, so that a filter finds frames by `schema`, `rule` and `path`.
//!
//! A filter asks for a field of an entry at a time, and of many entries: what was found in the message that
//! was judged last is remembered with its bytes, so that each is judged once for all its fields. Messages
//! over [`BYTES_MAX`] are not judged here, and of others at most [`FINDINGS_MAX`] findings are told; the
//! other limits are the defaults of `limits.mplp`, as no record knows what is configured.

use std::{cell::RefCell, rc::Rc};

use super::{
    group::public_path,
    message::{body, input_limits, is_whole, message},
};
use crate::{
    limits,
    mplp::{InputLimits, LintFinding, lint},
    tap::EntryRef,
};

/// Bytes of a frame that is judged for a filter.
const BYTES_MAX: usize = 65_536;
/// Findings of one message that a filter sees.
const FINDINGS_MAX: usize = 32;

/// What was found in one message: each with a blank between them, no two alike.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::dissect) struct EntryFindings {
    /// The schemas of the objects.
    pub(in crate::dissect) schemas: String,
    /// The rules.
    pub(in crate::dissect) rules: String,
    /// The paths.
    pub(in crate::dissect) paths: String,
}

thread_local! {
    static LAST: RefCell<(Vec<u8>, Rc<EntryFindings>)> = RefCell::default();
}

/// What is found in a message of MPLP, each finding at its path; nothing in any other frame.
pub(crate) fn findings_in(entry: EntryRef<'_>) -> Vec<String> {
    if message(entry).is_none() {
        return Vec::new();
    }
    let limits = InputLimits { findings_max: FINDINGS_MAX, ..input_limits(&limits::Mplp::default()) };
    let found = lint(&body(entry.bytes).unwrap_or_default(), limits).findings;
    let line = |it: &LintFinding| {
        let finding = &it.finding;
        format!("{}: {} requires {}", public_path(finding), finding.rule, finding.requires)
    };
    found.iter().map(line).collect()
}

impl EntryFindings {
    /// What is found in an entry; nothing where it is no message of MPLP, or one that is not judged.
    pub(in crate::dissect) fn of(entry: EntryRef<'_>) -> Option<Rc<Self>> {
        let (frame, _) = message(entry)?;
        if entry.bytes.len() > BYTES_MAX || !is_whole(frame, entry.bytes) {
            return None;
        }
        LAST.with_borrow_mut(|(bytes, found)| {
            if bytes.as_slice() != entry.bytes {
                *found = Rc::new(Self::judge(entry.bytes));
                entry.bytes.clone_into(bytes);
            }
            Some(Rc::clone(found))
        })
    }

    fn judge(bytes: &[u8]) -> Self {
        let limits = InputLimits { findings_max: FINDINGS_MAX, ..input_limits(&limits::Mplp::default()) };
        let found = lint(&body(bytes).unwrap_or_default(), limits);
        let mut told = Self::default();
        for finding in found.findings.iter().map(|it| &it.finding) {
            add(&mut told.schemas, &finding.schema);
            add(&mut told.rules, &finding.rule);
            add(&mut told.paths, &public_path(finding));
        }
        told
    }
}

fn add(list: &mut String, word: &str) {
    // A schema has a blank in its name if it is the message's own.
    let word = word.replace(' ', "_");
    if list.split(' ').any(|known| known == word) {
        return;
    }
    if !list.is_empty() {
        list.push(' ');
    }
    list.push_str(&word);
}
