//! The row of runs in the table.

use super::{summary, transitions};
use crate::{dissect::table::dissects, tap::entry::runs::Transition};

dissects! {
    Transition { breach: |_| None, is_routine: |_| false }
}
