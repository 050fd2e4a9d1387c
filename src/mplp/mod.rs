//! MPLP v1.0.0, the layer L1: its 29 schemas, its rules, and what judges objects by them. No I/O.
//!
//! | module | clause | what it has |
//! |---|---|---|
//! | [`catalog`] | `mplp-l1 §3`, `§9.2` | the 29 schemas, embedded |
//! | [`mod@detect`] | ruling MPLP 11 | which schema an object is of |
//! | [`formats`] | ruling MPLP 7 | date-time, uuid, uri, email |
//! | [`rule`], [`rules`] | `§4`, rulings MPLP 1, 2, 8 | the rules, as data, and how they are applied |
//! | [`finding`] | `§5.1`, ruling MPLP 10 | what is wrong, where, by which rule |
//! | [`mod@judge`] | `§5.1`, `§5.2` | one object by its schema and rules |
//! | [`scan`] | `§5.1` | what bytes are certainly clean, with no object made of them |
//! | [`mod@validate`], [`lines`] | `§5.1`, ruling MPLP 11 | bytes, and lines of NDJSON |
//! | [`mod@lint`] | rulings MPLP 10, 17 | messages of the bus that carry objects |
//! | [`bundle`], [`pairs`] | rulings MPLP 2, 12 | the objects and events of one record |
//! | [`ids`] | ruling MPLP 3 | derived identifiers |
//! | [`lifecycle`] | rulings MPLP 3, 4, 12 to 18 | what a station did, as objects and events |
//! | [`snapshot`] | `§5.1` | what was withheld, rated and exported, as every reader of the tap has it |
//! | [`command`] | | what an operator does about records |
//! | [`w3c`](crate::w3c) | `§3.2.3`, rulings MPLP 4, 18 | `traceparent` |
//!
//! # How many rules there are
//!
//! Section 4 says 59, and counts other than it names. Here are 61:
//!
//! | file | `§4` says | `§4` names | here |
//! |---|---|---|---|
//! | SA (`§4.1`) | 8 | 9: it counts the bindings of the Trace as one | 9 |
//! | MAP (`§4.2`) | 9 | 9: 7 of structure, 2 over events | 9 |
//! | observability (`§4.3`) | 12 | 12 | 12 |
//! | integration (`§4.4`) | 17 | 17, and two optional ones without names | 19 |
//! | learning (`§4.5`) | 13 | 12: its parts are 5, 2, 2 and 4, and of the last it names 3 | 12 |
//!
//! The two are called `integration_ci_started_at_iso` and `integration_ci_completed_at_iso` (ruling MPLP 1).

pub mod bundle;
pub mod catalog;
pub mod command;
pub mod detect;
pub mod finding;
pub mod formats;
pub mod ids;
pub mod judge;
pub mod lifecycle;
pub mod lines;
pub mod lint;
pub mod pairs;
pub mod rule;
pub mod rules;
pub mod scan;
pub mod snapshot;
pub mod validate;

pub use crate::w3c::{TraceParent, TraceParentError};
pub use bundle::{Assembled, SecondOfKind, assemble, is_bundle, judge_bundle};
pub use catalog::{SchemaGroup, SchemaId};
pub use command::{Command, Outcome, Refusal};
pub use detect::{detect, detect_event};
pub use finding::{Finding, Findings, Path};
pub use ids::{Derived, MplpId};
pub use judge::{is_clean, judge};
pub use lines::Lines;
pub use lint::{Lint, LintFinding, lint};
pub use rule::{Profile, RecordContext, Rule, RuleFamily};
pub use rules::{RULES, rule_named};
pub use snapshot::Snapshot;
pub use validate::{InputLimits, Judged, JudgedBundle, NotJudged, read, validate, validate_bundle};

pub use crate::tap::entry::mplp::{RatingVerdict, RecordKind, RecordRef, Transition};
