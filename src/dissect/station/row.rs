//! The station's row of the table.

use super::{summary, transitions};
use crate::{dissect::table::dissects, tap::entry::station::Transition};

dissects! {
    Transition { breach: |_| None, is_routine: |_| false }
}
