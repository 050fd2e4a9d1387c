//! What can be wrong with a text as YAML.

use super::Position;
use crate::{runs::taxonomy::taxonomy, words};

/// As much of what was written as a message tells.
pub(in crate::runs) fn cut(text: &str) -> String {
    const QUOTED_CHARS_MAX: usize = 80;
    let end = text.char_indices().nth(QUOTED_CHARS_MAX).map(|(end, _)| end);
    let shown = end.map_or(text, |end| words::cut(text, end as u64));
    let mut out: String = shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if end.is_some() {
        out.push('…');
    }
    out
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub at: Position,
    /// What.
    pub kind: FaultKind,
    /// What to do, where that is plain.
    pub fix: Option<String>,
}

taxonomy! {
    /// The taxonomy of YAML's faults.
    FaultKind {
        /// More bytes than are read.
        TooLong { bytes: usize, max: usize } = "yaml_too_long", "the text has {bytes} bytes; the maximum is {max}";
        /// Aliases that would make it longer than what is read.
        AliasesTooLong { max: usize } = "yaml_aliases_too_long", "the text exceeds {max} bytes with its aliases expanded";
        /// More values than are read.
        TooManyValues { max: usize } = "yaml_too_many_values", "more than {max} keys and values";
        /// Deeper than is read.
        TooDeep { max: usize } = "yaml_too_deep", "maps and lists are nested more than {max} levels deep";
        /// No YAML.
        Syntax { what: String } = "yaml_syntax", "invalid YAML: {what}";
        /// A second document.
        SeveralDocuments = "yaml_several_documents", "a second document starts here: a file contains one opening";
        /// A key twice in one map.
        DuplicateKey { key: String, line: u32 } = "yaml_duplicate_key", "duplicate key `{key}`, first in line {line}";
        /// A key that is no text.
        KeyNotText { found: &'static str } = "yaml_key_not_text", "a key must be a string, found {found}";
        /// A merge key.
        MergeKey = "yaml_merge_key", "merge keys (`<<`) are not supported";
        /// A tag outside the core schema, or one that does not fit.
        Tag { tag: String } = "yaml_tag", "the tag `{tag}` is not valid here";
        /// A number that JSON cannot hold.
        Number { number: String } = "yaml_number", "the number `{number}` is not finite or too large";
        /// An alias to nothing.
        UnknownAlias { name: String } = "yaml_unknown_alias", "the alias `*{name}` has no anchor `&{name}` before it";
        /// An alias to what it lies in.
        AliasWithinItself = "yaml_alias_within_itself", "this alias refers to a node that contains it";
    }
}
