//! What can be wrong with an opening: every fault with its place, and what to do where that is plain.

use std::{fmt, path::Path, sync::Arc};

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{
    runs::{
        taxonomy::taxonomy,
        yaml::{self, Position},
    },
    words,
};

taxonomy! {
    /// The taxonomy of openings' faults, YAML's own aside.
    FaultKind {
        /// A key that is not of the language.
        UnknownKey { key: String, part: String } = "unknown_key", "unknown key `{key}` in {part}";
        /// A required key is not there.
        MissingKey { key: &'static str, part: String } = "missing_key", "missing key `{key}` in {part}";
        /// A value of another type.
        WrongType { key: String, part: String, takes: &'static str, found: &'static str }
            = "wrong_type", "`{key}` of {part} expects {takes}, found {found}";
        /// The whole text is no map.
        NoOpening { found: &'static str } = "no_opening", "an opening is a map of keys and values, found {found}";
        /// A number below zero.
        Negative { key: String, part: String, value: String } = "negative_number", "`{key}` of {part} is {value}: it must not be negative";
        /// A number below its least.
        TooSmall { key: String, part: String, value: u64, min: u64 } = "number_too_small", "`{key}` of {part} is {value}: the minimum is {min}";
        /// A number above its greatest.
        TooLarge { key: String, part: String, value: u64, max: u64 } = "number_too_large", "`{key}` of {part} is {value}: the maximum is {max}";
        /// A version that is not read.
        Version { version: String } = "unknown_version", "`version` is {version}: only version 0 is supported";
        /// A name that cannot be shown.
        Name { max: usize } = "invalid_name", "`name` of an opening must be 1 to {max} characters without control characters";
        /// No node.
        NoNodes = "no_nodes", "an opening needs at least one node";
        /// More nodes than are taken.
        TooManyNodes { max: u64 } = "too_many_nodes", "more than {max} nodes, including nested openings";
        /// More edges than are taken.
        TooManyEdges { max: u64 } = "too_many_edges", "more than {max} edges, including nested openings";
        /// An id outside the grammar.
        NodeId { id: String } = "invalid_node_id", "invalid node id `{id}`: use a lowercase letter, then up to 63 lowercase letters, digits or `_`";
        /// An id that another node has.
        RepeatedNodeId { id: String, line: u32 } = "repeated_node_id", "duplicate node id `{id}`, first in line {line}";
        /// No `kind:name`.
        Use { written: String } = "invalid_use", "`{written}` is neither an agent nor an opening";
        /// A kind that waits for its system.
        UnsupportedUse { kind: String, missing: &'static str }
            = "unsupported_use", "the station cannot run `{kind}:` nodes yet: {missing}";
        /// An agent that cannot have a topic.
        AgentName { name: String }
            = "invalid_agent_name", "invalid agent name `{name}`: use 1 to 128 letters, digits, `.`, `_`, `:` or `-`";
        /// An opening's name that could leave its folder.
        OpeningName { name: String }
            = "invalid_opening_name", "invalid opening name `{name}`: use a letter or digit, then up to 127 \
                                       letters, digits, `.`, `_` or `-`";
        /// A node may use more than the whole.
        NodeBudget { node: String, budget: u64, opening: u64 }
            = "node_budget_too_large", "`budget_tokens` of node `{node}` is {budget}, more than the opening's {opening}";
        /// A node must not skip the question.
        ConfirmForbidden { node: String }
            = "confirm_forbidden", "node `{node}` has `require_human_confirm: false`, but `confirm_external` is true";
        /// No `node.port`.
        Port { written: String } = "invalid_port", "`{written}` is not a port: write it as `node.port`";
        /// A node that is not there.
        UnknownNode { node: String } = "unknown_node", "unknown node `{node}`";
        /// A port that a nested opening does not have.
        UnknownPort { node: String, port: String }
            = "unknown_port", "node `{node}` is an opening without a port `{port}`: its outputs are `out` and `ok`";
        /// A port by which a nested opening cannot be fed.
        UnknownInput { node: String, port: String }
            = "unknown_input", "node `{node}` is an opening without an input `{port}`: it takes params from \
                                `with`, and its only input is `in`";
        /// A param that a nested opening does not have.
        UnknownWith { param: String, node: String } = "unknown_with", "unknown param `{param}` for the opening of node `{node}`";
        /// An edge twice.
        RepeatedEdge { edge: String, line: u32 } = "repeated_edge", "duplicate edge `{edge}`, first in line {line}";
        /// A port that is saved twice.
        RepeatedSave { port: String, line: u32 } = "repeated_save", "the port `{port}` is already saved in line {line}";
        /// No predicate.
        Predicate { written: String, why: &'static str } = "invalid_predicate", "the predicate of `{written}` {why}";
        /// The graph goes round.
        Cycle { path: String } = "cycle", "the edges form a cycle: {path}";
        /// Not one of `any_of` and `all_of`.
        Success { why: &'static str } = "invalid_success", "`success` {why}";
        /// No expression.
        Expression { written: String, why: &'static str } = "invalid_expression", "`{written}` is not a success expression: it {why}";
        /// No `{{params.name}}`.
        Template { written: String, why: &'static str } = "invalid_template", "`{written}` {why}";
        /// A param that nobody gave.
        UnknownParam { param: String } = "unknown_param", "unknown param `{param}`";
        /// A param that cannot stand within a text.
        ParamNotText { param: String, found: &'static str } = "param_not_text", "the param `{param}` is {found} and cannot be part of a string";
        /// Params that fill in too much.
        FilledTooLong { max: u64 } = "filled_too_long", "params expand to more than {max} bytes in the nodes";
        /// Nested openings with too much in all.
        TooManyValues { max: u64 } = "too_many_values", "more than {max} keys and values, including nested openings";
        /// An opening that was not found.
        OpeningNotFound { name: String, why: String } = "opening_not_found", "cannot read the opening `{name}`: {why}";
        /// Openings that nest each other.
        OpeningCycle { path: String } = "opening_cycle", "openings nest each other: {path}";
        /// A nested opening that carries others.
        InnerOpenings = "inner_openings", "a nested opening cannot contain `openings`";
        /// Openings too deep within one another.
        TooDeep { max: u64 } = "openings_too_deep", "openings are nested more than {max} levels deep";
    }
}

/// The cause of a fault: in the text as YAML, or as an opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultCause {
    /// As YAML.
    #[error(transparent)]
    Yaml(#[from] yaml::FaultKind),
    /// As an opening.
    #[error(transparent)]
    Opening(#[from] FaultKind),
}

impl FaultCause {
    /// The fault's name for programs; it does not change.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Yaml(kind) => kind.code(),
            Self::Opening(kind) => kind.code(),
        }
    }

    /// Every code there is.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        yaml::FaultKind::CODES.iter().chain(FaultKind::CODES).copied()
    }
}

/// One fault of an opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file of a nested opening; nothing for the text itself.
    pub file: Option<Arc<Path>>,
    /// Where.
    pub at: Position,
    /// What.
    pub wrong: FaultCause,
    /// What to do, where that is plain.
    pub fix: Option<String>,
}

impl fmt::Display for Fault {
    /// `[file:]line:column: what is wrong; what to do`, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
        }
        write!(f, "{}: {}", self.at, self.wrong)?;
        self.fix.as_ref().map_or(Ok(()), |fix| write!(f, "; {fix}"))
    }
}

impl Serialize for Fault {
    /// `{file?, line, column, code, message, fix?}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Fault", 6)?;
        if let Some(file) = &self.file {
            out.serialize_field("file", &file.display().to_string())?;
        }
        out.serialize_field("line", &self.at.line)?;
        out.serialize_field("column", &self.at.column)?;
        out.serialize_field("code", self.wrong.code())?;
        out.serialize_field("message", &self.wrong.to_string())?;
        if let Some(fix) = &self.fix {
            out.serialize_field("fix", fix)?;
        }
        out.end()
    }
}

/// Why a text is no opening: its faults in the order of the text, those of nested files behind. At most as
/// many as are told; the rest are counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Faults {
    list: Vec<Fault>,
    more: usize,
    max: usize,
    /// Names that may yet be compared for "did you mean".
    comparisons: usize,
}

/// Names compared for "did you mean" in all: what a person notices no delay of.
const COMPARISONS_MAX: usize = 50_000;

impl Faults {
    /// No faults yet, of which `max` will be told.
    pub(super) fn new(max: u64) -> Self {
        let max = usize::try_from(max).unwrap_or(usize::MAX).max(1);
        Self { list: Vec::new(), more: 0, max, comparisons: COMPARISONS_MAX }
    }

    /// The faults that are told.
    #[must_use]
    pub fn list(&self) -> &[Fault] {
        &self.list
    }

    /// How many more there are.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn push(&mut self, fault: Fault) {
        if self.list.len() >= self.max {
            self.more += 1;
        } else if !self.list.contains(&fault) {
            self.list.push(fault);
        }
    }

    pub(super) fn count_more(&mut self, more: usize) {
        self.more += more;
    }

    /// What a misspelt name most likely meant.
    pub(super) fn did_you_mean<'a>(
        &mut self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        if self.list.len() >= self.max {
            return None;
        }
        let candidates = candidates.into_iter().take(self.comparisons);
        let mut compared = 0;
        let near = words::nearest(name, candidates.inspect(|_| compared += 1));
        self.comparisons -= compared;
        near.map(|near| format!("did you mean `{near}`?"))
    }

    pub(super) fn sorted(mut self) -> Self {
        self.list.sort_by(|a, b| (&a.file, a.at).cmp(&(&b.file, b.at)));
        self
    }
}

impl fmt::Display for Faults {
    /// One fault a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.list.iter().enumerate() {
            write!(f, "{}{fault}", if at == 0 { "" } else { "\n" })?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}
