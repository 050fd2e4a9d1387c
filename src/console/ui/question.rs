//! Questions that systems ask of a person, as they are listed together.

use std::{any::Any, fmt::Debug};

use crate::console::{
    draw::Cell,
    records::{record_key::RecordKey, row::DetailsRecord},
    settings::view::View,
};

/// A question that waits for a person's answer.
pub(crate) trait Question: Debug + Any {
    /// Its identity.
    fn key(&self) -> RecordKey;

    /// Who asks, since when, how long an answer counts, and what is asked.
    fn cells(&self, view: &View) -> [Cell; 4];

    /// What is told of it.
    fn details(&self) -> Box<dyn DetailsRecord>;
}

impl dyn Question {
    /// It, if it is of this type.
    pub(crate) fn of_type<T: Question>(&self) -> Option<&T> {
        let question: &dyn Any = self;
        question.downcast_ref()
    }
}
