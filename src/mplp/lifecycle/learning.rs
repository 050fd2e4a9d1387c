//! Learning samples of a run that ended, made of its bundle (`mplp-l1 §3.5`, `§3.2.6`).
//!
//! | family | schema | one for |
//! |---|---|---|
//! | `intent_resolution` | `learning-sample-intent` | the run |
//! | `pipeline_outcome` | `learning-sample-core` | a step |
//! | `confirm_decision` | `learning-sample-core` | a question that a person answered |
//! | `multi_agent_coordination` | `learning-sample-core` | a Collab |
//! | none | `common/learning-sample` | the run |
//!
//! Nothing of ours makes samples of `delta_impact` and `graph_evolution`; they are validated alone.

mod common;
mod coordination;
mod core;
mod read;

use super::{item::Item, run::Bundle};
use read::Record;

pub use crate::tap::entry::mplp::RatingVerdict;

/// How a person rated a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rating {
    /// How.
    pub verdict: RatingVerdict,
    /// What that person noted.
    pub note: Option<String>,
}

/// The samples of a record, in the order of the families above; labels are those of the rating, without one
/// `not_reviewed`. Nothing of a run that has not ended.
#[must_use]
pub fn samples(bundle: &Bundle, rating: Option<&Rating>) -> Vec<Item> {
    let Some(record) = Record::of(bundle, rating) else { return Vec::new() };
    let mut samples = vec![core::intent(&record)];
    samples.extend(core::steps(&record));
    samples.extend(core::decisions(&record));
    samples.extend(coordination::of_collabs(&record));
    samples.push(common::of_run(&record));
    samples
}

#[cfg(test)]
mod tests;
