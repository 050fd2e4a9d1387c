//! How lifecycle records are, why, and what to do: what their chip shows.

use crate::{
    console::{
        draw::format,
        input::action::Action,
        model::{
            alerts,
            health::{Report, ReportLine, command, instruction, key_hint},
            state::Model,
        },
    },
    port::health::mplp::{Cause, problems},
    tap::entry::Link,
    time::Now,
};

/// What to do while no record is kept.
pub(super) fn host_remedy() -> Vec<ReportLine> {
    vec![key_hint(Action::Restart, "restarts them; or:"), command("host restart mplp")]
}

/// What to do about objects of ours that are not clean.
pub(super) fn withheld_remedy() -> Vec<ReportLine> {
    vec![
        instruction("a fault of rl-console: please report it, with the record of the run"),
        command("doctor"),
    ]
}

/// The lifecycle records.
pub(crate) fn report(model: &Model, now: Now) -> Report {
    let Some(state) = &model.station_state else { return Report::starting() };
    let mut report = Report::new();
    for problem in problems(state, now) {
        let remedy = match problem.cause {
            Cause::HostDown => host_remedy(),
            Cause::Withheld => withheld_remedy(),
        };
        report.add(problem, remedy);
    }
    alerts::report(model.alerts(), &mut report, state, Link::Mplp);
    let mplp = &state.mplp;
    report.detail(
        "since start",
        format!(
            "{} withheld, {} rated, {} exported",
            format::many(mplp.withheld, "item"),
            format::many(mplp.rated, "run"),
            format::many(mplp.exported, "record"),
        ),
    );
    report
}
