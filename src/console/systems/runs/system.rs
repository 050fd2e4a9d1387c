//! The runs as they declare themselves to the screen.

use ratatui::layout::Rect;

use super::{actions, detail_run, keys::RUN, pages, submitting};
use crate::{
    console::{
        draw::format,
        input::{pane_id::PaneId, view_id::ViewId},
        model::{runs::health, station::StationState},
        records::record_key::RecordKey,
        ui::{
            layout::{ViewSpec, columns, split_rows},
            pane::{PaneContext, Room},
            question::Question,
            state::Ui,
            system::{Brakes, Questions, System},
        },
    },
    runs::{AskView, RunState},
    tap::entry::{Link, alerts::Alert},
};

/// The runs.
pub(crate) static SYSTEM: System = System {
    link: Link::Runs,
    title: "Runs",
    view: ViewId::Runs,
    page: "openings",
    chip: "RUNS",
    figure,
    act_first: actions::act,
    act_otherwise: |_, _| None,
    report: health::report,
    restarted: "control plane restarted: runs can be submitted",
    questions,
    listed_questions,
    alert_object,
    brakes: Some(brakes),
    begin: submitting::begin,
    unmark: |_| false,
    dismiss: |_, _| {},
    after_event: submitting::follow,
    masters: detail_run::MASTERS,
    follow: detail_run::follow,
    forget: |systems| systems.runs.pages.forget(),
    detail_trace: Ui::detail_run,
    queries: pages::next,
};

/// The Runs: the list over the whole width, so that why a run failed can be read; below it the plan beside
/// what the run tells. The messages that went, its record and what it kept come in as there is room. Earlier
/// runs than those of the list come last: most are in both.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[
        PaneId::Runs,
        PaneId::Plan,
        PaneId::RunEvents,
        PaneId::Lifecycle,
        PaneId::Artifacts,
        PaneId::RunHistory,
        PaneId::Trace,
    ],
    occasional: |_, _| Vec::new(),
    arrange,
    glance_from: None,
};

/// The run that failed last, or the one that asks.
fn alert_object(alert: &Alert, state: &StationState) -> (PaneId, Option<RecordKey>) {
    let runs = &state.runs;
    let run = match &*alert.name {
        "runs_failed" => {
            let failed = runs.runs.iter().filter(|view| view.state == RunState::Failed);
            failed.max_by_key(|view| view.ended_at.map(|at| at.mono)).map(|view| view.run)
        }
        _ => AskView::run_of_alert(&alert.subject).or_else(|| runs.asks_in_time().first().map(|ask| ask.run)),
    };
    (PaneId::Runs, run.map(|run| RUN.of(run)))
}

fn figure(cx: &PaneContext<'_>, room: Room) -> String {
    let (Some(runs), glyphs) = (cx.model.runs(), cx.view.glyphs) else { return String::new() };
    let open = runs.open().count();
    let figure = format!("{}{}", format::count(open as u64), glyphs.flying);
    match room {
        Room::Least | Room::Tight if open > 0 => figure,
        Room::Least | Room::Tight => String::new(),
        _ if runs.totals.succeeded + runs.totals.failed == 0 => figure,
        _ => {
            let (succeeded, failed) = (runs.totals.succeeded, runs.totals.failed);
            let ended = [(succeeded, glyphs.ok), (failed, glyphs.bad)];
            // What is open is of now, what ended of more than that.
            let figure = format!("{figure} since start");
            ended.iter().fold(figure, |all, (count, sign)| format!("{all} {}{sign}", format::count(*count)))
        }
    }
}

fn questions(state: &StationState) -> Questions {
    Questions {
        waiting: state.runs.waiting(),
        first_expires_at: state.runs.asks_in_time().first().map(|ask| ask.expires_at),
    }
}

fn listed_questions(state: &StationState) -> Vec<&dyn Question> {
    state.runs.asks_in_time().into_iter().map(|ask| ask as &dyn Question).collect()
}

fn brakes(state: &StationState) -> Brakes<'_> {
    Brakes { name: "RUNS", held: usize::from(state.runs.held), of: 1, draining: Vec::new() }
}

fn arrange(body: Rect, _: &[PaneId]) -> Vec<(PaneId, Rect)> {
    use PaneId::{Artifacts, Lifecycle, Plan, RunEvents, RunHistory, Runs, Trace};
    if body.width < 120 {
        return match body.height {
            42.. => columns(body, &[&[(Runs, 3), (Plan, 4), (RunEvents, 4), (Artifacts, 2)]]),
            _ => columns(body, &[&[(Runs, 4), (Plan, 4), (RunEvents, 3)]]),
        };
    }
    let (list, below) = split_rows(body, body.height * 3 / 10);
    let mut placed = vec![(Runs, list)];
    placed.extend(match (body.width, body.height) {
        (200.., 44..) => {
            let record = &[(Lifecycle, 2), (Artifacts, 1), (RunHistory, 1)];
            columns(below, &[&[(Plan, 1)], &[(RunEvents, 1), (Trace, 1)], record])
        }
        (_, 44..) => {
            let told = &[(RunEvents, 4), (Lifecycle, 4), (Trace, 3)];
            columns(below, &[&[(Plan, 3), (Artifacts, 2)], told])
        }
        (_, 32..) => columns(below, &[&[(Plan, 1)], &[(RunEvents, 3), (Artifacts, 2)]]),
        _ => columns(below, &[&[(Plan, 1)], &[(RunEvents, 1)]]),
    });
    placed
}
