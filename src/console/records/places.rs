//! The places that the operator came from: a view, its pane and the record that was selected there.

use std::collections::VecDeque;

use super::selection::RecordKey;
use crate::console::input::{pane_id::PaneId, view_id::ViewId};

/// Places that are kept; the oldest goes first.
const PLACES_MAX: usize = 64;

/// A place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) view: ViewId,
    pub(crate) pane: PaneId,
    /// The pane was given the whole body.
    pub(crate) is_zoomed: bool,
    /// The selected record, where one was.
    pub(crate) key: Option<RecordKey>,
}

impl Place {
    /// Whether it is in the same pane of the same view.
    fn is_beside(&self, other: &Self) -> bool {
        (self.view, self.pane) == (other.view, other.pane)
    }
}

/// Those before the present one, the last one last.
#[derive(Debug, Default)]
pub(crate) struct Places {
    before: VecDeque<Place>,
    /// The present one was come back to.
    has_returned: bool,
}

impl Places {
    /// Notes the place that was left for another one, unless it was left to go back.
    pub(crate) fn note(&mut self, left: Option<Place>, present: Option<&Place>) {
        let has_returned = std::mem::take(&mut self.has_returned);
        let Some(left) = left.filter(|left| !has_returned && present.is_none_or(|it| !it.is_beside(left)))
        else {
            return;
        };
        while self.before.len() >= PLACES_MAX {
            self.before.pop_front();
        }
        self.before.push_back(left);
    }

    /// The last place, to go back to; it is forgotten.
    pub(crate) fn take_last(&mut self) -> Option<Place> {
        self.has_returned = true;
        self.before.pop_back()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty()
    }
}
