//! The station's row of the table.

use std::borrow::Cow;

use super::{summary, transitions};
use crate::{
    dissect::{
        breach::Breach, summary::EntrySummary, table::DissectTransition, transitions::TransitionDetails,
    },
    tap::entry::station::Transition,
};

impl DissectTransition for Transition {
    fn summary(&self) -> EntrySummary<'_> {
        summary::summary(*self)
    }

    fn line(&self) -> Cow<'static, str> {
        summary::line(*self)
    }

    fn details(&self) -> TransitionDetails {
        transitions::details(*self)
    }

    fn breach(&self) -> Option<Breach> {
        None
    }

    fn is_routine(&self) -> bool {
        false
    }
}
