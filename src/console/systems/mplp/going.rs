//! From a part of a record to what it was made of.

use super::record::HeldRow;
use crate::{
    console::{
        input::pane_id::PaneId,
        model::Model,
        overlays::Details,
        ui::{act::Act, effect::Effect, pane::PaneContext, state::Ui},
    },
    mplp::lifecycle::Origin,
    port::RecordOf,
};

/// Goes to the event or log record that an object or event was made of; where that is what the record begins
/// with or its end, shows the details of the run or session. In the record of a run, what is of a session
/// leads to that one's log.
pub(super) fn to_origin(of: RecordOf, row: &HeldRow) -> Act {
    let (origin, session) = (row.origin, row.session.clone());
    Act::effects(move |ui, cx| match (of, session) {
        (RecordOf::Session(session), _) => to_session(ui, cx.model, &session, origin),
        (RecordOf::Run(_), Some(session)) => to_session(ui, cx.model, &session, origin),
        (RecordOf::Run(run), None) => match origin {
            Origin::Number(number) => ui.show_run_event(cx.model, run, number),
            Origin::Beginning | Origin::End => {
                ui.push(Details::of(Ui::run_details(run)));
                Vec::new()
            }
        },
        // No pane shows the station's own record.
        (RecordOf::Station, _) => Vec::new(),
    })
}

fn to_session(ui: &mut Ui, model: &Model, id: &str, origin: Origin) -> Vec<Effect> {
    let session = ui.session_named(model, id);
    match origin {
        Origin::Number(number) => ui.show_session_record(model, session, number),
        Origin::Beginning | Origin::End => {
            ui.push(Details::of(Ui::session_details(session)));
            Vec::new()
        }
    }
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
