//! The row of lifecycle records in the table.

use super::{summary, transitions};
use crate::{dissect::table::dissects, tap::entry::mplp::Transition};

dissects! {
    Transition { breach: |_| None, is_routine: |_| false }
}
