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
    AlertKind::new("recording_failed", |alert, _| match &*alert.subject {
        "always" => vec![
            instruction("it is tried every 10 s: make room for recordings/ in the data folder, and see:"),
            command("doctor"),
        ],
        _ => vec![instruction("free disk space, then start a new recording:"), command("record OUT.mcap")],
    }),
    AlertKind::new("trigger", |_, _| {
        vec![instruction("look at what it found, in the Wire or the Journal:"), command("trigger ls")]
    }),
    AlertKind::new("station_error", |_, _| {
        vec![
            instruction(
                "its text says what to do; the Journal lists them all. After damage, check the disk too:",
            ),
            command("doctor"),
        ]
    }),
];
