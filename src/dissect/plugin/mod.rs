//! The plugin host's frames and transitions (streamnook-plugin-v1): headers, then JSON-RPC.

mod clauses;
mod faults;
mod message;
mod preview;
mod row;
mod summary;
#[cfg(test)]
mod tests;
mod transitions;
mod verdict;

pub(super) use clauses::{
    clause_text, code_clause, lint_clause, lint_remedy, violation_clause, violation_remedy,
};
pub(super) use faults::fault_of;
pub(super) use message::body_of;
