//! What is done again: an ended row is requeued, the opening of a run is submitted once more.

use crossterm::event::KeyCode;

use super::{
    answers::answered,
    runs_samples::{VOTE, run, runs},
    steps::commands,
    test_console::{TestConsole, row, show},
};
use crate::{
    console::{
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        systems::{
            bridge::{bulk::BulkPart, outcomes::BridgeCommand, requeue::RequeueAsked},
            runs::{
                openings::{Draft, OpeningDrafts},
                submitting::OpeningOfRun,
            },
        },
        ui::{effect::Effect, event::Event, state::Focus},
    },
    ids::{InvocationId, TraceId},
    limits::Limits,
    mpp,
    mpp::{EnqueuedRow, Refusal},
    port::{Command, InvocationRow, Outcome, Page, Query, RunDetail},
    runs,
    schema::JsonText,
    tap::entry::mpp::{Brake, RefundStatus, RowState, Transition},
};

/// A pane of the Bridge, filled, with the keys.
fn pane(pane: PaneId) -> TestConsole {
    let mut stage = show(160, 50);
    stage.ui.show(if pane == PaneId::Recent { ViewId::Deck } else { ViewId::Bridge });
    stage.ui.focus = Focus::Pane(pane);
    stage.ui.zoomed = Some(pane);
    let effects = stage.key(KeyCode::Null);
    answered(&mut stage, effects);
    stage
}

fn failed(id: u64, refund: Option<RefundStatus>) -> InvocationRow {
    InvocationRow { state: RowState::Failed, refund, ..row(id) }
}

/// The station tells what it has of an invocation that is to be requeued.
fn tell(stage: &mut TestConsole, id: u64, found: Option<InvocationRow>) {
    let on_page = Box::new(RequeueAsked { id: InvocationId(id) });
    stage.event(Event::QueryAnswered { on_page, page: Ok(Page::Invocation(found.map(Box::new))) });
}

/// And the question about it is on the screen.
fn question(stage: &mut TestConsole, id: u64, found: InvocationRow) {
    tell(stage, id, Some(found));
    stage.key(KeyCode::Null);
}

fn asked(effects: &[Effect]) -> u64 {
    match effects {
        [Effect::Query { query: Query::Invocation { id }, .. }] => id.0,
        other => panic!("{other:?}"),
    }
}

fn requeue(ids: &[u64], even_if_refunded: bool) -> mpp::Command {
    mpp::Command::Requeue { ids: ids.iter().map(|id| InvocationId(*id)).collect(), even_if_refunded }
}

fn requeued(id: u64, from: u64) -> EnqueuedRow {
    EnqueuedRow {
        id: InvocationId(id),
        queue: "default".into(),
        event: "give_item".into(),
        state: RowState::Pending,
        trace_id: TraceId(uuid::Uuid::nil()),
        repeated: false,
        requeued_from: Some(InvocationId(from)),
    }
}

#[test]
fn an_ended_row_of_each_pane_is_requeued_after_a_question() {
    for (place, id) in [(PaneId::Recent, 41), (PaneId::History, 41), (PaneId::Refunds, 33)] {
        let mut stage = pane(place);
        if place == PaneId::History {
            for _ in 0..5 {
                stage.key(KeyCode::Down);
            }
        }
        assert_eq!(asked(&stage.char('e')), id, "{place:?}: {}", stage.text());
        question(&mut stage, id, failed(id, None));
        let text = stage.text();
        for wanted in [&format!("Requeue {id}?"), "give_item is failed", "again", "refund: none"] {
            assert!(text.contains(wanted), "{place:?} {wanted}: {text}");
        }
        assert_eq!(stage.char('e'), [], "the key that asked does not confirm");
        assert_eq!(commands(stage.char('y')), [requeue(&[id], false)]);
    }
    let outcome = |row| Ok(Outcome::Mpp(mpp::Outcome::Requeued(vec![row])));
    let mut stage = pane(PaneId::Recent);
    let answer = |stage: &mut TestConsole, row| {
        stage.event(Event::CommandAnswered { on_outcome: Box::new(BridgeCommand), outcome: outcome(row) });
        stage.text()
    };
    assert!(answer(&mut stage, Ok(requeued(47, 41))).contains("41 requeued as 47: pending on default"));
    let refused = Refusal::NoSuchInvocation { id: InvocationId(41) };
    assert!(answer(&mut stage, Err(refused)).contains("no invocation 41"));
}

#[test]
fn a_row_of_another_pack_is_requeued_once_it_has_ended() {
    assert_eq!(asked(&pane(PaneId::OtherPack).char('e')), 3, "it has ended since its page came");
    let mut stage = pane(PaneId::History);
    stage.key(KeyCode::Down);
    assert_eq!(stage.char('e'), []);
    assert!(stage.text().contains("45 is pending; only ended rows can be requeued"), "{}", stage.text());
}

#[test]
fn the_question_says_what_becomes_of_the_refund_and_the_queue() {
    let mut stage = pane(PaneId::Refunds);
    stage.char('e');
    question(&mut stage, 33, failed(33, Some(RefundStatus::Requested)));
    assert!(
        stage.text().contains("refund: requested. It is not revoked: the viewer gets both."),
        "{}",
        stage.text()
    );
    assert_eq!(commands(stage.char('y')), [requeue(&[33], true)]);
    stage.char('e');
    question(&mut stage, 33, failed(33, Some(RefundStatus::Skipped)));
    assert!(stage.text().contains("refund: skipped"), "{}", stage.text());
    let brake = Brake { held: false, draining: true };
    stage.mpp(Transition::Braked { queue: "default".into(), brake }, "");
    assert!(stage.text().contains("default is draining: requeuing will be refused"), "{}", stage.text());
    assert_eq!(commands(stage.char('y')), [requeue(&[33], false)], "nothing was given back");
}

