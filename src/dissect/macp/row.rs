//! The coordination runtime's rows of the table.

use super::{message::MacpMessage, preview, summary, transitions, verdict};
use crate::{
    dissect::table::dissects,
    macp::{Head, Transition},
};

dissects! {
    Head { name: |head| head.rpc.name(), decoder: MacpMessage, is_routine: |_| false }
    Transition { breach: |_| None, is_routine: |_| false }
}
