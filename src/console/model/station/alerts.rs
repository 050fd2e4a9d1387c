//! What to do about the alerts of the station itself.

use super::health::{disk_remedy, store_remedy};
use crate::console::model::{
    alerts::AlertKind,
    health::{command, instruction},
};

/// The kinds there are.
pub(crate) const KINDS: &[AlertKind] = &[
    AlertKind::new("host_down", |_, _| vec![command("doctor")]),
    AlertKind::new("store_failing", |_, _| store_remedy()),
    AlertKind::new("disk_low", |_, _| disk_remedy()),
    AlertKind::TURNED_AWAY,
    AlertKind::new("recording_failed", |_, _| {
        vec![instruction("make room, then begin another, into a new file:"), command("record OUT.mcap")]
    }),
    AlertKind::new("station_error", |_, _| {
        vec![
            instruction(
                "its text says what to do; the Journal has all of them. After damage look at the disk too:",
            ),
            command("doctor"),
        ]
    }),
];
