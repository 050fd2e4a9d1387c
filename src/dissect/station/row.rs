//! The station's row of the table.

use super::{summary, transitions};
use crate::{
    dissect::table::dissects,
    tap::entry::{alerts::AlertChange, station::Transition},
};

dissects! {
    Transition {
        breach: |_| None,
        is_routine: |transition| matches!(
            transition,
            Transition::Alert { change: AlertChange::Updated, .. } | Transition::RecordingGrew { .. }
        ),
    }
}
