//! Lifecycle records.

use crate::{
    mplp::{Snapshot, snapshot::WithheldView},
    tap::recorded::{DecodeError, Recorded, recorded, wire},
    time::ClockShift,
};

recorded! {
    default struct Snapshot = MplpView "mplp" { withheld, rated, exported, recent }
    struct WithheldView = MplpWithheldView "withheld" { at, record, schema, rule, path, requires, findings }
}
