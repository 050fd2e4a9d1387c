//! The metrics of lifecycle records.

use super::counts::Counted;
use crate::{
    mplp::{Snapshot, lifecycle::FINDING_FAMILIES},
    station::metrics::{
        Family,
        Kind::{Counter, Gauge},
    },
};

pub(in crate::station) fn families(mplp: &Snapshot, counted: &Counted) -> Vec<Family> {
    let Counted { objects, events, batches, bytes, too_large, bus_down, not_taken, open, findings } =
        *counted;
    let total = |name, help: &'static str, count| Family::new(name, Counter, help).of(count);
    vec![
        Family::new("rl_console_mplp_open_records", Gauge, "Open runs that are published as records.")
            .of(open),
        total("rl_console_mplp_objects_total", "Objects of records to publish.", objects),
        total("rl_console_mplp_events_total", "Events of records to publish.", events),
        total("rl_console_mplp_messages_total", "Messages of objects and events published.", batches),
        total("rl_console_mplp_published_bytes_total", "Bytes of those messages.", bytes),
        total(
            "rl_console_mplp_too_large_items_total",
            "Withheld items over limits.rmp.body_bytes_max.",
            too_large,
        ),
        total(
            "rl_console_mplp_dropped_items_total",
            "Items not published because the bus was down.",
            bus_down,
        ),
        total(
            "rl_console_mplp_missed_changes_total",
            "Changes of runs and sessions in no record: it was down, or they could not be read.",
            not_taken,
        ),
        Family::new(
            "rl_console_mplp_withheld_items_total",
            Counter,
            "Objects and events that were not valid and were not published.",
        )
        .of(mplp.withheld),
        Family::new(
            "rl_console_mplp_findings_total",
            Counter,
            "Findings of withheld objects and events, by family of rules.",
        )
        .by("family", FINDING_FAMILIES.iter().map(ToString::to_string).zip(findings)),
        Family::new("rl_console_mplp_ratings_total", Counter, "Ratings of runs.").of(mplp.rated),
        Family::new("rl_console_mplp_exports_total", Counter, "Exported records.").of(mplp.exported),
    ]
}
