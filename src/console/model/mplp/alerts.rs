//! What to do about the alerts of lifecycle records.

use super::health::{host_remedy, withheld_remedy};
use crate::console::model::alerts::AlertKind;

/// The kinds there are.
pub(crate) const KINDS: &[AlertKind] = &[
    AlertKind::new("host_down", |_, _| host_remedy()),
    AlertKind::new("withheld", |_, _| withheld_remedy()),
];
