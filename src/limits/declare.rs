//! The types of all groups of bounds.

use super::{
    bound::{Bound, LimitError, limits},
    console::console_groups,
    table::station_groups,
};

station_groups! { console_groups limits }