#[test]
fn no_question_is_asked_of_what_is_gone_or_under_what_was_opened_meanwhile() {
    let mut stage = pane(PaneId::Recent);
    stage.char('e');
    tell(&mut stage, 41, None);
    assert!(stage.text().contains("invocation 41 is no longer stored"), "{}", stage.text());
    stage.char('e');
    stage.act(Action::Help);
    tell(&mut stage, 41, Some(failed(41, None)));
    assert_eq!(stage.ui.key_scope(), KeyScope::Help);
    assert!(stage.text().contains("41 not requeued: something else was opened"), "{}", stage.text());
}

#[test]
fn ended_rows_that_are_marked_are_requeued_together_and_never_cancelled() {
    let mut stage = pane(PaneId::History);
    for _ in 0..5 {
        stage.key(KeyCode::Down);
    }
    stage.char('v');
    stage.char('v');
    assert!(stage.text().contains("2 marked"), "{}", stage.text());
    assert_eq!(stage.char('x'), []);
    assert!(stage.text().contains("the marked rows have ended; e requeues them"), "{}", stage.text());
    stage.char('e');
    let text = stage.text();
    assert!(text.contains("Requeue 2 marked?") && text.contains("2 ended rows: 2 on default"), "{text}");
    assert_eq!(commands(stage.char('y')), [requeue(&[40, 41], false)]);
    let refused = Refusal::RefundRequested { id: InvocationId(41), refund: RefundStatus::Manual };
    stage.event(Event::CommandAnswered {
        on_outcome: Box::new(BulkPart),
        outcome: Ok(Outcome::Mpp(mpp::Outcome::Requeued(vec![Ok(requeued(47, 40)), Err(refused)]))),
    });
    let text = stage.text();
    assert!(text.contains("1 requeued; 1 refused: 1 refund manual"), "{text}");
    assert!(!text.contains("2 marked"), "{text}");
}

#[test]
fn pending_and_ended_rows_are_not_marked_together() {
    let mut stage = pane(PaneId::History);
    stage.key(KeyCode::Down);
    stage.char('v');
    assert!(stage.text().contains("1 marked"), "{}", stage.text());
    assert_eq!(stage.char('e'), []);
    assert!(stage.text().contains("the marked rows are pending; x cancels them"), "{}", stage.text());
    for _ in 0..5 {
        stage.key(KeyCode::Down);
    }
    stage.char('v');
    assert!(stage.text().contains("1 pending rows are marked"), "{}", stage.text());
}

const YAML: &str = "version: 0\nname: chat_vote\nparams: {rounds: 3}\nnodes:\n  - id: ask\n    use: agent:poll\n    with: {}\nedges: []\n";

fn open_again(stage: &mut TestConsole, detail: Option<RunDetail>) -> Vec<Effect> {
    let on_page = Box::new(OpeningOfRun { run: run(VOTE) });
    stage.event(Event::QueryAnswered { on_page, page: Ok(Page::Run(detail.map(Box::new))) })
}

fn detail() -> RunDetail {
    RunDetail {
        row: super::runs_samples::stored().remove(0),
        yaml: YAML.to_owned(),
        plan: JsonText::parse("{}").unwrap(),
        traceparent: None,
        artifacts_missing: 0,
        rating: None,
    }
}

#[test]
fn a_run_is_submitted_again_edited_or_as_it_was() {
    let mut stage = runs(160, 50);
    let drafts = OpeningDrafts::new(None, None, false, &Limits::default().console);
    stage.ui.systems.runs.opening_drafts = drafts;
    stage.ui.systems.runs.opening_drafts.save_draft(Draft { text: "name: mine\n".to_owned(), origin: None });
    let effects = stage.char('e');
    let wanted = run(VOTE);
    assert_eq!(effects, [Effect::query(Query::Run { run: wanted }, OpeningOfRun { run: wanted })]);
    let effects = open_again(&mut stage, Some(detail()));
    assert_eq!(stage.ui.key_scope(), KeyScope::Submit);
    let text = stage.text();
    assert!(text.contains("name: chat_vote") && text.contains("rounds: 3"), "{text}");
    let kept = effects
        .iter()
        .any(|effect| matches!(effect, Effect::SaveRecent(text) if text.contains("name: mine")));
    assert!(kept, "what was written before is kept: {effects:?}");
    let effects = stage.ctrl('s');
    let sent = effects.iter().find_map(|effect| match effect {
        Effect::Command { command: Command::Runs(runs::Command::Submit { opening_yaml, .. }), .. } => {
            Some(opening_yaml.as_str())
        }
        _ => None,
    });
    assert_eq!(sent, Some(YAML), "{}", stage.text());
}

#[test]
fn a_run_that_the_store_has_no_more_says_so() {
    let mut stage = runs(160, 50);
    stage.char('e');
    open_again(&mut stage, None);
    assert!(stage.text().contains("run a41f is no longer stored"), "{}", stage.text());
}
