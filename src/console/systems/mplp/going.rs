//! From a part of a record to what it was made of.

use crate::{
    console::{
        input::pane_id::PaneId,
        overlays::Details,
        ui::{act::Act, pane::PaneContext, state::Ui},
    },
    mplp::lifecycle::Origin,
    port::RecordOf,
};

/// Goes to the event or log record; where it was made of what the record begins with or of its end, shows
/// the details of the run or session.
pub(super) fn to_origin(of: RecordOf, origin: Origin) -> Act {
    Act::effects(move |ui, cx| match (of, origin) {
        (RecordOf::Run(run), Origin::Number(number)) => ui.show_run_event(cx.model, run, number),
        // No pane shows the station's own record.
        (RecordOf::Station, _) => Vec::new(),
        (RecordOf::Session(_), Origin::Number(number)) => ui.show_session_record(cx.model, number),
        (RecordOf::Run(run), Origin::Beginning | Origin::End) => {
            ui.push(Details::of(Ui::run_details(run)));
            Vec::new()
        }
        (RecordOf::Session(_), Origin::Beginning | Origin::End) => {
            if let Some(record) = ui.session_details(cx.model) {
                ui.push(Details::of(record));
            }
            Vec::new()
        }
    })
}

/// What the run or session is called whose record a pane shows.
pub(super) fn name_of(cx: &PaneContext<'_>, pane: PaneId) -> String {
    if pane == PaneId::SessionLifecycle {
        return cx.ui.detail_session(cx.model).map_or_else(String::new, |session| session.id.to_string());
    }
    let Some(run) = cx.ui.detail_run(cx.model) else { return String::new() };
    match cx.ui.run_name(cx.model, run) {
        Some(name) => format!("{name} {}", run.short()),
        None => run.short(),
    }
}
