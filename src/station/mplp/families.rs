//! The metrics of lifecycle records.

use crate::{
    mplp::Snapshot,
    station::metrics::{Family, Kind::Counter},
};

pub(in crate::station) fn families(mplp: &Snapshot) -> Vec<Family> {
    vec![
        Family::new(
            "rl_console_mplp_withheld_items_total",
            Counter,
            "Objects and events that were not valid and were not published.",
        )
        .of(mplp.withheld),
        Family::new("rl_console_mplp_ratings_total", Counter, "Ratings of runs.").of(mplp.rated),
        Family::new("rl_console_mplp_exports_total", Counter, "Exported records.").of(mplp.exported),
    ]
}
