//! What to do about the alerts of the station itself.

use super::health::{disk_remedy, store_remedy};
use crate::{
    console::model::{
        alerts::AlertKind,
        health::{ReportLine, command, instruction},
    },
    tap::entry::alerts::Alert,
};

/// What to do about a recording that failed, by why it did. The station's own is tried again.
fn recording_remedy(alert: &Alert) -> Vec<ReportLine> {
    let causes = [
        ("limits.recording.bytes_max", "raise limits.recording.bytes_max, or record less at a time"),
        ("limits.recording.file_bytes_max", "raise limits.recording.file_bytes_max"),
        ("it exists", "name a new file, or remove that one"),
        ("folder does not exist", "make its folder, or name another"),
        ("not permitted", "name a file in a folder that you can write to"),
        ("read-only", "name a file on a disk that can be written to"),
        ("no room", "free disk space"),
        ("disk is too low", "free disk space"),
    ];
    // What its file is called is no cause.
    let why = alert.text.rsplit_once(".mcap: ").map_or(&*alert.text, |(_, why)| why);
    let found = causes.into_iter().find(|(cause, _)| why.contains(cause));
    let what = found.map_or("its text says why; the station's log has more", |(_, what)| what);
    if &*alert.subject == "always" {
        return vec![instruction(&format!("{what}; the recording is tried again every 10 s"))];
    }
    vec![instruction(&format!("{what}, then start a new recording:")), command("record OUT.mcap")]
}

/// The kinds there are.
pub(crate) const KINDS: &[AlertKind] = &[
    AlertKind::new("host_down", |_, _| vec![command("doctor")]),
    AlertKind::new("store_failing", |alert, _| store_remedy(&alert.text)),
    AlertKind::new("disk_low", |_, _| disk_remedy()),
    AlertKind::TURNED_AWAY,
    AlertKind::new("recording_failed", |alert, _| recording_remedy(alert)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        tap::entry::{Link, alerts::AlertManner},
        time::Now,
    };

    #[test]
    fn what_to_do_about_a_recording_that_failed_is_said_by_its_cause() {
        let remedy = |subject: &str, text: &str| {
            let alert = Alert {
                id: 1,
                name: "recording_failed".into(),
                link: Link::Station,
                subject: subject.into(),
                manner: AlertManner::Once,
                since: Now::default(),
                text: text.into(),
                last: None,
                is_quiet: false,
                raised_at: Now::default(),
                acknowledged_at: None,
                resolved_at: None,
            };
            recording_remedy(&alert)
        };
        for (why, what) in [
            ("cannot record to /r/a.mcap: it exists", "name a new file, or remove that one"),
            ("cannot record to /none/a.mcap: its folder does not exist", "make its folder, or name another"),
            ("/r/a.mcap: no room on its disk", "free disk space"),
            (
                "/r/a.mcap: its files have reached 9 bytes (limits.recording.bytes_max)",
                "raise limits.recording.bytes_max, or record less at a time",
            ),
            ("/no room/read-only.mcap: the recorder failed", "its text says why; the station's log has more"),
        ] {
            let own =
                [instruction(&format!("{what}, then start a new recording:")), command("record OUT.mcap")];
            assert_eq!(remedy("recording", why), own, "{why}");
            let always = [instruction(&format!("{what}; the recording is tried again every 10 s"))];
            assert_eq!(remedy("always", why), always, "{why}");
        }
    }
}
