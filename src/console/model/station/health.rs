//! How the store is, why, and what to do: what its chip shows.

use crate::{
    console::{
        draw::format,
        model::{
            alerts,
            health::{Report, ReportLine, command, instruction},
            state::Model,
        },
    },
    port::health::store,
    store::{REFUSED_REMEDY, is_refused_by_rule},
    tap::entry::Link,
    time::Now,
};

/// What to do while the store refuses commits, by why it does.
pub(crate) fn store_remedy(why: &str) -> Vec<ReportLine> {
    if is_refused_by_rule(why) {
        return vec![instruction(REFUSED_REMEDY)];
    }
    vec![
        instruction("free disk space; commits are retried automatically, and nothing acknowledged is lost"),
        command("doctor"),
    ]
}

/// What to do while the disk is nearly full.
pub(crate) fn disk_remedy() -> Vec<ReportLine> {
    vec![instruction(
        "free disk space, or stop a recording on it: until then new MACP sessions, their messages and new runs are refused \
         (limits.store.disk_free_bytes_min)",
    )]
}

/// The store.
pub(crate) fn report(model: &Model, _now: Now) -> Report {
    let Some(state) = &model.station_state else { return Report::starting() };
    let mut report = Report::new();
    for problem in store::problems(&state.station) {
        let remedy = match problem.cause {
            store::Cause::CommitsFail | store::Cause::CommitsRefused => store_remedy(&problem.reason),
            store::Cause::DiskLow => disk_remedy(),
        };
        report.add(problem, remedy);
    }
    alerts::report(model.alerts(), &mut report, state, Link::Station);
    report.detail("data", state.station.data.display().to_string());
    if let Some(path) = &state.station.always_recording {
        report.detail("always recording", path.display().to_string());
    }
    if let Some(recording) = &state.station.recording {
        report.detail(
            "recording",
            format!("{} ({})", recording.path.display(), format::bytes(recording.bytes)),
        );
    }
    report
}
