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
        TooLong { bytes: usize, max: usize } = "yaml_too_long", "the text has {bytes} bytes: at most {max} are read";
        /// Aliases that would make it longer than what is read.
        AliasesTooLong { max: usize } = "yaml_aliases_too_long", "with its aliases written out the text has more than {max} bytes";
        /// More values than are read.
        TooManyValues { max: usize } = "yaml_too_many_values", "there are more than {max} keys and values in it";
        /// Deeper than is read.
        TooDeep { max: usize } = "yaml_too_deep", "maps and lists are more than {max} deep here";
        /// No YAML.
        Syntax { what: String } = "yaml_syntax", "this is no YAML: {what}";
        /// A second document.
        SeveralDocuments = "yaml_several_documents", "a second document begins here: one text is one opening";
        /// A key twice in one map.
        DuplicateKey { key: String, line: u32 } = "yaml_duplicate_key", "the key `{key}` is there already, in line {line}";
        /// A key that is no text.
        KeyNotText { found: &'static str } = "yaml_key_not_text", "a key is a text, and this is {found}";
        /// A merge key.
        MergeKey = "yaml_merge_key", "merge keys (`<<`) are not read";
        /// A tag outside the core schema, or one that does not fit.
        Tag { tag: String } = "yaml_tag", "the tag `{tag}` does not fit here";
        /// A number that JSON cannot hold.
        Number { number: String } = "yaml_number", "the number `{number}` is not finite, or larger than what is kept of a number";
        /// An alias to nothing.
        UnknownAlias { name: String } = "yaml_unknown_alias", "the alias `*{name}` has no anchor `&{name}` before it";
        /// An alias to what it lies in.
        AliasWithinItself = "yaml_alias_within_itself", "this alias stands for what it lies in";
    }
}
